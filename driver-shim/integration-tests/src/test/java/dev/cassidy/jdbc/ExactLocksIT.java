package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.cql.Row;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Statements that meet rows which a transaction holds whose process has ended. */
class ExactLocksIT {

    private static final String KEYSPACE = "exact_locks_it";

    private static final HeldRows ROWS = new HeldRows(KEYSPACE + ".line");

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void create() throws SQLException {
        cluster = TestCluster.fresh(KEYSPACE);
        TestCluster.install("cassidy");
        try (Connection connection = cluster.open();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE line (o INT, no INT, qty INT, PRIMARY KEY (o, no))");
        }
    }

    private int run(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }

    private List<List<Object>> rows(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
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

    private static List<Object> row(Object... values) {
        return Arrays.asList(values);
    }

    private static Row stored(int o, int no) {
        return TestCluster.session()
                .execute("SELECT * FROM " + KEYSPACE + ".line WHERE o = ? AND no = ?", o, no)
                .one();
    }

    private void lines(int o, int... numbers) throws SQLException {
        for (int no : numbers) {
            run("INSERT INTO line (o, no, qty) VALUES (?, ?, ?)", o, no, 10 * no);
        }
    }

    @Test
    void shouldNotShowARowThatIsAboutToBeInserted() throws SQLException {
        lines(1, 1, 2);
        ROWS.placeholder(HeldRows.pending(), 1, 9);
        assertThat(rows("SELECT * FROM line WHERE o = 1")).containsExactly(row(1, 1, 10), row(1, 2, 20));
        assertThat(rows("SELECT no FROM line WHERE o = 1 AND no = 9")).isEmpty();
        assertThat(rows("SELECT TOP 1 no FROM line WHERE o = 1 ORDER BY no DESC"))
                .as("what is left out does not use up the limit")
                .containsExactly(row(2));
        assertThat(rows("SELECT TOP (?) no AS n FROM line WHERE o = ? ORDER BY no DESC", 2, 1))
                .containsExactly(row(2), row(1));
        assertThat(rows("SELECT COUNT(*) FROM line WHERE o = 1")).containsExactly(row(2L));
        assertThat(rows("SELECT SUM(qty) FROM line WHERE o = 1")).containsExactly(row(30));
        assertThat(rows("SELECT CAST(qty AS BIGINT) FROM line WHERE o = 1")).hasSize(2);
        assertThat(rows("SELECT qty FROM line WHERE (o = 1 AND no = 1) OR (o = 1 AND no = 9)"))
                .containsExactly(row(10));
        assertThat(stored(1, 9)).as("readers abort nothing").isNotNull();
    }

    @Test
    void shouldReleaseWhatNoTransactionHoldsAnyMore() throws SQLException {
        lines(2, 1);
        UUID ended = UUID.randomUUID();
        ROWS.hold(ended, 2, 1);
        ROWS.placeholder(ended, 2, 2);
        assertThat(rows("SELECT MAX(no) FROM line WHERE o = 2")).containsExactly(row(1));
        assertThat(stored(2, 2)).isNull();
        assertThat(rows("SELECT qty FROM line WHERE o = 2 AND no = 1")).containsExactly(row(10));
        assertThat(run("UPDATE line SET qty = 11 WHERE o = 2 AND no = 1")).isEqualTo(1);
    }

    @Test
    void shouldAbortWhoHoldsARowTooLong() throws SQLException {
        lines(3, 1, 2, 3);
        UUID slow = HeldRows.pending();
        ROWS.hold(slow, 3, 1);
        ROWS.hold(slow, 3, 2);
        ROWS.hold(slow, 3, 3);
        ROWS.placeholder(slow, 3, 4);
        assertThat(rows("SELECT qty FROM line WHERE o = 3 AND no = 1"))
                .as("the standing values")
                .containsExactly(row(10));
        assertThat(run("UPDATE line SET qty = qty + 1 WHERE o = 3 AND no = 1")).isEqualTo(1);
        assertThat(HeldRows.state(slow)).isEqualTo("ABORTED");
        assertThat(run("DELETE FROM line WHERE o = 3 AND no = 2")).isEqualTo(1);
        assertThatThrownBy(() -> run("INSERT INTO line (o, no, qty) VALUES (3, 3, 0)"))
                .isInstanceOf(SQLIntegrityConstraintViolationException.class);
        assertThat(run("INSERT INTO line (o, no, qty) VALUES (3, 4, 40)")).isEqualTo(1);
        assertThat(rows("SELECT no, qty FROM line WHERE o = 3")).containsExactly(row(1, 11), row(3, 30), row(4, 40));
    }

    @Test
    void shouldCommitOverALockThatWasLeft() throws SQLException {
        lines(4, 1);
        lines(5, 1);
        UUID left = UUID.randomUUID();
        ROWS.hold(left, 4, 1);
        ROWS.placeholder(left, 5, 2);
        connection.setAutoCommit(false);
        assertThat(run("UPDATE line SET qty = qty + 1 WHERE o IN (4, 5) AND no = 1"))
                .isEqualTo(2);
        run("INSERT INTO line (o, no, qty) VALUES (5, 2, 20)");
        connection.commit();
        assertThat(rows("SELECT o, no, qty FROM line WHERE o IN (4, 5)"))
                .containsExactly(row(4, 1, 11), row(5, 1, 11), row(5, 2, 20));
    }

    /** Each entry does what the statement alone does. */
    /** Of which it is known that nothing was written, and nobody is held up by it. */
    @Test
    void shouldNotWaitWithoutEndToCommit() throws SQLException {
        lines(20, 1);
        lines(21, 1);
        UUID slow = HeldRows.pending(100_000);
        connection.setAutoCommit(false);
        run("UPDATE line SET qty = 7 WHERE o = 20 AND no = 1");
        run("UPDATE line SET qty = 7 WHERE o = 21 AND no = 1");
        ROWS.hold(slow, 21, 1);
        connection.setNetworkTimeout(Runnable::run, 200);

        assertThatThrownBy(connection::commit)
                .hasMessageContaining("nothing was written: the time for its commit was over")
                .hasMessageContaining("(after 1216 ms: 6 times the limit of a request")
                .hasFieldOrPropertyWithValue("SQLState", "40001")
                .hasFieldOrPropertyWithValue("errorCode", 1205);

        connection.setNetworkTimeout(Runnable::run, 0);
        assertThat(HeldRows.state(slow)).isEqualTo("PENDING");
        run("UPDATE line SET qty = 8 WHERE o = 20 AND no = 1");
        connection.commit();
        assertThat(stored(20, 1).getInt("qty")).isEqualTo(8);
        assertThat(stored(21, 1).getInt("qty")).isEqualTo(10);
    }

    @Test
    void shouldRunTheEntriesOfABatchOverLocks() throws SQLException {
        for (int o = 10; o < 20; o++) {
            lines(o, 1, 3);
        }
        UUID slow = HeldRows.pending();
        UUID left = UUID.randomUUID();
        ROWS.hold(slow, 10, 1);
        ROWS.hold(left, 11, 1);
        ROWS.placeholder(left, 12, 2);
        ROWS.placeholder(slow, 13, 2);
        ROWS.hold(slow, 14, 3);
        ROWS.hold(left, 15, 3);
        for (String sql : List.of(
                "UPDATE line SET qty = qty + 1 WHERE o = ? AND no = 1",
                "UPDATE line SET qty = 7 WHERE o = ? AND no = 3 AND qty = 30",
                "INSERT INTO line (o, no, qty) VALUES (?, 2, 20)",
                "UPDATE line SET qty = qty - 1 WHERE o = ? AND no = 1 AND qty > 9",
                "DELETE FROM line WHERE o = ? AND no = 3 AND qty = 7")) {
            try (PreparedStatement batch = connection.prepareStatement(sql)) {
                for (int o = 10; o < 20; o++) {
                    batch.setInt(1, o);
                    batch.addBatch();
                }
                // A DELETE reads no row before: it meets the lock itself.
                ROWS.hold(left, 16, 3);
                assertThat(batch.executeBatch()).as(sql).hasSize(10).containsOnly(1);
            }
        }
        for (int o = 10; o < 20; o++) {
            assertThat(rows("SELECT no, qty FROM line WHERE o = ?", o)).containsExactly(row(1, 10), row(2, 20));
        }
    }
}
