package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdentityType;
import dev.cassidy.snowflake.SnowflakeSpec;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GeneratedKeysIT {

    private static final Instant EPOCH = Instant.parse("2020-01-01T00:00:00Z");

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    private final Orders orders = new Orders(connection);

    @BeforeAll
    static void prepare() {
        cluster = Orders.fresh("generated_keys_it");
        cluster.cql(
                "CREATE TABLE $.big (id bigint PRIMARY KEY, v text)",
                "CREATE TABLE $.small (id smallint PRIMARY KEY, v text)",
                "CREATE TABLE $.event (id bigint PRIMARY KEY, v text)",
                "CREATE TABLE $.plain (k text PRIMARY KEY, v int)");
        cluster.identity("big", "id", IdentityType.BIGINT, 5_000_000_001L);
        cluster.identity("small", "id", IdentityType.SMALLINT, 7);
        cluster.timeOrderedIdentity("event", "id", EPOCH);
    }

    @Test
    void shouldServeATimeOrderedIdentity() throws SQLException {
        SnowflakeSpec ids = SnowflakeSpec.of("generated_keys_it.event", EPOCH);
        long earliest = ids.firstIdAt(Instant.now().minusSeconds(60));
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO event (v) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
            for (String v : List.of("a", "b", "c")) {
                insert.setString(1, v);
                insert.addBatch();
            }
            assertThat(insert.executeBatch()).containsOnly(1);
            assertThat(Orders.keys(insert))
                    .hasSize(3)
                    .doesNotHaveDuplicates()
                    .allSatisfy(id -> assertThat(id).isGreaterThan(earliest))
                    .allSatisfy(id -> assertThat(ids.firstIdAt(Instant.now().plusSeconds(60)))
                            .isGreaterThan(id));
        }
    }

    @Test
    void shouldServeAPlainDao() throws SQLException {
        long id;
        try (PreparedStatement insert = orders.insert()) {
            insert.setString(1, "Ada");
            insert.setInt(2, 3);
            assertThat(insert.executeUpdate()).isEqualTo(1);
            try (ResultSet keys = insert.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                id = keys.getLong(1);
                assertThat(keys.getInt("id")).isEqualTo((int) id);
                assertThat(keys.getObject("GENERATED_KEYS")).isEqualTo((int) id);
                assertThat(keys.getBigDecimal("whatever")).isEqualTo(BigDecimal.valueOf(id));
                assertThat(keys.getStatement()).isSameAs(insert);
                assertThat(keys.getMetaData().getColumnCount()).isEqualTo(1);
                assertThat(keys.getMetaData().getColumnLabel(1)).isEqualTo("id");
                assertThat(keys.getMetaData().getColumnType(1)).isEqualTo(Types.INTEGER);
                assertThat(keys.getMetaData().isAutoIncrement(1)).isTrue();
                assertThat(keys.next()).isFalse();
            }
        }
        assertThat(id).isGreaterThanOrEqualTo(1001);
        assertThat(orders.customerOf(id)).isEqualTo("Ada");
        try (PreparedStatement update = connection.prepareStatement("UPDATE orders SET qty = ? WHERE id = ?")) {
            update.setInt(1, 4);
            update.setLong(2, id);
            assertThat(update.executeUpdate()).isEqualTo(1);
        }
        try (PreparedStatement count = connection.prepareStatement("SELECT COUNT(*) FROM orders WHERE id = ?")) {
            count.setLong(1, id);
            try (ResultSet rows = count.executeQuery()) {
                rows.next();
                assertThat(rows.getInt(1)).isEqualTo(1);
            }
        }
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM orders WHERE id = ?")) {
            delete.setLong(1, id);
            assertThat(delete.executeUpdate()).isEqualTo(1);
        }
        assertThat(orders.customerOf(id)).isNull();
    }

    @Test
    void shouldGiveTheKeyInTheColumnsOwnType() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO big (v) VALUES ('x')", Statement.RETURN_GENERATED_KEYS);
            try (ResultSet keys = statement.getGeneratedKeys()) {
                keys.next();
                assertThat(keys.getObject(1)).isInstanceOf(Long.class);
                assertThat(keys.getLong(1)).isGreaterThan(5_000_000_000L);
                assertThatThrownBy(() -> keys.getInt(1)).hasFieldOrPropertyWithValue("SQLState", "22003");
            }
            statement.executeUpdate("INSERT INTO small (v) VALUES ('x')", Statement.RETURN_GENERATED_KEYS);
            try (ResultSet keys = statement.getGeneratedKeys()) {
                keys.next();
                assertThat(keys.getObject(1)).isInstanceOf(Short.class);
            }
        }
    }

    @Test
    void shouldGiveTheKeyByColumnIndexAndByColumnName() throws SQLException {
        try (PreparedStatement byIndex = connection.prepareStatement(Orders.INSERT, new int[] {1});
                PreparedStatement byName = connection.prepareStatement(Orders.INSERT, new String[] {"ID"})) {
            for (PreparedStatement insert : List.of(byIndex, byName)) {
                insert.setString(1, "by column");
                insert.setInt(2, 1);
                insert.executeUpdate();
            }

            assertThat(Orders.keys(byIndex)).hasSize(1).doesNotContainAnyElementsOf(Orders.keys(byName));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            order_no | has no column 'order_no'; its generated key is id | 42S22
            id,qty   | 'qty'                                             | HYC00
            """)
    void shouldRefuseAColumnThatIsNotTheIdentity(String columns, String message, String state) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(Orders.INSERT, columns.split(","))) {
            insert.setString(1, "by column");
            insert.setInt(2, 1);

            assertThatThrownBy(insert::executeUpdate)
                    .hasMessageContaining(message)
                    .hasFieldOrPropertyWithValue("SQLState", state);
        }
    }

    @Test
    void shouldGiveTheKeysOfSeveralRowsOfValuesInOrder() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO orders (customer, qty) VALUES (?, 1), (?, 2), (?, 3)", Statement.RETURN_GENERATED_KEYS)) {
            insert.setString(1, "a");
            insert.setString(2, "b");
            insert.setString(3, "c");
            assertThat(insert.executeUpdate()).isEqualTo(3);

            List<Long> keys = Orders.keys(insert);
            assertThat(keys).hasSize(3);
            assertThat(orders.customerOf(keys.get(0))).isEqualTo("a");
            assertThat(orders.customerOf(keys.get(1))).isEqualTo("b");
            assertThat(orders.customerOf(keys.get(2))).isEqualTo("c");
        }
    }

    @Test
    void shouldGiveTheKeysOfTheLastInsertOfAStatement() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(Orders.HEAD_AND_LINES, Statement.RETURN_GENERATED_KEYS);

            List<Long> keys = Orders.keys(statement);
            assertThat(keys).hasSize(2);
            assertThat(orders.customerOf(keys.get(0))).isEqualTo("line 1");
            assertThat(orders.customerOf(keys.get(1))).isEqualTo("line 2");
        }
    }

    @Test
    void shouldReturnAnEmptyResultInsteadOfNullIfNoKeysWereRequested() throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT * FROM orders", 1)) {
            select.executeQuery();
            try (ResultSet keys = select.getGeneratedKeys()) {
                assertThat(keys.next()).isFalse();
                assertThat(keys.getMetaData().getColumnCount()).isEqualTo(1);
            }
        }
    }

    @Test
    void shouldInsertDefaultValuesAndNull() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO orders DEFAULT VALUES", Statement.RETURN_GENERATED_KEYS);
            assertThat(Orders.keys(statement)).hasSize(1);
            statement.executeUpdate("INSERT INTO orders (id, customer) VALUES (NULL, 'null')", 1);
            assertThat(orders.customerOf(Orders.keys(statement).get(0))).isEqualTo("null");
            statement.executeUpdate("INSERT INTO orders (id, customer) VALUES (DEFAULT, 'default')", 1);
            assertThat(orders.customerOf(Orders.keys(statement).get(0))).isEqualTo("default");
        }
    }

    @Test
    void shouldHideTheIdentitysMarker() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(Orders.INSERT + " USING TTL ?")) {
            assertThat(insert.getParameterMetaData().getParameterCount()).isEqualTo(3);
            assertThat(insert.getParameterMetaData().getParameterType(2)).isEqualTo(Types.INTEGER);
            insert.setString(1, "mortal");
            insert.setInt(2, 1);
            insert.setInt(3, 3600);
            assertThat(insert.executeUpdate()).isEqualTo(1);
            assertThatThrownBy(() -> insert.setInt(4, 1))
                    .hasMessageContaining("must be from 1 to 3: parameter index=4")
                    .hasFieldOrPropertyWithValue("SQLState", "07001");
        }
    }

    @Test
    void shouldIssueEveryIdOnceToManyThreads() throws Exception {
        Set<Long> ids = ConcurrentHashMap.newKeySet();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<Void>> work = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Callable<Void> inserts = () -> {
                    try (Connection own = cluster.connect();
                            PreparedStatement insert = own.prepareStatement(Orders.INSERT, 1)) {
                        for (int n = 0; n < 50; n++) {
                            insert.setString(1, "concurrent");
                            insert.setInt(2, n);
                            insert.executeUpdate();
                            ids.addAll(Orders.keys(insert));
                        }
                    }
                    return null;
                };
                work.add(threads.submit(inserts));
            }
            for (Future<Void> each : work) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(ids).hasSize(400);
    }
}
