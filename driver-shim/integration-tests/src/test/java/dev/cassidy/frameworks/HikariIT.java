package dev.cassidy.frameworks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.cassidy.jdbc.CassidyDataSource;
import dev.cassidy.jdbc.TestCluster;
import dev.cassidy.sequence.IdentityType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class HikariIT {

    private static TestCluster cluster;

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("hikari_it");
        cluster.cql("CREATE TABLE $.orders (id int PRIMARY KEY, customer text)");
        cluster.identity("orders", "id", IdentityType.INT, 1);
    }

    private static HikariConfig byUrl() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(cluster.url());
        config.setMaximumPoolSize(2);
        return config;
    }

    private static long insert(Connection connection, String customer) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO orders (customer) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
            insert.setString(1, customer);
            insert.executeUpdate();
            try (ResultSet keys = insert.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                return keys.getLong(1);
            }
        }
    }

    @Test
    void shouldPoolByUrlWithEverySettingThatAPoolResets() throws SQLException {
        HikariConfig config = byUrl();
        config.setReadOnly(true);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setSchema(cluster.keyspace());
        config.setConnectionInitSql("SELECT GETDATE()");
        config.setConnectionTestQuery("SELECT 1");
        try (HikariDataSource pool = new HikariDataSource(config)) {
            for (int i = 0; i < 3; i++) {
                try (Connection connection = pool.getConnection()) {
                    assertThat(connection.isValid(60)).isTrue();
                    assertThat(connection.isReadOnly()).isTrue();
                    connection.setReadOnly(false);
                    connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
                    connection.setNetworkTimeout(Runnable::run, 60_000);
                    insert(connection, "pooled " + i);
                }
            }
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.isReadOnly()).isTrue();
                assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
                assertThat(connection.getNetworkTimeout()).isZero();
            }
        }
    }

    @Test
    void shouldPoolByDataSourceClassName() throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setDataSourceClassName(CassidyDataSource.class.getName());
        config.addDataSourceProperty("url", "jdbc:cassidy://" + TestCluster.hosts() + "/" + cluster.keyspace());
        config.addDataSourceProperty("localDatacenter", TestCluster.NODE.localDatacenter());
        config.addDataSourceProperty("requestTimeout", "1m");
        config.setUsername("u");
        config.setPassword("p");
        try (HikariDataSource pool = new HikariDataSource(config);
                Connection connection = pool.getConnection()) {
            assertThat(insert(connection, "by class")).isPositive();
        }
    }

    @Test
    void shouldNotEvictAConnectionBecauseOfAnUnsupportedFeature() throws SQLException {
        HikariConfig config = byUrl();
        config.setMaximumPoolSize(1);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            Connection physical;
            try (Connection connection = pool.getConnection()) {
                physical = connection.unwrap(Connection.class);
                assertThatThrownBy(() -> connection.prepareCall("{call p}"))
                        .hasFieldOrPropertyWithValue("SQLState", "HYC00");
                assertThatThrownBy(() -> connection.prepareStatement("MERGE INTO x USING y ON 1=1"))
                        .hasFieldOrPropertyWithValue("SQLState", "HYC00");
            }
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.unwrap(Connection.class)).isSameAs(physical);
            }
        }
    }

    @Test
    void shouldEvictAConnectionThatIsGoneAndKeepOneWhoseStatementFailed() throws SQLException {
        HikariConfig config = byUrl();
        config.setMaximumPoolSize(1);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            Connection failed;
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                failed = connection.unwrap(Connection.class);
                assertThatThrownBy(() -> statement.executeUpdate("INSERT INTO orders (id, customer) VALUES (99, 'x')"))
                        .hasFieldOrPropertyWithValue("SQLState", "23000");
                assertThatThrownBy(() -> statement.executeQuery("SELECT nothing FROM nowhere"))
                        .isInstanceOf(SQLException.class);
            }
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.unwrap(Connection.class)).isSameAs(failed);
                failed.close();
                assertThatThrownBy(connection::createStatement).hasFieldOrPropertyWithValue("SQLState", "08003");
            }
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.unwrap(Connection.class)).isNotSameAs(failed);
                assertThat(insert(connection, "after the eviction")).isPositive();
            }
        }
    }

    @Test
    void shouldRollBackAForgottenTransaction() throws SQLException {
        HikariConfig config = byUrl();
        config.setAutoCommit(false);
        config.setMaximumPoolSize(1);
        long forgotten;
        long committed;
        try (HikariDataSource pool = new HikariDataSource(config)) {
            try (Connection forgetful = pool.getConnection()) {
                forgotten = insert(forgetful, "forgotten");
            }
            try (Connection next = pool.getConnection()) {
                committed = insert(next, "committed");
                next.commit();
            }
        }
        try (Connection other = cluster.connect();
                Statement select = other.createStatement();
                ResultSet rows = select.executeQuery(
                        "SELECT id FROM orders WHERE id IN (" + forgotten + ", " + committed + ")")) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getLong(1)).isEqualTo(committed);
            assertThat(rows.next()).isFalse();
        }
    }

    @Test
    void shouldRefuseAnUnknownOptionWhenThePoolStarts() {
        HikariConfig config = byUrl();
        config.addDataSourceProperty("cachePrepStmts", "true");

        assertThatThrownBy(() -> new HikariDataSource(config))
                .hasStackTraceContaining("unknown option 'cachePrepStmts'");
    }
}
