package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.async.Waiting;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.protocol.Safety;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.protocol.LeasedSequencer;
import dev.cassidy.snowflake.protocol.SnowflakeContext;
import dev.cassidy.snowflake.store.NodeStore;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The time of a sequencer, which a test moves instead of waiting. It is in this package so that it can create the real
 * store.
 */
public final class MovedClock {

    private final AtomicLong ahead = new AtomicLong();

    /** Moves both clocks of the sequencer. */
    public void advance(Duration duration) {
        ahead.addAndGet(duration.toNanos());
    }

    /**
     * Returns a detached sequencer on the real store of datacenter {@code dc1}.
     *
     * @param patience how long its callers wait, in its own time
     */
    public LeasedSequencer sequencer(
            CqlSession session,
            String keyspace,
            SnowflakeSpec spec,
            Duration requestTimeout,
            Duration patience,
            ScheduledExecutorService timer) {
        NodeStore store = new CassandraNodeStore(
                ConditionalStatements.acrossDatacenters(session, requestTimeout),
                ConditionalStatements.withinDatacenter(session, requestTimeout),
                keyspace,
                keyspace + "_dc1",
                "dc1",
                () -> "moved clock",
                InstantSource.system(),
                Safety.SOUND);
        return new LeasedSequencer(
                spec,
                store,
                new SnowflakeContext(
                        patience,
                        (task, delay) -> timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS),
                        () -> Instant.now().plusNanos(ahead.get()),
                        () -> System.nanoTime() + ahead.get(),
                        new SecureRandom(),
                        UUID::randomUUID,
                        Safety.SOUND,
                        Waiting.ANYWHERE));
    }
}
