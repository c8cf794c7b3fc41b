package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.sequence.IdentityType;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** What another session has made or changed a moment ago, and the driver has not heard of yet. */
class OtherSessionsTablesIT {

    @TempDir
    private static Path folder;

    private static TestCluster cluster;
    private static Path config;
    private static Connection maker;

    /** Its driver hears of a change of the schema an hour later. */
    private static Connection late;

    @BeforeAll
    static void open() throws SQLException, IOException {
        cluster = TestCluster.fresh("other_sessions_it");
        cluster.cql("CREATE TABLE $.known (id int PRIMARY KEY)");
        cluster.identity("known", "id", IdentityType.INT, 1);
        maker = cluster.open();
        run(maker, "CREATE TABLE older" + IDENTITY);
        config = Files.writeString(
                folder.resolve("late.conf"),
                "datastax-java-driver.advanced.metadata.schema.debouncer { window = 1 hour, max-events = 10000 }");
        late = cluster.open("configFile=" + config);
        // Now the contracts have been read: what is declared later is read by name, or is announced.
        run(late, "INSERT INTO known DEFAULT VALUES");
    }

    @AfterAll
    static void close() throws SQLException {
        late.close();
        maker.close();
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<List<Object>> rows(ResultSet rows) throws SQLException {
        List<List<Object>> all = new ArrayList<>();
        while (rows.next()) {
            List<Object> row = new ArrayList<>();
            for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
                row.add(rows.getObject(column));
            }
            all.add(row);
        }
        return all;
    }

    private static List<List<Object>> query(String sql) throws SQLException {
        try (Statement statement = late.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows(rows);
        }
    }

    private static List<List<Object>> keys(String sql, String... columns) throws SQLException {
        return keys(late, sql, columns);
    }

    private static List<List<Object>> keys(Connection connection, String sql, String... columns) throws SQLException {
        try (PreparedStatement insert = columns.length == 0
                ? connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)
                : connection.prepareStatement(sql, columns)) {
            assertThat(insert.executeUpdate()).isEqualTo(1);
            try (ResultSet keys = insert.getGeneratedKeys()) {
                return rows(keys);
            }
        }
    }

    @FunctionalInterface
    private interface Use {
        List<List<Object>> of(String table) throws SQLException;
    }

    private static final String IDENTITY = " (id INT IDENTITY(5,1) PRIMARY KEY, name NVARCHAR(10), price DECIMAL(6,2))";

    @TestFactory
    List<DynamicTest> shouldUseATableAtOnce() {
        Map<String, Use> uses = Map.of(
                "keys", table -> keys("INSERT INTO " + table + " (name) VALUES ('a')"),
                "keysbyname", table -> keys("INSERT INTO " + table + " (name) VALUES ('a')", "ID"),
                "scope",
                        table -> {
                            run(late, "INSERT INTO " + table + " (name) VALUES ('a')");
                            return query("SELECT CAST(SCOPE_IDENTITY() AS INT)");
                        },
                "output", table -> query("INSERT INTO " + table + " (name) OUTPUT INSERTED.id VALUES ('a')"),
                "unlisted", table -> keys("INSERT INTO " + table + " VALUES ('a', 1)"));
        List<DynamicTest> tests = new ArrayList<>();
        uses.forEach((table, use) -> tests.add(DynamicTest.dynamicTest(table, () -> {
            run(maker, "CREATE TABLE " + table + IDENTITY);
            assertThat(use.of(table)).containsExactly(List.of(5));
        })));
        return tests;
    }

    @Test
    void shouldUseAKeyThatDraws() throws SQLException {
        run(
                maker,
                "CREATE SEQUENCE drawn_seq AS INT START WITH 7; CREATE TABLE drawn (id INT PRIMARY KEY DEFAULT (NEXT VALUE FOR drawn_seq), name NVARCHAR(10))");

        assertThat(keys("INSERT INTO drawn (name) VALUES ('a')")).containsExactly(List.of(7));
        assertThat(keys("INSERT INTO drawn (id, name) VALUES (NEXT VALUE FOR drawn_seq, 'b')"))
                .containsExactly(List.of(8));
        run(maker, "CREATE SEQUENCE plain_seq AS INT START WITH 3; CREATE TABLE plain (id INT PRIMARY KEY, n INT)");
        assertThat(keys("INSERT INTO plain (id, n) VALUES (NEXT VALUE FOR plain_seq, 1)"))
                .containsExactly(List.of(3));
    }

    @Test
    void shouldCheckAnIdentity() throws SQLException {
        run(maker, "CREATE TABLE checked" + IDENTITY);

        try (Statement statement = late.createStatement()) {
            statement.execute("DBCC CHECKIDENT ('checked', RESEED, 40)");
            assertThat(statement.getWarnings().getMessage()).contains("other_sessions_it.checked", "41");
        }
        assertThat(keys("INSERT INTO checked (name) VALUES ('a')")).containsExactly(List.of(41));
    }

    @Test
    void shouldReadAsDeclared() throws SQLException {
        run(maker, "CREATE TABLE viewed" + IDENTITY + "; INSERT INTO viewed VALUES ('a', 2.5)");

        assertThat(query("SELECT * FROM viewed").get(0).subList(1, 3)).containsExactly("a", new BigDecimal("2.50"));
        run(maker, "CREATE TABLE summed" + IDENTITY + "; INSERT INTO summed VALUES ('a', 2.5)");
        assertThat(query("SELECT SUM(price) + 1 FROM summed").get(0)).hasSize(1);
        run(maker, "CREATE TABLE helped" + IDENTITY);
        assertThat(query("EXEC sp_help 'helped'").get(0).get(0)).isEqualTo("helped");
    }

    @Test
    void shouldUseAColumnAtOnce() throws SQLException {
        run(maker, "CREATE TABLE wide" + IDENTITY);
        assertThat(keys("INSERT INTO wide VALUES ('a', 1)")).containsExactly(List.of(5));
        run(maker, "CREATE TABLE wider" + IDENTITY);

        run(maker, "ALTER TABLE wide ADD note NVARCHAR(10)");
        // A table is looked up at most once a second, and this one was a moment ago.
        await().atMost(Duration.ofMinutes(1))
                .ignoreExceptionsInstanceOf(SQLSyntaxErrorException.class)
                .untilAsserted(() -> assertThat(keys("INSERT INTO wide VALUES ('a', 1, 'n')"))
                        .containsExactly(List.of(6)));
        run(maker, "ALTER TABLE wider ADD note NVARCHAR(10)");
        assertThat(query("INSERT INTO wider (name, note) OUTPUT INSERTED.note VALUES ('a', 'n')"))
                .containsExactly(List.of("n"));
    }

    /** Neither its driver's view nor the contract that it has read has the column. */
    @Test
    void shouldUseAColumnOfATableThatItKnew() throws SQLException {
        assertThat(keys("INSERT INTO older VALUES ('a', 1)")).containsExactly(List.of(5));
        run(maker, "ALTER TABLE older ADD note NVARCHAR(10)");

        assertThat(keys("INSERT INTO older VALUES ('a', 1, 'n')")).containsExactly(List.of(6));
    }

    /** A name that somebody made up costs a query of one row, and not a look at the whole schema. */
    @Test
    void shouldReadTheSchemaForTablesAloneThatThereAre() throws SQLException {
        run(maker, "CREATE TABLE unheard (id INT PRIMARY KEY)");
        assertThatThrownBy(() -> query("SELECT * FROM made_up")).isInstanceOf(SQLSyntaxErrorException.class);
        assertThat(query("SELECT key FROM system.local")).containsExactly(List.of("local"));
        assertThat(late.unwrap(CqlSession.class)
                        .getMetadata()
                        .getKeyspace("other_sessions_it")
                        .orElseThrow()
                        .getTable("unheard"))
                .isEmpty();
    }

    /** While one of them reads, the others wait for its answer. */
    @Test
    void shouldUseATableInManyThreads() throws Exception {
        run(maker, "CREATE TABLE busy" + IDENTITY);
        int threads = 8;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            CountDownLatch ready = new CountDownLatch(threads);
            List<Future<List<List<Object>>>> made = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                made.add(executor.submit(() -> {
                    try (Connection own = cluster.open("configFile=" + config)) {
                        ready.countDown();
                        ready.await();
                        return keys(own, "INSERT INTO busy (name) VALUES ('a')");
                    }
                }));
            }
            List<Object> ids = new ArrayList<>();
            for (Future<List<List<Object>>> each : made) {
                ids.add(each.get().get(0).get(0));
            }
            assertThat(ids).containsExactlyInAnyOrder(5, 6, 7, 8, 9, 10, 11, 12);
        } finally {
            executor.shutdownNow();
        }
    }
}
