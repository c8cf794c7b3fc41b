package dev.cassidy.jdbc.run;

import dev.cassidy.definition.Twin;
import dev.cassidy.definition.UniqueKey;
import dev.cassidy.insert.Assignments;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.session.Tables;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Holds what is about to be sent against what is declared now. A statement may have waited since it was read, for a lock, for others'
 * changes, or for its own rows before; a row that it writes without a twin would be found by nobody, and a value without its
 * reservation could be written twice.
 */
final class KeptDeclarations {

    private KeptDeclarations() {}

    /**
     * Requires that a write which is sent by itself, and reserves nothing, leaves nothing out that is kept now.
     *
     * @param cql one write of an exact table
     * @throws SQLTransientException if it gives a column a value, and not the twin beside it, or moves values that are UNIQUE
     */
    static void require(Tables tables, CqlInsert.Table table, String cql) throws SQLException {
        requireTwins(tables, table, cql);
        if (!tables.areNoneUnique() && movesUniqueValues(tables, cql, table)) {
            throw changed(tables, table, "A UNIQUE was declared");
        }
    }

    /**
     * Requires that a write keeps the twins beside the columns that it gives values.
     *
     * @param cql one write of an exact table
     * @throws SQLTransientException if it gives a column a value, and not the twin beside it
     */
    static void requireTwins(Tables tables, CqlInsert.Table table, String cql) throws SQLException {
        if (tables.areNoneTwinned()) {
            return;
        }
        Assignments written = Assignments.of(cql).orElse(null);
        if (written == null) {
            return;
        }
        Set<String> columns =
                written.all().stream().map(Assignments.Assignment::column).collect(Collectors.toSet());
        for (String column : tables.twinsToKeep(table, columns)) {
            if (!columns.contains(Twin.nameOf(column))) {
                throw changed(
                        tables,
                        table,
                        "An index by which rows are compared by their collation was declared of column " + column);
            }
        }
    }

    /** Returns whether a write may take, give up or change a value that must be unique in its table. */
    static boolean movesUniqueValues(Tables tables, String cql, CqlInsert.Table table) {
        List<UniqueKey> keys = tables.uniqueKeys(table);
        return !keys.isEmpty()
                && Assignments.of(cql)
                        .filter(written -> !written.insert()
                                && written.all().stream().noneMatch(each -> keys.stream()
                                        .anyMatch(key -> key.columns().contains(each.column()))))
                        .isEmpty();
    }

    private static SQLException changed(Tables tables, CqlInsert.Table table, String what) {
        return new SQLTransientException(
                what + " of table " + tables.qualified(table)
                        + " since the statement was read, and nothing was written. Run it again",
                SqlStates.CONFLICT);
    }
}
