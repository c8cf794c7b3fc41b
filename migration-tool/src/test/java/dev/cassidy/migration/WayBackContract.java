package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.migration.error.ExitCode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@link EngineContract} says, of a real server, and the whole way to a real Cassandra and back. */
abstract class WayBackContract extends EngineContract {

    private TargetNode node;

    @TempDir
    private Path folder;

    @BeforeAll
    void openCassandra() {
        node = new TargetNode("way_back_it");
        node.init();
        node.createKeyspace("way_back");
    }

    @AfterAll
    void closeCassandra() {
        node.close();
    }

    TargetNode node() {
        return node;
    }

    /** Makes the engine refuse explicit ids as far as it can, as an application's tables may do. */
    void refuseExplicitIds(String table) {}

    private ToolRun run(ExitCode code, String command, String... rest) {
        List<String> all = ToolRun.join(
                command, List.of("--source-url", url(), "--source-user", user(), "--output", "json"), rest);
        if (!command.equals("migrate fence")) {
            all.addAll(node.arguments());
        }
        if (command.startsWith("migrate copy")) {
            all.addAll(List.of("--state", folder.resolve("state").toString()));
        }
        if (!command.equals("migrate copy-back")) {
            all.addAll(List.of("--include", schema() + ".Order", "--include", schema() + ".Line"));
        }
        if (!List.of("migrate copy-back", "migrate fence").contains(command)) {
            all.addAll(List.of("--keyspace", "way_back"));
        }
        ToolRun run = ToolRun.of(Map.of("SOURCE_PASSWORD", ""), null, all);
        assertThat(run.exitCode()).as(command + "\n" + run.out() + run.err()).isEqualTo(code.code());
        return run;
    }

    /** Returns the rows of the source by their id. */
    private Map<Long, String> rows(String table, String value) {
        Map<Long, String> rows = new TreeMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(
                        "SELECT " + quoted("id") + ", " + quoted(value) + " FROM " + quoted(table))) {
            while (found.next()) {
                rows.put(found.getLong(1), found.getString(2));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return rows;
    }

    private Map<Long, String> orders() {
        return rows("Order", "x");
    }

    private long insertInCassandra(Statement statement, String sql) throws SQLException {
        statement.executeUpdate(sql, Statement.RETURN_GENERATED_KEYS);
        try (ResultSet keys = statement.getGeneratedKeys()) {
            assertThat(keys.next()).isTrue();
            return keys.getLong(1);
        }
    }

    /**
     * The cutover behind a fence and back: the rows that Cassandra took come with their ids and their order of parents and
     * children, rows that applications changed too, and the old database goes on past every id.
     */
    @Test
    void shouldComeBackWithEveryRowAndGoOnPastEveryId() throws Exception {
        create("Order", "INT");
        execute("CREATE TABLE " + quoted("Line") + " (" + identity("BIGINT") + ", " + quoted("of") + " INT, "
                + quoted("text") + " VARCHAR(40), FOREIGN KEY (" + quoted("of") + ") REFERENCES " + quoted("Order")
                + " (" + quoted("id") + "))");
        refuseExplicitIds("Order");
        insert("Order", 6);
        execute("DELETE FROM " + quoted("Order") + " WHERE " + quoted("id") + " = 6");
        execute("INSERT INTO " + quoted("Line") + " (" + quoted("of") + ", " + quoted("text") + ") VALUES (1, 'old')");
        run(
                ExitCode.OK,
                "migrate schema",
                "--apply",
                "--key",
                schema() + ".Order=id",
                "--key",
                schema() + ".Line=id",
                "--zone",
                "UTC");
        run(ExitCode.OK, "migrate fence", "--margin", "10", "--apply", "--yes");
        run(ExitCode.OK, "migrate seed", "--yes");
        insert("Order", 1);
        run(ExitCode.OK, "migrate copy", "--range-size", "3");
        Map<Long, String> taken = orders();
        assertThat(taken).containsOnlyKeys(1L, 2L, 3L, 4L, 5L, 7L);
        Map<Long, String> wanted = new TreeMap<>(taken);
        long lastOrder = 0;
        long lastLine = 0;
        try (Connection moved = DriverManager.getConnection(node.jdbc("way_back"));
                Statement statement = moved.createStatement()) {
            for (int i = 0; i < 5; i++) {
                lastOrder = insertInCassandra(statement, "INSERT INTO \"order\" (x) VALUES (" + (100 + i) + ")");
                wanted.put(lastOrder, String.valueOf(100 + i));
                lastLine = insertInCassandra(
                        statement, "INSERT INTO line (\"of\", text) VALUES (" + lastOrder + ", 'new')");
            }
            assertThat(wanted.keySet().stream().filter(id -> !taken.containsKey(id)))
                    .allSatisfy(id -> assertThat(id).isGreaterThan(16));
            statement.executeUpdate("UPDATE \"order\" SET x = NULL WHERE id = 2");
            statement.executeUpdate("UPDATE \"order\" SET x = -1 WHERE id = 3");
        }
        wanted.put(2L, null);
        wanted.put(3L, "-1");

        run(ExitCode.REFUSED, "migrate copy-back", "--yes");
        assertThat(orders()).isEqualTo(taken);
        ToolRun plan = run(ExitCode.OK, "migrate rollback-plan");
        Map<String, Long> continued = new HashMap<>();
        plan.json().get("tables").forEach(table -> {
            execute(table.get("statement").asText());
            continued.put(table.get("table").asText(), table.get("reseed").asLong());
        });
        run(ExitCode.OK, "migrate fence", "--remove", "--apply", "--yes");
        // A NULL that an application set cannot be told from one that was copied.
        assertThat(run(ExitCode.RISK, "migrate copy-back", "--dry-run").tables("inserted"))
                .isEqualTo(Map.of(schema() + ".Order", "5", schema() + ".Line", "5"));
        ToolRun back = run(ExitCode.RISK, "migrate copy-back", "--yes");

        assertThat(back.tables("inserted")).isEqualTo(Map.of(schema() + ".Order", "5", schema() + ".Line", "5"));
        assertThat(back.tables("updated")).isEqualTo(Map.of(schema() + ".Order", "1", schema() + ".Line", "0"));
        wanted.put(2L, taken.get(2L));
        assertThat(orders()).isEqualTo(wanted);
        assertThat(rows("Line", "text")).hasSize(6).containsEntry(lastLine, "new");
        // Nothing that Cassandra granted is issued here, issued there or not.
        insert("Order", 1);
        execute("INSERT INTO " + quoted("Line") + " (" + quoted("of") + ", " + quoted("text") + ") VALUES (1, 'last')");
        long next = orders().keySet().stream().mapToLong(Long::longValue).max().orElseThrow();
        assertThat(next).isGreaterThan(lastOrder).isGreaterThanOrEqualTo(continued.get(schema() + ".Order"));
        assertThat(rows("Line", "text").keySet().stream()
                        .mapToLong(Long::longValue)
                        .max()
                        .orElseThrow())
                .isGreaterThan(lastLine)
                .isGreaterThanOrEqualTo(continued.get(schema() + ".Line"));
        assertThat(wanted).doesNotContainKey(next);
    }
}
