package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdentityType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An UPDATE of an id that is not issued yet, and the INSERT that gets this id. */
class FreshRowsIT {

    private static final int GHOSTS = 200;

    private static TestCluster cluster;

    @BeforeAll
    static void prepare() throws SQLException {
        cluster = TestCluster.fresh("fresh_rows_it");
        cluster.cql("CREATE TABLE $.orders (id int PRIMARY KEY, name text, qty int)");
        cluster.identity("orders", "id", IdentityType.INT, 1);
        try (Connection connection = cluster.connect();
                PreparedStatement update =
                        connection.prepareStatement("UPDATE orders SET name = 'ghost' WHERE id = ?")) {
            for (int id = 1; id <= GHOSTS; id++) {
                update.setInt(1, id);
                assertThat(update.executeUpdate()).isEqualTo(1);
            }
        }
    }

    private static Connection connect(String options) throws SQLException {
        return DriverManager.getConnection(cluster.url() + options);
    }

    private static List<Integer> keys(Statement statement) throws SQLException {
        List<Integer> ids = new ArrayList<>();
        try (ResultSet keys = statement.getGeneratedKeys()) {
            while (keys.next()) {
                ids.add(keys.getInt(1));
            }
        }
        return ids;
    }

    private static String name(Connection connection, int id) throws SQLException {
        assertThat(id).as("of the ids that were written to").isBetween(1, GHOSTS);
        try (Statement select = connection.createStatement();
                ResultSet row = select.executeQuery("SELECT name, qty FROM orders WHERE id = " + id)) {
            assertThat(row.next()).isTrue();
            assertThat(row.getInt("qty")).isEqualTo(7);
            return row.getString("name");
        }
    }

    private static void assertNames(Connection connection, List<Integer> ids, int count, String name)
            throws SQLException {
        assertThat(ids).hasSize(count);
        for (int id : ids) {
            assertThat(name(connection, id)).isEqualTo(name);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&freshRows=plain", "&freshRows=clean"})
    void shouldShowEarlierWritesUnlessTheyAreCleared(String option) throws SQLException {
        String name = option.endsWith("clean") ? null : "ghost";
        try (Connection connection = connect(option);
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO orders (name, qty) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS);
                Statement statement = connection.createStatement()) {
            insert.setNull(1, Types.VARCHAR);
            insert.setInt(2, 7);
            insert.executeUpdate();
            assertNames(connection, keys(insert), 1, name);

            for (int i = 0; i < 3; i++) {
                insert.addBatch();
            }
            insert.executeBatch();
            assertNames(connection, keys(insert), 3, name);

            statement.executeUpdate("INSERT orders (qty) VALUES (7)", Statement.RETURN_GENERATED_KEYS);
            assertNames(connection, keys(statement), 1, name);
            statement.executeUpdate("INSERT INTO orders (qty) VALUES (7), (7)", Statement.RETURN_GENERATED_KEYS);
            assertNames(connection, keys(statement), 2, name);

            connection.setAutoCommit(false);
            insert.executeUpdate();
            List<Integer> ids = new ArrayList<>(keys(insert));
            statement.executeUpdate("INSERT INTO orders (qty) VALUES (7)", Statement.RETURN_GENERATED_KEYS);
            ids.addAll(keys(statement));
            connection.commit();
            assertNames(connection, ids, 2, name);
        }
    }

    @Test
    void shouldKeepTheOrderOfATransaction() throws SQLException {
        try (Connection connection = connect("&freshRows=clean");
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO orders (qty) VALUES (?)", Statement.RETURN_GENERATED_KEYS);
                PreparedStatement update = connection.prepareStatement("UPDATE orders SET name = ? WHERE id = ?")) {
            connection.setAutoCommit(false);
            insert.setInt(1, 7);
            insert.executeUpdate();
            int id = keys(insert).get(0);
            update.setString(1, "renamed");
            update.setInt(2, id);
            update.executeUpdate();
            connection.commit();
            assertThat(name(connection, id)).isEqualTo("renamed");
        }
    }

    @Test
    void shouldLeaveExplicitIdsAlone() throws SQLException {
        cluster.cql("INSERT INTO $.orders (id, name) VALUES (0, 'there')");
        try (Connection connection = connect("&freshRows=clean");
                PreparedStatement insert = connection.prepareStatement("INSERT INTO orders (id, qty) VALUES (0, ?)")) {
            insert.setInt(1, 7);
            insert.executeUpdate();
            try (Statement select = connection.createStatement();
                    ResultSet row = select.executeQuery("SELECT name FROM orders WHERE id = 0")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getString(1)).isEqualTo("there");
            }
        }
    }

    @Test
    void shouldBeAPropertyOfTheDataSource() throws SQLException {
        CassidyDataSource source = new CassidyDataSource();
        source.setUrl(cluster.url());
        source.setFreshRows("clean");
        assertThat(source.getFreshRows()).isEqualTo("clean");
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO orders (qty) VALUES (7)", Statement.RETURN_GENERATED_KEYS);
            assertNames(connection, keys(statement), 1, null);
        }
    }

    @Test
    void shouldRefuseServerSideTimestamps(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(
                folder.resolve("server.conf"),
                "datastax-java-driver.advanced.timestamp-generator.class = ServerSideTimestampGenerator");

        assertThatThrownBy(() ->
                        cluster.open("freshRows=clean", "configFile=" + file).close())
                .hasRootCauseInstanceOf(IllegalArgumentException.class)
                .cause()
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("freshRows='clean'")
                .hasMessageContaining("advanced.timestamp-generator.class");
    }

    @Test
    void shouldRefuseAnUnknownValueOfTheOption() {
        assertThatThrownBy(() -> connect("&freshRows=tidy").close())
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("must be one of plain, clean: freshRows='tidy'");
    }
}
