package dev.cassidy.jdbc.run;

import dev.cassidy.definition.CountMark;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.session.Tables;
import java.sql.SQLException;
import java.util.Collection;

/** The ids by which rows count. */
final class CountIds {

    private CountIds() {}

    /** Refuses a write of them: a row with another one, or none, would begin to count again. */
    static void refuse(Tables tables, CqlInsert.Table table, Collection<String> assigned) throws SQLException {
        if (assigned.contains(CountMark.COLUMN) && tables.isColumn(table, CountMark.COLUMN)) {
            throw Unserved.feature("A write of column " + CountMark.COLUMN + " of table " + tables.qualified(table)
                    + " is not served: by it the row counts, and each INSERT draws one. Leave it out");
        }
    }
}
