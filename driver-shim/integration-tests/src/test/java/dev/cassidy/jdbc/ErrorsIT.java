package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.internal.core.context.InternalDriverContext;
import java.io.File;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorsIT {

    private static TestCluster cluster;

    @BeforeAll
    static void prepare() {
        TestCluster.install("cassidy");
        cluster = TestCluster.fresh("errors_it");
        cluster.cql(
                "CREATE TABLE $.t (id int PRIMARY KEY, v text)",
                "CREATE TABLE $.words (word text PRIMARY KEY, n int)",
                "CREATE TABLE $.rows (p int, c int, d int, n int, x text, PRIMARY KEY (p, c, d))",
                "CREATE TABLE $.pairs (p int, q int, n int, PRIMARY KEY ((p, q)))",
                "CREATE TABLE $.counts (id int PRIMARY KEY, n counter)");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            SELECT * FROM nowhere            | 42S02 | nowhere
            INSERT INTO nowhere (a) VALUES (1) | 42S02 | nowhere
            SELECT nothing FROM t            | 42S22 | nothing
            INSERT INTO t (id, nothing) VALUES (1, 2) | 42S22 | nothing
            SELECT * FROM nokeyspace.t       | 3F000 | nokeyspace
            SELEC * FROM t                   | 42000 | SELEC
            SOURCE '/etc/passwd'             | 42000 | SOURCE
            COPY t TO '/tmp/t'               | 42000 | COPY
            CREATE TABLE t (id int PRIMARY KEY) | 42S01 | t
            """)
    void shouldReturnTheMatchingSqlState(String sql, String state, String named) throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute(sql))
                    .isInstanceOf(SQLSyntaxErrorException.class)
                    .hasMessageContaining(named)
                    .hasFieldOrPropertyWithValue("SQLState", state);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            SELECT * FROM nowhere.t | Keyspace nowhere does not exist: create it
            SELECT * FROM nowhere | Table nowhere does not exist: check its name
            SELECT a FROM t WHERE id = 1 | Invalid column name 'a': the table errors_it.t has no such column
            SELECT v FROM t WHERE a = 1 | Invalid column name 'a'
            INSERT INTO t (id, a) VALUES (1, 2) | Invalid column name 'a'
            SELECT isnull(v) FROM t WHERE id = 1 | Cassandra has no function isnull
            SELECT crdt_sum(n) FROM rows WHERE p = 1 | no function crdt_sum in the keyspace of the table: Cassidy installs it
            SELECT token(v, v) FROM t WHERE id = 1 | The function system.token takes other arguments
            SELECT * FROM t WHERE v = 'x' | CREATE INDEX t_v ON errors_it.t (v) USING 'sai'
            SELECT v FROM t WHERE v = 'x' | is read by v, which neither gives its partition key (id) by = or IN nor is on an index
            DELETE FROM rows WHERE p = 1 AND c = 1 AND d = 1 AND n = 5 | names n, which is no part of the primary key
            UPDATE rows SET n = 1 WHERE p = 1 AND c = 1 | d is part of the primary key and has no value here
            DELETE FROM rows WHERE c = 1 | p is part of the primary key and has no value here
            DELETE n FROM rows WHERE p = 1 AND c = 2 | give all columns of the primary key in WHERE
            UPDATE t SET v = 'x' WHERE id > 1 | compares the partition key by something else than = and IN
            UPDATE rows SET n = 1 WHERE p = 1 AND c = 1 AND d > 1 | An UPDATE names each row
            DELETE FROM rows WHERE p = 1 AND c > 1 AND d = 1 | d
            SELECT n FROM rows WHERE p = 1 AND x LIKE 'a%' | needs an index for strings
            SELECT n FROM rows WHERE p = 1 AND c = 1 AND c = 2 | WHERE has two conditions on c, and Cassandra takes one = or IN
            SELECT n FROM rows WHERE p = 1 AND c > 1 AND c > 2 | WHERE has two conditions on c, and Cassandra takes one = or IN
            INSERT INTO t (id, v) VALUES (null, 'x') | column 'id'; column does not allow nulls. INSERT fails
            INSERT INTO words (word, n) VALUES ('', 1) | Key has no value, and a key cannot be null
            UPDATE rows SET n = n + 1 WHERE p = 1 AND c = 1 AND d = 1 | Cassandra calculates with counters alone. Read n
            UPDATE counts SET n = 5 WHERE id = 1 | can only be added to
            INSERT INTO counts (id, n) VALUES (1, 1) | can only be added to
            INSERT INTO t (id, id) VALUES (1, 1) | INSERT names a column twice
            SELECT n FROM rows WHERE p = 1 ORDER BY n | ORDER BY n: within a partition the rows are in the order
            SELECT n FROM rows WHERE p = 1 ORDER BY c, d DESC | ORDER BY: within a partition the rows are in the order
            SELECT n FROM rows ORDER BY c | ORDER BY without the partition key
            SELECT DISTINCT n FROM rows | SELECT DISTINCT (n): Cassandra knows the different partition keys
            SELECT DISTINCT p FROM pairs | SELECT DISTINCT (q): Cassandra knows the different partition keys
            SELECT n, COUNT(*) FROM rows GROUP BY n | GROUP BY n: Cassandra groups by the columns
            SELECT c, COUNT(*) FROM rows GROUP BY c | GROUP BY
            SELECT v FROM t WHERE id = 1 LIMIT 0 | The limit of rows is null, 0 or negative
            UPDATE t SET v = 'x' WHERE id IN (1, 2) IF v = 'y' | send one statement for each row
            UPDATE rows SET n = 1 WHERE p = 1 AND c = 1 AND d = 1 IF c = 1 | its condition belongs in WHERE
            UPDATE counts SET n = n + 1 WHERE id = 1 IF n = 1 | IF on a table of Cassandra's counters
            ALTER TABLE t ADD v text | The table has a column v already
            ALTER TABLE t DROP id | id is part of the primary key, which stays
            ALTER TABLE t RENAME v TO w | add a column with the new name
            ALTER TABLE t ALTER v TYPE int | Cassandra changes no column's type
            CREATE TABLE u (a int) | without PRIMARY KEY
            CREATE TABLE u (a int, PRIMARY KEY (b)) | PRIMARY KEY of table u names b
            CREATE TABLE u (a int PRIMARY KEY, b counter, c int) | keep the counter in a table of its own
            CREATE CUSTOM INDEX ON t (id) USING 'sai' | id is the partition key
            SELEKT 1 | 'SELEKT'
            SELECT n FROM rows WHERE p BETWEEN 1 AND 2 | neither gives its partition key (p) by = or IN
            SELECT v FROM t WHERE lower(v) = 'x' | keep the result in a column of its own
            """)
    void shouldRefuseInItsOwnWordsWithAWayOut(String sql, String message) throws SQLException {
        try (Connection connection = cluster.open("assist=off");
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute(sql))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining(message)
                    .satisfies(error -> assertThat(error.getMessage())
                            .doesNotContain("refuses the statement")
                            .doesNotMatch("(?s).*line \\d+:\\d+.*"));
        }
    }

    @Test
    void shouldRefuseAKeyThatIsTooLong() throws SQLException {
        try (Connection connection = cluster.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO words (word, n) VALUES (?, 1)")) {
            insert.setString(1, "x".repeat(70_000));
            assertThatThrownBy(insert::execute)
                    .hasMessageContaining("A key of 70000 bytes: Cassandra's keys have at most 65,535");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            SELECT * FROM nowhere            | 208
            SELECT * FROM nowhere WHERE id=1 | 208
            INSERT INTO nowhere (a) VALUES (1) | 208
            UPDATE nowhere SET a=1 WHERE id=1 | 208
            DELETE FROM nowhere WHERE id=1   | 208
            DROP TABLE nowhere               | 3701
            DROP TABLE [dbo].[nowhere]       | 3701
            ALTER TABLE nowhere ADD a BIT    | 4902
            CREATE INDEX i ON nowhere (a)    | 1088
            TRUNCATE TABLE nowhere           | 4701
            """)
    void shouldGiveSqlServersNumberOfAMissingTable(String sql, int number) throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute(sql))
                    .isInstanceOf(SQLSyntaxErrorException.class)
                    .hasMessageContaining("nowhere")
                    .hasFieldOrPropertyWithValue("SQLState", "42S02")
                    .hasFieldOrPropertyWithValue("errorCode", number);
            assertThatThrownBy(() -> prepareAndExecute(connection, sql.replaceAll("=1", "=?")))
                    .isInstanceOf(SQLSyntaxErrorException.class)
                    .hasMessageContaining("nowhere")
                    .hasFieldOrPropertyWithValue("SQLState", "42S02")
                    .hasFieldOrPropertyWithValue("errorCode", number);
            assertThatThrownBy(() -> statement.execute(sql, Statement.RETURN_GENERATED_KEYS))
                    .hasMessageContaining("nowhere");
        }
    }

    private static void prepareAndExecute(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 1; i <= sql.chars().filter(each -> each == '?').count(); i++) {
                statement.setInt(i, 1);
            }
            statement.execute();
        }
    }

    @Test
    void shouldReturnSqlServersErrorIfValuesAndColumnsDifferInNumber() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute("INSERT INTO t (id) VALUES (1, 'x')"))
                    .isInstanceOf(SQLSyntaxErrorException.class)
                    .hasFieldOrPropertyWithValue("SQLState", "S0001")
                    .hasFieldOrPropertyWithValue("errorCode", 110);
            assertThatThrownBy(() -> connection.prepareStatement("INSERT INTO t (id, v) VALUES (?)"))
                    .hasFieldOrPropertyWithValue("errorCode", 109);
        }
    }

    private interface Call {
        void run() throws SQLException;
    }

    private static @Nullable Throwable failureOnDriverThread(Connection connection, Call call) throws SQLException {
        CqlSession session = connection.unwrap(CqlSession.class);
        return CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                call.run();
                                return null;
                            } catch (SQLException | RuntimeException e) {
                                return (Throwable) e;
                            }
                        },
                        ((InternalDriverContext) session.getContext())
                                .getNettyOptions()
                                .ioEventLoopGroup())
                .join();
    }

    /** A driver thread could wait forever for an answer that only this thread can deliver. */
    @Test
    void shouldRefuseCallsOnDriverThreadsBeforeAnythingIsSent() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                PreparedStatement batch = connection.prepareStatement("INSERT INTO t (id, v) VALUES (?, 'batch')")) {
            statement.executeUpdate("INSERT INTO t (id, v) VALUES (70, 'opens what is opened once')");
            batch.setInt(1, 72);
            batch.addBatch();
            connection.setAutoCommit(true);

            List<Call> calls = List.of(
                    () -> statement.executeUpdate("INSERT INTO t (id, v) VALUES (71, 'x')"),
                    () -> statement.executeQuery("SELECT * FROM t"),
                    batch::executeBatch);
            for (Call call : calls) {
                assertThat(failureOnDriverThread(connection, call))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("driver thread");
            }
            connection.setAutoCommit(false);
            statement.executeUpdate("INSERT INTO t (id, v) VALUES (73, 'x')");
            assertThat(failureOnDriverThread(connection, connection::commit))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("driver thread");
            connection.rollback();
            try (ResultSet rows = statement.executeQuery("SELECT id FROM t WHERE id IN (71, 72, 73)")) {
                assertThat(rows.next()).isFalse();
            }
        }
    }

    /** A program that reads and ends, with or without closing its connection. */
    static final class ShortMain {
        public static void main(String[] args) throws SQLException {
            Connection connection = DriverManager.getConnection(args[0]);
            ResultSet rows = connection.createStatement().executeQuery("SELECT key FROM system.local");
            if (!rows.next()) {
                throw new IllegalStateException("no row");
            }
            if (args[1].equals("close")) {
                connection.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"close", "leave"})
    void shouldLetTheJvmEnd(String ending) throws Exception {
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ShortMain.class.getName(),
                        cluster.url(),
                        ending)
                .inheritIO()
                .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }
}
