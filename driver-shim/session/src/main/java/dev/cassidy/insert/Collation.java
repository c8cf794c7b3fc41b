package dev.cassidy.insert;

import java.util.Locale;
import java.util.Optional;

/** What a collation of SQL Server says of letters that differ in their case. */
public enum Collation {
    IGNORES_CASE,

    /** Letters that differ in case are different, and next to each other in the order of the dictionary. */
    CASED,

    /** Characters are in the order of their codes. */
    BINARY;

    /**
     * Reads the name of a collation.
     *
     * @param name empty for the default one
     * @return empty if accents are ignored: which characters are equal then is not known here
     */
    static Optional<Collation> named(String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        if (upper.contains("_BIN")) {
            return Optional.of(BINARY);
        }
        if (upper.contains("_AI")) {
            return Optional.empty();
        }
        return Optional.of(upper.contains("_CS_") ? CASED : IGNORES_CASE);
    }

    int compare(String one, String other) {
        return this == IGNORES_CASE ? one.compareToIgnoreCase(other) : one.compareTo(other);
    }

    boolean equal(char one, char other) {
        return one == other || (this == IGNORES_CASE && folded(one) == folded(other));
    }

    /** Returns one character for all cases of a letter, as {@link String#compareToIgnoreCase} does. */
    static char folded(char c) {
        return Character.toLowerCase(Character.toUpperCase(c));
    }
}
