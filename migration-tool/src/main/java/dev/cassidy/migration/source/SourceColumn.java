package dev.cassidy.migration.source;

import java.math.BigInteger;
import java.util.Objects;

/**
 * An identity column of the source, as its catalogue states it. SQL Server allows one per table.
 *
 * @param type the base type's name, for example {@code int} or {@code decimal}
 * @param precision decimal digits
 * @param increment never 0
 */
public record SourceColumn(
        String schema,
        String table,
        String column,
        String type,
        int precision,
        int scale,
        BigInteger seed,
        BigInteger increment) {

    public SourceColumn {
        Objects.requireNonNull(schema, "schema");
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(column, "column");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(seed, "seed");
        if (increment.signum() == 0) {
            throw new IllegalArgumentException("must not be 0: increment=0 table=" + schema + "." + table);
        }
    }

    /** Returns {@code schema.table}: the same table name may stand in two schemas. */
    public String qualifiedTable() {
        return schema + "." + table;
    }

    public String typeText() {
        return type.equals("decimal") || type.equals("numeric") ? type + "(" + precision + "," + scale + ")" : type;
    }

    /** Returns whether {@code id} lies strictly beyond {@code other} in the direction in which ids are issued. */
    public boolean beyond(BigInteger id, BigInteger other) {
        return id.compareTo(other) * increment.signum() > 0;
    }
}
