package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdentityType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an insert writes, and which inserts are refused before anything is written. */
class InsertedRowsIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    private final Orders orders = new Orders(connection);

    @BeforeAll
    static void prepare() {
        cluster = Orders.fresh("inserted_rows_it");
        cluster.cql(
                "CREATE TABLE $.unregistered (id int PRIMARY KEY, v text)",
                "CREATE TABLE $.natural (k text PRIMARY KEY, id int, v text)",
                "CREATE TABLE $.plain (k text PRIMARY KEY, v int)");
        cluster.identity("natural", "id", IdentityType.INT, 1);
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
            id = Orders.keys(insert).get(0);
        }
        try (Statement statement = connection.createStatement()) {
            // A value with an earlier timestamp is visible unless the cell was deleted: a tombstone would hide it.
            statement.executeUpdate("UPDATE orders USING TIMESTAMP 1 SET qty = 8 WHERE id = " + id);
            ResultSet rows = statement.executeQuery("SELECT qty FROM orders WHERE id = " + id);
            rows.next();
            assertThat(rows.getInt(1)).isEqualTo(8);
        }
    }

    @Test
    void shouldDeleteByANullIfTheIdIsExplicitOrNotPartOfTheKey() throws SQLException {
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
            assertThat(orders.customerOf(2)).isNull();
        }
    }

    @Test
    void shouldRefuseAnInsertIntoAnUnregisteredTableIfKeysAreRequested() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO unregistered (id, v) VALUES (1, ?)", Statement.RETURN_GENERATED_KEYS)) {
            insert.setString(1, "x");
            assertThatThrownBy(insert::executeUpdate)
                    .hasMessageContaining("inserted_rows_it.unregistered, which has no registered identity column")
                    .hasMessageContaining(
                            "cassidy ids register --table inserted_rows_it.unregistered --column id --contact-points ")
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
                    .hasMessageContaining(
                            "cassidy ids register --table inserted_rows_it.unregistered --column id --contact-points ")
                    .hasFieldOrPropertyWithValue("SQLState", "42000");
        }
    }

    @Test
    void shouldRefuseAnExplicitIdThatTheSequenceMayIssue() throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO orders (id, customer) VALUES (?, ?)")) {
            insert.setInt(1, 2_000_000);
            insert.setString(2, "x");
            assertThatThrownBy(insert::executeUpdate)
                    .hasMessageContaining("2000000")
                    .hasMessageContaining("inserted_rows_it.orders")
                    .hasMessageContaining("advancePast")
                    .hasFieldOrPropertyWithValue("SQLState", "23000");
            insert.setInt(1, 1000);
            assertThat(insert.executeUpdate()).isEqualTo(1);
            insert.setObject(1, null);
            assertThat(insert.executeUpdate()).isEqualTo(1);
        }
    }

    /** Unlike an IdentitySession: as in SQL Server, an id that was issued is no reason to accept it. */
    @Test
    void shouldRefuseAnExplicitIdThatWasIssued() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO orders (customer) VALUES ('once')", Statement.RETURN_GENERATED_KEYS);
            int id;
            try (ResultSet keys = statement.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                id = keys.getInt(1);
            }
            assertThatThrownBy(() ->
                            statement.executeUpdate("INSERT INTO orders (id, customer) VALUES (" + id + ", 'twice')"))
                    .hasFieldOrPropertyWithValue("SQLState", "23000");
        }
    }

    @Test
    void shouldRefuseUnsupportedTsqlAndNameItAndTheWayOut() {
        assertThatThrownBy(() -> connection.prepareStatement("MERGE INTO orders USING x ON 1=1"))
                .hasMessageContaining("MERGE is not supported: an INSERT or UPDATE of Cassandra writes the row")
                .hasFieldOrPropertyWithValue("SQLState", "HYC00");
    }
}
