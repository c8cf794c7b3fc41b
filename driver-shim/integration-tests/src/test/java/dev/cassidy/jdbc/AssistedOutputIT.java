package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** OUTPUT and TOP of UPDATE and DELETE, and writes through common table expressions and subqueries. */
class AssistedOutputIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void create() throws SQLException {
        cluster = TestCluster.fresh("assisted_output_it");
        TestCluster.install("cassidy");
        try (Connection connection = cluster.open();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE queue (Id INT PRIMARY KEY, kind NVARCHAR(10), state INT, cost DECIMAL(9,2))");
            statement.execute("CREATE TABLE archive (no INT IDENTITY PRIMARY KEY, id INT, kind NVARCHAR(10))");
            statement.execute("CREATE TABLE plain (id INT PRIMARY KEY, state INT) WITH (plain)");
        }
    }

    @BeforeEach
    void fill() throws SQLException {
        for (String table : List.of("queue", "archive")) {
            rows("TRUNCATE TABLE " + table);
        }
        for (int i = 1; i <= 6; i++) {
            rows("INSERT INTO queue (id, kind, state, cost) VALUES (" + i + ", '" + (i % 2 == 0 ? "even" : "odd")
                    + "', 0, " + i + ".5)");
        }
    }

    /** Runs a statement, and returns its rows; a count as {@code #count}. */
    private String rows(String sql, Object... parameters) throws SQLException {
        return rows(connection, sql, parameters);
    }

    private static String rows(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            if (!statement.execute()) {
                return "#" + statement.getUpdateCount();
            }
            List<String> rows = new ArrayList<>();
            try (ResultSet result = statement.getResultSet()) {
                int columns = result.getMetaData().getColumnCount();
                while (result.next()) {
                    List<String> row = new ArrayList<>();
                    for (int i = 1; i <= columns; i++) {
                        row.add(result.getString(i));
                    }
                    rows.add(String.join("|", row));
                }
            }
            Collections.sort(rows);
            return String.join(",", rows);
        }
    }

    @Test
    void shouldShowWhatWasAndWhatIs() throws SQLException {
        assertThat(rows(
                        "UPDATE queue SET state = state + ?, cost = cost / 3 OUTPUT deleted.state, inserted.state AS now,"
                                + " inserted.Id, deleted.cost old_cost, INSERTED.cost WHERE kind = ? AND id < 5",
                        2,
                        "EVEN"))
                .isEqualTo("0|2|2|2.50|0.83,0|2|4|4.50|1.50");
        assertThat(rows("DELETE FROM queue OUTPUT deleted.* WHERE kind = 'odd' AND id > 1"))
                .isEqualTo("3|odd|0|3.50,5|odd|0|5.50");
        assertThat(rows("SELECT id FROM queue WHERE id > 0 ORDER BY id")).isEqualTo("1,2,4,6");
        assertThat(rows("UPDATE queue SET state = 9 OUTPUT inserted.* WHERE id = 1"))
                .as("by the key")
                .isEqualTo("1|odd|9|1.50");
        assertThat(rows("DELETE queue OUTPUT deleted.id, 'gone' AS what, deleted.state * 2 AS doubled WHERE id = 1"))
                .isEqualTo("1|gone|18");
        assertThat(rows("DELETE queue OUTPUT deleted.id WHERE id = 100")).isEmpty();
    }

    @Test
    void shouldNameColumnsAndCountRows() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            ResultSet result = statement.executeQuery(
                    "UPDATE queue SET state = 1 OUTPUT inserted.Id, deleted.cost, inserted.kind k WHERE state = 0");
            ResultSetMetaData columns = result.getMetaData();
            assertThat(List.of(columns.getColumnLabel(1), columns.getColumnLabel(2), columns.getColumnLabel(3)))
                    .containsExactly("Id", "cost", "k");
            assertThat(columns.getColumnTypeName(2)).isEqualToIgnoringCase("decimal");
            assertThat(result.next()).isTrue();
            assertThat(result.getInt("id")).isBetween(1, 6);
            ResultSet count = statement.executeQuery("SELECT @@ROWCOUNT");
            assertThat(count.next()).isTrue();
            assertThat(count.getInt(1)).isEqualTo(6);
            assertThatThrownBy(() -> statement.executeUpdate("DELETE FROM queue OUTPUT deleted.id WHERE id = 1"))
                    .isInstanceOf(SQLException.class);
            assertThat(rows("SELECT COUNT(*) FROM queue")).as("nothing ran").isEqualTo("6");
        }
    }

    @Test
    void shouldShowRowsOfJoins() throws SQLException {
        rows("INSERT INTO archive (id, kind) VALUES (2, 'two')");

        assertThat(rows("UPDATE q SET q.kind = a.kind OUTPUT a.no, deleted.kind, inserted.kind FROM queue q"
                        + " JOIN archive a ON a.id = q.id"))
                .endsWith("|even|two");
        assertThat(rows("DELETE q OUTPUT deleted.id, a.kind FROM queue q JOIN archive a ON a.id = q.id"))
                .isEqualTo("2|two");
    }

    @Test
    void shouldShowWhatASelectInserted() throws SQLException {
        assertThat(rows("INSERT INTO archive (id, kind) OUTPUT inserted.id, inserted.kind AS k SELECT 1, 'x'"))
                .isEqualTo("1|x");
        String shown = rows(
                "INSERT INTO archive (id, kind) OUTPUT inserted.no, inserted.id SELECT id, kind FROM queue WHERE kind = ?",
                "odd");
        assertThat(shown).isEqualTo(rows("SELECT no, id FROM archive WHERE kind = 'odd'"));
        assertThat(shown.split(",")).hasSize(3);
        assertThat(rows(
                        "WITH big AS (SELECT * FROM queue WHERE cost > ?) INSERT INTO archive (id, kind) SELECT id, 'big'"
                                + " FROM big",
                        4))
                .isEqualTo("#3");
    }

    @Test
    void shouldWriteSomeRows() throws SQLException {
        assertThat(rows("UPDATE TOP (2) queue SET state = 5")).isEqualTo("#2");
        assertThat(rows("SELECT COUNT(*) FROM queue WHERE state = 5")).isEqualTo("2");
        assertThat(rows("DELETE TOP (?) FROM queue WHERE state = ?", 1, 5)).isEqualTo("#1");
        assertThat(rows("DELETE TOP (3) q OUTPUT deleted.state FROM queue q WHERE state = 0"))
                .isEqualTo("0,0,0");
        assertThat(rows("DELETE TOP (0) FROM queue")).isEqualTo("#0");
        assertThat(rows("INSERT TOP (1) INTO archive (id, kind) SELECT id, kind FROM queue"))
                .isEqualTo("#1");
        assertThatThrownBy(() -> rows("DELETE TOP (?) FROM queue", -1))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(1060));
        assertThat(rows("SELECT COUNT(*) FROM queue")).isEqualTo("2");
    }

    @Test
    void shouldWriteThroughExpressions() throws SQLException {
        assertThat(rows(
                        "WITH x AS (SELECT TOP (2) * FROM queue WHERE kind = ? ORDER BY id DESC) DELETE FROM x OUTPUT"
                                + " deleted.id, deleted.kind",
                        "odd"))
                .isEqualTo("3|odd,5|odd");
        assertThat(rows("WITH next AS (SELECT TOP (1) * FROM queue WITH (UPDLOCK, READPAST, ROWLOCK) WHERE state = 0"
                        + " ORDER BY id) UPDATE next SET state = 1 OUTPUT inserted.id, inserted.state"))
                .isEqualTo("1|1");
        assertThat(rows("UPDATE q SET state = 0 FROM dbo.queue AS q WITH (UPDLOCK) WHERE state IN (0, 8)"))
                .isEqualTo("#3");
        assertThat(rows("UPDATE x SET x.s = 7 FROM (SELECT TOP (1) id, state AS s FROM queue ORDER BY id DESC) x"))
                .isEqualTo("#1");
        assertThat(rows("DELETE x OUTPUT deleted.* FROM (SELECT TOP (1) id FROM queue ORDER BY id) AS x"))
                .isEqualTo("1");
        assertThat(rows(
                        "WITH d AS (SELECT kind, ROW_NUMBER() OVER (PARTITION BY kind ORDER BY id DESC) AS rn FROM queue)"
                                + " DELETE FROM d WHERE rn > 1"))
                .isEqualTo("#2");
        assertThat(rows("SELECT id, state FROM queue WHERE id > 0")).isEqualTo("6|7");
        assertThatThrownBy(() -> rows("WITH x AS (SELECT DISTINCT kind FROM queue) DELETE FROM x"))
                .hasMessageContaining("without joins, DISTINCT and GROUP BY");
        assertThatThrownBy(() -> rows("WITH x AS (SELECT id, state + 1 AS s FROM queue) UPDATE x SET s = 1"))
                .hasMessageContaining("shows no column of that name");
    }

    @Test
    void shouldRefuseByName() {
        for (String sql : List.of(
                "DELETE FROM queue OUTPUT deleted.id INTO archive WHERE id = 1",
                "UPDATE queue SET state = 1 OUTPUT inserted.id INTO @t WHERE id = 1")) {
            assertThatThrownBy(() -> rows(sql)).as(sql).hasMessageContaining("OUTPUT ... INTO");
        }
        assertThatThrownBy(() -> rows("DELETE TOP (10) PERCENT FROM queue")).hasMessageContaining("TOP");
        assertThatThrownBy(() -> rows("UPDATE queue SET state = 1 OUTPUT inserted.state - deleted.state WHERE id = 1"))
                .hasMessageContaining("show inserted.state alone");
        assertThatThrownBy(() -> rows("UPDATE plain SET state = 1 OUTPUT inserted.state WHERE id = 1"))
                .hasMessageContaining("is plain");
        for (String sql : List.of(
                "DELETE FROM queue OUTPUT inserted.id WHERE id = 1",
                "INSERT INTO archive (id) OUTPUT deleted.id SELECT id FROM queue")) {
            assertThatThrownBy(() -> rows(sql)).as(sql).isInstanceOfSatisfying(SQLException.class, e -> assertThat(
                            e.getErrorCode())
                    .isEqualTo(4104));
        }
        for (String sql : List.of(
                "UPDATE q SET q.state = 1 FROM queue q JOIN archive a WITH (UPDLOCK) ON a.id = q.id",
                "UPDATE queue SET state = 1 FROM archive a WITH (UPDLOCK) WHERE a.id = queue.id",
                "UPDATE queue SET state = (SELECT MAX(id) FROM archive WITH (UPDLOCK)) WHERE state = 0",
                "DELETE FROM queue WHERE id IN (SELECT id FROM archive WITH (XLOCK))",
                "WITH x AS (SELECT TOP (1) * FROM archive WITH (UPDLOCK)) UPDATE queue SET state = 1 WHERE state = 5",
                "INSERT INTO archive (id) SELECT id FROM queue WITH (UPDLOCK)",
                "DELETE FROM queue WITH (HOLDLOCK) WHERE state = 0",
                "UPDATE queue WITH (TABLOCKX) SET state = 1 WHERE state = 0")) {
            assertThatThrownBy(() -> rows(sql)).as(sql).isInstanceOf(SQLException.class);
        }
    }

    /** Whoever takes the row that another one has taken meanwhile finds the next one. */
    @Test
    void shouldGiveEachRowOfAQueueToOne() throws Exception {
        int threads = 4;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        List<String> taken = new ArrayList<>();
        try {
            List<Future<List<String>>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                all.add(executor.submit(() -> {
                    List<String> own = new ArrayList<>();
                    try (Connection mine = cluster.open()) {
                        String next;
                        while (!(next = rows(
                                        mine,
                                        "WITH x AS (SELECT TOP (1) * FROM queue WITH (READPAST) ORDER BY id) DELETE FROM x"
                                                + " OUTPUT deleted.id"))
                                .isEmpty()) {
                            own.add(next);
                        }
                    }
                    return own;
                }));
            }
            for (Future<List<String>> each : all) {
                taken.addAll(each.get(3, TimeUnit.MINUTES));
            }
        } finally {
            executor.shutdownNow();
        }
        Set<String> once = new HashSet<>(taken);
        assertThat(taken).hasSize(6);
        assertThat(once).hasSize(6);
    }

    @Test
    void shouldTellTheSecondOfTwoTransactionsThatTakeOneRow() throws SQLException {
        String take =
                "WITH x AS (SELECT TOP (1) * FROM queue WITH (UPDLOCK, READPAST) ORDER BY id) DELETE FROM x OUTPUT"
                        + " deleted.id";
        try (Connection other = cluster.open()) {
            connection.setAutoCommit(false);
            other.setAutoCommit(false);
            assertThat(rows(take)).isEqualTo("1");
            assertThat(rows(other, take)).isEqualTo("1");
            connection.commit();
            assertThatThrownBy(other::commit)
                    .isInstanceOfSatisfying(SQLException.class, e -> assertThat(e.getErrorCode())
                            .isEqualTo(1205));
            other.rollback();
            assertThat(rows(other, take)).isEqualTo("2");
            other.commit();
            connection.setAutoCommit(true);
        }
    }

    @Test
    void shouldShowRowsOfATransaction() throws SQLException {
        connection.setAutoCommit(false);
        rows("INSERT INTO queue (id, kind, state) VALUES (7, 'new', 0)");
        assertThat(rows("UPDATE queue SET state = id OUTPUT deleted.state, inserted.state, inserted.id WHERE id > 5"))
                .isEqualTo("0|6|6,0|7|7");
        assertThat(rows("DELETE FROM queue OUTPUT deleted.state WHERE kind = 'new'"))
                .isEqualTo("7");
        connection.rollback();
        connection.setAutoCommit(true);

        assertThat(rows("SELECT COUNT(*) FROM queue WHERE state = 0")).isEqualTo("6");
    }
}
