package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.definition.Twin;
import dev.cassidy.migration.schema.TextComparison;
import dev.cassidy.migration.schema.TsqlType;
import dev.cassidy.migration.source.SourceTable;
import org.jspecify.annotations.Nullable;

/**
 * A column of the source and the column of Cassandra that takes its values.
 *
 * @param table the source's, as {@code schema.table}
 * @param key whether it is part of Cassandra's primary key
 * @param twin makes the form by which the key compares its values, if the column of Cassandra takes that; null if it takes them as
 *     they are
 */
public record MovedColumn(
        String table,
        SourceTable.Column from,
        TsqlType tsql,
        CqlIdentifier to,
        DataType type,
        boolean key,
        @Nullable Twin twin) {

    /** Returns the twin of the same column of the source, which is part of the key in its place. */
    public MovedColumn twinned(Twin by) {
        return new MovedColumn(
                table, from, tsql, CqlIdentifier.fromInternal(Twin.nameOf(to.asInternal())), DataTypes.TEXT, true, by);
    }

    /**
     * Returns whether Cassandra tells strings of the column apart that the source takes for equal, such as 'Admin' and 'ADMIN'. Blanks at
     * the end are left aside.
     */
    public boolean isFinerThanSource() {
        return TextComparison.isString(tsql) && TextComparison.isFiner(from, twin);
    }

    /** Returns {@code schema.table.column}. */
    public String qualifiedName() {
        return table + "." + from.name();
    }
}
