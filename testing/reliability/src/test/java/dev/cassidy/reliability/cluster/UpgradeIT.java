package dev.cassidy.reliability.cluster;

import static java.util.concurrent.CompletableFuture.runAsync;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.cluster.Schema;
import dev.cassidy.counter.CounterException;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.Holder;
import dev.cassidy.sequence.cassandra.IdentityColumn;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.SequenceState;
import dev.cassidy.sequence.cassandra.Sequences;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/**
 * An installation that clients of schema 2 made and used is upgraded while current clients use it. {@code
 * -Dupgrade.old=JAR} names the driver-shim's jar of a commit with schema 2, and lets its clients take part.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class UpgradeIT {

    private static final EmbeddedCassandra NODE = EmbeddedCassandra.shared();
    private static final Replication REPLICATION = Replication.parse("dc1:1");
    private static final String MARK = "SELECT DISTINCT scope, moved FROM ";
    private static final String ENTRIES = "SELECT at, kind, name FROM ";

    private static final int ROUND = 2_000;
    private static final int MOST_ASKED = 50;
    private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(UpgradeIT.class);

    /** Keeps no schema, so that it waits for a schema change no longer than the server does. */
    private static CqlSession session;

    private final Logger log = (Logger) LoggerFactory.getLogger("dev.cassidy.cluster");
    private final ListAppender<ILoggingEvent> warnings = new ListAppender<>();

    @BeforeAll
    static void connect() {
        session = Clients.connect(NODE);
        Sequences.install(session, REPLICATION, config("anew"));
    }

    @AfterAll
    static void disconnect() {
        session.close();
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

    /** All ids that were ever issued in an installation. */
    private static final class Issued {

        private final Set<Schema2.Issue> all = ConcurrentHashMap.newKeySet();
        private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

        Issued() {
            Schema2.issued().forEach(each -> add("a client of schema 2", each.sequence(), each.id()));
        }

        void add(String who, String sequence, long id) {
            if (!all.add(new Schema2.Issue(sequence, id))) {
                wrong.add(id + " of " + sequence + " a second time, by " + who);
            }
        }

        long newest(String sequence) {
            return all.stream()
                    .filter(each -> each.sequence().equals(sequence))
                    .mapToLong(Schema2.Issue::id)
                    .max()
                    .orElseThrow();
        }

        void draw(String who, Sequences sequences, String name, int count) {
            IdAllocator allocator = sequences.allocator(name);
            for (int i = 0; i < count; i++) {
                add(who, name, allocator.nextLong());
            }
        }
    }

    static SequencesConfig config(String keyspace) {
        return Clients.CONFIG.withGlobalKeyspace(keyspace).withWatchInterval(Duration.ofMillis(200));
    }

    private static CqlSession connectSeeingSchema(Requests requests) {
        return Clients.connectSeeingSchema(NODE.host(), NODE.port(), NODE.localDatacenter(), requests);
    }

    @Test
    void shouldWorkOnSchema2() {
        Schema2.create(session, "as_it_was");
        List<String> before = tables("as_it_was");
        Issued issued = new Issued();
        try (Sequences one = Sequences.open(session, config("as_it_was"));
                Sequences other = Sequences.open(session, config("as_it_was"))) {
            for (String name : List.of("orders", "striped", "invoices", "events")) {
                issued.draw("one", one, name, 300);
                issued.draw("other", other, name, 300);
            }

            assertThatThrownBy(() -> one.advancePast("invoices", Schema2.HALF_DONE))
                    .isInstanceOf(SequenceException.NotAcknowledged.class)
                    .hasMessageContaining(Schema2.DEAD);
            assertThat(one.holdersBehind("invoices"))
                    .extracting(Holder::process)
                    .containsOnly(Schema2.DEAD);
            one.release("invoices", Schema2.DEAD);
            assertThat(one.advancePast("invoices", Schema2.HALF_DONE)).satisfies(state -> {
                assertThat(state.incarnation()).isEqualTo(2);
                assertThat(state.floor()).isGreaterThan(Schema2.HALF_DONE);
            });

            raisePast(one, "orders", 20_000);
            issued.draw("one", one, "orders", 10);
            assertThat(other.allocator("orders").nextLong()).isGreaterThan(20_000);

            assertThatThrownBy(() -> one.allocator("gone")).isInstanceOf(SequenceException.Dropped.class);
            assertThatThrownBy(() -> one.create(SequenceSpec.of("gone")))
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("10001");
            assertThatThrownBy(() -> one.allocator("customers")).isInstanceOf(SequenceException.NotReady.class);
            other.seed("customers", 500);
            assertThat(one.allocator("customers").nextLong()).isGreaterThanOrEqualTo(500);
            one.create(SequenceSpec.of("new"));
            issued.draw("other", other, "new", 10);
            assertThatThrownBy(() -> Counters.open(session, counters("as_it_was")))
                    .isInstanceOf(CounterException.Unfit.class)
                    .hasMessageContainingAll("as_it_was_dc1", "schema 2", "init");
            assertThat(one.identityColumns())
                    .containsExactlyInAnyOrder(
                            new IdentityColumn("shop", "customers", "id", "customers"),
                            new IdentityColumn("shop", "orders", "id", "orders"));
        }
        assertThat(issued.wrong).isEmpty();
        assertThat(tables("as_it_was")).isEqualTo(before);
        assertThat(warnings.list)
                .extracting(ILoggingEvent::toString)
                .filteredOn(line -> line.contains("as_it_was") && line.contains("are of schema"))
                .singleElement()
                .asString()
                .contains("[WARN] Cassidy's keyspaces [as_it_was, as_it_was_dc1] are of schema 2", "init");
    }

    /** The killed process blocks a raise, of {@code orders} as well, until it is released. */
    private static SequenceState raisePast(Sequences sequences, String name, long id) {
        for (int asked = 1; ; asked++) {
            try {
                return sequences.advancePast(name, id);
            } catch (SequenceException.NotAcknowledged e) {
                // Each try waits three watch intervals. A process that watches at all has let go by then.
                if (asked == MOST_ASKED) {
                    throw e;
                }
                sequences.release(name, Schema2.DEAD);
            }
        }
    }

    @Test
    void shouldContinueDuringTheUpgradeAndThenWatchTheLog() throws Exception {
        Schema2.create(session, "raised");
        Work work = new Work();
        ExecutorService threads = Executors.newCachedThreadPool();
        Requests ofOne = new Requests();
        Requests ofOther = new Requests();
        try (CqlSession first = connectSeeingSchema(ofOne);
                CqlSession second = connectSeeingSchema(ofOther);
                Sequences one = Sequences.open(first, config("raised"));
                Sequences other = Sequences.open(second, config("raised"))) {
            List<CompletableFuture<Void>> workers = new ArrayList<>();
            for (String name : List.of("orders", "striped", "events")) {
                workers.add(runAsync(() -> work.draw("one", one, name), threads));
                workers.add(runAsync(() -> work.draw("other", other, name), threads));
            }
            workers.add(runAsync(() -> work.open("raised"), threads));
            workers.add(runAsync(() -> work.raise(List.of(one, other)), threads));
            CompletableFuture<?> ended = CompletableFuture.anyOf(workers.toArray(CompletableFuture<?>[]::new));

            work.awaitRaises(2, ended);
            Sequences.install(session, REPLICATION, config("raised"));
            ofOne.await(MARK + "raised.changes");
            ofOther.await(MARK + "raised.changes");
            work.awaitRaises(2, ended);
            work.over.set(true);
            for (CompletableFuture<Void> worker : workers) {
                worker.get(10, TimeUnit.MINUTES);
            }

            assertThat(tables("raised"))
                    .isEqualTo(tables("anew"))
                    .filteredOn(line -> line.contains("comment"))
                    .allMatch(line -> line.contains("comment:'cassidy schema " + Schema.VERSION + "'"));
            assertNoticesARaiseByTheLog(work.issued, one, other, ofOther);
            assertUnchangedWhenInstalledAgain();
            assertHasCounters(first);
        } finally {
            threads.shutdownNow();
        }
        assertThat(work.issued.wrong).isEmpty();
        assertThat(work.issued.all).hasSizeGreaterThan(1_000);
    }

    private static void assertNoticesARaiseByTheLog(Issued issued, Sequences one, Sequences other, Requests ofOther)
            throws InterruptedException {
        issued.draw("other", other, "orders", 1);
        long past = one.find("orders").orElseThrow().next().orElseThrow();
        // A look ends before the next one begins. So after three, no look is in progress that an earlier raise caused.
        for (int looks = 0; looks < 3; looks++) {
            ofOther.await(MARK + "raised.changes");
        }
        SequenceState raised = one.advancePast("orders", past);
        ofOther.await(ENTRIES + "raised.changes");
        assertThat(other.allocator("orders").nextLong()).isGreaterThan(past);
        assertThat(session.execute("SELECT kind, name FROM raised.changes").all())
                .extracting(row -> row.getString("kind") + " " + row.getString("name"))
                .contains("sequence orders");
        assertThat(Objects.requireNonNull(
                                session.execute("SELECT acknowledged FROM raised_dc1.sequence WHERE seq = 'orders'")
                                        .one())
                        .getInt("acknowledged"))
                .isEqualTo(raised.incarnation());
    }

    private static void assertUnchangedWhenInstalledAgain() {
        UUID before = schemaVersion();
        Sequences.install(session, REPLICATION, config("raised"));
        assertThat(schemaVersion()).isEqualTo(before);
    }

    private static void assertHasCounters(CqlSession session) {
        session.execute("CREATE KEYSPACE raised_counters WITH replication = {'class': 'NetworkTopologyStrategy', '"
                + NODE.localDatacenter() + "': 1}");
        Counters.create(session, "raised_counters.counter");
        try (Counters counters = Counters.open(session, counters("raised"))) {
            counters.counter("visits").increment(3);
            assertThat(counters.counter("visits").value()).isEqualTo(3);
        }
    }

    private static CountersConfig counters(String keyspace) {
        return CountersConfig.of("raised_counters.counter").withGlobalKeyspace(keyspace);
    }

    private static UUID schemaVersion() {
        return Objects.requireNonNull(
                session.execute("SELECT schema_version FROM system.local").one().getUuid(0));
    }

    /** The work in an installation until {@link #over} is set. */
    private static final class Work {

        private final Issued issued = new Issued();
        private final AtomicBoolean over = new AtomicBoolean();

        /** A draw that begins now must not issue an id of {@code orders} up to this one. */
        private final AtomicLong raisedPast = new AtomicLong();

        private final AtomicLong newest = new AtomicLong(1);
        private final Queue<Long> raises = new ConcurrentLinkedQueue<>();

        void draw(String who, Sequences sequences, String name) {
            IdAllocator allocator = sequences.allocator(name);
            while (!over.get()) {
                draw(who, allocator, name);
                // As an application would; millions of ids a second would show nothing more.
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(200));
            }
        }

        private void draw(String who, IdAllocator allocator, String name) {
            long past = raisedPast.get();
            long id = allocator.nextLong();
            issued.add(who, name, id);
            if (name.equals("orders")) {
                newest.accumulateAndGet(id, Math::max);
                if (id <= past) {
                    issued.wrong.add(id + " of orders by " + who + ", after it was raised past " + past);
                }
            }
        }

        void open(String keyspace) {
            while (!over.get()) {
                try (Sequences reopened = Sequences.open(session, config(keyspace))) {
                    IdAllocator allocator = reopened.allocator("orders");
                    for (int i = 0; i < 20; i++) {
                        draw("one that was opened again", allocator, "orders");
                    }
                }
            }
        }

        void raise(List<Sequences> all) {
            while (!over.get()) {
                for (Sequences each : all) {
                    long past = newest.get() + 100;
                    raisePast(each, "orders", past);
                    raisedPast.accumulateAndGet(past, Math::max);
                    raises.add(past);
                }
            }
        }

        void awaitRaises(int more, CompletableFuture<?> ended) {
            int until = raises.size() + more;
            await().forever().pollInterval(Duration.ofMillis(1)).until(() -> {
                assertThat(ended).isNotDone();
                return raises.size() >= until;
            });
        }
    }

    @Test
    void shouldServeAfterEachPrintedStatementAndBeUpToDateAfterTheLast() {
        Schema2.create(session, "printed");
        Issued issued = new Issued();
        List<String> statements = Sequences.schema(REPLICATION, config("printed"));
        UUID version = schemaVersion();
        long past = 20_000;
        for (String statement : statements) {
            session.execute(statement);
            if (!schemaVersion().equals(version)) {
                version = schemaVersion();
                past += 20_000;
                assertServes("printed", statement, past, issued);
            }
        }
        assertThat(issued.wrong).isEmpty();
        assertThat(tables("printed")).isEqualTo(tables("anew"));
        statements.forEach(session::execute);
        assertThat(tables("printed")).isEqualTo(tables("anew"));
    }

    private static void assertServes(String keyspace, String after, long past, Issued issued) {
        try (Sequences one = Sequences.open(session, config(keyspace));
                Sequences other = Sequences.open(session, config(keyspace))) {
            issued.draw("one after " + after, one, "orders", 20);
            issued.draw("other after " + after, other, "orders", 20);
            issued.draw("other after " + after, other, "events", 5);
            raisePast(one, "orders", past);
            assertThat(other.allocator("orders").nextLong()).as(after).isGreaterThan(past);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "some_tables, CREATE TABLE IF NOT EXISTS some_tables.changes",
        "some_comments, ALTER TABLE some_comments.seq WITH"
    })
    void shouldCompleteAnUnfinishedUpgrade(String keyspace, String last) {
        Schema2.create(session, keyspace);
        for (String statement : Sequences.schema(REPLICATION, config(keyspace))) {
            session.execute(statement);
            if (statement.startsWith(last)) {
                break;
            }
        }
        assertThat(tables(keyspace)).isNotEqualTo(tables("anew"));
        Sequences.install(session, REPLICATION, config(keyspace));
        assertThat(tables(keyspace)).isEqualTo(tables("anew"));
        Issued issued = new Issued();
        assertServes(keyspace, last, 20_000, issued);
        assertThat(issued.wrong).isEmpty();
    }

    /**
     * Rounds in which all draw at once. Between the rounds a client raises the sequence, the schema is upgraded, and a
     * client is killed.
     */
    @TestFactory
    Stream<DynamicTest> shouldServeRunningClientsOfSchema2() {
        return Stream.ofNullable(System.getProperty("upgrade.old"))
                .map(jar -> DynamicTest.dynamicTest(jar, this::serveClientsOfSchema2));
    }

    private void serveClientsOfSchema2() throws Exception {
        Schema2.create(session, "mixed");
        Issued issued = new Issued();
        try (Sequences here = Sequences.open(session, config("mixed"));
                RunningProgram old = oldProgram("old");
                RunningProgram oldToo = oldProgram("old too");
                RunningProgram young = program("new");
                RunningProgram youngToo = program("new too")) {
            List<RunningProgram> all = new ArrayList<>(List.of(old, oldToo, young, youngToo));
            drawAtOnce(all, issued);
            raisePast(here, "orders", issued.newest("orders"));
            raise(old, all, issued);
            raise(young, all, issued);

            for (RunningProgram each : all) {
                each.begin(ROUND);
            }
            Sequences.install(session, REPLICATION, config("mixed"));
            for (RunningProgram each : all) {
                record(each, each.await(ROUND), issued);
            }
            // A client that has noticed the upgrade announces its own raises.
            while (session.execute("SELECT at FROM mixed.changes").all().isEmpty()) {
                raise(young, all, issued);
            }
            raise(youngToo, all, issued);
            raiseWithTheHelpOfAnother(oldToo, all, issued);

            all.remove(old);
            record(old, old.kill(), issued);
            for (Holder holder : here.holders("orders")) {
                if (holder.process().startsWith(old.pid() + "@")) {
                    LOG.info("killed while it held {}", holder);
                }
            }
            drawAtOnce(all, issued);
            assertThatThrownBy(() -> here.advancePast("orders", issued.newest("orders")))
                    .isInstanceOf(SequenceException.NotAcknowledged.class);
            here.holdersBehind("orders").stream()
                    .map(Holder::process)
                    .filter(process -> process.startsWith(old.pid() + "@"))
                    .distinct()
                    .forEach(process -> here.release("orders", process));
            raiseWithTheHelpOfAnother(oldToo, all, issued);
            raise(youngToo, all, issued);
        }
        LOG.info("{} ids", issued.all.size());
        assertThat(issued.wrong).isEmpty();
    }

    private static RunningProgram program(String name) throws IOException {
        return RunningProgram.start(name, "upgraded", NODE.host(), Integer.toString(NODE.port()), "orders", "mixed");
    }

    private static RunningProgram oldProgram(String name) throws IOException {
        String classPath =
                System.getProperty("upgrade.old") + File.pathSeparator + System.getProperty("java.class.path");
        return RunningProgram.startOn(
                classPath, name, "upgraded", NODE.host(), Integer.toString(NODE.port()), "orders", "mixed");
    }

    private static void drawAtOnce(List<RunningProgram> all, Issued issued) throws Exception {
        for (RunningProgram each : all) {
            each.begin(ROUND);
        }
        for (RunningProgram each : all) {
            record(each, each.await(ROUND), issued);
        }
    }

    private static void raise(RunningProgram by, List<RunningProgram> all, Issued issued) throws Exception {
        long past = issued.newest("orders");
        by.say("past " + past);
        LOG.info(
                "{} raised past {} at the {}. time of asking",
                by.name(),
                past,
                by.await(1).get(0));
        for (RunningProgram each : all) {
            List<Long> ids = each.take(ROUND);
            record(each, ids, issued);
            assertThat(ids).as(each.name()).allMatch(id -> id > past);
        }
        drawAtOnce(all, issued);
    }

    /**
     * An older client announces its raises in no log. Idle processes that watch the log notice them only when another
     * client announces.
     */
    private static void raiseWithTheHelpOfAnother(RunningProgram by, List<RunningProgram> all, Issued issued)
            throws Exception {
        long past = issued.newest("orders");
        by.say("past " + past);
        await().forever()
                .pollInterval(Duration.ofMillis(1))
                .until(() -> session.execute("SELECT DISTINCT origin FROM mixed.seq WHERE seq = 'orders'")
                                .one()
                                .getLong(0)
                        >= past);
        try (Sequences another = Sequences.open(session, config("mixed"))) {
            raisePast(another, "orders", past);
        }
        LOG.info(
                "{} raised past {} at the {}. time of asking, with help",
                by.name(),
                past,
                by.await(1).get(0));
        drawAtOnce(all, issued);
    }

    private static void record(RunningProgram program, List<Long> ids, Issued issued) {
        ids.forEach(id -> issued.add(program.name(), "orders", id));
    }

    /** Returns every table, column and option of an installation as the server stores it. */
    private static List<String> tables(String keyspace) {
        List<String> all = new ArrayList<>();
        for (String each : List.of(keyspace, keyspace + "_dc1")) {
            String what = each.substring(keyspace.length());
            for (Row row : session.execute("SELECT table_name, comment, default_time_to_live, gc_grace_seconds,"
                    + " read_repair, flags FROM system_schema.tables WHERE keyspace_name = '" + each + "'")) {
                all.add(what + " " + row.getFormattedContents());
            }
            for (Row row : session.execute("SELECT table_name, column_name, kind, position, clustering_order, type"
                    + " FROM system_schema.columns WHERE keyspace_name = '" + each + "'")) {
                all.add(what + " " + row.getFormattedContents());
            }
        }
        return all;
    }
}
