package dev.cassidy.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.session.Request;
import com.datastax.oss.driver.api.core.tracker.RequestTracker;
import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExactRaceIT {

    private static final String KEYSPACE = "exact_race_it";
    private static final int CALLS = 3;
    private static final String MARK = "SELECT name FROM plain_product WHERE id = -1";

    @TempDir
    private static Path folder;

    private static final EmbeddedCassandra NODE = EmbeddedCassandra.shared();

    private static final Properties DRIVER_FILE = new Properties();
    private static CqlSession session;

    @BeforeAll
    static void create() throws Exception {
        ExactRace.prepare(new Cluster(List.of(NODE), 1), KEYSPACE);
        Path file = Files.writeString(
                folder.resolve("driver.conf"),
                "datastax-java-driver.advanced.request-tracker.classes = [\""
                        + Tracker.class.getName().replace("$", "\\u0024") + "\"]");
        DRIVER_FILE.setProperty("configFile", file.toString());
        session = InsertClient.connect(NODE.host(), NODE.port(), NODE.localDatacenter(), KEYSPACE);
    }

    @AfterAll
    static void close() {
        session.close();
    }

    @Test
    void shouldMeasureEveryCase() throws Exception {
        Report report = new Report("test");
        Duration turn = Duration.ofMillis(50);
        try (ExactRace race = new ExactRace(
                new Cluster(List.of(NODE), 1),
                // They end before the second compiler pays off.
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                new Pace(1, turn, turn, turn),
                new PrintStream(OutputStream.nullOutputStream()))) {
            race.run(report);
        }

        assertThat(report.cases()).extracting(Case::name).containsExactlyElementsOf(ExactRace.caseNames());
        assertThat(report.cases()).allSatisfy(each -> {
            assertThat(each.ours()).isPositive();
            assertThat(each.rival()).isPositive();
        });
    }

    /** The quantities of rows that are new or have changed, how many rows are gone, and how many requests a call sends. */
    @ParameterizedTest
    @CsvSource({
        "INSERT, EXACT, exact_product, '0 1 2', 0, 1",
        "INSERT, PLAIN, plain_product, '0 1 2', 0, 1",
        "INSERT_OWN_KEY, EXACT, exact_by_uuid, '0 1 2', 0, 1",
        "INSERT_OWN_KEY, PLAIN, plain_by_uuid, '0 1 2', 0, 1",
        "UPDATE, EXACT, exact_product, '0 1 2', 0, 2",
        "UPDATE, PLAIN, plain_product, '0 1 2', 0, 1",
        "UPDATE_OF_TEN, EXACT, exact_product, '0 0 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2 2 2', 0, 21",
        "DECREMENT, EXACT, exact_product, '999999999 999999999 999999999', 0, 2",
        "DELETE, EXACT, exact_product, '', 3, 1",
        "DELETE, PLAIN, plain_product, '', 3, 1"
    })
    void shouldWriteByJdbcWhatItCounts(
            ExactRace.Statement statement,
            ExactRace.Mode mode,
            String table,
            String written,
            int removed,
            int requestsACall)
            throws Exception {
        try (Work work = ExactClient.jdbc(connect(), new ExactRace.Contestant(statement, mode))) {
            work.prepare();
            sent();
            assertWrites(work, table, written, removed);
            assertThat(sent()).filteredOn(cql -> cql.contains(table)).hasSize(CALLS * requestsACall);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "INSERT_OWN_KEY, by_hand_by_uuid, '0 1 2', 0",
        "UPDATE, by_hand, '0 1 2', 0",
        "DECREMENT, by_hand, '999999999 999999999 999999999', 0",
        "DELETE, by_hand, '', 3"
    })
    void shouldWriteByHandWhatItCounts(ExactRace.Statement statement, String table, String written, int removed)
            throws Exception {
        int base = session.execute("SELECT id FROM " + BareWrites.TABLE).all().size();
        try (Work work = ExactClient.byHand(session, new AtomicInteger(base), statement)) {
            work.prepare();
            assertWrites(work, table, written, removed);
        }
    }

    @Test
    void shouldInsertBatchesWithTheirKeys() throws Exception {
        for (ExactRace.Mode mode : List.of(ExactRace.Mode.EXACT, ExactRace.Mode.PLAIN)) {
            String table = mode == ExactRace.Mode.EXACT ? "exact_product" : "plain_product";
            int before = rows(table).size();
            try (Work work = ExactClient.jdbc(connect(), new ExactRace.Contestant(ExactRace.Statement.BATCH, mode))) {
                assertThat(work.call()).isEqualTo(100);
            }
            assertThat(rows(table)).hasSize(before + 100);
        }
    }

    @Test
    void shouldEndATurnWhenTheRowsToDeleteAreUsedUp() throws Exception {
        ExactRace.Contestant deletes = new ExactRace.Contestant(ExactRace.Statement.DELETE, ExactRace.Mode.PLAIN);
        try (Work work = ExactClient.jdbc(connect(), deletes)) {
            work.prepare();
            assertThat(calls(work)).isEqualTo(100);
            work.prepare();
            assertThat(calls(work)).isEqualTo(200);
        }
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(
                InsertClient.cassidyUrl(NODE.host() + ':' + NODE.port(), NODE.localDatacenter(), KEYSPACE),
                DRIVER_FILE);
    }

    private static int calls(Work work) throws Exception {
        int calls = 0;
        while (work.call() > 0) {
            calls++;
        }
        return calls;
    }

    private static void assertWrites(Work work, String table, String written, int removed) throws Exception {
        Map<Object, Integer> before = rows(table);
        int rows = 0;
        for (int call = 0; call < CALLS; call++) {
            rows += work.call();
        }
        work.finish();
        Map<Object, Integer> after = rows(table);

        List<Integer> changed = new ArrayList<>();
        after.forEach((id, quantity) -> {
            if (!quantity.equals(before.get(id))) {
                changed.add(quantity);
            }
        });
        List<Integer> expected = written.isEmpty()
                ? List.of()
                : List.of(written.split(" ", -1)).stream().map(Integer::valueOf).toList();
        assertThat(changed).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(before.keySet().stream().filter(id -> !after.containsKey(id)))
                .hasSize(removed);
        assertThat(rows).isEqualTo(expected.size() + removed);
    }

    private static Map<Object, Integer> rows(String table) {
        Map<Object, Integer> rows = new HashMap<>();
        session.execute("SELECT id, quantity FROM " + table)
                .forEach(row -> rows.put(row.getObject("id"), row.getInt("quantity")));
        return rows;
    }

    /** Returns the requests of the JDBC session since this was last called: its one connection has its answers in order. */
    private static List<String> sent() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet none = statement.executeQuery(MARK)) {
            assertThat(none.next()).isFalse();
        }
        List<String> sent = new ArrayList<>();
        await().atMost(Duration.ofMinutes(2)).until(() -> {
            String next = Tracker.SENT.poll();
            while (next != null && !isMark(next)) {
                sent.add(next);
                next = Tracker.SENT.poll();
            }
            return next != null;
        });
        return sent;
    }

    private static boolean isMark(String cql) {
        return cql.startsWith("SELECT name FROM plain_product");
    }

    /** Records what the driver has sent. */
    public static final class Tracker implements RequestTracker {
        static final Queue<String> SENT = new ConcurrentLinkedQueue<>();

        public Tracker(DriverContext unused) {}

        @Override
        public void onSuccess(
                Request request, long nanos, DriverExecutionProfile profile, Node node, String logPrefix) {
            Object first =
                    request instanceof BatchStatement batch ? batch.iterator().next() : request;
            SENT.add(
                    first instanceof BoundStatement bound
                            ? bound.getPreparedStatement().getQuery()
                            : first instanceof com.datastax.oss.driver.api.core.cql.SimpleStatement simple
                                    ? simple.getQuery()
                                    : "");
        }

        @Override
        public void close() {}
    }
}
