package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
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
        config.setConnectionInitSql("SELECT key FROM system.local");
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
    void shouldNotEvictAConnectionOverWhatIsNotServed() throws SQLException {
        HikariConfig config = byUrl();
        config.setMaximumPoolSize(1);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            Connection physical;
            try (Connection connection = pool.getConnection()) {
                physical = connection.unwrap(CassidyConnection.class);
                assertThatThrownBy(() -> connection.prepareCall("{call p}"))
                        .hasFieldOrPropertyWithValue("SQLState", "HYC00");
                assertThatThrownBy(() -> connection.prepareStatement("MERGE INTO x USING y ON 1=1"))
                        .hasFieldOrPropertyWithValue("SQLState", "HYC00");
            }
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.unwrap(CassidyConnection.class)).isSameAs(physical);
            }
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
