package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdentityType;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.HashSet;
import java.util.Set;
import java.util.TimeZone;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Errors that were measured in com.ing.data:cassandra-jdbc-wrapper 4.16.3, one test for each. */
class OtherWrappersDefectsIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    private Statement statement;

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("other_wrappers_it");
        cluster.cql(
                "CREATE TABLE $.v (k int PRIMARY KEY, c_decimal decimal, c_int int, c_bigint bigint, c_timestamp timestamp,"
                        + " c_text text)",
                "CREATE TABLE $.big (id bigint PRIMARY KEY, v text)",
                "CREATE TABLE $.product (id int PRIMARY KEY, name text)");
        cluster.identity("product", "id", IdentityType.INT, 1);
    }

    @BeforeEach
    void createStatement() throws SQLException {
        statement = connection.createStatement();
    }

    private void insert(String column, int key, Object value) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO v (k, " + column + ") VALUES (?, ?)")) {
            insert.setInt(1, key);
            insert.setObject(2, value);
            insert.executeUpdate();
        }
    }

    private ResultSet row(String column, int key) throws SQLException {
        ResultSet rows = statement.executeQuery("SELECT " + column + " FROM v WHERE k = " + key);
        assertThat(rows.next()).isTrue();
        return rows;
    }

    @Test
    void shouldStoreADoubleInADecimalExactly() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO v (k, c_decimal) VALUES (1, ?)")) {
            insert.setDouble(1, 7.5);
            insert.executeUpdate();
        }
        assertThat(row("c_decimal", 1).getBigDecimal(1)).isEqualByComparingTo(new BigDecimal("7.5"));
    }

    @Test
    void shouldRefuseALongThatAnIntCannotHold() throws SQLException {
        assertThatThrownBy(() -> insert("c_int", 2, 5_000_000_000L)).hasFieldOrPropertyWithValue("SQLState", "22003");
        assertThat(statement.executeQuery("SELECT * FROM v WHERE k = 2").next()).isFalse();
    }

    @Test
    void shouldRefuseToCutABigintToAnInt() throws SQLException {
        insert("c_bigint", 3, 5_000_000_000L);
        ResultSet rows = row("c_bigint", 3);
        assertThatThrownBy(() -> rows.getInt(1)).hasFieldOrPropertyWithValue("SQLState", "22003");
        assertThat(rows.getLong(1)).isEqualTo(5_000_000_000L);
    }

    @Test
    void shouldStoreAnInstant() throws SQLException {
        Instant instant = Instant.parse("2024-07-01T10:00:00.123Z");
        insert("c_timestamp", 4, instant);
        assertThat(row("c_timestamp", 4).getObject(1, Instant.class)).isEqualTo(instant);
    }

    @Test
    void shouldAcceptAnIntForABigintKey() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO big (id, v) VALUES (?, 'x')")) {
            insert.setInt(1, 42);
            assertThat(insert.executeUpdate()).isEqualTo(1);
        }
        assertThat(statement.executeQuery("SELECT v FROM big WHERE id = 42").next())
                .isTrue();
    }

    @Test
    void shouldKeepPreparedStatementsIndependent() throws SQLException {
        String sql = "INSERT INTO v (k, c_text) VALUES (?, ?)";
        try (PreparedStatement one = connection.prepareStatement(sql);
                PreparedStatement two = connection.prepareStatement(sql)) {
            assertThat(one).isNotSameAs(two);
            one.setInt(1, 61);
            two.setInt(1, 62);
            one.setString(2, "one");
            assertThatThrownBy(two::executeUpdate).hasMessageContaining("Parameter 2 was never set");
            two.setString(2, "two");
            one.executeUpdate();
            two.executeUpdate();
            one.close();
            assertThatThrownBy(one::executeUpdate).hasMessageContaining("is closed");
            assertThat(two.executeUpdate()).isEqualTo(1);
        }
        assertThat(row("c_text", 61).getString(1)).isEqualTo("one");
        assertThat(row("c_text", 62).getString(1)).isEqualTo("two");
    }

    @Test
    void shouldReturnKeysAndCounts() throws SQLException {
        String sql = "INSERT INTO product (name) VALUES ('Kettle')";
        try (PreparedStatement insert = connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
            assertThat(insert.executeUpdate()).isEqualTo(1);
            assertThat(insert.executeLargeUpdate()).isEqualTo(1);
            insert.addBatch();
            assertThat(insert.executeLargeBatch()).containsExactly(1);
            try (ResultSet keys = insert.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                assertThat(keys.getInt(1)).isPositive();
            }
        }
        assertThat(statement.executeLargeUpdate(sql)).isEqualTo(1);
        assertThat(statement.getGeneratedKeys()).isNotNull();
    }

    @Test
    void shouldAcceptAnIsolationLevelAndARollback() throws SQLException {
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        assertThatCode(connection::rollback).doesNotThrowAnyException();
        connection.setAutoCommit(false);
        statement.executeUpdate("INSERT INTO v (k, c_int) VALUES (8, 8)");
        assertThatCode(connection::rollback).doesNotThrowAnyException();
        assertThat(statement.executeQuery("SELECT * FROM v WHERE k = 8").next()).isFalse();
    }

    @Test
    void shouldNotRetainClosedStatements() throws SQLException {
        CassidyConnection ours = connection.unwrap(CassidyConnection.class);
        int before = ours.openStatements();
        for (int i = 0; i < 1_000; i++) {
            connection.prepareStatement("SELECT * FROM v WHERE k = ?").close();
        }
        assertThat(ours.openStatements()).isEqualTo(before);
    }

    @Test
    void shouldLeaveNoThreadsBehindAfterIsValid() throws SQLException {
        assertThat(connection.isValid(60)).isTrue();
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        for (int i = 0; i < 100; i++) {
            assertThat(connection.isValid(60)).isTrue();
        }
        Set<Thread> more = new HashSet<>(Thread.getAllStackTraces().keySet());
        more.removeAll(before);
        // Other code may start one or two threads in the meantime.
        assertThat(more).hasSizeLessThan(20);
    }

    @Test
    void shouldDistinguishErrorsByClassAndState() {
        assertThatThrownBy(() -> statement.execute("SELEC * FROM v"))
                .isInstanceOf(SQLSyntaxErrorException.class)
                .hasFieldOrPropertyWithValue("SQLState", "42000");
        assertThatThrownBy(() -> statement.executeQuery("SELECT * FROM nowhere"))
                .isInstanceOf(SQLSyntaxErrorException.class)
                .hasFieldOrPropertyWithValue("SQLState", "42S02");
    }

    @Test
    void shouldNotShiftALocalDateTimeByTheZone() throws SQLException {
        TimeZone zone = TimeZone.getDefault();
        try {
            TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
            LocalDateTime local = LocalDateTime.of(2024, 7, 1, 12, 0);
            insert("c_timestamp", 12, local);
            assertThat(row("c_timestamp", 12).getObject(1, LocalDateTime.class)).isEqualTo(local);
        } finally {
            TimeZone.setDefault(zone);
        }
    }

    @Test
    void shouldNotReadOrWriteFilesOnBehalfOfSqlText(@TempDir Path folder) throws Exception {
        Path script = Files.writeString(folder.resolve("s.cql"), "INSERT INTO v (k, c_int) VALUES (13, 13);");
        Path target = folder.resolve("t.csv");

        assertThatThrownBy(() -> statement.execute("SOURCE '" + script + "'"))
                .hasFieldOrPropertyWithValue("SQLState", "42000");
        assertThatThrownBy(() -> statement.execute("COPY v TO '" + target + "'"))
                .hasFieldOrPropertyWithValue("SQLState", "42000");
        assertThat(target).doesNotExist();
        assertThat(statement.executeQuery("SELECT * FROM v WHERE k = 13").next())
                .isFalse();
    }
}
