package dev.cassidy.insert;

/** A splice that gives an insert's identity column its value; every other byte of the statement stays. Immutable. */
public final class Rewrite {

    private final String before;
    private final String after;
    private final int markerIndex;

    Rewrite(String before, String after, int markerIndex) {
        this.before = before;
        this.after = after;
        this.markerIndex = markerIndex;
    }

    /** Returns the statement with {@code id} as the identity column's value. */
    public String withLiteral(long id) {
        return before + id + after;
    }

    /** Returns the statement with a bind marker of its own as the identity column's value. */
    public String withMarker() {
        return before + '?' + after;
    }

    /** Returns the index of the marker that {@link #withMarker()} adds, counted from 0 among all its markers. */
    public int markerIndex() {
        return markerIndex;
    }
}
