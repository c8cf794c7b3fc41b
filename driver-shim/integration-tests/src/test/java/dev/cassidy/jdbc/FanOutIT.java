package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a SELECT costs, said before it is paid. */
class FanOutIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open("assist=off");

    @BeforeAll
    static void prepare() throws SQLException {
        cluster = TestCluster.fresh("fan_out_it");
        cluster.cql(
                "CREATE TABLE $.customer (id int PRIMARY KEY, city text, \"Rank\" int)",
                "CREATE TABLE $.line (order_id int, line int, article text, qty int, PRIMARY KEY (order_id, line))",
                "CREATE TABLE $.pair (a int, b int, c int, d text, PRIMARY KEY ((a, b), c))",
                "CREATE TABLE $.deep (a int, b int, c int, PRIMARY KEY (a, b, c))",
                "INSERT INTO $.deep (a, b, c) VALUES (1, 2, 3)",
                "CREATE INDEX customer_rank ON $.customer (\"Rank\") USING 'sai'",
                "INSERT INTO $.customer (id, city, \"Rank\") VALUES (1, 'Basel', 7)",
                "INSERT INTO $.line (order_id, line, article, qty) VALUES (1, 1, 'pan', 3)",
                "INSERT INTO $.line (order_id, line, article, qty) VALUES (1, 2, 'pot', 4)");
        // Until the index can be queried.
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE INDEX customer_city ON customer (city)");
            statement.execute("DROP INDEX customer_city ON customer");
        }
    }

    private record Answer(int rows, List<String> warnings) {}

    private static Answer ask(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            int count = 0;
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    count++;
                }
            }
            List<String> warnings = new ArrayList<>();
            for (SQLWarning each = statement.getWarnings(); each != null; each = each.getNextWarning()) {
                warnings.add(each.getMessage());
            }
            return new Answer(count, warnings);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM customer WHERE id = 1",
                "SELECT * FROM customer WHERE id IN (1, 2)",
                "SELECT * FROM line WHERE order_id = 1",
                "SELECT * FROM line WHERE order_id = 1 AND line > 1",
                "SELECT * FROM pair WHERE a = 1 AND b = 1",
                "SELECT 1",
                "SELECT keyspace_name FROM system_schema.tables",
                "SELECT name FROM system_views.settings",
            })
    void shouldSayNothingOfWhatIsCheap(String sql) throws SQLException {
        try (Connection strict = cluster.open("fanOut=refuse", "assist=off")) {
            assertThat(ask(strict, sql).warnings()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM customer",
                "SELECT COUNT(*) FROM customer",
                "SELECT * FROM customer WHERE \"Rank\" = 7",
                "SELECT * FROM customer WHERE \"Rank\" IN (7, 8)",
                "SELECT * FROM customer WHERE city = 'Basel' ALLOW FILTERING",
                "SELECT * FROM customer WHERE token(id) > 0",
                "SELECT * FROM line WHERE line = 1 ALLOW FILTERING",
            })
    void shouldWarnOfWhatAsksManyNodesOrRefuseIt(String sql) throws SQLException {
        List<String> warnings = ours(ask(connection, sql));
        assertThat(warnings).singleElement().asString().contains("asks about 1 node at LOCAL_QUORUM", "fanOut=allow:");
        // The second time too, when the verdict is known.
        assertThat(ours(ask(connection, sql))).isEqualTo(warnings);
        try (Connection strict = cluster.open("fanOut=refuse", "assist=off");
                Statement statement = strict.createStatement()) {
            assertThatThrownBy(() -> statement.executeQuery(sql))
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("the connection has fanOut=refuse");
        }
        try (Connection allowing = cluster.open("fanOut=allow:customer,fan_out_it.line", "assist=off")) {
            assertThat(ours(ask(allowing, sql))).isEmpty();
        }
    }

    /** The server warns of aggregates too. */
    private static List<String> ours(Answer answer) {
        return answer.warnings().stream()
                .filter(warning -> warning.contains("asks about"))
                .toList();
    }

    /** Each condition needs an index: with one of them, the server would filter what it finds. */
    @Test
    void shouldProposeTheIndexesOfAllConditions() throws SQLException {
        String sql = "SELECT * FROM several WHERE n = 1 AND name = 'x'";
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE several (id int PRIMARY KEY, n int, name text, raw blob)");
            String first = "CREATE INDEX several_n ON fan_out_it.several (n) USING 'sai'";
            // T-SQL's, which makes the index on what the column's collation compares, if it has one.
            String second = "CREATE INDEX several_name ON fan_out_it.several (name)";
            assertThatThrownBy(() -> ask(connection, sql)).hasMessageContaining(first + "; " + second);
            statement.execute(first);
            assertThatThrownBy(() -> ask(connection, sql))
                    .isInstanceOf(SQLSyntaxErrorException.class)
                    .hasMessageContaining(second)
                    .satisfies(e -> assertThat(e.getMessage()).doesNotContain(first));
            statement.execute(second);
            assertThat(ours(ask(connection, sql))).hasSize(1);
            // No index takes such a column.
            assertThatThrownBy(() -> ask(connection, "SELECT * FROM several WHERE raw = 0x01 AND n = 1"))
                    .satisfies(e -> assertThat(e.getMessage()).doesNotContain("CREATE INDEX"));
            assertThatThrownBy(() -> statement.execute("CREATE INDEX several_raw ON several (raw) USING 'sai'"))
                    .hasMessageContaining("No storage-attached index (SAI) takes a column of type blob");
        }
    }

    @Test
    void shouldForgetTheVerdictWhenTheSchemaChanges() throws SQLException {
        String sql = "SELECT * FROM changing WHERE n = ?";
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE changing (id int PRIMARY KEY, n int)");
            assertThatThrownBy(() -> ask(connection, sql, 1)).isInstanceOf(SQLSyntaxErrorException.class);
            statement.execute("CREATE INDEX changing_n ON changing (n)");
            assertThat(ask(connection, sql, 1).warnings())
                    .singleElement()
                    .asString()
                    .contains("by an index");
            statement.execute("DROP TABLE changing");
            statement.execute("CREATE TABLE changing (id int, n int PRIMARY KEY)");
            assertThat(ask(connection, sql, 1).warnings()).isEmpty();
        }
    }

    @Test
    void shouldSayWhatCuresAStatementThatHasNoWay() {
        assertThatThrownBy(() -> ask(connection, "SELECT id FROM customer WHERE city = ?", "Basel"))
                .isInstanceOf(SQLSyntaxErrorException.class)
                .hasFieldOrPropertyWithValue("SQLState", "42000")
                .hasMessage(
                        "fan_out_it.customer is read by city, which neither gives its partition key (id) by = or IN nor"
                                + " is on an index: every node would read its part of the table. Give its key, id = ?; or read a table by"
                                + " that key: CREATE TABLE fan_out_it.customer_by_city (id int, \"Rank\" int, city text, PRIMARY"
                                + " KEY (city, id)); or make an index, by which each read asks about 1 node at LOCAL_QUORUM"
                                + " (datacenter " + TestCluster.NODE.localDatacenter()
                                + " has 1): CREATE INDEX customer_city ON"
                                + " fan_out_it.customer (city) USING 'sai'");
        assertThatThrownBy(() -> ask(connection, "SELECT d FROM pair WHERE a = 1 AND c > 2"))
                .isInstanceOf(SQLSyntaxErrorException.class)
                .hasMessageContaining("Give its key, b = ?; or read a table by that key: CREATE TABLE"
                        + " fan_out_it.pair_by_a (a int, b int, c int, d text, PRIMARY KEY (a, c, b))");
        assertThatThrownBy(() -> ask(connection, "SELECT city FROM customer WHERE id > 5"))
                .isInstanceOf(SQLSyntaxErrorException.class)
                .hasMessageContaining("Give its key, id = ?")
                .hasMessageNotContaining("CREATE INDEX");
    }

    @Test
    void shouldMakeTablesAndIndexesThatServeTheStatement() throws SQLException {
        String sql = "SELECT id FROM cured WHERE city = ? AND score > ?";
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE cured (id int PRIMARY KEY, city text, score int, tags set<text>)");
            String message = "";
            try {
                ask(connection, sql, "Basel", 1);
            } catch (SQLSyntaxErrorException e) {
                message = e.getMessage();
            }
            String table = message.replaceFirst(".*(CREATE TABLE [^;]+);.*", "$1");
            statement.execute(table);
            assertThat(ask(connection, sql.replace("cured", "cured_by_city"), "Basel", 1)
                            .warnings())
                    .isEmpty();
            statement.execute(message.replaceFirst(".*(CREATE INDEX .*)$", "$1"));
        }
    }

    @Test
    void shouldFilterWithinAPartition() throws SQLException {
        try (Connection strict = cluster.open("fanOut=refuse", "assist=off")) {
            for (int i = 0; i < 3; i++) {
                assertThat(ask(strict, "SELECT line FROM line WHERE order_id = ? AND article = ?", 1, "pan"))
                        .isEqualTo(new Answer(1, List.of()));
                assertThat(ask(strict, "SELECT line FROM line WHERE order_id = 1 AND qty >= 4"))
                        .isEqualTo(new Answer(1, List.of()));
                // The condition on b is left out.
                assertThat(ask(strict, "SELECT b FROM deep WHERE a = 1 AND c = ?", 3))
                        .isEqualTo(new Answer(1, List.of()));
                // A row is read, and left out.
                assertThat(ask(strict, "SELECT id FROM customer WHERE id = ? AND city = ?", 1, "Bern"))
                        .isEqualTo(new Answer(0, List.of()));
            }
            try (PreparedStatement statement =
                    strict.prepareStatement("SELECT line, qty FROM line WHERE order_id = ? AND article = ?")) {
                assertThat(statement.getMetaData().getColumnCount()).isEqualTo(2);
                assertThat(statement.getParameterMetaData().getParameterTypeName(2))
                        .isEqualToIgnoringCase("text");
            }
        }
    }

    @Test
    void shouldWarnOfFilteringLargePartitions() throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO line (order_id, line, article, qty) VALUES (?, ?, 'x', 1)")) {
            for (int partition = 8; partition < 10; partition++) {
                for (int line = 0; line < 1000 - 9 + partition; line++) {
                    insert.setInt(1, partition);
                    insert.setInt(2, line);
                    insert.addBatch();
                }
            }
            insert.executeBatch();
        }
        // 999 rows, and 1,000.
        assertThat(ask(connection, "SELECT line FROM line WHERE order_id = ? AND qty = 2", 8)
                        .warnings())
                .isEmpty();
        String sql = "SELECT line, article FROM line WHERE order_id = ? AND qty = 3";
        assertThat(ask(connection, sql, 9).warnings())
                .singleElement()
                .asString()
                .contains("partitions of 1000 rows or more", "(order_id, qty)");
        // It is known now, and nobody counts again.
        assertThat(ask(connection, sql, 1).warnings()).hasSize(1);
    }
}
