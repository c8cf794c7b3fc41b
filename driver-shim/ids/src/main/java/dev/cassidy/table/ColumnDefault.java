package dev.cassidy.table;

import java.util.Objects;

/**
 * A registered default: what an insert gives a column that it does not name, as T-SQL's DEFAULT. Names are internal ones (case-exact, unquoted).
 *
 * @param name of the constraint
 * @param value of {@link Kind#CONSTANT} the literal of the column's type, as CQL writes it; of {@link Kind#NOW} the type,
 *     timestamp, date or time; of {@link Kind#NEW_ID} uuid or text; of {@link Kind#NEXT_VALUE} the sequence's name; of {@link Kind#TWIN} the
 *     other column
 * @param expression as it was declared, in T-SQL
 */
public record ColumnDefault(
        String keyspace, String table, String column, String name, Kind kind, String value, String expression) {

    /** What kind of value it gives. */
    public enum Kind {
        /** The same for every row. */
        CONSTANT,
        /** The time by this process's clock, once for all rows of a statement; a day or a time of day in the JVM's zone. */
        NOW,
        /** A random uuid, for each row another one. */
        NEW_ID,
        /** The next value of a sequence, for each row. As with any id, none is issued twice, and some may be left out. */
        NEXT_VALUE,
        /** What the row has in another column, as that compares it. It is never registered: the other column's twin asks for it. */
        TWIN
    }

    public ColumnDefault {
        Objects.requireNonNull(keyspace, "keyspace");
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(column, "column");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(expression, "expression");
    }

    /** Returns the default with another value. */
    public ColumnDefault withValue(String then) {
        return new ColumnDefault(keyspace, table, column, name, kind, then, expression);
    }
}
