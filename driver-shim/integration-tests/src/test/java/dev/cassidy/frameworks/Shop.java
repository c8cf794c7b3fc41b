package dev.cassidy.frameworks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.cassidy.jdbc.TestCluster;
import dev.cassidy.sequence.IdentityType;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * A keyspace with the table {@code product}, as a migration left it: ids continue from {@link #FIRST}. A framework uses
 * the pool, and a separate connection reads what it wrote.
 */
final class Shop implements AutoCloseable {

    static final int FIRST = 348;

    /** A row as the other connection reads it. */
    record Row(String name, BigDecimal price, Integer stock) {
        static Row of(String name, String price, Integer stock) {
            return new Row(name, price == null ? null : new BigDecimal(price), stock);
        }
    }

    private final TestCluster cluster;
    private final HikariDataSource pool;
    private final Connection other;

    private Shop(TestCluster cluster, HikariDataSource pool) throws SQLException {
        this.cluster = cluster;
        this.pool = pool;
        this.other = cluster.connect();
    }

    static Shop open(String keyspace) throws SQLException {
        return open(keyspace, "");
    }

    /** @param options of the pool's connections, each with its {@code &} */
    static Shop open(String keyspace, String options) throws SQLException {
        TestCluster cluster = TestCluster.fresh(keyspace);
        cluster.cql("CREATE TABLE $.product (id int PRIMARY KEY, name text, price decimal, stock int)");
        cluster.identity("product", "id", IdentityType.INT, FIRST);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(cluster.url() + options);
        config.setMaximumPoolSize(4);
        config.setMinimumIdle(1);
        return new Shop(cluster, new HikariDataSource(config));
    }

    TestCluster cluster() {
        return cluster;
    }

    HikariDataSource pool() {
        return pool;
    }

    /** Returns the row with that id, as another connection reads it. */
    Optional<Row> row(Number id) {
        try (PreparedStatement select = other.prepareStatement("SELECT name, price, stock FROM product WHERE id = ?")) {
            select.setLong(1, id.longValue());
            try (ResultSet rows = select.executeQuery()) {
                return rows.next()
                        ? Optional.of(
                                new Row(rows.getString(1), rows.getBigDecimal(2), rows.getObject(3, Integer.class)))
                        : Optional.empty();
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws SQLException {
        other.close();
        pool.close();
    }
}
