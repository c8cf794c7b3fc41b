package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** CREATE INDEX in SQL Server's syntax, and IN on a column with an index. */
class IndexesIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("indexes_it");
        cluster.cql(
                "CREATE TABLE $.item (id int PRIMARY KEY, status text, day date, price decimal, body blob, a int, b int,"
                        + " c int, d int, e int)",
                "CREATE TABLE $.other (id int, no int, status text, PRIMARY KEY ((id, no)))");
        for (int id = 1; id <= 6; id++) {
            cluster.cql("INSERT INTO $.item (id, status, price, a) VALUES (" + id + ", '"
                    + List.of("new", "old", "gone").get(id % 3) + "', " + id % 2 + ".50, " + id + ")");
        }
    }

    private List<String> run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate(sql)).isZero();
            List<String> warnings = new ArrayList<>();
            for (SQLWarning warning = statement.getWarnings(); warning != null; warning = warning.getNextWarning()) {
                warnings.add(warning.getMessage());
            }
            return warnings;
        }
    }

    private static List<Integer> ids(ResultSet rows) throws SQLException {
        List<Integer> ids = new ArrayList<>();
        while (rows.next()) {
            ids.add(rows.getInt("id"));
        }
        return ids;
    }

    private List<Integer> ids(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return ids(statement.executeQuery(sql));
        }
    }

    @Test
    void shouldMakeAnIndexThatCanBeQueriedAtOnce() throws SQLException {
        assertThat(
                        run(
                                "CREATE NONCLUSTERED INDEX [IX_status] ON [dbo].[item] ([status] ASC, day DESC) INCLUDE (price)"))
                .hasSize(2)
                .allMatch(warning -> warning.contains("was left out"));
        assertThat(ids("SELECT id FROM item WHERE status = 'new'")).containsExactlyInAnyOrder(3, 6);
        assertThatThrownBy(() -> run("CREATE INDEX ix_status ON item (day)"))
                .hasMessageContaining("index with name 'ix_status' already exists on table indexes_it.item")
                .hasFieldOrPropertyWithValue("errorCode", 1913);
        assertThat(run("CREATE INDEX ix_again ON item (status)"))
                .containsExactly("Index ix_again was not made, because index ix_status is on column status of"
                        + " indexes_it.item");
        assertThat(run("CREATE INDEX ix_id ON item (id)"))
                .containsExactly("Index ix_id was not made, because indexes_it.item is read by id without an index");

        // In SQL Server, another table may have an index of the same name.
        assertThat(run("CREATE INDEX ix_status ON other (status)"))
                .singleElement()
                .satisfies(warning -> assertThat(warning).contains("other_ix_status"));
        assertThat(ids("SELECT id FROM other WHERE status = 'new'")).isEmpty();
        assertThatThrownBy(() -> run("CREATE INDEX ix_status ON other (id)"))
                .hasFieldOrPropertyWithValue("errorCode", 1913);
        run("DROP INDEX ix_status ON other");
        try (Connection direct = cluster.open("assist=off");
                Statement statement = direct.createStatement()) {
            assertThatThrownBy(() -> statement.executeQuery("SELECT id FROM other WHERE status = 'new'"))
                    .hasFieldOrPropertyWithValue("SQLState", "42000");
        }
        assertThat(ids("SELECT id FROM item WHERE status = 'old'")).containsExactlyInAnyOrder(1, 4);
        assertThatThrownBy(() -> run("DROP INDEX ix_status ON other"))
                .hasFieldOrPropertyWithValue("SQLState", "42S12")
                .hasFieldOrPropertyWithValue("errorCode", 3701);
        run("DROP INDEX IF EXISTS ix_status ON other");
        run("DROP INDEX IF EXISTS other.ix_status");
        // One column of a key of two is not enough to find a row.
        run("CREATE INDEX ix_no ON other (no)");
        assertThat(ids("SELECT id FROM other WHERE no = 5")).isEmpty();
    }

    @Test
    void shouldRefuseByNameWhatCannotBeIndexed() throws SQLException {
        assertThatThrownBy(() -> run("CREATE INDEX [ix] ON item (body)"))
                .hasMessageContaining("Index ix was not made: column body is of type blob")
                .hasMessageContaining("timestamp")
                .hasFieldOrPropertyWithValue("SQLState", "HYC00");
        assertThatThrownBy(() -> run("CREATE INDEX ix ON item (nowhere)"))
                .hasFieldOrPropertyWithValue("SQLState", "42S22")
                .hasFieldOrPropertyWithValue("errorCode", 1911);
        assertThatThrownBy(() -> run("CREATE INDEX [ix] ON nowhere (a)"))
                .hasFieldOrPropertyWithValue("SQLState", "42S02")
                .hasFieldOrPropertyWithValue("errorCode", 1088);
        run("CREATE TABLE loose (id INT PRIMARY KEY, status INT) WITH (plain)");
        assertThatThrownBy(() -> run("CREATE UNIQUE INDEX ix ON loose (status)"))
                .hasMessageContaining("constraints=warn")
                .hasFieldOrPropertyWithValue("SQLState", "HYC00");
        try (Connection warning = cluster.open("constraints=warn");
                Statement statement = warning.createStatement()) {
            statement.execute("CREATE UNIQUE INDEX unique_no ON loose (status) WHERE status IS NOT NULL");
            assertThat(statement.getWarnings().getMessage()).contains("left out: INDEX unique_no UNIQUE (status)");
            statement.execute("DROP INDEX unique_no ON loose");
        }
    }

    @Test
    void shouldMakeNoMoreThanFourIndexesUnlessByCql() throws SQLException {
        cluster.cql("CREATE TABLE $.wide (id int PRIMARY KEY, a int, b int, c int, d int, e int)");
        for (String column : List.of("a", "b", "c", "d")) {
            run("CREATE INDEX wide_" + column + " ON dbo.wide (" + column + ")");
        }
        assertThatThrownBy(() -> run("CREATE INDEX wide_e ON wide (e)"))
                .hasMessageContaining("Index wide_e was not made: indexes_it.wide has 4 indexes")
                .hasMessageContaining("or make it in CQL: CREATE INDEX ON indexes_it.wide (e) USING 'sai'")
                .hasFieldOrPropertyWithValue("SQLState", "HYC00");
        run("CREATE INDEX ON indexes_it.wide (e) USING 'sai'");
        assertThat(ids("SELECT id FROM wide WHERE e = 1")).isEmpty();
    }

    @Test
    void shouldReadInOnAnIndexedColumnByAReadForEachValue() throws SQLException {
        run("CREATE INDEX [item_price] ON item (price)");
        run("CREATE INDEX [item_a] ON item (a)");
        assertThat(ids("SELECT id, a FROM item WHERE a IN (1, 4, 1, 99)")).containsExactlyInAnyOrder(1, 4);
        assertThat(ids("SELECT id FROM item WHERE a IN ('1', '+1', ' 1')")).containsExactly(1);
        assertThat(ids("SELECT TOP 3 id FROM item WHERE price IN (0.5, 1.50, 1.5)"))
                .hasSize(3);
        try (PreparedStatement select =
                connection.prepareStatement("SELECT i.id, i.price FROM item i WHERE i.price IN (?, ?, ?)")) {
            assertThat(select.getMetaData().getColumnLabel(2)).isEqualTo("price");
            assertThat(select.getParameterMetaData().getParameterTypeName(3)).isEqualTo("decimal");
            select.setBigDecimal(1, new BigDecimal("1.5"));
            select.setBigDecimal(2, new BigDecimal("1.500"));
            select.setBigDecimal(3, null);
            assertThat(ids(select.executeQuery())).containsExactlyInAnyOrder(1, 3, 5);
            select.setBigDecimal(2, new BigDecimal("0.50"));
            assertThat(ids(select.executeQuery())).containsExactlyInAnyOrder(1, 2, 3, 4, 5, 6);
            select.setBigDecimal(1, null);
            select.setBigDecimal(2, null);
            assertThat(ids(select.executeQuery())).isEmpty();
        }
        try (Connection direct = cluster.open("assist=off");
                Statement statement = direct.createStatement()) {
            assertThatThrownBy(() -> statement.executeQuery("SELECT COUNT(*) FROM item WHERE a IN (1, 2)"))
                    .hasFieldOrPropertyWithValue("SQLState", "42000");
            // No index is on b.
            for (String refused : List.of("b IN (1, 2)", "b = 1")) {
                assertThatThrownBy(() -> statement.executeQuery("SELECT id FROM item WHERE " + refused))
                        .hasMessageContaining("neither gives its partition key (id) by = or IN nor is on an index")
                        .hasFieldOrPropertyWithValue("SQLState", "42000");
            }
            // What the server says of the statement itself is shown.
            assertThatThrownBy(() -> statement.executeQuery("SELECT id FROM item WHERE a IN (1, 2) AND b = 1"))
                    .hasMessageContaining("CREATE INDEX item_b")
                    .hasFieldOrPropertyWithValue("SQLState", "42000");
        }
        assertThat(ids("SELECT COUNT(*) AS id FROM item WHERE a IN (1, 2)")).containsExactly(2);
        assertThat(ids("SELECT id FROM item WHERE a IN (1, 2) AND b IS NULL")).containsExactlyInAnyOrder(1, 2);
        assertThat(ids("SELECT id FROM item WHERE a IN (1, 2) AND b = 1 ALLOW FILTERING"))
                .isEmpty();
    }
}
