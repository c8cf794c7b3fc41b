package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLSyntaxErrorException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Statements that DAO code writes in T-SQL every day, and that CQL says in other words. */
class EverydayStatementsIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void prepare() throws SQLException {
        cluster = TestCluster.fresh("everyday_it");
        cluster.cql(
                "CREATE TABLE $.installs_cassidy (id int PRIMARY KEY)",
                "CREATE TABLE $.t (id int PRIMARY KEY, name text, d decimal, u uuid, b boolean, born date, at timestamp)",
                "CREATE TABLE $.numbers (name text PRIMARY KEY, n int)",
                "CREATE TABLE $.words (word text PRIMARY KEY, n int)",
                "CREATE TABLE $.events (p int, c int, n int, s int STATIC, PRIMARY KEY (p, c))");
        cluster.identity("installs_cassidy", "id", dev.cassidy.sequence.IdentityType.INT, 1);
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO t (id, name, d) VALUES (1, 'Ada', 1.50), (2, 'Bob', 2.50)");
            statement.execute("INSERT INTO words (word, n) VALUES ('one', 1), ('a%', 2)");
            statement.execute("INSERT INTO events (p, c, n) VALUES (1, 1, 30), (1, 2, 20), (1, 3, 10)");
        }
    }

    private List<List<Object>> rows(String sql, Object... parameters) throws SQLException {
        return rows(connection, sql, parameters);
    }

    /** Reads without what is evaluated in the client. */
    private static List<List<Object>> direct(String sql, Object... parameters) throws SQLException {
        try (Connection direct = cluster.open("assist=off")) {
            return rows(direct, sql, parameters);
        }
    }

    private static List<List<Object>> rows(Connection on, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = on.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                return all(rows);
            }
        }
    }

    private static List<List<Object>> all(ResultSet rows) throws SQLException {
        List<List<Object>> all = new ArrayList<>();
        while (rows.next()) {
            List<Object> row = new ArrayList<>();
            for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                row.add(rows.getObject(i));
            }
            all.add(row);
        }
        return all;
    }

    private int run(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }

    @Test
    void shouldGiveLiteralsAsSqlServerTypesThem() throws SQLException {
        assertThat(rows("SELECT 1, -1, 1.5, N'a', 3000000000, CAST(1 AS BIGINT), 1e1"))
                .containsExactly(List.of(1, -1, new BigDecimal("1.5"), "a", new BigDecimal("3000000000"), 1L, 10.0));
        assertThat(rows("SELECT NULL").get(0)).containsExactly((Object) null);
        assertThat(rows("SELECT CURRENT_TIMESTAMP").get(0).get(0)).isInstanceOf(Timestamp.class);
        assertThat(rows("SELECT 1 FROM t WHERE id=?", 1)).containsExactly(List.of(1));
        assertThat(rows("SELECT 1 FROM t WHERE id=?", 99)).isEmpty();
        assertThat(rows("SELECT 'x' kind, COUNT(*) FROM t WHERE id = 1")).containsExactly(List.of("x", 1L));
        assertThat(rows("SELECT 1 FROM events WHERE p = 1")).hasSize(3);
    }

    @Test
    void shouldShowAliasesAsLabels() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT o.id key_of_it, title = o.name, o.d AS 'Net Price', 'x' [kind] FROM t o (NOLOCK)"
                                + " WHERE o.id = 1")) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getMetaData().getColumnLabel(3)).isEqualTo("Net Price");
            assertThat(List.of(
                            rows.getInt("key_of_it"),
                            rows.getString("title"),
                            rows.getBigDecimal("net price"),
                            rows.getString("kind")))
                    .isEqualTo(List.of(1, "Ada", new BigDecimal("1.50"), "x"));
        }
    }

    @Test
    void shouldGiveTheColumnsOfWhatFindsNoRow() throws SQLException {
        for (String sql :
                List.of("SELECT TOP 0 * FROM t", "SELECT * FROM t WHERE 1=0", "SELECT * FROM t WHERE 0=1 AND id=1")) {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(sql)) {
                assertThat(rows.getMetaData().getColumnCount()).isEqualTo(7);
                assertThat(rows.next()).isFalse();
            }
        }
        assertThat(rows("SELECT TOP (?) id FROM t", 0)).isEmpty();
        assertThat(rows("SELECT TOP (?) id FROM t", 1)).hasSize(1);
        assertThat(run("DELETE FROM t WHERE 1=0")).isZero();
        assertThat(run("UPDATE t SET name = ? WHERE 1=0 AND id = 1", "never")).isZero();
        try (Statement batch = connection.createStatement()) {
            batch.addBatch("UPDATE t SET name = 'never' WHERE id = 1 AND 1=0");
            assertThat(batch.executeBatch()).containsExactly(0);
        }
        assertThat(rows("SELECT name FROM t WHERE id = 1 AND 1=1")).containsExactly(List.of("Ada"));
    }

    /** A comparison with NULL is never true in SQL; Cassandra refuses it. */
    @Test
    void shouldFindNothingByNull() throws SQLException {
        assertThat(rows("SELECT name FROM t WHERE id = ?", (Object) null)).isEmpty();
        assertThat(rows("SELECT name FROM t WHERE id = NULL")).isEmpty();
        assertThat(rows("SELECT n FROM events WHERE p = ? AND c >= ?", 1, null)).isEmpty();
        assertThat(rows("SELECT n FROM events WHERE p = 1 AND n < ?", (Object) null))
                .isEmpty();
        assertThat(rows("SELECT name FROM t WHERE id = ?", 1)).containsExactly(List.of("Ada"));
        try (PreparedStatement read = connection.prepareStatement("SELECT name x, d FROM t WHERE id = ?")) {
            read.setNull(1, Types.INTEGER);
            try (ResultSet none = read.executeQuery()) {
                assertThat(none.getMetaData().getColumnLabel(1)).isEqualTo("x");
                assertThat(none.getMetaData().getColumnType(2)).isEqualTo(java.sql.Types.DECIMAL);
                assertThat(none.next()).isFalse();
            }
        }
        // What is refused stays refused, whatever the values are.
        assertThatThrownBy(() -> direct("SELECT name FROM t WHERE name = ?", (Object) null))
                .hasMessageContaining("CREATE INDEX t_name");
        assertThat(rows("SELECT name FROM t WHERE name = ?", (Object) null)).isEmpty();
        // An aggregate has a row even then.
        assertThatThrownBy(() -> direct("SELECT COUNT(*) FROM t WHERE id = ?", (Object) null))
                .isInstanceOf(SQLException.class);
        assertThat(rows("SELECT COUNT(*) FROM t WHERE id = ?", (Object) null)).containsExactly(List.of(0));
        for (boolean committed : new boolean[] {true, false}) {
            connection.setAutoCommit(committed);
            try (PreparedStatement change = connection.prepareStatement("UPDATE t SET name = 'x' WHERE id = ?");
                    PreparedStatement delete =
                            connection.prepareStatement("DELETE FROM events WHERE p = ? AND c = ?")) {
                change.setObject(1, null);
                assertThat(change.executeUpdate()).isZero();
                delete.setInt(1, 1);
                delete.setObject(2, null);
                assertThat(delete.executeUpdate()).isZero();
                delete.setObject(2, null);
                delete.addBatch();
                delete.setInt(1, 9);
                delete.setInt(2, 9);
                delete.addBatch();
                assertThat(delete.executeBatch()).containsExactly(0, 1);
            }
        }
        connection.commit();
        connection.setAutoCommit(true);
        assertThat(rows("SELECT COUNT(*) FROM events WHERE p = 1")).containsExactly(List.of(3L));
        assertThat(rows("SELECT name FROM t WHERE id = 1")).containsExactly(List.of("Ada"));
    }

    @Test
    void shouldFindTheRowsOfEachValueOnce() throws SQLException {
        assertThat(rows("SELECT id FROM t WHERE id = ? OR id = ? OR id = ?", 1, 2, 1))
                .containsExactlyInAnyOrder(List.of(1), List.of(2));
        assertThat(rows("SELECT c FROM events WHERE p = 1 AND (c = 3 OR c = 1)"))
                .containsExactly(List.of(1), List.of(3));
        assertThatThrownBy(() -> direct("SELECT id FROM t WHERE name = 'Ada' OR name = 'Bob'"))
                .hasMessageContaining("CREATE INDEX t_name");
    }

    /** A binary one compares as Cassandra does. */
    @Test
    void shouldCompareByABinaryCollation() throws SQLException {
        assertThat(rows("SELECT n FROM words WHERE word COLLATE Latin1_General_BIN2 = 'one'"
                        + " OR word COLLATE Latin1_General_BIN2 = 'a%' OR word COLLATE Latin1_General_BIN2 = 'ONE'"))
                .containsExactlyInAnyOrder(List.of(1), List.of(2));
        assertThat(rows("SELECT n FROM words WHERE (word COLLATE Latin1_General_BIN2) = ?", "one"))
                .containsExactly(List.of(1));
        for (String other : List.of(
                "(word COLLATE Latin1_General_CI_AS) = 'one'",
                "word = 'a%' OR word COLLATE Latin1_General_CI_AS = 'one'")) {
            assertThatThrownBy(() -> rows("SELECT n FROM words WHERE " + other))
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("COLLATE Latin1_General_CI_AS is not supported")
                    .hasMessageContaining("leave COLLATE out");
        }
    }

    @Test
    void shouldOrderByWhatHasOneValue() throws SQLException {
        assertThat(rows("SELECT id FROM t WHERE id = 1 ORDER BY id")).containsExactly(List.of(1));
        assertThat(rows("SELECT id FROM t WHERE id = 1 ORDER BY name DESC")).containsExactly(List.of(1));
        assertThat(rows("SELECT p, c pos FROM events WHERE p = 1 ORDER BY p, pos DESC"))
                .containsExactly(List.of(1, 3), List.of(1, 2), List.of(1, 1));
    }

    @Test
    void shouldSetTheKeyOnlyToItself() throws SQLException {
        assertThat(run("UPDATE t SET id = ?, name = ? WHERE id = ?", 2L, "Bert", "2"))
                .isEqualTo(1);
        assertThat(rows("SELECT name FROM t WHERE id = 2")).containsExactly(List.of("Bert"));
        assertThatThrownBy(() -> run("UPDATE t SET id = ?, name = ? WHERE id = ?", 3, "Cid", 2))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("SET id = 3 WHERE id = 2");
        assertThatThrownBy(() -> run("UPDATE t SET id = ?, name = ? WHERE id = ?", null, "Cid", 2))
                .hasMessageContaining("SET id = null WHERE id = 2");
        assertThat(rows("SELECT name FROM t WHERE id = 2")).containsExactly(List.of("Bert"));
        assertThat(rows("SELECT id FROM t WHERE id = 3")).isEmpty();
        try (PreparedStatement update = connection.prepareStatement("UPDATE t SET id = ?, name = ? WHERE id = ?")) {
            assertThat(update.getParameterMetaData().getParameterCount()).isEqualTo(3);
            assertThat(update.getParameterMetaData().getParameterType(1)).isEqualTo(Types.INTEGER);
            update.setInt(1, 2);
            update.setString(2, "Bob");
            update.setInt(3, 2);
            update.addBatch();
            assertThat(update.executeBatch()).containsExactly(1);
        }
        // In a transaction it is refused when it is said, not at the commit.
        connection.setAutoCommit(false);
        assertThatThrownBy(() -> run("UPDATE t SET id = 5, name = 'x' WHERE id = 2"))
                .hasMessageContaining("SET id = 5 WHERE id = 2");
        connection.rollback();
        connection.setAutoCommit(true);
    }

    @Test
    void shouldFindWhatLiesBetweenBothBoundsAndTheBounds() throws SQLException {
        assertThat(rows("SELECT c FROM events WHERE p = 1 AND c BETWEEN ? AND 2", 1))
                .containsExactly(List.of(1), List.of(2));
        assertThat(rows("SELECT c FROM events WHERE p = 1 AND c BETWEEN 3 AND 2"))
                .isEmpty();
    }

    @Test
    void shouldTakeAPatternWithoutAWildcardForTheText() throws SQLException {
        assertThat(rows("SELECT n FROM words WHERE word LIKE 'one'")).containsExactly(List.of(1));
        assertThat(rows("SELECT n FROM words WHERE word LIKE ?", "one")).containsExactly(List.of(1));
        assertThat(rows("SELECT n FROM words WHERE word LIKE ?", "on%")).containsExactly(List.of(1));
        try (Connection direct = cluster.open("assist=off");
                PreparedStatement statement = direct.prepareStatement("SELECT n FROM words WHERE word LIKE ?")) {
            statement.setString(1, "a%");
            assertThatThrownBy(statement::executeQuery)
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("'a%'");
        }
    }

    @Test
    void shouldTakeValuesInQuotesForWhatTheyAre() throws SQLException {
        String uuid = "f47ac10b-58cc-4372-a567-0e02b2c3d479";
        run("INSERT INTO t (id, d, u, b) VALUES ('10', '12.50', '{" + uuid.toUpperCase(java.util.Locale.ROOT)
                + "}', 'True')");
        assertThat(rows("SELECT d, u, b FROM t WHERE id = '10'"))
                .containsExactly(List.of(new BigDecimal("12.50"), UUID.fromString(uuid), true));
        run("UPDATE t SET d = '+.5', u = N'" + uuid + "' WHERE id IN ('10')");
        assertThat(rows("SELECT d FROM t WHERE id = 10")).containsExactly(List.of(new BigDecimal("0.5")));
        run("UPDATE t SET d = $12.50 WHERE id = +10");
        assertThat(rows("SELECT d FROM t WHERE id = 10")).containsExactly(List.of(new BigDecimal("12.50")));
        assertThatThrownBy(() -> run("UPDATE t SET d = 1 WHERE id = '5000000000'"))
                .isInstanceOf(SQLDataException.class)
                .hasFieldOrPropertyWithValue("SQLState", "22003")
                .hasMessageContaining("column id");
        // A text stays one.
        run("INSERT INTO words (word, n) VALUES ('12.5', '7')");
        assertThat(rows("SELECT n FROM words WHERE word = '12.5'")).containsExactly(List.of(7));
    }

    @Test
    void shouldStoreTheDayOfAMoment() throws SQLException {
        TimeZone zone = TimeZone.getDefault();
        try {
            for (String id : List.of("UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago")) {
                TimeZone.setDefault(TimeZone.getTimeZone(id));
                LocalDate before = LocalDate.now(ZoneId.of(id));
                run("INSERT INTO t (id, born) VALUES (20, GETDATE())");
                run("UPDATE t SET born = CURRENT_TIMESTAMP WHERE id = 21");
                LocalDate after = LocalDate.now(ZoneId.of(id));
                assertThat(rows("SELECT born FROM t WHERE id = 20").get(0).get(0))
                        .isIn(Date.valueOf(before), Date.valueOf(after));
                assertThat(rows("SELECT born FROM t WHERE id = 21").get(0).get(0))
                        .isIn(Date.valueOf(before), Date.valueOf(after));
            }
        } finally {
            TimeZone.setDefault(zone);
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO t (id, born, at) VALUES (22, ?, ?)")) {
            insert.setTimestamp(1, Timestamp.valueOf("2024-02-29 23:59:59"));
            insert.setObject(2, Timestamp.valueOf("2024-02-29 23:59:59"), Types.DATE);
            insert.executeUpdate();
            assertThat(insert.getWarnings().getMessage()).contains("stored as 2024-02-29");
        }
        assertThat(rows("SELECT born, at FROM t WHERE id = 22"))
                .containsExactly(List.of(Date.valueOf("2024-02-29"), Timestamp.valueOf("2024-02-29 00:00:00")));
    }

    @Test
    void shouldCountTheRowsOfTheLastStatement() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThat(
                            statement.execute(
                                    "SET NOCOUNT ON INSERT INTO words (word, n) VALUES ('x', 1), ('y', 2) SELECT @@ROWCOUNT AS n"))
                    .isTrue();
            try (ResultSet rows = statement.getResultSet()) {
                assertThat(all(rows)).containsExactly(List.of(2));
            }
            statement.execute(
                    "BEGIN UPDATE words SET n = 5 WHERE word = 'x'\nDELETE FROM words WHERE word = 'y' END\nGO");
        }
        assertThat(rows("SELECT @@ROWCOUNT")).containsExactly(List.of(1));
        assertThat(rows("SELECT n FROM words WHERE word IN ('x', 'y')")).containsExactly(List.of(5));
        assertThatThrownBy(() -> rows("SELECT @@ROWCOUNT"))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("after a SELECT");
    }

    @Test
    void shouldRunAScriptOfCqlDefinitionsWithoutSemicolons() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("""
                    CREATE TABLE script (id int PRIMARY KEY, a text)
                    GO
                    ALTER TABLE script ADD b set<int>
                    GO
                    INSERT INTO script (id, a) VALUES (1, 'x')
                    CREATE TABLE script2 (id int PRIMARY KEY)
                    INSERT INTO script2 (id) VALUES (2)
                    DROP TABLE script2
                    GO
                    """);
        }
        assertThat(rows("SELECT id, a FROM script WHERE id = 1")).containsExactly(List.of(1, "x"));
    }

    @Test
    void shouldServeNamesThatCqlReservesAndNamesInAnyCapitals() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE session (token NVARCHAR(20) PRIMARY KEY, limit INT, batch INT)");
            statement.execute("CREATE TABLE [Order Details] (Id INT IDENTITY(5,1) PRIMARY KEY, [Unit Price] MONEY)");
        }
        run("INSERT INTO session (token, limit, batch) VALUES (?, 1, 2)", "t");
        assertThat(rows(
                        "SELECT s.token, MAX(limit), MAX(batch) allow FROM session s WHERE s.token = ? GROUP BY s.token",
                        "t"))
                .containsExactly(List.of("t", 1, 2));
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO [ORDER details] ([UNIT price]) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
            insert.setBigDecimal(1, new BigDecimal("9.99"));
            insert.executeUpdate();
            try (ResultSet keys = insert.getGeneratedKeys()) {
                assertThat(all(keys)).containsExactly(List.of(5));
            }
        }
        assertThat(rows("SELECT d.[unit price] AS [price] FROM [order details] d WHERE d.id = 5"))
                .containsExactly(List.of(new BigDecimal("9.9900")));
    }

    @Test
    void shouldInsertInTheOrderOfCreateTable() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE [dbo].[signon] (username NVARCHAR(25) PRIMARY KEY, password NVARCHAR(25),"
                    + " [Last Seen] DATETIME, active BIT)");
            statement.execute("INSERT INTO signon VALUES ('j2ee', ?, '20240131', 1)".replace("?", "'secret'"));
            statement.execute("CREATE TABLE numbered (zone INT, id INT IDENTITY(1,1) PRIMARY KEY, area INT)");
            statement.execute("INSERT numbered VALUES (7, 8), (9, DEFAULT)");
            assertThatThrownBy(() -> statement.execute("INSERT INTO numbered VALUES (1, 2, 3)"))
                    .isInstanceOf(SQLSyntaxErrorException.class)
                    .hasMessageContaining("zone, area: values=3 columns=2")
                    .hasFieldOrPropertyWithValue("errorCode", 213);
            statement.execute("ALTER TABLE numbered ADD extra NVARCHAR(5)");
            statement.execute("INSERT INTO numbered VALUES (1, 2, 'x')");
            assertThatThrownBy(() -> statement.execute("INSERT INTO t VALUES (50, 'x')"))
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("cassidy tables adopt tells it, with the option --columns");
        }
        assertThat(rows("SELECT password, [last seen], active FROM signon WHERE username = 'j2ee'"))
                .containsExactly(List.of("secret", Timestamp.valueOf("2024-01-31 00:00:00"), true));
        assertThat(rows("SELECT zone, area, extra FROM numbered WHERE id = 1").get(0))
                .containsExactly(7, 8, null);
        assertThat(rows("SELECT zone, area FROM numbered WHERE id = 2").get(0)).containsExactly(9, null);
        assertThat(rows("SELECT zone, area, extra FROM numbered WHERE id = 3")).containsExactly(List.of(1, 2, "x"));
        // Another process reads the order from the same place.
        try (Connection other = DriverManager.getConnection(cluster.url() + "&fanOut=warn");
                PreparedStatement insert = other.prepareStatement("INSERT INTO signon VALUES (?, ?, ?, ?)")) {
            insert.setString(1, "second");
            insert.setString(2, "pw");
            insert.setNull(3, Types.TIMESTAMP);
            insert.setBoolean(4, false);
            insert.executeUpdate();
        }
        assertThat(rows("SELECT password, active FROM signon WHERE username = 'second'"))
                .containsExactly(List.of("pw", false));
    }

    @Test
    void shouldServeSpringBatchsSequences() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE SEQUENCE BATCH_JOB_SEQ START WITH 0 MINVALUE 0 MAXVALUE 9223372036854775807 NO CACHE"
                            + " NO CYCLE;");
            assertThat(statement.getWarnings().getMessage()).contains("ends at 9223372036854775806");
            statement.execute("CREATE TABLE job (id BIGINT NOT NULL PRIMARY KEY, name NVARCHAR(10))");
        }
        assertThat(rows("select next value for BATCH_JOB_SEQ")).containsExactly(List.of(0L));
        // As Hibernate asks for them when it checks the schema.
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select * from INFORMATION_SCHEMA.SEQUENCES")) {
            List<String> names = new ArrayList<>();
            while (rows.next()) {
                names.add(rows.getString("sequence_name") + " " + rows.getLong("increment"));
            }
            assertThat(names).contains("batch_job_seq 1");
        }
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO job (id, name) OUTPUT INSERTED.id, 'new'"
                        + " AS state VALUES ((NEXT VALUE FOR BATCH_JOB_SEQ), ?)"); ) {
            insert.setString(1, "first");
            try (ResultSet rows = insert.executeQuery()) {
                assertThat(all(rows)).containsExactly(List.of(1L, "new"));
            }
        }
    }

    @Test
    void shouldRaiseAnErrorBeyondTheRowsOfAScrollableResult() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO events (p, c) VALUES (2, ?)")) {
            for (int c = 1; c <= 10_001; c++) {
                insert.setInt(1, c);
                insert.addBatch();
            }
            insert.executeBatch();
        }
        try (Statement statement =
                connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)) {
            assertThat(statement.getResultSetType()).isEqualTo(ResultSet.TYPE_SCROLL_INSENSITIVE);
            ResultSet many = statement.executeQuery("SELECT c FROM events WHERE p = 2");
            assertThat(many.absolute(10_000)).isTrue();
            assertThatThrownBy(many::next)
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("at most 10000 unless setMaxRows says how many")
                    .hasFieldOrPropertyWithValue("SQLState", "54000");
            // Again: the row that is one too many is not left out.
            assertThatThrownBy(many::next).hasMessageContaining("at most 10000");
            assertThatThrownBy(many::last).hasMessageContaining("at most 10000");
            assertThat(many.absolute(1)).isTrue();
            assertThat(many.getInt(1)).isEqualTo(1);

            statement.setMaxRows(20_000);
            ResultSet all = statement.executeQuery("SELECT c FROM events WHERE p = 2");
            assertThat(all.last()).isTrue();
            assertThat(all.getInt(1)).isEqualTo(10_001);
            statement.setMaxRows(0);

            ResultSet two = statement.executeQuery("SELECT TOP 2 c FROM events WHERE p = 1");
            assertThat(two.last()).isTrue();
            assertThat(two.getRow()).isEqualTo(2);
            assertThat(two.next()).isFalse();

            statement.setMaxRows(2);
            ResultSet most = statement.executeQuery("SELECT c FROM events WHERE p = 1");
            assertThat(most.last()).isTrue();
            assertThat(most.isLast()).isTrue();
            assertThat(most.getInt(1)).isEqualTo(2);

            ResultSet none = statement.executeQuery("SELECT c FROM events WHERE p = 99");
            assertThat(List.of(none.isBeforeFirst(), none.first(), none.last(), none.next(), none.absolute(-1)))
                    .containsOnly(false);
        }
        try (Statement forward = connection.createStatement();
                ResultSet rows = forward.executeQuery("SELECT c FROM events WHERE p = 1")) {
            assertThatThrownBy(rows::first).hasMessageContaining("TYPE_SCROLL_INSENSITIVE");
        }
    }

    @Test
    void shouldKeepEveryStatementInNativeSql() throws SQLException {
        assertThat(connection.nativeSQL("SET NOCOUNT ON; INSERT t (id) VALUES (1); SELECT SCOPE_IDENTITY() AS id"))
                .isEqualTo("SET NOCOUNT ON; INSERT INTO t (id) VALUES (1); SELECT SCOPE_IDENTITY() AS id");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELEKT 1 | 102 | Incorrect syntax near 'SELEKT': no statement begins with it",
                "DECLARE @x INT = 5; SET @x = @x + 1 | 0 | SET @x is not supported: pass the value as a parameter",
                "UPDATE t SET name = 'x' | 0 | UPDATE without WHERE is not supported: a write needs the key of its rows",
                "DELETE t | 0 | TRUNCATE TABLE empties a table",
                "SELECT id FROM t WHERE id <> 1 | 0 | <> in WHERE is not supported",
                "SELECT name, MAX(d) FROM t WHERE id = 1 | 8120 | Column 't.name' is invalid in the select list",
                "SELECT TOP 1 id FROM t ORDER BY id OFFSET 0 ROWS | 10741 | A TOP can not be used in the same query",
            })
    void shouldRefuseInItsOwnWords(String sql, int number, String message) throws SQLException {
        // What SQL Server refuses is refused in any case.
        try (Connection on = cluster.open(number == 0 ? "assist=off" : "assist=on");
                Statement statement = on.createStatement()) {
            assertThatThrownBy(() -> statement.execute(sql))
                    .isInstanceOf(number == 0 ? SQLFeatureNotSupportedException.class : SQLSyntaxErrorException.class)
                    .hasMessageContaining(message)
                    .hasFieldOrPropertyWithValue("errorCode", number);
        }
    }

    @Test
    void shouldServeConditionsInAnyBracketsAndOrder() throws SQLException {
        assertThat(rows("SELECT n FROM events WHERE ((p=? AND c=?))", 1, 2)).containsExactly(List.of(20));
        assertThat(rows("SELECT n FROM events WHERE ((? = p)) AND (((2 < c)))", 1))
                .containsExactly(List.of(10));
        assertThat(rows("SELECT id FROM t WHERE 2 = id AND ((1 = 1))")).containsExactly(List.of(2));
    }

    /** As Hibernate and EclipseLink read several entities whose ids have several columns. */
    @Test
    void shouldReadEachRowThatIsNamedByItsWholeKey() throws SQLException {
        String byOr =
                "SELECT e.n FROM events e WHERE ((e.p = ? AND e.c = ?) OR (e.p = ? AND e.c = 2) OR (e.p = ? AND e.c = ?))";
        assertThat(rows(byOr, 1, 1, 1, 1, 9)).containsExactlyInAnyOrder(List.of(30), List.of(20));
        // One row, whoever names it twice; and nothing equals NULL.
        assertThat(rows(byOr, 1, 2, 1, 1, 2)).containsExactly(List.of(20));
        assertThat(rows(byOr, null, 1, 1, 1, 3)).containsExactlyInAnyOrder(List.of(20), List.of(10));
        assertThat(rows(byOr, null, 1, null, null, 3)).isEmpty();
        assertThat(rows("SELECT n FROM events WHERE (p, c) IN ((1, 1), (?, ?), (2, 1))", 1, 3))
                .containsExactlyInAnyOrder(List.of(30), List.of(10));
        assertThat(rows("SELECT TOP (?) n FROM events WHERE (p, c) IN ((1, 1), (1, 2))", 1))
                .hasSize(1);
        assertThat(rows("SELECT TOP 0 n FROM events WHERE (p, c) IN ((1, 1), (1, 2))"))
                .isEmpty();
        assertThat(rows("SELECT n FROM events WHERE (p, c) = (1, ?)", 2)).containsExactly(List.of(20));
        try (PreparedStatement statement = connection.prepareStatement(byOr)) {
            assertThat(statement.getMetaData().getColumnCount()).isEqualTo(1);
            assertThat(statement.getParameterMetaData().getParameterType(5)).isEqualTo(Types.INTEGER);
        }
    }

    @Test
    void shouldCompareParameters() throws SQLException {
        String sql = "SELECT name FROM t WHERE ((id = ?) AND (? = ?))";
        assertThat(rows(sql, 1, 1, 1L)).containsExactly(List.of("Ada"));
        assertThat(rows(sql, 1, 1, 0)).isEmpty();
        assertThat(rows(sql, 1, null, null)).isEmpty();
        assertThat(rows("SELECT name FROM t WHERE (id = ?) AND ? <> ?", 1, "a", "b"))
                .containsExactly(List.of("Ada"));
        assertThat(run("UPDATE t SET name = 'never' WHERE id = ? AND ? <> ?", 1, 1, 1))
                .isZero();
        assertThat(rows("SELECT name FROM t WHERE id = 1")).containsExactly(List.of("Ada"));
        assertThat(rows(sql, 1, true, 1)).as("a bit is a number").hasSize(1);
        assertThat(rows(sql, 1, new byte[] {1}, new byte[] {1})).hasSize(1);
    }

    /** SQL Server would convert, or ask the collation. */
    @Test
    void shouldNotCompareParametersThatDependOnAConversion() throws SQLException {
        for (List<Object> two : List.<List<Object>>of(
                List.of(1, "1"), List.of("a", "A"), List.of("a", "a "), List.of("\u00e9", "e"), List.of("b", "B"))) {
            for (String operator : List.of("=", "<>")) {
                String sql = "SELECT name FROM t WHERE id = ? AND ? " + operator + " ?";
                assertThatThrownBy(() -> direct(sql, 1, two.get(0), two.get(1)))
                        .as("%s %s", operator, two)
                        .isInstanceOf(SQLFeatureNotSupportedException.class)
                        .hasMessageContaining("A comparison of parameters 2 and 3 is not served here");
                boolean equal = !two.get(1).equals("e");
                // With a column that compares by code, such as name, they would be compared by code.
                assertThat(rows(sql.replace("SELECT name", "SELECT id"), 1, two.get(0), two.get(1)))
                        .as("%s %s evaluated in the client", operator, two)
                        .hasSize(equal == operator.equals("=") ? 1 : 0);
            }
        }
    }

    /** It equals nothing, also where it stands before other values. */
    @Test
    void shouldFindNothingByANullOfAList() throws SQLException {
        run("CREATE TABLE listed (p INT, c INT, n INT, s NVARCHAR(9), PRIMARY KEY (p, c))");
        run("CREATE TABLE found (id INT PRIMARY KEY, n INT)");
        run("CREATE INDEX by_n ON found (n)");
        for (int c = 1; c <= 2; c++) {
            run("INSERT INTO listed (p, c, n, s) VALUES (1, ?, ?, ?)", c, c, "s" + c);
            run("INSERT INTO found (id, n) VALUES (?, ?)", c, c);
        }
        run("INSERT INTO listed (p, c) VALUES (1, 3)");

        assertThat(rows("SELECT c FROM listed WHERE p = 1 AND n IN (NULL, 1)")).containsExactly(List.of(1));
        assertThat(rows("SELECT c FROM listed WHERE p = 1 AND n IN (1, NULL, 2)"))
                .containsExactly(List.of(1), List.of(2));
        assertThat(rows("SELECT c FROM listed WHERE p = ? AND n IN (?, ?)", 1, null, 2))
                .containsExactly(List.of(2));
        assertThat(rows("SELECT c FROM listed WHERE p = ? AND (n = ? OR n = ?)", 1, null, 1))
                .containsExactly(List.of(1));
        assertThat(rows("SELECT COUNT(*) FROM listed WHERE p = 1 AND s IN (?, ?)", null, "s1"))
                .containsExactly(List.of(1L));
        assertThat(rows("SELECT c FROM listed WHERE p = 1 AND n IN (?, NULL)", (Object) null))
                .isEmpty();
        assertThat(rows("SELECT c FROM listed WHERE p IN (?, ?) AND c IN (NULL, 2)", null, 1))
                .as("of a key")
                .containsExactly(List.of(2));
        assertThat(rows("SELECT n FROM listed WHERE (p, c) IN ((1, 1), (1, NULL), (?, ?))", 1, null))
                .containsExactly(List.of(1));
        assertThat(rows("SELECT id FROM found WHERE n IN (1, 2, NULL)")).hasSize(2);
        assertThat(rows("SELECT id FROM found WHERE n IN (?, ?)", null, 2)).containsExactly(List.of(2));
        assertThat(run("UPDATE listed SET n = 7 WHERE p = 1 AND c IN (?, ?)", null, 2))
                .isEqualTo(1);
        assertThat(run("DELETE FROM listed WHERE p = 1 AND c IN (NULL)")).isZero();
        assertThat(rows("SELECT n FROM listed WHERE p = 1 AND c IN (2, 3)"))
                .containsExactly(List.of(7), Collections.singletonList(null));
    }

    @Test
    void shouldAnswerTheViewsOfSys() throws SQLException {
        assertThat(rows("select compatibility_level from [sys].[databases] where (DB_NAME() = name)"))
                .containsExactly(List.of(110));
        assertThat(rows("SELECT name FROM sys.tables WHERE name IN ('T', 'words', 'none') ORDER BY name"))
                .containsExactly(List.of("t"), List.of("words"));
        assertThat(rows("SELECT 1 FROM sys.tables t WHERE (t.object_id = OBJECT_ID(N'[dbo].[words]'))"))
                .containsExactly(List.of(1));
        assertThat(rows("SELECT COUNT(*) FROM sys.columns WHERE object_id = OBJECT_ID('words') AND name = ?", "n"))
                .containsExactly(List.of(1));
    }

    @Test
    void shouldTakeGivenIdsOfATableOfTheSameScript() throws SQLException {
        try (Connection strict = cluster.open("identityInsert=strict");
                Statement statement = strict.createStatement()) {
            statement.execute("CREATE TABLE made (id INT IDENTITY PRIMARY KEY, n INT); SET IDENTITY_INSERT made ON;"
                    + " INSERT INTO made (id, n) VALUES (0, 7); SET IDENTITY_INSERT made OFF;"
                    + " INSERT INTO made (n) VALUES (8)");
        }
        assertThat(rows("SELECT id, n FROM made")).containsExactlyInAnyOrder(List.of(0, 7), List.of(1, 8));
    }

    @Test
    void shouldSkipNoRows() throws SQLException {
        String page = "SELECT c FROM events WHERE p = 1 ORDER BY (SELECT NULL) OFFSET ? ROWS FETCH NEXT ? ROWS ONLY";
        assertThat(rows(page, 0, 2)).containsExactly(List.of(1), List.of(2));
        assertThatThrownBy(() -> rows(page, 2, 2))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining(
                        "OFFSET 2 ROWS is not served: read on behind the key of the last row, WHERE key > ?");
        assertThat(rows("SELECT TOP 2 c FROM events WHERE p = 1 AND c > ?", 2)).containsExactly(List.of(3));
        try (PreparedStatement statement = connection.prepareStatement(page)) {
            assertThat(statement.getParameterMetaData().getParameterCount()).isEqualTo(2);
            assertThat(statement.getParameterMetaData().getParameterType(1)).isEqualTo(Types.BIGINT);
        }
    }

    @Test
    void shouldReadDatesAsTheSessionSays() throws SQLException {
        run("INSERT INTO t (id) VALUES (20)");
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET DATEFORMAT dmy; UPDATE t SET born = '31/12/2024' WHERE id = 20");
            statement.execute("SET LANGUAGE us_english");
        }
        assertThat(rows("SELECT born FROM t WHERE id = 20")).containsExactly(List.of(Date.valueOf("2024-12-31")));
        run("UPDATE t SET born = ? WHERE id = 20", "1/2/2024");
        assertThat(rows("SELECT born FROM t WHERE id = 20")).containsExactly(List.of(Date.valueOf("2024-01-02")));
    }

    @Test
    void shouldShowWhatIsPrintedAsAWarning() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRINT N'it''s done'; SELECT name FROM t WHERE id = 1");
            assertThat(statement.getWarnings().getMessage()).isEqualTo("it's done");
            assertThat(all(statement.getResultSet())).containsExactly(List.of("Ada"));
        }
    }

    @Test
    void shouldDrawEachNumberOnceByWhatIsProposedInsteadOfALock() throws Exception {
        run("INSERT INTO numbers (name, n) VALUES ('orders', 0)");
        assertThatThrownBy(() -> rows("SELECT n FROM numbers WITH (UPDLOCK, ROWLOCK) WHERE name = 'orders'"))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("UPDLOCK")
                .hasMessageContaining("UPDATE ... WHERE <key> = ? IF <column> = <the value that was read>");
        Set<Integer> drawn = ConcurrentHashMap.newKeySet();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            Callable<Void> drawing = () -> drawFromNumbers(25, drawn);
            for (Future<Void> each : threads.invokeAll(Collections.nCopies(4, drawing))) {
                each.get();
            }
        } finally {
            threads.shutdown();
        }
        assertThat(drawn).hasSize(100);
        assertThat(rows("SELECT n FROM numbers WHERE name = 'orders'")).containsExactly(List.of(100));
    }

    private static @Nullable Void drawFromNumbers(int count, Set<Integer> drawn) throws SQLException {
        try (Connection own = cluster.open();
                PreparedStatement select = own.prepareStatement("SELECT n FROM numbers WHERE name = 'orders'");
                PreparedStatement update =
                        own.prepareStatement("UPDATE numbers SET n = ? WHERE name = 'orders' IF n = ?")) {
            int draws = 0;
            while (draws < count) {
                int last;
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    last = row.getInt(1);
                }
                update.setInt(1, last + 1);
                update.setInt(2, last);
                if (update.executeUpdate() == 1) {
                    assertThat(drawn.add(last + 1)).isTrue();
                    draws++;
                }
            }
        }
        return null;
    }
}
