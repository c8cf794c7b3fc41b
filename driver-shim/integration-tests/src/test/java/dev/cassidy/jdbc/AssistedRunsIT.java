package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.session.Request;
import com.datastax.oss.driver.api.core.session.Session;
import com.datastax.oss.driver.internal.core.loadbalancing.DefaultLoadBalancingPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How statements run that are evaluated in the client: what they tell before, what ends them, and what others change meanwhile. */
class AssistedRunsIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void create() throws SQLException {
        cluster = TestCluster.fresh("assisted_runs_it");
        TestCluster.install("cassidy");
        try (Connection connection = cluster.open();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE twin (id INT PRIMARY KEY, n INT, kind INT, name NVARCHAR(20))");
            statement.execute("CREATE TABLE many (id INT PRIMARY KEY)");
            for (int i = 1; i <= 9; i++) {
                statement.execute("INSERT INTO many (id) VALUES (" + i + ")");
            }
            statement.execute("INSERT INTO twin (id, n, kind, name) VALUES (1, 5, 1, N'Ann')");
        }
    }

    // ---- before it runs

    @Test
    void shouldTellColumnsBeforeItRuns() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT UPPER(name) AS big, COUNT(*) AS n FROM twin WHERE kind <> ? GROUP BY name")) {
            ResultSetMetaData columns = statement.getMetaData();
            assertThat(columns.getColumnCount()).isEqualTo(2);
            assertThat(columns.getColumnLabel(1)).isEqualTo("big");
            assertThat(columns.getColumnLabel(2)).isEqualTo("n");
            assertThat(columns.getColumnType(1)).isEqualTo(Types.VARCHAR);
            assertThat(columns.getPrecision(1)).isEqualTo(20);
            assertThat(columns.getColumnType(2)).isEqualTo(Types.INTEGER);

            statement.setInt(1, 9);
            try (ResultSet result = statement.executeQuery()) {
                assertThat(result.getMetaData().getColumnType(1)).isEqualTo(columns.getColumnType(1));
                assertThat(result.getMetaData().getColumnType(2)).isEqualTo(columns.getColumnType(2));
            }
            assertThat(statement.getMetaData().getColumnLabel(1)).isEqualTo("big");
        }
    }

    @Test
    void shouldTellNoColumnsThatTheParametersDecide() throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT ? AS given, n FROM twin WHERE kind <> 9")) {
            assertThat(statement.getMetaData()).isNull();
        }
    }

    // ---- what ends it

    private static String tooLong() {
        return "SELECT COUNT(*) FROM "
                + IntStream.range(0, 14).mapToObj(i -> "many m" + i).collect(Collectors.joining(", "))
                + " WHERE m0.id + m13.id < 0";
    }

    private void requireInOrder() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT COUNT(*) FROM many a, many b")) {
            assertThat(result.next()).isTrue();
            assertThat(result.getInt(1)).isEqualTo(81);
        }
    }

    @Test
    void shouldEndACancelledEvaluation() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(600);
            Future<ResultSet> result = other.submit(() -> statement.executeQuery(tooLong()));
            await().atMost(Duration.ofMinutes(2)).until(() -> {
                // Before it runs, it is not remembered.
                statement.cancel();
                return result.isDone();
            });
            assertThatThrownBy(result::get)
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("HY008"))
                    .hasMessageContaining("was cancelled");
        } finally {
            other.shutdownNow();
        }
        requireInOrder();
    }

    @Test
    void shouldEndAnEvaluationAtTheTimeout() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(1);
            assertThatThrownBy(() -> statement.executeQuery(tooLong())).isInstanceOf(SQLTimeoutException.class);
        }
        requireInOrder();
    }

    // ---- what others change meanwhile

    /** Does something before a row of the table is read by its key. Public, because the driver makes it. */
    public static final class Before extends DefaultLoadBalancingPolicy {
        static final AtomicReference<Runnable> DO = new AtomicReference<>(() -> {});

        public Before(DriverContext context, String profile) {
            super(context, profile);
        }

        @Override
        public Queue<Node> newQueryPlan(Request request, Session session) {
            boolean byKey = request instanceof BoundStatement bound
                    && bound.getPreparedStatement().getQuery().matches("SELECT .*twin WHERE id = \\?.*");
            if (byKey) {
                DO.get().run();
            }
            return super.newQueryPlan(request, session);
        }
    }

    private void change() {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE twin SET n = n + 1 WHERE id = 1");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldSeeOneStateOfARowThatItReadsTwice(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(
                folder.resolve("driver.conf"),
                "datastax-java-driver { basic.load-balancing-policy.class = \""
                        + Before.class.getName().replace("$", "\\u0024") + "\" }");
        AtomicInteger times = new AtomicInteger();
        try (Connection watched = cluster.open("configFile=" + file);
                Statement statement = watched.createStatement()) {
            String sql = "SELECT x.n, y.n FROM twin x JOIN twin y ON y.id = x.id WHERE x.kind = 1";
            Before.DO.set(() -> {
                if (times.incrementAndGet() == 1) {
                    change();
                }
            });
            try (ResultSet result = statement.executeQuery(sql)) {
                assertThat(result.next()).isTrue();
                assertThat(result.getInt(1)).isEqualTo(6);
                assertThat(result.getInt(2)).isEqualTo(6);
                assertThat(result.next()).isFalse();
            }
            assertThat(times).hasValue(2);

            Before.DO.set(() -> {
                times.incrementAndGet();
                change();
            });
            assertThatThrownBy(() -> statement.executeQuery(sql))
                    .isInstanceOfSatisfying(SQLTransactionRollbackException.class, e -> assertThat(e.getErrorCode())
                            .isEqualTo(1205))
                    .hasMessageContaining("5 times. Run it again");
            assertThat(times).hasValue(7);
        } finally {
            Before.DO.set(() -> {});
        }
    }
}
