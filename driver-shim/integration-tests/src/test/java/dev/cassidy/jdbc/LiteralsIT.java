package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.sequence.IdentityType;
import java.math.BigDecimal;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Literals that SQL Server and Cassandra read differently. */
class LiteralsIT {

    private static TestCluster cluster;
    private final TimeZone zone = TimeZone.getDefault();

    @AutoClose
    private Connection connection;

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("literals_it");
        cluster.cql(
                "CREATE TABLE $.t (id int PRIMARY KEY, active boolean, n int, at timestamp, born date, clock time, name text,"
                        + " r float, f double, d decimal, days list<date>, moments map<text, timestamp>, pair tuple<int, date>)",
                "CREATE TABLE $.events (p int, at timestamp, n int, PRIMARY KEY (p, at))",
                "CREATE TABLE $.flags (active boolean PRIMARY KEY, n int)",
                "CREATE TABLE $.numbered (id int PRIMARY KEY, active boolean)");
        cluster.identity("numbered", "id", IdentityType.INT, 1);
    }

    @BeforeEach
    void connectInAnotherTimeZone() throws SQLException {
        // A time zone different from the server's, which is the one that this JVM started with.
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kolkata"));
        connection = cluster.connect();
    }

    @AfterEach
    void restoreTimeZone() {
        TimeZone.setDefault(zone);
    }

    private int run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private List<Object> values(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<Object> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getObject(1));
            }
            return values;
        }
    }

    @Test
    void shouldAcceptOneAndZeroForABit() throws SQLException {
        run("INSERT INTO [dbo].[t] (id, active, n) VALUES (1, 1, 1), (2, 0, 0), (3, '1', 1)");
        assertThat(values("SELECT active FROM t WHERE id IN (1, 2, 3)")).containsExactly(true, false, true);
        run("UPDATE t SET active = 0, n = 0 WHERE id = 1");
        assertThat(values("SELECT active FROM t WHERE id = 1")).containsExactly(false);
        assertThat(values("SELECT n FROM t WHERE id = 1")).containsExactly(0);
        run("INSERT INTO flags (active, n) VALUES (1, 7)");
        assertThat(values("SELECT n FROM flags WHERE active = 1")).containsExactly(7);
        assertThat(values("SELECT n FROM flags WHERE active IN (0, 1)")).containsExactly(7);
        assertThat(values("SELECT TOP 1 f.n FROM literals_it.flags f WHERE f.[active] = 1"))
                .containsExactly(7);
        run("DELETE FROM flags WHERE active = 1");
        assertThat(values("SELECT n FROM flags WHERE active = 1")).isEmpty();
        run("UPDATE t SET n = 5 WHERE id = 1 IF active = 0");
        assertThat(values("SELECT n FROM t WHERE id = 1")).containsExactly(5);
        assertThatThrownBy(() -> run("UPDATE t SET active = 2 WHERE id = 1")).isInstanceOf(SQLDataException.class);
    }

    @Test
    void shouldAcceptThemWithGeneratedKeys() throws SQLException {
        try (Statement insert = connection.createStatement();
                ResultSet rows =
                        insert.executeQuery("INSERT INTO numbered (active) OUTPUT INSERTED.active VALUES (1), (0)")) {
            rows.next();
            assertThat(rows.getString(1)).isEqualTo("1");
            rows.next();
            assertThat(rows.getString(1)).isEqualTo("0");
        }
        assertThat(values("SELECT active FROM numbered WHERE id = 1")).containsExactly(true);
    }

    @Test
    void shouldAcceptThemInPreparedStatementsAndBatches() throws SQLException {
        try (PreparedStatement late = connection.prepareStatement("UPDATE later SET active = 1 WHERE id = ?")) {
            run("CREATE TABLE later (id INT NOT NULL PRIMARY KEY, active BIT) WITH (plain)");
            late.setInt(1, 5);
            late.executeUpdate();
        }
        assertThat(values("SELECT active FROM later")).containsExactly(true);
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO t (id, active, n) VALUES (?, 0, ?)")) {
            for (int id = 10; id < 12; id++) {
                insert.setInt(1, id);
                insert.setInt(2, id);
                insert.addBatch();
            }
            insert.executeBatch();
            assertThat(insert.getParameterMetaData().getParameterCount()).isEqualTo(2);
        }
        assertThat(values("SELECT active FROM t WHERE id IN (10, 11)")).containsExactly(false, false);
        try (PreparedStatement select = connection.prepareStatement("SELECT n FROM flags WHERE active = 1 LIMIT ?")) {
            assertThat(select.getMetaData().getColumnCount()).isEqualTo(1);
        }
    }

    @Test
    void shouldReadThemByTheTableOfTheCurrentKeyspace() throws SQLException {
        cluster.cql(
                "CREATE KEYSPACE IF NOT EXISTS literals_other WITH replication = {'class': 'SimpleStrategy',"
                        + " 'replication_factor': 1}",
                "CREATE TABLE IF NOT EXISTS literals_other.t (id int PRIMARY KEY, active int, at text)");
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO t (id, active, at) VALUES (?, 1, '20240131')")) {
            insert.setInt(1, 60);
            insert.executeUpdate();
            connection.setSchema("literals_other");
            insert.executeUpdate();
        }
        assertThat(values("SELECT at FROM t WHERE id = 60")).containsExactly("20240131");
        assertThat(values("SELECT active FROM t WHERE id = 60")).containsExactly(1);
        assertThat(values("SELECT at FROM literals_it.t WHERE id = 60"))
                .containsExactly(Timestamp.valueOf("2024-01-31 00:00:00"));
    }

    @Test
    void shouldReadThemAgainAfterTheTableIsReplaced() throws SQLException {
        run("CREATE TABLE changed (id INT NOT NULL PRIMARY KEY, v BIT)");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO changed (id, v) VALUES (?, 1)")) {
            insert.setInt(1, 1);
            insert.executeUpdate();
            assertThat(values("SELECT v FROM changed")).containsExactly(true);
            run("DROP TABLE changed");
            run("CREATE TABLE changed (id INT NOT NULL PRIMARY KEY, v INT)");
            insert.executeUpdate();
            assertThat(values("SELECT v FROM changed")).containsExactly(1);
        }
    }

    @Test
    void shouldReadDigitsAsTheSameDateAsSqlServer() throws SQLException {
        run("INSERT INTO t (id, at, born, name) VALUES (20, '20240131', N'20240131', '20240131')");
        assertThat(values("SELECT at FROM t WHERE id = 20")).containsExactly(Timestamp.valueOf("2024-01-31 00:00:00"));
        assertThat(values("SELECT born FROM t WHERE id = 20")).containsExactly(Date.valueOf("2024-01-31"));
        assertThat(values("SELECT name FROM t WHERE id = 20")).containsExactly("20240131");
        run("UPDATE t SET at = '20240201 12:30:00' WHERE id = 20");
        assertThat(values("SELECT at FROM t WHERE id = 20")).containsExactly(Timestamp.valueOf("2024-02-01 12:30:00"));
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO t (id, at, born) VALUES (21, ?, ?)")) {
            insert.setString(1, "20240131");
            insert.setString(2, "20240131");
            insert.executeUpdate();
        }
        assertThat(values("SELECT at FROM t WHERE id = 21")).containsExactly(Timestamp.valueOf("2024-01-31 00:00:00"));
        assertThat(values("SELECT born FROM t WHERE id = 21")).containsExactly(Date.valueOf("2024-01-31"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE t SET at = '2024' WHERE id = 30",
                "UPDATE t SET at = '20240230' WHERE id = 30",
                "UPDATE t SET at = '1706659200000' WHERE id = 30",
                "UPDATE t SET at = '-1' WHERE id = 30",
                "UPDATE t SET born = '240131' WHERE id = 30",
                "INSERT INTO t (id, born) VALUES (30, '2147483648')",
                "INSERT INTO t (id, clock) VALUES (30, '123456')",
                "SELECT n FROM events WHERE p = 1 AND at >= '0'",
            })
    void shouldRefuseOtherDigitsByName(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute(sql))
                    .isInstanceOf(SQLDataException.class)
                    .hasMessageStartingWith("the literal for column ")
                    .hasMessageContaining("string such as ")
                    .hasFieldOrPropertyWithValue("SQLState", "22007");
            if (!sql.startsWith("SELECT")) {
                statement.addBatch(sql);
                assertThatThrownBy(statement::executeBatch)
                        .isInstanceOf(BatchUpdateException.class)
                        .hasMessageContaining("the literal for column ");
            }
        }
        assertThat(values("SELECT id FROM t WHERE id = 30")).isEmpty();
    }

    @Test
    void shouldReadATimeWithoutAZoneInTheZoneOfTheJvm() throws SQLException {
        run("INSERT INTO events (p, at, n) VALUES (1, '2024-01-31 12:00:00', 1)");
        run("INSERT INTO events (p, at, n) VALUES (1, {ts '2024-01-31 13:00:00.5'}, 2)");
        run("INSERT INTO events (p, at, n) VALUES (1, '2024-01-31T12:00:00Z', 3)");
        run("INSERT INTO events (p, at, n) VALUES (1, '2024-01-31 12:00+0200', 4)");
        run("INSERT INTO events (p, at, n) VALUES (1, 45320, 5)");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO events (p, at, n) VALUES (1, ?, 6)")) {
            insert.setTimestamp(1, Timestamp.valueOf("2024-01-31 12:00:00"));
            insert.executeUpdate();
        }
        assertThat(values("SELECT at FROM events WHERE p = 1"))
                .containsExactly(
                        Timestamp.valueOf("2024-01-31 00:00:00"),
                        Timestamp.valueOf("2024-01-31 12:00:00"),
                        Timestamp.valueOf("2024-01-31 13:00:00.5"),
                        Timestamp.from(Instant.parse("2024-01-31T10:00:00Z")),
                        Timestamp.from(Instant.parse("2024-01-31T12:00:00Z")));
        assertThat(values(
                        "SELECT n FROM events WHERE p = 1 AND at >= '2024-01-31 12:00' AND at < '2024-01-31 13:00:00'"))
                .containsExactly(6);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2024-1-5 1:2:3",
                "20240105 01:02:03",
                "2024-01-05T01:02:03",
                "2024-01-05 1:02:03 AM",
                "2024-01-04 19:32:03+0000",
                "2024-01-04T19:32:03Z",
            })
    void shouldReadOneMomentInEveryForm(String text) throws SQLException {
        Timestamp moment = Timestamp.valueOf("2024-01-05 01:02:03");
        run("DELETE FROM events WHERE p = 50");
        run("INSERT INTO events (p, at, n) VALUES (50, '" + text + "', 1)");
        assertThat(values("SELECT at FROM events WHERE p = 50")).containsExactly(moment);
        run("UPDATE events SET n = 2 WHERE p = 50 AND at = '" + text + "'");
        assertThat(values("SELECT n FROM events WHERE p = 50")).containsExactly(2);
        assertThat(values("SELECT n FROM events WHERE p = 50 AND at IN ('" + text + "')"))
                .containsExactly(2);
        try (PreparedStatement select = connection.prepareStatement("SELECT n FROM events WHERE p = 50 AND at = ?")) {
            select.setString(1, text);
            try (ResultSet rows = select.executeQuery()) {
                assertThat(rows.next()).isTrue();
            }
        }
        run("DELETE FROM events WHERE p = 50 AND at = '" + text + "'");
        assertThat(values("SELECT n FROM events WHERE p = 50")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"2024-02-30", "2024-01-31 24:00:00", "", " ", "1/2/2024", "31 January 2024"})
    void shouldRefuseWhatIsNoMoment(String text) throws SQLException {
        for (String sql : List.of(
                "INSERT INTO events (p, at, n) VALUES (51, '%s', 1)",
                "UPDATE events SET n = 1 WHERE p = 51 AND at = '%s'",
                "DELETE FROM events WHERE p = 51 AND at = '%s'",
                "SELECT n FROM events WHERE p = 51 AND at IN ('2024-01-31', '%s')",
                "UPDATE t SET born = '%s' WHERE id = 51",
                "UPDATE t SET clock = '%s' WHERE id = 51")) {
            assertThatThrownBy(() -> execute(String.format(sql, text))).as(sql).isInstanceOf(SQLException.class);
        }
    }

    @Test
    void shouldWarnIfALiteralLosesDigits() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE t SET at = '2024-01-31 12:00:00.1234567' WHERE id = 40");
            assertThat(statement.getWarnings().getSQLState()).isEqualTo("01S07");
        }
        assertThat(values("SELECT at FROM t WHERE id = 40"))
                .containsExactly(Timestamp.valueOf("2024-01-31 12:00:00.123"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "INSERT INTO t (id, at) VALUES (70, 1706659200000) | 22003 | 8115",
                "UPDATE t SET born = 20240131 WHERE id = 70 | 22007 | 206",
                "UPDATE t SET clock = 0 WHERE id = 70 | 22007 | 206",
                "UPDATE t SET r = 3.5e38 WHERE id = 70 | 22003 | 0",
                "UPDATE t SET f = 1e309 WHERE id = 70 | 22003 | 0",
                "UPDATE t SET d = 1e999999999 WHERE id = 70 | 22003 | 0",
                "UPDATE t SET name = 'a\uD800b' WHERE id = 70 | 22000 | 0",
                "DELETE FROM events WHERE p = 70 AND at = '2024-02-30' | 22007 | 242",
                "UPDATE t SET days = ['2024-02-30'] WHERE id = 70 | 22007 | 242",
                "UPDATE t SET days = days + ['24:00'] WHERE id = 70 | 22007 | 242",
                "UPDATE t SET moments['x'] = '' WHERE id = 70 | 22007 | 241",
                "UPDATE t SET pair = (1, '2024-02-30') WHERE id = 70 | 22007 | 242",
                "SELECT n FROM events WHERE p = 70 AND at = '1/2/2024' | 22007 | 241",
            })
    void shouldRefuseWhatDoesNotFit(String sql, String state, int number) throws SQLException {
        String text = sql.replace("\\uD800", String.valueOf((char) 0xD800));
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> execute(text))
                    .isInstanceOf(SQLDataException.class)
                    .hasFieldOrPropertyWithValue("SQLState", state)
                    .hasFieldOrPropertyWithValue("errorCode", number);
        }
        try (PreparedStatement prepared = connection.prepareStatement(text)) {
            assertThatThrownBy(prepared::execute)
                    .isInstanceOf(SQLDataException.class)
                    .hasFieldOrPropertyWithValue("SQLState", state);
        }
        if (!text.startsWith("SELECT")) {
            try (Statement batch = connection.createStatement()) {
                batch.addBatch(text);
                assertThatThrownBy(batch::executeBatch).hasFieldOrPropertyWithValue("SQLState", state);
            }
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> run(text)).isInstanceOf(SQLDataException.class);
            connection.rollback();
            connection.setAutoCommit(true);
        }
        assertThat(values("SELECT id FROM t WHERE id = 70")).isEmpty();
    }

    @Test
    void shouldReadDatesWithinCollections() throws SQLException {
        run(
                "INSERT INTO t (id, days, moments, pair) VALUES (71, ['2024-1-5', '20240131'], {'x': '2024-1-5 1:2:3'}, (1, '2024-1-5'))");
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO t (id, days, moments, pair) VALUES (72, ?, ?, ?)")) {
            insert.setString(1, "['2024-1-5', '20240131']");
            insert.setString(2, "{'x': '2024-1-5 1:2:3'}");
            insert.setString(3, "(1, '2024-1-5')");
            insert.executeUpdate();
        }
        for (int id = 71; id < 73; id++) {
            assertThat(values("SELECT days FROM t WHERE id = " + id))
                    .containsExactly(List.of(LocalDate.of(2024, 1, 5), LocalDate.of(2024, 1, 31)));
            assertThat(values("SELECT moments FROM t WHERE id = " + id))
                    .containsExactly(
                            Map.of("x", Timestamp.valueOf("2024-01-05 01:02:03").toInstant()));
        }
        assertThat(values("SELECT n FROM events WHERE p = 70 AND at IN ('2024-1-5', '2024-01-05')"))
                .isEmpty();
    }

    @Test
    void shouldReadDatesInTheOrderOfTheOption() throws SQLException {
        for (String option : List.of("mdy", "dmy")) {
            connection.close();
            connection = cluster.open("dateFormat=" + option);
            Timestamp expected =
                    Timestamp.valueOf(option.equals("mdy") ? "2024-01-02 03:04:00" : "2024-02-01 03:04:00");
            run("UPDATE t SET at = '1/2/2024 3:04' WHERE id = 73");
            assertThat(values("SELECT at FROM t WHERE id = 73")).containsExactly(expected);
            try (PreparedStatement update = connection.prepareStatement("UPDATE t SET at = ? WHERE id = 73")) {
                update.setString(1, "1-2-24 3:04");
                update.executeUpdate();
            }
            assertThat(values("SELECT at FROM t WHERE id = 73")).containsExactly(expected);
        }
    }

    @Test
    void shouldReadAHugeDecimalOfOthers() throws SQLException {
        connection
                .unwrap(CqlSession.class)
                .execute("INSERT INTO literals_it.t (id, d) VALUES (74, ?)", new BigDecimal("1E+999999999"));
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT d FROM t WHERE id = 74")) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString(1)).isEqualTo("1E+999999999");
        }
    }
}
