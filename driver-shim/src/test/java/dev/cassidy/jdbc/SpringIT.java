package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdentityType;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.BatchPreparedStatementSetter;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.simple.SimpleJdbcInsert;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;

class SpringIT {

    private static final String INSERT = "INSERT INTO orders (customer, qty) VALUES (?, ?)";

    private static JdbcTemplate jdbc;

    @BeforeAll
    static void prepare() {
        TestCluster cluster = TestCluster.fresh("spring_it");
        cluster.cql("CREATE TABLE $.orders (id int PRIMARY KEY, customer text, qty int, note text)");
        cluster.identity("orders", "id", IdentityType.INT, 501);
        CassidyDataSource source = new CassidyDataSource();
        source.setUrl(cluster.url());
        jdbc = new JdbcTemplate(source);
    }

    private static String customerOf(Number id) {
        return jdbc.queryForObject("SELECT customer FROM orders WHERE id = ?", String.class, id);
    }

    @Test
    void shouldFillAKeyHolderByTheFlag() {
        KeyHolder keys = new GeneratedKeyHolder();

        int count = jdbc.update(
                connection -> {
                    PreparedStatement insert = connection.prepareStatement(INSERT, Statement.RETURN_GENERATED_KEYS);
                    insert.setString(1, "Ada");
                    insert.setInt(2, 1);
                    return insert;
                },
                keys);

        assertThat(count).isEqualTo(1);
        assertThat(keys.getKey()).isInstanceOf(Integer.class);
        assertThat(keys.getKeys()).containsOnlyKeys("id");
        assertThat(customerOf(keys.getKey())).isEqualTo("Ada");
    }

    @Test
    void shouldFillAKeyHolderByTheColumnsName() {
        KeyHolder keys = new GeneratedKeyHolder();

        new NamedParameterJdbcTemplate(jdbc)
                .update(
                        "INSERT INTO orders (customer, qty) VALUES (:customer, :qty)",
                        new MapSqlParameterSource(Map.of("customer", "Grace", "qty", 2)),
                        keys,
                        new String[] {"id"});

        assertThat(customerOf(keys.getKey())).isEqualTo("Grace");
    }

    @Test
    void shouldTakeAnUntypedNull() {
        KeyHolder keys = new GeneratedKeyHolder();
        MapSqlParameterSource parameters =
                new MapSqlParameterSource().addValue("customer", "no quantity").addValue("qty", null);

        new NamedParameterJdbcTemplate(jdbc)
                .update("INSERT INTO orders (customer, qty) VALUES (:customer, :qty)", parameters, keys);

        Map<String, Object> row = jdbc.queryForMap("SELECT qty FROM orders WHERE id = ?", keys.getKey());
        assertThat(row).containsEntry("qty", null);
    }

    @Test
    void shouldFillAKeyHolderWithTheKeysOfABatch() {
        KeyHolder keys = new GeneratedKeyHolder();
        List<String> customers = List.of("b1", "b2", "b3");

        int[] counts = jdbc.batchUpdate(
                connection -> connection.prepareStatement(INSERT, Statement.RETURN_GENERATED_KEYS),
                new BatchPreparedStatementSetter() {
                    @Override
                    public void setValues(PreparedStatement insert, int i) throws SQLException {
                        insert.setString(1, customers.get(i));
                        insert.setInt(2, i);
                    }

                    @Override
                    public int getBatchSize() {
                        return customers.size();
                    }
                },
                keys);

        assertThat(counts).containsExactly(1, 1, 1);
        assertThat(keys.getKeyList().stream().map(row -> customerOf((Number) row.get("id"))))
                .containsExactlyElementsOf(customers);
    }

    @Test
    void shouldServeSimpleJdbcInsert() {
        SimpleJdbcInsert insert =
                new SimpleJdbcInsert(jdbc).withTableName("Orders").usingGeneratedKeyColumns("id");

        Number id = insert.executeAndReturnKey(Map.of("customer", "Simple", "QTY", 7L));

        assertThat(jdbc.queryForMap("SELECT customer, qty, note FROM orders WHERE id = ?", id))
                .containsEntry("customer", "Simple")
                .containsEntry("qty", 7)
                .containsEntry("note", null);
    }

    @Test
    void shouldQueryIntoObjects() {
        jdbc.update("UPDATE orders SET customer = ?, qty = ? WHERE id = ?", "Old", 9, 500);

        assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM orders WHERE id = ?", Integer.class, 500))
                .isEqualTo(1);
        assertThat(jdbc.query("SELECT id, qty FROM orders WHERE id = ?", (rows, i) -> rows.getLong("id"), 500))
                .containsExactly(500L);
        assertThat(jdbc.batchUpdate("DELETE FROM orders WHERE id = ?", Arrays.asList(new Object[][] {{500}, {499}})))
                .containsExactly(1, 1);
    }

    @Test
    void shouldTranslateItsErrors() {
        assertThatThrownBy(() -> jdbc.update("INSERT INTO nowhere (a) VALUES (1)"))
                .isInstanceOf(DataAccessException.class)
                .rootCause()
                .hasMessageContaining("nowhere");
    }
}
