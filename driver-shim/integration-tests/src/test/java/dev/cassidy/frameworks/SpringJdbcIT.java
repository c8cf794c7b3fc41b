package dev.cassidy.frameworks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.frameworks.Shop.Row;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.BatchPreparedStatementSetter;
import org.springframework.jdbc.core.DataClassRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.namedparam.SqlParameterSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.SimpleJdbcInsert;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;

/** JdbcTemplate, NamedParameterJdbcTemplate, SimpleJdbcInsert and JdbcClient. */
class SpringJdbcIT {

    private static final String INSERT = "INSERT INTO dbo.Product (Name, Price, Stock) VALUES (?, ?, ?)";

    private static Shop shop;
    private static JdbcTemplate jdbc;
    private static NamedParameterJdbcTemplate named;

    record Product(int id, String name, BigDecimal price, Integer stock) {}

    @BeforeAll
    static void prepare() throws SQLException {
        shop = Shop.open("spring_jdbc_it");
        jdbc = new JdbcTemplate(shop.pool());
        named = new NamedParameterJdbcTemplate(jdbc);
    }

    @AfterAll
    static void close() throws SQLException {
        shop.close();
    }

    private static Number insert(String name) {
        KeyHolder keys = new GeneratedKeyHolder();
        jdbc.update(
                connection -> {
                    PreparedStatement insert = connection.prepareStatement(INSERT, Statement.RETURN_GENERATED_KEYS);
                    insert.setString(1, name);
                    insert.setBigDecimal(2, new BigDecimal("34.90"));
                    insert.setInt(3, 7);
                    return insert;
                },
                keys);
        return keys.getKey();
    }

    @Test
    void shouldFillAKeyHolderByTheFlagAndByTheColumnsName() {
        Number byFlag = insert("by flag");
        KeyHolder byName = new GeneratedKeyHolder();
        named.update(
                "INSERT INTO [dbo].[Product] ([Name], [Price]) VALUES (:name, :price)",
                new MapSqlParameterSource(Map.of("name", "by name", "price", new BigDecimal("1.5"))),
                byName,
                new String[] {"Id"});

        assertThat(byFlag).isInstanceOf(Integer.class);
        assertThat(byName.getKeys()).containsOnlyKeys("id");
        assertThat(shop.row(byFlag)).contains(Row.of("by flag", "34.90", 7));
        assertThat(shop.row(byName.getKey())).contains(Row.of("by name", "1.5", null));
    }

    @Test
    void shouldFillAKeyHolderWithTheKeysOfABatch() {
        List<String> names = List.of("b1", "b2", "b3");
        KeyHolder keys = new GeneratedKeyHolder();
        int[] counts = jdbc.batchUpdate(
                connection -> connection.prepareStatement(INSERT, Statement.RETURN_GENERATED_KEYS),
                new BatchPreparedStatementSetter() {
                    @Override
                    public void setValues(PreparedStatement insert, int i) throws SQLException {
                        insert.setString(1, names.get(i));
                        insert.setBigDecimal(2, BigDecimal.TEN);
                        insert.setInt(3, i);
                    }

                    @Override
                    public int getBatchSize() {
                        return names.size();
                    }
                },
                keys);
        KeyHolder namedKeys = new GeneratedKeyHolder();
        named.batchUpdate(
                "INSERT INTO product (name) VALUES (:name)",
                names.stream()
                        .map(name -> new MapSqlParameterSource("name", name))
                        .toArray(SqlParameterSource[]::new),
                namedKeys);

        assertThat(counts).containsExactly(1, 1, 1);
        for (KeyHolder holder : List.of(keys, namedKeys)) {
            assertThat(holder.getKeyList().stream().map(key -> shop.row((Number) key.get("id"))
                            .orElseThrow()
                            .name()))
                    .containsExactlyElementsOf(names);
        }
    }

    @Test
    void shouldTakeAnUntypedNull() {
        KeyHolder keys = new GeneratedKeyHolder();
        named.update(
                "INSERT INTO product (name, price, stock) VALUES (:name, :price, :stock)",
                new MapSqlParameterSource()
                        .addValue("name", "no stock")
                        .addValue("price", null)
                        .addValue("stock", null),
                keys);

        assertThat(shop.row(keys.getKey())).contains(Row.of("no stock", null, null));
        assertThat(jdbc.update("UPDATE product SET name = ? WHERE id = ?", null, keys.getKey()))
                .isEqualTo(1);
        // The row itself stays, as in SQL Server.
        assertThat(shop.row(keys.getKey())).contains(Row.of(null, null, null));
    }

    @Test
    void shouldServeSimpleJdbcInsert() {
        SimpleJdbcInsert declared = new SimpleJdbcInsert(jdbc)
                .withSchemaName("dbo")
                .withTableName("Product")
                .usingColumns("Name", "Stock")
                .usingGeneratedKeyColumns("Id");
        SimpleJdbcInsert discovered =
                new SimpleJdbcInsert(jdbc).withTableName("PRODUCT").usingGeneratedKeyColumns("id");

        Number first = declared.executeAndReturnKey(Map.of("name", "declared", "stock", 7L));
        Number second = discovered.executeAndReturnKey(Map.of("Name", "discovered", "price", 2));

        assertThat(shop.row(first)).contains(Row.of("declared", null, 7));
        assertThat(shop.row(second)).contains(Row.of("discovered", "2", null));
        assertThat(declared.executeBatch(new MapSqlParameterSource("Name", "x"), new MapSqlParameterSource("Stock", 2)))
                .containsExactly(1, 1);
    }

    @Test
    void shouldServeJdbcClient() {
        JdbcClient client = JdbcClient.create(shop.pool());
        KeyHolder keys = new GeneratedKeyHolder();
        client.sql("INSERT INTO product (name, price) VALUES (:name, :price)")
                .param("name", "client")
                .param("price", new BigDecimal("0.10"))
                .update(keys, "id");
        int id = keys.getKeyAs(Integer.class);

        Optional<Product> found = client.sql("SELECT p.id, p.name, p.price, p.stock FROM product p WHERE p.id = :id")
                .param("id", id)
                .query(Product.class)
                .optional();
        assertThat(found).contains(new Product(id, "client", new BigDecimal("0.10"), null));
        assertThat(client.sql("DELETE FROM product WHERE id = ?").param(id).update())
                .isEqualTo(1);
        assertThat(shop.row(id)).isEmpty();
    }

    @Test
    void shouldReadUpdateAndDelete() {
        Number first = insert("first");
        Number second = insert("second");

        assertThat(jdbc.update("UPDATE Product SET Price = ?, Stock = ? WHERE Id = ?", 9.5, 3L, first))
                .isEqualTo(1);
        assertThat(shop.row(first)).contains(Row.of("first", "9.5", 3));
        assertThat(jdbc.queryForObject(
                        "SELECT TOP 1 * FROM dbo.Product WITH (NOLOCK) WHERE Id = ?",
                        new DataClassRowMapper<>(Product.class),
                        first))
                .isEqualTo(new Product(first.intValue(), "first", new BigDecimal("9.5"), 3));
        assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM product WHERE id = ?", Integer.class, second))
                .isEqualTo(1);
        assertThat(named.queryForList(
                        "SELECT name FROM product WHERE id IN (:ids)",
                        Map.of("ids", List.of(first, second)),
                        String.class))
                .containsExactlyInAnyOrder("first", "second");
        try (Stream<String> names = jdbc.queryForStream(
                "SELECT name FROM product WHERE id = ?", (rows, i) -> rows.getString("NAME"), first)) {
            assertThat(names).containsExactly("first");
        }
        assertThat(jdbc.batchUpdate(
                        "DELETE FROM product WHERE id = ?", Arrays.asList(new Object[][] {{first}, {second}})))
                .containsExactly(1, 1);
        assertThat(shop.row(first)).isEmpty();
        assertThat(shop.row(second)).isEmpty();
    }

    @Test
    void shouldGiveScopeIdentityOnTheSameConnection() {
        Long id = jdbc.execute((Connection connection) -> {
            JdbcTemplate same = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
            same.update(INSERT, "scope", BigDecimal.ONE, 1);
            return same.queryForObject("SELECT CAST(SCOPE_IDENTITY() AS BIGINT) AS id", Long.class);
        });

        assertThat(shop.row(id)).contains(Row.of("scope", "1", 1));
    }

    @Test
    void shouldTranslateItsErrors() {
        assertThatThrownBy(() -> jdbc.update("INSERT INTO nowhere (a) VALUES (1)"))
                .isInstanceOf(BadSqlGrammarException.class)
                .hasStackTraceContaining("nowhere");
        assertThatThrownBy(() -> jdbc.update("INSERT INTO product (name, stock) VALUES (?, ?)", "x", 5_000_000_000L))
                .isInstanceOf(DataIntegrityViolationException.class)
                .hasStackTraceContaining("5000000000");
        assertThatThrownBy(() ->
                        jdbc.queryForList("SELECT a.name FROM product a JOIN stock b ON a.id = b.id WHERE a.id = 1"))
                .isInstanceOf(DataAccessException.class)
                .hasStackTraceContaining("read one table a statement");
    }

    @Test
    void shouldUpdateNothingWhereTheKeyIsNull() {
        int updated = jdbc.update("UPDATE product SET stock = ? WHERE id = ?", new Object[] {1, null}, new int[] {
            Types.INTEGER, Types.INTEGER
        });

        assertThat(updated).isZero();
    }
}
