package dev.cassidy.definition;

import java.util.Objects;

/**
 * Where the values of a UNIQUE are reserved: a table beside, in the same keyspace, with a row for each value of the rows that
 * are there. It is an exact table as well, and its rows change in the transaction that changes theirs.
 *
 * @param table internal name
 * @param folding the version of the table of characters by which texts are compared
 */
public record Reservations(String table, int folding) {

    /** How the names of all such tables begin. */
    public static final String PREFIX = "cassidy_unique_";

    /** The key: the values of the constraint's columns, as they compare. */
    public static final String VALUE = "value";

    /** The primary key of the row that has the value. */
    public static final String ROW = "row_key";

    public Reservations {
        Objects.requireNonNull(table, "table");
    }

    /** Returns whether a table of an internal name has reservations. */
    public static boolean isOne(String table) {
        return table.startsWith(PREFIX);
    }
}
