package dev.cassidy.insert;

/** A splice that gives an insert's identity column its value; every other byte of the statement stays. Immutable. */
public final class Rewrite {

    private Rewrite() {}

    /** Returns the statement with {@code id} as the identity column's value. */
    public String withLiteral(long id) {
        throw new UnsupportedOperationException();
    }

    /** Returns the statement with a bind marker of its own as the identity column's value. */
    public String withMarker() {
        throw new UnsupportedOperationException();
    }

    /** Returns the index of the marker that {@link #withMarker()} adds, counted from 0 among all markers of its text. */
    public int markerIndex() {
        throw new UnsupportedOperationException();
    }
}
