package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.SharedNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process that is copied while it counts: each copy goes on with a slot of its own. */
class CountersCheckpointIT {

    private static final String KEYSPACE = "counters_checkpoint_it";

    private static CqlSession session;

    @BeforeAll
    static void createKeyspaces() {
        EmbeddedCassandra node = SharedNode.get();
        session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build();
        SequencesConfig cassidy = SequencesConfig.defaults().withGlobalKeyspace("counters_checkpoint_cassidy");
        CassidySchema.install(session, Replication.parse(node.localDatacenter() + ":1"), cassidy);
        session.execute("CREATE KEYSPACE " + KEYSPACE + " WITH replication = {'class': 'NetworkTopologyStrategy', '"
                + node.localDatacenter() + "': 1}");
    }

    @AfterAll
    static void closeSession() {
        session.close();
    }

    /** Creates the table of a kind, which has its name. */
    private static CountersConfig config(CounterKind kind) {
        String table = KEYSPACE + "." + kind.name().toLowerCase(Locale.ROOT);
        CountersConfig config = CountersConfig.of(table)
                .withKind(kind)
                .withGlobalKeyspace("counters_checkpoint_cassidy")
                .withRequestTimeout(Duration.ofMinutes(1))
                .withIncrementTimeout(Duration.ofMinutes(2));
        Counters.create(session, config);
        return config;
    }

    @Test
    void shouldCountOnInAnotherEpochAfterACheckpoint() throws Exception {
        try (Counters counters = Counters.open(session, config(CounterKind.FOLDED))) {
            Counter counter = counters.counter("c");
            Receipt before = counter.increment(1);

            org.crac.Core.checkpointRestore();

            Receipt after = counter.increment(2);
            assertThat(after.version() >>> 32)
                    .as("a version of the copy is never one of its origin")
                    .isGreaterThan(before.version() >>> 32);
            assertThat(counter.status(before)).isEqualTo(ReceiptStatus.COUNTED);
            assertThat(counter.value()).isEqualTo(3);
        }
    }

    /** Of two copies each would overwrite the other's totals. */
    @ParameterizedTest
    @EnumSource(
            value = CounterKind.class,
            names = {"CUMULATIVE", "VERSIONED"})
    void shouldRefuseToWriteUnderTheActorOfTheOriginal(CounterKind kind) throws Exception {
        CountersConfig config = config(kind);
        try (Counters counters = Counters.open(session, config.withActor("original"))) {
            Counter counter = counters.counter("c");
            counter.add(1);

            org.crac.Core.checkpointRestore();

            assertThatThrownBy(() -> counter.add(2))
                    .isInstanceOf(CounterException.Refused.class)
                    .hasMessageContaining("original")
                    .hasMessageContaining("withActor(name)");
            assertThatThrownBy(() -> counters.counter("another").add(2)).isInstanceOf(CounterException.Refused.class);
            assertThat(counter.value()).isEqualTo(1);
        }
        try (Counters copy = Counters.open(session, config.withActor("copy"))) {
            copy.counter("c").add(2);

            assertThat(copy.counter("c").value()).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = CounterKind.class,
            names = {"LINEARIZABLE", "SERIALIZABLE", "NATIVE"})
    void shouldCountOnAfterACheckpoint(CounterKind kind) throws Exception {
        try (Counters counters = Counters.open(session, config(kind))) {
            Counter counter = counters.counter("c");
            counter.add(1);

            org.crac.Core.checkpointRestore();

            counter.add(2);
            assertThat(counter.value()).isEqualTo(3);
        }
    }

    /** Copies have the same actor and the same clock, so the rows of one must have other numbers than those of another. */
    @Test
    void shouldNumberRowsOfBucketsAnewAfterACheckpoint() throws Exception {
        CountersConfig config = config(CounterKind.BUCKETED)
                .withApproximate(true)
                .withActor("a")
                .withRequestTimeout(Duration.ofSeconds(20))
                .withIncrementTimeout(Duration.ofSeconds(30));
        try (Counters counters = Counters.open(session, config)) {
            Counter counter = counters.counter("c");
            counter.add(1);
            long before = versionOf(1);

            org.crac.Core.checkpointRestore();

            counter.add(2);
            assertThat(versionOf(2)).isNotEqualTo(before + 1);
            assertThat(counter.value()).isEqualTo(3);
        }
    }

    private static long versionOf(int increment) {
        return session
                .execute("SELECT version, increment FROM " + KEYSPACE + ".bucketed WHERE type = 'c'")
                .all()
                .stream()
                .filter(row -> ((Number) row.getObject("increment")).longValue() == increment)
                .mapToLong(row -> row.getLong("version"))
                .findFirst()
                .orElseThrow();
    }
}
