package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.transaction.LockMark;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a claim does to a row that goes away, and what becomes of one whose statement has ended before the node's answer. A link holds the
 * answers back.
 */
class ClaimsIT {

    /** How a request gives the value of a claim: 18 bytes. The first request that has it is the one that sets it. */
    private static final String CLAIM = "\0\0\0\22\377\1";

    /** Part of the statement that sets claims, which a session prepares before its first one in a table. */
    private static final String SETS_CLAIM = "SET cassidy_tx = ? WHERE";

    private static TestCluster cluster;

    private final ExecutorService worker = Executors.newSingleThreadExecutor();

    /** Each statement at once. */
    @AutoClose
    private final Connection other = cluster.open();

    private HeldLink link;

    /** In a transaction, through the link. */
    private Connection connection;

    private CqlSession session;

    @BeforeAll
    static void create() throws SQLException {
        cluster = TestCluster.fresh("claims_it");
        TestCluster.install("cassidy");
        try (Connection connection = cluster.open()) {
            for (String table : List.of("task", "deleted", "taken")) {
                run(connection, "CREATE TABLE " + table + " (id INT PRIMARY KEY, v INT)");
            }
            run(connection, "CREATE TABLE part (task INT, id INT, v INT, PRIMARY KEY (task, id))");
        }
    }

    @BeforeEach
    void connect() throws IOException, SQLException {
        link = new HeldLink(TestCluster.NODE.contactPoint());
        connection = DriverManager.getConnection("jdbc:cassidy://127.0.0.1:" + link.port()
                + "/claims_it?localDatacenter=" + TestCluster.NODE.localDatacenter()
                + "&requestTimeout=1m&connectTimeout=1m");
        session = connection.unwrap(CqlSession.class);
        connection.setAutoCommit(false);
    }

    @AfterEach
    void close() throws SQLException {
        link.release();
        connection.close();
        // A session of its own, so that no other test's requests are held.
        session.close();
        link.close();
        worker.shutdownNow();
    }

    private static int run(Connection on, String sql) throws SQLException {
        try (Statement statement = on.createStatement()) {
            return statement.execute(sql) ? 0 : statement.getUpdateCount();
        }
    }

    private static List<Integer> values(Statement statement, String sql) throws SQLException {
        List<Integer> values = new ArrayList<>();
        try (ResultSet found = statement.executeQuery(sql)) {
            while (found.next()) {
                values.add(found.getInt(1));
            }
        }
        return values;
    }

    private static List<Integer> values(Connection on, String sql) throws SQLException {
        try (Statement statement = on.createStatement()) {
            return values(statement, sql);
        }
    }

    private static String underLock(String table, int id) {
        return "SELECT v FROM " + table + " WITH (UPDLOCK) WHERE id = " + id;
    }

    private static Row stored(String table, int id) {
        return TestCluster.session()
                .execute("SELECT v, cassidy_tx FROM claims_it." + table + " WHERE id = ?", id)
                .one();
    }

    private static ByteBuffer mark(String table, int id) {
        return stored(table, id).getByteBuffer(1);
    }

    private static boolean isClaimed(String table, int id) {
        return LockMark.isClaim(mark(table, id));
    }

    private <T> Future<T> held(String marker, Callable<T> call) throws InterruptedException {
        link.holdFrom(marker);
        Future<T> running = worker.submit(call);
        link.awaitHeld();
        return running;
    }

    /** Runs a SELECT until the node has set its claim, of which it does not know. */
    private Future<List<Integer>> claiming(Statement statement, int id) throws SQLException, InterruptedException {
        run(other, "INSERT INTO task (id, v) VALUES (" + id + ", 1)");
        // What a session sends once, it sends before.
        assertThat(values(connection, underLock("task", id))).containsExactly(1);
        connection.rollback();
        await().until(() -> !isClaimed("task", id));
        Future<List<Integer>> running = held(CLAIM, () -> values(statement, underLock("task", id)));
        await().until(() -> isClaimed("task", id));
        return running;
    }

    private static Throwable failureOf(Future<?> running) throws Exception {
        try {
            running.get(2, TimeUnit.MINUTES);
            throw new AssertionError("did not fail");
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }

    // ---- statements that end before their claim is known

    @Test
    void shouldTakeBackTheClaimOfACancelledStatement() throws Exception {
        try (Statement statement = connection.createStatement()) {
            Future<?> running = claiming(statement, 1);
            statement.cancel();
            assertThat(failureOf(running)).hasFieldOrPropertyWithValue("SQLState", "HY008");
            connection.rollback();
            assertThat(isClaimed("task", 1)).as("its answer is awaited").isTrue();
            link.release();
            await().until(() -> !isClaimed("task", 1));
            assertThat(LockMark.isFree(mark("task", 1))).isTrue();
        }
    }

    @Test
    void shouldHoldARowByTheClaimOfACancelledStatement() throws Exception {
        try (Statement statement = connection.createStatement()) {
            Future<?> running = claiming(statement, 2);
            ByteBuffer claim = mark("task", 2);
            statement.cancel();
            assertThat(failureOf(running)).hasFieldOrPropertyWithValue("SQLState", "HY008");
            link.release();
            assertThat(values(statement, underLock("task", 2))).containsExactly(1);
            assertThat(mark("task", 2)).as("nobody else has it").isEqualTo(claim);
            assertThat(run(connection, "UPDATE task SET v = 2 WHERE id = 2")).isEqualTo(1);
            connection.commit();
            assertThat(values(other, "SELECT v FROM task WHERE id = 2")).containsExactly(2);
            assertThat(isClaimed("task", 2)).isFalse();
        }
    }

    @Test
    void shouldEndAStatementInItsTimeWhoseClaimIsNotKnown() throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(3);
            Future<?> running = claiming(statement, 3);
            // Later the driver's heartbeat would end the connection, and with it the statement.
            await().atMost(Duration.ofSeconds(25)).until(running::isDone);
            assertThat(failureOf(running))
                    .isInstanceOf(SQLTimeoutException.class)
                    .hasMessageContaining("nodes have not answered within 3000 ms");
            connection.rollback();
            link.release();
            await().until(() -> !isClaimed("task", 3));
        }
    }

    @Test
    void shouldTakeBackTheClaimsOfAConnectionThatIsAborted() throws SQLException {
        run(other, "INSERT INTO task (id, v) VALUES (4, 1)");
        assertThat(values(connection, underLock("task", 4))).containsExactly(1);
        assertThat(isClaimed("task", 4)).isTrue();
        connection.abort(Runnable::run);
        await().until(() -> !isClaimed("task", 4));
    }

    /** Read among many it was held by its mark, and then it was claimed: there is no way back to the other mark. */
    @Test
    void shouldHoldARowByItsClaimAfterARollbackToASavepoint() throws SQLException {
        for (int id = 0; id < 17; id++) {
            run(other, "INSERT INTO part (task, id, v) VALUES (1, " + id + ", 1)");
        }
        assertThat(values(connection, "SELECT v FROM part WITH (UPDLOCK) WHERE task = 1"))
                .hasSize(17);
        Savepoint savepoint = connection.setSavepoint();
        assertThat(run(connection, "UPDATE part SET v = 2 WHERE task = 1 AND id = 5"))
                .isEqualTo(1);
        assertThat(values(connection, "SELECT v FROM part WITH (UPDLOCK) WHERE task = 1 AND id = 5"))
                .containsExactly(2);
        connection.rollback(savepoint);
        assertThat(run(connection, "UPDATE part SET v = 3 WHERE task = 1 AND id = 6"))
                .isEqualTo(1);
        connection.commit();
        assertThat(values(other, "SELECT v FROM part WHERE task = 1 AND id = 5"))
                .containsExactly(1);
        assertThat(values(other, "SELECT v FROM part WHERE task = 1 AND id = 6"))
                .containsExactly(3);
    }

    /** Otherwise neither of two that wait for each other would commit. */
    @Test
    void shouldNotTakeARowFromAnotherThatHasTakenItsOwn() throws SQLException {
        for (int id = 5; id < 7; id++) {
            run(other, "INSERT INTO task (id, v) VALUES (" + id + ", 1)");
        }
        assertThat(values(connection, underLock("task", 5))).containsExactly(1);
        ByteBuffer claim = LockMark.claim(new UUID(Long.MIN_VALUE, 1));
        for (int id = 5; id < 7; id++) {
            TestCluster.session().execute("UPDATE claims_it.task SET cassidy_tx = ? WHERE id = ? IF EXISTS", claim, id);
        }
        assertThatThrownBy(() -> values(connection, underLock("task", 6)))
                .isInstanceOf(SQLTransactionRollbackException.class)
                .hasMessageContaining("another transaction has locked a row");
        assertThat(mark("task", 6)).isEqualTo(claim);
        assertThat(mark("task", 5)).isEqualTo(claim);
    }

    // ---- rows that go away

    /** Between the read of the row and its claim. */
    @Test
    void shouldNotMakeARowAppearThatWasDeletedBeforeItsClaim() throws Exception {
        run(other, "INSERT INTO deleted (id, v) VALUES (1, 1)");
        Future<List<Integer>> running = held(SETS_CLAIM, () -> values(connection, underLock("deleted", 1)));
        assertThat(run(other, "DELETE FROM deleted WHERE id = 1")).isEqualTo(1);
        link.release();
        assertThat(running.get(2, TimeUnit.MINUTES)).isEmpty();
        assertThat(stored("deleted", 1)).isNull();
        connection.commit();
        assertThat(stored("deleted", 1)).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNotMakeARowAppearThatWasDeletedWhileItWasHeld(boolean commits) throws SQLException {
        int id = commits ? 11 : 10;
        run(other, "INSERT INTO deleted (id, v) VALUES (" + id + ", 1)");
        assertThat(values(connection, underLock("deleted", id))).containsExactly(1);
        assertThat(isClaimed("deleted", id)).isTrue();
        assertThat(run(other, "DELETE FROM deleted WHERE id = " + id)).isEqualTo(1);
        if (commits) {
            assertThatThrownBy(connection::commit).isInstanceOf(SQLTransactionRollbackException.class);
        } else {
            connection.rollback();
        }
        assertThat(stored("deleted", id)).isNull();
        assertThat(run(other, "INSERT INTO deleted (id, v) VALUES (" + id + ", 2)"))
                .isEqualTo(1);
    }

    /** As above, another transaction claims the row, and this one finds its claim. */
    @Test
    void shouldNotClaimARowThatAnotherHasClaimedBefore() throws Exception {
        run(other, "INSERT INTO taken (id, v) VALUES (1, 1)");
        other.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(3);
            Future<?> running = held(SETS_CLAIM, () -> values(statement, underLock("taken", 1)));
            assertThat(values(other, underLock("taken", 1))).containsExactly(1);
            ByteBuffer claim = mark("taken", 1);
            link.release();
            assertThat(failureOf(running))
                    .isInstanceOf(SQLTimeoutException.class)
                    .hasMessageContaining("other transactions hold a row");
            assertThat(mark("taken", 1)).isEqualTo(claim);
        }
        connection.rollback();
        assertThat(run(other, "UPDATE taken SET v = 2 WHERE id = 1")).isEqualTo(1);
        other.commit();
        assertThat(stored("taken", 1).getInt(0)).isEqualTo(2);
    }
}
