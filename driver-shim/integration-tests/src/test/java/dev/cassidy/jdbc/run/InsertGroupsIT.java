package dev.cassidy.jdbc.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.jdbc.TestCluster;
import dev.cassidy.sequence.IdentityType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Inserts of a batch that go together. */
class InsertGroupsIT {

    private static TestCluster cluster;
    private static CqlSession session;

    /** A request that a test answers. */
    private record Sent(Statement<?> statement, CompletableFuture<AsyncResultSet> answer) {
        int rows() {
            return statement instanceof BatchStatement batch ? batch.size() : 1;
        }
    }

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("insert_groups_it");
        cluster.cql(
                "CREATE TABLE $.note (id int PRIMARY KEY, v text)",
                "CREATE TABLE $.timed (id bigint PRIMARY KEY, v text)",
                "CREATE TABLE $.line (id int, c text, v text, PRIMARY KEY (id, c))",
                "CREATE TABLE $.part (p text, id int, v text, PRIMARY KEY ((p, id)))",
                "CREATE TABLE $.behind (p text, id int, v text, PRIMARY KEY (p, id))");
        for (String table : List.of("note", "line", "behind")) {
            cluster.identity(table, "id", IdentityType.INT, 1);
        }
        cluster.timeOrderedIdentity("timed", "id", Instant.parse("2024-01-01T00:00:00Z"));
        session = CqlSession.builder()
                .addContactPoint(TestCluster.NODE.contactPoint())
                .withLocalDatacenter(TestCluster.NODE.localDatacenter())
                .withKeyspace(cluster.keyspace())
                .build();
    }

    @AfterAll
    static void close() {
        session.close();
    }

    private static CqlSession recording(List<Sent> sent) {
        return recording(sent, session.getMetadata());
    }

    private static CqlSession recording(List<Sent> sent, Metadata metadata) {
        return (CqlSession) Proxy.newProxyInstance(
                CqlSession.class.getClassLoader(), new Class<?>[] {CqlSession.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getMetadata")) {
                        return metadata;
                    }
                    if (method.getName().equals("executeAsync")) {
                        Sent request = new Sent((Statement<?>) arguments[0], new CompletableFuture<>());
                        sent.add(request);
                        return request.answer();
                    }
                    try {
                        return method.invoke(session, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Metadata with these replicas for the keys of ids; without a token map for null. */
    private static Metadata metadata(@Nullable IntFunction<Set<Node>> replicas) {
        TokenMap tokens = (TokenMap) Proxy.newProxyInstance(
                TokenMap.class.getClassLoader(),
                new Class<?>[] {TokenMap.class},
                (proxy, method, arguments) -> Objects.requireNonNull(replicas)
                        .apply(((ByteBuffer) arguments[1]).duplicate().getInt()));
        return (Metadata) Proxy.newProxyInstance(
                Metadata.class.getClassLoader(),
                new Class<?>[] {Metadata.class},
                (proxy, method, arguments) -> Optional.ofNullable(replicas == null ? null : tokens));
    }

    private static Node node(NodeDistance distance) {
        return (Node) Proxy.newProxyInstance(
                Node.class.getClassLoader(),
                new Class<?>[] {Node.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> 1;
                    case "getDistance" -> distance;
                    default -> "node";
                });
    }

    private static IdentitySession.Filled row(PreparedStatement insert, int id, String text, boolean generated) {
        BoundStatement statement = insert.bind(id, text).setQueryTimestamp(id);
        GeneratedKeys.Key key = new GeneratedKeys.Key(
                cluster.keyspace(), "note", "id", IdentityType.INT, cluster.keyspace() + ".note", id, generated);
        return new IdentitySession.Filled(statement, new GeneratedKeys(List.of(key)));
    }

    private static CompletableFuture<StepResult> add(InsertGroups groups, IdentitySession.Filled row) {
        return groups.add(row).orElseThrow().result();
    }

    @Test
    void shouldSendTenRowsOrFourKibibytesAtOnceAndTheRestOnDemand() {
        List<Sent> sent = new ArrayList<>();
        InsertGroups groups = new InsertGroups(recording(sent));
        PreparedStatement insert = session.prepare("INSERT INTO note (id, v) VALUES (?, ?)");
        List<CompletableFuture<StepResult>> results = new ArrayList<>();
        for (int id = 1; id <= 25; id++) {
            results.add(add(groups, row(insert, id, "x", true)));
        }
        assertThat(sent).extracting(Sent::rows).containsExactly(10, 10);
        assertThat(sent).allSatisfy(request -> {
            BatchStatement batch = (BatchStatement) request.statement();
            assertThat(batch.getBatchType()).isEqualTo((BatchType) DefaultBatchType.UNLOGGED);
            assertThat(batch.getRoutingKey())
                    .isEqualTo(((BoundStatement) batch.iterator().next()).getRoutingKey());
        });
        assertThat(((BatchStatement) sent.get(1).statement()).getQueryTimestamp())
                .isEqualTo(20);

        groups.send(2, results.get(0));
        assertThat(sent)
                .as("two are under way, and the oldest row is not the first that waits")
                .hasSize(2);
        groups.send(2, results.get(20));
        assertThat(sent).extracting(Sent::rows).containsExactly(10, 10, 5);

        groups.add(row(insert, 26, "x".repeat(3000), true));
        groups.add(row(insert, 27, "x".repeat(3000), true));
        assertThat(sent)
                .extracting(Sent::rows)
                .as("a second large row does not fit")
                .containsExactly(10, 10, 5, 1);
        groups.add(row(insert, 28, "x".repeat(9000), true));
        assertThat(sent).extracting(Sent::rows).as("too large to wait").containsExactly(10, 10, 5, 1, 1, 1);
    }

    @Test
    void shouldSendTogetherOnlyRowsThatHaveAllReplicasInCommon() {
        List<Sent> sent = new ArrayList<>();
        Node one = node(NodeDistance.LOCAL);
        Node two = node(NodeDistance.LOCAL);
        Node three = node(NodeDistance.LOCAL);
        InsertGroups groups =
                new InsertGroups(recording(sent, metadata(id -> id % 2 == 0 ? Set.of(one, two) : Set.of(one, three))));
        PreparedStatement insert = session.prepare("INSERT INTO note (id, v) VALUES (?, ?)");
        for (int id = 1; id <= 20; id++) {
            assertThat(groups.add(row(insert, id, "x", true))).isPresent();
        }
        assertThat(sent).extracting(Sent::rows).containsExactly(10, 10);
        for (Sent request : sent) {
            List<Integer> remainders = new ArrayList<>();
            for (BatchableStatement<?> row : (BatchStatement) request.statement()) {
                remainders.add(((BoundStatement) row).getInt("id") % 2);
            }
            assertThat(remainders).hasSize(10).containsOnly(remainders.get(0));
        }
    }

    /** The coordinator is of this datacenter, and each row has the same number of messages to others either way. */
    @Test
    void shouldNotAskWhichReplicasOtherDatacentersHave() {
        List<Sent> sent = new ArrayList<>();
        Node here = node(NodeDistance.LOCAL);
        Node there = node(NodeDistance.REMOTE);
        Node elsewhere = node(NodeDistance.IGNORED);
        InsertGroups groups = new InsertGroups(
                recording(sent, metadata(id -> id % 2 == 0 ? Set.of(here, there) : Set.of(here, elsewhere))));
        PreparedStatement insert = session.prepare("INSERT INTO note (id, v) VALUES (?, ?)");
        for (int id = 1; id <= 10; id++) {
            assertThat(groups.add(row(insert, id, "x", true))).isPresent();
        }
        assertThat(sent).extracting(Sent::rows).containsExactly(10);
        InsertGroups foreign = new InsertGroups(recording(sent, metadata(id -> Set.of(there))));
        assertThat(foreign.add(row(insert, 11, "x", true)))
                .as("no replica in this datacenter")
                .isEmpty();
    }

    @Test
    void shouldGroupNothingWhoseReplicasAreNotKnown() {
        List<Sent> sent = new ArrayList<>();
        PreparedStatement insert = session.prepare("INSERT INTO note (id, v) VALUES (?, ?)");
        assertThat(new InsertGroups(recording(sent, metadata(null))).add(row(insert, 1, "x", true)))
                .as("no token map")
                .isEmpty();
        assertThat(new InsertGroups(recording(sent, metadata(id -> Set.of()))).add(row(insert, 1, "x", true)))
                .as("no replicas")
                .isEmpty();
        assertThat(sent).isEmpty();
    }

    @Test
    void shouldSendAGroupAsItsRowsWouldBeSent() {
        List<Sent> sent = new ArrayList<>();
        InsertGroups groups = new InsertGroups(recording(sent));
        PreparedStatement insert = session.prepare("INSERT INTO note (id, v) VALUES (?, ?)");
        for (int id = 1; id <= 10; id++) {
            IdentitySession.Filled filled = row(insert, id, "x", true);
            Statement<?> set = filled.statement()
                    .setConsistencyLevel(ConsistencyLevel.ALL)
                    .setTimeout(Duration.ofSeconds(77))
                    .setIdempotent(true);
            groups.add(new IdentitySession.Filled(set, filled.keys()));
        }
        assertThat(sent).singleElement().satisfies(request -> {
            assertThat(request.statement().getConsistencyLevel()).isEqualTo(ConsistencyLevel.ALL);
            assertThat(Objects.requireNonNull(request.statement().getExecutionProfile())
                            .getDuration(DefaultDriverOption.REQUEST_TIMEOUT))
                    .as("the driver forgets a batch's own time-out")
                    .isEqualTo(Duration.ofSeconds(77));
            assertThat(request.statement().isIdempotent()).isTrue();
            assertThat(request.statement().getRoutingKeyspace()).hasToString(cluster.keyspace());
        });
    }

    @Test
    void shouldLeaveOutWhatMayHaveAnOrder() {
        List<Sent> sent = new ArrayList<>();
        InsertGroups groups = new InsertGroups(recording(sent));
        PreparedStatement plain = session.prepare("INSERT INTO note (id, v) VALUES (?, ?)");
        assertThat(groups.add(row(plain, 1, "x", false))).as("an explicit id").isEmpty();
        PreparedStatement once = session.prepare("INSERT INTO note (id, v) VALUES (?, ?) IF NOT EXISTS");
        assertThat(groups.add(row(once, 1, "x", true))).isEmpty();
        PreparedStatement behind = session.prepare("INSERT INTO behind (id, p) VALUES (?, ?)");
        assertThat(groups.add(row(behind, 1, "x", true)))
                .as("not the partition key")
                .isEmpty();
        PreparedStatement part = session.prepare("INSERT INTO part (id, p) VALUES (?, ?)");
        assertThat(groups.add(row(part, 1, "x", true)))
                .as("a part of the partition key")
                .isPresent();
        GeneratedKeys none = new GeneratedKeys(List.of());
        assertThat(groups.add(new IdentitySession.Filled(plain.bind(1, "x"), none)))
                .isEmpty();
        assertThat(sent).isEmpty();
    }

    @Test
    void shouldFailEachRowOfAGroupWhoseOutcomeIsUnknownAndSendNothingThatIsRefused() {
        List<Sent> sent = new ArrayList<>();
        InsertGroups groups = new InsertGroups(recording(sent));
        PreparedStatement insert = session.prepare("INSERT INTO note (id, v) VALUES (?, ?)");
        List<InsertGroups.Row> rows = IntStream.rangeClosed(1, 15)
                .mapToObj(id -> groups.add(row(insert, id, "x", true)).orElseThrow())
                .toList();
        List<CompletableFuture<StepResult>> results =
                rows.stream().map(InsertGroups.Row::result).toList();
        sent.get(0).answer().completeExceptionally(new DriverTimeoutException("too late"));
        assertThat(results.subList(0, 10)).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(sent).as("nothing is sent again").hasSize(1);
        assertThat(rows.subList(0, 10)).allMatch(InsertGroups.Row::wentTogether);
        assertThat(rows.subList(10, 15)).noneMatch(InsertGroups.Row::wentTogether);

        groups.refuse(new SQLException("cancelled"));
        assertThat(results.subList(10, 15)).allMatch(CompletableFuture::isCompletedExceptionally);
        groups.send(100, results.get(14));
        assertThat(sent).hasSize(1);
    }

    /** One row may be why the server refuses all of them. */
    @Test
    void shouldSendEachRowOfAGroupThatIsRefusedAsInvalid() {
        List<Sent> sent = new ArrayList<>();
        InsertGroups groups = new InsertGroups(recording(sent));
        PreparedStatement insert = session.prepare("INSERT INTO note (id, v) VALUES (?, ?)");
        List<CompletableFuture<StepResult>> results = IntStream.rangeClosed(1, 10)
                .mapToObj(id -> add(groups, row(insert, id, "x", true)))
                .toList();
        Node node = session.getMetadata().getNodes().values().iterator().next();
        InvalidQueryException invalid = new InvalidQueryException(node, "Batch too large");
        sent.get(0).answer().completeExceptionally(invalid);

        assertThat(sent).extracting(Sent::rows).containsExactly(10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
        assertThat(results).noneMatch(CompletableFuture::isDone);
        sent.get(3).answer().completeExceptionally(invalid);
        assertThat(sent).hasSize(11);
        assertThat(results).filteredOn(CompletableFuture::isDone).containsExactly(results.get(2));
        assertThat(results.get(2)).isCompletedExceptionally();
    }

    private static List<Integer> insert(Connection connection, String table, String column, String... values)
            throws SQLException {
        try (var statement = connection.prepareStatement(
                "INSERT INTO " + table + " (" + column + ", v) VALUES (?, ?)",
                java.sql.Statement.RETURN_GENERATED_KEYS)) {
            for (String value : values) {
                statement.setString(1, value);
                statement.setString(2, "v of " + value);
                statement.addBatch();
            }
            statement.executeBatch();
            List<Integer> keys = new ArrayList<>();
            try (ResultSet rows = statement.getGeneratedKeys()) {
                while (rows.next()) {
                    keys.add(rows.getInt(1));
                }
            }
            return keys;
        }
    }

    private static Optional<String> find(Connection connection, int id) throws SQLException {
        try (var statement = connection.prepareStatement("SELECT c, v FROM line WHERE id = ?")) {
            statement.setInt(1, id);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? Optional.of(row.getString(1) + ", " + row.getString(2)) : Optional.empty();
            }
        }
    }

    @Test
    void shouldInsertABatchWithItsKeysInOrder() throws SQLException {
        try (Connection connection = DriverManager.getConnection(cluster.url())) {
            String[] values = IntStream.range(0, 1500).mapToObj(i -> "c" + i).toArray(String[]::new);
            List<Integer> keys = insert(connection, "line", "c", values);
            assertThat(keys).hasSize(1500).isSorted().doesNotHaveDuplicates();
            for (int i = 0; i < 1500; i += 77) {
                assertThat(find(connection, keys.get(i))).contains("c" + i + ", v of c" + i);
            }
            assertThat(insert(connection, "behind", "p", "a", "b", "a")).hasSize(3);
        }
    }

    @Test
    void shouldSayOfEachRowOfAGroupThatTimesOutThatItMayHaveBeenWritten() throws SQLException {
        String url = cluster.url().replace("requestTimeout=1m", "requestTimeout=10s");
        try (Connection connection = DriverManager.getConnection(url)) {
            // Prepares the statement. Its ids are never claimed.
            long first = insertTimed(connection, 1).get(0);
            TestCluster.NODE.pause();
            BatchUpdateException failure;
            try {
                failure = catchThrowableOfType(BatchUpdateException.class, () -> insertTimed(connection, 12));
            } finally {
                TestCluster.NODE.resume();
            }
            assertThat(failure.getUpdateCounts()).hasSize(12).containsOnly(java.sql.Statement.EXECUTE_FAILED);
            List<Long> ids = new ArrayList<>();
            for (SQLException row = failure.getNextException(); row != null; row = row.getNextException()) {
                assertThat((Throwable) row).isInstanceOf(SQLTimeoutException.class);
                String message = row.getMessage();
                assertThat(message).contains("may or may not have been applied. The row's id is ");
                ids.add(Long.parseLong(message.substring(message.lastIndexOf(' ') + 1)));
            }
            assertThat(ids).hasSize(12).isSorted().doesNotHaveDuplicates().allMatch(id -> id > first);
        }
    }

    private static List<Long> insertTimed(Connection connection, int rows) throws SQLException {
        try (var statement = connection.prepareStatement(
                "INSERT INTO timed (v) VALUES (?)", java.sql.Statement.RETURN_GENERATED_KEYS)) {
            for (int i = 0; i < rows; i++) {
                statement.setString(1, "x");
                statement.addBatch();
            }
            statement.executeBatch();
            List<Long> keys = new ArrayList<>();
            try (ResultSet found = statement.getGeneratedKeys()) {
                while (found.next()) {
                    keys.add(found.getLong(1));
                }
            }
            return keys;
        }
    }

    @Test
    void shouldFailTheRowThatTheServerRefusesAndNoOther() throws SQLException {
        try (Connection connection = DriverManager.getConnection(cluster.url());
                var statement = connection.prepareStatement("INSERT INTO line (c, v) VALUES (?, 'refused')")) {
            for (String value : Arrays.asList("a", "b", null, "d", "e", "f", "g", "h", "i", "j", "k")) {
                statement.setString(1, value);
                statement.addBatch();
            }
            BatchUpdateException failure = catchThrowableOfType(BatchUpdateException.class, statement::executeBatch);
            assertThat(failure.getUpdateCounts())
                    .containsExactly(1, 1, java.sql.Statement.EXECUTE_FAILED, 1, 1, 1, 1, 1, 1, 1, 1);
            try (var count = connection.createStatement();
                    ResultSet rows =
                            count.executeQuery("SELECT COUNT(*) FROM line WHERE v = 'refused' ALLOW FILTERING")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isEqualTo(10);
            }
        }
    }
}
