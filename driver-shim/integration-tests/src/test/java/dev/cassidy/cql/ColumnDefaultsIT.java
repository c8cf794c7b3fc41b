package dev.cassidy.cql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.cassidy.SharedNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.ColumnDefault.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Defaults of columns, as IdentitySession fills them in and as the processes of a cluster learn of them. */
class ColumnDefaultsIT {

    private static final SequencesConfig CONFIG =
            SequencesConfig.defaults().withGlobalKeyspace("defaults_it_ids").withWatchInterval(Duration.ofSeconds(1));

    private static CqlSession plain;
    private static Sequences sequences;
    private static IdentitySession session;

    @BeforeAll
    static void open() {
        try (CqlSession setup = connect(null)) {
            CassidySchema.install(setup, Replication.parse("dc1:1"), CONFIG);
            setup.execute(
                    "CREATE KEYSPACE defaults_cql WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            for (String table : List.of("orders", "later", "named", "refused")) {
                setup.execute("CREATE TABLE defaults_cql." + table
                        + " (id int PRIMARY KEY, name text, state text, at timestamp, code uuid, n bigint)");
            }
            setup.execute("CREATE TABLE defaults_cql.parts (p int, c int, s text STATIC, a int, PRIMARY KEY (p, c))");
            setup.execute("CREATE TABLE defaults_cql.keys (id uuid PRIMARY KEY, name text)");
        }
        plain = connect("defaults_cql");
        sequences = Sequences.open(plain, CONFIG);
        session = IdentitySession.wrap(plain, sequences);
        sequences.create(SequenceSpec.of("defaults_cql.orders", IdentityType.INT, 1, 1));
        sequences.registerIdentity(new IdentityColumn("defaults_cql", "orders", "id", "defaults_cql.orders"));
        sequences.create(SequenceSpec.of("defaults_cql.n", IdentityType.BIGINT, 100, 1));
        register("orders", "state", Kind.CONSTANT, "'new'");
        register("orders", "at", Kind.NOW, "timestamp");
        register("orders", "code", Kind.NEW_ID, "uuid");
        register("orders", "n", Kind.NEXT_VALUE, "defaults_cql.n");
        register("parts", "a", Kind.CONSTANT, "7");
        register("keys", "id", Kind.NEW_ID, "uuid");
        register("refused", "state", Kind.CONSTANT, "'x'");
    }

    private static ColumnDefault given(String table, String column, Kind kind, String value) {
        return new ColumnDefault("defaults_cql", table, column, "df_" + column, kind, value, "(" + value + ")");
    }

    private static void register(String table, String column, Kind kind, String value) {
        InternalAccess.tables(sequences).registerDefault(given(table, column, kind, value));
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
        sequences.close();
    }

    private static Row order(String name) {
        return plain.execute("SELECT * FROM orders WHERE name = ? ALLOW FILTERING", name)
                .one();
    }

    private static void requireFilled(String name) {
        Row row = order(name);
        assertThat(row).as(name).isNotNull();
        assertThat(row.getString("state")).as(name).isEqualTo("new");
        assertThat(row.getInstant("at")).as(name).isBetween(Instant.now().minusSeconds(60), Instant.now());
        assertThat(row.getUuid("code")).as(name).isNotNull();
        assertThat(row.getLong("n")).as(name).isGreaterThanOrEqualTo(100);
    }

    @Test
    void shouldFillEveryKindOfStatement() {
        session.execute("INSERT INTO orders (name) VALUES ('literal')");
        session.execute(SimpleStatement.newInstance("INSERT INTO orders (name) VALUES (?)", "positional"));
        session.execute(
                SimpleStatement.newInstance("INSERT INTO orders (name) VALUES (:name)", Map.of("name", "named")));
        session.execute("INSERT INTO orders (id, name) VALUES (null, 'null id')");
        session.executeAsync("INSERT INTO defaults_cql.orders (name) VALUES ('later') USING TTL 600")
                .toCompletableFuture()
                .join();
        PreparedStatement prepared =
                session.prepare("INSERT INTO orders (name) VALUES (?) USING TTL ? AND TIMESTAMP ?");
        assertThat(prepared.getVariableDefinitions().size()).isEqualTo(3);
        session.execute(
                prepared.bind("prepared", 600, 1_000_000L * Instant.now().getEpochSecond()));
        session.execute(session.prepare("INSERT INTO orders (id, name) VALUES (null, ?)")
                .bind("prepared null id"));
        session.execute(
                session.prepare("INSERT INTO orders (name, id) VALUES (?, ?)").bind("explicit", 0));
        session.execute(session.prepare("INSERT INTO orders (name) VALUES ('no variables')")
                .bind());
        PreparedStatement batched = session.prepare("INSERT INTO orders (name) VALUES (?)");
        session.execute(BatchStatement.newInstance(
                BatchType.LOGGED,
                batched.bind("batch 1"),
                SimpleStatement.newInstance("INSERT INTO orders (name) VALUES ('batch 2')"),
                batched.bind("batch 3")));
        for (String name : List.of(
                "literal",
                "positional",
                "named",
                "null id",
                "later",
                "prepared",
                "prepared null id",
                "explicit",
                "no variables",
                "batch 1",
                "batch 2",
                "batch 3")) {
            requireFilled(name);
        }
        assertThat(order("batch 1").getInstant("at"))
                .isEqualTo(order("batch 2").getInstant("at"))
                .isEqualTo(order("batch 3").getInstant("at"));
        assertThat(order("batch 1").getUuid("code"))
                .isNotEqualTo(order("batch 3").getUuid("code"));
        assertThat(order("batch 1").getLong("n")).isNotEqualTo(order("batch 3").getLong("n"));
    }

    @Test
    void shouldLeaveWhatAStatementNames() {
        UUID code = UUID.randomUUID();
        session.execute(session.prepare("INSERT INTO orders (name, state, code, at, n) VALUES (?, ?, ?, ?, ?)")
                .bind("given", null, code, Instant.EPOCH));
        Row row = order("given");
        assertThat(row.isNull("state")).isTrue();
        assertThat(row.getUuid("code")).isEqualTo(code);
        assertThat(row.getInstant("at")).isEqualTo(Instant.EPOCH);
        // Left unset.
        assertThat(row.isNull("n")).isTrue();
        session.execute("UPDATE orders SET state = null WHERE id = " + row.getInt("id"));
        assertThat(order("given").isNull("state")).isTrue();
    }

    @Test
    void shouldMakeKeysAndLeaveStaticColumnsAlone() {
        session.execute("INSERT INTO keys (name) VALUES ('literal')");
        session.execute(session.prepare("INSERT INTO keys (name) VALUES (?)").bind("prepared"));
        assertThat(plain.execute("SELECT id FROM keys").all()).hasSize(2);
        session.execute("INSERT INTO parts (p, s) VALUES (1, 'static')");
        session.execute("INSERT INTO parts (p, c) VALUES (1, 1)");
        assertThat(plain.execute("SELECT c, s, a FROM parts WHERE p = 1").all())
                .singleElement()
                .satisfies(row -> {
                    assertThat(row.getInt("c")).isEqualTo(1);
                    assertThat(row.getString("s")).isEqualTo("static");
                    assertThat(row.getInt("a")).isEqualTo(7);
                });
    }

    @Test
    void shouldFillStatementsThatWerePreparedBefore() {
        PreparedStatement wrapped = session.prepare("INSERT INTO later (id, name) VALUES (?, ?)");
        PreparedStatement bare = plain.prepare("INSERT INTO later (id, name) VALUES (?, ?)");
        session.execute(wrapped.bind(1, "before"));
        register("later", "state", Kind.CONSTANT, "'told'");
        session.execute(wrapped.bind(2, "after"));
        session.execute(bare.bind(3, "bare"));
        PreparedStatement second = session.prepare("INSERT INTO later (id, name) VALUES (?, ?)");
        session.execute(second.bind(4, "second"));
        InternalAccess.tables(sequences).dropDefault("defaults_cql", "later", "state");
        session.execute(wrapped.bind(5, "dropped"));
        session.execute(second.bind(6, "dropped"));
        register("later", "state", Kind.CONSTANT, "'again'");
        session.execute(second.bind(7, "again"));
        String[] expected = {null, "told", "told", "told", null, null, "again"};
        for (int id = 1; id <= expected.length; id++) {
            assertThat(plain.execute("SELECT state FROM later WHERE id = ?", id)
                            .one()
                            .getString(0))
                    .as("row %s", id)
                    .isEqualTo(expected[id - 1]);
        }
    }

    @Test
    void shouldRefuseWhatItCannotFill() {
        assertThatExceptionOfType(IdentityInsertException.class)
                .isThrownBy(() -> session.execute("INSERT INTO refused JSON '{\"id\": 1}'"))
                .withMessageContaining("INSERT JSON into defaults_cql.refused")
                .satisfies(e -> assertThat(e.reason()).isEqualTo(IdentityInsertException.Reason.JSON));
        assertThatExceptionOfType(IdentityInsertException.class)
                .isThrownBy(
                        () -> session.execute(
                                "BEGIN BATCH INSERT INTO refused (id) VALUES (1); INSERT INTO keys (id) VALUES (uuid()) APPLY BATCH"))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(IdentityInsertException.Reason.BATCH_TEXT));
        assertThat(plain.execute("SELECT * FROM refused").all()).isEmpty();
    }

    @Test
    void shouldBeOneDefaultForAllProcesses() {
        register("named", "state", Kind.CONSTANT, "'one'");
        register("named", "state", Kind.CONSTANT, "'one'");
        assertThatExceptionOfType(SequenceException.Conflict.class)
                .isThrownBy(() -> register("named", "state", Kind.CONSTANT, "'two'"))
                .withMessageContaining("DROP CONSTRAINT df_state");
        assertThatExceptionOfType(SequenceException.class)
                .isThrownBy(() -> register("named", "n", Kind.NEXT_VALUE, "defaults_cql.missing"));
        try (CqlSession otherPlain = connect("defaults_cql");
                Sequences others = Sequences.open(otherPlain, CONFIG)) {
            IdentitySession other = IdentitySession.wrap(otherPlain, others);
            Statement<?> insert =
                    other.prepare("INSERT INTO named (id) VALUES (?)").bind(1);
            other.execute(insert);
            assertThat(state(1)).isEqualTo("one");
            InternalAccess.tables(sequences).dropDefault("defaults_cql", "named", "state");
            InternalAccess.tables(sequences).dropDefault("defaults_cql", "named", "state");
            await().untilAsserted(
                            () -> assertThat(InternalAccess.tables(others).cachedDefaults("defaults_cql", "named"))
                                    .isEmpty());
            register("named", "state", Kind.CONSTANT, "'two'");
            await().untilAsserted(
                            () -> assertThat(InternalAccess.tables(others).cachedDefaults("defaults_cql", "named"))
                                    .containsExactly(given("named", "state", Kind.CONSTANT, "'two'")));
            other.execute(insert);
            assertThat(state(1)).isEqualTo("two");
        }
        // Both keyspaces have the same rows: each can stand in for the other.
        String rows = "SELECT table_name, revision, defaults FROM %s.contracts";
        assertThat(shown(String.format(rows, "defaults_it_ids_dc1")))
                .isEqualTo(shown(String.format(rows, "defaults_it_ids")))
                .anyMatch(row -> row.startsWith("named|3|") && row.contains("'two'"));
    }

    private static List<String> shown(String cql) {
        return plain.execute(cql).all().stream()
                .map(row -> row.getString(0) + "|" + row.getInt(1) + "|" + row.getObject(2))
                .toList();
    }

    private static String state(int id) {
        return plain.execute("SELECT state FROM named WHERE id = ?", id).one().getString(0);
    }
}
