package dev.cassidy.sequence.protocol;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * When to look again at a reserve that is used up: at most once a second for the whole process, however many callers
 * wait, and less and less often, down to once in 10 s. Otherwise, in a cut, thousands of processes would overload the
 * replicas.
 *
 * <p>Safe for use by many threads.
 */
final class UsedUpReserve {

    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private final LongSupplier nanoTime;
    private final Duration longest;
    private Duration interval;
    private long next;

    /** @param claimTimeout how long a caller waits: within that it sees at least one look */
    UsedUpReserve(LongSupplier nanoTime, Duration claimTimeout) {
        this.nanoTime = nanoTime;
        this.longest = shorter(claimTimeout.dividedBy(2), LONGEST);
        refilled();
    }

    /** Returns how long to wait for the next look; zero if it is due. */
    synchronized Duration untilNext() {
        return Duration.ofNanos(Math.max(0, next - nanoTime.getAsLong()));
    }

    /** It was looked at, and is used up. */
    synchronized void looked() {
        long now = nanoTime.getAsLong();
        if (now - next > longest.toNanos()) {
            // No caller has wanted an id for so long.
            interval = shorter(SHORTEST, longest);
        }
        if (now - next >= 0) {
            next = now + interval.toNanos();
            interval = shorter(interval.multipliedBy(2), longest);
        }
    }

    /** There was something to claim. */
    final synchronized void refilled() {
        interval = shorter(SHORTEST, longest);
        next = nanoTime.getAsLong();
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
