package dev.cassidy.transaction;

import java.util.function.LongSupplier;

/**
 * Until when the caller of a commit waits for it to be decided. Before it is, a commit ends at the deadline, and nothing is written. That time
 * is for the caller alone: nothing becomes wrong if it is a millisecond or a day.
 */
@FunctionalInterface
public interface Deadline {

    /** Waits for as long as it takes. */
    Deadline NONE = () -> false;

    /** Returns whether it is over. Asked before each step; once it is, it stays so. */
    boolean isOver();

    /**
     * Returns a deadline some time from now.
     *
     * @param nanoTime a clock that only goes forward
     */
    static Deadline after(long nanos, LongSupplier nanoTime) {
        long begin = nanoTime.getAsLong();
        return () -> nanoTime.getAsLong() - begin >= nanos;
    }
}
