package dev.cassidy.cql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.cassidy.SharedNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;

/** Rows whose ids were written to before they were issued. */
class FreshRowsIT {

    private static final SequencesConfig CONFIG = SequencesConfig.defaults().withGlobalKeyspace("fresh_it_ids");
    private static final int GHOSTS = 150;

    private static CqlSession plain;
    private static Sequences sequences;
    private static IdentitySession clean;

    @BeforeAll
    static void open() {
        plain = connect("com.datastax.oss.driver.internal.core.time.AtomicTimestampGenerator");
        CassidySchema.install(plain, Replication.parse("dc1:1"), CONFIG);
        plain.execute(
                "CREATE KEYSPACE fresh_it WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        plain.execute("USE fresh_it");
        plain.execute("CREATE TABLE orders (id int PRIMARY KEY, name text, qty int, tags map<text, text>)");
        plain.execute("CREATE TABLE lines (tenant text, place int, id bigint, name text, qty int, about text static,"
                + " PRIMARY KEY ((tenant, place), id))");
        plain.execute("CREATE TABLE named (name text PRIMARY KEY, id int, about text, qty int)");
        plain.execute("CREATE TABLE keyed (id int, k uuid, name text, PRIMARY KEY (id, k))");
        sequences = Sequences.open(plain, CONFIG);
        register("orders", IdentityType.INT);
        register("lines", IdentityType.BIGINT);
        register("named", IdentityType.INT);
        register("keyed", IdentityType.INT);
        clean = IdentitySession.wrap(plain, sequences).withFreshRows(FreshRows.CLEAN);
        for (int id = 1001; id < 1001 + GHOSTS; id++) {
            plain.execute("UPDATE orders SET name = 'ghost', qty = 13, tags = {'ghost': 'x'} WHERE id = " + id);
            plain.execute("UPDATE lines SET name = 'ghost', qty = 13 WHERE tenant = 'a' AND place = 1 AND id = " + id);
        }
    }

    private static void register(String table, IdentityType type) {
        sequences.create(SequenceSpec.of("fresh_it." + table, type, 1001, 1));
        sequences.registerIdentity(new IdentityColumn("fresh_it", table, "id", "fresh_it." + table));
    }

    private static CqlSession connect(String timestamps) {
        EmbeddedCassandra node = SharedNode.get();
        return CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .withString(DefaultDriverOption.TIMESTAMP_GENERATOR_CLASS, timestamps)
                        .build())
                .build();
    }

    @AfterAll
    static void close() {
        clean.close();
        sequences.close();
    }

    private static long only(GeneratedKeys keys) {
        assertThat(keys.keys()).hasSize(1);
        assertThat(keys.keys().get(0).generated()).isTrue();
        long id = keys.ids().get(0);
        assertThat(id).as("of the ids that were written to").isBetween(1001L, 1000L + GHOSTS);
        return id;
    }

    private static Row order(long id) {
        Row row = plain.execute(
                        "SELECT name, qty, tags, writetime(qty) AS at, ttl(qty) AS ttl FROM orders WHERE id = ?",
                        (int) id)
                .one();
        assertThat(row).as("order %s", id).isNotNull();
        return row;
    }

    /** Expects a row that was inserted with {@code qty} 7 and nothing else. */
    private static void assertClean(GeneratedKeys keys) {
        Row row = order(only(keys));
        assertThat(row.getInt("qty")).isEqualTo(7);
        assertThat(row.getString("name")).isNull();
        assertThat(row.getMap("tags", String.class, String.class)).isEmpty();
    }

    private static void assertClean(ResultSet result) {
        assertThat(result.wasApplied()).isTrue();
        assertClean(GeneratedKeys.of(result));
    }

    @Test
    void shouldShowTheGhostInAPlainRow() {
        IdentitySession ordinary = IdentitySession.wrap(plain, sequences);

        Row row = order(only(GeneratedKeys.of(ordinary.execute("INSERT INTO orders (qty) VALUES (7)"))));

        assertThat(row.getString("name")).isEqualTo("ghost");
        assertThat(row.getMap("tags", String.class, String.class)).containsKey("ghost");
    }

    @Test
    void shouldClearARowOfASimpleStatement() throws Exception {
        assertClean(clean.execute("INSERT INTO orders (qty) VALUES (7)"));
        assertClean(clean.execute("INSERT INTO fresh_it.orders (qty, id) VALUES (7, NULL); -- done"));
        assertClean(clean.execute("INSERT INTO orders (qty) VALUES (?)", 7));
        assertClean(clean.execute("INSERT INTO orders (qty, id) VALUES (?, ?)", 7, null));
        assertClean(clean.execute("INSERT INTO orders (qty) VALUES (:qty)", Map.of("qty", 7)));
        assertClean(clean.execute(SimpleStatement.newInstance("INSERT INTO orders (qty) VALUES (7)")
                .setKeyspace("fresh_it")));
        assertClean(GeneratedKeys.of(clean.executeAsync("INSERT INTO orders (qty) VALUES (7)")
                .toCompletableFuture()
                .get()));
        var reactive = clean.executeReactive("INSERT INTO orders (qty) VALUES (7)");
        Flux.from(reactive).blockLast();
        assertClean(GeneratedKeys.of(reactive).toCompletableFuture().get());
    }

    @Test
    void shouldClearARowOfABoundStatement() throws Exception {
        PreparedStatement omitted = clean.prepare("INSERT INTO orders (qty, name) VALUES (?, ?)");
        assertClean(clean.execute(omitted.bind(7)));
        assertClean(clean.execute(omitted.bind(7, null)));
        assertClean(GeneratedKeys.of(
                clean.executeAsync(omitted.bind(7)).toCompletableFuture().get()));
        assertClean(clean.execute(clean.prepare("INSERT INTO orders (id, qty) VALUES (NULL, :qty)")
                .bind(7)));
        assertClean(clean.execute(
                clean.prepare("INSERT INTO orders (id, qty) VALUES (?, ?)").bind(null, 7)));
        assertClean(clean.execute(
                plain.prepare("INSERT INTO orders (qty, id) VALUES (?, ?)").bind(7)));
    }

    @Test
    void shouldFindTheTableOfAStatementPreparedInAnotherKeyspace() {
        plain.execute(
                "CREATE KEYSPACE fresh_it_other WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        plain.execute("CREATE TABLE fresh_it_other.orders (id int PRIMARY KEY, name text, qty int)");
        sequences.create(SequenceSpec.of("fresh_it_other.orders", IdentityType.INT, 1, 1));
        sequences.registerIdentity(new IdentityColumn("fresh_it_other", "orders", "id", "fresh_it_other.orders"));
        plain.execute("UPDATE fresh_it_other.orders SET name = 'ghost' WHERE id = 1");
        PreparedStatement prepared =
                plain.prepare(SimpleStatement.newInstance("INSERT INTO orders (id, qty) VALUES (?, ?)")
                        .setKeyspace("fresh_it_other"));

        assertThat(GeneratedKeys.of(clean.execute(prepared.bind(null, 7))).ids())
                .containsExactly(1L);

        assertThat(plain.execute("SELECT name, qty FROM fresh_it_other.orders WHERE id = 1")
                        .one()
                        .getFormattedContents())
                .isEqualTo("[name:NULL, qty:7]");
    }

    @Test
    void shouldClearEachRowOfABatch() {
        PreparedStatement omitted = clean.prepare("INSERT INTO orders (qty) VALUES (?)");
        PreparedStatement given = clean.prepare("INSERT INTO orders (qty, id) VALUES (?, ?)");
        for (DefaultBatchType type : List.of(DefaultBatchType.LOGGED, DefaultBatchType.UNLOGGED)) {
            ResultSet result = clean.execute(BatchStatement.newInstance(
                            type,
                            omitted.bind(7),
                            given.bind(7),
                            SimpleStatement.newInstance("INSERT INTO orders (qty) VALUES (7)"),
                            SimpleStatement.newInstance("INSERT INTO orders (qty, id) VALUES (?, ?)", 7, null),
                            SimpleStatement.newInstance("INSERT INTO orders (id, name) VALUES (5, 'explicit')"))
                    .setKeyspace(CqlIdentifier.fromCql("fresh_it")));

            GeneratedKeys keys = GeneratedKeys.of(result);
            assertThat(keys.keys()).hasSize(5);
            keys.keys().subList(0, 4).forEach(key -> assertClean(new GeneratedKeys(List.of(key))));
        }
    }

    @ParameterizedTest
    @EnumSource(FreshRows.class)
    void shouldKeepTheTimestampOfABatch(FreshRows rows) {
        BatchStatement batch = BatchStatement.newInstance(
                        DefaultBatchType.LOGGED, SimpleStatement.newInstance("INSERT INTO orders (qty) VALUES (7)"))
                .setQueryTimestamp(Long.MAX_VALUE / 1_000);

        GeneratedKeys keys = GeneratedKeys.of(clean.withFreshRows(rows).execute(batch));

        assertThat(order(only(keys)).getLong("at")).isEqualTo(Long.MAX_VALUE / 1_000);
    }

    /** Leaves the batch out for values by name, which the driver refuses in batches. */
    private static List<Statement<?>> aloneAndInABatch(Statement<?> insert, long timestamp) {
        return insert instanceof SimpleStatement simple
                        && !simple.getNamedValues().isEmpty()
                ? List.of(insert)
                : List.of(
                        insert,
                        BatchStatement.newInstance(DefaultBatchType.LOGGED, (BatchableStatement<?>) insert)
                                .setQueryTimestamp(timestamp));
    }

    @Test
    void shouldDeleteOneMicrosecondBeforeTheInsert() {
        long later = System.currentTimeMillis() * 1_000 + 3_600_000_000L;
        List<Statement<?>> inserts = List.of(
                SimpleStatement.newInstance("INSERT INTO orders (qty) VALUES (7) USING TIMESTAMP " + later),
                SimpleStatement.newInstance("INSERT INTO orders (qty) VALUES (?) USING TIMESTAMP ?", 7, later),
                SimpleStatement.newInstance(
                        "INSERT INTO orders (qty) VALUES (:q) USING TIMESTAMP :t", Map.of("q", 7, "t", later)),
                SimpleStatement.newInstance("INSERT INTO orders (qty) VALUES (7)")
                        .setQueryTimestamp(later),
                clean.prepare("INSERT INTO orders (qty) VALUES (7) USING TIMESTAMP " + later)
                        .bind(),
                clean.prepare("INSERT INTO orders (qty) VALUES (?) USING TIMESTAMP ?")
                        .bind(7, later),
                clean.prepare("INSERT INTO orders (qty) VALUES (?) USING TIMESTAMP ?")
                        .bind(7)
                        .setQueryTimestamp(later),
                clean.prepare("INSERT INTO orders (qty) VALUES (?)").bind(7).setQueryTimestamp(later));
        for (Statement<?> insert : inserts) {
            for (Statement<?> sent : aloneAndInABatch(insert, later)) {
                long id = only(GeneratedKeys.of(clean.execute(sent)));
                assertThat(order(id).getLong("at")).isEqualTo(later);
                assertThat(order(id).getString("name")).isNull();
                // The deletion hides cells as old as itself, and no later ones.
                plain.execute("UPDATE orders USING TIMESTAMP " + (later - 1) + " SET name = 'before' WHERE id = " + id);
                assertThat(order(id).getString("name")).isNull();
                plain.execute("UPDATE orders USING TIMESTAMP " + later + " SET name = 'after' WHERE id = " + id);
                assertThat(order(id).getString("name")).isEqualTo("after");
            }
        }
    }

    @Test
    void shouldSendAPlainInsertIfTheTimestampIsUnknown() {
        // The value has eight bytes, which the server reads as microseconds.
        SimpleStatement odd = SimpleStatement.newInstance(
                "INSERT INTO orders (qty) VALUES (?) USING TIMESTAMP ?", 7, java.time.Instant.ofEpochMilli(5));

        Row row = order(only(GeneratedKeys.of(clean.execute(odd))));

        assertThat(row.getString("name")).isEqualTo("ghost");
    }

    @Test
    void shouldKeepTheTimeToLive() {
        Row literal =
                order(only(GeneratedKeys.of(clean.execute("INSERT INTO orders (qty) VALUES (7) USING TTL 5000"))));
        Row bound = order(only(GeneratedKeys.of(clean.execute(
                clean.prepare("INSERT INTO orders (qty) VALUES (?) USING TTL ?").bind(7, 5000)))));

        for (Row row : List.of(literal, bound)) {
            assertThat(row.getInt("ttl")).isBetween(4000, 5000);
            assertThat(row.getString("name")).isNull();
        }
    }

    @Test
    void shouldDeleteByTheWholeKey() {
        plain.execute("INSERT INTO lines (tenant, place, about) VALUES ('a', 1, 'of the partition')");
        plain.execute("INSERT INTO lines (tenant, place, id, name) VALUES ('a', 1, 1, 'neighbour')");
        List<Statement<?>> inserts = List.of(
                SimpleStatement.newInstance("INSERT INTO lines (tenant, place, qty) VALUES ('a', 1, 7)"),
                SimpleStatement.newInstance("INSERT INTO lines (qty, place, tenant) VALUES (?, ?, ?)", 7, 1, "a"),
                SimpleStatement.newInstance("INSERT INTO lines (qty, place, tenant) VALUES (?, 1, ?)", 7, "a"),
                SimpleStatement.newInstance(
                        "INSERT INTO lines (qty, place, tenant) VALUES (:q, :p, ?)",
                        Map.of("q", 7, "p", 1, "tenant", "a")),
                clean.prepare("INSERT INTO lines (qty, place, tenant) VALUES (?, ?, ?)")
                        .bind(7, 1, "a"),
                clean.prepare("INSERT INTO lines (qty, id, place, tenant) VALUES (:q, NULL, :p, 'a')")
                        .bind(7, 1),
                clean.prepare("INSERT INTO lines (id, qty, place, tenant) VALUES (?, ?, ?, ?)")
                        .bind(null, 7, 1, "a"));
        for (Statement<?> insert : inserts) {
            for (Statement<?> sent : aloneAndInABatch(insert, Statement.NO_DEFAULT_TIMESTAMP)) {
                long id = only(GeneratedKeys.of(clean.execute(sent)));
                Row row = plain.execute(
                                "SELECT name, qty, about FROM lines WHERE tenant = 'a' AND place = 1 AND id = ?", id)
                        .one();
                assertThat(row.getFormattedContents()).isEqualTo("[name:NULL, qty:7, about:'of the partition']");
            }
        }
        assertThat(plain.execute("SELECT name FROM lines WHERE tenant = 'a' AND place = 1 AND id = 1")
                        .one()
                        .getString(0))
                .isEqualTo("neighbour");
    }

    @Test
    void shouldLeaveExplicitIdsAlone() {
        plain.execute("INSERT INTO orders (id, name) VALUES (8, 'there')");
        PreparedStatement prepared = clean.prepare("INSERT INTO orders (id, qty) VALUES (?, ?)");

        clean.execute("INSERT INTO orders (id, qty) VALUES (8, 7)");
        clean.execute(prepared.bind(8, 7));
        clean.execute(BatchStatement.newInstance(DefaultBatchType.LOGGED, prepared.bind(8, 7)));

        assertThat(order(8).getString("name")).isEqualTo("there");
    }

    @Test
    void shouldNotClearARowThatIsNotFoundByItsId() {
        plain.execute("INSERT INTO named (name, id, about) VALUES ('a', 1, 'there')");

        clean.execute("INSERT INTO named (name, qty) VALUES ('a', 7)");
        clean.execute(clean.prepare("INSERT INTO named (name, qty, id) VALUES (?, ?, ?)")
                .bind("a", 7));

        assertThat(plain.execute("SELECT about FROM named WHERE name = 'a'")
                        .one()
                        .getString(0))
                .isEqualTo("there");
    }

    @Test
    void shouldInsertEvenIfNoDeletionCanBeSent() {
        ResultSet conditional =
                clean.execute("INSERT INTO keyed (k, name) VALUES (" + UUID.randomUUID() + ", 'x') IF NOT EXISTS");
        ResultSet expression = clean.execute("INSERT INTO keyed (k, name) VALUES (uuid(), 'x')");

        assertThat(conditional.wasApplied()).isTrue();
        assertThat(GeneratedKeys.of(conditional).ids()).hasSize(1);
        assertThat(GeneratedKeys.of(expression).ids()).hasSize(1);
        assertThat(clean.execute("INSERT INTO orders (qty) VALUES (7) IF NOT EXISTS")
                        .wasApplied())
                .as("an insert of a row that has cells, and is none")
                .isFalse();
    }

    @Test
    void shouldSendAConditionalBatchUnchanged() {
        plain.execute("INSERT INTO lines (tenant, place, id, name) VALUES ('b', 1, 1, 'neighbour')");
        PreparedStatement omitted = clean.prepare("INSERT INTO lines (tenant, place, qty) VALUES ('b', 1, ?)");
        PreparedStatement prepared =
                clean.prepare("UPDATE lines SET qty = 1 WHERE tenant = 'b' AND place = 1 AND id = 1 IF name = ?");
        List<BatchableStatement<?>> conditions = List.of(
                SimpleStatement.newInstance(
                        "UPDATE lines SET qty = 1 WHERE tenant = 'b' AND place = 1 AND id = 1 IF name = 'neighbour'"),
                prepared.bind("neighbour"));
        for (BatchableStatement<?> condition : conditions) {
            // The client's clock is ahead of the node's: a deletion with that time would hide the row.
            ResultSet result =
                    clean.execute(BatchStatement.newInstance(DefaultBatchType.LOGGED, omitted.bind(7), condition)
                            .setQueryTimestamp(Long.MAX_VALUE / 1_000));

            assertThat(result.wasApplied()).isTrue();
            assertThat(plain.execute(
                                    "SELECT qty FROM lines WHERE tenant = 'b' AND place = 1 AND id = ?",
                                    only(GeneratedKeys.of(result)))
                            .one())
                    .isNotNull();
        }
    }

    @Test
    void shouldClearARowOfAKeyWithAUuid() {
        UUID key = UUID.randomUUID();
        for (int id = 1001; id < 1011; id++) {
            plain.execute("UPDATE keyed SET name = 'ghost' WHERE id = " + id + " AND k = " + key);
        }

        long id = only(GeneratedKeys.of(clean.execute("INSERT INTO keyed (k) VALUES (" + key + ")")));

        assertThat(id).isLessThan(1011);
        assertThat(plain.execute("SELECT name FROM keyed WHERE id = " + id)
                        .one()
                        .isNull(0))
                .isTrue();
    }

    private static String text(Statement<?> statement) {
        return statement instanceof BoundStatement bound
                ? bound.getPreparedStatement().getQuery()
                : ((SimpleStatement) statement).getQuery();
    }

    @Test
    void shouldSendOneStatementForOnePartition() {
        BoundStatement bound = clean.prepare("INSERT INTO orders (qty) VALUES (?)")
                .bind(7)
                .setConsistencyLevel(ConsistencyLevel.ALL)
                .setIdempotent(true)
                .setTracing(true);

        Statement<?> sent = clean.fillAsync(bound).toCompletableFuture().join().statement();

        assertThat(sent).isInstanceOf(BoundStatement.class);
        assertThat(((BoundStatement) sent).getPreparedStatement().getPartitionKeyIndices())
                .hasSize(1);
        assertThat(sent.getRoutingKey()).isNotNull();
        assertThat(sent.getRoutingKeyspace()).isEqualTo(CqlIdentifier.fromCql("fresh_it"));
        assertThat(sent.getConsistencyLevel()).isEqualTo(ConsistencyLevel.ALL);
        assertThat(sent.isIdempotent()).isTrue();
        assertThat(sent.isTracing()).isTrue();
    }

    @Test
    void shouldLeaveTheTimestampOfADeferredStatementToItsSender() {
        IdentitySession.Held bound = clean.holdAsync(
                        clean.prepare("INSERT INTO orders (qty) VALUES (?) USING TIMESTAMP ?")
                                .bind(7))
                .toCompletableFuture()
                .join();
        IdentitySession.Held simple = clean.holdAsync(
                        SimpleStatement.newInstance("INSERT INTO orders (qty) VALUES (7)"))
                .toCompletableFuture()
                .join();
        IdentitySession.Held stamped = clean.holdAsync(
                        SimpleStatement.newInstance("INSERT INTO orders (qty) VALUES (7) USING TIMESTAMP 50"))
                .toCompletableFuture()
                .join();

        BoundStatement deletion = (BoundStatement) bound.deletion().orElseThrow();
        assertThat(deletion.isSet("[timestamp]")).isFalse();
        assertThat(deletion.getInt("id")).isEqualTo((int) only(bound.keys()));
        assertThat(text(simple)).isEqualTo("DELETE FROM fresh_it.orders WHERE id = " + only(simple.keys()));
        assertThat(text(stamped))
                .isEqualTo("DELETE FROM fresh_it.orders USING TIMESTAMP 49 WHERE id = " + only(stamped.keys()));
        assertThat(clean.holdAsync(SimpleStatement.newInstance("INSERT INTO orders (id, qty) VALUES (8, 7)"))
                        .toCompletableFuture()
                        .join()
                        .deletion())
                .isEqualTo(Optional.empty());
    }

    private static String text(IdentitySession.Held held) {
        return ((SimpleStatement) held.deletion().orElseThrow()).getQuery();
    }

    @Test
    void shouldRefuseTimestampsOfTheServer() {
        try (CqlSession other = connect("com.datastax.oss.driver.internal.core.time.ServerSideTimestampGenerator");
                Sequences own = Sequences.open(other, CONFIG)) {
            IdentitySession ordinary = IdentitySession.wrap(other, own);

            assertThatThrownBy(() -> ordinary.withFreshRows(FreshRows.CLEAN))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("advanced.timestamp-generator.class");
        }
    }
}
