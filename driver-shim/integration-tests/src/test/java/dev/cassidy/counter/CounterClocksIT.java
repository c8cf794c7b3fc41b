package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.SharedNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes whose clocks are wrong, by seconds and by years, beside a node whose clock is right. */
class CounterClocksIT {

    private static final String KEYSPACE = "counter_clocks_it";

    private static CqlSession session;

    @BeforeAll
    static void connect() {
        EmbeddedCassandra cassandra = SharedNode.get();
        session = CqlSession.builder()
                .addContactPoint(cassandra.contactPoint())
                .withLocalDatacenter(cassandra.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .build())
                .build();
        session.execute("CREATE KEYSPACE " + KEYSPACE + " WITH replication ="
                + " {'class': 'NetworkTopologyStrategy', '" + cassandra.localDatacenter() + "': 1}");
        CassidySchema.install(
                session,
                Replication.parse(cassandra.localDatacenter() + ":1"),
                SequencesConfig.defaults().withGlobalKeyspace(KEYSPACE + "_cassidy"));
    }

    @AfterAll
    static void disconnect() {
        session.close();
    }

    private static CountersConfig settings(CounterKind kind) {
        CountersConfig settings = CountersConfig.of(KEYSPACE + ".counters")
                .withGlobalKeyspace(KEYSPACE + "_cassidy")
                .withRequestTimeout(Duration.ofMinutes(1))
                .withIncrementTimeout(Duration.ofSeconds(30))
                .withKind(kind);
        return switch (kind) {
            case CUMULATIVE, VERSIONED -> settings.withActor("P");
            case BUCKETED -> settings.withActor("P").withApproximate(true);
            default -> settings;
        };
    }

    /** Slots and epochs of an earlier test must not help. */
    private static CountersConfig created(CounterKind kind) {
        CountersConfig settings = settings(kind);
        session.execute("DROP TABLE IF EXISTS " + settings.table());
        session.execute("DROP TABLE IF EXISTS " + settings.table() + "_compact");
        Counters.create(session, settings);
        return settings;
    }

    private static InstantSource offBy(Duration duration) {
        return () -> Instant.now().plus(duration);
    }

    private static InstantSource right() {
        return InstantSource.system();
    }

    /** Counts what it acknowledges. */
    private static long acknowledged(Counters counters, int increments) {
        long acknowledged = 0;
        for (int i = 0; i < increments; i++) {
            try {
                counters.counter("IBM").add(1);
                acknowledged++;
            } catch (CounterException.NotSent e) {
                assertThat(e).hasMessageContaining("clock");
            }
        }
        return acknowledged;
    }

    private static void deleteByTheClock(CountersConfig settings) {
        session.execute("DELETE FROM " + settings.table() + " WHERE type = 'IBM'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"P0D", "-P365D", "-P730D", "-P20000D", "P730D"})
    void shouldLoseNothingToADelete(String offBy) {
        CountersConfig settings = created(CounterKind.FOLDED);
        long acknowledged;
        try (Counters counters = Counters.open(session, settings, offBy(Duration.parse(offBy)))) {
            acknowledged = acknowledged(counters, 3);
            deleteByTheClock(settings);
            acknowledged += acknowledged(counters, 3);
        }
        try (Counters counters = Counters.open(session, settings, right())) {
            assertThat(counters.counter("IBM").value()).isEqualTo(acknowledged);
            acknowledged += acknowledged(counters, 3);
            deleteByTheClock(settings);
            assertThat(counters.counter("IBM").value()).isEqualTo(acknowledged);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT9S", "-PT9S", "PT10M", "-PT10M", "P730D", "-P730D"})
    void shouldLoseNothingToACollector(String offBy) {
        CountersConfig settings = created(CounterKind.BUCKETED);
        try (Counters wrong = Counters.open(session, settings.withActor("wrong"), offBy(Duration.parse(offBy)));
                Counters right = Counters.open(session, settings, right())) {
            session.execute(
                    "INSERT INTO " + settings.table()
                            + " (type, modify_time, actor, version, increment) VALUES ('IBM', ?, 'old', 1, 1)",
                    Instant.now().minus(Duration.ofMinutes(5)));
            long acknowledged = 1 + acknowledged(right, 20) + acknowledged(wrong, 20);
            right.counter("IBM").fold();
            try {
                wrong.counter("IBM").fold();
            } catch (CounterException.Refused e) {
                assertThat(e).hasMessageContaining("clock");
            }
            acknowledged += acknowledged(right, 20) + acknowledged(wrong, 20);

            assertThat(right.counter("IBM").value()).isEqualTo(acknowledged);
        }
    }
}
