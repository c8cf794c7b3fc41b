package dev.cassidy.migration.source;

import java.math.BigInteger;
import java.util.List;
import java.util.Objects;

/**
 * What makes ids in the source, as its catalogue states it: an identity column, or a SEQUENCE object.
 *
 * <p>A sequence that fills one column alone, as of PostgreSQL's serial, counts as that column's identity where the engine
 * keeps the two together. Of a SEQUENCE object, {@code schema} and {@code table} are the sequence's own name, and
 * {@code column} is empty.
 *
 * @param type the base type's name, for example {@code int} or {@code decimal}
 * @param precision decimal digits
 * @param increment never 0
 * @param cycles whether it starts again after its last id
 * @param users the columns that take their values from a SEQUENCE object by their default; empty for an identity column
 */
public record SourceColumn(
        String schema,
        String table,
        String column,
        String type,
        int precision,
        int scale,
        BigInteger seed,
        BigInteger increment,
        boolean cycles,
        List<User> users) {

    /** A column that takes its values from a SEQUENCE object. */
    public record User(String schema, String table, String column) {

        /** Returns {@code schema.table.column}. */
        public String name() {
            return schema + "." + table + "." + column;
        }
    }

    public SourceColumn {
        Objects.requireNonNull(schema, "schema");
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(column, "column");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(seed, "seed");
        users = List.copyOf(users);
        if (increment.signum() == 0) {
            throw new IllegalArgumentException("must not be 0: increment=0 table=" + schema + "." + table);
        }
    }

    /** An identity column, which does not cycle. */
    public SourceColumn(
            String schema,
            String table,
            String column,
            String type,
            int precision,
            int scale,
            BigInteger seed,
            BigInteger increment) {
        this(schema, table, column, type, precision, scale, seed, increment, false, List.of());
    }

    /** Returns whether this is a SEQUENCE object. */
    public boolean isSequence() {
        return column.isEmpty();
    }

    /** Returns {@code schema.table}: the same table name may stand in two schemas. */
    public String qualifiedTable() {
        return schema + "." + table;
    }

    /** Returns {@code schema.table.column}, or the name of a SEQUENCE object. */
    public String name() {
        return isSequence() ? qualifiedTable() : qualifiedTable() + "." + column;
    }

    /** Returns the type as the source declares it. */
    public String typeText() {
        return type.equals("decimal") || type.equals("numeric") ? type + "(" + precision + "," + scale + ")" : type;
    }

    /** Returns whether {@code id} lies strictly beyond {@code other} in the direction in which ids are issued. */
    public boolean beyond(BigInteger id, BigInteger other) {
        return id.compareTo(other) * increment.signum() > 0;
    }
}
