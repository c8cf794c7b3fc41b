package dev.cassidy.snowflake.protocol;

import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * Milliseconds since a sequence's epoch that never go back. Between two looks at the time of day they follow the
 * monotonic clock. Where the time of day has gone back, they go on at half speed until it has caught up.
 *
 * <p>Safe for use by many threads; {@link #follow} by one at a time.
 */
final class LogicalClock {

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final InstantSource clock;
    private final LongSupplier nanoTime;
    private final long epochMillis;
    private volatile Anchor anchor;

    /** What the time was at {@code nanos}: logical and of day. */
    private record Anchor(long nanos, long logical, long ofDay) {
        long at(long nanoTime) {
            long elapsed = (nanoTime - nanos) / NANOS_PER_MILLI;
            return Math.max(logical + elapsed / 2, ofDay + elapsed);
        }
    }

    LogicalClock(InstantSource clock, LongSupplier nanoTime, long epochMillis) {
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.epochMillis = epochMillis;
        long ofDay = timeOfDay();
        this.anchor = new Anchor(nanoTime.getAsLong(), ofDay, ofDay);
    }

    long now() {
        return anchor.at(nanoTime.getAsLong());
    }

    /** Returns the milliseconds from the epoch to the time of day; negative before the epoch. */
    long timeOfDay() {
        return clock.millis() - epochMillis;
    }

    /** Looks at the time of day and goes on from there, but not from before {@code atLeast}, nor from before now. */
    void follow(long atLeast) {
        long nanos = nanoTime.getAsLong();
        anchor = new Anchor(nanos, Math.max(anchor.at(nanos), atLeast), timeOfDay());
    }

    /** Returns how long it takes, in ns, until the next millisecond can have begun. */
    long nanosToNextMilli() {
        return NANOS_PER_MILLI - Math.floorMod(nanoTime.getAsLong() - anchor.nanos, NANOS_PER_MILLI);
    }
}
