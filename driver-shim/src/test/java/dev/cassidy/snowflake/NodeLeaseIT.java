package dev.cassidy.snowflake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What befalls a node number on a real node, in processes whose time passes ten times as fast as it is. */
class NodeLeaseIT {

    private static final int SPEED = 10;
    private static final Instant EPOCH = Instant.parse("2025-01-01T00:00:00Z");
    private static final SequencesConfig CONFIG = SequencesConfig.defaults().withGlobalKeyspace("lease_it");

    private static CqlSession session;
    private static ScheduledExecutorService timer;

    @BeforeAll
    static void open() {
        EmbeddedCassandra node = EmbeddedCassandra.shared();
        session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build();
        timer = Executors.newSingleThreadScheduledExecutor();
        Sequences.install(session, Replication.parse("dc1:1"), CONFIG);
    }

    @AfterAll
    static void close() {
        timer.shutdownNow();
        session.close();
    }

    /** A process of its own, which may lose touch with Cassandra. */
    private static final class Process {
        private final long beginMillis = System.currentTimeMillis();
        private final long beginNanos = System.nanoTime();
        private volatile boolean cutOff;

        SnowflakeSequencer sequencer(SnowflakeSpec spec) {
            NodeStore real = new CassandraNodeStore(
                    ConditionalStatements.acrossDatacenters(session, Duration.ofSeconds(5)),
                    ConditionalStatements.withinDatacenter(session, Duration.ofSeconds(5)),
                    "lease_it",
                    "lease_it_dc1",
                    "dc1",
                    () -> "test",
                    InstantSource.system());
            NodeStore store = (NodeStore) Proxy.newProxyInstance(
                    NodeStore.class.getClassLoader(), new Class<?>[] {NodeStore.class}, (proxy, method, arguments) -> {
                        if (cutOff) {
                            return CompletableFuture.failedFuture(new IllegalStateException("cut off"));
                        }
                        try {
                            return method.invoke(real, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
            return new SnowflakeSequencer(
                    spec,
                    store,
                    new SnowflakeContext(
                            Duration.ofSeconds(100),
                            (task, delay) -> timer.schedule(task, delay.toNanos() / SPEED, TimeUnit.NANOSECONDS),
                            () -> Instant.ofEpochMilli(beginMillis + nanos() / 1_000_000),
                            this::nanos,
                            new SecureRandom(),
                            UUID::randomUUID));
        }

        private long nanos() {
            return (System.nanoTime() - beginNanos) * SPEED;
        }
    }

    @Test
    @Timeout(60)
    void shouldBeDetachedWhenRenewalFailsAndAttachAgainByItself() {
        Process process = new Process();
        SnowflakeSequencer sequencer = process.sequencer(SnowflakeSpec.of("renewal", EPOCH));
        sequencer.attach();
        long before = sequencer.nextLong();

        process.cutOff = true;
        assertThatThrownBy(() -> {
                    while (true) {
                        sequencer.nextLong();
                    }
                })
                .isInstanceOf(SequenceException.Detached.class)
                .hasMessageContaining("attaches again by itself")
                .hasMessageContaining("cut off");
        assertThat(sequencer.state()).isEqualTo(SnowflakeState.DETACHED);

        process.cutOff = false;
        while (sequencer.state() != SnowflakeState.ATTACHED) {
            LockSupport.parkNanos(10_000_000);
        }
        assertThat(sequencer.nextLong()).isGreaterThan(before);
        sequencer.close();
    }

    @Test
    void shouldTakeOverTheNumberOfAProcessThatDiedAndIssueOnlyLaterIds() {
        SnowflakeSpec spec = new SnowflakeSpec("taken", EPOCH, 128);
        // As if other datacenters had been granted all numbers but one.
        session.execute("INSERT INTO lease_it.snowflake (seq, epoch_ms, nodes, next, destroyed) VALUES ('taken', "
                + EPOCH.toEpochMilli() + ", 128, 127, false)");
        Process process = new Process();
        SnowflakeSequencer dead = process.sequencer(spec);
        dead.attach();
        assertThat(dead.node()).hasValue(127);
        Set<Long> issued = ids(dead);
        long last = Collections.max(issued);
        process.cutOff = true;
        dead.close();

        SnowflakeSequencer successor = new Process().sequencer(spec);
        successor.attach();

        assertThat(successor.node()).hasValue(127);
        assertThat(ids(successor)).allMatch(id -> id > last);
        successor.close();
    }

    private static Set<Long> ids(SnowflakeSequencer sequencer) {
        Set<Long> ids = new HashSet<>();
        for (int i = 0; i < 20_000; i++) {
            assertThat(ids.add(sequencer.nextLong())).isTrue();
        }
        return ids;
    }
}
