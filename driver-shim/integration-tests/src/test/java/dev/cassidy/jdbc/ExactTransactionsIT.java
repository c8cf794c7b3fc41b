package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.transaction.LockMark;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions over exact tables, on one node: they see their own writes, and a rollback undoes everything. */
class ExactTransactionsIT {

    private static TestCluster cluster;

    /** In a transaction. */
    @AutoClose
    private final Connection connection = cluster.open();

    /** Each statement at once. */
    @AutoClose
    private final Connection other = cluster.open();

    @BeforeAll
    static void create() throws SQLException {
        cluster = TestCluster.fresh("exact_transactions_it");
        TestCluster.install("cassidy");
        try (Connection connection = cluster.open();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE account (id NVARCHAR(20) PRIMARY KEY, balance INT, owner NVARCHAR(20))");
            statement.execute(
                    "CREATE TABLE orders (id INT IDENTITY PRIMARY KEY, customer NVARCHAR(20), total DECIMAL(10,2)"
                            + " DEFAULT 1.5, placed DATETIME2 DEFAULT GETDATE(), note NVARCHAR(MAX))");
            statement.execute(
                    "CREATE TABLE line (orders INT, no INT, qty INT, note NVARCHAR(20), PRIMARY KEY (orders, no))");
            statement.execute("CREATE TABLE log (k INT PRIMARY KEY, v INT) WITH (plain)");
        }
    }

    @BeforeEach
    void begin() throws SQLException {
        connection.setAutoCommit(false);
    }

    private static PreparedStatement prepared(Connection on, String sql, Object... parameters) throws SQLException {
        PreparedStatement statement = on.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS);
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
        return statement;
    }

    private static int run(Connection on, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = on.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }

    private int run(String sql, Object... parameters) throws SQLException {
        return run(connection, sql, parameters);
    }

    private static int insert(Connection on, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepared(on, sql, parameters)) {
            statement.executeUpdate();
            try (ResultSet keys = statement.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                return keys.getInt(1);
            }
        }
    }

    private static List<List<Object>> rows(Connection on, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = on.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            List<List<Object>> rows = new ArrayList<>();
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    List<Object> row = new ArrayList<>();
                    for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
                        row.add(found.getObject(i));
                    }
                    rows.add(row);
                }
            }
            return rows;
        }
    }

    private List<List<Object>> rows(String sql, Object... parameters) throws SQLException {
        return rows(connection, sql, parameters);
    }

    private static List<Object> row(Object... values) {
        return Arrays.asList(values);
    }

    private void account(String id, int balance) throws SQLException {
        assertThat(run(other, "INSERT INTO account (id, balance) VALUES (?, ?)", id, balance))
                .isEqualTo(1);
    }

    private static final String BALANCE = "SELECT balance FROM account WHERE id = ?";

    @Test
    void shouldUndoEverythingByARollback() throws SQLException {
        account("undo1", 10);
        account("undo2", 20);
        assertThat(run("UPDATE account SET balance = balance - 5 WHERE id = 'undo1'"))
                .isEqualTo(1);
        assertThat(run("DELETE FROM account WHERE id = ?", "undo2")).isEqualTo(1);
        assertThat(run("INSERT INTO account (id, balance) VALUES ('undo3', 30)"))
                .isEqualTo(1);
        int id = insert(connection, "INSERT INTO orders (customer) VALUES ('undone')");
        connection.rollback();
        assertThat((Throwable) connection.getWarnings()).isNull();
        assertThat(rows(BALANCE, "undo1")).containsExactly(row(10));
        assertThat(rows(BALANCE, "undo2")).containsExactly(row(20));
        assertThat(rows(BALANCE, "undo3")).isEmpty();
        assertThat(rows("SELECT id FROM orders WHERE id = ?", id)).isEmpty();
    }

    @Test
    void shouldShowNobodyElseWhatIsNotCommitted() throws SQLException {
        account("hidden", 10);
        run("UPDATE account SET balance = 11 WHERE id = 'hidden'");
        assertThat(rows(other, BALANCE, "hidden")).containsExactly(row(10));
        connection.commit();
        assertThat(rows(other, BALANCE, "hidden")).containsExactly(row(11));
    }

    @Test
    void shouldSeeItsOwnWrites() throws SQLException {
        account("own", 10);
        assertThat(run("UPDATE account SET balance = balance + 1, owner = ? WHERE id = 'own'", "ann"))
                .isEqualTo(1);
        assertThat(run("UPDATE account SET balance = balance + 1 WHERE id = 'own' AND owner = 'bob'"))
                .isZero();
        assertThat(run("UPDATE account SET balance = balance + 1 WHERE id = 'own' AND balance = 11"))
                .isEqualTo(1);
        assertThat(rows("SELECT id, balance, owner FROM account WHERE id = 'own'"))
                .containsExactly(row("own", 12, "ann"));
        assertThat(run("DELETE FROM account WHERE id = 'own'")).isEqualTo(1);
        assertThat(run("DELETE FROM account WHERE id = 'own'")).isZero();
        assertThat(rows("SELECT * FROM account WHERE id = 'own'")).isEmpty();
        assertThat(run("INSERT INTO account (id, balance) VALUES ('own', 1)")).isEqualTo(1);
        assertThat(rows("SELECT * FROM account WHERE id = 'own'")).containsExactly(row("own", 1, null));
        connection.commit();
        assertThat(rows(other, "SELECT id, balance, owner FROM account WHERE id = 'own'"))
                .containsExactly(row("own", 1, null));
    }

    @Test
    void shouldRefuseAKeyThatIsThereAlready() throws SQLException {
        account("twice", 1);
        assertThatThrownBy(() -> run("INSERT INTO account (id, balance) VALUES ('twice', 2)"))
                .isInstanceOf(SQLIntegrityConstraintViolationException.class)
                .hasMessageContaining("twice")
                .extracting(e -> ((SQLException) e).getErrorCode())
                .isEqualTo(2627);
        run("INSERT INTO account (id, balance) VALUES ('twice2', 2)");
        assertThatThrownBy(() -> run("INSERT INTO account (id, balance) VALUES ('twice2', 3)"))
                .isInstanceOf(SQLIntegrityConstraintViolationException.class);
        connection.commit();
        assertThat(rows(other, BALANCE, "twice2")).containsExactly(row(2));
    }

    @Test
    void shouldChangeARowOfADrawnIdBeforeItIsThere() throws SQLException {
        int id = insert(connection, "INSERT INTO orders (customer) VALUES ('ann')");
        assertThat(run("UPDATE orders SET total = total + 1 WHERE id = ? AND customer = 'ann'", id))
                .isEqualTo(1);
        List<List<Object>> seen = rows("SELECT customer, total FROM orders WHERE id = ?", id);
        assertThat(seen).containsExactly(row("ann", new BigDecimal("2.50")));
        connection.commit();
        assertThat(rows(other, "SELECT customer, total FROM orders WHERE id = ?", id))
                .isEqualTo(seen);
        assertThat(rows(other, "SELECT placed FROM orders WHERE id = ?", id)
                        .get(0)
                        .get(0))
                .isNotNull();
        assertThat(run(other, "UPDATE orders SET total = 7 WHERE id = ?", id)).isEqualTo(1);
    }

    @Test
    void shouldCommitRowsOfSeveralPartitionsAndTables() throws SQLException {
        account("from", 10);
        account("to", 0);
        account("gone", 5);
        run("UPDATE account SET balance = balance - 4 WHERE id = 'from' AND balance >= 4");
        run("UPDATE account SET balance = balance + 4 WHERE id = 'to'");
        run("DELETE FROM account WHERE id = 'gone'");
        int id = insert(connection, "INSERT INTO orders (customer) VALUES ('transfer')");
        run("INSERT INTO line (orders, no, qty) VALUES (?, 1, 2)", id);
        run("INSERT INTO log (k, v) VALUES (?, 1)", id);
        connection.commit();
        assertThat(rows(other, BALANCE, "from")).containsExactly(row(6));
        assertThat(rows(other, BALANCE, "to")).containsExactly(row(4));
        assertThat(rows(other, BALANCE, "gone")).isEmpty();
        assertThat(rows(other, "SELECT customer FROM orders WHERE id = ?", id)).containsExactly(row("transfer"));
        assertThat(rows(other, "SELECT qty FROM line WHERE orders = ?", id)).containsExactly(row(2));
        assertThat(rows(other, "SELECT v FROM log WHERE k = ?", id)).containsExactly(row(1));
        // Nothing holds the rows.
        assertThat(run(other, "UPDATE account SET balance = 0 WHERE id = 'from'"))
                .isEqualTo(1);
        assertThat(run(other, "UPDATE line SET qty = 3 WHERE orders = ? AND no = 1", id))
                .isEqualTo(1);
    }

    @Test
    void shouldRunAgainOnWhatAnotherHasLeft() throws SQLException {
        account("raced", 10);
        account("beside", 10);
        assertThat(run("UPDATE account SET balance = balance - 1 WHERE id = 'raced' AND balance >= 1"))
                .isEqualTo(1);
        assertThat(run("UPDATE account SET owner = 'poor' WHERE id = 'raced' AND balance < 1"))
                .isZero();
        run("UPDATE account SET balance = balance + 1 WHERE id = 'beside'");
        assertThat(run(other, "UPDATE account SET balance = 3 WHERE id = 'raced'"))
                .isEqualTo(1);
        connection.commit();
        assertThat(rows(BALANCE, "raced")).containsExactly(row(2));
        assertThat(rows(BALANCE, "beside")).containsExactly(row(11));
    }

    @Test
    void shouldNotCommitIfACountWouldBeAnother() throws SQLException {
        account("emptied", 10);
        account("filled", 10);
        run("UPDATE account SET balance = balance - 5 WHERE id = 'emptied' AND balance >= 5");
        run("UPDATE account SET balance = balance + 5 WHERE id = 'filled'");
        assertThat(run(other, "UPDATE account SET balance = 3 WHERE id = 'emptied'"))
                .isEqualTo(1);
        assertThatThrownBy(connection::commit)
                .isInstanceOf(SQLTransactionRollbackException.class)
                .hasMessageContaining("nothing was written")
                .extracting(e -> ((SQLException) e).getErrorCode())
                .isEqualTo(1205);
        connection.rollback();
        assertThat(rows(BALANCE, "emptied")).containsExactly(row(3));
        assertThat(rows(BALANCE, "filled")).containsExactly(row(10));
        assertThat(run(other, "UPDATE account SET balance = 0 WHERE id = 'filled'"))
                .isEqualTo(1);
        run("UPDATE account SET balance = balance + 5 WHERE id = 'filled'");
        assertThat(run(other, "DELETE FROM account WHERE id = 'filled'")).isEqualTo(1);
        assertThatThrownBy(connection::commit).isInstanceOf(SQLTransactionRollbackException.class);
        assertThat(rows(BALANCE, "filled")).isEmpty();
    }

    @Test
    void shouldNotCommitOtherValuesThanItHasShown() throws SQLException {
        account("seen", 10);
        account("unseen", 10);
        run("UPDATE account SET balance = balance + 1 WHERE id = 'unseen'");
        run("UPDATE account SET balance = balance + 1 WHERE id = 'seen'");
        assertThat(rows(BALANCE, "seen")).containsExactly(row(11));
        assertThat(run(other, "UPDATE account SET balance = 3 WHERE id = 'unseen'"))
                .isEqualTo(1);
        connection.commit();
        assertThat(rows(BALANCE, "unseen")).containsExactly(row(4));
        run("UPDATE account SET balance = balance + 1 WHERE id = 'seen'");
        assertThat(rows("SELECT COUNT(*) FROM account WHERE id = 'seen' AND balance > 5"))
                .containsExactly(row(1L));
        assertThat(run(other, "UPDATE account SET balance = 3 WHERE id = 'seen'"))
                .isEqualTo(1);
        assertThatThrownBy(connection::commit).isInstanceOf(SQLTransactionRollbackException.class);
        assertThat(rows(BALANCE, "seen")).containsExactly(row(3));
    }

    @Test
    void shouldLetOthersChangeWhatItDoesNotRelyOn() throws SQLException {
        account("blind", 10);
        run("UPDATE account SET owner = 'ann' WHERE id = 'blind'");
        assertThat(run(other, "UPDATE account SET balance = 3 WHERE id = 'blind'"))
                .isEqualTo(1);
        connection.commit();
        assertThat(rows("SELECT balance, owner FROM account WHERE id = 'blind'"))
                .containsExactly(row(3, "ann"));
    }

    @Test
    void shouldCommitOnePartitionTogether() throws SQLException {
        run(other, "INSERT INTO line (orders, no, qty) VALUES (900, 1, 1)");
        run(other, "INSERT INTO line (orders, no, qty) VALUES (900, 2, 2)");
        run(other, "INSERT INTO line (orders, no, qty) VALUES (900, 4, 4)");
        assertThat(run("UPDATE line SET qty = qty + 10 WHERE orders = 900")).isEqualTo(3);
        assertThat(run("DELETE FROM line WHERE orders = 900 AND no = 2")).isEqualTo(1);
        assertThat(run("INSERT INTO line (orders, no, qty) VALUES (900, 3, 3)")).isEqualTo(1);
        assertThat(run("UPDATE line SET note = 'all' WHERE orders = 900 AND qty > 10"))
                .isEqualTo(2);
        List<List<Object>> seen = List.of(row(1, 11, "all"), row(3, 3, null), row(4, 14, "all"));
        assertThat(rows("SELECT no, qty, note FROM line WHERE orders = 900")).isEqualTo(seen);
        assertThat(rows("SELECT no AS n FROM line WHERE orders = 900 ORDER BY no DESC"))
                .containsExactly(row(4), row(3), row(1));
        assertThat(rows("SELECT TOP 2 no FROM line WHERE orders = 900 ORDER BY no"))
                .containsExactly(row(1), row(3));
        assertThat(rows("SELECT COUNT(*) FROM line WHERE orders = 900")).containsExactly(row(3L));
        assertThat(rows("SELECT no FROM line WHERE orders = 900 AND no IN (1, 2, 3)"))
                .containsExactly(row(1), row(3));
        // The server would not see them.
        assertThat(rows("SELECT SUM(qty) FROM line WHERE orders = 900")).containsExactly(row(28));
        connection.commit();
        assertThat(rows(other, "SELECT no, qty, note FROM line WHERE orders = 900"))
                .isEqualTo(seen);
    }

    @Test
    void shouldKeepWhatWasReadUnderALock() throws SQLException {
        account("read", 10);
        account("written", 1);
        assertThat(rows("SELECT balance FROM account WITH (UPDLOCK) WHERE id = 'read'"))
                .containsExactly(row(10));
        run("UPDATE account SET balance = 10 WHERE id = 'written'");
        assertThat(run(other, "UPDATE account SET balance = 11 WHERE id = 'read'"))
                .isEqualTo(1);
        assertThat(rows(BALANCE, "read")).as("repeatable").containsExactly(row(10));
        assertThatThrownBy(connection::commit)
                .extracting(e -> ((SQLException) e).getErrorCode())
                .isEqualTo(1205);
        assertThat(rows(BALANCE, "written")).containsExactly(row(1));
        assertThat(rows("SELECT balance FROM account WITH (UPDLOCK, ROWLOCK) WHERE id = 'read'"))
                .containsExactly(row(11));
        assertThat(run("UPDATE account SET balance = ? WHERE id = 'read'", 12)).isEqualTo(1);
        connection.commit();
        assertThat(rows(other, BALANCE, "read")).containsExactly(row(12));
    }

    /**
     * A row that nobody changes, as a lock of everything else. The second waits for some seconds, and then takes it; what the first has
     * read may be older than what the second writes.
     */
    @Test
    void shouldLetOneAloneHoldARowThatNobodyChanges() throws SQLException {
        String lock = "SELECT id FROM account WITH (XLOCK, ROWLOCK) WHERE id = 'mutex'";
        account("mutex", 0);
        account("one", 1);
        account("two", 1);
        other.setAutoCommit(false);
        assertThat(rows(lock)).hasSize(1);
        assertThat(rows(BALANCE, "one")).containsExactly(row(1));
        assertThat(rows(other, lock)).hasSize(1);
        assertThat(run(other, "UPDATE account SET balance = 0 WHERE id = 'one'"))
                .isEqualTo(1);
        other.commit();
        assertThat(run("UPDATE account SET balance = 0 WHERE id = 'two'")).isEqualTo(1);
        assertThatThrownBy(connection::commit)
                .isInstanceOf(SQLTransactionRollbackException.class)
                .hasMessageContaining("another transaction has locked the row since it was read")
                .extracting(e -> ((SQLException) e).getErrorCode())
                .isEqualTo(1205);
        assertThat(rows(BALANCE, "two")).containsExactly(row(1));
        assertThat(rows(lock)).hasSize(1);
        assertThat(run("UPDATE account SET balance = 0 WHERE id = 'two'")).isEqualTo(1);
        connection.commit();
        assertThat(rows(other, BALANCE, "two")).containsExactly(row(0));
    }

    /** Each reads a number without a lock of its own, and writes the next one, while it holds another row. */
    @Test
    void shouldWaitForWhoHoldsARow() throws Exception {
        account("turn", 0);
        account("number", 0);
        int threads = 3;
        int rounds = 10;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                all.add(pool.submit(() -> {
                    try (Connection own = cluster.open()) {
                        own.setAutoCommit(false);
                        for (int done = 0; done < rounds; ) {
                            done += isNextWritten(own) ? 1 : 0;
                        }
                        return null;
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } finally {
            pool.shutdownNow();
        }
        assertThat(rows(BALANCE, "number")).containsExactly(row(threads * rounds));
    }

    private static boolean isNextWritten(Connection own) throws SQLException {
        assertThat(rows(own, "SELECT id FROM account WITH (UPDLOCK) WHERE id = 'turn'"))
                .hasSize(1);
        int number = (Integer) rows(own, BALANCE, "number").get(0).get(0);
        run(own, "UPDATE account SET balance = ? WHERE id = 'number'", number + 1);
        try {
            own.commit();
            return true;
        } catch (SQLTransactionRollbackException e) {
            return false;
        }
    }

    @Test
    void shouldHoldARowNoLongerThanItsTransaction() throws SQLException {
        account("held", 0);
        String mark = "SELECT cassidy_tx FROM exact_transactions_it.account WHERE cassidy_eq_id = 'held'";
        CqlSession session = TestCluster.session();
        rows("SELECT id FROM account WITH (UPDLOCK) WHERE id = 'held'");
        assertThat(LockMark.isClaim(session.execute(mark).one().getByteBuffer(0)))
                .isTrue();
        connection.rollback();
        await().until(
                        () -> session.execute(mark).one().getByteBuffer(0),
                        found -> LockMark.isFree(found) && !LockMark.isClaim(found));
        rows("SELECT id FROM account WITH (UPDLOCK) WHERE id = 'held'");
        connection.commit();
        try (Connection closed = cluster.open()) {
            closed.setAutoCommit(false);
            rows(closed, "SELECT id FROM account WITH (UPDLOCK) WHERE id = 'held'");
        }
        await().until(() -> !LockMark.isClaim(session.execute(mark).one().getByteBuffer(0)));
        rows("SELECT id FROM account WITH (UPDLOCK) WHERE id = 'held'");
        connection.commit();
        ByteBuffer after = session.execute(mark).one().getByteBuffer(0);
        assertThat(LockMark.isFree(after) && !LockMark.isClaim(after)).isTrue();
    }

    /** Within one partition a commit is one conditional batch, without a record. That of the other leaves the same values. */
    @Test
    void shouldHoldARowOfThePartitionThatItChanges() throws SQLException {
        run(other, "INSERT INTO line (orders, no, qty) VALUES (77, 1, 1)");
        run(other, "INSERT INTO line (orders, no, qty) VALUES (77, 2, 1)");
        other.setAutoCommit(false);
        assertThat(rows("SELECT no, qty FROM line WITH (UPDLOCK) WHERE orders = 77 AND no = 1"))
                .containsExactly(row(1, 1));
        assertThat(run(other, "UPDATE line SET qty = 1 WHERE orders = 77 AND no = 1"))
                .isEqualTo(1);
        other.commit();
        assertThat(run("UPDATE line SET qty = 3 WHERE orders = 77 AND no = 2")).isEqualTo(1);
        assertThatThrownBy(connection::commit).isInstanceOf(SQLTransactionRollbackException.class);
        assertThat(rows("SELECT no, qty FROM line WHERE orders = 77")).containsExactly(row(1, 1), row(2, 1));
    }

    /** So many rows tell nobody that they are held: by their marks alone the commit learns of another, of one partition or of several. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldHoldManyRows(boolean several) throws SQLException {
        int order = several ? 7_902 : 7_901;
        for (int no = 0; no < 17; no++) {
            run(other, "INSERT INTO line (orders, no, qty) VALUES (?, ?, 1)", order, no);
        }
        account("many " + several, 1);
        other.setAutoCommit(false);
        assertThat(rows("SELECT no, qty FROM line WITH (UPDLOCK) WHERE orders = ?", order))
                .hasSize(17);
        assertThat(run(other, "UPDATE line SET qty = 1 WHERE orders = ? AND no = 5", order))
                .isEqualTo(1);
        if (several) {
            assertThat(run(other, "UPDATE account SET balance = 2 WHERE id = ?", "many " + several))
                    .isEqualTo(1);
        }
        other.commit();
        assertThat(run("UPDATE line SET qty = 3 WHERE orders = ? AND no = 2", order))
                .isEqualTo(1);
        assertThatThrownBy(connection::commit).isInstanceOf(SQLTransactionRollbackException.class);
        assertThat(rows("SELECT qty FROM line WHERE orders = ? AND no = 2", order))
                .containsExactly(row(1));
    }

    /** Its first try has locked the row that it holds, before it meets what another has changed, and has left a mark of its own there. */
    @Test
    void shouldHoldARowWhenItCommitsAgain() throws SQLException {
        account("again 1", 0);
        account("again 5", 10);
        account("again 6", 10);
        assertThat(rows("SELECT id FROM account WITH (UPDLOCK) WHERE id = 'again 1'"))
                .hasSize(1);
        run("UPDATE account SET balance = balance + 1 WHERE id = 'again 5'");
        run("UPDATE account SET balance = balance + 1 WHERE id = 'again 6'");
        assertThat(run(other, "UPDATE account SET balance = 20 WHERE id = 'again 5'"))
                .isEqualTo(1);
        connection.commit();
        assertThat(rows(BALANCE, "again 5")).containsExactly(row(21));
        assertThat(rows(BALANCE, "again 6")).containsExactly(row(11));
    }

    private static ByteBuffer mark(String id) {
        return TestCluster.session()
                .execute("SELECT cassidy_tx FROM exact_transactions_it.account WHERE cassidy_eq_id = ?", id)
                .one()
                .getByteBuffer(0);
    }

    /** Another transaction takes the row, which has waited for long enough. */
    private static ByteBuffer claimedByAnother(String id) {
        ByteBuffer claim = LockMark.claim(UUID.randomUUID());
        TestCluster.session()
                .execute(
                        "UPDATE exact_transactions_it.account SET cassidy_tx = ? WHERE cassidy_eq_id = ? IF EXISTS",
                        claim,
                        id);
        return claim;
    }

    private static final String LOCK = "SELECT id FROM account WITH (UPDLOCK) WHERE id = ?";

    @Test
    void shouldNotTakeBackARowThatItHasLost() throws SQLException {
        account("lost", 1);
        assertThat(rows(LOCK, "lost")).hasSize(1);
        ByteBuffer claim = claimedByAnother("lost");
        assertThatThrownBy(() -> rows(LOCK, "lost"))
                .isInstanceOf(SQLTransactionRollbackException.class)
                .hasMessageContaining("another transaction has locked a row")
                .extracting(e -> ((SQLException) e).getErrorCode())
                .isEqualTo(1205);
        assertThat(mark("lost")).isEqualTo(claim);
    }

    @Test
    void shouldWaitForAClaimNoLongerThanTheStatementMay() throws SQLException {
        account("timed", 1);
        ByteBuffer claim = claimedByAnother("timed");
        try (PreparedStatement statement = prepared(connection, LOCK, "timed")) {
            statement.setQueryTimeout(1);
            assertThatThrownBy(statement::executeQuery)
                    .isInstanceOf(SQLTimeoutException.class)
                    .hasMessageContaining("other transactions hold a row");
        }
        assertThat(mark("timed")).isEqualTo(claim);
    }

    /** The commit ends its claim on what it commits; of what was given up before, it takes the claim back. */
    @Test
    void shouldNotHoldARowThatASavepointHasGivenUp() throws SQLException {
        account("given up", 1);
        account("kept", 1);
        assertThat(rows(LOCK, "kept")).hasSize(1);
        Savepoint savepoint = connection.setSavepoint();
        assertThat(rows(LOCK, "given up")).hasSize(1);
        connection.rollback(savepoint);
        assertThat(LockMark.isClaim(mark("given up"))).isTrue();
        connection.commit();
        assertThat(LockMark.isClaim(mark("kept"))).isFalse();
        await().until(() -> mark("given up"), found -> LockMark.isFree(found) && !LockMark.isClaim(found));
    }

    @Test
    void shouldClaimARowThatItHoldsAmongMany() throws SQLException {
        for (int no = 0; no < 17; no++) {
            run(other, "INSERT INTO line (orders, no, qty) VALUES (7903, ?, 1)", no);
        }
        assertThat(rows("SELECT no FROM line WITH (UPDLOCK) WHERE orders = 7903"))
                .hasSize(17);
        assertThat(rows("SELECT no FROM line WITH (UPDLOCK) WHERE orders = 7903 AND no = 5"))
                .hasSize(1);
        assertThat(run("UPDATE line SET qty = 3 WHERE orders = 7903 AND no = 2"))
                .isEqualTo(1);
        connection.commit();
        assertThat(rows("SELECT qty FROM line WHERE orders = 7903 AND no = 2")).containsExactly(row(3));
    }

    /** Each holds a row, and waits for that of the other. */
    @Test
    void shouldLetOneOfTwoGoOnThatWaitForEachOther() throws Exception {
        account("deadlock 1", 0);
        account("deadlock 2", 0);
        other.setAutoCommit(false);
        assertThat(rows(LOCK, "deadlock 1")).hasSize(1);
        assertThat(rows(other, LOCK, "deadlock 2")).hasSize(1);
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            Future<Boolean> second = pool.submit(() -> isCommitted(other, "deadlock 1"));
            boolean first = isCommitted(connection, "deadlock 2");
            assertThat(List.of(first, second.get())).containsExactlyInAnyOrder(true, false);
        } finally {
            pool.shutdownNow();
        }
    }

    private static boolean isCommitted(Connection on, String locked) throws SQLException {
        try {
            assertThat(rows(on, LOCK, locked)).hasSize(1);
            on.commit();
            return true;
        } catch (SQLTransactionRollbackException e) {
            on.rollback();
            return false;
        }
    }

    /** What was written before is not run again on what others have left since. */
    @Test
    void shouldHoldARowThatItHasWrittenBefore() throws SQLException {
        account("held first", 1);
        assertThat(run("UPDATE account SET balance = 2 WHERE id = 'held first'"))
                .isEqualTo(1);
        assertThat(rows("SELECT id FROM account WITH (UPDLOCK) WHERE id = 'held first'"))
                .hasSize(1);
        other.setAutoCommit(false);
        assertThat(run(other, "UPDATE account SET balance = 3 WHERE id = 'held first'"))
                .isEqualTo(1);
        other.commit();
        assertThatThrownBy(connection::commit).isInstanceOf(SQLTransactionRollbackException.class);
        assertThat(rows(BALANCE, "held first")).containsExactly(row(3));
    }

    @Test
    void shouldRepeatReadsAtTheLevelsThatPromiseIt() throws SQLException {
        account("level", 10);
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        assertThat(rows(BALANCE, "level")).containsExactly(row(10));
        assertThatThrownBy(() -> rows("SELECT no FROM line WHERE orders = 987654"))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("REPEATABLE READ");
        assertThat(run(other, "UPDATE account SET owner = 'bob' WHERE id = 'level'"))
                .isEqualTo(1);
        run("UPDATE account SET balance = 1 WHERE id = 'from'");
        assertThatThrownBy(connection::commit).isInstanceOf(SQLTransactionRollbackException.class);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
            assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
            assertThatThrownBy(() -> statement.execute("SET TRANSACTION ISOLATION LEVEL SNAPSHOT"))
                    .hasMessageContaining("SNAPSHOT");
        }
        assertThat(rows("SELECT no FROM line WHERE orders = 987654")).isEmpty();
        assertThatThrownBy(() -> rows("SELECT v FROM log WITH (UPDLOCK) WHERE k = 1"))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("exact");
    }

    /** Of one partition, and with a record of several. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNameTheKeyThatAnotherHasInsertedBeforeTheCommit(boolean several) throws SQLException {
        String key = "it's " + several;
        int order = several ? 8_002 : 8_001;
        run("INSERT INTO line (orders, no, qty) VALUES (?, 7, 1)", order);
        if (several) {
            run("INSERT INTO account (id, balance) VALUES (?, 1)", "unhurt");
        }
        run(other, "INSERT INTO line (orders, no, qty) VALUES (?, 7, 2)", order);
        assertThatThrownBy(connection::commit)
                .isInstanceOf(SQLIntegrityConstraintViolationException.class)
                .hasMessage("Violation of PRIMARY KEY constraint. Cannot insert duplicate key in object"
                        + " 'exact_transactions_it.line'. The duplicate key value is (orders=" + order
                        + ", no=7); nothing was written. The transaction was rolled back")
                .extracting(e -> ((SQLException) e).getErrorCode())
                .isEqualTo(2627);
        assertThat(rows("SELECT qty FROM line WHERE orders = ?", order)).containsExactly(row(2));
        assertThat(rows(BALANCE, "unhurt")).isEmpty();

        run("INSERT INTO account (id, balance) VALUES (?, 1)", key);
        run(other, "INSERT INTO account (id, balance) VALUES (?, 2)", key);
        assertThatThrownBy(connection::commit).hasMessageContaining("(id='it''s " + several + "')");
    }

    @Test
    void shouldCommitNewRowsThatAreTooLargeForABatch() throws SQLException {
        List<Integer> ids = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            ids.add(insert(connection, "INSERT INTO orders (customer, note) VALUES ('big', ?)", "x".repeat(30_000)));
        }
        connection.commit();
        for (int id : ids) {
            assertThat(rows(other, "SELECT customer FROM orders WHERE id = ?", id))
                    .containsExactly(row("big"));
            assertThat(run(other, "UPDATE orders SET customer = 'free' WHERE id = ?", id))
                    .isEqualTo(1);
        }
    }

    @Test
    void shouldTakeNumbersOfAKeyForOneWhateverTheirScale() throws SQLException {
        run(other, "CREATE TABLE dec1 (p int, d decimal, n int, PRIMARY KEY (p, d))");
        assertThat(run("INSERT INTO dec1 (p, d, n) VALUES (1, 1.5, 1)")).isEqualTo(1);
        assertThatThrownBy(() -> run("INSERT INTO dec1 (p, d, n) VALUES (1, 1.50, 2)"))
                .isInstanceOf(SQLIntegrityConstraintViolationException.class);
        assertThat(run("UPDATE dec1 SET n += 2 WHERE p = 1 AND d = 1.500")).isEqualTo(1);
        connection.commit();
        assertThat(run("DELETE FROM dec1 WHERE p = 1 AND d = 1.50")).isEqualTo(1);
        assertThat(rows("SELECT n FROM dec1 WHERE p = 1")).isEmpty();
        connection.rollback();
        assertThat(rows("SELECT n FROM dec1 WHERE p = 1")).containsExactly(row(3));
        assertThat(run(other, "UPDATE dec1 SET n -= ? WHERE p = 1 AND d = 1.5", 1))
                .isEqualTo(1);
        assertThat(rows("SELECT n FROM dec1 WHERE p = 1")).containsExactly(row(2));
    }

    @Test
    void shouldKeepWhatAnUpdateHasNotFoundAtTheLevelsThatPromiseIt() throws SQLException {
        account("skew1", 1);
        account("skew2", 1);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        assertThat(run("UPDATE account SET balance = 9 WHERE id = 'skew1' AND owner = 'zzz'"))
                .isZero();
        assertThat(run("UPDATE account SET owner = 'q' WHERE id = 'skew2'")).isEqualTo(1);
        assertThat(run(other, "UPDATE account SET owner = 'zzz' WHERE id = 'skew1'"))
                .isEqualTo(1);
        assertThatThrownBy(connection::commit).isInstanceOf(SQLTransactionRollbackException.class);
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        assertThatThrownBy(() -> run("UPDATE line SET qty = 7 WHERE orders = 987654"))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("SERIALIZABLE");
        assertThat(run("UPDATE line SET qty = 7 WHERE orders = 987654 AND no IN (1, 2)"))
                .isZero();
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        connection.rollback();
    }

    @Test
    void shouldSetRowsBackToASavepoint() throws SQLException {
        account("save", 10);
        run("UPDATE account SET balance = 11 WHERE id = 'save'");
        run("INSERT INTO log (k, v) VALUES (-1, 1)");
        Savepoint savepoint = connection.setSavepoint("a");
        run("UPDATE account SET balance = 12 WHERE id = 'save'");
        run("INSERT INTO account (id, balance) VALUES ('save2', 1)");
        run("INSERT INTO log (k, v) VALUES (-2, 1)");
        connection.rollback(savepoint);
        assertThat(rows(BALANCE, "save")).containsExactly(row(11));
        assertThat(rows(BALANCE, "save2")).isEmpty();
        connection.commit();
        assertThat(rows(other, BALANCE, "save")).containsExactly(row(11));
        assertThat(rows(other, BALANCE, "save2")).isEmpty();
        assertThat(rows(other, "SELECT k FROM log WHERE k IN (-1, -2)")).containsExactly(row(-1));
    }

    @Test
    void shouldLeaveNothingOfAStatementThatFails() throws SQLException {
        run("INSERT INTO account (id, balance) VALUES ('first', 1)");
        assertThatThrownBy(() -> run("INSERT INTO account (id, balance) VALUES ('second', 1), ('first', 2)"))
                .isInstanceOf(SQLIntegrityConstraintViolationException.class);
        connection.commit();
        assertThat(rows(other, BALANCE, "first")).containsExactly(row(1));
        assertThat(rows(other, BALANCE, "second")).isEmpty();
    }

    @Test
    void shouldServeABatchWithinATransaction() throws SQLException {
        account("batch", 1);
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = ?")) {
            for (Object[] each : new Object[][] {{1, "batch"}, {1, "none"}, {2, "batch"}}) {
                update.setObject(1, each[0]);
                update.setObject(2, each[1]);
                update.addBatch();
            }
            assertThat(update.executeBatch()).containsExactly(1, 0, 1);
        }
        connection.rollback();
        assertThat(rows(BALANCE, "batch")).containsExactly(row(1));
    }

    @Test
    void shouldCountCommits() throws SQLException {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new TransactionMetrics().bindTo(registry);
        double committed = commits(registry, "committed");
        double conflicts = commits(registry, "conflict");
        account("counted1", 1);
        account("counted2", 1);
        run("UPDATE account SET balance = balance + 1 WHERE id = 'counted1'");
        run("UPDATE account SET balance = balance + 1 WHERE id = 'counted2'");
        connection.commit();
        run("INSERT INTO account (id, balance) VALUES ('counted3', 1)");
        run(other, "INSERT INTO account (id, balance) VALUES ('counted3', 2)");
        assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);

        // Other tests of the process count, too.
        assertThat(commits(registry, "committed")).isGreaterThanOrEqualTo(committed + 1);
        assertThat(commits(registry, "conflict")).isGreaterThanOrEqualTo(conflicts + 1);
        assertThat(registry.get("cassidy.transaction.locks.met").meters()).hasSize(2);
    }

    private static double commits(SimpleMeterRegistry registry, String outcome) {
        return registry.get("cassidy.transaction.commits")
                .tag("outcome", outcome)
                .functionCounter()
                .count();
    }
}
