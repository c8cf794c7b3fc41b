package dev.cassidy.frameworks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.frameworks.Shop.Row;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.apache.commons.dbutils.DbUtils;
import org.apache.commons.dbutils.QueryRunner;
import org.apache.commons.dbutils.handlers.BeanHandler;
import org.apache.commons.dbutils.handlers.ColumnListHandler;
import org.apache.commons.dbutils.handlers.MapHandler;
import org.apache.commons.dbutils.handlers.ScalarHandler;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class DbUtilsIT {

    private static final String INSERT = "INSERT INTO [Product] ([Name], [Price], [Stock]) VALUES (?, ?, ?)";

    private static Shop shop;
    private static QueryRunner runner;

    /** A bean, as DbUtils requires it. */
    public static final class Product {
        private int id;
        private String name;

        public int getId() {
            return id;
        }

        public void setId(int id) {
            this.id = id;
        }

        public String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }
    }

    @BeforeAll
    static void prepare() throws SQLException {
        shop = Shop.open("dbutils_it");
        runner = new QueryRunner(shop.pool());
    }

    @AfterAll
    static void close() throws SQLException {
        shop.close();
    }

    @Test
    void shouldInsertWithKeysAndNulls() throws SQLException {
        Integer id = runner.insert(INSERT, new ScalarHandler<>(), "kettle", new BigDecimal("34.90"), null);
        Map<String, Object> byMap = runner.insert(INSERT, new MapHandler(), null, null, 5);

        assertThat(shop.row(id)).contains(Row.of("kettle", "34.90", null));
        assertThat(byMap).containsOnlyKeys("id");
        assertThat(shop.row((Number) byMap.values().iterator().next())).contains(Row.of(null, null, 5));
    }

    @Test
    void shouldInsertABatchWithKeys() throws SQLException {
        List<Integer> ids = runner.insertBatch(
                INSERT, new ColumnListHandler<>(), new Object[][] {{"b1", 1, 1}, {"b2", null, 2}, {"b3", 3, null}});

        assertThat(ids).hasSize(3);
        assertThat(shop.row(ids.get(0))).contains(Row.of("b1", "1", 1));
        assertThat(shop.row(ids.get(1))).contains(Row.of("b2", null, 2));
        assertThat(shop.row(ids.get(2))).contains(Row.of("b3", "3", null));
        assertThat(runner.batch("DELETE FROM product WHERE id = ?", new Object[][] {{ids.get(0)}, {ids.get(1)}}))
                .containsExactly(1, 1);
        assertThat(shop.row(ids.get(0))).isEmpty();
    }

    @Test
    void shouldReadUpdateAndDelete() throws SQLException {
        Integer id = runner.insert(INSERT, new ScalarHandler<>(), "old", BigDecimal.ONE, 1);

        assertThat(runner.update("UPDATE Product SET Name = ?, Stock = ? WHERE Id = ?", "new", null, id))
                .isEqualTo(1);
        assertThat(shop.row(id)).contains(Row.of("new", "1", null));
        Product read = runner.query("SELECT * FROM Product WHERE Id = ?", new BeanHandler<>(Product.class), id);
        assertThat(read.getId()).isEqualTo(id);
        assertThat(read.getName()).isEqualTo("new");
        assertThatThrownBy(() -> runner.execute("DELETE FROM Product WHERE Id = ?", id))
                .hasMessageContaining("stored procedures")
                .hasMessageContaining("by prepareStatement");
        assertThat(runner.update("DELETE FROM Product WHERE Id = ?", id)).isEqualTo(1);
        assertThat(shop.row(id)).isEmpty();
    }

    @Test
    void shouldCommitAndRollBack() throws SQLException {
        Integer committed;
        Integer dropped;
        try (Connection connection = shop.pool().getConnection()) {
            connection.setAutoCommit(false);
            QueryRunner plain = new QueryRunner();
            committed = plain.insert(connection, INSERT, new ScalarHandler<>(), "committed", null, null);
            assertThat(shop.row(committed)).isEmpty();
            connection.commit();
            dropped = plain.insert(connection, INSERT, new ScalarHandler<>(), "dropped", null, null);
            DbUtils.rollback(connection);
        }

        assertThat(shop.row(committed)).contains(Row.of("committed", null, null));
        assertThat(shop.row(dropped)).isEmpty();
    }

    @Test
    void shouldNotCountTheParameterOfTheId() {
        assertThatThrownBy(() -> runner.update(INSERT, "one", 2)).hasMessageContaining("expected 3, was given 2");
    }
}
