package dev.cassidy.sequence.store;

/** A half-open run of ordinals, {@code lo} to {@code hi} exclusive; it may be empty. */
public record Span(long lo, long hi) {

    public static final Span EMPTY = new Span(0, 0);

    public Span {
        if (lo < 0 || hi < lo) {
            throw new IllegalArgumentException("must be 0 <= lo <= hi: lo=" + lo + " hi=" + hi);
        }
    }

    public long size() {
        return hi - lo;
    }

    public boolean isEmpty() {
        return hi == lo;
    }

    public boolean overlaps(Span other) {
        return lo < other.hi && other.lo < hi;
    }

    /** Returns the first {@code most} ordinals, or all if there are fewer: a claim never leaves its range. */
    public Span first(long most) {
        return most < size() ? new Span(lo, lo + most) : this;
    }
}
