package dev.cassidy.sequence.protocol;

import dev.cassidy.async.Timer;
import dev.cassidy.async.Waiting;
import java.time.Duration;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What an allocator needs from its environment; injected, so that a simulation can drive it.
 *
 * @param claimTimeout how long a caller may wait
 * @param prefetchThreshold the used fraction of a block at which the next is claimed
 * @param isolation how long a datacenter's reserve must last at its busiest hour's rate
 * @param reserveThreshold the fraction of a reserve at which the next range is requested
 * @param timer for waiting without a thread
 * @param nanoTime monotonic time
 * @param random for jitter; must be safe for use by many threads
 * @param tokens unguessable and never the same twice
 * @param safety what the cluster allows
 * @param waiting which threads may wait for an id
 */
public record AllocatorContext(
        Duration claimTimeout,
        double prefetchThreshold,
        Duration isolation,
        double reserveThreshold,
        Timer timer,
        LongSupplier nanoTime,
        RandomGenerator random,
        Supplier<UUID> tokens,
        Safety safety,
        Waiting waiting) {

    /**
     * Returns how long a caller waits at most: where nothing is used before it stands, also for a grant that has to stand before
     * ids are claimed from it.
     */
    Duration longestWait() {
        return safety.freshClaims() == FreshClaims.WAIT ? claimTimeout.plus(safety.standing()) : claimTimeout;
    }

    /** Half a block is left when the next one is claimed. */
    public static final double PREFETCH_THRESHOLD = 0.5;

    /** Up to twice the isolation is reserved. */
    public static final double RESERVE_THRESHOLD = 0.5;

    /** On a cluster that forgets nothing, and where every thread may wait. */
    public AllocatorContext(
            Duration claimTimeout,
            double prefetchThreshold,
            Duration isolation,
            double reserveThreshold,
            Timer timer,
            LongSupplier nanoTime,
            RandomGenerator random,
            Supplier<UUID> tokens) {
        this(
                claimTimeout,
                prefetchThreshold,
                isolation,
                reserveThreshold,
                timer,
                nanoTime,
                random,
                tokens,
                Safety.SOUND,
                Waiting.ANYWHERE);
    }
}
