package dev.cassidy.tsql;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A query of a view of INFORMATION_SCHEMA, which the driver answers. Names of views and columns are in upper case. The view
 * {@code DATABASES} has the columns NAME and COMPATIBILITY_LEVEL of sys.databases.
 *
 * @param items of the list; empty for all columns
 * @param conditions joined by AND
 * @param limit how many rows at the most; -1 for all
 */
public record SchemaQuery(String view, List<Item> items, List<Condition> conditions, List<Order> order, int limit) {

    public SchemaQuery {
        items = List.copyOf(items);
        conditions = List.copyOf(conditions);
        order = List.copyOf(order);
    }

    /**
     * An item of the list.
     *
     * @param column null for {@code COUNT(*)} and a number
     * @param number of {@code SELECT 1}; null for anything else
     */
    public record Item(
            @Nullable String column, String label, @Nullable Integer number) {

        public Item(@Nullable String column, String label) {
            this(column, label, null);
        }

        /** Returns whether it is {@code COUNT(*)}. */
        public boolean counts() {
            return column == null && number == null;
        }
    }

    /**
     * A condition.
     *
     * @param values any of which the column may have
     */
    public record Condition(String column, List<Value> values) {
        public Condition {
            values = List.copyOf(values);
        }
    }

    /**
     * A literal or a parameter.
     *
     * @param parameter the index of the script's {@code ?}, from 0; -1 for a literal
     */
    public record Value(String literal, int parameter) {

        /** {@code DB_NAME()}, the keyspace in use. */
        public static final Value KEYSPACE = new Value("", -2);
    }

    /** A column of ORDER BY. */
    public record Order(String column, boolean descending) {}
}
