package dev.cassidy.sequence.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.SharedNode;
import dev.cassidy.async.Waiting;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.protocol.Safety;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.SnowflakeState;
import dev.cassidy.snowflake.protocol.LeasedSequencer;
import dev.cassidy.snowflake.protocol.SnowflakeContext;
import dev.cassidy.snowflake.store.NodeStore;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The life of a node number on a real node. If necessary, time in the processes passes ten times as fast. */
class NodeLeaseIT {

    private static final int SPEED = 10;
    private static final Instant EPOCH = Instant.parse("2025-01-01T00:00:00Z");
    private static final SequencesConfig CONFIG = SequencesConfig.defaults().withGlobalKeyspace("lease_it");

    private static CqlSession session;
    private static ScheduledExecutorService timer;

    @BeforeAll
    static void open() {
        EmbeddedCassandra node = SharedNode.get();
        session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build();
        timer = Executors.newSingleThreadScheduledExecutor();
        CassidySchema.install(session, Replication.parse("dc1:1"), CONFIG);
    }

    @AfterAll
    static void close() {
        timer.shutdownNow();
        session.close();
    }

    /** A separate process, which can be cut off from Cassandra, or whose statements are executed twice. */
    private static final class Process {
        private final long beginMillis = System.currentTimeMillis();
        private final long beginNanos = System.nanoTime();
        private volatile boolean cutOff;
        private volatile boolean twice;
        private final int speed;

        Process() {
            this(SPEED);
        }

        Process(int speed) {
            this.speed = speed;
        }

        LeasedSequencer sequencer(SnowflakeSpec spec) {
            NodeStore real = new CassandraNodeStore(
                    ConditionalStatements.acrossDatacenters(session, Duration.ofSeconds(5)),
                    ConditionalStatements.withinDatacenter(session, Duration.ofSeconds(5)),
                    "lease_it",
                    "lease_it_dc1",
                    "dc1",
                    () -> "test",
                    InstantSource.system(),
                    Safety.SOUND);
            NodeStore store = (NodeStore) Proxy.newProxyInstance(
                    NodeStore.class.getClassLoader(), new Class<?>[] {NodeStore.class}, (proxy, method, arguments) -> {
                        if (cutOff) {
                            return CompletableFuture.failedFuture(new IllegalStateException("cut off"));
                        }
                        if (twice) {
                            return ((CompletionStage<?>) invoke(method, real, arguments))
                                    .thenCompose(first -> (CompletionStage<?>) invoke(method, real, arguments));
                        }
                        return invoke(method, real, arguments);
                    });
            return new LeasedSequencer(
                    spec,
                    store,
                    new SnowflakeContext(
                            Duration.ofSeconds(100),
                            (task, delay) -> timer.schedule(task, delay.toNanos() / speed, TimeUnit.NANOSECONDS),
                            () -> Instant.ofEpochMilli(beginMillis + nanos() / 1_000_000),
                            this::nanos,
                            new SecureRandom(),
                            UUID::randomUUID,
                            Safety.SOUND,
                            Waiting.ANYWHERE));
        }

        private static Object invoke(Method method, NodeStore real, Object[] arguments) {
            try {
                return method.invoke(real, arguments);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(method.getName(), e);
            }
        }

        private long nanos() {
            return (System.nanoTime() - beginNanos) * speed;
        }
    }

    /** Attaches in a process at normal speed, so that it keeps its number on a slow machine. */
    private static LeasedSequencer attached(SnowflakeSpec spec) {
        LeasedSequencer sequencer = new Process(1).sequencer(spec);
        sequencer.attach();
        return sequencer;
    }

    private static Row rowOf(SnowflakeSpec spec, String columns, String table, String where) {
        return Objects.requireNonNull(session.execute(
                        "SELECT " + columns + " FROM lease_it" + table + " WHERE seq = '" + spec.name() + "'" + where)
                .one());
    }

    private static void truncate(String table) {
        // TRUNCATE makes a snapshot first.
        session.execute(
                SimpleStatement.newInstance("TRUNCATE lease_it_dc1." + table).setTimeout(Duration.ofMinutes(1)));
    }

    /** Executes the statement of a process that prepared the number before the tables were lost. */
    private static void prepareLate(SnowflakeSpec spec, int number) {
        assertThat(session.execute(
                                "INSERT INTO lease_it_dc1.snowflake_node (seq, n, epoch, ts_high, lease, free, holder, at)"
                                        + " VALUES (?, ?, 0, 0, 00000000-0000-0000-0000-000000000000, true, 'late',"
                                        + " toTimestamp(now())) IF NOT EXISTS",
                                spec.name(),
                                number)
                        .wasApplied())
                .isTrue();
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void shouldBeDetachedWhenRenewalFailsAndAttachAgainByItself() {
        Process process = new Process();
        LeasedSequencer sequencer = process.sequencer(SnowflakeSpec.of("renewal", EPOCH));
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
        await().atMost(Duration.ofMinutes(2)).until(() -> sequencer.state() == SnowflakeState.ATTACHED);
        assertThat(sequencer.nextLong()).isGreaterThan(before);
        sequencer.close();
    }

    @Test
    void shouldTakeOverTheNumberOfAProcessThatDiedAndIssueOnlyLaterIds() {
        SnowflakeSpec spec = new SnowflakeSpec("taken", EPOCH, 128);
        // As if other datacenters had been granted all numbers except one.
        session.execute("INSERT INTO lease_it.snowflake (seq, epoch_ms, nodes, next, destroyed) VALUES ('taken', "
                + EPOCH.toEpochMilli() + ", 128, 127, false)");
        Process process = new Process();
        LeasedSequencer dead = process.sequencer(spec);
        dead.attach();
        assertThat(dead.node()).hasValue(127);
        Set<Long> issued = ids(dead);
        long last = Collections.max(issued);
        process.cutOff = true;
        dead.close();

        LeasedSequencer successor = new Process().sequencer(spec);
        successor.attach();

        assertThat(successor.node()).hasValue(127);
        assertThat(ids(successor)).allMatch(id -> id > last);
        successor.close();
    }

    @Test
    void shouldRecogniseItsOwnNumberWhenItsStatementsAreExecutedTwice() {
        SnowflakeSpec spec = new SnowflakeSpec("twice", EPOCH, 128);
        session.execute("INSERT INTO lease_it.snowflake (seq, epoch_ms, nodes, next, destroyed) VALUES ('twice', "
                + EPOCH.toEpochMilli() + ", 128, 127, false)");
        Process process = new Process(1);
        process.twice = true;
        LeasedSequencer sequencer = process.sequencer(spec);
        sequencer.attach();

        assertThat(sequencer.node()).hasValue(127);
        assertThat(ids(sequencer)).hasSize(20_000);
        assertThat(rowOf(spec, "epoch", "_dc1.snowflake_node", " AND n = 127").getLong("epoch"))
                .as("owners that the number had")
                .isEqualTo(1);
        sequencer.closeAsync().toCompletableFuture().join();
        assertThat(rowOf(spec, "free", "_dc1.snowflake_node", " AND n = 127").getBoolean("free"))
                .isTrue();
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void shouldContinueUnderNewNumbersAfterTheTablesAreTruncated() {
        SnowflakeSpec spec = new SnowflakeSpec("truncated", EPOCH, 128);
        LeasedSequencer running = attached(spec);
        Set<Long> issued = ids(running);
        int before = running.node().orElseThrow();
        assertThat(before).isLessThan(4);

        truncate("snowflake_node");
        truncate("snowflake");
        await().atMost(Duration.ofMinutes(2)).until(() -> running.node().orElse(before) != before);
        for (int number = 0; number < 4; number++) {
            prepareLate(spec, number);
        }

        List<LeasedSequencer> later = new ArrayList<>(List.of(running));
        for (int i = 0; i < 5; i++) {
            later.add(attached(spec));
        }
        for (LeasedSequencer sequencer : later) {
            assertThat(sequencer.node().orElseThrow()).isGreaterThanOrEqualTo(4);
            assertThat(ids(sequencer)).allMatch(issued::add);
        }
        later.forEach(LeasedSequencer::close);
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void shouldSkipEarlierGrantsWhenALateJoinLandsAfterTheLoss() {
        SnowflakeSpec spec = new SnowflakeSpec("late", EPOCH, 128);
        LeasedSequencer before = attached(spec);
        Set<Long> issued = ids(before);
        before.closeAsync().toCompletableFuture().join();

        truncate("snowflake");
        truncate("snowflake_node");
        assertThat(session.execute(
                                "UPDATE lease_it_dc1.snowflake SET epoch_ms = ?, nodes = 128, destroyed = false,"
                                        + " grant_no = 0 WHERE seq = 'late' IF epoch_ms = null",
                                EPOCH.toEpochMilli())
                        .wasApplied())
                .isTrue();
        for (int number = 0; number < 4; number++) {
            prepareLate(spec, number);
        }

        LeasedSequencer after = new Process().sequencer(spec);
        after.attach();
        assertThat(after.node().orElseThrow()).isBetween(4, 7);
        assertThat(ids(after)).allMatch(issued::add);
        assertThat(rowOf(spec, "grant_no", "_dc1.snowflake", "").getInt("grant_no"))
                .isEqualTo(2);
        after.close();
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void shouldNotUseNumbersWhoseRowsAreMissing() {
        SnowflakeSpec spec = new SnowflakeSpec("rows", EPOCH, 128);
        LeasedSequencer before = attached(spec);
        Set<Long> issued = ids(before);

        truncate("snowflake_node");

        LeasedSequencer after = attached(spec);
        assertThat(after.node().orElseThrow()).isBetween(4, 7);
        assertThat(ids(after)).allMatch(issued::add);
        assertThat(ids(before)).allMatch(issued::add);
        before.close();
        after.close();
    }

    @Test
    void shouldRefuseACopyThatWasSetBack() {
        SnowflakeSpec spec = new SnowflakeSpec("back", EPOCH, 128);
        List<LeasedSequencer> running = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            running.add(attached(spec));
        }
        session.execute("UPDATE lease_it_dc1.snowflake SET grant_no = 1 WHERE seq = 'back' IF grant_no = 3");
        session.execute("DELETE FROM lease_it_dc1.snowflake WHERE seq = 'back' AND k = 2 IF EXISTS");
        session.execute("DELETE FROM lease_it_dc1.snowflake WHERE seq = 'back' AND k = 3 IF EXISTS");

        assertThatThrownBy(() -> attached(spec))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("its copy stands at grant 1, but grant 3 was made");
        running.forEach(LeasedSequencer::close);
    }

    private static Set<Long> ids(LeasedSequencer sequencer) {
        Set<Long> ids = new HashSet<>();
        for (int i = 0; i < 20_000; i++) {
            assertThat(ids.add(sequencer.nextLong())).isTrue();
        }
        return ids;
    }
}
