package dev.cassidy.reliability.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.counter.Counter;
import dev.cassidy.counter.CounterException;
import dev.cassidy.counter.CounterKind;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.EmbeddedCluster;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Creates Cassidy's tables in a cluster of two datacenters as soon as its nodes are up, and empties tables of counters
 * there. {@code -Dinstalls=N} creates Cassidy's tables N times, in different keyspaces, and gives the second datacenter three
 * nodes as well; the default is for every build.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class FreshClusterIT {

    private static final int INSTALLS = Integer.getInteger("installs", 0);
    private static final int REMOTE = INSTALLS == 0 ? 1 : 3;
    private static final Replication REPLICATION = Replication.parse("dc1:3,dc2:" + REMOTE);

    /** Not the common pool: who waits for a future may run that pool's tasks meanwhile, also one that ends only after the wait. */
    private static final Executor THREADS = task -> new Thread(task).start();

    /** So much comes back if what was counted before does. */
    private static final long BEFORE = 1_000_000_000;

    /** What is told while a table is being emptied may count or not, and replicas may differ about it. */
    private static final long MEANWHILE = 1_000;

    @TempDir
    static Path data;

    /** Cassidy's keyspace for counters. */
    static final String COUNTING = "counting";

    static EmbeddedCluster cluster;

    private final Logger log = (Logger) LoggerFactory.getLogger("dev.cassidy.cluster.Installation");
    private final ListAppender<ILoggingEvent> warnings = new ListAppender<>();

    @BeforeAll
    static void start() {
        EmbeddedCluster.Builder builder = EmbeddedCluster.builder()
                .datacenter("dc1", 3)
                .datacenter("dc2", REMOTE)
                .dataDirectory(data);
        // A table is emptied right only where nodes give up a write within 4 s.
        builder.requestTimeout(Clients.PATIENT_NODE)
                .yaml("write_request_timeout", "3s")
                // A replica of dc1 must lag behind, and answer a read at ONE by itself.
                .yaml("hinted_handoff_disabled_datacenters", "[dc1]")
                .yaml("dynamic_snitch", "false")
                // No node is killed: a node that stops writes its schema then.
                .jvmOption("-Dcassandra.test.flush_local_schema_changes=false");
        cluster = builder.start();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @BeforeEach
    void listen() {
        warnings.start();
        log.addAppender(warnings);
    }

    @AfterEach
    void leave() {
        log.detachAppender(warnings);
    }

    @Test
    void shouldCreateTablesThatEveryNodeKnowsImmediately() {
        for (int install = 0; install < Math.max(1, INSTALLS); install++) {
            SequencesConfig config = Clients.CONFIG.withGlobalKeyspace("fresh" + install);
            try (CqlSession session = Clients.connect(cluster.node("dc1", install % 3))) {
                CassidySchema.install(session, REPLICATION, config);
            }
            cluster.nodes().forEach(node -> open(node, config));
        }
        assertThat(warnings.list).isEmpty();
    }

    @Test
    void shouldNameANodeThatIsDownAndContinueWithoutIt() {
        SequencesConfig config = Clients.CONFIG.withGlobalKeyspace("without_one");
        EmbeddedCassandra down = cluster.node("dc2", REMOTE - 1);
        down.stop();
        try (CqlSession session = Clients.connect(cluster.node("dc1", 0))) {
            CassidySchema.install(session, REPLICATION, config);
            cluster.nodes().stream().filter(node -> node != down).forEach(node -> open(node, config));
            assertThat(warnings.list)
                    .singleElement()
                    .asString()
                    .contains("WARN", "do not know Cassidy's tables yet", "{/" + down.host() + "=dc2}");
        } finally {
            down.restart();
        }
        cluster.awaitAllUp();
        open(down, config);
    }

    // ---- counters

    private static CountersConfig counters(String table, CounterKind kind) {
        CountersConfig config = CountersConfig.of(table)
                .withGlobalKeyspace(COUNTING)
                .withRequestTimeout(Duration.ofMinutes(1))
                .withIncrementTimeout(kind == CounterKind.BUCKETED ? Duration.ofSeconds(30) : Duration.ofMinutes(5))
                .withFoldAfter(3)
                .withKind(kind);
        return kind == CounterKind.FOLDED
                ? config
                : config.withActor("P1").withApproximate(kind == CounterKind.BUCKETED);
    }

    static void installForCounters(CqlSession session) {
        CassidySchema.install(session, REPLICATION, Clients.CONFIG.withGlobalKeyspace(COUNTING));
        for (String keyspace :
                List.of("counted WITH replication = {'dc2': " + REMOTE + ", ", "alone WITH replication = {")) {
            session.execute(
                    "CREATE KEYSPACE IF NOT EXISTS " + keyspace + "'class': 'NetworkTopologyStrategy', 'dc1': 3}");
        }
        cluster.awaitAllUp();
    }

    /** At the same time, since each takes some seconds. */
    @Test
    void shouldEmptyTablesThatAreCountedInBothDatacenters() {
        try (CqlSession here = Clients.connect(cluster.node("dc1", 0));
                CqlSession there = Clients.connect(cluster.node("dc2", 0))) {
            installForCounters(here);
            List<CountersConfig> all = Stream.of(CounterKind.FOLDED, CounterKind.CUMULATIVE, CounterKind.VERSIONED)
                    .map(kind -> counters("counted.busy_" + kind.name().toLowerCase(Locale.ROOT), kind))
                    .toList();
            CountersConfig bucketed = counters("alone.busy", CounterKind.BUCKETED);
            all.forEach(config -> Counters.create(here, config));
            Counters.create(here, bucketed);
            cluster.awaitAllUp();

            // Emptied from either datacenter.
            List<CompletableFuture<Void>> emptied = new ArrayList<>(all.stream()
                    .map(config -> CompletableFuture.runAsync(
                            () -> requireEmptied(
                                    config.kind() == CounterKind.CUMULATIVE ? there : here, here, there, config),
                            THREADS))
                    .toList());
            emptied.add(CompletableFuture.runAsync(() -> requireEmptied(here, here, here, bucketed), THREADS));
            emptied.forEach(CompletableFuture::join);
        }
    }

    private static void requireEmptied(CqlSession emptying, CqlSession here, CqlSession there, CountersConfig config) {
        String kind = config.kind().name();
        CountersConfig second = config.actor().isPresent() ? config.withActor("P2") : config;
        CountersConfig third = config.actor().isPresent() ? config.withActor("P3") : config;
        try (Counters ours = Counters.open(here, config);
                Counters theirs = Counters.open(there, second);
                Counters resting = Counters.open(there, third)) {
            List<Counter> busy = List.of(ours.counter("IBM"), theirs.counter("IBM"));
            for (int i = 0; i < 10; i++) {
                busy.forEach(counter -> counter.add(BEFORE));
                resting.counter("IBM").add(BEFORE);
            }
            AtomicBoolean emptied = new AtomicBoolean();
            AtomicInteger started = new AtomicInteger();
            List<CompletableFuture<Void>> counting = busy.stream()
                    .map(counter -> CompletableFuture.runAsync(
                            () -> {
                                for (int after = 0; after < 20; ) {
                                    boolean counts = emptied.get();
                                    counter.add(counts ? 1 : MEANWHILE);
                                    // A read must not copy rows to replicas that are empty already.
                                    counter.value();
                                    started.incrementAndGet();
                                    after += counts ? 1 : 0;
                                }
                            },
                            THREADS))
                    .toList();
            await().until(() -> started.get() > 10);

            Counters.truncate(emptying, config);
            emptied.set(true);

            counting.forEach(CompletableFuture::join);
            requireCountedOnce(busy.get(0), 40, kind);
            // That one has not counted meanwhile: it still knows what it had counted before.
            resting.counter("IBM").add(1);
            requireCountedOnce(busy.get(0), 41, kind);
        }
        // What the processes have left is settled.
        try (Counters later = Counters.open(there, second)) {
            later.counter("IBM").add(1);
            requireCountedOnce(later.counter("IBM"), 42, kind);
        }
    }

    /** @param since how much was counted since the table was emptied */
    private static void requireCountedOnce(Counter counter, long since, String kind) {
        assertThat(counter.valueEverywhere().longValueExact())
                .as(kind)
                .isLessThan(BEFORE)
                .matches(value -> value % MEANWHILE == since, "is a multiple of " + MEANWHILE + " and " + since);
    }

    /** The replica is the only one of its datacenter. */
    @Test
    void shouldNotEmptyATableWithoutANodeNorTakeItsLostRowsForThat() throws IOException {
        CountersConfig emptied = counters("counted.emptied", CounterKind.FOLDED);
        CountersConfig lost = counters("counted.lost", CounterKind.CUMULATIVE);
        EmbeddedCassandra down = cluster.node("dc2", REMOTE - 1);
        try (CqlSession here = Clients.connect(cluster.node("dc1", 0));
                CqlSession there = Clients.connectTo(down)) {
            installForCounters(here);
            Counters.create(here, emptied);
            Counters.create(here, lost);
            cluster.awaitAllUp();
            try (Counters ours = Counters.open(here, emptied);
                    Counters theirs = Counters.open(there, lost)) {
                ours.counter("IBM").add(5);
                theirs.counter("IBM").add(5);
                String generation = generations(here, lost);
                down.stop();
                try {
                    assertThatThrownBy(() -> Counters.truncate(here, emptied))
                            .isInstanceOf(CounterException.Unavailable.class)
                            .hasMessageContainingAll(emptied.table(), "all nodes of the cluster", "call again");
                    ours.counter("IBM").add(1);
                    ours.counter("IBM").fold();
                    assertThat(ours.counter("IBM").value()).isEqualTo(6);
                    lose(down, "counted", "lost-");
                } finally {
                    down.restart();
                }
                cluster.awaitAllUp();

                theirs.counter("IBM").add(1);
                assertThat(theirs.counter("IBM").value()).isEqualTo(6);
                Counters.open(there, lost.withActor("P2")).close();
                assertThat(generations(here, lost)).isEqualTo(generation);
                Counters.truncate(here, emptied);
                assertThat(ours.counter("IBM").value()).isZero();
                ours.counter("IBM").add(1);
                assertThat(ours.counter("IBM").valueEverywhere()).isOne();
            }
        }
    }

    private static String generations(CqlSession session, CountersConfig config) {
        return session
                .execute(SimpleStatement.newInstance("SELECT actor FROM " + config.table() + " WHERE type = '~cassidy'")
                        .setConsistencyLevel(ConsistencyLevel.ALL))
                .all()
                .stream()
                .map(Row::getFormattedContents)
                .toList()
                .toString();
    }

    private static void lose(EmbeddedCassandra node, String keyspace, String prefix) throws IOException {
        try (Stream<Path> files = Files.walk(data.resolve(node.host()))) {
            List<Path> lost = files.filter(Files::isRegularFile)
                    .filter(file -> file.getParent().getFileName().toString().startsWith(prefix)
                            && file.getParent()
                                    .getParent()
                                    .getFileName()
                                    .toString()
                                    .equals(keyspace))
                    .toList();
            assertThat(lost).isNotEmpty();
            for (Path file : lost) {
                Files.delete(file);
            }
        }
    }

    @Nested
    class WithALaggingReplica extends LaggingReplica {}

    /** Four restarts take minutes on a busy machine. */
    @Nested
    @EnabledIfSystemProperty(named = "installs", matches = "[1-9].*")
    class AfterAFailedInsert extends RowOnOneReplica {}

    private static void open(EmbeddedCassandra node, SequencesConfig config) {
        try (CqlSession session = Clients.connectTo(node)) {
            Sequences.open(session, config).close();
        }
    }
}
