package dev.cassidy.reliability.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.counter.Counter;
import dev.cassidy.counter.CounterException;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.counter.Receipt;
import dev.cassidy.counter.ReceiptStatus;
import dev.cassidy.embedded.Cut;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.EmbeddedCluster;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import dev.cassidy.reliability.checker.IssueHistory;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two datacenters that are cut off from each other while their nodes and clients keep running. */
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class IsolationIT {

    private static final SequencesConfig CONFIG = Clients.CONFIG;

    private static EmbeddedCluster cluster;
    private static CqlSession first;
    private static CqlSession second;

    @BeforeAll
    static void start() {
        EmbeddedCluster.Builder builder = EmbeddedCluster.builder()
                .datacenter("dc1", 1)
                .datacenter("dc2", 1)
                .severable()
                .startsOnce();
        builder.requestTimeout(Clients.PATIENT_NODE);
        cluster = builder.start();
        first = Clients.connect(cluster.node("dc1", 0));
        second = Clients.connect(cluster.node("dc2", 0));
        CassidySchema.install(first, Replication.parse("dc1:1,dc2:1"), CONFIG);
    }

    @AfterAll
    static void stop() {
        if (first != null) {
            first.close();
        }
        if (second != null) {
            second.close();
        }
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void shouldIssueFromTheReserveWhileCutOffAndHealByItself() throws Exception {
        try (Sequences here = Sequences.open(first, CONFIG);
                Sequences there = Sequences.open(second, CONFIG)) {
            here.create(SequenceSpec.of("orders"));
            IssueHistory history = new IssueHistory(1, 1, Integer.MAX_VALUE);
            draw(here.allocator("orders"), 100, "here", history);
            draw(there.allocator("orders"), 100, "there", history);
            try (RunningProgram one = drawing("dc1", "orders", "one");
                    RunningProgram two = drawing("dc2", "orders", "two")) {
                record(one, one.take(20), history);
                record(two, two.take(20), history);

                cluster.cutOff("dc1", Cut.SILENT);
                draw(here.allocator("orders"), 500, "here", history);
                draw(there.allocator("orders"), 500, "there", history);
                killAtWork(one, history);
                killAtWork(two, history);
            }
            try (RunningProgram one = drawing("dc1", "orders", "one again");
                    RunningProgram two = drawing("dc2", "orders", "two again")) {
                record(one, one.take(100), history);
                record(two, two.take(100), history);
                for (CqlSession session : List.of(first, second)) {
                    try (Sequences sequences = Sequences.open(session, Clients.IMPATIENT)) {
                        assertThatThrownBy(() -> sequences.admin().seed("orders", 1_000_000))
                                .isInstanceOf(SequenceException.Unavailable.class);
                        assertThatThrownBy(() -> sequences.create(SequenceSpec.of("needs.both")))
                                .isInstanceOf(SequenceException.Unavailable.class);
                    }
                }

                heal("dc1");
                record(one, one.take(100), history);
                record(two, two.take(100), history);
            }
            draw(here.allocator("orders"), 500, "here", history);
            draw(there.allocator("orders"), 500, "there", history);

            assertThat(history.violations()).isEmpty();
            assertThat(here.admin().find("orders"))
                    .hasValueSatisfying(state -> assertThat(state.incarnation()).isEqualTo(1));
            assertThat(here.admin().find("needs.both")).isEmpty();
        } finally {
            heal("dc1");
        }
    }

    @Test
    void shouldReportAUsedUpReserveAndContinueAfterHealing() throws Exception {
        SequenceSpec spec = SequenceSpec.of("small").withBounds(1, 500);
        IssueHistory history = new IssueHistory(1, 1, 500);
        try (Sequences here = Sequences.open(first, Clients.IMPATIENT);
                Sequences there = Sequences.open(second, Clients.IMPATIENT)) {
            try (Sequences patient = Sequences.open(first, CONFIG)) {
                patient.create(spec);
            }
            IdAllocator ours = here.allocator("small");
            IdAllocator theirs = there.allocator("small");
            for (int i = 0; i < 5; i++) {
                history.issued("here", awaitId(ours));
                history.issued("there", awaitId(theirs));
            }
            cluster.cutOff("dc2", Cut.SILENT);

            CompletableFuture<Drained> elsewhere = CompletableFuture.supplyAsync(() -> drain(theirs));
            for (Drained drained : List.of(drain(ours), elsewhere.join())) {
                assertThat(drained.end()).hasMessageContaining("small");
                drained.ids().forEach(id -> history.issued(drained.by() == ours ? "here" : "there", id));
            }

            // The same allocators must recover.
            cluster.heal("dc2");
            history.issued("here", awaitId(ours));
            history.issued("there", awaitId(theirs));
            for (int i = 0; i < 20; i++) {
                history.issued("here", awaitId(ours));
                history.issued("there", awaitId(theirs));
            }
            assertThat(history.violations()).isEmpty();
        } finally {
            heal("dc2");
        }
    }

    @Test
    void shouldInsertByJdbcInADatacenterThatIsCutOff() throws Exception {
        first.execute("CREATE KEYSPACE shop WITH replication ="
                + " {'class': 'NetworkTopologyStrategy', 'dc1': 1, 'dc2': 1}");
        first.execute("CREATE TABLE shop.product (id int PRIMARY KEY, writer text)");
        cluster.awaitAllUp();
        IdentityColumn column = new IdentityColumn("shop", "product", "id", "shop.product");
        try (Sequences here = Sequences.open(first, CONFIG);
                Sequences there = Sequences.open(second, CONFIG)) {
            here.create(SequenceSpec.of(column.sequence(), IdentityType.INT, 348, 1));
            here.registerIdentity(column);
            there.registerIdentity(column);
        }
        IssueHistory history = new IssueHistory(348, 1, Integer.MAX_VALUE);
        Map<Long, String> written = new HashMap<>();
        try (RunningProgram one = inserting("dc1", "one");
                RunningProgram two = inserting("dc2", "two")) {
            record(one, one.take(20), history, written);
            record(two, two.take(20), history, written);

            cluster.cutOff("dc2", Cut.CLOSED);
            record(one, one.take(50), history, written);
            record(two, two.take(50), history, written);
            two.begin(1_000_000);
            record(two, two.await(10), history, written);
            record(two, two.kill(), history, written);
            try (RunningProgram again = inserting("dc2", "two again")) {
                record(again, again.take(50), history, written);

                heal("dc2");
                record(again, again.take(20), history, written);
                record(one, one.take(20), history, written);
            }
        } finally {
            heal("dc2");
        }
        assertThat(history.violations()).isEmpty();
        Map<Long, String> stored = new HashMap<>();
        // Each datacenter has the rows that were acknowledged in it. Reading from both at once would wait for the
        // repair of every row.
        for (CqlSession datacenter : List.of(first, second)) {
            for (Row row : datacenter.execute(SimpleStatement.newInstance("SELECT id, writer FROM shop.product")
                    .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM))) {
                stored.put((long) row.getInt("id"), row.getString("writer"));
            }
        }
        // The killed program may have written rows whose ids it had not reported yet.
        assertThat(stored).containsAllEntriesOf(written);
    }

    /** Increment {@code k} adds 4^k, so that the digits of a total tell how often each counts. */
    @Test
    void shouldCountInEachDatacenterWhileCutOff() {
        first.execute("CREATE KEYSPACE counted WITH replication ="
                + " {'class': 'NetworkTopologyStrategy', 'dc1': 1, 'dc2': 1}");
        CountersConfig config = CountersConfig.of("counted.visits")
                .withRequestTimeout(Duration.ofMinutes(1))
                .withIncrementTimeout(Duration.ofMinutes(5))
                .withFoldAfter(4);
        Counters.create(first, config);
        cluster.awaitAllUp();
        try (Counters inFirst = Counters.open(first, config);
                Counters inSecond = Counters.open(second, config)) {
            Counter here = inFirst.counter("home");
            Counter there = inSecond.counter("home");
            increment(here, 0, 6);
            increment(there, 6, 12);

            cluster.cutOff("dc1", Cut.SILENT);
            increment(here, 12, 18);
            Receipt receipt = increment(there, 18, 24);
            // Of the other datacenter's increments, each folds what had arrived.
            here.fold();
            there.fold();
            assertThat(countsOf(here.value(), 0, 6)).containsOnly(1);
            assertThat(countsOf(here.value(), 12, 18)).containsOnly(1);
            assertThat(countsOf(here.value(), 18, 24)).containsOnly(0);
            assertThat(countsOf(there.value(), 6, 12)).containsOnly(1);
            assertThat(countsOf(there.value(), 18, 24)).containsOnly(1);
            assertThat(countsOf(there.value(), 12, 18)).containsOnly(0);
            assertThat(countsOf(here.value(), 6, 12)).isSubsetOf(0, 1);
            assertThatThrownBy(here::valueEverywhere).isInstanceOf(CounterException.Unavailable.class);
            assertThat(inSecond.status(receipt)).isEqualTo(ReceiptStatus.COUNTED);
            assertThatThrownBy(() -> inFirst.status(receipt))
                    .isInstanceOf(CounterException.Refused.class)
                    .hasMessageContaining("dc2");

            heal("dc1");
            increment(here, 24, 27);
            increment(there, 27, 30);
            assertThat(countsOf(here.valueEverywhere().longValueExact(), 0, 30)).containsOnly(1);
            here.fold();
            there.fold();
            assertThat(countsOf(there.valueEverywhere().longValueExact(), 0, 30))
                    .containsOnly(1);
            // What was written during the cut arrives as hints.
            for (Counter counter : List.of(here, there)) {
                await().atMost(Duration.ofMinutes(20)).untilAsserted(() -> assertThat(countsOf(counter.value(), 0, 30))
                        .containsOnly(1));
            }
        } finally {
            heal("dc1");
        }
    }

    private static Receipt increment(Counter counter, int from, int to) {
        Receipt last = null;
        for (int k = from; k < to; k++) {
            last = counter.increment(1L << 2 * k);
        }
        return last;
    }

    private static List<Integer> countsOf(long total, int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(k -> (int) (total >> 2 * k) & 3)
                .toList();
    }

    @Test
    void shouldLetADatacenterJoinAndLeaveAndJoinAgain() throws Exception {
        SequencesConfig config = CONFIG.withGlobalKeyspace("joining");
        CassidySchema.install(first, Replication.parse("dc1:1"), config);
        IssueHistory history = new IssueHistory(1, 1, Integer.MAX_VALUE);
        try (Sequences here = Sequences.open(first, config)) {
            here.create(SequenceSpec.of("tickets"));
            IdAllocator ours = here.allocator("tickets");
            draw(ours, 100, "here", history);
            assertThatThrownBy(() -> Sequences.open(second, config))
                    .isInstanceOf(SequenceException.SchemaMissing.class)
                    .hasMessageContaining("joining_dc2");

            CassidySchema.install(first, Replication.parse("dc1:1,dc2:1"), config);
            long last = 0;
            try (CqlSession session = Clients.connect(cluster.node("dc2", 0));
                    Sequences there = Sequences.open(session, config)) {
                IdAllocator theirs = there.allocator("tickets");
                draw(theirs, 100, "there", history);

                cluster.cutOff("dc2", Cut.CLOSED);
                // The global keyspace was not moved, so its majority is in dc1.
                here.create(SequenceSpec.of("created.meanwhile"));
                draw(ours, 100, "here", history);
                last = draw(theirs, 100, "there", history);
                heal("dc2");
                draw(there.allocator("created.meanwhile"), 1, "elsewhere", new IssueHistory(1, 1, 1_000_000));
            } finally {
                heal("dc2");
            }

            // The datacenter's keyspace is lost permanently, with everything that the datacenter had been granted.
            first.execute("DROP KEYSPACE joining_dc2");
            draw(ours, 100, "here", history);
            cluster.awaitAllUp();

            CassidySchema.install(first, Replication.parse("dc1:1,dc2:1"), config);
            try (CqlSession session = Clients.connect(cluster.node("dc2", 0));
                    Sequences back = Sequences.open(session, config)) {
                IdAllocator theirs = back.allocator("tickets");
                long next = theirs.nextLong();
                assertThat(next).isGreaterThan(last);
                history.issued("back", next);
                draw(theirs, 100, "back", history);
            }
            draw(ours, 100, "here", history);
        }
        assertThat(history.violations()).isEmpty();
    }

    @Test
    void shouldRefuseTheKeyspaceOfAnotherDatacenter() {
        assertThatThrownBy(() -> Sequences.open(second, CONFIG.withDatacenterKeyspace("cassidy_dc1")))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("cassidy_dc1")
                .hasMessageContaining("dc2 alone");
        assertThat(ConditionalStatements.withinDatacenter(second, Duration.ofSeconds(30))
                        .execute(new Cas("UPDATE cassidy_dc1.sequence SET inc = 2 WHERE seq = ? IF inc = 1", "orders")))
                .failsWithin(Duration.ofMinutes(1))
                .withThrowableThat()
                .withMessageContaining("LOCAL_SERIAL (1 required but only 0 alive)");
    }

    private static RunningProgram drawing(String datacenter, String sequence, String name) throws IOException {
        EmbeddedCassandra node = cluster.node(datacenter, 0);
        return RunningProgram.start(name, "sequence", node.host(), Integer.toString(node.port()), datacenter, sequence);
    }

    private static RunningProgram inserting(String datacenter, String name) throws IOException {
        EmbeddedCassandra node = cluster.node(datacenter, 0);
        return RunningProgram.start(
                name,
                "jdbc",
                "jdbc:cassidy://" + node.host() + ":" + node.port() + "/shop?localDatacenter=" + datacenter
                        + "&requestTimeout=5m&connectTimeout=5m",
                name);
    }

    private static void killAtWork(RunningProgram program, IssueHistory history) throws Exception {
        // So few that the reserve can serve them; it must also serve the program that is started next.
        program.begin(1_000);
        record(program, program.await(10), history);
        record(program, program.kill(), history);
    }

    private static void record(RunningProgram program, List<Long> ids, IssueHistory history) {
        ids.forEach(id -> history.issued(program.name(), id));
    }

    private static void record(
            RunningProgram program, List<Long> ids, IssueHistory history, Map<Long, String> written) {
        record(program, ids, history);
        ids.forEach(id -> written.put(id, program.name()));
    }

    private static long draw(IdAllocator allocator, int count, String process, IssueHistory history) {
        long id = 0;
        for (int i = 0; i < count; i++) {
            id = allocator.nextLong();
            history.issued(process, id);
        }
        return id;
    }

    private record Drained(IdAllocator by, List<Long> ids, SequenceException.Unavailable end) {}

    /** Draws until an error occurs twice in a row: the first could be a claim that took too long on a busy machine. */
    private static Drained drain(IdAllocator allocator) {
        List<Long> ids = new ArrayList<>();
        boolean refused = false;
        while (true) {
            try {
                ids.add(allocator.nextLong());
                refused = false;
            } catch (SequenceException.Unavailable e) {
                if (refused) {
                    return new Drained(allocator, ids, e);
                }
                refused = true;
            }
        }
    }

    /** Tries again without a pause, because the allocator itself waits between its tries. */
    private static long awaitId(IdAllocator allocator) {
        long start = System.nanoTime();
        while (true) {
            try {
                return allocator.nextLong();
            } catch (SequenceException.Unavailable e) {
                if (System.nanoTime() - start > TimeUnit.MINUTES.toNanos(20)) {
                    throw e;
                }
            }
        }
    }

    /**
     * Heals the cut, and waits until each datacenter reaches the other. A failure detector does not notice a brief cut,
     * so that nodes may still be connecting to each other, and messages may be lost.
     */
    private static void heal(String datacenter) {
        cluster.heal(datacenter);
        cluster.awaitAllUp();
        awaitMajority(first);
        awaitMajority(second);
    }

    private static void awaitMajority(CqlSession session) {
        SimpleStatement ofBoth = SimpleStatement.newInstance(
                        "SELECT inc FROM " + CONFIG.globalKeyspace() + ".seq WHERE seq = 'healed'")
                .setConsistencyLevel(ConsistencyLevel.SERIAL);
        await().atMost(Duration.ofMinutes(20))
                .ignoreExceptionsInstanceOf(DriverException.class)
                .untilAsserted(() -> session.execute(ofBoth));
    }
}
