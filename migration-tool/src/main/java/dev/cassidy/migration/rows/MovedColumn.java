package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.DataType;
import dev.cassidy.migration.schema.TsqlType;
import dev.cassidy.migration.source.SourceTable;

/**
 * A column of the source and the column of Cassandra that takes its values.
 *
 * @param table the source's, as {@code schema.table}
 * @param key whether it is part of Cassandra's primary key
 */
public record MovedColumn(
        String table, SourceTable.Column from, TsqlType tsql, CqlIdentifier to, DataType type, boolean key) {

    /** Returns {@code schema.table.column}. */
    public String qualifiedName() {
        return table + "." + from.name();
    }
}
