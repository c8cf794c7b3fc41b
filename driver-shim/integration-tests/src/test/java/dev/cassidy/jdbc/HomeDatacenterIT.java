package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.ExecutionInfo;
import dev.cassidy.cql.CqlSessions;
import dev.cassidy.cql.ExactConditions;
import dev.cassidy.cql.ExactWriteException;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.cql.WriteModeException;
import dev.cassidy.embedded.Cut;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.EmbeddedCluster;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Exact tables of two datacenters: nodes of the table's home decide the order of its writes. */
class HomeDatacenterIT {

    private static EmbeddedCluster cluster;

    /** Has connections to nodes of the other datacenter, too. */
    private static Path failover;

    @AutoClose
    private final Connection here = open("dc1", null);

    @AutoClose
    private final Connection there = open("dc2", null);

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        cluster = EmbeddedCluster.builder()
                .datacenter("dc1", 1)
                .datacenter("dc2", 1)
                .severable()
                .startsOnce()
                .start();
        try (CqlSession session = CqlSessions.builder()
                .addContactPoint(cluster.node("dc1", 0).contactPoint())
                .withLocalDatacenter("dc1")
                .build()) {
            CassidySchema.install(session, Replication.parse("dc1:1,dc2:1"), SequencesConfig.defaults());
            session.execute("CREATE KEYSPACE home_it WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1,"
                    + " 'dc2': 1}");
        }
        failover = folder.resolve("failover.conf");
        Files.writeString(
                failover,
                "datastax-java-driver.advanced.load-balancing-policy.dc-failover.max-nodes-per-remote-dc = 1");
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static Connection open(String datacenter, Path config) {
        EmbeddedCassandra node = cluster.node(datacenter, 0);
        Properties properties = new Properties();
        if (config != null) {
            properties.setProperty("configFile", config.toString());
        }
        try {
            return DriverManager.getConnection(
                    "jdbc:cassidy://" + node.host() + ":" + node.port() + "/home_it?localDatacenter=" + datacenter
                            + "&writes=exact&connectTimeout=1m&requestTimeout=20s",
                    properties);
        } catch (SQLException e) {
            throw new IllegalStateException("no connection to " + datacenter, e);
        }
    }

    private static int run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    private static int[] batch(Connection connection, String... entries) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String entry : entries) {
                statement.addBatch(entry);
            }
            return statement.executeBatch();
        }
    }

    private static int insert(Connection connection, String table) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO " + table + " (name) VALUES ('new')", Statement.RETURN_GENERATED_KEYS);
            try (ResultSet keys = statement.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                return keys.getInt(1);
            }
        }
    }

    /** Another session has made the table a moment ago. */
    private static void awaitTable(Connection connection, String table) {
        await().atMost(Duration.ofMinutes(1))
                .ignoreExceptionsInstanceOf(SQLException.class)
                .untilAsserted(() -> assertThat(insert(connection, table)).isPositive());
    }

    /** Of a table at home in one datacenter, and of one that both order: what either counts is seen in both. */
    @ParameterizedTest
    @CsvSource({"home = 'dc1', counted_at_home, 60", "serial, counted_serially, 40"})
    void shouldCountInBothDatacenters(String option, String table, int rows) throws SQLException {
        run(
                here,
                "CREATE TABLE " + table + " (id INT PRIMARY KEY, title NVARCHAR(20), hits INT COUNTED) WITH (" + option
                        + ")");
        run(here, "INSERT INTO " + table + " (id) VALUES (1), (2)");
        try (Connection far = open("dc2", failover)) {
            await().atMost(Duration.ofMinutes(1))
                    .ignoreExceptionsInstanceOf(SQLException.class)
                    .untilAsserted(() -> assertThat(hits(far, table)).isZero());
            run(here, "UPDATE " + table + " SET hits = hits + 1 WHERE id = 1");
            run(far, "UPDATE " + table + " SET hits = hits + 10 WHERE id = 1");
            for (Connection each : List.of(here, far)) {
                each.setAutoCommit(false);
            }
            for (int i = 0; i < 40; i++) {
                run(here, "UPDATE " + table + " SET hits = hits + 100 WHERE id = 1");
                here.commit();
                run(far, "UPDATE " + table + " SET hits = hits + 10000 WHERE id = 1");
                if (i % 10 == 0) {
                    run(far, "UPDATE " + table + " SET title = 'far' WHERE id = 2");
                }
                far.commit();
            }
            for (Connection each : List.of(here, far)) {
                each.setAutoCommit(true);
                await().atMost(Duration.ofMinutes(1))
                        .untilAsserted(() -> assertThat(hits(each, table)).isEqualTo(404_011));
            }
        }
        // Most of what transactions have added is summed up, by processes at home.
        try (CqlSession session = CqlSessions.builder()
                .addContactPoint(cluster.node("dc1", 0).contactPoint())
                .withLocalDatacenter("dc1")
                .build()) {
            await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(
                            session.execute("SELECT version FROM home_it.cassidy_counts_" + table)
                                    .all())
                    .hasSizeLessThan(rows));
        }
    }

    private static int hits(Connection connection, String table) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT hits FROM " + table + " WHERE id = 1")) {
            assertThat(rows.next()).isTrue();
            return rows.getInt(1);
        }
    }

    @Test
    void shouldAskForAHomeAndSendWritesThere() throws SQLException {
        assertThatExceptionOfType(SQLFeatureNotSupportedException.class)
                .isThrownBy(() -> run(here, "CREATE TABLE [nowhere] (id INT IDENTITY PRIMARY KEY, name NVARCHAR(9))"))
                .withMessageContaining("WITH (home = 'dc1')")
                .withMessageContaining("WITH (serial)")
                .withMessageContaining("WITH (plain)");
        run(here, "CREATE TABLE [sent] (id INT IDENTITY PRIMARY KEY, name NVARCHAR(9)) WITH (home = 'dc1')");
        awaitTable(there, "sent");
        int id = insert(there, "sent");
        assertThatThrownBy(() -> run(there, "UPDATE sent SET name = 'x' WHERE id = " + id))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("home datacenter dc1")
                .hasMessageContaining("max-nodes-per-remote-dc");
        try (Connection both = open("dc2", failover)) {
            assertThat(run(both, "UPDATE sent SET name = 'x' WHERE id = " + id)).isEqualTo(1);
            assertThat(run(both, "UPDATE sent SET name = 'x' WHERE id = 987654"))
                    .isZero();
            assertThat(run(both, "DELETE FROM sent WHERE id = " + id)).isEqualTo(1);
        }
        assertThat(run(here, "DELETE FROM sent WHERE id = " + id)).isZero();
    }

    @Test
    void shouldNotTakeARowOfAnotherDatacenterForMissing() throws SQLException {
        run(here, "CREATE TABLE [cut] (id INT IDENTITY PRIMARY KEY, name NVARCHAR(9)) WITH (home = 'dc1')");
        awaitTable(there, "cut");
        int id;
        int spelled;
        cluster.cutOff("dc2", Cut.SILENT);
        try {
            id = insert(there, "cut");
            assertThatExceptionOfType(SQLTimeoutException.class)
                    .isThrownBy(() -> run(here, "UPDATE cut SET name = 'x' WHERE id = " + id))
                    .withMessageContaining("home datacenter")
                    .returns("HYT00", SQLException::getSQLState);
            assertThatExceptionOfType(SQLTimeoutException.class)
                    .as("of several rows, one may be there")
                    .isThrownBy(() -> run(here, "UPDATE cut SET name = 'x' WHERE id IN (" + id + ", 999999)"))
                    .returns("HYT00", SQLException::getSQLState);
            assertThatExceptionOfType(BatchUpdateException.class)
                    .isThrownBy(() -> batch(here, "DELETE FROM cut WHERE id = " + id))
                    .returns("HYT00", SQLException::getSQLState);
            assertThatExceptionOfType(SQLTimeoutException.class)
                    .as("by a collation")
                    .isThrownBy(() -> run(here, "DELETE FROM cut WHERE name = 'NEW' AND id = " + id))
                    .returns("HYT00", SQLException::getSQLState);
            assertThatExceptionOfType(BatchUpdateException.class)
                    .isThrownBy(() -> batch(here, "UPDATE cut SET name = 'x' WHERE name <> 'X' AND id = " + id))
                    .returns("HYT00", SQLException::getSQLState);
            spelled = insert(there, "cut");
        } finally {
            cluster.heal("dc2");
        }
        cluster.awaitAllUp();
        assertThat(batch(
                        here,
                        "UPDATE cut SET name = 'w' WHERE id = " + id,
                        "UPDATE cut SET name = 'x' WHERE id = 999999",
                        "DELETE FROM cut WHERE id = 999998"))
                .containsExactly(1, 0, 0);
        assertThat(run(here, "UPDATE cut SET name = 'x' WHERE id IN (" + id + ", 999999)"))
                .isEqualTo(1);
        assertThat(run(here, "DELETE FROM cut WHERE id = " + id)).isEqualTo(1);
        assertThat(run(here, "DELETE FROM cut WHERE id = " + id)).isZero();
        // Perhaps nobody has read it at home yet.
        assertThat(run(here, "DELETE FROM cut WHERE name = 'x' AND id = " + spelled))
                .isZero();
        assertThat(run(here, "DELETE FROM cut WHERE name = 'NEW' AND id = " + spelled))
                .isEqualTo(1);
    }

    private static void assertDuplicate(Connection connection, String sql) {
        assertThatExceptionOfType(SQLIntegrityConstraintViolationException.class)
                .isThrownBy(() -> run(connection, sql))
                .returns(2627, SQLException::getErrorCode);
    }

    /** Nobody there can say whether the value is free. */
    private static void assertNotAtHome(ThrowingCallable insert) {
        assertThatThrownBy(insert).isInstanceOf(SQLException.class).hasMessageContaining("home datacenter dc1");
    }

    @Test
    void shouldCompareKeysByTheirCollationInBoth() throws SQLException {
        run(here, "CREATE TABLE [login] (name NVARCHAR(20) PRIMARY KEY, role NVARCHAR(9)) WITH (home = 'dc1')");
        try (Connection both = open("dc2", failover)) {
            await().atMost(Duration.ofMinutes(1))
                    .ignoreExceptionsInstanceOf(SQLException.class)
                    .until(() -> run(both, "INSERT INTO login (name, role) VALUES ('Admin', 'boss')") == 1);
            assertDuplicate(here, "INSERT INTO login (name) VALUES ('ADMIN ')");
            assertThat(value(here, "SELECT role FROM login WHERE name = 'admin'"))
                    .isEqualTo("boss");
            assertThat(run(here, "UPDATE login SET name = 'ADMIN' WHERE name = 'admin'"))
                    .isEqualTo(1);
            assertThat(value(both, "SELECT name FROM login WHERE name = 'aDMIN'"))
                    .isEqualTo("ADMIN");
            // Its declaration is read where it was made, once.
            assertThat(value(there, "SELECT name FROM login WHERE name = 'admin '"))
                    .isEqualTo("ADMIN");
            cluster.cutOff("dc2", Cut.SILENT);
            try {
                assertNotAtHome(() -> run(there, "INSERT INTO login (name) VALUES ('Bob')"));
                assertThat(value(there, "SELECT name FROM login WHERE name = 'admin '"))
                        .isEqualTo("ADMIN");
                assertThat(run(here, "INSERT INTO login (name) VALUES ('BOB')")).isEqualTo(1);
            } finally {
                cluster.heal("dc2");
            }
            cluster.awaitAllUp();
            assertDuplicate(both, "INSERT INTO login (name) VALUES ('bob')");
            assertThat(run(both, "DELETE FROM login WHERE name IN ('admin', 'bob', 'Carl')"))
                    .isEqualTo(2);
            assertThat(run(here, "INSERT INTO login (name) VALUES ('admin')")).isEqualTo(1);
        }
    }

    @Test
    void shouldKeepUniqueInBoth() throws SQLException {
        run(
                here,
                "CREATE TABLE [member] (id INT IDENTITY PRIMARY KEY, email NVARCHAR(20) NOT NULL UNIQUE)"
                        + " WITH (home = 'dc1')");
        try (Connection both = open("dc2", failover)) {
            await().atMost(Duration.ofMinutes(1))
                    .ignoreExceptionsInstanceOf(SQLException.class)
                    .until(() -> run(both, "INSERT INTO member (email) VALUES ('ann@x')") == 1);
            assertDuplicate(here, "INSERT INTO member (email) VALUES ('ANN@x')");
            assertDuplicate(both, "INSERT INTO member (email) VALUES ('Ann@x ')");
            assertNotAtHome(() -> run(there, "INSERT INTO member (email) VALUES ('bob@x')"));
            cluster.cutOff("dc2", Cut.SILENT);
            try {
                assertNotAtHome(() -> run(there, "INSERT INTO member (email) VALUES ('bob@x')"));
                assertThat(run(here, "INSERT INTO member (email) VALUES ('carl@x')"))
                        .isEqualTo(1);
            } finally {
                cluster.heal("dc2");
            }
            cluster.awaitAllUp();
            assertDuplicate(both, "INSERT INTO member (email) VALUES ('Carl@x')");
            // What failed in the other datacenter keeps nobody from the value.
            assertThat(run(here, "INSERT INTO member (email) VALUES ('Bob@x')")).isEqualTo(1);
            assertThat(value(both, "SELECT id FROM member WHERE email = 'BOB@X'"))
                    .isEqualTo(value(here, "SELECT id FROM member WHERE email = 'bob@x'"))
                    .isNotNull();
            assertThat(run(both, "UPDATE member SET email = 'dora@x' WHERE email = 'bob@x'"))
                    .isEqualTo(1);
            assertThat(run(here, "INSERT INTO member (email) VALUES ('bob@x')")).isEqualTo(1);
        }
    }

    private static IdentitySession adding(Connection connection) throws SQLException {
        return connection.unwrap(IdentitySession.class).withExactConditions(ExactConditions.ADDED);
    }

    @Test
    void shouldAddConditionsWhereTheTableIsDecided() throws SQLException {
        run(here, "CREATE TABLE [added] (id INT IDENTITY PRIMARY KEY, name NVARCHAR(9)) WITH (home = 'dc1')");
        awaitTable(there, "added");
        String update = "UPDATE home_it.added SET name = 'x' WHERE id = ";
        int id = insert(here, "added");
        assertThatExceptionOfType(WriteModeException.class)
                .isThrownBy(() -> adding(there).execute(update + id))
                .withMessageContaining("home datacenter dc1");
        try (Connection both = open("dc2", failover)) {
            ExecutionInfo applied = adding(both).execute(update + id).getExecutionInfo();
            assertThat(applied.getCoordinator().getDatacenter()).isEqualTo("dc1");
            assertThat(applied.getRequest())
                    .isInstanceOfSatisfying(com.datastax.oss.driver.api.core.cql.Statement.class, sent -> assertThat(
                                    sent.getSerialConsistencyLevel())
                            .isEqualTo(ConsistencyLevel.LOCAL_SERIAL));
            assertThat(adding(both).execute(update + "987654").wasApplied()).isFalse();
        }
        int elsewhere;
        cluster.cutOff("dc2", Cut.SILENT);
        try {
            elsewhere = insert(there, "added");
            assertThatExceptionOfType(ExactWriteException.class)
                    .isThrownBy(() -> adding(here).execute(update + elsewhere))
                    .withMessageContaining("home datacenter")
                    .returns(ExactWriteException.Reason.IN_DOUBT, ExactWriteException::reason);
        } finally {
            cluster.heal("dc2");
        }
        cluster.awaitAllUp();
        assertThat(adding(here).execute(update + elsewhere).wasApplied()).isTrue();
    }

    private static Object value(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getObject(1) : null;
        }
    }

    @Test
    void shouldCommitTransactionsWhereTheirTablesAreDecided() throws SQLException {
        run(here, "CREATE TABLE [home] (id INT IDENTITY PRIMARY KEY, name NVARCHAR(9)) WITH (home = 'dc1')");
        run(here, "CREATE TABLE [every] (id INT IDENTITY PRIMARY KEY, name NVARCHAR(9)) WITH (serial)");
        awaitTable(there, "home");
        awaitTable(there, "every");
        try (Connection both = open("dc2", failover)) {
            for (String table : List.of("home", "every")) {
                int one = insert(here, table);
                int two = insert(here, table);
                both.setAutoCommit(false);
                assertThat(run(both, "UPDATE " + table + " SET name = 'x' WHERE id IN (" + one + ", " + two + ")"))
                        .isEqualTo(2);
                int three = insert(both, table);
                both.commit();
                for (int id : new int[] {one, two, three}) {
                    assertThat(value(both, "SELECT name FROM " + table + " WHERE id = " + id))
                            .as(table)
                            .isEqualTo(id == three ? "new" : "x");
                }
                both.rollback();
                both.setAutoCommit(true);
                assertThat(run(here, "UPDATE " + table + " SET name = 'y' WHERE id IN (" + one + ", " + three + ")"))
                        .as("nothing holds the rows")
                        .isEqualTo(2);
            }
            both.setAutoCommit(false);
            run(both, "UPDATE home SET name = 'x' WHERE id = " + insert(here, "home"));
            run(both, "UPDATE every SET name = 'x' WHERE id = " + insert(here, "every"));
            assertThatExceptionOfType(SQLFeatureNotSupportedException.class)
                    .isThrownBy(both::commit)
                    .withMessageContaining("home_it.home at home in dc1");
        }
        there.setAutoCommit(false);
        run(
                there,
                "UPDATE every SET name = 'z' WHERE id IN (" + insert(here, "every") + ", " + insert(here, "every")
                        + ")");
        there.commit();
    }
}
