package dev.cassidy.reliability.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.retry.RetryDecision;
import com.datastax.oss.driver.api.core.retry.RetryPolicy;
import com.datastax.oss.driver.api.core.servererrors.CoordinatorException;
import com.datastax.oss.driver.api.core.servererrors.WriteType;
import com.datastax.oss.driver.api.core.session.Request;
import com.datastax.oss.driver.api.core.session.Session;
import com.datastax.oss.driver.internal.core.loadbalancing.DefaultLoadBalancingPolicy;
import com.datastax.oss.driver.internal.core.retry.DefaultRetryPolicy;
import com.datastax.oss.protocol.internal.Frame;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import com.datastax.oss.protocol.internal.request.Prepare;
import com.datastax.oss.protocol.internal.response.error.Unavailable;
import com.datastax.oss.simulacron.common.stubbing.Action;
import com.datastax.oss.simulacron.common.stubbing.MessageResponseAction;
import com.datastax.oss.simulacron.common.stubbing.NoResponseAction;
import com.datastax.oss.simulacron.server.RejectScope;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.lwt.CasOutcome;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.TableWrites;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Statements that the driver must not send twice, whatever its retry policy and its speculative executions are:
 * Cassidy's own conditional statements, and those of an application through JDBC. The first of two nodes executes the
 * request, and gives a different answer, or none.
 */
class ReplayIT {

    private static final String KEYSPACE = "replay_it";
    private static final SequencesConfig CONFIG = SequencesConfig.defaults().withGlobalKeyspace("replay_ids");
    private static final Duration SOON = Duration.ofSeconds(3);

    private static EmbeddedCassandra real;
    private static CqlSession direct;

    @TempDir
    private Path folder;

    private TwoFronts fronts;

    // Guarded by this.
    private final List<Integer> arrived = new ArrayList<>();
    private int controls;
    private FirstAnswer firstAnswer = FirstAnswer.THE_TRUTH;

    /** The answer to the first conditional statement. */
    private enum FirstAnswer {
        THE_TRUTH,
        UNAVAILABLE_AT_COMMIT,
        NOTHING
    }

    @BeforeAll
    static void prepare() {
        real = EmbeddedCassandra.shared();
        direct = CqlSession.builder()
                .addContactPoint(real.contactPoint())
                .withLocalDatacenter("dc1")
                .withConfigLoader(
                        DriverConfigLoader.fromString(
                                "datastax-java-driver { basic.request.timeout = 1 minute, advanced.metadata.schema.enabled = false }"))
                .build();
        direct.execute("CREATE KEYSPACE " + KEYSPACE
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        direct.execute("CREATE TABLE replay_it.t (p int, id int, v int, PRIMARY KEY (p, id))");
        direct.execute("CREATE TABLE replay_it.exact (id int PRIMARY KEY, v int, version int, cassidy_tx blob)");
        direct.execute("CREATE TABLE replay_it.numbered (id int PRIMARY KEY, v int)");
        CassidySchema.install(direct, Replication.parse("dc1:1"), CONFIG);
        // What the declaration waits for is three of these.
        try (Sequences sequences = Sequences.open(direct, CONFIG.withWatchInterval(Duration.ofMillis(100)))) {
            sequences.create(SequenceSpec.of("replay_it.numbered", IdentityType.INT, 1_000, 1));
            sequences.registerIdentity(new IdentityColumn(KEYSPACE, "numbered", "id", "replay_it.numbered"));
            InternalAccess.tables(sequences)
                    .declareWrites(new TableWrites(KEYSPACE, "exact", "dc1", null, false), Duration.ZERO, () -> {});
        }
    }

    @AfterAll
    static void close() {
        direct.close();
    }

    @BeforeEach
    void front() throws IOException {
        restore();
        fronts = new TwoFronts(real.contactPoint(), this::answer);
    }

    /** Uses conditional statements, because plain ones could have an older timestamp than earlier statements. */
    private static void restore() {
        for (String row : List.of(
                "t WHERE p = 1 AND id = 1",
                "t WHERE p = 1 AND id = 2",
                "t WHERE p = 1 AND id = 3",
                "exact WHERE id = 1",
                "exact WHERE id = 2",
                "numbered WHERE id = 8")) {
            direct.execute("DELETE FROM replay_it." + row + " IF EXISTS");
        }
        direct.execute("INSERT INTO replay_it.t (p, id, v) VALUES (1, 1, 0) IF NOT EXISTS");
        direct.execute("INSERT INTO replay_it.exact (id, v, version, cassidy_tx) VALUES (1, 0, 0, 0xff) IF NOT EXISTS");
    }

    @AfterEach
    void closeFronts() throws IOException {
        fronts.close();
    }

    private synchronized Action answer(int node, Frame frame, String cql) {
        boolean executed = !(frame.message instanceof Prepare);
        if (executed && cql.contains("'control'") && controls++ == 0) {
            return new NoResponseAction();
        }
        boolean conditional = executed && cql.contains(" IF ") && cql.contains(KEYSPACE + ".");
        if (conditional) {
            arrived.add(node);
            notifyAll();
        }
        Action truth = new MessageResponseAction(fronts.ask(frame.message));
        return !conditional || arrived.size() > 1
                ? truth
                : switch (firstAnswer) {
                    case THE_TRUTH -> truth;
                    case NOTHING -> new NoResponseAction();
                    case UNAVAILABLE_AT_COMMIT ->
                        new MessageResponseAction(
                                new Unavailable("injected", ProtocolConstants.ConsistencyLevel.LOCAL_QUORUM, 2, 1));
                };
    }

    private synchronized void setFirstAnswer(FirstAnswer what) {
        firstAnswer = what;
    }

    private synchronized List<Integer> arrived() {
        return List.copyOf(arrived);
    }

    // ---- a driver with the worst settings

    /** Puts the node with the lower port first, whether it is connected or not. */
    public static final class InOrder extends DefaultLoadBalancingPolicy {
        public InOrder(DriverContext context, String profile) {
            super(context, profile);
        }

        @Override
        public Queue<Node> newQueryPlan(Request request, Session session) {
            if (session == null) {
                return super.newQueryPlan(request, null);
            }
            return session.getMetadata().getNodes().values().stream()
                    .sorted(Comparator.comparing(
                            node -> ((InetSocketAddress) node.getEndPoint().resolve()).getPort()))
                    .collect(ConcurrentLinkedQueue::new, Queue::add, Queue::addAll);
        }
    }

    /** Makes the same decision for every error. */
    @SuppressWarnings("deprecation") // The methods that replaced these call them.
    public abstract static class Always implements RetryPolicy {
        private final RetryDecision decision;

        Always(RetryDecision decision) {
            this.decision = decision;
        }

        @Override
        public RetryDecision onReadTimeout(
                Request request, ConsistencyLevel level, int blockFor, int received, boolean data, int retries) {
            return decision(retries);
        }

        @Override
        public RetryDecision onWriteTimeout(
                Request request, ConsistencyLevel level, WriteType type, int blockFor, int received, int retries) {
            return decision(retries);
        }

        @Override
        public RetryDecision onUnavailable(
                Request request, ConsistencyLevel level, int required, int alive, int retries) {
            return decision(retries);
        }

        @Override
        public RetryDecision onRequestAborted(Request request, Throwable error, int retries) {
            return decision(retries);
        }

        @Override
        public RetryDecision onErrorResponse(Request request, CoordinatorException error, int retries) {
            return decision(retries);
        }

        private RetryDecision decision(int retries) {
            return retries < 3 ? decision : RetryDecision.RETHROW;
        }

        @Override
        public void close() {}
    }

    public static final class NextNode extends Always {
        public NextNode(DriverContext context, String profile) {
            super(RetryDecision.RETRY_NEXT);
        }
    }

    public static final class SameNode extends Always {
        public SameNode(DriverContext context, String profile) {
            super(RetryDecision.RETRY_SAME);
        }
    }

    public static final class Ignore extends Always {
        public Ignore(DriverContext context, String profile) {
            super(RetryDecision.IGNORE);
        }
    }

    private static String configuration(Class<? extends RetryPolicy> retries) {
        return """
                datastax-java-driver {
                  basic.request.default-idempotence = true
                  basic.request.timeout = 1 hour
                  basic.load-balancing-policy.class = "%s"
                  basic.load-balancing-policy.local-datacenter = dc1
                  advanced.retry-policy.class = "%s"
                  advanced.speculative-execution-policy {
                    class = ConstantSpeculativeExecutionPolicy
                    max-executions = 3
                    delay = 1 millisecond
                  }
                  advanced.reconnection-policy.base-delay = 1 minute
                  advanced.netty.io-group.shutdown { quiet-period = 100, timeout = 5000, unit = MILLISECONDS }
                  advanced.netty.admin-group.shutdown { quiet-period = 100, timeout = 5000, unit = MILLISECONDS }
                }
                """.formatted(InOrder.class.getName(), retries.getName());
    }

    /**
     * Returns when the driver has sent an idempotent statement, which the first node leaves unanswered, to the second
     * node.
     */
    private static void awaitSpeculation(CqlSession session) {
        session.execute("SELECT v FROM replay_it.t WHERE p = 2 AND id = 2 /* 'control' */");
    }

    private void loseFirstNode(CqlSession session) throws Exception {
        fronts.node(0)
                .rejectConnectionsAsync(0, RejectScope.STOP)
                .toCompletableFuture()
                .get(1, TimeUnit.MINUTES);
        await().alias("the driver notices")
                .atMost(Duration.ofMinutes(2))
                .until(() -> first(session).getOpenConnections() == 0);
    }

    private Node first(CqlSession session) {
        return session.getMetadata().getNodes().values().stream()
                .filter(node -> node.getEndPoint().resolve().equals(fronts.contactPoint()))
                .findFirst()
                .orElseThrow();
    }

    // ---- Cassidy's own statements

    private CqlSession through(Class<? extends RetryPolicy> retries) {
        return CqlSession.builder()
                .addContactPoint(fronts.contactPoint())
                .withConfigLoader(DriverConfigLoader.fromString(configuration(retries)))
                .build();
    }

    /** A single statement, and a batch of two. */
    static Stream<List<Cas>> statements() {
        Cas update = new Cas("UPDATE replay_it.t SET v = ? WHERE p = ? AND id = ? IF v = ?", 1, 1, 1, 0);
        Cas insert = new Cas("INSERT INTO replay_it.t (p, id, v) VALUES (?, ?, ?) IF NOT EXISTS", 1, 2, 0);
        return Stream.of(List.of(update), List.of(update, insert));
    }

    private static CasOutcome execute(CqlSession session, Duration timeout, List<Cas> statements) throws Exception {
        return start(session, timeout, statements).get(1, TimeUnit.MINUTES);
    }

    private static CompletableFuture<CasOutcome> start(CqlSession session, Duration timeout, List<Cas> statements) {
        return ConditionalStatements.withinDatacenter(session, timeout)
                .execute(statements.toArray(Cas[]::new))
                .toCompletableFuture();
    }

    @ParameterizedTest
    @MethodSource("statements")
    void shouldNotSendToTheNextNodeAfterTheFirstOneMayHaveAppliedIt(List<Cas> statements) throws Exception {
        setFirstAnswer(FirstAnswer.UNAVAILABLE_AT_COMMIT);
        for (Class<? extends RetryPolicy> retries : List.of(DefaultRetryPolicy.class, NextNode.class)) {
            try (CqlSession session = through(retries)) {
                assertThat(execute(session, Duration.ofMinutes(1), statements)).isInstanceOf(CasOutcome.Unknown.class);
            }
            assertThat(arrived()).containsExactly(0);
            restore();
            synchronized (this) {
                arrived.clear();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("statements")
    void shouldNotTrustTheAnswerToARepetition(List<Cas> statements) throws Exception {
        setFirstAnswer(FirstAnswer.UNAVAILABLE_AT_COMMIT);
        try (CqlSession session = through(SameNode.class)) {
            assertThat(execute(session, Duration.ofMinutes(1), statements)).isInstanceOf(CasOutcome.Unknown.class);
        }
        assertThat(arrived()).containsExactly(0, 0);
    }

    @ParameterizedTest
    @MethodSource("statements")
    void shouldNotTreatAnIgnoredErrorAsSuccess(List<Cas> statements) throws Exception {
        setFirstAnswer(FirstAnswer.UNAVAILABLE_AT_COMMIT);
        try (CqlSession session = through(Ignore.class)) {
            assertThat(execute(session, Duration.ofMinutes(1), statements)).isInstanceOf(CasOutcome.Unknown.class);
        }
        assertThat(arrived()).containsExactly(0);
    }

    @ParameterizedTest
    @MethodSource("statements")
    void shouldTimeOutWithoutSpeculation(List<Cas> statements) throws Exception {
        setFirstAnswer(FirstAnswer.NOTHING);
        try (CqlSession session = through(NextNode.class)) {
            CompletableFuture<CasOutcome> outcome = start(session, SOON, statements);
            awaitSpeculation(session);

            assertThat(outcome.get(1, TimeUnit.MINUTES)).isInstanceOf(CasOutcome.Unknown.class);
        }
        assertThat(arrived()).containsExactly(0);
    }

    @ParameterizedTest
    @MethodSource("statements")
    void shouldSendToTheNextNodeIfTheFirstOneHasNoConnection(List<Cas> statements) throws Exception {
        try (CqlSession session = through(NextNode.class)) {
            loseFirstNode(session);

            assertThat(execute(session, Duration.ofMinutes(1), statements)).isInstanceOf(CasOutcome.Applied.class);
        }
        assertThat(arrived()).containsExactly(1);
    }

    // ---- an application's statements, through JDBC

    /** A conditional statement of an application, or a statement that the JDBC driver makes conditional. */
    record Sql(String options, String text, Object... parameters) {
        @Override
        public String toString() {
            return text;
        }
    }

    static Stream<Sql> sql() {
        return Stream.of(
                new Sql("", "UPDATE replay_it.t SET v = 1 WHERE p = 1 AND id = 1 IF v = 0"),
                new Sql("", "UPDATE replay_it.t SET v = ? WHERE p = ? AND id = ? IF v = ?", 1, 1, 1, 0),
                new Sql("", "DELETE FROM replay_it.t WHERE p = ? AND id = ? IF v = 0", 1, 1),
                new Sql("", "INSERT INTO replay_it.t (p, id, v) VALUES (?, ?, ?) IF NOT EXISTS", 1, 2, 0),
                new Sql("", "INSERT INTO replay_it.t JSON '{\"p\": 1, \"id\": 2, \"v\": 0}' IF NOT EXISTS"),
                new Sql(
                        "",
                        "BEGIN BATCH UPDATE replay_it.t SET v = 1 WHERE p = 1 AND id = 1 IF v = 0;"
                                + " INSERT INTO replay_it.t (p, id, v) VALUES (1, 3, 0); APPLY BATCH"),
                new Sql(
                        "&globalKeyspace=replay_ids",
                        "UPDATE replay_it.exact SET v = ?, version = version + 1 WHERE id = ? AND version = ?",
                        1,
                        1,
                        0),
                new Sql(
                        "&globalKeyspace=replay_ids",
                        "INSERT INTO replay_it.exact (id, v, version) VALUES (?, ?, ?)",
                        2,
                        0,
                        0),
                new Sql(
                        "&globalKeyspace=replay_ids&identityInsert=strict",
                        "SET IDENTITY_INSERT replay_it.numbered ON;"
                                + " INSERT INTO replay_it.numbered (id, v) VALUES (?, ?)",
                        8,
                        8));
    }

    /** A connection whose session is not shared. */
    private final class Jdbc implements AutoCloseable {
        final Connection connection;
        final CqlSession session;
        final PreparedStatement statement;

        Jdbc(Class<? extends RetryPolicy> retries, Sql sql) throws SQLException, IOException {
            Path file = Files.writeString(folder.resolve("driver.conf"), configuration(retries));
            Properties properties = new Properties();
            properties.setProperty("configFile", file.toString());
            connection = DriverManager.getConnection(
                    "jdbc:cassidy://127.0.0.1:" + fronts.contactPoint().getPort()
                            + "?localDatacenter=dc1&requestTimeout=1m&connectTimeout=1m" + sql.options(),
                    properties);
            session = connection.unwrap(CqlSession.class);
            statement = connection.prepareStatement(sql.text());
            for (int i = 0; i < sql.parameters().length; i++) {
                statement.setObject(i + 1, sql.parameters()[i]);
            }
        }

        @Override
        public void close() throws SQLException {
            connection.close();
            session.close();
        }
    }

    @ParameterizedTest
    @MethodSource("sql")
    void shouldNotSendAnApplicationsStatementToTheNextNode(Sql sql) throws Exception {
        setFirstAnswer(FirstAnswer.UNAVAILABLE_AT_COMMIT);
        try (Jdbc jdbc = new Jdbc(NextNode.class, sql)) {
            assertThatThrownBy(jdbc.statement::execute)
                    .isInstanceOf(SQLException.class)
                    .hasMessageEndingWith("The write may or may not have been applied.")
                    .hasFieldOrPropertyWithValue("SQLState", "08006");
        }
        assertThat(arrived()).containsExactly(0);
    }

    @ParameterizedTest
    @MethodSource("sql")
    void shouldNotTrustTheAnswerToARepetitionByJdbc(Sql sql) throws Exception {
        setFirstAnswer(FirstAnswer.UNAVAILABLE_AT_COMMIT);
        try (Jdbc jdbc = new Jdbc(SameNode.class, sql)) {
            assertThatThrownBy(jdbc.statement::execute)
                    .isInstanceOf(SQLException.class)
                    .hasMessageEndingWith("The write may or may not have been applied.");
        }
        assertThat(arrived()).containsExactly(0, 0);
    }

    @ParameterizedTest
    @MethodSource("sql")
    void shouldNotTreatAnIgnoredErrorAsSuccessByJdbc(Sql sql) throws Exception {
        setFirstAnswer(FirstAnswer.UNAVAILABLE_AT_COMMIT);
        try (Jdbc jdbc = new Jdbc(Ignore.class, sql)) {
            assertThatThrownBy(jdbc.statement::execute)
                    .isInstanceOf(SQLException.class)
                    .hasMessageEndingWith("The write may or may not have been applied.");
        }
        assertThat(arrived()).containsExactly(0);
    }

    @ParameterizedTest
    @MethodSource("sql")
    void shouldNotSpeculateWithAnApplicationsStatement(Sql sql) throws Exception {
        setFirstAnswer(FirstAnswer.NOTHING);
        try (Jdbc jdbc = new Jdbc(NextNode.class, sql)) {
            CompletableFuture<Throwable> failure = CompletableFuture.supplyAsync(() -> {
                try {
                    jdbc.statement.execute();
                    return new AssertionError("there was no answer");
                } catch (SQLException e) {
                    return e;
                }
            });
            awaitArrival();
            awaitSpeculation(jdbc.session);
            jdbc.statement.cancel();

            assertThat(failure.get(1, TimeUnit.MINUTES)).hasFieldOrPropertyWithValue("SQLState", "HY008");
        }
        assertThat(arrived()).containsExactly(0);
    }

    private synchronized void awaitArrival() throws InterruptedException {
        while (arrived.isEmpty()) {
            wait();
        }
    }

    @ParameterizedTest
    @MethodSource("sql")
    void shouldSendAnApplicationsStatementToTheNextNodeIfThereIsNoConnection(Sql sql) throws Exception {
        try (Jdbc jdbc = new Jdbc(NextNode.class, sql)) {
            loseFirstNode(jdbc.session);

            jdbc.statement.execute();
        }
        assertThat(arrived()).containsExactly(1);
    }

    /** The driver may still repeat statements without a condition. */
    @Test
    void shouldLeaveOtherStatementsToTheDriver() throws Exception {
        try (CqlSession session = through(NextNode.class)) {
            session.execute(
                    SimpleStatement.newInstance("SELECT v FROM replay_it.t WHERE p = 1 AND id = 1 /* 'control' */"));
        }
        synchronized (this) {
            assertThat(controls).isGreaterThan(1);
        }
    }
}
