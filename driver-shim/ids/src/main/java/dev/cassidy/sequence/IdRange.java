package dev.cassidy.sequence;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.PrimitiveIterator;
import java.util.stream.LongStream;

/**
 * An arithmetic run of ids: {@code first, first + increment, ...}, {@code count} of them.
 *
 * @param first the first id
 * @param increment the distance between two ids, negative for a descending sequence, never 0
 * @param count how many ids, at least 1
 */
public record IdRange(long first, long increment, long count) implements Iterable<Long> {

    public IdRange {
        if (increment == 0) {
            throw new IllegalArgumentException("must not be 0: increment=0");
        }
        if (count < 1) {
            throw new IllegalArgumentException("must be >= 1: count=" + count);
        }
        // Math.*Exact: a range that leaves the 64-bit space is a defect of its maker, never a wrapped id.
        Math.addExact(first, Math.multiplyExact(increment, count - 1));
    }

    /** Returns the last id, inclusive. */
    public long last() {
        return first + increment * (count - 1);
    }

    /** Returns the id at {@code index}, counted from 0. */
    public long get(long index) {
        if (index < 0 || index >= count) {
            throw new IndexOutOfBoundsException("index=" + index + " count=" + count);
        }
        return first + increment * index;
    }

    /** Returns the ids in the order in which they are issued. */
    public LongStream stream() {
        return LongStream.iterate(first, id -> id + increment).limit(count);
    }

    @Override
    public Iterator<Long> iterator() {
        return new PrimitiveIterator.OfLong() {
            private long next;

            @Override
            public boolean hasNext() {
                return next < count;
            }

            @Override
            public long nextLong() {
                if (next >= count) {
                    throw new NoSuchElementException("count=" + count);
                }
                return get(next++);
            }
        };
    }
}
