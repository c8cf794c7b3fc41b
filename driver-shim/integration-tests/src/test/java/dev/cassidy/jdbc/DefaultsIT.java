package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cassidy.cql.IdentitySession;
import dev.cassidy.sequence.IdentityType;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** DEFAULT in T-SQL's definitions, and the rows that get it. */
class DefaultsIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("defaults_it");
        cluster.cql("CREATE TABLE $.installs_cassidy (id int PRIMARY KEY)");
        cluster.identity("installs_cassidy", "id", IdentityType.INT, 1);
    }

    private int run(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }

    private List<Object> row(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                assertThat(rows.next()).isTrue();
                List<Object> row = new ArrayList<>();
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    row.add(rows.getObject(i));
                }
                return row;
            }
        }
    }

    private String warnings(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            StringBuilder all = new StringBuilder();
            for (Throwable each = statement.getWarnings();
                    each instanceof SQLException warning;
                    each = warning.getNextException()) {
                all.append(warning.getMessage()).append('\n');
            }
            return all.toString();
        }
    }

    @Test
    void shouldFillInWhatAnInsertLeavesOut() throws SQLException {
        run(
                "CREATE TABLE orders (id INT IDENTITY PRIMARY KEY, customer NVARCHAR(50) NOT NULL, state NVARCHAR(10) NOT NULL"
                        + " CONSTRAINT DF_state DEFAULT (N'it''s new'), qty INT DEFAULT ((0)), price MONEY DEFAULT $1.50, open_ BIT"
                        + " DEFAULT (CONVERT([bit],(1))), placed DATETIME DEFAULT (getdate()), code UNIQUEIDENTIFIER DEFAULT"
                        + " (newid()), born DATE DEFAULT '2024-02-29', weight FLOAT DEFAULT (-2.5), raw VARBINARY(9) DEFAULT 0xCAFE)");
        Instant before = Instant.now().minusSeconds(5);
        run("INSERT INTO orders (customer) VALUES (?)", "prepared");
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO orders (customer) VALUES ('literal')");
            statement.executeUpdate("INSERT INTO orders (customer, state, qty) VALUES ('word', DEFAULT, 5)");
        }
        for (int id = 1; id <= 3; id++) {
            List<Object> row =
                    row("SELECT state, qty, price, open_, born, weight, placed, code FROM orders WHERE id = ?", id);
            assertThat(row.subList(0, 6))
                    .containsExactly(
                            "it's new",
                            id == 3 ? 5 : 0,
                            new BigDecimal("1.5000"),
                            true,
                            java.sql.Date.valueOf("2024-02-29"),
                            -2.5);
            assertThat(((Timestamp) row.get(6)).toInstant())
                    .isBetween(before, Instant.now().plusSeconds(5));
            assertThat(row.get(7)).isNotNull();
        }
        assertThat((byte[]) row("SELECT raw FROM orders WHERE id = 1").get(0)).containsExactly(0xCA, 0xFE);
    }

    @Test
    void shouldLeaveWhatIsGiven() throws SQLException {
        run("CREATE TABLE given (id INT IDENTITY PRIMARY KEY, a INT DEFAULT 1, b NVARCHAR(9) DEFAULT 'x')");
        run("INSERT INTO given (a, b) VALUES (?, ?)", null, null);
        assertThat(row("SELECT a, b FROM given WHERE id = 1")).containsOnlyNulls();
        run("INSERT INTO given (a, b) VALUES (NULL, '')");
        assertThat(row("SELECT a, b FROM given WHERE id = 2")).containsExactly(null, "");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO given (b) VALUES (?)")) {
            insert.setNull(1, Types.VARCHAR);
            insert.executeUpdate();
        }
        assertThat(row("SELECT a, b FROM given WHERE id = 3")).containsExactly(1, null);
        run("UPDATE given SET b = 'y' WHERE id = 3");
        assertThat(row("SELECT a, b FROM given WHERE id = 3")).containsExactly(1, "y");
    }

    @Test
    void shouldGiveAStatementOneTimeAndEachRowItsUuid() throws SQLException {
        run(
                "CREATE TABLE stamps (id INT PRIMARY KEY, at DATETIME DEFAULT GETDATE(), code UNIQUEIDENTIFIER DEFAULT NEWID())");
        StringBuilder many = new StringBuilder("INSERT INTO stamps (id) VALUES (0)");
        for (int i = 1; i < 200; i++) {
            many.append(", (").append(i).append(')');
        }
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate(many.toString())).isEqualTo(200);
        }
        HashSet<Object> times = new HashSet<>();
        HashSet<Object> codes = new HashSet<>();
        for (int i = 0; i < 200; i++) {
            List<Object> row = row("SELECT at, code FROM stamps WHERE id = ?", i);
            times.add(row.get(0));
            codes.add(row.get(1));
        }
        assertThat(times).hasSize(1);
        assertThat(codes).hasSize(200);
    }

    @Test
    void shouldMakeKeys() throws SQLException {
        run("CREATE SEQUENCE numbers AS INT START WITH 10 INCREMENT BY 5");
        run("CREATE TABLE uuids (id UNIQUEIDENTIFIER PRIMARY KEY DEFAULT NEWID(), name NVARCHAR(50))");
        run(
                "CREATE TABLE numbered (id INT PRIMARY KEY DEFAULT (NEXT VALUE FOR numbers), same INT DEFAULT (NEXT VALUE FOR"
                        + " numbers), name NVARCHAR(50))");
        run("INSERT INTO uuids (name) VALUES (?)", "a");
        run("INSERT INTO uuids (name) VALUES ('b')");
        run("INSERT INTO uuids DEFAULT VALUES");
        assertThat(row("SELECT COUNT(*) FROM uuids")).containsExactly(3L);
        for (int i = 0; i < 3; i++) {
            run("INSERT INTO numbered (name) VALUES (?)", "n" + i);
        }
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id, same FROM numbered")) {
            List<Integer> ids = new ArrayList<>();
            while (rows.next()) {
                assertThat(rows.getInt("same")).isEqualTo(rows.getInt("id"));
                ids.add(rows.getInt("id"));
            }
            assertThat(ids).containsExactlyInAnyOrder(10, 15, 20);
        }
    }

    @Test
    void shouldFillBatchesAndTransactions() throws SQLException {
        run(
                "CREATE TABLE batched (id INT IDENTITY PRIMARY KEY, name NVARCHAR(19), state NVARCHAR(9) DEFAULT 'new', at DATETIME"
                        + " DEFAULT GETDATE())");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO batched (name) VALUES (?)", 1)) {
            for (int i = 0; i < 50; i++) {
                insert.setString(1, "n" + i);
                insert.addBatch();
            }
            assertThat(insert.executeBatch()).hasSize(50);
        }
        connection.setAutoCommit(false);
        run("INSERT INTO batched (name) VALUES (?)", "in transaction");
        run("INSERT INTO batched (name) VALUES ('literal'), (DEFAULT)");
        connection.commit();
        connection.setAutoCommit(true);
        for (int id = 1; id <= 53; id++) {
            List<Object> row = row("SELECT state, at FROM batched WHERE id = ?", id);
            assertThat(row.get(0)).isEqualTo("new");
            assertThat(row.get(1)).isNotNull();
        }
    }

    @Test
    void shouldAddAndDropDefaultsOfATable() throws SQLException {
        run("CREATE TABLE changed (id INT IDENTITY PRIMARY KEY, a INT, b INT)");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO changed (a) VALUES (?)")) {
            insert.setInt(1, 1);
            insert.executeUpdate();
            run("ALTER TABLE changed ADD CONSTRAINT DF_b DEFAULT (7) FOR b");
            insert.executeUpdate();
            assertThat(warnings("ALTER TABLE changed ADD c NVARCHAR(9) NOT NULL DEFAULT 'c'"))
                    .contains("UPDATE defaults_it.changed SET c = 'c' WHERE id = ?");
            insert.executeUpdate();
            run("ALTER TABLE changed DROP CONSTRAINT df_B");
            insert.executeUpdate();
        }
        assertThat(row("SELECT b, c FROM changed WHERE id = 1")).containsOnlyNulls();
        assertThat(row("SELECT b, c FROM changed WHERE id = 2")).containsExactly(7, null);
        assertThat(row("SELECT b, c FROM changed WHERE id = 3")).containsExactly(7, "c");
        assertThat(row("SELECT b, c FROM changed WHERE id = 4")).containsExactly(null, "c");
        assertThatThrownBy(() -> run("ALTER TABLE changed DROP CONSTRAINT fk_of_old"))
                .hasFieldOrPropertyWithValue("errorCode", 3728);
        cluster.cql("CREATE TABLE $.changed_by_cql (id int PRIMARY KEY)");
        assertThat(warnings("ALTER TABLE changed_by_cql DROP CONSTRAINT fk_of_old"))
                .contains("left out", "fk_of_old");
        run("ALTER TABLE changed ADD CONSTRAINT again DEFAULT 8 FOR b");
        run("INSERT INTO changed (a) VALUES (1)");
        assertThat(row("SELECT b FROM changed WHERE id = 5")).containsExactly(8);
        assertThatThrownBy(() -> run("ALTER TABLE changed ADD DEFAULT 9 FOR b"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(1781))
                .hasMessageContaining("DROP CONSTRAINT again");
        assertThatThrownBy(() -> run("ALTER TABLE changed ADD DEFAULT 9 FOR id"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(1754));
        assertThatThrownBy(() -> run("ALTER TABLE changed ADD DEFAULT 9 FOR missing"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(1752));
    }

    @Test
    void shouldForgetWhatWasDropped() throws SQLException {
        run("CREATE TABLE dropped (id INT PRIMARY KEY, a INT DEFAULT 1, b INT DEFAULT 2)");
        run("ALTER TABLE dropped DROP COLUMN b");
        run("INSERT INTO dropped (id) VALUES (?)", 1);
        assertThat(row("SELECT a FROM dropped WHERE id = 1")).containsExactly(1);
        run("DROP TABLE dropped");
        run("CREATE TABLE dropped (id INT PRIMARY KEY, a INT, b INT)");
        run("INSERT INTO dropped (id) VALUES (?)", 1);
        assertThat(row("SELECT a, b FROM dropped WHERE id = 1")).containsOnlyNulls();
        // Dropped by other means, and created again by T-SQL.
        run("ALTER TABLE dropped ADD DEFAULT 5 FOR a");
        cluster.cql("DROP TABLE $.dropped");
        await().until(() -> !connection
                .unwrap(IdentitySession.class)
                .getMetadata()
                .getKeyspace("defaults_it")
                .orElseThrow()
                .getTable("dropped")
                .isPresent());
        run("CREATE TABLE dropped (id INT PRIMARY KEY, a INT, c BIT DEFAULT 1)");
        run("INSERT INTO dropped (id) VALUES (1)");
        assertThat(row("SELECT a, c FROM dropped WHERE id = 1")).containsExactly(null, true);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "a INT DEFAULT 'x' | DEFAULT 'x' of column a",
                "a SMALLINT DEFAULT 40000 | DEFAULT 40000 of column a",
                "a DATE DEFAULT '2024-02-30' | DEFAULT '2024-02-30' of column a",
                "a INT DEFAULT GETDATE() | DEFAULT GETDATE() needs a column of type datetime, date or time: column a is int",
                "a NVARCHAR(30) DEFAULT GETDATE() | DEFAULT GETDATE() needs a column of type datetime, date or time: column a is text",
                "a INT DEFAULT NEWID() | DEFAULT NEWID() needs a column of type uniqueidentifier or text: column a is int",
                "a NVARCHAR(9) DEFAULT (NEXT VALUE FOR s) | needs a column of type bigint, int or smallint: column a is text",
                "a NVARCHAR(9) DEFAULT (suser_sname()) | DEFAULT (suser_sname()) is not supported",
            })
    void shouldRefuseADefaultThatItsColumnCannotTake(String column, String message) throws SQLException {
        assertThatThrownBy(() -> run("CREATE TABLE refused (id INT PRIMARY KEY, " + column + ")"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining(message);
        assertThat(connection
                        .getMetaData()
                        .getTables(null, "defaults_it", "refused", null)
                        .next())
                .isFalse();
    }

    @Test
    void shouldTellDefaultsInTheMetadata() throws SQLException {
        run("CREATE TABLE described (id INT PRIMARY KEY, a INT DEFAULT ((0)), b INT)");
        ResultSet columns = connection.getMetaData().getColumns(null, "defaults_it", "described", "%");
        List<String> found = new ArrayList<>();
        while (columns.next()) {
            found.add(columns.getString("COLUMN_NAME") + "=" + columns.getString("COLUMN_DEF"));
        }
        assertThat(found).containsExactlyInAnyOrder("id=null", "a=((0))", "b=null");
    }

    @Test
    void shouldGiveDefaultsInOutput() throws SQLException {
        run(
                "CREATE TABLE shown (id INT IDENTITY PRIMARY KEY, a INT DEFAULT 4, at DATETIME DEFAULT GETDATE(), name NVARCHAR(9))");
        assertThat(row("INSERT INTO shown (name) OUTPUT INSERTED.id, INSERTED.a VALUES (?)", "x"))
                .containsExactly(1, 4);
        assertThatThrownBy(() -> row("INSERT INTO shown (name) OUTPUT INSERTED.at VALUES (?)", "x"))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("OUTPUT INSERTED.at");
        assertThat(row("SELECT COUNT(*) FROM shown")).containsExactly(1L);
    }
}
