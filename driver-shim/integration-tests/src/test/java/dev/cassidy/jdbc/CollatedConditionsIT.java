package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Writes of exact tables compare strings as SQL Server does: by the column's collation. */
class CollatedConditionsIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @AutoClose
    private final Connection other = cluster.open();

    @BeforeAll
    static void create() throws SQLException {
        cluster = TestCluster.fresh("collated_conditions_it");
        TestCluster.install("cassidy");
        try (Connection connection = cluster.open();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE ticket (id INT PRIMARY KEY, status VARCHAR(20), owner NVARCHAR(20), n INT,"
                    + " cs NVARCHAR(20) COLLATE Latin1_General_CS_AS, ai NVARCHAR(20) COLLATE Latin1_General_CI_AI,"
                    + " bin NVARCHAR(20) COLLATE Latin1_General_BIN2, unknown NVARCHAR(20) COLLATE Hungarian_CI_AS,"
                    + " fixed CHAR(8))");
            statement.execute("CREATE TABLE item (orders INT, no INT, status NVARCHAR(20), PRIMARY KEY (orders, no))");
        }
    }

    @BeforeEach
    void fill() throws SQLException {
        run("DELETE FROM ticket WHERE id IN (1, 2, 3)");
        run("INSERT INTO ticket (id, status, n, cs, ai, bin, unknown, fixed)"
                + " VALUES (1, 'Open', 5, 'Open', N'Crème', 'Open', 'Open', 'Open')");
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

    private static List<Object> column(Connection on, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = on.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            List<Object> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(rows.getObject(1));
                }
            }
            return found;
        }
    }

    private List<Object> column(String sql, Object... parameters) throws SQLException {
        return column(connection, sql, parameters);
    }

    // ---- one row

    /** What SQL Server counts, for a row with 'Open', and N'Crème' in ai. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "status = 'open' | 1",
                "status = 'OPEN  ' | 1",
                "status = N'oPen' | 1",
                "'open' = status | 1",
                "status LIKE 'open' | 1",
                "status = 'opén' | 0",
                "status = 'closed' | 0",
                "status = ' open' | 0",
                "status <> 'open' | 0",
                "status != 'OPEN ' | 0",
                "status <> 'closed' | 1",
                "status <> 'closed' AND status <> 'OPEN' | 0",
                "status <> 'closed' AND status <> 'new' | 1",
                "status IN ('closed', 'open') | 1",
                "status IN ('closed', NULL, 'OPEN ') | 1",
                "status IN ('closed', NULL) | 0",
                "(status = 'closed' OR status = 'open') | 1",
                "status = 'open' AND n = 5 | 1",
                "status = 'open' AND n > 5 | 0",
                "status = 'open' AND status IS NOT NULL | 1",
                "owner = 'ann' | 0",
                "owner <> 'ann' | 0",
                "owner IN ('ann', 'bob') | 0",
                "status = NULL | 0",
                "cs = 'Open ' | 1",
                "cs = 'open' | 0",
                "cs <> 'open' | 1",
                "ai = 'CREME' | 1",
                "ai <> N'crèmé' | 0",
                "fixed = 'OPEN' | 1",
                "fixed <> 'open' | 0",
                // Of a binary collation, bytes, by the column or by the statement; and of one that is not known here.
                "bin = 'Open' | 1",
                "bin = 'open' | 0",
                "bin <> 'open' | 1",
                "status COLLATE Latin1_General_BIN2 = 'open' | 0",
                "status COLLATE Latin1_General_BIN2 = 'Open' | 1",
                "(status COLLATE Latin1_General_BIN2) <> 'open' | 1",
                "'open' = status COLLATE Latin1_General_BIN2 | 0",
                "(status COLLATE Latin1_General_BIN2 = 'open' OR status = 'x') | 0",
                "status = 'open' COLLATE Latin1_General_BIN2 | 0",
                "unknown = 'Open' | 1",
                "unknown = 'open' | 0",
            })
    void shouldCountAsSqlServerDoes(String condition, int count) throws SQLException {
        assertThat(run("UPDATE ticket SET owner = 'ann' WHERE id = 1 AND " + condition))
                .isEqualTo(count);
        assertThat(column("SELECT owner FROM ticket WHERE id = 1")).containsExactly(count == 1 ? "ann" : null);
        assertThat(column("SELECT status FROM ticket WHERE id = 1")).containsExactly("Open");
        run("UPDATE ticket SET owner = NULL WHERE id = 1");

        // Within a transaction, and in a batch.
        connection.setAutoCommit(false);
        assertThat(run("UPDATE ticket SET owner = 'bob' WHERE id = 1 AND " + condition))
                .isEqualTo(count);
        connection.commit();
        connection.setAutoCommit(true);
        assertThat(column("SELECT owner FROM ticket WHERE id = 1")).containsExactly(count == 1 ? "bob" : null);
        run("UPDATE ticket SET owner = NULL WHERE id = 1");
        try (Statement batch = connection.createStatement()) {
            batch.addBatch("UPDATE ticket SET owner = 'cy' WHERE id = 1 AND " + condition);
            batch.addBatch("DELETE FROM ticket WHERE id = 1 AND owner = 'CY' AND " + condition);
            assertThat(batch.executeBatch()).containsExactly(count, count);
        }
        fill();
        assertThat(run("DELETE FROM ticket WHERE id = 1 AND " + condition)).isEqualTo(count);
        assertThat(column("SELECT id FROM ticket")).hasSize(1 - count);
    }

    /** One condition by bytes and another one by the collation: which is which, nobody knows any more when they are run. */
    @Test
    void shouldRefuseBothWaysOfOneColumn() {
        String where = " WHERE id = 1 AND status = 'open' AND status COLLATE Latin1_General_BIN2 <> 'OPEN'";
        for (String sql : List.of("UPDATE ticket SET status = 'OPEN'" + where, "DELETE FROM ticket" + where)) {
            assertThatThrownBy(() -> run(sql)).as(sql).hasMessageContaining("one with a binary COLLATE");
        }
    }

    /** For LIKE, a blank at the end of the pattern counts; of VARCHAR it is not known whether it has to be there. */
    @Test
    void shouldCompareWithAPatternThatEndsWithABlank() throws SQLException {
        assertThat(run("UPDATE ticket SET n = 1 WHERE id = 1 AND status LIKE 'open '"))
                .isZero();
        assertThat(run("UPDATE ticket SET n = 1 WHERE id = 1 AND status LIKE ?", "open "))
                .isZero();
        run("UPDATE ticket SET status = 'Open ' WHERE id = 1");
        assertThatThrownBy(() -> run("UPDATE ticket SET n = 1 WHERE id = 1 AND status LIKE 'open '"))
                .hasMessageContaining("it is not known whether");
        assertThat(column("SELECT n FROM ticket WHERE id = 1")).containsExactly(5);
        // A parameter is an NVARCHAR.
        assertThat(run("UPDATE ticket SET n = 1 WHERE id = 1 AND status LIKE ?", "open "))
                .isEqualTo(1);
    }

    /** The server would judge one row of each group. */
    @Test
    void shouldLeaveGroupsToTheServer() throws SQLException {
        run("DELETE FROM item WHERE orders = 9");
        run("INSERT INTO item (orders, no, status) VALUES (9, 1, 'closed'), (9, 2, 'open')");

        assertThat(column("SELECT orders FROM item WHERE orders = 9 AND status = 'open' GROUP BY orders"))
                .containsExactly(9);
    }

    @Test
    void shouldDescribeParametersBesideALiteralOfAUniqueValue() throws SQLException {
        run("CREATE TABLE described (id INT PRIMARY KEY, email NVARCHAR(50) UNIQUE, name NVARCHAR(20))");
        try (PreparedStatement statement =
                connection.prepareStatement("UPDATE described SET name = ? WHERE email = 'a@b'")) {
            assertThat(statement.getParameterMetaData().getParameterCount()).isEqualTo(1);
            assertThat(statement.getParameterMetaData().getParameterTypeName(1)).isEqualTo("nvarchar");
        }
    }

    @Test
    void shouldTakeEachKindOfParameter() throws SQLException {
        String sql = "UPDATE ticket SET n = n + 1 WHERE id = ? AND status = ?";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, 1);
            statement.setString(2, "OPEN");
            assertThat(statement.executeUpdate()).isEqualTo(1);
            statement.setNString(2, "open ");
            assertThat(statement.executeUpdate()).isEqualTo(1);
            statement.setCharacterStream(2, new StringReader("oPEN"));
            assertThat(statement.executeUpdate()).isEqualTo(1);
            statement.setObject(2, "opeN", Types.NVARCHAR);
            assertThat(statement.executeUpdate()).isEqualTo(1);
            statement.setNull(2, Types.VARCHAR);
            assertThat(statement.executeUpdate()).isZero();
            statement.setInt(2, 7);
            assertThat(statement.executeUpdate()).isZero();
            assertThat(statement.getParameterMetaData().getParameterType(2)).isEqualTo(Types.VARCHAR);
        }
        assertThat(run(
                        "UPDATE ticket SET owner = ? WHERE id = ? AND status IN (?, ?, ?)",
                        "ann",
                        1,
                        "new",
                        null,
                        "OPEN"))
                .isEqualTo(1);
        assertThat(run("UPDATE ticket SET owner = ? WHERE id = ? AND status <> ?", "bob", 1, "OPEN"))
                .isZero();
        assertThat(run("DELETE owner FROM ticket WHERE id = ? AND status = ?", 1, "OPEN"))
                .isEqualTo(1);
        assertThat(column("SELECT n FROM ticket WHERE id = 1 AND n = 9")).containsExactly(9);
    }

    @Test
    void shouldFindNoRowThatIsMissing() throws SQLException {
        assertThat(run("UPDATE ticket SET owner = 'ann' WHERE id = 9 AND status = 'open'"))
                .isZero();
        assertThat(run("UPDATE ticket SET owner = 'ann' WHERE id = 9 AND status <> 'open'"))
                .isZero();
        assertThat(run("DELETE FROM ticket WHERE id = 9 AND status = 'open'")).isZero();
        assertThat(run("DELETE FROM ticket WHERE id = 9 AND status <> 'open'")).isZero();
        assertThat(column("SELECT id FROM ticket WHERE id = 9")).isEmpty();
    }

    // ---- several rows

    @Test
    void shouldCompareEachOfSeveralRows() throws SQLException {
        run("DELETE FROM item WHERE orders = 1");
        run(
                "INSERT INTO item (orders, no, status) VALUES (1, 1, 'Open'), (1, 2, 'OPEN'), (1, 3, 'closed'), (1, 4, NULL)");

        assertThat(run("UPDATE item SET status = 'taken' WHERE orders = 1 AND status = 'open'"))
                .isEqualTo(2);
        assertThat(column("SELECT no FROM item WHERE orders = 1")).containsExactly(1, 2, 3, 4);
        assertThat(run("UPDATE item SET status = 'x' WHERE orders = 1 AND no IN (1, 2, 3, 4) AND status <> 'TAKEN'"))
                .isEqualTo(1);
        assertThat(run("DELETE FROM item WHERE orders = 1 AND no > 1 AND status IN ('X', 'Taken')"))
                .isEqualTo(2);
        assertThat(column("SELECT no FROM item WHERE orders = 1")).containsExactly(1, 4);

        try (PreparedStatement batch =
                connection.prepareStatement("UPDATE item SET status = ? WHERE orders = 1 AND no = ? AND status = ?")) {
            String[] compared = {"TAKEN", "open", "DONE"};
            for (String each : compared) {
                batch.setString(1, "Done");
                batch.setInt(2, 1);
                batch.setString(3, each);
                batch.addBatch();
            }
            assertThat(batch.executeBatch()).containsExactly(1, 0, 1);
        }
    }

    // ---- transactions

    @Test
    void shouldCompareWhatTheTransactionHasWritten() throws SQLException {
        connection.setAutoCommit(false);
        assertThat(run("UPDATE ticket SET status = 'Taken' WHERE id = 1 AND status = 'OPEN'"))
                .isEqualTo(1);
        assertThat(run("UPDATE ticket SET owner = 'ann' WHERE id = 1 AND status = 'open'"))
                .isZero();
        assertThat(run("UPDATE ticket SET owner = 'bob' WHERE id = 1 AND status = 'TAKEN '"))
                .isEqualTo(1);
        run("INSERT INTO ticket (id, status) VALUES (2, 'New')");
        assertThat(run("UPDATE ticket SET owner = 'cy' WHERE id = 2 AND status = 'new'"))
                .isEqualTo(1);
        assertThat(run("DELETE FROM ticket WHERE id IN (1, 2) AND status <> 'TAKEN'"))
                .isEqualTo(1);
        connection.commit();

        assertThat(column("SELECT owner FROM ticket WHERE id = 1")).containsExactly("bob");
        assertThat(column("SELECT id FROM ticket WHERE id = 2")).isEmpty();
        connection.commit();
    }

    /** Where SQL Server makes a statement wait for others, it is run again on what they have left. */
    @Test
    void shouldCompareAgainWhenOthersHaveChangedTheRow() throws SQLException {
        connection.setAutoCommit(false);
        assertThat(run("UPDATE ticket SET owner = 'ann' WHERE id = 1 AND status = 'OPEN'"))
                .isEqualTo(1);
        run(other, "UPDATE ticket SET status = 'oPeN' WHERE id = 1");
        connection.commit();
        assertThat(column(other, "SELECT owner FROM ticket WHERE id = 1")).containsExactly("ann");

        assertThat(run("UPDATE ticket SET owner = 'bob' WHERE id = 1 AND status = 'OPEN'"))
                .isEqualTo(1);
        run(other, "UPDATE ticket SET status = 'closed' WHERE id = 1");
        assertThatThrownBy(connection::commit).isInstanceOf(SQLTransactionRollbackException.class);
        assertThat(column(other, "SELECT owner FROM ticket WHERE id = 1")).containsExactly("ann");

        // A row that was not found is relied on as well, once the transaction has written it.
        run("UPDATE ticket SET n = 1 WHERE id = 1");
        assertThat(run("UPDATE ticket SET owner = 'cy' WHERE id = 1 AND status = 'OPEN'"))
                .isZero();
        run(other, "UPDATE ticket SET status = 'Open' WHERE id = 1");
        assertThatThrownBy(connection::commit).isInstanceOf(SQLTransactionRollbackException.class);
        connection.setAutoCommit(true);
    }

    // ---- queries

    /** Within a partition, a SELECT finds what a write with the same WHERE finds. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "status = 'open' | 1",
                "status = 'OPEN  ' | 1",
                "'open' = status | 1",
                "status = 'opén' | 0",
                "status IN ('closed', NULL, 'OPEN ') | 1",
                "status IN ('closed', 'new') | 0",
                "(status = 'closed' OR status = 'open') | 1",
                "status = 'open' AND n = 5 | 1",
                "status = 'open' AND n > 5 | 0",
                "n = 5 AND status = 'open' AND ai = 'creme' | 1",
                "owner = 'ann' | 0",
                "cs = 'open' | 0",
                "ai = 'CREME' | 1",
                "fixed = 'OPEN' | 1",
                "bin = 'open' | 0",
                "bin = 'Open' | 1",
                "status COLLATE Latin1_General_BIN2 = 'open' | 0",
                "status = 'open' COLLATE Latin1_General_BIN2 | 0",
                "status COLLATE Latin1_General_BIN2 = 'Open' | 1",
                "unknown = 'open' | 0",
                "unknown = 'Open' | 1",
            })
    void shouldFindWhatSqlServerFinds(String condition, int count) throws SQLException {
        for (boolean within : new boolean[] {false, true}) {
            connection.setAutoCommit(!within);
            if (within) {
                // Of a row that the transaction has written, and of one that it has not.
                run("INSERT INTO ticket (id, status, n, cs, ai, bin, unknown, fixed)"
                        + " VALUES (2, 'Open', 5, 'Open', N'Crème', 'Open', 'Open', 'Open')");
            }
            for (int id = 1; id <= (within ? 2 : 1); id++) {
                String where = " FROM ticket WHERE id = " + id + " AND " + condition;
                List<Object> ids = count == 1 ? List.of(id) : List.of();
                assertThat(column("SELECT id" + where)).isEqualTo(ids);
                assertThat(column("SELECT TOP 1 *" + where)).isEqualTo(ids);
                assertThat(column("SELECT COUNT(*)" + where)).containsExactly((long) count);
            }
            if (within) {
                connection.rollback();
            }
        }
        connection.setAutoCommit(true);
    }

    @Test
    void shouldLeaveOutRowsOfAPartition() throws SQLException {
        run("DELETE FROM item WHERE orders = 7");
        run(
                "INSERT INTO item (orders, no, status) VALUES (7, 1, 'closed'), (7, 2, 'Open'), (7, 3, NULL), (7, 4, 'OPEN'),"
                        + " (7, 5, 'open')");

        assertThat(column("SELECT no FROM item WHERE orders = ? AND status = ?", 7, "oPen "))
                .containsExactly(2, 4, 5);
        assertThat(column("SELECT TOP 2 no FROM item WHERE orders = ? AND status = ? ORDER BY no", 7, "oPen"))
                .containsExactly(2, 4);
        assertThat(column("SELECT TOP (?) no FROM item WHERE status = ? AND orders = ? AND no > ?", 1, "OPEN", 7, 2))
                .containsExactly(4);
        assertThat(column("SELECT no FROM item WHERE orders = 7 AND status = 'OPEN' ORDER BY no DESC"))
                .containsExactly(5, 4, 2);
        assertThat(column("SELECT COUNT(*) AS found FROM item WHERE orders = 7 AND status IN ('OPEN', 'CLOSED')"))
                .containsExactly(4L);
        assertThat(column("SELECT no FROM item WHERE orders IN (6, 7) AND no IN (1, 2) AND status = 'OPEN'"))
                .containsExactly(2);
        assertThat(column("SELECT TOP 1 no FROM item WHERE ((orders = 7 AND no = 1) OR (orders = 7 AND no = 2)"
                        + " OR (orders = 7 AND no = 4)) AND status = 'open'"))
                .hasSize(1)
                .isSubsetOf(2, 4);
        try (PreparedStatement paged =
                connection.prepareStatement("SELECT no, status FROM item WHERE orders = 7 AND status = 'open'")) {
            paged.setFetchSize(1);
            assertThat(paged.getMetaData().getColumnCount()).isEqualTo(2);
            try (ResultSet rows = paged.executeQuery()) {
                List<String> found = new ArrayList<>();
                while (rows.next()) {
                    found.add(rows.getInt("no") + rows.getString("status"));
                }
                assertThat(found).containsExactly("2Open", "4OPEN", "5open");
            }
        }
        connection.setAutoCommit(false);
        run("UPDATE item SET status = 'OpEn' WHERE orders = 7 AND no = 1");
        run("UPDATE item SET status = 'closed' WHERE orders = 7 AND no = 4");
        assertThat(column("SELECT no FROM item WHERE orders = 7 AND status = 'open'"))
                .containsExactly(1, 2, 5);
        assertThat(column("SELECT TOP 2 no FROM item WHERE orders = 7 AND status = 'open'"))
                .containsExactly(1, 2);
        assertThat(column("SELECT COUNT(*) FROM item WHERE orders = 7 AND status = 'open'"))
                .containsExactly(3L);
        connection.rollback();
        connection.setAutoCommit(true);
    }

    /** The plan shows what is sent. */
    @Test
    void shouldTellWhatTheDriverCompares() throws SQLException {
        run("SET SHOWPLAN_TEXT ON");
        assertThat(column("SELECT owner FROM ticket WHERE id = 1 AND status = 'open' AND n = 5"))
                .endsWith(
                        "  |--Direct: read by the key of collated_conditions_it.ticket; the driver compares strings by their"
                                + " collation",
                        "       SELECT owner FROM ticket WHERE id = 1 AND n = 5 ALLOW FILTERING");
        assertThat(column("SELECT owner FROM ticket WHERE id = 1 AND bin = 'open'"))
                .endsWith(
                        "  |--Direct: read by the key of collated_conditions_it.ticket",
                        "       SELECT owner FROM ticket WHERE id = 1 AND bin = 'open' ALLOW FILTERING");
        assertThat(column("UPDATE ticket SET owner = 'ann' WHERE id = 1 AND status = 'open'"))
                .endsWith(
                        "  |--Direct: written under conditions, at the serial level, after a read",
                        "       UPDATE ticket SET owner = 'ann' WHERE id = 1 IF cassidy_tx >= 0xff AND status = ?");
        assertThat(column("DELETE FROM ticket WHERE id = 1 AND status = 'open'"))
                .endsWith(
                        "  |--Direct: written under conditions, at the serial level",
                        "       DELETE FROM ticket WHERE id = 1 IF cassidy_tx >= 0xff AND status = ?");
        assertThat(column("DELETE FROM ticket WHERE id = 1 AND status <> 'open'"))
                .contains("  |--Direct: written under conditions, at the serial level, after a read");
    }

    // ---- races

    private static <T> List<T> atOnce(int threads, Callable<T> task) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Callable<T>> tasks = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                tasks.add(task);
            }
            List<T> results = new ArrayList<>();
            for (Future<T> each : pool.invokeAll(tasks)) {
                results.add(each.get());
            }
            return results;
        } finally {
            pool.shutdownNow();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "UPDATE ticket SET status = 'taken' WHERE id = ? AND status = 'OPEN'",
                "UPDATE ticket SET status = 'taken' WHERE id = ? AND status <> 'TAKEN'",
                "DELETE FROM ticket WHERE id = ? AND status = 'OPEN'",
            })
    void shouldLetOneOfManyHaveARow(String sql) throws Exception {
        int threads = 4;
        int rounds = 10;
        CyclicBarrier barrier = new CyclicBarrier(threads);
        List<List<Integer>> counts = atOnce(threads, () -> {
            try (Connection own = cluster.open()) {
                List<Integer> ofThread = new ArrayList<>();
                for (int round = 0; round < rounds; round++) {
                    if (barrier.await() == 0) {
                        run(own, "DELETE FROM ticket WHERE id = 3");
                        run(own, "INSERT INTO ticket (id, status) VALUES (3, 'Open')");
                    }
                    barrier.await();
                    ofThread.add(run(own, sql, 3));
                }
                return ofThread;
            }
        });
        for (int round = 0; round < rounds; round++) {
            int counted = 0;
            for (List<Integer> ofThread : counts) {
                counted += ofThread.get(round);
            }
            assertThat(counted).as("round " + round).isEqualTo(1);
        }
    }

    /** The row meets the condition at each moment, however often its spelling changes. */
    @Test
    void shouldCountARowWhoseSpellingChanges() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService pool = Executors.newSingleThreadExecutor();
        Future<Integer> respelling = pool.submit(() -> {
            int count = 0;
            try (Connection own = cluster.open()) {
                while (!done.get()) {
                    count += run(own, "UPDATE ticket SET status = ? WHERE id = 1", count % 2 == 0 ? "OPEN" : "open");
                }
            }
            return count;
        });
        try {
            for (int i = 0; i < 60; i++) {
                assertThat(run("UPDATE ticket SET n = n + 1 WHERE id = 1 AND status = 'oPeN'"))
                        .isEqualTo(1);
                assertThat(run("UPDATE ticket SET owner = 'ann' WHERE id = 1 AND status = 'oPeN'"))
                        .isEqualTo(1);
            }
            assertThat(run("DELETE FROM ticket WHERE id = 1 AND status = 'oPeN'"))
                    .isEqualTo(1);
        } finally {
            done.set(true);
            pool.shutdown();
        }
        assertThat(respelling.get()).isPositive();
    }
}
