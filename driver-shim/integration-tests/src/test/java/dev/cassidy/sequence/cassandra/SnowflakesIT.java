package dev.cassidy.sequence.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.SharedNode;
import dev.cassidy.async.Waiting;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.IdCursor;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.protocol.Safety;
import dev.cassidy.snowflake.SnowflakeParts;
import dev.cassidy.snowflake.SnowflakeSequencer;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.SnowflakeState;
import dev.cassidy.snowflake.protocol.ClusterSnowflakes;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SnowflakesIT {

    private static final Instant EPOCH = Instant.parse("2025-01-01T00:00:00Z");
    private static final SequencesConfig CONFIG =
            SequencesConfig.defaults().withGlobalKeyspace("snow_it").withClaimTimeout(Duration.ofSeconds(30));

    private static final ScheduledExecutorService TIMER = Executors.newSingleThreadScheduledExecutor();

    private static CqlSession session;

    @BeforeAll
    static void open() {
        EmbeddedCassandra node = SharedNode.get();
        session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build();
        CassidySchema.install(session, Replication.parse("dc1:1"), CONFIG);
        // A second installation, with the tables that a second datacenter would have, except for the replication.
        CassidySchema.install(session, Replication.parse("dc1:1"), CONFIG.withDatacenterKeyspace("snow_it_dc2"));
    }

    @AfterAll
    static void close() {
        TIMER.shutdownNow();
        session.close();
    }

    private static void later(Runnable task, Duration delay) {
        TIMER.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Test
    void shouldBeAvailableFromSequences() {
        try (Sequences sequences = Sequences.open(session, CONFIG)) {
            SnowflakeSequencer sequencer = sequences.snowflakes().sequencer(SnowflakeSpec.of("had", EPOCH));
            assertThat(sequencer.nextLong()).isPositive();
        }
    }

    private static ClusterSnowflakes process() {
        return process("dc1");
    }

    private static ClusterSnowflakes process(String datacenter) {
        Duration timeout = CONFIG.requestTimeout();
        CassandraNodeStore store = new CassandraNodeStore(
                ConditionalStatements.acrossDatacenters(session, timeout),
                ConditionalStatements.withinDatacenter(session, timeout),
                CONFIG.globalKeyspace(),
                "snow_it_" + datacenter,
                datacenter,
                () -> "1@test",
                InstantSource.system(),
                Safety.SOUND);
        return new ClusterSnowflakes(
                store, CONFIG.claimTimeout(), UUID::randomUUID, SnowflakesIT::later, Safety.SOUND, Waiting.ANYWHERE);
    }

    @Test
    void shouldIssueIdsThatContainTheirTimeAndNode() {
        try (ClusterSnowflakes snowflakes = process()) {
            SnowflakeSequencer sequencer = snowflakes.sequencer(SnowflakeSpec.of("parts", EPOCH));
            Instant before = Instant.now().minusSeconds(1);
            long id = sequencer.nextLong();
            Instant after = Instant.now().plusSeconds(1);

            SnowflakeParts parts = sequencer.snowflake().parts(id);
            assertThat(parts.time()).isBetween(before, after);
            assertThat(sequencer.node()).hasValue(parts.node());
            assertThat(sequencer.state()).isEqualTo(SnowflakeState.ATTACHED);
            assertThat(sequencer.nextRange(10).first()).isGreaterThan(id);
            assertThat(sequencer.nextLongAsync().toCompletableFuture().join()).isGreaterThan(id + 1);
            try (IdCursor cursor = sequencer.cursor()) {
                assertThat(cursor.nextLong()).isLessThan(cursor.nextLong());
            }
            assertThat(snowflakes.sequencer("parts")).isSameAs(sequencer);
            assertThatThrownBy(() -> snowflakes.sequencer("other")).isInstanceOf(SequenceException.NotFound.class);
            try (ClusterSnowflakes another = process()) {
                assertThat(another.sequencer("parts").snowflake()).isEqualTo(sequencer.snowflake());
            }
        }
    }

    @Test
    void shouldIssueEveryIdOnceToManyThreadsOfSeveralProcesses() throws Exception {
        int processes = 3;
        int threads = 8;
        int each = 20_000;
        ExecutorService pool = Executors.newFixedThreadPool(processes * threads);
        List<ClusterSnowflakes> opened = new ArrayList<>();
        List<Future<List<Long>>> running = new ArrayList<>();
        Set<Integer> nodes = new HashSet<>();
        try {
            for (int i = 0; i < processes; i++) {
                ClusterSnowflakes snowflakes = process();
                opened.add(snowflakes);
                SnowflakeSequencer sequencer = snowflakes.sequencer(SnowflakeSpec.of("busy", EPOCH));
                assertThat(nodes.add(sequencer.node().orElseThrow())).isTrue();
                for (int thread = 0; thread < threads; thread++) {
                    running.add(pool.submit((Callable<List<Long>>) () -> {
                        List<Long> ids = new ArrayList<>();
                        while (ids.size() < each) {
                            ids.add(sequencer.nextLong());
                            IdRange range = sequencer.nextRange(5);
                            range.forEach(ids::add);
                        }
                        return ids;
                    }));
                }
            }
            Set<Long> all = new HashSet<>();
            for (Future<List<Long>> one : running) {
                List<Long> ids = one.get(2, TimeUnit.MINUTES);
                assertThat(ids).isSorted();
                for (long id : ids) {
                    assertThat(all.add(id)).as("id %d is new", id).isTrue();
                }
            }
            assertThat(all).hasSizeGreaterThanOrEqualTo(processes * threads * each);
        } finally {
            pool.shutdownNow();
            opened.forEach(ClusterSnowflakes::close);
        }
    }

    @Test
    void shouldIssueNothingWhileDetachedAndContinueHigherWhenAttachedAgain() {
        try (ClusterSnowflakes snowflakes = process()) {
            SnowflakeSequencer sequencer = snowflakes.sequencer(SnowflakeSpec.of("detached", EPOCH));
            long before = sequencer.nextLong();

            sequencer.detach();
            sequencer.detach();

            assertThat(sequencer.state()).isEqualTo(SnowflakeState.DETACHED);
            assertThat(sequencer.node()).isEmpty();
            assertThatThrownBy(sequencer::nextLong)
                    .isInstanceOf(SequenceException.Detached.class)
                    .hasMessageContaining("detached")
                    .hasMessageContaining("attach()");
            assertThat(sequencer.nextLongAsync()).isCompletedExceptionally();

            sequencer.attach();
            assertThat(sequencer.state()).isEqualTo(SnowflakeState.ATTACHED);
            assertThat(sequencer.nextLong()).isGreaterThan(before);
        }
    }

    @Test
    void shouldGiveReleasedNumbersOfTheSmallestSequenceToOthers() {
        SnowflakeSpec spec = new SnowflakeSpec("reused", EPOCH, 128);
        List<ClusterSnowflakes> processes = new ArrayList<>();
        try {
            // A datacenter takes up to a quarter of all numbers freely; here every one of these is in use.
            for (int i = 0; i < 32; i++) {
                ClusterSnowflakes process = process();
                processes.add(process);
                process.sequencer(spec);
            }
            SnowflakeSequencer first = processes.get(0).sequencer(spec);
            int number = first.node().orElseThrow();
            long id = first.nextLong();
            first.detach();

            try (ClusterSnowflakes another = process()) {
                SnowflakeSequencer successor = another.sequencer(spec);
                assertThat(successor.node()).hasValue(number);
                assertThat(successor.nextLong()).isGreaterThan(id);
            }
        } finally {
            processes.forEach(ClusterSnowflakes::close);
        }
    }

    @Test
    void shouldRefuseAnotherConfigurationAndNameBoth() {
        try (ClusterSnowflakes first = process();
                ClusterSnowflakes second = process()) {
            first.sequencer(new SnowflakeSpec("configured", EPOCH, 128));

            for (ClusterSnowflakes snowflakes : List.of(first, second)) {
                assertThatThrownBy(() -> snowflakes.sequencer(new SnowflakeSpec("configured", EPOCH, 200)))
                        .isInstanceOf(SequenceException.Conflict.class)
                        .hasMessageContaining(
                                "stored SnowflakeSpec[name=configured, epoch=2025-01-01T00:00:00Z, nodes=128]")
                        .hasMessageContaining(
                                "asked SnowflakeSpec[name=configured, epoch=2025-01-01T00:00:00Z, nodes=256]");
                assertThatThrownBy(
                                () -> snowflakes.sequencer(new SnowflakeSpec("configured", EPOCH.plusMillis(1), 128)))
                        .isInstanceOf(SequenceException.Conflict.class);
            }
            assertThat(second.sequencer(new SnowflakeSpec("configured", EPOCH, 128))
                            .nextLong())
                    .isPositive();
        }
    }

    @Test
    void shouldEndEverywhereWhenItIsDestroyed() throws Exception {
        try (ClusterSnowflakes first = process();
                ClusterSnowflakes second = process();
                ClusterSnowflakes third = process()) {
            SnowflakeSpec spec = SnowflakeSpec.of("destroyed", EPOCH);
            SnowflakeSequencer here = first.sequencer(spec);
            SnowflakeSequencer there = second.sequencer(spec);
            there.nextLong();

            here.destroy();

            assertThat(here.state()).isEqualTo(SnowflakeState.DESTROYED);
            assertThatThrownBy(here::nextLong)
                    .isInstanceOf(SequenceException.Destroyed.class)
                    .hasMessageContaining("destroyed");
            assertThatThrownBy(here::attach).isInstanceOf(SequenceException.Destroyed.class);
            assertThatThrownBy(() -> third.sequencer(spec)).isInstanceOf(SequenceException.Destroyed.class);
            assertThatThrownBy(() -> {
                        while (true) {
                            there.nextLong();
                        }
                    })
                    .isInstanceOf(SequenceException.Destroyed.class);
            assertThat(there.state()).isEqualTo(SnowflakeState.DESTROYED);
            third.destroy("destroyed");
            assertThatThrownBy(() -> third.destroy("never there")).isInstanceOf(SequenceException.NotFound.class);
        }
    }

    @Test
    void shouldGiveDatacentersDifferentNumbers() {
        SnowflakeSpec spec = new SnowflakeSpec("two", EPOCH, 128);
        Set<Integer> numbers = new HashSet<>();
        List<ClusterSnowflakes> processes = new ArrayList<>();
        try {
            for (int i = 0; i < 12; i++) {
                ClusterSnowflakes process = process(i % 2 == 0 ? "dc1" : "dc2");
                processes.add(process);
                assertThat(numbers.add(process.sequencer(spec).node().orElseThrow()))
                        .isTrue();
            }
            assertThat(session.execute("SELECT lo, hi FROM snow_it.snowflake WHERE seq = 'two'")
                            .all())
                    .hasSize(4);
        } finally {
            processes.forEach(ClusterSnowflakes::close);
        }
    }

    @Test
    void shouldStayClosed() {
        ClusterSnowflakes snowflakes = process();
        SnowflakeSequencer sequencer = snowflakes.sequencer(SnowflakeSpec.of("closed", EPOCH));
        int number = sequencer.node().orElseThrow();
        snowflakes.close();

        assertThatThrownBy(sequencer::nextLong)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(sequencer::attach).isInstanceOf(IllegalStateException.class);
        assertThat(session.execute("SELECT free FROM snow_it_dc1.snowflake_node WHERE seq = 'closed' AND n = " + number)
                        .one()
                        .getBoolean("free"))
                .isTrue();
    }
}
