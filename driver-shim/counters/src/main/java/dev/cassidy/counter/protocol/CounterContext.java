package dev.cassidy.counter.protocol;

import dev.cassidy.async.Timer;
import java.time.Duration;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What the protocol needs of its process.
 *
 * @param home the first part of the names of the actors whose slots are leased here: of a datacenter and a generation
 * @param incrementTimeout the longest time that a caller waits for an increment
 * @param maxSlots the largest number of slots
 * @param foldAfter after how many increments of one counter they are folded
 * @param nanoTime the monotonic clock; it decides only when to try again, never what counts
 * @param clock makes it unlikely that an epoch is leased again that the nodes have forgotten
 * @param token draws a token that no other instance draws
 */
public record CounterContext(
        String home,
        Duration incrementTimeout,
        int maxSlots,
        int foldAfter,
        Timer timer,
        LongSupplier nanoTime,
        CheckedClock clock,
        RandomGenerator random,
        Supplier<UUID> token) {}
