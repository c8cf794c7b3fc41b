package dev.cassidy.definition;

import java.util.List;
import java.util.Objects;

/**
 * Where the values of a UNIQUE are reserved: a table beside, in the same keyspace, with a row for each value of the rows that
 * are there. It is an exact table as well, and its rows change in the transaction that changes theirs.
 *
 * @param table internal name
 * @param folding the version of the table of characters by which texts are compared
 * @param collations of each column of the constraint, as they were declared when it was made; empty for the default
 * @param complete whether every row that is there has its reservation. If not, they are being made: who writes a row keeps them, and
 *     nobody may take a value without one for a value that no row has
 */
public record Reservations(String table, int folding, List<String> collations, boolean complete) {

    /** How the names of all such tables begin. */
    public static final String PREFIX = "cassidy_unique_";

    /** The key: the values of the constraint's columns, as they compare. */
    public static final String VALUE = "value";

    /** The primary key of the row that has the value. */
    public static final String ROW = "row_key";

    public Reservations {
        Objects.requireNonNull(table, "table");
        collations = List.copyOf(collations);
    }

    /** Returns the same, when every row that is there has its reservation. */
    public Reservations completed() {
        return new Reservations(table, folding, collations, true);
    }

    /** Returns whether a table of an internal name has reservations. */
    public static boolean isOne(String table) {
        return table.startsWith(PREFIX);
    }
}
