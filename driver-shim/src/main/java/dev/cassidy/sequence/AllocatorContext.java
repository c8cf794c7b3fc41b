package dev.cassidy.sequence;

import java.time.Duration;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What an allocator needs of the world; injected, so that a simulation can drive it.
 *
 * @param claimTimeout how long a caller may wait
 * @param prefetchThreshold the used fraction of a block at which the next is claimed
 * @param timer for waiting without a thread
 * @param nanoTime monotonic time
 * @param random for jitter; must be safe for use by many threads
 * @param tokens unguessable and never the same twice
 */
public record AllocatorContext(
        Duration claimTimeout,
        double prefetchThreshold,
        Timer timer,
        LongSupplier nanoTime,
        RandomGenerator random,
        Supplier<UUID> tokens) {}
