package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.sequence.IdentityType;
import java.io.IOException;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Uses a link that holds the node's answers back, so that a statement has certainly been sent and certainly not been
 * answered.
 */
class CancelIT {

    private static TestCluster cluster;
    private static HeldLink link;

    private final ExecutorService worker = Executors.newSingleThreadExecutor();
    private Connection connection;
    private Statement statement;

    @BeforeAll
    static void prepare() throws IOException {
        cluster = TestCluster.fresh("cancel_it");
        cluster.cql(
                "CREATE TABLE $.t (id int PRIMARY KEY, v text)",
                "CREATE TABLE $.ordered (id int PRIMARY KEY, v text)",
                "CREATE TABLE $.unopened (id int PRIMARY KEY, v text)",
                "CREATE TABLE $.many (p int, c int, PRIMARY KEY (p, c))");
        cluster.identity("ordered", "id", IdentityType.INT, 1);
        cluster.identity("unopened", "id", IdentityType.INT, 1);
        for (int c = 0; c < 20; c++) {
            cluster.cql("INSERT INTO $.many (p, c) VALUES (1, " + c + ")");
        }
        link = new HeldLink(TestCluster.NODE.contactPoint());
    }

    @AfterAll
    static void closeLink() throws SQLException {
        // The shared session is closed first, while it can still give back its ids.
        try (Connection last = DriverManager.getConnection(url())) {
            last.unwrap(CqlSession.class).close();
        }
        link.close();
    }

    private static String url() {
        return url(link);
    }

    private static String url(HeldLink link) {
        return "jdbc:cassidy://127.0.0.1:" + link.port() + "/cancel_it?localDatacenter="
                + TestCluster.NODE.localDatacenter() + "&requestTimeout=1m&connectTimeout=1m";
    }

    @BeforeEach
    void connect() throws SQLException {
        connection = DriverManager.getConnection(url());
        statement = connection.createStatement();
        // Sends the requests that each session makes only once, so that they are not held later.
        statement.executeUpdate("INSERT INTO t (id, v) VALUES (0, 'warm')");
        statement.executeUpdate("INSERT INTO ordered (v) VALUES ('warm')");
    }

    @AfterEach
    void close() throws SQLException {
        link.release();
        connection.close();
        worker.shutdownNow();
    }

    /**
     * Runs the call, and returns when the node has answered and the answer is held.
     *
     * @param marker text that only the call's requests contain, and no request that the session makes in the background
     */
    private <T> Future<T> held(String marker, Callable<T> call) throws InterruptedException {
        link.holdFrom(marker);
        Future<T> running = worker.submit(call);
        link.awaitHeld();
        return running;
    }

    private static Throwable failureOf(Future<?> running) throws Exception {
        try {
            running.get(60, TimeUnit.SECONDS);
            throw new AssertionError("did not fail");
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }

    /** Lets the node prepare what inserts into the table whose sequence nobody has opened. */
    private static void prepareWithoutAnId(Connection connection) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO unopened (v) VALUES (?)")) {
            assertThat(insert.getParameterMetaData().getParameterCount()).isEqualTo(1);
        }
    }

    private static int countOf(String cql) throws SQLException {
        try (Connection direct = cluster.connect();
                Statement select = direct.createStatement();
                ResultSet rows = select.executeQuery(cql)) {
            rows.next();
            return rows.getInt(1);
        }
    }

    @Test
    void shouldCancelAQuery() throws Exception {
        Future<ResultSet> running = held("SELECT * FROM t", () -> statement.executeQuery("SELECT * FROM t"));

        statement.cancel();
        assertThat(failureOf(running))
                .isInstanceOf(SQLException.class)
                .hasMessage("The statement was cancelled; it only read")
                .hasFieldOrPropertyWithValue("SQLState", "HY008");
        link.release();
        assertThat(statement.executeQuery("SELECT * FROM t").next()).isTrue();
    }

    @Test
    void shouldSayThatTheOutcomeOfACancelledWriteIsUnknown() throws Exception {
        Future<Integer> running =
                held("there", () -> statement.executeUpdate("INSERT INTO t (id, v) VALUES (1, 'there')"));

        statement.cancel();
        assertThat(failureOf(running))
                .hasMessage("The statement was cancelled; the write may or may not have been applied")
                .hasFieldOrPropertyWithValue("SQLState", "HY008");
        // In this case it is applied; the answer that was held may be one to a background request that came before.
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(countOf("SELECT COUNT(*) FROM t WHERE id = 1"))
                        .isEqualTo(1));
    }

    @Test
    void shouldCancelAPreparedIdentityInsert() throws Exception {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO ordered (v) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
            insert.setString(1, "first");
            insert.executeUpdate();
            Future<Integer> running = held("first", insert::executeUpdate);

            insert.cancel();
            assertThat(failureOf(running)).hasFieldOrPropertyWithValue("SQLState", "HY008");
            link.release();
            assertThat(insert.getGeneratedKeys().next()).isFalse();
            assertThat(insert.executeUpdate()).isEqualTo(1);
            assertThat(insert.getGeneratedKeys().next()).isTrue();
        }
    }

    @Test
    void shouldReportTheWritesOfACancelledScript() throws Exception {
        // A separate session that ends with the test, so that no other session's background requests are held.
        try (HeldLink own = new HeldLink(TestCluster.NODE.contactPoint());
                Connection second = DriverManager.getConnection(url(own));
                CqlSession session = second.unwrap(CqlSession.class);
                Statement script = second.createStatement()) {
            script.executeUpdate("INSERT INTO t (id, v) VALUES (0, 'warm')");
            prepareWithoutAnId(second);
            // The second statement waits for its first id, which must be claimed.
            own.holdFrom("unopened");
            Future<Boolean> running = worker.submit(() -> script.execute(
                    "INSERT INTO t (id, v) VALUES (60, 'stays'); INSERT INTO unopened (v) VALUES ('x')"));
            own.awaitHeld();

            script.cancel();
            assertThat(failureOf(running))
                    .hasMessage(
                            "The statement was cancelled; it was not sent, and what the same script ran before it stays")
                    .hasFieldOrPropertyWithValue("SQLState", "HY008");
            own.release();
            assertThat(session.isClosed()).isFalse();
        }
        assertThat(countOf("SELECT COUNT(*) FROM t WHERE id = 60")).isEqualTo(1);
        assertThat(countOf("SELECT COUNT(*) FROM unopened")).isZero();
    }

    @Test
    void shouldCancelABatchAndReportTheStateOfEachEntry() throws Exception {
        // More entries than the 128 that are sent at the same time, so the last ones are never sent.
        for (int id = 100; id < 300; id++) {
            statement.addBatch("INSERT INTO t (id, v) VALUES (" + id + ", 'batched')");
        }
        Future<int[]> running = held("batched", statement::executeBatch);

        statement.cancel();
        BatchUpdateException failure = (BatchUpdateException) failureOf(running);
        assertThat(failure.getSQLState()).isEqualTo("HY008");
        assertThat(failure.getUpdateCounts()).hasSize(200).containsOnly(Statement.EXECUTE_FAILED);
        assertThat(failure.getMessage()).contains("First: The statement was cancelled; the write may or may not");
        List<String> messages = new ArrayList<>();
        for (SQLException next = failure.getNextException(); next != null; next = next.getNextException()) {
            messages.add(next.getMessage());
        }
        int sent = messages.indexOf("The statement was cancelled; it was not sent, so it has written nothing");
        assertThat(sent).isBetween(1, 128);
        assertThat(messages.subList(0, sent))
                .containsOnly("The statement was cancelled; the write may or may not have been applied");
        assertThat(messages.subList(sent, 200)).containsOnly(messages.get(sent));
        assertThat(messages).hasSize(200);
        assertThat(countOf("SELECT COUNT(*) FROM t WHERE id >= " + (100 + sent) + " AND id < 300 ALLOW FILTERING"))
                .isZero();
    }

    @Test
    void shouldCancelTheFetchingOfAPage() throws Exception {
        statement.setFetchSize(5);
        ResultSet rows = statement.executeQuery("SELECT c FROM many");
        for (int c = 0; c < 5; c++) {
            assertThat(rows.next()).isTrue();
        }
        Future<Boolean> running = held("FROM many", rows::next);

        statement.cancel();
        assertThat(failureOf(running)).hasFieldOrPropertyWithValue("SQLState", "HY008");
        link.release();
        // The page is not lost: it is requested again.
        assertThat(rows.next()).isTrue();
        assertThat(rows.getInt(1)).isEqualTo(5);
    }

    @Test
    void shouldEndTheFetchingOfAPageWhenTheStatementIsClosed() throws Exception {
        statement.setFetchSize(5);
        ResultSet rows = statement.executeQuery("SELECT c FROM many");
        for (int c = 0; c < 5; c++) {
            rows.next();
        }
        Future<Boolean> running = held("FROM many", rows::next);

        statement.close();
        assertThat(failureOf(running)).hasFieldOrPropertyWithValue("SQLState", "HY008");
        assertThatThrownBy(rows::next).hasFieldOrPropertyWithValue("SQLState", "24000");
    }

    @Test
    void shouldNotFetchPagesBeyondMaxRows() throws Exception {
        statement.setFetchSize(5);
        statement.setMaxRows(5);
        ResultSet rows = statement.executeQuery("SELECT c FROM many");
        link.hold();
        for (int c = 0; c < 5; c++) {
            assertThat(rows.next()).isTrue();
        }
        // Another request would wait forever, because its answer is held.
        assertThat(rows.next()).isFalse();
    }

    @Test
    void shouldIgnoreACancelWhileNothingRuns() throws SQLException {
        statement.cancel();

        assertThat(statement.executeQuery("SELECT * FROM t").next()).isTrue();
        statement.close();
        assertThatThrownBy(statement::cancel).hasFieldOrPropertyWithValue("SQLState", "HY010");
    }

    @Test
    void shouldEndARunningStatementWhenTheConnectionIsAborted() throws Exception {
        Future<ResultSet> running = held("SELECT * FROM t", () -> statement.executeQuery("SELECT * FROM t"));

        connection.abort(Runnable::run);
        assertThat(failureOf(running)).hasFieldOrPropertyWithValue("SQLState", "HY008");
        assertThat(connection.isClosed()).isTrue();
    }

    @Test
    void shouldEndACommitWhenTheConnectionIsAborted() throws Exception {
        connection.setAutoCommit(false);
        statement.executeUpdate("INSERT INTO t (id, v) VALUES (7, 'buffered')");
        Future<Void> running = held("buffered", () -> {
            connection.commit();
            return null;
        });

        connection.abort(Runnable::run);
        assertThat(failureOf(running))
                .hasMessageContaining("may or may not have been applied")
                .hasFieldOrPropertyWithValue("SQLState", "HY008");
    }

    @Test
    void shouldGiveUpPreparingAfterTheQueryTimeout() throws Exception {
        statement.setQueryTimeout(1);
        Future<Integer> running = held(
                "UPDATE t USING TTL ?",
                () -> statement.executeUpdate("UPDATE t USING TTL 9 SET v = 'x' WHERE id = 70"));

        assertThat(failureOf(running))
                .isInstanceOf(SQLTimeoutException.class)
                .hasMessageContaining("was not prepared within 1000 ms")
                .hasFieldOrPropertyWithValue("SQLState", "HYT00");
        assertThat(countOf("SELECT COUNT(*) FROM t WHERE id = 70")).isZero();
    }

    @Test
    void shouldCancelThePreparing() throws Exception {
        Future<Integer> running = held(
                "UPDATE t USING TIMESTAMP ?",
                () -> statement.executeUpdate("UPDATE t USING TIMESTAMP 9 SET v = 'x' WHERE id = 71"));

        statement.cancel();
        assertThat(failureOf(running))
                .hasMessage("The statement was cancelled; it was not sent, so it has written nothing")
                .hasFieldOrPropertyWithValue("SQLState", "HY008");
        assertThat(countOf("SELECT COUNT(*) FROM t WHERE id = 71")).isZero();
    }

    @Test
    void shouldGiveUpAfterTheQueryTimeout() throws Exception {
        statement.setQueryTimeout(1);
        Future<Integer> running =
                held("tooLate", () -> statement.executeUpdate("INSERT INTO t (id, v) VALUES (2, 'tooLate')"));

        assertThat(failureOf(running))
                .isInstanceOf(SQLTimeoutException.class)
                .hasMessageContaining("the write may or may not have been applied")
                .hasFieldOrPropertyWithValue("SQLState", "HYT00");
    }

    @Test
    void shouldNotWaitLongerThanTheQueryTimeoutForAnIdOfABatch() throws Exception {
        prepareWithoutAnId(connection);
        statement.setQueryTimeout(1);
        statement.addBatch("INSERT INTO unopened (v) VALUES ('a')");
        Future<int[]> running = held("unopened", statement::executeBatch);

        assertThat(failureOf(running)).isInstanceOfSatisfying(BatchUpdateException.class, e -> {
            assertThat(e.getSQLState()).isEqualTo("HYT00");
            assertThat(e.getMessage()).contains("No id was available within 1000 ms", "it was not sent");
        });
    }

    /** The driver forgets a batch's own time-out. */
    @Test
    void shouldGiveUpACommitOfSeveralWritesAfterTheNetworkTimeout() throws Exception {
        connection.setAutoCommit(false);
        statement.executeUpdate("INSERT INTO t (id, v) VALUES (3, 'overdue')");
        statement.executeUpdate("INSERT INTO t (id, v) VALUES (4, 'overdue')");
        connection.setNetworkTimeout(Runnable::run, 200);
        Future<Void> running = held("overdue", () -> {
            connection.commit();
            return null;
        });

        assertThat(failureOf(running))
                .isInstanceOf(SQLTimeoutException.class)
                .hasMessageContaining("may or may not have been applied")
                .hasStackTraceContaining("PT0.2S")
                .hasFieldOrPropertyWithValue("SQLState", "HYT00");
        link.release();
        connection.rollback();
    }

    @Test
    void shouldGiveUpAfterTheNetworkTimeoutAndStayUsable() throws Exception {
        connection.setNetworkTimeout(Runnable::run, 200);
        assertThat(connection.getNetworkTimeout()).isEqualTo(200);
        Future<ResultSet> running = held("SELECT * FROM t", () -> statement.executeQuery("SELECT * FROM t"));

        assertThat(failureOf(running))
                .isInstanceOf(SQLTimeoutException.class)
                .hasFieldOrPropertyWithValue("SQLState", "HYT00");
        assertThat(connection.isValid(0)).isFalse();
        link.release();
        connection.setNetworkTimeout(Runnable::run, 0);
        assertThat(connection.isValid(60)).isTrue();
        assertThat(statement.executeQuery("SELECT * FROM t").next()).isTrue();
    }
}
