package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.session.Request;
import com.datastax.oss.driver.api.core.tracker.RequestTracker;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Optimistic locking by a version column of exact tables. */
class OptimisticLockingIT {

    private static final String UPDATE =
            "UPDATE orders SET qty = ?, version = version + 1 WHERE id = ? AND version = ?";

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void prepare() throws SQLException {
        cluster = TestCluster.fresh("optimistic_locking_it");
        TestCluster.install("cassidy");
        try (Connection connection = cluster.open("constraints=warn");
                Statement statement = connection.createStatement()) {
            for (String table : List.of(
                    "orders (id INT IDENTITY(1001,1) PRIMARY KEY, customer NVARCHAR(9), qty INT, version INT)",
                    "line (o INT, no INT, v NVARCHAR(9), rev BIGINT, PRIMARY KEY (o, no))",
                    "[plain] (k NVARCHAR(9) PRIMARY KEY, version INT) WITH (plain)")) {
                statement.execute("CREATE TABLE " + table);
            }
        }
    }

    private int run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    private Object value(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getObject(1) : null;
        }
    }

    private long order(int version) throws SQLException {
        try (Statement insert = connection.createStatement()) {
            insert.executeUpdate("INSERT INTO orders (customer, qty, version) VALUES ('c', 1, " + version + ")", 1);
            ResultSet keys = insert.getGeneratedKeys();
            keys.next();
            return keys.getLong(1);
        }
    }

    private static int update(PreparedStatement update, int qty, long id, Object version) throws SQLException {
        update.setInt(1, qty);
        update.setLong(2, id);
        update.setObject(3, version);
        return update.executeUpdate();
    }

    @Test
    void shouldUpdateOnlyTheVersionThatWasRead() throws SQLException {
        long id = order(7);
        try (PreparedStatement update = connection.prepareStatement(UPDATE)) {
            assertThat(update.getParameterMetaData().getParameterCount()).isEqualTo(3);
            assertThat(update.getParameterMetaData().getParameterTypeName(3)).isEqualTo("int");
            assertThat(update(update, 2, id, 7)).isEqualTo(1);
            assertThat(update(update, 3, id, 7)).isZero();
            assertThat(update(update, 3, id, null)).isZero();
            assertThat(update(update, 3, -5, 8)).isZero();
            assertThat(update.execute()).isFalse();
            assertThat(update.getUpdateCount()).isZero();
            assertThat(update.getMoreResults()).isFalse();
            assertThat(update.getUpdateCount()).isEqualTo(-1);
            assertThat(update(update, 4, id, new BigDecimal("8"))).isEqualTo(1);
            assertThat(update(update, 4, id, Integer.MAX_VALUE)).isZero();
            assertThatThrownBy(update::executeQuery).hasFieldOrPropertyWithValue("SQLState", "HY010");
        }
        assertThat(value("SELECT version FROM orders WHERE id = " + id)).isEqualTo(9);
        assertThat(value("SELECT qty FROM orders WHERE id = -5")).isNull();
        assertThat(run("UPDATE [dbo].[Orders] SET [Version] = 20 WHERE [Id] = " + id + " AND [Version] = 9"))
                .isEqualTo(1);
        assertThat(run("DELETE FROM orders WHERE id = " + id + " AND version = 9"))
                .isZero();
        assertThat(run("DELETE FROM orders WHERE id = " + id + " AND version = 20"))
                .isEqualTo(1);
        assertThat(run("DELETE FROM orders WHERE id = " + id + " AND version = 20"))
                .isZero();
    }

    @Test
    void shouldCreateNoRowByAnUpdateOrDeleteWithoutAVersion() throws SQLException {
        long id = order(1);
        assertThat(run("UPDATE orders SET qty = 5 WHERE id = " + id)).isEqualTo(1);
        assertThat(run("UPDATE orders SET qty = 5 WHERE id = -6")).isZero();
        assertThat(value("SELECT qty FROM orders WHERE id = -6")).isNull();
        assertThat(run("DELETE FROM orders WHERE id = -6")).isZero();
    }

    @Test
    void shouldNotOverwriteAnExistingRowByAnInsert() throws SQLException {
        assertThat(run("INSERT INTO line (o, no, v, rev) VALUES (1, 1, 'a', 1)"))
                .isEqualTo(1);
        assertThatThrownBy(() -> run("INSERT INTO line (o, no, v, rev) VALUES (1, 1, 'b', 1)"))
                .hasMessageContaining("(o=1, no=1)")
                .hasFieldOrPropertyWithValue("errorCode", 2627)
                .hasFieldOrPropertyWithValue("SQLState", "23000");
        assertThat(run("UPDATE line SET v = 'c', rev = rev + 1 WHERE o = 1 AND no = 1 AND rev = 1"))
                .isEqualTo(1);
        assertThat(value("SELECT v FROM line WHERE o = 1 AND no = 1")).isEqualTo("c");
    }

    @Test
    void shouldRaiseTheVersionOfWhateverRowIsThere() throws SQLException {
        long id = order(Integer.MAX_VALUE);
        assertThat(run("UPDATE orders SET version = version - 2 WHERE id = " + id))
                .isEqualTo(1);
        assertThat(run("UPDATE orders SET version = 1 + version WHERE id = " + id))
                .isEqualTo(1);
        assertThat(run("UPDATE orders SET version = version + 1 WHERE id = -7")).isZero();
        assertThat(value("SELECT version FROM orders WHERE id = " + id)).isEqualTo(Integer.MAX_VALUE - 1);
        assertThatThrownBy(() -> run("UPDATE orders SET version = version + 2 WHERE id = " + id))
                .hasFieldOrPropertyWithValue("SQLState", "22003");
    }

    @Test
    void shouldCountEachEntryOfABatch() throws SQLException {
        long a = order(1);
        long b = order(1);
        try (PreparedStatement update = connection.prepareStatement(UPDATE)) {
            for (Object[] row : new Object[][] {{a, 1}, {a, 1}, {b, 5}, {a, 2}}) {
                update.setInt(1, 9);
                update.setObject(2, row[0]);
                update.setObject(3, row[1]);
                update.addBatch();
            }
            assertThat(update.executeBatch()).containsExactly(1, 0, 0, 1);
        }
        assertThat(value("SELECT version FROM orders WHERE id = " + a)).isEqualTo(3);
        assertThat(value("SELECT version FROM orders WHERE id = " + b)).isEqualTo(1);
    }

    @Test
    void shouldAnswerWithinATransactionAndUndoItAll() throws SQLException {
        long id = order(1);
        connection.setAutoCommit(false);
        try (PreparedStatement update = connection.prepareStatement(UPDATE)) {
            assertThat(update(update, 2, id, 1)).isEqualTo(1);
            assertThat(update(update, 3, id, 1)).isZero();
        }
        run("INSERT INTO plain (k, version) VALUES ('waits', 1)");
        connection.rollback();
        connection.setAutoCommit(true);
        assertThat(value("SELECT version FROM orders WHERE id = " + id)).isEqualTo(1);
        assertThat(value("SELECT version FROM plain WHERE k = 'waits'")).isNull();
    }

    @Test
    void shouldLoseNoUpdateOfManyThreads() throws Exception {
        long id = order(0);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        AtomicInteger applied = new AtomicInteger();
        AtomicInteger unknown = new AtomicInteger();
        try {
            List<Future<Void>> work = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Callable<Void> raises = () -> {
                    try (Connection own = cluster.connect();
                            Statement select = own.createStatement();
                            PreparedStatement update = own.prepareStatement(
                                    "UPDATE orders SET qty = ?, version = ? WHERE id = ? AND version = ?")) {
                        for (int n = 0; n < 10; n++) {
                            ResultSet rows = select.executeQuery("SELECT qty, version FROM orders WHERE id = " + id);
                            rows.next();
                            update.setInt(1, rows.getInt(1) + 1);
                            update.setInt(2, rows.getInt(2) + 1);
                            update.setLong(3, id);
                            update.setInt(4, rows.getInt(2));
                            try {
                                applied.addAndGet(update.executeUpdate());
                            } catch (SQLTimeoutException e) {
                                assertThat(e.getMessage()).contains("may or may not have been applied");
                                unknown.incrementAndGet();
                            }
                        }
                    }
                    return null;
                };
                work.add(threads.submit(raises));
            }
            for (Future<Void> each : work) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(applied.get()).isPositive();
        int version = (int) value("SELECT version FROM orders WHERE id = " + id);
        assertThat(version).isBetween(applied.get(), applied.get() + unknown.get());
        assertThat(value("SELECT qty FROM orders WHERE id = " + id)).isEqualTo(version + 1);
    }

    @Test
    void shouldUseTheTableOfTheUrlsKeyspaceAlsoAfterAUse() throws SQLException {
        long id = order(1);
        connection.setSchema("system");
        assertThat(run("UPDATE optimistic_locking_it.orders SET qty = 5, version = 2 WHERE id = " + id
                        + " AND version = 9"))
                .isZero();
    }

    @Test
    void shouldKnowATableByItsKeyspaceIfTheUrlHasNone() throws SQLException {
        long id = order(1);
        String url = cluster.url().replace("/optimistic_locking_it?", "?");
        try (Connection bare = DriverManager.getConnection(url);
                Statement statement = bare.createStatement()) {
            String where = " SET qty = 9, version = version + 1 WHERE id = " + id + " AND version = ";
            assertThat(statement.executeUpdate("UPDATE optimistic_locking_it.orders" + where + "7"))
                    .isZero();
            statement.execute("USE optimistic_locking_it");
            assertThat(statement.executeUpdate("UPDATE orders" + where + "7")).isZero();
            assertThat(statement.executeUpdate("UPDATE orders" + where + "1")).isEqualTo(1);
        }
        assertThat(value("SELECT version FROM orders WHERE id = " + id)).isEqualTo(2);
    }

    /** Records the idempotence that the driver sees for each statement. */
    public static final class Tracker implements RequestTracker {
        static final Map<String, Boolean> IDEMPOTENT = new ConcurrentHashMap<>();

        public Tracker(DriverContext unused) {}

        @Override
        public void onSuccess(
                Request request, long nanos, DriverExecutionProfile profile, Node node, String logPrefix) {
            String text = request instanceof BoundStatement bound
                    ? bound.getPreparedStatement().getQuery()
                    : request instanceof SimpleStatement simple ? simple.getQuery() : "";
            Boolean given = request.isIdempotent();
            IDEMPOTENT.put(
                    text, given == null ? profile.getBoolean(DefaultDriverOption.REQUEST_DEFAULT_IDEMPOTENCE) : given);
        }

        @Override
        public void close() {}
    }

    /** If a write were repeated after a lost answer, it would find its own row, or its own version. */
    @Test
    void shouldNeverSendAConditionalWriteTwice(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(
                folder.resolve("driver.conf"),
                "datastax-java-driver { basic.request.default-idempotence = true, advanced.request-tracker.classes = [\""
                        + Tracker.class.getName().replace("$", "\\u0024") + "\"] }");
        try (Connection tracked = cluster.open("configFile=" + file);
                Statement statement = tracked.createStatement();
                PreparedStatement update = tracked.prepareStatement(UPDATE)) {
            long id = order(1);
            assertThat(update(update, 2, id, 1)).isEqualTo(1);
            statement.executeUpdate("INSERT INTO line (o, no, v, rev) VALUES (9, 9, 'tracked', 1)");
            statement.executeUpdate("DELETE FROM orders WHERE id = -1");
            statement.executeUpdate("UPDATE plain SET version = 1 WHERE k = 'tracked'");
            statement.executeUpdate("UPDATE plain SET version = 2 WHERE k = 'tracked' IF version = 1");
        }

        // The driver tells its trackers after it has handed over the answer.
        await().atMost(Duration.ofMinutes(2))
                .until(() -> Tracker.IDEMPOTENT.containsKey("UPDATE plain SET version = ? WHERE k = ?"));
        assertThat(Tracker.IDEMPOTENT).containsEntry("UPDATE plain SET version = ? WHERE k = ?", true);
        await().atMost(Duration.ofMinutes(2)).until(() -> conditional().size() == 4);
        assertThat(conditional()).noneMatch(Map.Entry::getValue);
    }

    private static List<Map.Entry<String, Boolean>> conditional() {
        return Tracker.IDEMPOTENT.entrySet().stream()
                .filter(seen -> seen.getKey().matches(".*\\b(?:orders|plain|line)\\b.* IF .*"))
                .toList();
    }
}
