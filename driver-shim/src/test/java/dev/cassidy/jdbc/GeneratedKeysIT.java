package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdentityType;
import dev.cassidy.snowflake.SnowflakeSpec;
import java.math.BigDecimal;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GeneratedKeysIT {

    private static final String INSERT = "INSERT INTO orders (customer, qty) VALUES (?, ?)";

    private static final Instant EPOCH = Instant.parse("2020-01-01T00:00:00Z");

    private static TestCluster cluster;
    private Connection connection;

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("generated_keys_it");
        cluster.cql(
                "CREATE TABLE $.orders (id int PRIMARY KEY, customer text, qty int)",
                "CREATE TABLE $.big (id bigint PRIMARY KEY, v text)",
                "CREATE TABLE $.small (id smallint PRIMARY KEY, v text)",
                "CREATE TABLE $.event (id bigint PRIMARY KEY, v text)",
                "CREATE TABLE $.unregistered (id int PRIMARY KEY, v text)",
                "CREATE TABLE $.natural (k text PRIMARY KEY, id int, v text)",
                "CREATE TABLE $.plain (k text PRIMARY KEY, v int)");
        cluster.identity("orders", "id", IdentityType.INT, 1001);
        cluster.identity("natural", "id", IdentityType.INT, 1);
        cluster.identity("big", "id", IdentityType.BIGINT, 5_000_000_001L);
        cluster.identity("small", "id", IdentityType.SMALLINT, 7);
        cluster.timeOrderedIdentity("event", "id", EPOCH);
    }

    @BeforeEach
    void connect() throws SQLException {
        connection = cluster.connect();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    private static List<Long> keys(Statement statement) throws SQLException {
        List<Long> keys = new ArrayList<>();
        try (ResultSet rows = statement.getGeneratedKeys()) {
            while (rows.next()) {
                keys.add(rows.getLong(1));
            }
        }
        return keys;
    }

    private String customerOf(long id) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT customer FROM orders WHERE id = ?")) {
            select.setLong(1, id);
            try (ResultSet rows = select.executeQuery()) {
                return rows.next() ? rows.getString("customer") : null;
            }
        }
    }

    private PreparedStatement ordersInsert() throws SQLException {
        return connection.prepareStatement(INSERT, Statement.RETURN_GENERATED_KEYS);
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
            assertThat(keys(insert))
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
        try (PreparedStatement insert = ordersInsert()) {
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
        assertThat(customerOf(id)).isEqualTo("Ada");
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
        assertThat(customerOf(id)).isNull();
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
    void shouldTakeColumnIndexesAndNamesAndRefuseAnUnknownName() throws SQLException {
        try (PreparedStatement byIndex = connection.prepareStatement(INSERT, new int[] {1});
                PreparedStatement byName = connection.prepareStatement(INSERT, new String[] {"ID"});
                PreparedStatement unknown = connection.prepareStatement(INSERT, new String[] {"order_no"});
                PreparedStatement other = connection.prepareStatement(INSERT, new String[] {"id", "qty"})) {
            for (PreparedStatement statement : List.of(byIndex, byName, unknown, other)) {
                statement.setString(1, "by column");
                statement.setInt(2, 1);
            }
            byIndex.executeUpdate();
            byName.executeUpdate();

            assertThat(keys(byIndex)).hasSize(1).doesNotContainAnyElementsOf(keys(byName));
            assertThatThrownBy(unknown::executeUpdate)
                    .hasMessageContaining("has no column 'order_no'; its identity column is id")
                    .hasFieldOrPropertyWithValue("SQLState", "42S22");
            assertThatThrownBy(other::executeUpdate)
                    .hasMessageContaining("'qty'")
                    .hasFieldOrPropertyWithValue("SQLState", "HYC00");
        }
    }

    /** Most rows are under way before the first id is there: of a session that is new, and then while blocks are claimed. */
    @Test
    void shouldDrawIdsInTheOrderOfTheRowsWhileTheSequenceIsBeingOpened() throws SQLException {
        try (Connection cold = DriverManager.getConnection(cluster.url() + "&fetchSize=4999");
                PreparedStatement insert = cold.prepareStatement(INSERT, Statement.RETURN_GENERATED_KEYS)) {
            for (int row = 0; row < 500; row++) {
                insert.setString(1, "row " + row);
                insert.setInt(2, row);
                insert.addBatch();
            }
            assertThat(insert.executeBatch()).hasSize(500).containsOnly(1);
            List<Long> keys = keys(insert);
            assertThat(keys).hasSize(500).isSorted().doesNotHaveDuplicates();
            assertThat(customerOf(keys.get(0))).isEqualTo("row 0");
            assertThat(customerOf(keys.get(499))).isEqualTo("row 499");
        }
    }

    @Test
    void shouldGiveEveryKeyOfABatchInOrder() throws SQLException {
        try (PreparedStatement insert = ordersInsert()) {
            for (int i = 0; i < 300; i++) {
                insert.setString(1, "batch " + i);
                insert.setInt(2, i);
                insert.addBatch();
            }
            assertThat(insert.executeBatch()).hasSize(300).containsOnly(1);

            List<Long> keys = keys(insert);
            assertThat(keys).hasSize(300).doesNotHaveDuplicates();
            assertThat(customerOf(keys.get(0))).isEqualTo("batch 0");
            assertThat(customerOf(keys.get(137))).isEqualTo("batch 137");
            assertThat(customerOf(keys.get(299))).isEqualTo("batch 299");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO orders (customer) VALUES (?); SELECT SCOPE_IDENTITY()",
                "INSERT INTO orders (customer) OUTPUT INSERTED.id VALUES (?)",
                "SELECT * FROM plain WHERE k = ?"
            })
    void shouldRefuseABatchEntryWithAResultSetBeforeItIsWritten(String sql) throws SQLException {
        String customer = "refused by addBatch";
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setString(1, customer);
            assertThatThrownBy(insert::addBatch)
                    .hasMessageContaining("A batch cannot hold a statement that gives a result set")
                    .hasFieldOrPropertyWithValue("SQLState", "HY010");
            assertThat(insert.executeBatch()).isEmpty();
        }
        try (Statement select = connection.createStatement()) {
            assertThat(select.executeQuery("SELECT * FROM orders WHERE customer = '" + customer + "' ALLOW FILTERING")
                            .next())
                    .isFalse();
        }
    }

    @Test
    void shouldCountTheConditionalEntriesOfABatch() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.addBatch("INSERT INTO plain (k, v) VALUES ('conditional entry', 1) IF NOT EXISTS");
            statement.addBatch("INSERT INTO plain (k, v) VALUES ('conditional entry', 2) IF NOT EXISTS");
            assertThat(statement.executeBatch()).containsExactly(1, 0);
        }
    }

    @Test
    void shouldKeepParametersAfterAddBatch() throws SQLException {
        try (PreparedStatement insert = ordersInsert()) {
            insert.setString(1, "same");
            insert.setInt(2, 1);
            insert.addBatch();
            insert.setInt(2, 2);
            insert.addBatch();
            insert.executeBatch();

            List<Long> keys = keys(insert);
            assertThat(customerOf(keys.get(0))).isEqualTo("same");
            assertThat(customerOf(keys.get(1))).isEqualTo("same");
            assertThat(insert.executeBatch()).isEmpty();
        }
    }

    @Test
    void shouldGiveTheKeysOfWhatSucceededWhenPartOfABatchFails() throws SQLException {
        try (PreparedStatement insert = ordersInsert()) {
            for (Object qty : new Object[] {1, 5_000_000_000L, 3}) {
                insert.setString(1, "partial " + qty);
                insert.setObject(2, qty);
                insert.addBatch();
            }
            assertThatThrownBy(insert::executeBatch).isInstanceOfSatisfying(BatchUpdateException.class, e -> {
                assertThat(e.getUpdateCounts()).containsExactly(1, Statement.EXECUTE_FAILED, 1);
                assertThat(e.getSQLState()).isEqualTo("22003");
                assertThat(e.getMessage()).contains("1 of 3 entries failed", "5000000000");
            });
            List<Long> keys = keys(insert);
            assertThat(keys).hasSize(2);
            assertThat(customerOf(keys.get(1))).isEqualTo("partial 3");
        }
    }

    @Test
    void shouldChainEveryFailureOfABatchInOrder() throws SQLException {
        try (PreparedStatement insert = ordersInsert()) {
            for (long qty : List.of(5_000_000_001L, 2L, 5_000_000_002L, 5_000_000_003L)) {
                insert.setString(1, "chain");
                insert.setLong(2, qty);
                insert.addBatch();
            }
            assertThatThrownBy(insert::executeBatch).isInstanceOfSatisfying(BatchUpdateException.class, e -> {
                List<String> chain = new ArrayList<>();
                for (SQLException next = e.getNextException(); next != null; next = next.getNextException()) {
                    chain.add(next.getMessage());
                }
                assertThat(chain).hasSize(3);
                assertThat(chain.get(0)).contains("5000000001");
                assertThat(chain.get(1)).contains("5000000002");
                assertThat(chain.get(2)).contains("5000000003");
            });
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

            List<Long> keys = keys(insert);
            assertThat(keys).hasSize(3);
            assertThat(customerOf(keys.get(0))).isEqualTo("a");
            assertThat(customerOf(keys.get(1))).isEqualTo("b");
            assertThat(customerOf(keys.get(2))).isEqualTo("c");
        }
    }

    @Test
    void shouldGiveTheKeysOfTheLastInsertOfAStatementOrOfAnEntryOfABatch() throws SQLException {
        String sql = "INSERT INTO orders (customer) VALUES ('head'); INSERT INTO orders (customer) VALUES ('line 1'),"
                + " ('line 2'); UPDATE plain SET v = 1 WHERE k = 'after'";
        try (Statement statement = connection.createStatement();
                PreparedStatement batch = connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
            statement.executeUpdate(sql, Statement.RETURN_GENERATED_KEYS);
            List<Long> keys = keys(statement);
            assertThat(keys).hasSize(2);
            assertThat(customerOf(keys.get(0))).isEqualTo("line 1");
            assertThat(customerOf(keys.get(1))).isEqualTo("line 2");

            batch.addBatch();
            batch.executeBatch();
            assertThat(keys(batch)).hasSize(2);
            assertThat(customerOf(keys(batch).get(0))).isEqualTo("line 1");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO orders (customer) VALUES (?); SELECT SCOPE_IDENTITY()",
                "SET NOCOUNT ON; INSERT INTO [dbo].[Orders] ([Customer]) VALUES (?) SELECT SCOPE_IDENTITY() AS id",
                "insert into orders (customer) values (?) select @@IDENTITY",
                "INSERT INTO orders (customer) OUTPUT INSERTED.id VALUES (?)"
            })
    void shouldServeSqlServersWaysToReadAnIdentity(String sql) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setString(1, "idiom");
            try (ResultSet rows = insert.executeQuery()) {
                assertThat(rows.next()).isTrue();
                assertThat(customerOf(rows.getLong(1))).isEqualTo("idiom");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO plain (k, v) VALUES ('twice', 9), ('twice', 5)",
                "INSERT INTO plain (k, v) VALUES (?, ?), (?, ?)",
                "INSERT INTO orders (id, qty) VALUES (1, ?), (1, ?)"
            })
    void shouldLetTheLaterOfTwoRowsOfValuesWithOneKeyWin(String sql) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql);
                Statement select = connection.createStatement()) {
            List<Object> values = sql.contains("orders") ? List.of(9, 5) : List.of("twice", 9, "twice", 5);
            for (int i = 0; i < insert.getParameterMetaData().getParameterCount(); i++) {
                insert.setObject(i + 1, values.get(i));
            }
            assertThat(insert.executeUpdate()).isEqualTo(2);

            ResultSet rows = select.executeQuery(
                    sql.contains("orders")
                            ? "SELECT qty FROM orders WHERE id = 1"
                            : "SELECT v FROM plain WHERE k = 'twice'");
            rows.next();
            assertThat(rows.getInt(1)).isEqualTo(5);
        }
    }

    @Test
    void shouldGiveResultsInSqlServersOrder() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.execute("INSERT INTO orders (customer) VALUES ('x'); SELECT SCOPE_IDENTITY() AS id"))
                    .isFalse();
            assertThat(statement.getUpdateCount()).isEqualTo(1);
            assertThat(statement.getMoreResults()).isTrue();
            try (ResultSet rows = statement.getResultSet()) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getObject("id")).isInstanceOf(BigDecimal.class);
            }
            assertThat(statement.getMoreResults()).isFalse();
            assertThat(statement.getUpdateCount()).isEqualTo(-1);

            assertThat(statement.execute(
                            "SET NOCOUNT ON; INSERT INTO orders (customer) VALUES ('x'); SELECT SCOPE_IDENTITY()"))
                    .isTrue();
        }
    }

    @Test
    void shouldRememberTheLastIdentityOfEachConnection() throws SQLException {
        try (Connection other = cluster.connect();
                Statement mine = connection.createStatement();
                Statement theirs = other.createStatement()) {
            ResultSet before = mine.executeQuery("SELECT SCOPE_IDENTITY()");
            assertThat(before.next()).isTrue();
            assertThat(before.getObject(1)).isNull();
            mine.executeUpdate("INSERT INTO orders (customer) VALUES ('mine')");
            theirs.executeUpdate("INSERT INTO orders (customer) VALUES ('theirs')");

            ResultSet last = mine.executeQuery("SELECT SCOPE_IDENTITY()");
            last.next();
            assertThat(customerOf(last.getLong(""))).isEqualTo("mine");
            mine.executeUpdate("INSERT INTO plain (k, v) VALUES ('k', 1)");
            ResultSet none = mine.executeQuery("SELECT @@IDENTITY");
            none.next();
            assertThat(none.getLong(1)).isZero();
            assertThat(none.wasNull()).isTrue();
        }
    }

    @Test
    void shouldGiveScopeIdentityAsALongWhereThatIsAskedFor() throws SQLException {
        CassidyDataSource source = new CassidyDataSource();
        source.setUrl(cluster.url());
        source.setScopeIdentityType("long");
        try (Connection longs = source.getConnection();
                Statement statement = longs.createStatement()) {
            ResultSet rows =
                    statement.executeQuery("INSERT INTO orders (customer) VALUES ('x'); SELECT SCOPE_IDENTITY()");
            rows.next();
            assertThat(rows.getObject(1)).isInstanceOf(Long.class);
        }
    }

    @Test
    void shouldGiveNoKeysWhereNoneWereAskedForAndAnEmptyResultNeverNull() throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT * FROM orders", 1)) {
            select.executeQuery();
            try (ResultSet keys = select.getGeneratedKeys()) {
                assertThat(keys.next()).isFalse();
                assertThat(keys.getMetaData().getColumnCount()).isEqualTo(1);
            }
        }
    }

    @Test
    void shouldRefuseAnInsertIntoAnUnregisteredTableWhenKeysAreAskedFor() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO unregistered (id, v) VALUES (1, ?)", Statement.RETURN_GENERATED_KEYS)) {
            insert.setString(1, "x");
            assertThatThrownBy(insert::executeUpdate)
                    .hasMessageContaining("generated_keys_it.unregistered, which has no registered identity column")
                    .hasMessageContaining("register --table generated_keys_it.unregistered --column id --start <n>")
                    .hasFieldOrPropertyWithValue("SQLState", "42000");
        }
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.executeQuery("SELECT * FROM unregistered").next())
                    .isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INSERT INTO unregistered (v) VALUES ('x')", "INSERT INTO unregistered (v) VALUES (?)"})
    void shouldRefuseAnInsertThatLeavesOutTheKeyOfAnUnregisteredTable(String sql) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            if (sql.contains("?")) {
                insert.setString(1, "x");
            }
            assertThatThrownBy(insert::executeUpdate)
                    .hasMessageContaining("register --table generated_keys_it.unregistered --column id --start <n>")
                    .hasFieldOrPropertyWithValue("SQLState", "42000");
        }
    }

    @Test
    void shouldRefuseAnExplicitIdWhereTheSequenceIssues() throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO orders (id, customer) VALUES (?, ?)")) {
            insert.setInt(1, 2_000_000);
            insert.setString(2, "x");
            assertThatThrownBy(insert::executeUpdate)
                    .hasMessageContaining("2000000")
                    .hasMessageContaining("generated_keys_it.orders")
                    .hasMessageContaining("advancePast")
                    .hasFieldOrPropertyWithValue("SQLState", "23000");
            insert.setInt(1, 1000);
            assertThat(insert.executeUpdate()).isEqualTo(1);
            insert.setObject(1, null);
            assertThat(insert.executeUpdate()).isEqualTo(1);
        }
    }

    @Test
    void shouldCountAConditionalInsertThatWasNotApplied() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            String sql = "INSERT INTO plain (k, v) VALUES ('once', 1) IF NOT EXISTS";
            assertThat(statement.executeUpdate(sql)).isEqualTo(1);
            assertThat(statement.executeUpdate(sql)).isZero();
            try (ResultSet rows = statement.executeQuery(sql)) {
                rows.next();
                assertThat(rows.getBoolean("[applied]")).isFalse();
                assertThat(rows.getInt("v")).isEqualTo(1);
            }
        }
    }

    @Test
    void shouldServeOutputOfWhatWasSentAndRefuseWhatOnlyTheServerKnows() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO orders (customer, qty) OUTPUT INSERTED.id, INSERTED.customer AS who, INSERTED.qty"
                        + " VALUES (?, 7), (?, NULL)")) {
            insert.setString(1, "out 1");
            insert.setString(2, "out 2");
            try (ResultSet rows = insert.executeQuery()) {
                assertThat(rows.next()).isTrue();
                assertThat(customerOf(rows.getLong("id"))).isEqualTo("out 1");
                assertThat(rows.getString("who")).isEqualTo("out 1");
                assertThat(rows.getObject("qty")).isEqualTo(7);
                assertThat(rows.next()).isTrue();
                assertThat(rows.getString("who")).isEqualTo("out 2");
                assertThat(rows.getObject("qty")).isNull();
                assertThat(rows.next()).isFalse();
            }
        }
        try (Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.executeQuery("INSERT INTO big (v) OUTPUT INSERTED.v VALUES (toJson(1))"))
                    .hasMessageContaining("OUTPUT INSERTED.v is not served where the value is an expression")
                    .hasFieldOrPropertyWithValue("SQLState", "HYC00");
            assertThatThrownBy(() -> statement.executeQuery(
                            "INSERT INTO plain (k, v) OUTPUT INSERTED.k VALUES ('output', 1) IF NOT EXISTS"))
                    .hasMessageContaining("OUTPUT with IF NOT EXISTS is not served")
                    .hasFieldOrPropertyWithValue("SQLState", "HYC00");
            assertThat(statement
                            .executeQuery("SELECT * FROM plain WHERE k = 'output'")
                            .next())
                    .isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO orders (customer) OUTPUT INSERTED.id VALUES ('not an update')",
                "SET NOCOUNT ON; INSERT INTO orders (customer) OUTPUT INSERTED.id VALUES ('not an update')",
                "SET ANSI_NULLS ON; INSERT INTO orders (customer) OUTPUT INSERTED.id VALUES ('not an update')"
            })
    void shouldRefuseOutputAsAnUpdateBeforeItIsWritten(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.executeUpdate(sql))
                    .hasMessageContaining("run it with executeQuery or execute")
                    .hasFieldOrPropertyWithValue("SQLState", "HY010");
            assertThat(statement
                            .executeQuery("SELECT * FROM orders WHERE customer = 'not an update' ALLOW FILTERING")
                            .next())
                    .isFalse();
            assertThat(statement.executeUpdate("SET NOCOUNT ON")).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO orders (customer, qty) VALUES ('no tombstone', ?)",
                "INSERT INTO orders (id, customer, qty) VALUES (NULL, 'no tombstone', ?)",
                "INSERT INTO orders (qty, id, customer) VALUES (?, ?, 'no tombstone')"
            })
    void shouldWriteNoTombstoneForANullInARowWithANewId(String sql) throws SQLException {
        long id;
        try (PreparedStatement insert = connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
            for (int i = 1; i <= insert.getParameterMetaData().getParameterCount(); i++) {
                insert.setNull(i, Types.INTEGER);
            }
            insert.executeUpdate();
            id = keys(insert).get(0);
        }
        try (Statement statement = connection.createStatement()) {
            // A value written earlier shows if nothing deleted the cell, and stays hidden by a tombstone.
            statement.executeUpdate("UPDATE orders USING TIMESTAMP 1 SET qty = 8 WHERE id = " + id);
            ResultSet rows = statement.executeQuery("SELECT qty FROM orders WHERE id = " + id);
            rows.next();
            assertThat(rows.getInt(1)).isEqualTo(8);
        }
    }

    @Test
    void shouldDeleteByANullWhereTheIdIsNoPartOfTheKeyOrIsGiven() throws SQLException {
        try (PreparedStatement natural = connection.prepareStatement("INSERT INTO natural (v, k) VALUES (?, 'k')");
                PreparedStatement explicit =
                        connection.prepareStatement("INSERT INTO orders (customer, id) VALUES (?, 2)");
                Statement select = connection.createStatement()) {
            for (String value : new String[] {"old", null}) {
                natural.setString(1, value);
                natural.executeUpdate();
                explicit.setString(1, value);
                explicit.executeUpdate();
            }
            ResultSet rows = select.executeQuery("SELECT v FROM natural WHERE k = 'k'");
            rows.next();
            assertThat(rows.getString(1)).isNull();
            assertThat(customerOf(2)).isNull();
        }
    }

    @Test
    void shouldInsertDefaultValuesAndNull() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO orders DEFAULT VALUES", Statement.RETURN_GENERATED_KEYS);
            assertThat(keys(statement)).hasSize(1);
            statement.executeUpdate("INSERT INTO orders (id, customer) VALUES (NULL, 'null')", 1);
            assertThat(customerOf(keys(statement).get(0))).isEqualTo("null");
            statement.executeUpdate("INSERT INTO orders (id, customer) VALUES (DEFAULT, 'default')", 1);
            assertThat(customerOf(keys(statement).get(0))).isEqualTo("default");
        }
    }

    @Test
    void shouldHideTheIdentitysMarker() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT + " USING TTL ?")) {
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
                            PreparedStatement insert = own.prepareStatement(INSERT, 1)) {
                        for (int n = 0; n < 50; n++) {
                            insert.setString(1, "concurrent");
                            insert.setInt(2, n);
                            insert.executeUpdate();
                            ids.addAll(keys(insert));
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

    @Test
    void shouldRefuseTsqlThatCannotBeServedNamingItAndTheWayOut() {
        assertThatThrownBy(() -> connection.prepareStatement("MERGE INTO orders USING x ON 1=1"))
                .hasMessageContaining("MERGE is not supported: an INSERT or UPDATE of Cassandra writes the row")
                .hasFieldOrPropertyWithValue("SQLState", "HYC00");
    }
}
