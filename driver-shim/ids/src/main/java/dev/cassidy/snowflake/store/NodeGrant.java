package dev.cassidy.snowflake.store;

import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.Span;

/**
 * Node numbers that the global level has given to one datacenter, for ever: {@code lo} to {@code hi} - 1.
 *
 * @param number counted from 1 within the datacenter; each is absorbed once, or skipped
 */
public record NodeGrant(int number, int lo, int hi) {
    public NodeGrant {
        if (lo < 0 || hi <= lo) {
            throw new IllegalArgumentException("must be 0 <= lo < hi: lo=" + lo + " hi=" + hi);
        }
    }

    /** Returns this as a grant of a sequence that has one incarnation, 0. */
    public Grant asGrant() {
        return new Grant(0, number, new Span(lo, hi));
    }

    int size() {
        return hi - lo;
    }
}
