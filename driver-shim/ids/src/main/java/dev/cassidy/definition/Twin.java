package dev.cassidy.definition;

import dev.cassidy.collation.Collation;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A column of strings in a primary key that is compared by a collation has a twin, which stands in Cassandra's key in its place: it
 * has the one form of all values that the collation takes for equal. The column itself is a regular one, with the value as it
 * was written.
 *
 * @param collation its name
 * @param folding the version of the table of characters by which strings are compared
 */
public record Twin(String collation, int folding) {

    /** How the names of all twins begin; that of the column follows. */
    private static final String PREFIX = "cassidy_eq_";

    /** Cassandra takes no empty partition key. No form has this character, which has no weight in any collation. */
    private static final String EMPTY = "\0";

    /** There are as many as collations that tables name. */
    private static final Map<Twin, Collation> COLLATIONS = new ConcurrentHashMap<>();

    public Twin {
        Objects.requireNonNull(collation, "collation");
    }

    /** Returns the internal name of a column's twin. */
    public static String nameOf(String column) {
        return PREFIX + column;
    }

    /** Returns whether a column of an internal name is a twin. */
    public static boolean isOne(String column) {
        return column.startsWith(PREFIX);
    }

    /** Returns the column of which a column is the twin; the column itself if it is none. */
    public static String original(String column) {
        return isOne(column) ? column.substring(PREFIX.length()) : column;
    }

    /**
     * Returns a text without the prefix of twins, so that it names their columns.
     *
     * @param text CQL, or a message
     */
    public static String shown(String text) {
        return text.replace(PREFIX, "");
    }

    /**
     * Returns the value of the twin. The twin's value of a twin's value is itself.
     *
     * @throws IllegalArgumentException if this release does not have the version of the table of characters
     */
    public String fold(String value) {
        String form = COLLATIONS
                .computeIfAbsent(this, twin -> Collation.of(twin.collation, twin.folding))
                .fold(value);
        return form.isEmpty() ? EMPTY : form;
    }
}
