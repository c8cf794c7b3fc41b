package dev.cassidy.cql;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.dse.driver.api.core.cql.reactive.ReactiveRow;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.token.Token;
import com.datastax.oss.driver.api.core.session.Request;
import com.datastax.oss.driver.api.core.session.Session;
import com.datastax.oss.driver.internal.core.loadbalancing.DefaultLoadBalancingPolicy;
import dev.cassidy.jdbc.TestCluster;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.ColumnDefault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.cassandra.core.CassandraTemplate;
import org.springframework.data.cassandra.core.cql.CqlTemplate;
import org.springframework.data.cassandra.core.cql.ReactiveCqlTemplate;
import org.springframework.data.cassandra.core.cql.session.DefaultBridgedReactiveSession;
import org.springframework.data.cassandra.core.mapping.PrimaryKey;
import org.springframework.data.cassandra.core.mapping.Table;
import reactor.core.publisher.Flux;

/**
 * Where a row goes: what reaches the driver carries the routing key, the token and the keyspaces that the bare driver works out
 * for an insert of the same row. A node cannot tell, since the coordinator passes a row on.
 */
class RoutingIT {

    private static final String KEYSPACE = "routing_it";
    private static final String OTHER = "routing_other";
    private static final Queue<Request> PLANNED = new ConcurrentLinkedQueue<>();
    private static final AtomicInteger TEXTS = new AtomicInteger();

    /** The bare driver's, and Cassidy's behind it, by whether their session has the keyspace. */
    private static CqlSession inside;

    private static CqlSession outside;
    private static IdentitySession filling;
    private static IdentitySession fillingOutside;

    @TempDir
    static Path folder;

    private static Connection connection;

    /** The driver's own policy, which sees each request for which a node is chosen. */
    public static final class Seeing extends DefaultLoadBalancingPolicy {

        public Seeing(DriverContext context, String profile) {
            super(context, profile);
        }

        @Override
        public Queue<Node> newQueryPlan(@Nullable Request request, @Nullable Session session) {
            if (request != null && isOfRow(request)) {
                PLANNED.add(request);
            }
            return super.newQueryPlan(request, session);
        }

        private static boolean isOfRow(Request request) {
            if (!(request instanceof Statement<?> statement)) {
                return false;
            }
            String cql = text(statement);
            return cql.contains("INSERT INTO")
                    && Stream.of(Shape.values()).anyMatch(shape -> cql.contains(shape.table()));
        }

        private static String text(Statement<?> statement) {
            if (statement instanceof BatchStatement batch) {
                return batch.iterator().hasNext() ? text(batch.iterator().next()) : "";
            }
            return statement instanceof BoundStatement bound
                    ? bound.getPreparedStatement().getQuery()
                    : ((SimpleStatement) statement).getQuery();
        }
    }

    /** What the driver chooses a node by. */
    private record Route(
            @Nullable CqlIdentifier keyspace,
            @Nullable CqlIdentifier routingKeyspace,
            @Nullable ByteBuffer key,
            @Nullable Token token) {

        static Route of(Request request) {
            return new Route(
                    request.getKeyspace(),
                    request.getRoutingKeyspace(),
                    request.getRoutingKey(),
                    request.getRoutingToken());
        }
    }

    /** Where the identity is. */
    private enum Shape {
        WHOLE_KEY("id bigint PRIMARY KEY, note text", "note"),
        PART_OF_PARTITION_KEY("a text, id bigint, b text, note text, PRIMARY KEY ((a, id, b))", "a", "b", "note"),
        CLUSTERING("a text, id bigint, note text, PRIMARY KEY (a, id)", "a", "note"),
        NO_PART_OF_COMPOSITE("a text, b text, id bigint, note text, PRIMARY KEY ((a, b), id)", "b", "note", "a"),
        NO_KEY("a text PRIMARY KEY, id bigint, note text", "a", "note");

        final String definition;

        /** Those of texts; the last of them names the row. */
        final List<String> columns;

        Shape(String definition, String... columns) {
            this.definition = definition;
            this.columns = List.of(columns);
        }

        String table() {
            return "rows_" + name().toLowerCase(Locale.ROOT);
        }

        String insert(String qualifier, Stream<String> columns, String values) {
            return "INSERT INTO " + qualifier + table() + " (" + columns.collect(Collectors.joining(", "))
                    + ") VALUES (" + values + ")";
        }

        String insert(String qualifier) {
            return insert(qualifier, columns.stream(), markers(columns.size()));
        }

        String withId(String qualifier) {
            return insert(qualifier, Stream.concat(columns.stream(), Stream.of("id")), markers(columns.size() + 1));
        }

        private static String markers(int count) {
            return String.join(", ", Collections.nCopies(count, "?"));
        }

        /** No text comes twice. */
        String[] row() {
            return columns.stream()
                    .map(column -> column + TEXTS.incrementAndGet())
                    .toArray(String[]::new);
        }
    }

    /** The texts of each of the rows, in their order, and which of them share a statement. */
    private record Sent(List<String[]> rows, boolean together, Form form) {

        static Sent bound(String[]... rows) {
            return new Sent(List.of(rows), false, Form.BOUND);
        }

        static Sent batch(String[]... rows) {
            return new Sent(List.of(rows), true, Form.BOUND);
        }

        Sent simply() {
            return new Sent(rows, together, Form.SIMPLE);
        }

        Sent mixed() {
            return new Sent(rows, together, Form.SIMPLE_FIRST);
        }
    }

    private enum Form {
        BOUND,
        SIMPLE,
        SIMPLE_FIRST
    }

    @BeforeAll
    static void open() throws IOException, SQLException {
        for (String keyspace : List.of(KEYSPACE, OTHER)) {
            TestCluster cluster = TestCluster.fresh(keyspace);
            for (Shape shape : Shape.values()) {
                cluster.cql("CREATE TABLE $." + shape.table() + " (" + shape.definition + ")");
                cluster.identity(shape.table(), "id", IdentityType.BIGINT, 1001);
            }
        }
        inside = connect(KEYSPACE);
        outside = connect(null);
        filling = IdentitySession.wrap(inside, SequencesConfig.defaults());
        fillingOutside = IdentitySession.wrap(outside, SequencesConfig.defaults());
        Path file = folder.resolve("seeing.conf");
        Files.writeString(
                file, "datastax-java-driver.basic.load-balancing-policy.class = \"" + Seeing.class.getName() + "\"\n");
        Properties properties = new Properties();
        properties.setProperty("configFile", file.toString());
        connection = DriverManager.getConnection(new TestCluster(KEYSPACE).url(), properties);
    }

    private static CqlSession connect(@Nullable String keyspace) {
        return CqlSession.builder()
                .addContactPoint(TestCluster.NODE.contactPoint())
                .withLocalDatacenter(TestCluster.NODE.localDatacenter())
                .withKeyspace(keyspace)
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withString(DefaultDriverOption.LOAD_BALANCING_POLICY_CLASS, Seeing.class.getName())
                        .build())
                .build();
    }

    @AfterAll
    static void close() throws SQLException {
        connection.close();
        filling.close();
        fillingOutside.close();
    }

    private static List<Request> planned() {
        List<Request> planned = new ArrayList<>(PLANNED);
        PLANNED.clear();
        return planned;
    }

    /** Compares what was sent since the last call with what the bare driver sends for the same rows. */
    private static void assertRoutedAsBare(CqlSession bare, String qualifier, Shape shape, Sent sent) {
        List<Route> routes = planned().stream().map(Route::of).toList();
        PreparedStatement prepared = bare.prepare(shape.withId(qualifier));
        List<BatchableStatement<?>> statements = new ArrayList<>();
        for (String[] row : sent.rows) {
            Object[] values = Arrays.copyOf(row, row.length + 1, Object[].class);
            values[row.length] = id(bare, qualifier, shape, row);
            boolean simple = sent.form == Form.SIMPLE || (sent.form == Form.SIMPLE_FIRST && statements.isEmpty());
            statements.add(
                    simple ? SimpleStatement.newInstance(shape.withId(qualifier), values) : prepared.bind(values));
        }
        planned();
        if (sent.together) {
            bare.execute(BatchStatement.newInstance(DefaultBatchType.UNLOGGED, statements));
        } else {
            statements.forEach(bare::execute);
        }
        List<Route> bareRoutes = planned().stream().map(Route::of).toList();
        assertThat(bareRoutes).isNotEmpty();
        if (sent.form != Form.SIMPLE) {
            assertThat(bareRoutes).allSatisfy(route -> assertThat(route.key).isNotNull());
        }
        assertThat(routes).isEqualTo(bareRoutes);
    }

    private static long id(CqlSession bare, String qualifier, Shape shape, String[] row) {
        int last = shape.columns.size() - 1;
        return bare.execute(
                        "SELECT id FROM " + qualifier + shape.table() + " WHERE " + shape.columns.get(last)
                                + " = ? ALLOW FILTERING",
                        row[last])
                .all()
                .get(0)
                .getLong(0);
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    // ---- every way of an IdentitySession

    @ParameterizedTest
    @EnumSource(Shape.class)
    void shouldRouteWhatASessionSends(Shape shape) throws Exception {
        everyWay(filling, inside, "", shape);
    }

    @ParameterizedTest
    @EnumSource(Shape.class)
    void shouldRouteWhatNamesItsKeyspace(Shape shape) throws Exception {
        everyWay(filling, inside, OTHER + ".", shape);
        everyWay(fillingOutside, outside, OTHER + ".", shape);
    }

    private static void everyWay(IdentitySession session, CqlSession bare, String qualifier, Shape shape)
            throws Exception {
        planned();
        String insert = shape.insert(qualifier);
        PreparedStatement prepared = session.prepare(insert);
        PreparedStatement later = get(session.prepareAsync(SimpleStatement.newInstance(insert + " USING TTL 10000")));
        String[] row = shape.row();
        session.execute(prepared.bind((Object[]) row));
        assertRoutedAsBare(bare, qualifier, shape, Sent.bound(row));

        row = shape.row();
        get(session.executeAsync(
                later.boundStatementBuilder((Object[]) row).setIdempotence(true).build()));
        assertRoutedAsBare(bare, qualifier, shape, Sent.bound(row));

        row = shape.row();
        BoundStatement named = prepared.bind();
        for (int i = 0; i < row.length; i++) {
            named = named.setString(shape.columns.get(i), row[i]);
        }
        List<ReactiveRow> rows =
                Flux.from(session.executeReactive(named)).collectList().block();
        assertThat(rows).isEmpty();
        assertRoutedAsBare(bare, qualifier, shape, Sent.bound(row));

        row = shape.row();
        PreparedStatement marked = session.prepare(shape.withId(qualifier));
        session.execute(marked.bind((Object[]) row));
        assertRoutedAsBare(bare, qualifier, shape, Sent.bound(row));

        row = shape.row();
        session.execute(marked.bind((Object[]) row).setToNull("id"));
        assertRoutedAsBare(bare, qualifier, shape, Sent.bound(row));

        row = shape.row();
        session.execute(insert, (Object[]) row);
        assertRoutedAsBare(bare, qualifier, shape, Sent.bound(row).simply());

        row = shape.row();
        session.execute(shape.insert(
                qualifier,
                shape.columns.stream(),
                Stream.of(row).map(text -> "'" + text + "'").collect(Collectors.joining(", "))));
        assertRoutedAsBare(bare, qualifier, shape, Sent.bound(row).simply());

        row = shape.row();
        Map<String, Object> values = new HashMap<>();
        for (int i = 0; i < row.length; i++) {
            values.put("v" + i, row[i]);
        }
        session.execute(
                shape.insert(
                        qualifier,
                        shape.columns.stream(),
                        IntStream.range(0, row.length).mapToObj(i -> ":v" + i).collect(Collectors.joining(", "))),
                values);
        assertRoutedAsBare(bare, qualifier, shape, Sent.bound(row).simply());

        row = shape.row();
        String[] second = shape.row();
        session.execute(BatchStatement.newInstance(
                DefaultBatchType.LOGGED, prepared.bind((Object[]) row), later.bind((Object[]) second)));
        assertRoutedAsBare(bare, qualifier, shape, Sent.batch(row, second));

        row = shape.row();
        second = shape.row();
        get(session.executeAsync(BatchStatement.newInstance(
                DefaultBatchType.UNLOGGED, SimpleStatement.newInstance(insert, (Object[]) row), prepared.bind((Object[])
                        second))));
        assertRoutedAsBare(bare, qualifier, shape, Sent.batch(row, second).mixed());

        row = shape.row();
        second = shape.row();
        session.execute(BatchStatement.newInstance(
                DefaultBatchType.UNLOGGED,
                SimpleStatement.newInstance(insert, (Object[]) row),
                SimpleStatement.newInstance(insert, (Object[]) second)));
        assertRoutedAsBare(bare, qualifier, shape, Sent.batch(row, second).simply());
    }

    @Test
    void shouldRouteBySpringData() throws Exception {
        Shape shape = Shape.WHOLE_KEY;
        planned();
        String[] row = shape.row();
        new CqlTemplate(filling).execute(shape.insert(""), (Object[]) row);
        assertRoutedAsBare(inside, "", shape, Sent.bound(row));

        row = shape.row();
        new ReactiveCqlTemplate(new DefaultBridgedReactiveSession(filling))
                .execute(shape.insert(""), (Object[]) row)
                .block();
        assertRoutedAsBare(inside, "", shape, Sent.bound(row));

        Noted entity = new Noted();
        entity.note = shape.row()[0];
        new CassandraTemplate(filling).insert(entity);
        assertRoutedAsBare(inside, "", shape, Sent.bound(new String[] {entity.note}));
    }

    /** Spring Data leaves a key out that is null. */
    @Table("rows_whole_key")
    static class Noted {
        @PrimaryKey("id")
        @Nullable
        Long id;

        @Nullable
        String note;
    }

    // ---- statements that are prepared again

    @Test
    void shouldRouteWhatWasPreparedBeforeTheTableHadDefaults() throws Exception {
        TestCluster cluster = new TestCluster(KEYSPACE);
        cluster.cql("CREATE TABLE $.rows_whole_key_later (id bigint PRIMARY KEY, note text, kind text, at uuid)");
        cluster.identity("rows_whole_key_later", "id", IdentityType.BIGINT, 1001);
        String table = "rows_whole_key_later";
        try (Sequences sequences = Sequences.open(outside, SequencesConfig.defaults());
                IdentitySession session = IdentitySession.wrap(connect(KEYSPACE), sequences)) {
            PreparedStatement hidden = session.prepare("INSERT INTO " + table + " (note) VALUES (?)");
            PreparedStatement marked = session.prepare("INSERT INTO " + table + " (note, id) VALUES (?, ?)");
            session.execute(hidden.bind("before"));
            planned();

            InternalAccess.tables(sequences).registerDefault(given(table, "kind", ColumnDefault.Kind.CONSTANT, "'k'"));
            InternalAccess.tables(sequences).registerDefault(given(table, "at", ColumnDefault.Kind.NEW_ID, "uuid"));

            for (PreparedStatement each : List.of(hidden, marked, session.prepare(marked.getQuery()))) {
                String note = "after" + TEXTS.incrementAndGet();
                session.execute(each.bind(note));
                List<Route> routes = planned().stream().map(Route::of).toList();
                long id = inside.execute("SELECT id FROM " + table + " WHERE note = ? ALLOW FILTERING", note)
                        .one()
                        .getLong(0);
                inside.execute(inside.prepare("INSERT INTO " + table + " (id, note) VALUES (?, ?)")
                        .bind(id, note));
                assertThat(routes).isEqualTo(planned().stream().map(Route::of).toList());
            }
        }
    }

    private static ColumnDefault given(String table, String column, ColumnDefault.Kind kind, String value) {
        return new ColumnDefault(KEYSPACE, table, column, "df_" + column, kind, value, "(" + value + ")");
    }

    // ---- JDBC

    @ParameterizedTest
    @EnumSource(Shape.class)
    void shouldRouteWhatJdbcSends(Shape shape) throws SQLException {
        everyWay(connection, inside, "", shape);
        everyWay(connection, inside, OTHER + ".", shape);
    }

    private static void everyWay(Connection jdbc, CqlSession bare, String qualifier, Shape shape) throws SQLException {
        String insert = shape.insert(qualifier);
        String[] row = shape.row();
        String[] second = shape.row();
        try (java.sql.PreparedStatement prepared = jdbc.prepareStatement(insert)) {
            planned();
            set(prepared, 0, row);
            prepared.executeUpdate();
            assertRoutedAsBare(bare, qualifier, shape, Sent.bound(row));

            row = shape.row();
            set(prepared, 0, row);
            prepared.addBatch();
            set(prepared, 0, second);
            prepared.addBatch();
            prepared.executeBatch();
            // Of new ids that are in their keys, rows with the same replicas go together.
            boolean together = shape == Shape.WHOLE_KEY || shape == Shape.PART_OF_PARTITION_KEY;
            assertRoutedAsBare(bare, qualifier, shape, together ? Sent.batch(row, second) : Sent.bound(row, second));
        }
        row = shape.row();
        try (java.sql.PreparedStatement prepared =
                jdbc.prepareStatement(insert, java.sql.Statement.RETURN_GENERATED_KEYS)) {
            set(prepared, 0, row);
            prepared.executeUpdate();
            assertRoutedAsBare(bare, qualifier, shape, Sent.bound(row));
        }
        row = shape.row();
        try (java.sql.Statement statement = jdbc.createStatement()) {
            statement.executeUpdate(shape.insert(
                    qualifier,
                    shape.columns.stream(),
                    Stream.of(row).map(text -> "'" + text + "'").collect(Collectors.joining(", "))));
            assertRoutedAsBare(bare, qualifier, shape, Sent.bound(row));
        }
        row = shape.row();
        second = shape.row();
        try (java.sql.PreparedStatement prepared =
                jdbc.prepareStatement(insert + ", " + insert.substring(insert.lastIndexOf('(')))) {
            set(prepared, 0, row);
            set(prepared, row.length, second);
            prepared.executeUpdate();
            assertRoutedAsBare(bare, qualifier, shape, Sent.batch(row, second));
        }
        row = shape.row();
        second = shape.row();
        jdbc.setAutoCommit(false);
        try (java.sql.PreparedStatement prepared = jdbc.prepareStatement(insert)) {
            set(prepared, 0, row);
            prepared.executeUpdate();
            set(prepared, 0, second);
            prepared.executeUpdate();
            jdbc.commit();
            assertRoutedAsBare(bare, qualifier, shape, Sent.batch(row, second));
        } finally {
            jdbc.setAutoCommit(true);
        }
    }

    private static void set(java.sql.PreparedStatement statement, int before, String[] row) throws SQLException {
        for (int i = 0; i < row.length; i++) {
            statement.setString(before + i + 1, row[i]);
        }
    }
}
