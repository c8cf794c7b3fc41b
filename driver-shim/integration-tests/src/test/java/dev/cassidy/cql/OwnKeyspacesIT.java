package dev.cassidy.cql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.SharedNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

class OwnKeyspacesIT {

    private static final SequencesConfig CONFIG = SequencesConfig.defaults().withGlobalKeyspace("own_it");
    private static final String SET_BACK =
            "UPDATE own_it_dc1.reserve SET next = 0, hi = 100 WHERE seq = 'x' AND stripe = 0";

    private static CqlSession setup;
    private static CqlSession plain;
    private static IdentitySession session;

    @BeforeAll
    static void open() {
        setup = connect(null, true);
        CassidySchema.install(setup, Replication.parse("dc1:1"), CONFIG);
        // Like the keyspace of a remote datacenter, which has its own name.
        CassidySchema.install(setup, Replication.parse("dc1:1"), CONFIG.withDatacenterKeyspace("elsewhere_own_it"));
        for (String keyspace : List.of("own_it_shop", "other_own_it")) {
            setup.execute("CREATE KEYSPACE " + keyspace
                    + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            setup.execute(
                    "CREATE TABLE " + keyspace + ".reserve (k text PRIMARY KEY, v text) WITH comment = 'a shop''s'");
        }
        plain = connect("own_it_shop", true);
        session = IdentitySession.wrap(plain, CONFIG);
    }

    private static CqlSession connect(String keyspace, boolean metadata) {
        EmbeddedCassandra node = SharedNode.get();
        return CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withKeyspace(keyspace)
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, metadata)
                        .build())
                .build();
    }

    @AfterAll
    static void close() {
        session.close();
        setup.close();
    }

    static Stream<String> changes() {
        return Stream.of(
                SET_BACK,
                "update \"own_it_dc1\" . /* mine */ RESERVE set next = 0 where seq = 'x' and stripe = 0",
                "UPDATE own_it_dc1.reserve SET next = 0 WHERE seq = 'x' AND stripe = 0 IF next > 0",
                "UPDATE own_it.seq SET next = 0 WHERE seq = 'x'",
                "UPDATE elsewhere_own_it.reserve SET next = 0 WHERE seq = 'x' AND stripe = 0",
                "INSERT INTO own_it_dc1.reserve (seq, stripe, next) VALUES ('x', 0, 0)",
                "INSERT INTO own_it_dc1.reserve JSON '{\"seq\": \"x\", \"stripe\": 0, \"next\": 0}'",
                "DELETE FROM own_it.seq WHERE seq = 'x'",
                "DELETE next FROM own_it_dc1.reserve WHERE seq = 'x' AND stripe = 0",
                "TRUNCATE own_it_dc1.reserve",
                "TRUNCATE TABLE elsewhere_own_it.reserve",
                "BEGIN BATCH INSERT INTO own_it_shop.reserve (k) VALUES ('a'); " + SET_BACK + "; APPLY BATCH",
                "DROP KEYSPACE own_it_dc1",
                "DROP KEYSPACE IF EXISTS elsewhere_own_it",
                "ALTER KEYSPACE own_it WITH durable_writes = false",
                "CREATE KEYSPACE IF NOT EXISTS own_it WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                "CREATE TABLE own_it.mine (a int PRIMARY KEY)",
                "ALTER TABLE own_it.seq WITH comment = ''",
                "DROP TABLE own_it_dc1.reserve",
                "CREATE INDEX ON own_it.seq (next)",
                "DROP INDEX IF EXISTS own_it.i",
                "CREATE TYPE own_it.t (a int)",
                "DROP FUNCTION IF EXISTS own_it.f",
                "DROP AGGREGATE IF EXISTS own_it.f",
                "DROP TRIGGER IF EXISTS t ON own_it.seq",
                "DROP MATERIALIZED VIEW IF EXISTS own_it.v");
    }

    private static void assertRefused(ThrowingCallable work) {
        assertThatExceptionOfType(OwnKeyspaceException.class)
                .isThrownBy(work)
                .withMessageContaining(
                        "Cassidy's own tables are written by Cassidy alone: a change could make ids be issued twice")
                .withMessageContaining("Sequences")
                .withMessageContaining("migration tool");
    }

    private static void assertRefused(CompletionStage<?> stage) {
        assertThat(stage.toCompletableFuture())
                .failsWithin(1, TimeUnit.MINUTES)
                .withThrowableThat()
                .withCauseInstanceOf(OwnKeyspaceException.class);
    }

    @ParameterizedTest
    @MethodSource("changes")
    void shouldRefuseEachChangeHoweverItIsSent(String cql) {
        SimpleStatement statement = SimpleStatement.newInstance(cql);

        assertRefused(() -> session.execute(statement));
        assertRefused(session.executeAsync(statement));
        assertRefused(() -> Flux.from(session.executeReactive(statement)).blockLast());
        assertRefused(() -> session.executeContinuously(statement));
        assertRefused(() -> session.executeContinuouslyAsync(statement));
        assertRefused(() -> session.prepare(cql));
        assertRefused(session.prepareAsync(cql));
        assertRefused(session.fillAsync(statement));
        assertRefused(() -> session.execute(BatchStatement.newInstance(
                DefaultBatchType.LOGGED,
                SimpleStatement.newInstance("INSERT INTO own_it_shop.reserve (k) VALUES ('a')"),
                statement)));
    }

    @Test
    void shouldNameTheChangeInTheMessage() {
        assertThatThrownBy(() -> session.execute(SET_BACK))
                .hasMessageStartingWith("refused: UPDATE own_it_dc1.reserve. ");
        assertThatThrownBy(() -> session.execute("DROP KEYSPACE \"own_it\""))
                .hasMessageStartingWith("refused: DROP KEYSPACE own_it. ");
    }

    @ParameterizedTest
    @MethodSource("changes")
    void shouldRefuseAStatementPreparedElsewhere(String cql) {
        BatchableStatement<?> bound = plain.prepare(cql).bind();

        assertRefused(() -> session.execute(bound));
        assertRefused(session.executeAsync(bound));
        assertRefused(() -> Flux.from(session.executeReactive(bound)).blockLast());
        assertRefused(() -> session.executeContinuously(bound));
        assertRefused(() -> session.execute(BatchStatement.newInstance(DefaultBatchType.UNLOGGED, bound)));
    }

    @Test
    void shouldKnowTheKeyspaceOfAStatementPreparedElsewhere() {
        try (CqlSession within = connect("own_it_dc1", true)) {
            assertRefused(
                    () -> session.execute(within.prepare("UPDATE reserve SET next = ? WHERE seq = 'x' AND stripe = 0")
                            .bind(0L)));
            assertRefused(
                    () -> session.execute(within.prepare("TRUNCATE reserve").bind()));
            for (String text : List.of(
                    "TRUNCATE changes",
                    "CREATE TABLE more (k int PRIMARY KEY)",
                    "CREATE TYPE more (k int)",
                    "DROP TABLE seq")) {
                assertRefused(() -> session.execute(within.prepare(text).bind()));
            }
            assertRefused(() -> session.execute(
                    within.prepare("BEGIN BATCH UPDATE reserve SET next = 0 WHERE seq = 'x' AND stripe = 0;"
                                    + " INSERT INTO own_it_shop.reserve (k) VALUES (?) APPLY BATCH")
                            .bind("a")));
        }
        try (CqlSession within = connect("other_own_it", true)) {
            // Its id alone tells this statement from the first of those above.
            session.execute(
                    within.prepare("UPDATE reserve SET v = 'x' WHERE k = 'a'").bind());
            session.execute(
                    within.prepare("UPDATE reserve SET v = ? WHERE k = 'a'").bind("x"));
            session.execute(within.prepare("UPDATE other_own_it.reserve SET v = 'x' WHERE k = 'a'")
                    .bind());
        }
        session.execute(
                session.prepare("UPDATE reserve SET v = 'x' WHERE k = 'a'").bind());
        session.execute(
                plain.prepare("UPDATE reserve SET v = 'y' WHERE k = 'a'").bind());
    }

    @Test
    void shouldRefuseInTheKeyspaceOfTheStatement() {
        CqlIdentifier own = CqlIdentifier.fromCql("own_it_dc1");
        SimpleStatement statement =
                SimpleStatement.newInstance("TRUNCATE reserve").setKeyspace(own);

        assertRefused(() -> session.execute(statement));
        assertRefused(() -> session.prepare(statement));
        assertRefused(() -> session.executeContinuously(statement));
        assertRefused(() -> session.execute(BatchStatement.newInstance(
                        DefaultBatchType.LOGGED,
                        SimpleStatement.newInstance("DELETE FROM reserve WHERE seq = 'x' AND stripe = 0"))
                .setKeyspace(own)));
        session.execute(SimpleStatement.newInstance("INSERT INTO reserve (k) VALUES ('a')")
                .setKeyspace("other_own_it"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldRefuseInTheKeyspaceOfTheSession(boolean metadata) {
        try (CqlSession within = connect("own_it_dc1", metadata);
                Sequences sequences = Sequences.open(within, CONFIG)) {
            IdentitySession identities = IdentitySession.wrap(within, sequences);
            assertRefused(() -> identities.execute("TRUNCATE reserve"));
            identities.execute("USE own_it_shop");
            identities.execute("INSERT INTO reserve (k) VALUES ('used')");
            identities.execute("USE elsewhere_own_it");
            assertRefused(() -> identities.execute("TRUNCATE reserve"));
            assertRefused(() -> identities.prepare("DELETE FROM reserve WHERE seq = ? AND stripe = 0"));
            identities.execute("USE \"own_it\"");
            assertRefused(() -> identities.execute("DELETE FROM seq WHERE seq = 'x'"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldRecogniseADatacentersKeyspaceThatIsCreatedLater(boolean metadata) {
        String later = "own_it_later_" + metadata;
        try (CqlSession other = connect(null, metadata);
                Sequences sequences = Sequences.open(other, CONFIG)) {
            IdentitySession identities = IdentitySession.wrap(other, sequences);
            identities.execute("CREATE KEYSPACE " + later
                    + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            identities.execute("CREATE TYPE " + later + ".t (a int)");

            CassidySchema.install(setup, Replication.parse("dc1:1"), CONFIG.withDatacenterKeyspace(later));

            assertRefused(() -> identities.execute("TRUNCATE " + later + ".reserve"));
            assertRefused(() -> identities.execute("ALTER TYPE " + later + ".t ADD b int"));
        }
    }

    @Test
    void shouldCheckAgainAfterASchemaChange() {
        session.execute(
                "CREATE KEYSPACE own_it_shared" + " WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
        session.execute("CREATE TABLE own_it_shared.mine (k text PRIMARY KEY)");
        session.execute("INSERT INTO own_it_shared.mine (k) VALUES ('a')");

        CassidySchema.install(setup, Replication.parse("dc1:1"), CONFIG.withDatacenterKeyspace("own_it_shared"));
        session.refreshSchema();

        assertRefused(() -> session.execute("TRUNCATE own_it_shared.reserve"));
    }

    @Test
    void shouldAcceptOtherStatements() {
        session.execute("INSERT INTO own_it_shop.reserve (k, v) VALUES ('passed', 'x')");
        session.execute(session.prepare("UPDATE reserve SET v = ? WHERE k = ?").bind("y", "passed"));
        session.execute("CREATE TABLE IF NOT EXISTS own_it_shop.seq (seq text PRIMARY KEY, next int)");
        session.execute("UPDATE seq SET next = 0 WHERE seq = 'x'");
        session.execute("TRUNCATE own_it_shop.seq");
        session.execute("DROP TABLE own_it_shop.seq");

        assertThat(session.execute("SELECT seq FROM own_it.seq").all()).isNotNull();
        assertThat(session.execute(session.prepare("SELECT k FROM reserve WHERE k = ?")
                                .bind("passed"))
                        .one())
                .isNotNull();
        session.execute("DESCRIBE KEYSPACE own_it");
        // Authorisation is off, so the server refuses these.
        for (String cql :
                List.of("GRANT MODIFY ON KEYSPACE own_it TO r", "REVOKE MODIFY ON own_it.seq FROM r", "LIST ROLES")) {
            assertThatThrownBy(() -> session.execute(cql)).isInstanceOf(DriverException.class);
        }
    }

    @Test
    void shouldNotCheckCassidysOwnStatements() {
        CassidySchema.install(session, Replication.parse("dc1:1"), CONFIG);
        try (Sequences sequences = Sequences.open(session, CONFIG)) {
            sequences.create(SequenceSpec.of("own", IdentityType.INT, 1, 1));
            IdAllocator allocator = sequences.allocator("own");
            Set<Long> ids = new HashSet<>();
            for (int i = 0; i < 40; i++) {
                ids.add(allocator.nextLong());
                assertRefused(() -> session.execute(SET_BACK.replace("'x'", "'own'")));
            }
            assertThat(ids).hasSize(40);
            assertThat(sequences.admin().restart("own", 1_000_000).next()).isPresent();
            sequences.admin().drop("own");
        }
    }
}
