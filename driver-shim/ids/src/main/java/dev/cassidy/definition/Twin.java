package dev.cassidy.definition;

import dev.cassidy.collation.Collation;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A column of strings by which rows are found as a collation compares them has a twin: it has the one form of all values that the
 * collation takes for equal. Of a column of the primary key, it stands in Cassandra's key in its place; of another column, it stands
 * beside it, and an index is on it. The column itself is a regular one, with the value as it was written.
 *
 * @param collation its name
 * @param folding the version of the table of characters by which strings are compared
 */
public record Twin(String collation, int folding, Place place) {

    /** Where it stands, and whether it can be relied on. */
    public enum Place {
        /** In the primary key, so that each row has it. */
        KEY,

        /** Beside its column: whoever writes keeps it, and rows from before may lack it, so nobody reads by it. */
        BUILDING,

        /** Beside its column, in each row: rows are found by it. */
        BESIDE
    }

    /** How the names of all twins begin; that of the column follows. */
    private static final String PREFIX = "cassidy_eq_";

    /** How the name of an index on a twin ends that was made beside one on its column, whose name begins it. */
    public static final String INDEX = "_eq";

    /** Cassandra takes no empty partition key. No form has this character, which has no weight in any collation. */
    private static final String EMPTY = "\0";

    /** There are as many as collations that tables name. */
    private static final Map<Twin, Collation> COLLATIONS = new ConcurrentHashMap<>();

    public Twin {
        Objects.requireNonNull(collation, "collation");
        Objects.requireNonNull(place, "place");
    }

    /** One that stands in the primary key. */
    public Twin(String collation, int folding) {
        this(collation, folding, Place.KEY);
    }

    /** Returns whether it stands in the primary key. */
    public boolean isOfKey() {
        return place == Place.KEY;
    }

    /** Returns whether each row has it, so that rows may be found by it. */
    public boolean isComplete() {
        return place != Place.BUILDING;
    }

    /** Returns the same in another place. */
    public Twin in(Place then) {
        return new Twin(collation, folding, then);
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
