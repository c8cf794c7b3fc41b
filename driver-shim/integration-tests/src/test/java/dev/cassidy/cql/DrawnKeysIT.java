package dev.cassidy.cql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
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
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.ColumnDefault.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** Keys with DEFAULT NEXT VALUE FOR, as IdentitySession fills and guards them. */
class DrawnKeysIT {

    private static final SequencesConfig CONFIG = SequencesConfig.defaults().withGlobalKeyspace("drawn_keys_it_ids");

    private static CqlSession plain;
    private static Sequences sequences;
    private static IdentitySession session;

    @BeforeAll
    static void open() {
        plain = connect(true);
        CassidySchema.install(plain, Replication.parse("dc1:1"), CONFIG);
        plain.execute(
                "CREATE KEYSPACE drawn_keys_it WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        plain.execute("USE drawn_keys_it");
        sequences = Sequences.open(plain, CONFIG);
        session = IdentitySession.wrap(plain, sequences);
        for (String table : List.of(
                "filled", "batched", "guarded", "refused", "passed", "cleared", "both", "changed", "true", "false")) {
            plain.execute("CREATE TABLE \"" + table + "\" (id int PRIMARY KEY, name text, n bigint, at timestamp)");
            sequences.create(SequenceSpec.of("drawn_keys_it." + table + "_s", IdentityType.INT, 100, 1));
            register(table, "id", Kind.NEXT_VALUE, "drawn_keys_it." + table + "_s");
        }
        plain.execute("CREATE TABLE places (place int, id int, name text, about text STATIC, PRIMARY KEY (place, id))");
        sequences.create(SequenceSpec.of("drawn_keys_it.places_s", IdentityType.INT, 100, 1));
        register("places", "id", Kind.NEXT_VALUE, "drawn_keys_it.places_s");
    }

    private static void register(String table, String column, Kind kind, String value) {
        InternalAccess.tables(sequences)
                .registerDefault(new ColumnDefault(
                        "drawn_keys_it", table, column, "df_" + column, kind, value, "(" + value + ")"));
    }

    private static CqlSession connect(boolean metadata) {
        EmbeddedCassandra node = SharedNode.get();
        return CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, metadata)
                        .build())
                .build();
    }

    @AfterAll
    static void close() {
        session.close();
        sequences.close();
    }

    private static String name(String table, long id) {
        Row row = plain.execute("SELECT name FROM drawn_keys_it.\"" + table + "\" WHERE id = " + id)
                .one();
        return row == null ? "no row" : row.getString(0);
    }

    private static long only(GeneratedKeys keys) {
        assertThat(keys.keys()).singleElement().satisfies(key -> {
            assertThat(key.column()).isEqualTo("id");
            assertThat(key.type()).isEqualTo(IdentityType.INT);
            assertThat(key.generated()).isTrue();
        });
        return keys.ids().get(0);
    }

    private static void assertRefused(String message, Runnable insert) {
        assertThatExceptionOfType(IdentityInsertException.class)
                .isThrownBy(insert::run)
                .withMessageContaining(message)
                .satisfies(e -> assertThat(e.reason()).isEqualTo(IdentityInsertException.Reason.EXPLICIT_ID));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReturnTheKeyOfEveryKindOfStatement(boolean metadata) throws Exception {
        String table = "drawn_keys_it.\"" + metadata + "\"";
        try (CqlSession other = connect(metadata)) {
            IdentitySession filling = IdentitySession.wrap(other, sequences);
            PreparedStatement prepared = filling.prepare("INSERT INTO " + table + " (name) VALUES (?)");
            assertThat(prepared.getVariableDefinitions().size()).isEqualTo(1);
            PreparedStatement named = filling.prepare("INSERT INTO " + table + " (id, name) VALUES (?, ?)");
            List<GeneratedKeys> keys = List.of(
                    GeneratedKeys.of(filling.execute("INSERT INTO " + table + " (name) VALUES ('0')")),
                    GeneratedKeys.of(filling.execute(
                            SimpleStatement.newInstance("INSERT INTO " + table + " (name) VALUES (?)", "1"))),
                    GeneratedKeys.of(filling.execute(SimpleStatement.newInstance(
                            "INSERT INTO " + table + " (name) VALUES (:n)", Map.of("n", "2")))),
                    GeneratedKeys.of(filling.execute(prepared.bind("3"))),
                    GeneratedKeys.of(filling.executeAsync(prepared.bind("4"))
                            .toCompletableFuture()
                            .get()),
                    // An entity of the object mapper without an id.
                    GeneratedKeys.of(filling.execute(named.bind(null, "5"))),
                    GeneratedKeys.of(filling.execute("INSERT INTO " + table + " (id, name) VALUES (null, '6')")));
            for (int i = 0; i < keys.size(); i++) {
                assertThat(name(String.valueOf(metadata), only(keys.get(i)))).isEqualTo(String.valueOf(i));
            }
            var reactive = filling.executeReactive(prepared.bind("reactive"));
            Flux.from(reactive).blockLast();
            assertThat(name(
                            String.valueOf(metadata),
                            only(GeneratedKeys.of(reactive)
                                    .toCompletableFuture()
                                    .get())))
                    .isEqualTo("reactive");
        }
    }

    @Test
    void shouldReturnTheKeysOfABatch() {
        PreparedStatement prepared = session.prepare("INSERT INTO batched (name) VALUES (?)");
        GeneratedKeys keys = GeneratedKeys.of(session.execute(BatchStatement.newInstance(
                BatchType.LOGGED,
                prepared.bind("a"),
                SimpleStatement.newInstance("INSERT INTO batched (name) VALUES ('b')"),
                prepared.bind("c"))));
        assertThat(keys.ids()).containsExactly(100L, 101L, 102L);
        assertThat(LongStream.rangeClosed(100, 102).mapToObj(id -> name("batched", id)))
                .containsExactly("a", "b", "c");
    }

    @Test
    void shouldFillOtherDefaultsBesideTheKey() {
        sequences.create(SequenceSpec.of("drawn_keys_it.n", IdentityType.BIGINT, 7, 1));
        PreparedStatement before = session.prepare("INSERT INTO filled (name) VALUES (?)");
        register("filled", "n", Kind.NEXT_VALUE, "drawn_keys_it.n");
        register("filled", "at", Kind.NOW, "timestamp");
        PreparedStatement after = session.prepare("INSERT INTO filled (name) VALUES (?)");
        long expected = 7;
        for (Statement<?> insert : List.of(
                before.bind("x"),
                after.bind("x"),
                SimpleStatement.newInstance("INSERT INTO filled (name) VALUES ('x')"))) {
            long id = only(GeneratedKeys.of(session.execute(insert)));
            Row row = plain.execute("SELECT n, at FROM filled WHERE id = " + id).one();
            assertThat(row.getLong("n")).isEqualTo(expected++);
            assertThat(row.getInstant("at")).isNotNull();
        }
    }

    @Test
    void shouldLeaveStaticColumnsAlone() {
        session.execute("INSERT INTO places (place, about) VALUES (1, 'static')");
        assertThat(only(GeneratedKeys.of(session.execute("INSERT INTO places (place, name) VALUES (1, 'x')"))))
                .isEqualTo(100);
        assertThat(plain.execute("SELECT id FROM places WHERE place = 1").all()).hasSize(1);
        assertRefused("id 100 for column drawn_keys_it.places.id", () -> session.withExplicitIds(ExplicitIds.REFUSE)
                .execute("INSERT INTO places (place, id, name) VALUES (1, 100, 'over')"));
    }

    @Test
    void shouldGuardExplicitIdsAsThoseOfAnIdentity() {
        PreparedStatement prepared = session.prepare("INSERT INTO guarded (id, name) VALUES (?, ?)");
        long drawn = only(GeneratedKeys.of(session.execute("INSERT INTO guarded (name) VALUES ('drawn')")));
        assertThat(drawn).isEqualTo(100);
        // One that this process has not drawn.
        for (Statement<?> insert : List.of(
                prepared.bind(101, "x"),
                SimpleStatement.newInstance("INSERT INTO guarded (id, name) VALUES (101, 'x')"),
                SimpleStatement.newInstance("INSERT INTO guarded (id, name) VALUES (?, 'x')", 101),
                BatchStatement.newInstance(BatchType.LOGGED, prepared.bind(101, "x")))) {
            assertRefused("id 101 for column drawn_keys_it.guarded.id", () -> session.execute(insert));
        }
        IdentitySession refusing = session.withExplicitIds(ExplicitIds.REFUSE);
        assertRefused("id 100", () -> refusing.execute(prepared.bind(100, "over")));
        session.execute(prepared.bind(99, "before"));
        int ahead = sequences.allocator("drawn_keys_it.guarded_s").nextInt();
        session.execute(prepared.bind(ahead, "ahead"));
        assertThat(LongStream.of(99, 100, ahead).mapToObj(id -> name("guarded", id)))
                .containsExactly("before", "drawn", "ahead");
        session.withExplicitIds(ExplicitIds.PASS).execute("INSERT INTO passed (id, name) VALUES (5000, 'x')");
        assertThat(name("passed", 5000)).isEqualTo("x");
        assertThatExceptionOfType(IdentityInsertException.class)
                .isThrownBy(() -> session.executeContinuously(
                        SimpleStatement.newInstance("INSERT INTO refused (id, name) VALUES (5000, 'x')")))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(IdentityInsertException.Reason.RESULT_TYPE));
    }

    /** It becomes the generated key; the key still draws, also in statements that were prepared before. */
    @Test
    void shouldFollowTheRegistrationOfAnIdentity() {
        PreparedStatement prepared = session.prepare("INSERT INTO both (name) VALUES (?)");
        assertThat(only(GeneratedKeys.of(session.execute(prepared.bind("a"))))).isEqualTo(100);
        sequences.create(SequenceSpec.of("drawn_keys_it.both", IdentityType.BIGINT, 1, 1));
        sequences.registerIdentity(new IdentityColumn("drawn_keys_it", "both", "n", "drawn_keys_it.both"));
        GeneratedKeys keys = GeneratedKeys.of(session.execute(prepared.bind("b")));
        assertThat(keys.column()).isEqualTo("n");
        assertThat(keys.ids()).containsExactly(1L);
        assertThat(plain.execute("SELECT n FROM both WHERE id = 101").one().getLong(0))
                .isEqualTo(1);
        IdentitySession refusing = session.withExplicitIds(ExplicitIds.REFUSE);
        PreparedStatement named = session.prepare("INSERT INTO both (id, name) VALUES (?, ?)");
        for (Statement<?> insert : List.of(
                named.bind(100, "over"),
                SimpleStatement.newInstance("INSERT INTO both (id, name) VALUES (?, 'over')", 100),
                SimpleStatement.newInstance("INSERT INTO both (id, name) VALUES (100, 'over')"))) {
            assertRefused("id 100 for column drawn_keys_it.both.id", () -> refusing.execute(insert));
        }
        assertThat(name("both", 100)).isEqualTo("a");
    }

    @Test
    void shouldFollowAChangeOfTheSequence() {
        PreparedStatement prepared = session.prepare("INSERT INTO changed (name) VALUES (?)");
        assertThat(only(GeneratedKeys.of(session.execute(prepared.bind("a"))))).isEqualTo(100);
        InternalAccess.tables(sequences).dropDefault("drawn_keys_it", "changed", "id");
        assertThatExceptionOfType(IdentityInsertException.class)
                .isThrownBy(() -> session.execute(prepared.bind("b")))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(IdentityInsertException.Reason.NOT_REGISTERED));
        sequences.create(SequenceSpec.of("drawn_keys_it.other", IdentityType.INT, 5000, 1));
        register("changed", "id", Kind.NEXT_VALUE, "drawn_keys_it.other");
        assertThat(only(GeneratedKeys.of(session.execute(prepared.bind("c"))))).isEqualTo(5000);
    }

    /** A statement that has all that it lacks in one place is filled with fewer checks. */
    @Test
    void shouldGuardTheKeyInStatementsThatWerePreparedBeforeItsDefault() {
        plain.execute("CREATE TABLE late (id int PRIMARY KEY, name text, n bigint)");
        sequences.create(SequenceSpec.of("drawn_keys_it.late", IdentityType.BIGINT, 1, 1));
        sequences.registerIdentity(new IdentityColumn("drawn_keys_it", "late", "n", "drawn_keys_it.late"));
        IdentitySession refusing = session.withExplicitIds(ExplicitIds.REFUSE);
        PreparedStatement prepared = refusing.prepare("INSERT INTO late (id, name) VALUES (?, ?)");
        refusing.execute(prepared.bind(200, "a"));
        sequences.create(SequenceSpec.of("drawn_keys_it.late_s", IdentityType.INT, 100, 1));
        register("late", "id", Kind.NEXT_VALUE, "drawn_keys_it.late_s");
        for (int i = 0; i < 3; i++) {
            assertRefused("id 201 for column drawn_keys_it.late.id", () -> refusing.execute(prepared.bind(201, "b")));
            refusing.execute(prepared.bind(99, "before"));
        }
        assertThat(name("late", 99)).isEqualTo("before");
    }
}
