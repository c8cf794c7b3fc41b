package dev.cassidy.migration.rows;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ranges in which a table is read: the values of its split column below the first bound, from each bound to the next, and
 * from the last one on. So every row is in one of them, also one that is inserted later.
 *
 * @param bounds in increasing order; none for a table that is read in one go
 */
public record IdRanges(List<Long> bounds) {

    /** More would make the state file large, and resuming no finer. */
    private static final int MAX_RANGES = 10_000;

    public IdRanges {
        bounds = List.copyOf(bounds);
    }

    /** Returns the ranges of about {@code ids} ids each of a table whose ids are {@code least} to {@code furthest}. */
    static IdRanges of(@Nullable BigInteger least, @Nullable BigInteger furthest, long ids) {
        List<Long> bounds = new ArrayList<>();
        if (least == null || furthest == null) {
            return new IdRanges(bounds);
        }
        BigInteger span = furthest.subtract(least).add(BigInteger.ONE);
        BigInteger width = BigInteger.valueOf(ids)
                .max(span.add(BigInteger.valueOf(MAX_RANGES - 1L)).divide(BigInteger.valueOf(MAX_RANGES)));
        for (BigInteger bound = least.add(width); bound.compareTo(furthest) <= 0; bound = bound.add(width)) {
            bounds.add(bound.longValueExact());
        }
        return new IdRanges(bounds);
    }

    int count() {
        return bounds.size() + 1;
    }

    /** Returns the number of the range that has an id. */
    int indexOf(long id) {
        int from = 0;
        int to = bounds.size();
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (bounds.get(middle) <= id) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }

    /** Returns the condition of a range in SQL; empty if it has none. */
    String condition(int range, String column) {
        String from = range == 0 ? "" : column + " >= " + bounds.get(range - 1);
        String to = range == bounds.size() ? "" : column + " < " + bounds.get(range);
        return from + (from.isEmpty() || to.isEmpty() ? "" : " AND ") + to;
    }
}
