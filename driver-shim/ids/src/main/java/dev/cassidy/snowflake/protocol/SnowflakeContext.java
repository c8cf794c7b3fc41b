package dev.cassidy.snowflake.protocol;

import dev.cassidy.async.Timer;
import dev.cassidy.async.Waiting;
import dev.cassidy.sequence.protocol.Retries;
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
 * @param waiting which threads may wait for Cassandra
 */
public record SnowflakeContext(
        Duration timeout,
        Timer timer,
        InstantSource clock,
        LongSupplier nanoTime,
        RandomGenerator random,
        Supplier<UUID> tokens,
        Waiting waiting) {

    /**
     * Returns the tries of a task that begins now.
     *
     * @param task what is tried, for the message when the time is up
     */
    Retries retries(String task, Duration limit) {
        return Retries.of(task, limit, nanoTime, timer, random);
    }
}
