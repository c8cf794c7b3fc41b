package dev.cassidy.insert;

/** Converts identifiers between the way CQL writes them and their internal (case-exact, unquoted) form. */
public final class Identifiers {

    private Identifiers() {}

    /** Returns the internal form of a CQL identifier: {@code Orders} is {@code orders}, {@code "Orders"} stays. */
    public static String toInternal(String cql) {
        throw new UnsupportedOperationException();
    }

    /** Returns how CQL writes an internal name: bare when that is unambiguous, in double quotes otherwise. */
    public static String toCql(String internal) {
        throw new UnsupportedOperationException();
    }
}
