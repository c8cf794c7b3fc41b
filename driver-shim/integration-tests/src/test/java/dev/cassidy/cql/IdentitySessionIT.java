package dev.cassidy.cql;

import static com.datastax.oss.driver.api.querybuilder.QueryBuilder.bindMarker;
import static com.datastax.oss.driver.api.querybuilder.QueryBuilder.insertInto;
import static com.datastax.oss.driver.api.querybuilder.QueryBuilder.literal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.dse.driver.api.core.cql.reactive.ReactiveResultSet;
import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.internal.core.context.InternalDriverContext;
import dev.cassidy.SharedNode;
import dev.cassidy.cql.IdentityInsertException.Reason;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.snowflake.SnowflakeSequencer;
import dev.cassidy.snowflake.SnowflakeSpec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;

class IdentitySessionIT {

    private static final SequencesConfig CONFIG = SequencesConfig.defaults().withGlobalKeyspace("cql_it_ids");

    private static CqlSession plain;
    private static Sequences sequences;
    private static IdentitySession session;

    @BeforeAll
    static void open() {
        try (CqlSession setup = connect(null)) {
            setup.setSchemaMetadataEnabled(false);
            CassidySchema.install(setup, Replication.parse("dc1:1"), CONFIG);
            setup.execute(
                    "CREATE KEYSPACE cql_it WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            for (String table : List.of(
                    "orders", "fresh", "raced", "batched", "explicit", "backfilled", "drawn", "refused", "passing")) {
                setup.execute("CREATE TABLE cql_it." + table
                        + " (id int PRIMARY KEY, customer text, qty int, tags map<text, int>)");
            }
            setup.execute("CREATE TABLE cql_it.small (id smallint PRIMARY KEY, customer text)");
            setup.execute(
                    "CREATE TABLE cql_it.big (tenant text, id bigint, plan text static, customer text, PRIMARY KEY (tenant, id))");
            setup.execute("CREATE TABLE cql_it.\"OddName\" (\"Id\" bigint PRIMARY KEY, customer text)");
            setup.execute("CREATE TABLE cql_it.unregistered (id bigint PRIMARY KEY, customer text)");
            setup.execute("CREATE TABLE cql_it.passed (id bigint PRIMARY KEY, customer text)");
            setup.execute("CREATE TABLE cql_it.by_name (name text PRIMARY KEY, customer text)");
            setup.execute("CREATE TABLE cql_it.batch_text (id int PRIMARY KEY, customer text)");
            setup.execute("CREATE TABLE cql_it.columned (name text PRIMARY KEY, id int, customer text)");
            setup.execute("CREATE TABLE cql_it.timed (id bigint PRIMARY KEY, customer text)");
        }
        plain = connect("cql_it");
        sequences = Sequences.open(plain, CONFIG);
        session = IdentitySession.wrap(plain, sequences);
        register("orders", "id", SequenceSpec.of("cql_it.orders", IdentityType.INT, 1001, 1));
        register("raced", "id", SequenceSpec.of("cql_it.raced", IdentityType.INT, 1, 1));
        register("batched", "id", SequenceSpec.of("cql_it.batched", IdentityType.INT, 1, 1));
        register("explicit", "id", SequenceSpec.of("cql_it.explicit", IdentityType.INT, 1001, 1));
        register("drawn", "id", SequenceSpec.of("cql_it.drawn", IdentityType.INT, 1001, 1));
        register("refused", "id", SequenceSpec.of("cql_it.refused", IdentityType.INT, 1001, 1));
        register("passing", "id", SequenceSpec.of("cql_it.passing", IdentityType.INT, 1001, 1));
        register("small", "id", SequenceSpec.of("cql_it.small", IdentityType.INT, 32767, 1));
        register(
                "big",
                "id",
                SequenceSpec.of("cql_it.big", IdentityType.BIGINT, -1, -5).withBounds(-5_000_000_000L, -1));
        sequences.create(SnowflakeSpec.of("cql_it.timed", Instant.parse("2026-01-01T00:00:00Z")));
        sequences.registerIdentity(new IdentityColumn("cql_it", "timed", "id", "cql_it.timed"));
        register("OddName", "Id", SequenceSpec.of("cql_it.odd", IdentityType.BIGINT, 5_000_000_000L, 1));
        // Of a table that is there, such a column is refused when it is registered.
        sequences.create(SequenceSpec.of("cql_it.textual", IdentityType.INT, 1, 1));
        InternalAccess.tables(sequences)
                .registerIdentityAhead(new IdentityColumn("cql_it", "textual", "id", "cql_it.textual"));
        plain.execute("CREATE TABLE cql_it.textual (id text PRIMARY KEY, customer text)");
    }

    private static void register(String table, String column, SequenceSpec spec) {
        sequences.create(spec);
        sequences.registerIdentity(new IdentityColumn("cql_it", table, column, spec.name()));
    }

    private static CqlSession connect(String keyspace) {
        EmbeddedCassandra node = SharedNode.get();
        return CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withKeyspace(keyspace)
                .build();
    }

    @AfterAll
    static void close() {
        session.close();
        assertThat(plain.isClosed()).isTrue();
        sequences.close();
    }

    private static long only(GeneratedKeys keys) {
        assertThat(keys.keys()).hasSize(1);
        return keys.ids().get(0);
    }

    private static String customer(long id) {
        Row row = plain.execute("SELECT customer FROM orders WHERE id = ?", (int) id)
                .one();
        assertThat(row).as("row of id %s", id).isNotNull();
        return row.getString("customer");
    }

    @Test
    void shouldRunOnTheIntendedDriver() throws IOException {
        Properties driver = new Properties();
        try (InputStream in = CqlSession.class.getResourceAsStream("/com/datastax/oss/driver/Driver.properties")) {
            driver.load(in);
        }
        assertThat(driver.getProperty("driver.groupId"))
                .isEqualTo(System.getProperty("java-driver.groupId", "com.datastax.oss"));
    }

    // ---- simple statements

    @Test
    void shouldFillASimpleStatement() {
        GeneratedKeys keys = GeneratedKeys.of(session.execute("INSERT INTO orders (customer) VALUES ('Ann');"));

        assertThat(customer(only(keys))).isEqualTo("Ann");
        assertThat(keys.column()).isEqualTo("id");
        assertThat(keys.type()).isEqualTo(IdentityType.INT);
        assertThat(keys.ids().get(0)).isGreaterThanOrEqualTo(1001);
        assertThat(keys.keys().get(0).generated()).isTrue();
    }

    @Test
    void shouldFillPositionalAndNamedValues() {
        ResultSet positional =
                session.execute("INSERT INTO cql_it.orders (customer, qty) VALUES (?, ?) USING TTL ?", "Bob", 2, 1000);
        ResultSet named = session.execute(
                "INSERT INTO orders (customer, qty) VALUES (:who, :qty)", Map.of("who", "Cid", "qty", 3));

        assertThat(customer(only(GeneratedKeys.of(positional)))).isEqualTo("Bob");
        assertThat(customer(only(GeneratedKeys.of(named)))).isEqualTo("Cid");
    }

    @Test
    void shouldFillANullAndAPositionalOrNamedNull() {
        Map<String, Object> named = new HashMap<>();
        named.put("id", null);
        named.put("who", "Fay");

        long literal =
                only(GeneratedKeys.of(session.execute("INSERT INTO orders (id, customer) VALUES (NULL, 'Dan')")));
        long positional = only(GeneratedKeys.of(
                session.execute("INSERT INTO orders (customer, id) VALUES (?, ?) USING TTL ?", "Eve", null, 1000)));
        long byName =
                only(GeneratedKeys.of(session.execute("INSERT INTO orders (id, customer) VALUES (:id, :who)", named)));
        long byColumn = only(GeneratedKeys.of(session.execute(SimpleStatement.newInstance(
                "INSERT INTO orders (id, customer) VALUES (?, ?)", nulled("id", "customer", "Gus")))));

        assertThat(List.of(customer(literal), customer(positional), customer(byName), customer(byColumn)))
                .containsExactly("Dan", "Eve", "Fay", "Gus");
    }

    private static Map<String, Object> nulled(String nullName, String name, Object value) {
        Map<String, Object> values = new HashMap<>();
        values.put(nullName, null);
        values.put(name, value);
        return values;
    }

    @Test
    void shouldResolveQuotedNamesAndOtherKeyspaces() {
        long id = only(GeneratedKeys.of(session.execute("INSERT INTO CQL_IT.\"OddName\" (customer) VALUES ('x')")));

        assertThat(id).isGreaterThanOrEqualTo(5_000_000_000L);
        assertThat(plain.execute("SELECT customer FROM \"OddName\" WHERE \"Id\" = ?", id)
                        .one()
                        .getString(0))
                .isEqualTo("x");
    }

    @Test
    void shouldServeANegativeIncrementInAClusteringColumn() {
        PreparedStatement prepared = session.prepare("INSERT INTO big (tenant, customer) VALUES (?, ?)");

        List<Long> ids = IntStream.range(0, 3)
                .mapToObj(i -> only(GeneratedKeys.of(session.execute(prepared.bind("t", "c" + i)))))
                .toList();

        assertThat(ids).isSortedAccordingTo((a, b) -> Long.compare(b, a)).allMatch(id -> (id + 1) % 5 == 0);
        assertThat(prepared.getPartitionKeyIndices()).containsExactly(0);
        assertThat(prepared.bind("t", "x").getRoutingKey()).isNotNull();
        assertThat(plain.execute("SELECT count(*) FROM big WHERE tenant = 't'")
                        .one()
                        .getLong(0))
                .isEqualTo(3);
    }

    @Test
    void shouldCreateNoRowForAnInsertOfOnlyStaticColumns() {
        ResultSet simple = session.execute("INSERT INTO big (tenant, plan) VALUES ('s', 'gold')");
        PreparedStatement prepared = session.prepare("INSERT INTO big (tenant, plan) VALUES (?, ?)");
        ResultSet bound = session.execute(prepared.bind("s", "silver"));

        assertThat(GeneratedKeys.of(simple).isEmpty()).isTrue();
        assertThat(GeneratedKeys.of(bound).isEmpty()).isTrue();
        Row row = plain.execute("SELECT id, plan FROM big WHERE tenant = 's'").one();
        assertThat(row.getString("plan")).isEqualTo("silver");
        assertThat(row.isNull("id")).isTrue();
    }

    @Test
    void shouldFillTheStatementOfAQueryBuilder() {
        SimpleStatement built = insertInto("orders")
                .value("customer", literal("Hal"))
                .value("qty", bindMarker())
                .usingTtl(1000)
                .build(4);

        assertThat(customer(only(GeneratedKeys.of(session.execute(built))))).isEqualTo("Hal");
    }

    @Test
    void shouldKeepEverySettingOfAStatement() {
        SimpleStatement statement = SimpleStatement.newInstance("INSERT INTO orders (customer) VALUES (?)", "Ida")
                .setConsistencyLevel(ConsistencyLevel.ONE)
                .setIdempotent(true)
                .setTracing(true)
                .setQueryTimestamp(1234)
                .setCustomPayload(Map.of("k", ByteBuffer.wrap(new byte[] {1})));

        SimpleStatement sent =
                (SimpleStatement) session.execute(statement).getExecutionInfo().getRequest();

        assertThat(sent.getConsistencyLevel()).isEqualTo(ConsistencyLevel.ONE);
        assertThat(sent.isIdempotent()).isTrue();
        assertThat(sent.isTracing()).isTrue();
        assertThat(sent.getQueryTimestamp()).isEqualTo(1234);
        assertThat(sent.getCustomPayload()).containsKey("k");
        assertThat(sent.getPositionalValues()).containsExactly("Ida");
    }

    @Test
    void shouldFillAnInsertWithoutColumns() {
        long id = only(GeneratedKeys.of(session.execute("INSERT INTO orders () VALUES ()")));

        assertThat(plain.execute("SELECT id FROM orders WHERE id = ?", (int) id).one())
                .isNotNull();
    }

    // ---- prepared statements

    @Test
    void shouldHideItsMarkerFromTheUserOfAPreparedStatement() {
        String cql = "INSERT INTO orders (customer, qty) VALUES (?, ?) USING TTL ?";
        PreparedStatement prepared = session.prepare(cql);

        assertThat(prepared.getQuery()).isEqualTo(cql);
        assertThat(prepared.getVariableDefinitions())
                .extracting(definition -> definition.getName().asInternal())
                .containsExactly("customer", "qty", "[ttl]");
        assertThat(prepared.getVariableDefinitions().contains("id")).isFalse();
        assertThat(prepared.getVariableDefinitions().firstIndexOf("[ttl]")).isEqualTo(2);
        assertThat(prepared.getVariableDefinitions().get(CqlIdentifier.fromCql("qty")))
                .extracting(ColumnDefinition::getType)
                .hasToString("INT");
        assertThat(prepared.getPartitionKeyIndices()).isEmpty();

        BoundStatement bound = prepared.bind("Jan", 5).setInt("[ttl]", 1000);
        assertThat(bound.size()).isEqualTo(3);
        assertThat(bound.getInt(2)).isEqualTo(1000);
        assertThat(bound.getType("[ttl]").toString()).isEqualTo("INT");
        assertThatThrownBy(() -> bound.setInt("id", 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> prepared.bind("a", 1, 2, 3)).isInstanceOf(IllegalArgumentException.class);

        long first = only(GeneratedKeys.of(session.execute(bound)));
        long second = only(GeneratedKeys.of(session.execute(bound)));
        assertThat(second).isGreaterThan(first);
        Row row = plain.execute("SELECT customer, qty, ttl(qty) AS ttl FROM orders WHERE id = ?", (int) first)
                .one();
        assertThat(row.getString("customer")).isEqualTo("Jan");
        assertThat(row.getInt("qty")).isEqualTo(5);
        assertThat(row.getInt("ttl")).isBetween(1, 1000);
    }

    @Test
    void shouldPrepareMarkersWithAndWithoutNames() {
        PreparedStatement prepared =
                session.prepare("INSERT INTO orders (tags, customer, qty) VALUES (?, :who, :qty) USING TTL :ttl");

        long id = only(GeneratedKeys.of(session.execute(prepared.bind(Map.of("a", 1, "b", 2))
                .setString("who", "Kim")
                .setInt("qty", 6)
                .setInt("ttl", 1000))));

        Row row = plain.execute("SELECT tags, customer, qty FROM orders WHERE id = ?", (int) id)
                .one();
        assertThat(row.getMap("tags", String.class, Integer.class)).isEqualTo(Map.of("a", 1, "b", 2));
        assertThat(row.getString("customer")).isEqualTo("Kim");
        assertThat(row.getInt("qty")).isEqualTo(6);
    }

    @Test
    void shouldLeaveUnboundVariablesUnset() {
        PreparedStatement prepared = session.prepare("INSERT INTO orders (customer, qty) VALUES (?, ?)");

        long id = only(GeneratedKeys.of(session.execute(prepared.bind("Leo"))));

        Row row = plain.execute("SELECT qty, writetime(qty) AS written FROM orders WHERE id = ?", (int) id)
                .one();
        assertThat(row.isNull("written")).as("no tombstone either").isTrue();
        assertThat(prepared.bind("x", null).isNull(1)).isTrue();
        assertThat(prepared.bind("x", null).isSet(1)).isTrue();
    }

    @Test
    void shouldGenerateForANullOrUnsetBoundIdentity() {
        PreparedStatement prepared = session.prepare("INSERT INTO orders (id, customer) VALUES (?, ?)");

        long nulled = only(GeneratedKeys.of(session.execute(prepared.bind(null, "Max"))));
        long unset = only(GeneratedKeys.of(session.execute(prepared.bind().setString("customer", "Ned"))));
        PreparedStatement literal = session.prepare("INSERT INTO orders (id, customer) VALUES (NULL, ?)");
        long replaced = only(GeneratedKeys.of(session.execute(literal.bind("Oda"))));

        assertThat(List.of(customer(nulled), customer(unset), customer(replaced)))
                .containsExactly("Max", "Ned", "Oda");
        assertThat(literal.getVariableDefinitions().size()).isEqualTo(1);
    }

    @Test
    void shouldKeepTheSettingsOfABoundStatement() {
        PreparedStatement prepared =
                session.prepare(SimpleStatement.newInstance("INSERT INTO orders (customer) VALUES (?)")
                        .setConsistencyLevel(ConsistencyLevel.ONE)
                        .setIdempotent(true));

        BoundStatement bound =
                prepared.boundStatementBuilder("Pam").setPageSize(7).build();
        assertThat(bound.getConsistencyLevel()).isEqualTo(ConsistencyLevel.ONE);
        BoundStatement sent =
                (BoundStatement) session.execute(bound.setTracing(true).setQueryTimestamp(99))
                        .getExecutionInfo()
                        .getRequest();

        assertThat(sent.getConsistencyLevel()).isEqualTo(ConsistencyLevel.ONE);
        assertThat(sent.isIdempotent()).isTrue();
        assertThat(sent.isTracing()).isTrue();
        assertThat(sent.getPageSize()).isEqualTo(7);
        assertThat(sent.getQueryTimestamp()).isEqualTo(99);
        assertThat(sent.getRoutingKey()).as("the id routes the statement").isNotNull();
    }

    @Test
    void shouldPrepareEqualTextsOnce() {
        String cql = "INSERT INTO orders (customer, qty) VALUES (?, 77)";

        assertThat(session.prepare(cql).getId()).isEqualTo(session.prepare(cql).getId());
        assertThat(sentBy(session.prepare(cql))).isSameAs(sentBy(session.prepare(cql)));
    }

    private static PreparedStatement sentBy(PreparedStatement prepared) {
        return ((BoundStatement)
                        session.execute(prepared.bind("Q")).getExecutionInfo().getRequest())
                .getPreparedStatement();
    }

    @Test
    void shouldSurviveASchemaChangeAfterPreparing() {
        register("fresh", "id", SequenceSpec.of("cql_it.fresh", IdentityType.INT, 1, 1));
        PreparedStatement prepared = session.prepare("INSERT INTO fresh (customer) VALUES (?)");
        long before = only(GeneratedKeys.of(session.execute(prepared.bind("a"))));

        session.execute("ALTER TABLE fresh ADD note text");
        long after = only(GeneratedKeys.of(session.execute(prepared.bind("b"))));
        PreparedStatement again = session.prepare("INSERT INTO fresh (customer, note) VALUES (?, ?)");
        long noted = only(GeneratedKeys.of(session.execute(again.bind("c", "n"))));

        assertThat(List.of(before, after, noted)).containsExactly(1L, 2L, 3L);
    }

    @Test
    void shouldRefuseAStatementPreparedBeforeTheRegistration() {
        PreparedStatement without = session.prepare("INSERT INTO columned (name) VALUES (?)");
        PreparedStatement nulled = session.prepare("INSERT INTO columned (name, id) VALUES (?, NULL)");
        PreparedStatement marked = session.prepare("INSERT INTO columned (name, id) VALUES (?, ?)");
        session.execute(without.bind("before"));

        register("columned", "id", SequenceSpec.of("cql_it.columned", IdentityType.INT, 1, 1));

        for (BoundStatement bound : List.of(without.bind("late"), nulled.bind("late"))) {
            for (Runnable insert : List.<Runnable>of(
                    () -> session.execute(bound),
                    () -> session.execute(BatchStatement.newInstance(BatchType.LOGGED, bound)))) {
                assertRefused(Reason.PREPARED_BEFORE_REGISTRATION, insert)
                        .withMessageContaining("cql_it.columned.id")
                        .withMessageContaining("prepare it again");
            }
        }
        assertThat(plain.execute("SELECT name FROM columned").all())
                .extracting(row -> row.getString(0))
                .containsExactly("before");

        PreparedStatement again = session.prepare("INSERT INTO columned (name) VALUES (?)");
        assertThat(only(GeneratedKeys.of(session.execute(again.bind("a"))))).isEqualTo(1);
        assertThat(only(GeneratedKeys.of(session.execute(marked.bind("b", null)))))
                .isEqualTo(2);
        assertThat(plain.execute("SELECT id FROM columned WHERE name = 'a'")
                        .one()
                        .getInt(0))
                .isEqualTo(1);
        PreparedStatement past = plain.prepare("INSERT INTO big (tenant, plan) VALUES (?, ?)");
        assertThat(GeneratedKeys.of(session.execute(past.bind("p", "gold"))).isEmpty())
                .isTrue();
    }

    // ---- conditional inserts, batches

    @Test
    void shouldReturnNoKeyOfAConditionalInsertThatWasNotApplied() {
        ResultSet applied = session.execute("INSERT INTO orders (customer) VALUES ('Rob') IF NOT EXISTS");
        ResultSet explicit = session.execute("INSERT INTO orders (id, customer) VALUES (7, 'Sue') IF NOT EXISTS");
        ResultSet refused = session.execute("INSERT INTO orders (id, customer) VALUES (7, 'Tom') IF NOT EXISTS");

        assertThat(applied.wasApplied()).isTrue();
        assertThat(customer(only(GeneratedKeys.of(applied)))).isEqualTo("Rob");
        assertThat(only(GeneratedKeys.of(explicit))).isEqualTo(7);
        assertThat(refused.wasApplied()).isFalse();
        assertThat(refused.one().getString("customer")).isEqualTo("Sue");
        assertThat(GeneratedKeys.of(refused).isEmpty()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = DefaultBatchType.class,
            names = {"LOGGED", "UNLOGGED"})
    void shouldFillBatchesInOrder(DefaultBatchType type) {
        PreparedStatement prepared = session.prepare("INSERT INTO batched (customer) VALUES (?)");
        PreparedStatement untouched = session.prepare("INSERT INTO by_name (name, customer) VALUES (?, ?)");
        BatchStatement batch = BatchStatement.builder(type)
                .addStatement(prepared.bind("a"))
                .addStatement(SimpleStatement.newInstance("INSERT INTO batched (customer) VALUES (?)", "b"))
                .addStatement(untouched.bind("n-" + type, "c"))
                .addStatement(SimpleStatement.newInstance("INSERT INTO orders (customer) VALUES ('d')"))
                .addStatement(prepared.bind("e"))
                .setConsistencyLevel(ConsistencyLevel.ONE)
                .build();

        ResultSet result = session.execute(batch);
        GeneratedKeys keys = GeneratedKeys.of(result);

        assertThat(keys.keys())
                .extracting(GeneratedKeys.Key::table)
                .containsExactly("batched", "batched", "orders", "batched");
        long first = keys.ids().get(0);
        assertThat(List.of(keys.ids().get(1), keys.ids().get(3))).containsExactly(first + 1, first + 2);
        assertThat(((BatchStatement) result.getExecutionInfo().getRequest()).getConsistencyLevel())
                .isEqualTo(ConsistencyLevel.ONE);
        Map<Long, String> rows = new HashMap<>();
        plain.execute("SELECT id, customer FROM batched")
                .forEach(row -> rows.put((long) row.getInt("id"), row.getString("customer")));
        assertThat(rows).containsEntry(first, "a").containsEntry(first + 1, "b").containsEntry(first + 2, "e");
        assertThat(plain.execute("SELECT customer FROM by_name WHERE name = ?", "n-" + type)
                        .one())
                .isNotNull();
    }

    @Test
    void shouldFillABatchOverManyRanges() {
        BatchStatement batch = BatchStatement.newInstance(BatchType.UNLOGGED);
        for (int i = 0; i < 300; i++) {
            batch = batch.add(SimpleStatement.newInstance("INSERT INTO batched (qty) VALUES (1)"));
        }

        List<Long> ids = GeneratedKeys.of(session.execute(batch)).ids();

        assertThat(ids).hasSize(300).doesNotHaveDuplicates().isSorted();
    }

    @Test
    void shouldRefuseABatchAsTextByName() {
        assertRefused(
                Reason.BATCH_TEXT,
                () -> session.execute("BEGIN BATCH INSERT INTO orders (customer) VALUES ('x'); APPLY BATCH"));
        session.execute("BEGIN BATCH INSERT INTO by_name (name) VALUES ('x'); APPLY BATCH");
    }

    @Test
    void shouldRefuseABatchAsTextThatWasPreparedBeforeTheRegistration() {
        PreparedStatement unqualified =
                session.prepare("BEGIN BATCH INSERT INTO batch_text (id, customer) VALUES (?, ?) APPLY BATCH");
        PreparedStatement second = session.prepare("BEGIN UNLOGGED BATCH UPDATE cql_it.by_name SET customer = ?"
                + " WHERE name = 'x'; INSERT INTO cql_it.batch_text (id) VALUES (1); APPLY BATCH");
        session.execute(unqualified.bind(7, "before"));

        register("batch_text", "id", SequenceSpec.of("cql_it.batch_text", IdentityType.INT, 1, 1));

        assertRefused(Reason.BATCH_TEXT, () -> session.execute(unqualified.bind(501, "late")));
        assertRefused(Reason.BATCH_TEXT, () -> session.execute(second.bind("late")));
        assertRefused(Reason.BATCH_TEXT, () -> session.executeContinuously(unqualified.bind(501, "late")));
        assertRefused(Reason.BATCH_TEXT, () -> Flux.from(session.executeReactive(unqualified.bind(501, "late")))
                .blockLast());
        assertThat(plain.execute("SELECT id FROM batch_text").all())
                .extracting(row -> row.getInt(0))
                .containsExactly(7);
    }

    @Test
    void shouldRefuseABatchAsTextForAReactiveResult() {
        session.execute("INSERT INTO orders (customer) VALUES ('known')");

        assertRefused(Reason.BATCH_TEXT, () -> Flux.from(
                        session.executeReactive("BEGIN BATCH INSERT INTO orders (id) VALUES (501); APPLY BATCH"))
                .blockLast());
    }

    // ---- the reactive API

    @Test
    void shouldFillAReactiveInsertOnSubscription() {
        PreparedStatement prepared = session.prepare("INSERT INTO orders (customer) VALUES (?)");
        long before = only(GeneratedKeys.of(session.execute(prepared.bind("before"))));

        ReactiveResultSet first = session.executeReactive(prepared.bind("reactive"));
        ReactiveResultSet second =
                session.executeReactive("INSERT INTO orders (customer) VALUES (?) USING TTL 1000", "simple");
        assertThat(GeneratedKeys.of(first).toCompletableFuture()).isNotDone();
        Flux.concat(second, first).blockLast();

        assertThat(Flux.from(first.wasApplied()).blockLast()).isTrue();
        long simple = only(GeneratedKeys.of(second).toCompletableFuture().join());
        long bound = only(GeneratedKeys.of(first).toCompletableFuture().join());
        assertThat(List.of(before, simple, bound)).isSorted().doesNotHaveDuplicates();
        assertThat(customer(bound)).isEqualTo("reactive");
        assertThat(customer(simple)).isEqualTo("simple");
    }

    @Test
    void shouldFillAReactiveBatchAndReadReactively() {
        BatchStatement batch = BatchStatement.newInstance(
                DefaultBatchType.LOGGED,
                SimpleStatement.newInstance("INSERT INTO orders (customer) VALUES ('r1')"),
                SimpleStatement.newInstance("INSERT INTO orders (customer) VALUES ('r2')"));
        ReactiveResultSet written = session.executeReactive(batch);
        Flux.from(written).blockLast();
        List<Long> ids = GeneratedKeys.of(written).toCompletableFuture().join().ids();

        ReactiveResultSet read = session.executeReactive(
                "SELECT customer FROM orders WHERE id IN (?, ?)",
                ids.get(0).intValue(),
                ids.get(1).intValue());
        assertThat(Flux.from(read).map(row -> row.getString(0)).collectList().block())
                .containsExactly("r1", "r2");
        assertThat(GeneratedKeys.of(read).toCompletableFuture().join().isEmpty())
                .isTrue();
        assertThat(GeneratedKeys.of(plain.executeReactive("SELECT customer FROM orders LIMIT 1"))
                        .toCompletableFuture()
                        .join()
                        .isEmpty())
                .isTrue();
    }

    @Test
    void shouldReportAReactiveRefusalToTheSubscriberAndInTheKeys() {
        ReactiveResultSet refused = session.executeReactive("INSERT INTO orders (id, customer) VALUES (500000, 'x')");

        assertRefused(Reason.EXPLICIT_ID, () -> Flux.from(refused).blockLast());
        assertThat(GeneratedKeys.of(refused).toCompletableFuture()).isCompletedExceptionally();
    }

    // ---- the asynchronous API

    @Test
    void shouldFillAsynchronously() throws Exception {
        CompletionStage<AsyncResultSet> simple = session.executeAsync("INSERT INTO orders (customer) VALUES ('Una')");
        CompletionStage<AsyncResultSet> bound = session.prepareAsync("INSERT INTO orders (customer) VALUES (?)")
                .thenCompose(prepared -> session.executeAsync(prepared.bind("Vic")));

        assertThat(customer(only(GeneratedKeys.of(get(simple))))).isEqualTo("Una");
        assertThat(customer(only(GeneratedKeys.of(get(bound))))).isEqualTo("Vic");
    }

    @Test
    void shouldNeverBlockADriverThread() throws Exception {
        try (CqlSession other = connect("cql_it");
                // With fresh sequences, the first id must be claimed, and the identity has not been looked up yet.
                Sequences fresh = Sequences.open(other, CONFIG);
                IdentitySession identities = IdentitySession.wrap(other, fresh)) {
            CompletionStage<AsyncResultSet> inserted = onDriverThread(
                            other, () -> identities.executeAsync("INSERT INTO orders (customer) VALUES ('Wes')"))
                    .thenCompose(stage -> stage);
            assertThat(customer(only(GeneratedKeys.of(get(inserted))))).isEqualTo("Wes");

            CompletionStage<ResultSet> synchronous =
                    onDriverThread(other, () -> identities.execute("INSERT INTO unregistered (customer) VALUES ('x')"));
            assertThatThrownBy(() -> get(synchronous)).hasMessageContaining("driver thread");
        }
    }

    /** A stage chained to a statement also runs on such a thread, but only if the answer has not arrived yet. */
    private static <T> CompletionStage<T> onDriverThread(CqlSession session, Supplier<T> work) {
        Executor driver = ((InternalDriverContext) session.getContext())
                .getNettyOptions()
                .ioEventLoopGroup()
                .next();
        return CompletableFuture.supplyAsync(work, driver);
    }

    @Test
    void shouldWriteInCallOrderEvenIfAnIdentityMustBeLookedUp() throws Exception {
        // Fresh sequences must look the identity up first, so the update would be sent before the insert.
        try (Sequences fresh = Sequences.open(plain, CONFIG)) {
            IdentitySession identities = IdentitySession.wrap(plain, fresh);
            CompletionStage<AsyncResultSet> inserted =
                    identities.executeAsync("INSERT INTO orders (id, customer) VALUES (11, 'first')");
            CompletionStage<AsyncResultSet> updated =
                    identities.executeAsync("UPDATE orders SET customer = 'then' WHERE id = 11");
            get(inserted);
            get(updated);
        }

        assertThat(customer(11)).isEqualTo("then");
    }

    @Test
    void shouldKeepTheTimestampsOfAsynchronousStatements() throws Exception {
        get(session.executeAsync("INSERT INTO orders (id, customer) VALUES (12, 'text') USING TIMESTAMP 1234"));
        get(session.executeAsync(
                SimpleStatement.newInstance("INSERT INTO orders (id, customer) VALUES (13, 'statement')")
                        .setQueryTimestamp(5678)));
        AsyncResultSet conditional =
                get(session.executeAsync("INSERT INTO orders (id, customer) VALUES (14, 'conditional') IF NOT EXISTS"));

        assertThat(writtenAt(12)).isEqualTo(1234);
        assertThat(writtenAt(13)).isEqualTo(5678);
        assertThat(conditional.wasApplied()).isTrue();
    }

    private static long writtenAt(int id) {
        return plain.execute("SELECT writetime(customer) FROM orders WHERE id = ?", id)
                .one()
                .getLong(0);
    }

    @Test
    void shouldFailTheStageAndNotTheCall() {
        CompletionStage<AsyncResultSet> refused =
                session.executeAsync("INSERT INTO unregistered (customer) VALUES ('x')");

        assertThat(refused.toCompletableFuture())
                .failsWithin(10, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(IdentityInsertException.class);
    }

    @Test
    void shouldGiveEachThreadDifferentIds() throws Exception {
        PreparedStatement prepared = session.prepare("INSERT INTO raced (qty) VALUES (?)");
        Set<Long> ids = ConcurrentHashMap.newKeySet();
        int threads = 8;
        int each = 100;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<Void>> running = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                running.add(pool.submit((Callable<Void>) () -> {
                    for (int i = 0; i < each; i++) {
                        ids.add(only(GeneratedKeys.of(session.execute(prepared.bind(i)))));
                    }
                    return null;
                }));
            }
            for (Future<Void> one : running) {
                one.get(60, TimeUnit.SECONDS);
            }
        } finally {
            pool.shutdownNow();
        }

        assertThat(ids).hasSize(threads * each);
        assertThat(plain.execute("SELECT count(*) FROM raced").one().getLong(0)).isEqualTo((long) threads * each);
    }

    // ---- refusals

    @Test
    void shouldRefuseAnUnregisteredTableWithTheCommandThatRegistersIt() {
        for (Runnable insert : List.<Runnable>of(
                () -> session.execute("INSERT INTO unregistered (customer) VALUES ('x')"),
                () -> session.execute("INSERT INTO cql_it.unregistered (customer) VALUES (?)", "x"),
                () -> session.prepare("INSERT INTO unregistered (customer) VALUES (?)"),
                () -> session.execute(BatchStatement.newInstance(
                        BatchType.LOGGED,
                        SimpleStatement.newInstance("INSERT INTO unregistered (customer) VALUES ('x')"))))) {
            assertRefused(Reason.NOT_REGISTERED, insert)
                    .withMessageContaining("sequences.registerIdentity(new IdentityColumn(\"cql_it\","
                            + " \"unregistered\", \"id\", \"cql_it.unregistered\"))");
        }
        assertThat(plain.execute("SELECT id FROM unregistered").all()).isEmpty();
    }

    @Test
    void shouldAlsoRefuseAnUnregisteredTableWithoutSchemaMetadata() {
        try (CqlSession other = connect("cql_it")) {
            other.setSchemaMetadataEnabled(false).toCompletableFuture().join();
            // Metadata that was already read stays, so a table is needed that the metadata never contained.
            other.execute("CREATE TABLE late (id int PRIMARY KEY, customer text)");
            IdentitySession blind = IdentitySession.wrap(other, sequences);

            assertRefused(Reason.NOT_REGISTERED, () -> blind.execute("INSERT INTO late (customer) VALUES ('x')"));
            register("late", "id", SequenceSpec.of("cql_it.late", IdentityType.INT, 1, 1));
            assertThat(only(GeneratedKeys.of(blind.execute("INSERT INTO late (customer) VALUES ('x')"))))
                    .isEqualTo(1);
        }
    }

    @Test
    void shouldPassOtherStatementsThrough() {
        session.execute("INSERT INTO passed (id, customer) VALUES (5, 'x')");
        session.execute("INSERT INTO by_name JSON '{\"name\": \"j\"}'");
        PreparedStatement select = session.prepare("SELECT customer FROM passed WHERE id = ?");
        ResultSet result = session.execute(select.bind(5L));

        assertThat(result.one().getString("customer")).isEqualTo("x");
        assertThat(GeneratedKeys.of(result).isEmpty()).isTrue();
        // Not the same object: the driver's cache of them is weak.
        PreparedStatement ofTheDriver = plain.prepare("SELECT customer FROM passed WHERE id = ?");
        assertThat(select).hasSameClassAs(ofTheDriver);
        assertThat(select.getId()).isEqualTo(ofTheDriver.getId());
        assertThatExceptionOfType(InvalidQueryException.class)
                .isThrownBy(() -> session.execute("INSERT INTO by_name (customer) VALUES ('x')"));
        assertThatThrownBy(() -> session.execute("INSERT INTO nowhere (a) VALUES (1)"))
                .isInstanceOf(InvalidQueryException.class);
    }

    @Test
    void shouldRefuseJsonByName() {
        assertRefused(Reason.JSON, () -> session.execute("INSERT INTO orders JSON '{\"customer\": \"x\"}'"));
        assertRefused(Reason.JSON, () -> session.prepare("INSERT INTO orders JSON ?"));
        PreparedStatement past = plain.prepare("INSERT INTO orders JSON ?");
        assertRefused(Reason.JSON, () -> session.execute(past.bind("{\"id\": 1}")));
    }

    @Test
    void shouldRefuseAResultTypeWithoutKeys() {
        session.execute("INSERT INTO orders (customer) VALUES ('known')");

        assertRefused(
                Reason.RESULT_TYPE,
                () -> session.executeContinuously(
                        SimpleStatement.newInstance("INSERT INTO orders (customer) VALUES ('x')")));
        PreparedStatement prepared = session.prepare("INSERT INTO orders (customer) VALUES (?)");
        assertRefused(Reason.RESULT_TYPE, () -> session.executeContinuously(prepared.bind("x")));
    }

    @Test
    void shouldRefuseAnIdThatDoesNotFitBeforeAnythingIsSent() {
        PreparedStatement prepared = session.prepare("INSERT INTO small (customer) VALUES (?)");

        assertThat(only(GeneratedKeys.of(session.execute(prepared.bind("a"))))).isEqualTo(32767);
        assertRefused(Reason.DOES_NOT_FIT, () -> session.execute(prepared.bind("b")))
                .withMessageContaining("32768")
                .withMessageContaining("cql_it.small.id")
                .withMessageContaining("sequence cql_it.small");
        assertRefused(Reason.DOES_NOT_FIT, () -> session.execute("INSERT INTO small (customer) VALUES ('c')"));
        assertThat(plain.execute("SELECT count(*) FROM small").one().getLong(0)).isEqualTo(1);
    }

    @Test
    void shouldRefuseAColumnThatIsNotAnInteger() {
        assertRefused(Reason.COLUMN_TYPE, () -> session.execute("INSERT INTO textual (customer) VALUES ('x')"));
        assertRefused(Reason.COLUMN_TYPE, () -> session.prepare("INSERT INTO textual (customer) VALUES (?)"));
    }

    @Test
    void shouldAcceptAnExplicitIdOnlyOutsideTheSequence() {
        PreparedStatement prepared = session.prepare("INSERT INTO explicit (id, customer) VALUES (?, ?)");
        PreparedStatement past = plain.prepare("INSERT INTO explicit (id, customer) VALUES (?, ?)");
        PreparedStatement literal = session.prepare("INSERT INTO explicit (id, customer) VALUES (1001, ?)");

        assertThat(GeneratedKeys.of(session.execute("INSERT INTO explicit (id, customer) VALUES (1000, 'a')"))
                        .keys())
                .singleElement()
                .satisfies(key -> assertThat(key.generated()).isFalse())
                .extracting(GeneratedKeys.Key::id)
                .isEqualTo(1000L);
        session.execute("INSERT INTO explicit (id, customer) VALUES (?, ?)", -5, "b");
        session.execute(prepared.bind(999, "c"));
        for (Runnable insert : List.<Runnable>of(
                () -> session.execute("INSERT INTO explicit (id, customer) VALUES (1001, 'x')"),
                () -> session.execute("INSERT INTO explicit (id, customer) VALUES ((int) 1001, 'x')"),
                () -> session.execute("INSERT INTO explicit (id, customer) VALUES (?, ?)", 1001, "x"),
                () -> session.execute(
                        "INSERT INTO explicit (id, customer) VALUES (:id, :c)", Map.of("id", 1001, "c", "x")),
                () -> session.execute(prepared.bind(1001, "x")),
                () -> session.execute(past.bind(1001, "x")),
                () -> session.execute(literal.bind("x")),
                () -> session.execute(BatchStatement.newInstance(BatchType.LOGGED, prepared.bind(1001, "x"))))) {
            assertRefused(Reason.EXPLICIT_ID, insert)
                    .withMessageContaining("id 1001")
                    .withMessageContaining("sequence cql_it.explicit")
                    .withMessageContaining("sequences.admin().advancePast(\"cql_it.explicit\", 1001)");
        }
        assertRefused(
                Reason.ID_EXPRESSION,
                () -> session.execute("INSERT INTO explicit (id, customer) VALUES ((int) 5 + 1, 'x')"));
        assertThat(plain.execute("SELECT id FROM explicit").all().stream()
                        .map(row -> row.getInt(0))
                        .collect(Collectors.toSet()))
                .containsExactlyInAnyOrder(1000, -5, 999);

        sequences.admin().advancePast("cql_it.explicit", 5000);
        session.execute("INSERT INTO explicit (id, customer) VALUES (5000, 'd')");
        assertThat(only(GeneratedKeys.of(session.execute("INSERT INTO explicit (customer) VALUES ('e')"))))
                .isGreaterThan(5000);
    }

    /** Each way in which an insert names an id. */
    private static Map<String, IntConsumer> waysToName(IdentitySession session, String table) {
        String values = "INSERT INTO " + table + " (id, customer) VALUES ";
        PreparedStatement prepared = session.prepare(values + "(?, ?)");
        PreparedStatement named = session.prepare(values + "(:id, :c)");
        PreparedStatement past = plain.prepare(values + "(?, ?)");
        PreparedStatement built = session.prepare(insertInto(table)
                .value("id", bindMarker())
                .value("customer", bindMarker())
                .build());
        Map<String, IntConsumer> ways = new LinkedHashMap<>();
        ways.put("literal", id -> session.execute(values + "(" + id + ", 'x')"));
        ways.put("position", id -> session.execute(values + "(?, ?)", id, "x"));
        ways.put("name", id -> session.execute(values + "(:id, :c)", Map.of("id", id, "c", "x")));
        ways.put("prepared", id -> session.execute(prepared.bind(id, "x")));
        ways.put(
                "prepared name",
                id -> session.execute(named.boundStatementBuilder()
                        .setInt("id", id)
                        .setString("c", "x")
                        .build()));
        ways.put("prepared past the session", id -> session.execute(past.bind(id, "x")));
        ways.put(
                "prepared literal",
                id -> session.execute(
                        session.prepare(values + "(" + id + ", ?)").bind("x")));
        ways.put(
                "prepared literals",
                id -> session.execute(
                        session.prepare(values + "(" + id + ", 'x')").bind()));
        ways.put("query builder", id -> session.execute(built.bind(id, "x")));
        ways.put(
                "query builder's literal",
                id -> session.execute(insertInto(table)
                        .value("id", literal(id))
                        .value("customer", literal("x"))
                        .build()));
        ways.put("asynchronous", id -> {
            try {
                session.executeAsync(prepared.bind(id, "x"))
                        .toCompletableFuture()
                        .join();
            } catch (CompletionException e) {
                throw (RuntimeException) e.getCause();
            }
        });
        ways.put("reactive", id -> Flux.from(session.executeReactive(prepared.bind(id, "x")))
                .blockLast());
        ways.put(
                "batch",
                id -> session.execute(BatchStatement.newInstance(
                        BatchType.LOGGED,
                        prepared.bind(id, "x"),
                        SimpleStatement.newInstance("UPDATE " + table + " SET qty = 1 WHERE id = ?", id))));
        ways.put(
                "batch of texts",
                id -> session.execute(BatchStatement.newInstance(
                        BatchType.UNLOGGED, SimpleStatement.newInstance(values + "(?, ?)", id, "x"))));
        return ways;
    }

    @Test
    void shouldAcceptAnIdThatItsAllocatorHasIssued() {
        IdAllocator allocator = sequences.allocator("cql_it.drawn");
        Set<Integer> inserted = new HashSet<>();
        waysToName(session, "drawn").forEach((way, insert) -> {
            int id = allocator.nextInt();
            insert.accept(id);
            inserted.add(id);
            int next = id + 1;
            assertRefused(Reason.EXPLICIT_ID, () -> insert.accept(next))
                    .as("%s: an id that it will issue", way)
                    .withMessageContaining("id " + next)
                    .withMessageContaining("for a row that exists use UPDATE (@Update, template.update, @Version)");
            assertRefused(Reason.EXPLICIT_ID, () -> insert.accept(1_000_000)).as(way);
        });
        int filled = (int) only(GeneratedKeys.of(session.execute("INSERT INTO drawn (customer) VALUES ('y')")));
        inserted.add(filled);
        session.execute("INSERT INTO drawn (id, customer) VALUES (?, 'y')", filled);

        assertThat(plain.execute("SELECT id FROM drawn").all().stream()
                        .map(row -> row.getInt(0))
                        .collect(Collectors.toSet()))
                .isEqualTo(inserted);
    }

    @Test
    void shouldReportAnIssuedIdAsExplicit() {
        int id = sequences.allocator("cql_it.drawn").nextInt();

        GeneratedKeys keys = GeneratedKeys.of(session.execute("INSERT INTO drawn (id, customer) VALUES (?, 'z')", id));

        assertThat(keys.keys()).singleElement().satisfies(key -> {
            assertThat(key.id()).isEqualTo(id);
            assertThat(key.generated()).isFalse();
        });
        plain.execute("DELETE FROM drawn WHERE id = ?", id);
    }

    @Test
    void shouldRefuseTheIssuedIdOfAnotherSequence() {
        int id;
        do {
            id = sequences.allocator("cql_it.drawn").nextInt();
        } while (sequences.hasIssued("cql_it.refused", id));
        int other = id;

        assertRefused(
                Reason.EXPLICIT_ID, () -> session.execute("INSERT INTO refused (id, customer) VALUES (?, 'x')", other));
    }

    @Test
    void shouldRefuseAnIdThatAnotherInstanceHasIssued() {
        try (Sequences other = Sequences.open(plain, CONFIG)) {
            int id = other.allocator("cql_it.drawn").nextInt();

            assertRefused(
                    Reason.EXPLICIT_ID, () -> session.execute("INSERT INTO drawn (id, customer) VALUES (?, 'x')", id));
        }
    }

    @Test
    void shouldRefuseEveryExplicitIdIfRequested() {
        IdentitySession refusing = IdentitySession.wrap(plain, sequences, ExplicitIds.REFUSE);
        int id = sequences.allocator("cql_it.refused").nextInt();

        waysToName(refusing, "refused")
                .forEach((way, insert) -> assertRefused(Reason.EXPLICIT_ID, () -> insert.accept(id))
                        .as(way));
        refusing.execute("INSERT INTO refused (id, customer) VALUES (1000, 'x')");
        assertThat(plain.execute("SELECT id FROM refused").all()).hasSize(1);
    }

    @Test
    void shouldPassEveryExplicitIdIfRequested() {
        IdentitySession passing = IdentitySession.wrap(session, CONFIG, ExplicitIds.PASS);
        assertThat(passing.sequences()).isSameAs(sequences);
        Set<Integer> inserted = new HashSet<>();
        waysToName(passing, "passing").forEach((way, insert) -> {
            int id = 2_000_000 + inserted.size();
            insert.accept(id);
            inserted.add(id);
        });

        assertThat(plain.execute("SELECT id FROM passing").all().stream()
                        .map(row -> row.getInt(0))
                        .collect(Collectors.toSet()))
                .isEqualTo(inserted);
        assertRefused(
                Reason.DOES_NOT_FIT,
                () -> passing.execute("INSERT INTO passing (id, customer) VALUES (3000000000, 'x')"));
    }

    @Test
    void shouldAcceptAnIssuedIdOfATimeOrderedSequence() {
        IdAllocator timed = sequences.allocator("cql_it.timed");
        long id = timed.nextLong();
        long milli = 1L << SnowflakeSpec.LOW_BITS;

        session.execute("INSERT INTO timed (id, customer) VALUES (?, 'now')", id);
        for (long other : new long[] {id + 3_600_000 * milli, id ^ (1L << 20), 1}) {
            assertRefused(
                    Reason.EXPLICIT_ID,
                    () -> session.execute("INSERT INTO timed (id, customer) VALUES (?, 'x')", other));
        }
        SnowflakeSequencer sequencer = (SnowflakeSequencer) timed;
        sequencer.detach();
        session.execute("INSERT INTO timed (id, customer) VALUES (?, 'later')", id);
        sequencer.attach();
        session.execute("INSERT INTO timed (id, customer) VALUES (?, 'again')", id);
        session.execute("INSERT INTO timed (id, customer) VALUES (?, 'next')", timed.nextLong());
        assertThat(plain.execute("SELECT customer FROM timed WHERE id = ?", id)
                        .one()
                        .getString(0))
                .isEqualTo("again");
    }

    /** A bound statement without variables does not say which keyspace it belongs to; another session may have prepared it. */
    @Test
    void shouldCheckALiteralIdInTheKeyspaceOfItsPreparation() {
        try (CqlSession nowhere = connect(null);
                Sequences own = Sequences.open(nowhere, CONFIG)) {
            IdentitySession elsewhere = IdentitySession.wrap(nowhere, own);
            for (IdentitySession preparing : List.of(elsewhere, elsewhere.withExplicitIds(ExplicitIds.PASS), session)) {
                PreparedStatement refused = preparing.prepare(
                        SimpleStatement.newInstance("INSERT INTO explicit (id, customer) VALUES (1000000, 'x')")
                                .setKeyspace("cql_it"));
                assertThat(refused.getQuery()).isEqualTo("INSERT INTO explicit (id, customer) VALUES (1000000, 'x')");
                assertRefused(Reason.EXPLICIT_ID, () -> elsewhere.execute(refused.bind()));
                assertRefused(
                        Reason.EXPLICIT_ID,
                        () -> elsewhere.execute(
                                BatchStatement.newInstance(DefaultBatchType.LOGGED, refused.bind(), refused.bind())));
                GeneratedKeys keys = GeneratedKeys.of(elsewhere.execute(preparing
                        .prepare(SimpleStatement.newInstance("INSERT INTO explicit (id, customer) VALUES (-77, 'x')")
                                .setKeyspace("cql_it"))
                        .bind()));
                assertThat(only(keys)).isEqualTo(-77);
                assertThat(plain.execute("SELECT id FROM explicit WHERE id IN (-77, 1000000)")
                                .all())
                        .singleElement()
                        .returns(-77, row -> row.getInt(0));
                plain.execute("DELETE FROM explicit WHERE id = -77");
            }
        }
    }

    @Test
    void shouldAdviseOnlyRemediesThatHelp() {
        assertRefused(
                        Reason.EXPLICIT_ID,
                        () -> session.execute("INSERT INTO big (tenant, id, customer) VALUES ('t', -9000000000, 'x')"))
                .withMessageContaining("past the bound of sequence cql_it.big, -5000000000")
                .withMessageNotContaining("advancePast");
        assertRefused(Reason.EXPLICIT_ID, () -> session.execute("INSERT INTO timed (id, customer) VALUES (123, 'x')"))
                .withMessageContaining("leave the column out")
                .withMessageNotContaining("advancePast");
    }

    @Test
    void shouldAcceptABackfillUntilTheSequenceIsSeeded() {
        sequences.admin().register(SequenceSpec.of("cql_it.backfilled", IdentityType.INT, 1, 1));
        sequences.registerIdentity(new IdentityColumn("cql_it", "backfilled", "id", "cql_it.backfilled"));

        session.execute("INSERT INTO backfilled (id, customer) VALUES (41, 'old')");
        assertThatExceptionOfType(SequenceException.NotReady.class)
                .isThrownBy(() -> session.execute("INSERT INTO backfilled (customer) VALUES ('x')"));

        sequences.admin().seed("cql_it.backfilled", 42);
        assertRefused(
                Reason.EXPLICIT_ID, () -> session.execute("INSERT INTO backfilled (id, customer) VALUES (42, 'x')"));
        session.execute("INSERT INTO backfilled (id, customer) VALUES (40, 'late')");
        assertThat(only(GeneratedKeys.of(session.execute("INSERT INTO backfilled (customer) VALUES ('new')"))))
                .isEqualTo(42);
    }

    // ---- the session itself

    @Test
    void shouldWrapOnce() {
        assertThat(IdentitySession.wrap(session)).isSameAs(session);
        assertThat(IdentitySession.wrap(session, sequences)).isSameAs(session);
    }

    @Test
    void shouldBuildWithTheDriversOptions() {
        EmbeddedCassandra node = SharedNode.get();
        IdentitySession built = IdentitySession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withKeyspace("cql_it")
                .withSequences(CONFIG)
                .withExplicitIds(ExplicitIds.PASS)
                .build();
        built.execute("INSERT INTO passing (id, customer) VALUES (1500000, 'x')");
        plain.execute("DELETE FROM passing WHERE id = 1500000");
        long id = only(GeneratedKeys.of(built.execute("INSERT INTO orders (customer) VALUES ('Xia')")));
        built.close();

        assertThat(customer(id)).isEqualTo("Xia");
        assertThat(built.isClosed()).isTrue();
        assertThatThrownBy(() -> built.sequences().allocator("cql_it.orders").nextLong())
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldSayThatTheSchemaIsMissing() {
        EmbeddedCassandra node = SharedNode.get();

        assertThatExceptionOfType(SequenceException.SchemaMissing.class)
                .isThrownBy(() -> IdentitySession.builder()
                        .addContactPoint(node.contactPoint())
                        .withLocalDatacenter(node.localDatacenter())
                        .withSequences(CONFIG.withGlobalKeyspace("no_such_ids"))
                        .build())
                .withMessageContaining("CassidySchema.install(session, Replication.parse(\"");
    }

    @Test
    void shouldReturnTheIdentityOfATable() throws Exception {
        assertThat(get(session.catalog().find(null, "orders")))
                .hasValueSatisfying(identity -> assertThat(identity.column()).isEqualTo("id"));
        assertThat(get(session.catalog().find("cql_it", "by_name"))).isEmpty();
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static ThrowableAssertAlternative<IdentityInsertException> assertRefused(Reason reason, Runnable action) {
        return assertThatExceptionOfType(IdentityInsertException.class)
                .isThrownBy(action::run)
                .satisfies(e -> assertThat(e.reason()).isEqualTo(reason));
    }
}
