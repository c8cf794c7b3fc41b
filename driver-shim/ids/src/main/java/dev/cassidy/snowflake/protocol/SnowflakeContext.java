package dev.cassidy.snowflake.protocol;

import dev.cassidy.async.Timer;
import dev.cassidy.async.Waiting;
import dev.cassidy.sequence.protocol.FreshClaims;
import dev.cassidy.sequence.protocol.Retries;
import dev.cassidy.sequence.protocol.Safety;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What a sequencer needs of the world; injected, so that a simulation can drive it.
 *
 * @param timeout how long a caller waits for Cassandra
 * @param timer for waiting without a thread
 * @param clock the time of day; may jump, in either direction
 * @param nanoTime monotonic time; may stand still while the machine does
 * @param random for jitter; must be safe for use by many threads
 * @param tokens unguessable and never the same twice
 * @param safety what the nodes may forget, and whether a number may be used that they may forget
 * @param waiting which threads may wait for Cassandra
 */
public record SnowflakeContext(
        Duration timeout,
        Timer timer,
        InstantSource clock,
        LongSupplier nanoTime,
        RandomGenerator random,
        Supplier<UUID> tokens,
        Safety safety,
        Waiting waiting) {

    /** How often a limit is raised. */
    static final Duration RENEW_EVERY = Duration.ofSeconds(3);

    /** How far ahead of the clock limits are written where they may be used at once. */
    private static final Duration LEAD = Duration.ofSeconds(10);

    /**
     * Returns the tries of a task that begins now.
     *
     * @param task what is tried, for the message when the time is up
     */
    Retries retries(String task, Duration limit) {
        return Retries.of(task, limit, nanoTime, timer, random);
    }

    /**
     * Returns how far ahead of the clock limits are written, and how far ahead one may be found. A limit that may be used at
     * once has 7 s left when the next one is written. One that has to stand is read back by the first renewal after that,
     * one interval later at most. So, to have the same 7 s left, it is written further ahead by both.
     */
    long leadMillis() {
        Duration standing = safety.standing();
        return (standing.isZero() ? LEAD : LEAD.plus(standing).plus(RENEW_EVERY)).toMillis();
    }

    /** Whether a number is used only once it has stood. */
    boolean freshNumbersWait() {
        return !safety.standing().isZero() && safety.freshClaims() == FreshClaims.WAIT;
    }

    /** Returns how long a number that was taken is tried, until it has stood and was read back. */
    Duration longestTrial() {
        return safety.standing().multipliedBy(2).plus(timeout);
    }
}
