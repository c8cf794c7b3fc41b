package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdentityType;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransactionIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @AutoClose
    private final Connection observer = cluster.open();

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("transaction_it");
        cluster.cql(
                "CREATE TABLE $.orders (id int PRIMARY KEY, customer text, qty int)",
                "CREATE TABLE $.notes (k text PRIMARY KEY, v text)",
                "CREATE TABLE $.hits (k text PRIMARY KEY, n counter)");
        cluster.identity("orders", "id", IdentityType.INT, 101);
    }

    @BeforeEach
    void beginTransaction() throws SQLException {
        connection.setAutoCommit(false);
    }

    private long order(String customer) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO orders (customer, qty) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS)) {
            insert.setString(1, customer);
            insert.setInt(2, 1);
            assertThat(insert.executeUpdate()).isEqualTo(1);
            try (ResultSet keys = insert.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                return keys.getLong(1);
            }
        }
    }

    private String customer(long id) throws SQLException {
        try (Statement select = observer.createStatement();
                ResultSet rows = select.executeQuery("SELECT customer FROM orders WHERE id = " + id)) {
            return rows.next() ? rows.getString(1) : null;
        }
    }

    private String note(String key) throws SQLException {
        try (PreparedStatement select = observer.prepareStatement("SELECT v FROM notes WHERE k = ?")) {
            select.setString(1, key);
            try (ResultSet rows = select.executeQuery()) {
                return rows.next() ? rows.getString(1) : null;
            }
        }
    }

    private int run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    @Test
    void shouldKnowTheIdBeforeTheCommitAndWriteAtTheCommit() throws SQLException {
        long id = order("Ada");
        run("INSERT INTO notes (k, v) VALUES ('commit', '" + id + "')");

        assertThat(customer(id)).isNull();
        assertThat(note("commit")).isNull();
        connection.commit();
        assertThat(customer(id)).isEqualTo("Ada");
        assertThat(note("commit")).isEqualTo(String.valueOf(id));
    }

    @Test
    void shouldDropTheWritesAtARollback() throws SQLException {
        long id = order("Ada");
        connection.rollback();
        connection.commit();

        assertThat(customer(id)).isNull();
        assertThat((Object) connection.getWarnings()).isNull();
    }

    @Test
    void shouldKeepTheOrderOfWritesToOneRow() throws SQLException {
        // With one timestamp for a batch, the greater value would win ('z' over 'a'), and a delete over any write.
        run("INSERT INTO notes (k, v) VALUES ('literal', 'z')");
        run("UPDATE notes SET v = 'a' WHERE k = 'literal'");
        run("DELETE FROM notes WHERE k = 'revived'");
        run("INSERT INTO notes (k, v) VALUES ('revived', 'alive')");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO notes (k, v) VALUES (?, ?)");
                PreparedStatement update = connection.prepareStatement("UPDATE notes SET v = ? WHERE k = ?");
                PreparedStatement mortal =
                        connection.prepareStatement("UPDATE notes USING TTL ? SET v = ? WHERE k = ?");
                PreparedStatement delete = connection.prepareStatement("DELETE FROM notes WHERE k = ?")) {
            insert.setString(1, "prepared");
            insert.setString(2, "z");
            insert.executeUpdate();
            update.setString(1, "y");
            update.setString(2, "prepared");
            update.executeUpdate();
            mortal.setInt(1, 3600);
            mortal.setString(2, "b");
            mortal.setString(3, "prepared");
            mortal.executeUpdate();
            insert.setString(1, "gone");
            insert.executeUpdate();
            delete.setString(1, "gone");
            delete.executeUpdate();
        }
        connection.commit();

        assertThat(note("literal")).isEqualTo("a");
        assertThat(note("revived")).isEqualTo("alive");
        assertThat(note("prepared")).isEqualTo("b");
        assertThat(note("gone")).isNull();
    }

    @Test
    void shouldOverwriteAWriteFromBetweenTheStatementAndTheCommit() throws SQLException {
        run("UPDATE notes SET v = 'mine, committed last' WHERE k = 'between'");
        try (Statement other = observer.createStatement()) {
            other.executeUpdate("UPDATE notes SET v = 'theirs' WHERE k = 'between'");
        }
        connection.commit();

        assertThat(note("between")).isEqualTo("mine, committed last");
    }

    @Test
    void shouldKeepTheTimestampOfAStatement() throws SQLException {
        run("INSERT INTO notes (k, v) VALUES ('own', 'old') USING TIMESTAMP 5");
        run("INSERT INTO notes (k, v) VALUES ('own', 'older') USING TIMESTAMP 4");
        connection.commit();

        assertThat(note("own")).isEqualTo("old");
    }

    @Test
    void shouldReadTheCommittedState() throws SQLException {
        long id = order("unseen");
        try (Statement select = connection.createStatement()) {
            assertThat(select.executeQuery("SELECT * FROM orders WHERE id = " + id)
                            .next())
                    .isFalse();
            ResultSet last = select.executeQuery("SELECT SCOPE_IDENTITY()");
            last.next();
            assertThat(last.getLong(1)).isEqualTo(id);
        }
    }

    @Test
    void shouldDeferBatchesAndSeveralRowsToTheCommitWithTheirKeys() throws SQLException {
        List<Long> ids = new ArrayList<>();
        try (PreparedStatement batch = connection.prepareStatement("INSERT INTO orders (customer) VALUES (?)", 1);
                PreparedStatement rows =
                        connection.prepareStatement("INSERT INTO orders (customer) VALUES (?), (?)", 1)) {
            for (int i = 0; i < 3; i++) {
                batch.setString(1, "batch " + i);
                batch.addBatch();
            }
            assertThat(batch.executeBatch()).containsExactly(1, 1, 1);
            rows.setString(1, "row 0");
            rows.setString(2, "row 1");
            assertThat(rows.executeUpdate()).isEqualTo(2);
            for (Statement statement : List.of(batch, rows)) {
                try (ResultSet keys = statement.getGeneratedKeys()) {
                    while (keys.next()) {
                        ids.add(keys.getLong(1));
                    }
                }
            }
        }
        assertThat(ids).hasSize(5).doesNotHaveDuplicates();
        assertThat(customer(ids.get(0))).isNull();
        connection.commit();
        assertThat(customer(ids.get(2))).isEqualTo("batch 2");
        assertThat(customer(ids.get(4))).isEqualTo("row 1");
    }

    @Test
    void shouldLeaveNothingBehindAfterAStatementThatFailsHalfway() throws SQLException {
        try (PreparedStatement rows =
                connection.prepareStatement("INSERT INTO orders (customer, qty) VALUES ('half', ?), ('half', ?)")) {
            rows.setInt(1, 1);
            rows.setLong(2, 5_000_000_000L);
            assertThatThrownBy(rows::executeUpdate).hasFieldOrPropertyWithValue("SQLState", "22003");
        }
        connection.commit();

        try (Statement select = observer.createStatement()) {
            assertThat(select.executeQuery("SELECT * FROM orders WHERE customer = 'half' ALLOW FILTERING")
                            .next())
                    .isFalse();
        }
    }

    @Test
    void shouldCommitWhenAutoCommitIsTurnedOn() throws SQLException {
        long committed = order("turned on");
        connection.setAutoCommit(true);

        assertThat(customer(committed)).isEqualTo("turned on");
    }

    @Test
    void shouldDropTheWritesWhenTheConnectionCloses() throws SQLException {
        long dropped = order("closed");
        connection.close();

        assertThat(customer(dropped)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO notes (k, v) VALUES ('c', 'x') IF NOT EXISTS",
                "UPDATE notes SET v = 'x' WHERE k = 'c' IF EXISTS",
                "UPDATE hits SET n = n + 1 WHERE k = 'c'",
                "TRUNCATE notes",
                "BEGIN BATCH INSERT INTO notes (k, v) VALUES ('c', 'x') APPLY BATCH"
            })
    void shouldRefuseStatementsThatCannotBeDeferredAndNameTheWayOut(String sql) throws SQLException {
        assertThatThrownBy(() -> run(sql))
                .hasMessageContaining("setAutoCommit(true)")
                .hasMessageContaining("transactions=immediate")
                .hasFieldOrPropertyWithValue("SQLState", "HYC00");
        connection.commit();
        assertThat(note("c")).isNull();
    }

    /** By literals alone too, whose text would otherwise be sent at the commit. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE orders SET qty = qty - 1 WHERE id = 5",
                "UPDATE orders SET nothing = 1 WHERE id = 5",
                "UPDATE orders SET qty = 'many' WHERE id = 5",
                "DELETE FROM orders OUTPUT deleted.id WHERE customer = 'x'",
                "UPDATE nowhere SET qty = 1 WHERE id = 5",
            })
    void shouldRefuseWhenAStatementIsMadeAndNotAtTheCommit(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.executeUpdate(sql)).isInstanceOf(SQLException.class);
        }
        connection.commit();
    }

    @Test
    void shouldSayThatAChangeOfTheSchemaIsNotUndone() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("CREATE TABLE made_within (k int PRIMARY KEY)");
            assertThat(statement.getWarnings().getMessage()).contains("CREATE takes effect at once");
        }
    }

    @Test
    void shouldRefuseATransactionThatIsTooLargeAndNotSplitIt() throws SQLException {
        String large = "x".repeat(30_000);
        for (int i = 0; i < 4; i++) {
            run("INSERT INTO notes (k, v) VALUES ('large " + i + "', '" + large + "')");
        }

        assertThatThrownBy(connection::commit)
                .hasMessageContaining("batch_size_fail_threshold")
                .hasFieldOrPropertyWithValue("SQLState", "54000");
        connection.rollback();
        assertThat(note("large 0")).isNull();
    }

    @Test
    void shouldSendImmediatelyIfRequestedAndWarnThatARollbackCannotUndoIt() throws SQLException {
        try (Connection immediate = DriverManager.getConnection(cluster.url() + "&transactions=immediate")) {
            immediate.setAutoCommit(false);
            try (Statement statement = immediate.createStatement()) {
                statement.executeUpdate("INSERT INTO notes (k, v) VALUES ('immediate', 'stays')");
                statement.executeUpdate("INSERT INTO notes (k, v) VALUES ('once', 'x') IF NOT EXISTS");
            }
            assertThat(note("immediate")).isEqualTo("stays");
            immediate.rollback();

            assertThat(note("immediate")).isEqualTo("stays");
            assertThat(immediate.getWarnings().getMessage())
                    .contains("2 writes were sent at once and stay: rollback cannot undo them");
            assertThat(immediate.getMetaData().supportsTransactions()).isFalse();
        }
    }
}
