package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.cql.OwnKeyspaceException;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes of an application to Cassidy's own tables. */
class OwnTablesIT {

    private static final String SET_BACK =
            "UPDATE own_jdbc_it_dc1.reserve SET next = 0, hi = 1000 WHERE seq = 'own_jdbc_shop.orders' AND stripe = 0";

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open("globalKeyspace=own_jdbc_it");

    @BeforeAll
    static void prepare() throws SQLException {
        cluster = TestCluster.fresh("own_jdbc_shop");
        TestCluster.install("own_jdbc_it");
        try (Connection setup = DriverManager.getConnection(url(""));
                Statement statement = setup.createStatement()) {
            statement.execute(
                    "CREATE TABLE orders (id INT IDENTITY(1,1) PRIMARY KEY, customer NVARCHAR(50), version INT)");
            statement.execute("CREATE TABLE reserve (k text PRIMARY KEY, v text)");
        }
    }

    private static String url(String options) {
        return cluster.url() + "&globalKeyspace=own_jdbc_it" + options;
    }

    private static void assertRefused(ThrowingCallable work) {
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(work)
                .withMessageContaining("written by Cassidy alone: a change could make ids be issued twice")
                .satisfies(e -> {
                    assertThat(e.getSQLState()).isEqualTo("42501");
                    assertThat(e.getErrorCode()).isEqualTo(229);
                });
    }

    private static int orders(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet count = statement.executeQuery("SELECT COUNT(*) FROM orders")) {
            assertThat(count.next()).isTrue();
            return count.getInt(1);
        }
    }

    @Test
    void shouldIssueNoIdTwiceWhateverIsTried() throws SQLException {
        List<Long> ids = new ArrayList<>();
        int before = orders(connection);
        for (int round = 0; round < 20; round++) {
            // Each round claims through its own connection, like a process that starts again.
            try (Connection process = DriverManager.getConnection(
                            url("&requestTimeout=" + (60_000 + round) + "ms").replace("requestTimeout=1m&", ""));
                    PreparedStatement insert = process.prepareStatement(
                            "INSERT INTO orders (customer) VALUES (?)", Statement.RETURN_GENERATED_KEYS);
                    Statement statement = process.createStatement()) {
                for (int i = 0; i < 2; i++) {
                    insert.setString(1, "round " + round);
                    insert.executeUpdate();
                    try (ResultSet keys = insert.getGeneratedKeys()) {
                        assertThat(keys.next()).isTrue();
                        ids.add(keys.getLong(1));
                    }
                }
                assertRefused(() -> statement.executeUpdate(SET_BACK));
            }
        }

        assertThat(ids).hasSize(40).doesNotHaveDuplicates();
        assertThat(orders(connection)).isEqualTo(before + 40);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                SET_BACK,
                "UPDATE [own_jdbc_it_dc1].[reserve] SET next = 0 WHERE seq = N'x' AND stripe = 0",
                "update own_jdbc_it..seq set next = 0 where seq = 'x'",
                "UPDATE r SET next = 0 FROM own_jdbc_it_dc1.reserve r WHERE seq = 'x' AND stripe = 0",
                "DELETE own_jdbc_it.seq WHERE seq = 'x'",
                "DELETE FROM \"own_jdbc_it\".\"seq\" WHERE seq = 'x'",
                "INSERT own_jdbc_it_dc1.reserve (seq, stripe, next) VALUES ('x', 0, 0)",
                "INSERT INTO own_jdbc_it_dc1.reserve (seq, stripe, next) VALUES ('x', 0, 0), ('y', 0, 0)",
                "INSERT INTO own_jdbc_it_dc1.reserve JSON '{\"seq\": \"x\", \"stripe\": 0}'",
                "TRUNCATE TABLE own_jdbc_it_dc1.reserve",
                "BEGIN BATCH DELETE FROM own_jdbc_it.seq WHERE seq = 'x' APPLY BATCH",
                "UPDATE orders SET customer = 'x' WHERE id = 1000000; " + SET_BACK,
                "INSERT INTO orders (customer) VALUES ('x'); TRUNCATE TABLE own_jdbc_it.seq",
                "SET NOCOUNT ON; DROP TABLE own_jdbc_it_dc1.reserve",
                "IF OBJECT_ID('own_jdbc_it.seq') IS NOT NULL DROP TABLE own_jdbc_it.seq",
                "CREATE TABLE own_jdbc_it.mine (id INT IDENTITY(1,1) PRIMARY KEY)",
                "CREATE TABLE own_jdbc_it.mine (id int PRIMARY KEY)",
                "ALTER TABLE own_jdbc_it.seq ADD mine nvarchar(10)",
                "ALTER TABLE own_jdbc_it.seq DROP COLUMN floor",
                "CREATE INDEX i ON own_jdbc_it.seq (next)",
                "DROP KEYSPACE own_jdbc_it_dc1",
                "CREATE KEYSPACE own_jdbc_it WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
            })
    void shouldRefuseAStatement(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                PreparedStatement prepared = connection.prepareStatement(sql)) {
            assertRefused(() -> statement.execute(sql));
            assertRefused(prepared::execute);
            statement.addBatch(sql);
            assertThatExceptionOfType(BatchUpdateException.class)
                    .isThrownBy(statement::executeBatch)
                    .satisfies(e -> assertThat(e.getUpdateCounts()).containsExactly(Statement.EXECUTE_FAILED))
                    .satisfies(e -> assertRefused(() -> {
                        throw e.getNextException();
                    }));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE own_jdbc_it_dc1.reserve SET next = ? WHERE seq = 'x' AND stripe = 0",
                "DELETE own_jdbc_it_dc1.reserve WHERE seq = 'x' AND stripe = ?",
                "INSERT INTO own_jdbc_it_dc1.reserve (seq, stripe, next) VALUES ('x', 0, ?)"
            })
    void shouldRefuseAPreparedStatementWithParameters(String sql) throws SQLException {
        try (PreparedStatement prepared = connection.prepareStatement(sql)) {
            prepared.setInt(1, 0);
            assertRefused(prepared::executeUpdate);
            assertRefused(prepared::execute);
            assertRefused(prepared::getParameterMetaData);
            prepared.addBatch();
            assertThatExceptionOfType(BatchUpdateException.class)
                    .isThrownBy(prepared::executeBatch)
                    .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("42501"));
        }
    }

    @Test
    void shouldRefuseInTheCurrentKeyspace() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("USE own_jdbc_it_dc1");
            assertRefused(() -> statement.execute("TRUNCATE TABLE reserve"));
            assertRefused(
                    () -> statement.executeUpdate("UPDATE dbo.reserve SET next = 0 WHERE seq = 'x' AND stripe = 0"));
            try (PreparedStatement prepared =
                    connection.prepareStatement("DELETE reserve WHERE seq = ? AND stripe = ?")) {
                prepared.setString(1, "x");
                prepared.setInt(2, 0);
                assertRefused(prepared::executeUpdate);
            }
            assertThat(statement.executeQuery("SELECT seq FROM reserve").next()).isTrue();
            connection.setSchema("own_jdbc_shop");
            assertThat(statement.executeUpdate("INSERT INTO reserve (k, v) VALUES ('a', 'v')"))
                    .isEqualTo(1);
            assertThat(statement.executeUpdate("UPDATE reserve SET v = 'x' WHERE k = 'a'"))
                    .isEqualTo(1);
        }
    }

    @Test
    void shouldRefuseAWriteThatWouldWaitForACommit() throws SQLException {
        connection.setAutoCommit(false);
        int before = orders(connection);
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO orders (customer) VALUES ('kept')");
            assertRefused(() -> statement.executeUpdate(SET_BACK));
            assertRefused(() -> statement.executeUpdate(
                    "INSERT INTO own_jdbc_it_dc1.reserve (seq, stripe, next) VALUES ('x', 0, 0)"));
            try (PreparedStatement prepared = connection.prepareStatement(
                    "UPDATE own_jdbc_it_dc1.reserve SET next = ? WHERE seq = 'x' AND stripe = 0")) {
                prepared.setInt(1, 0);
                assertRefused(prepared::executeUpdate);
            }
        }
        connection.commit();

        assertThat(orders(connection)).isEqualTo(before + 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"&transactions=immediate", "&identityInsert=strict", "&constraints=warn"})
    void shouldRefuseWithAnyOptions(String options) throws SQLException {
        try (Connection other = DriverManager.getConnection(url(options));
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            assertRefused(() -> statement.executeUpdate(
                    "UPDATE own_jdbc_it_dc1.reserve SET next = 0 WHERE seq = 'x' AND stripe = 0 AND next = 5"));
            assertRefused(() -> statement.executeUpdate(
                    "INSERT INTO own_jdbc_it_dc1.reserve (seq, stripe, next) VALUES ('x', 0, 0)"));
        }
    }

    @Test
    void shouldRefuseThroughTheUnwrappedSession() throws SQLException {
        CqlSession session = connection.unwrap(CqlSession.class);

        assertThatExceptionOfType(OwnKeyspaceException.class).isThrownBy(() -> session.execute(SET_BACK));
    }

    @Test
    void shouldServeReadsAndTheStatementsOfSequences() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try (ResultSet row =
                    statement.executeQuery("SELECT next FROM own_jdbc_it.seq WHERE seq = 'own_jdbc_shop.orders'")) {
                assertThat(row.next()).isTrue();
            }
            statement.execute("CREATE SEQUENCE moved AS INT START WITH 1 INCREMENT BY 1");
            statement.execute("ALTER SEQUENCE moved RESTART WITH 500");
            try (ResultSet row = statement.executeQuery("SELECT NEXT VALUE FOR moved")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getInt(1)).isEqualTo(500);
            }
            statement.execute("DROP SEQUENCE moved");
        }
    }
}
