package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.SharedNode;
import dev.cassidy.counter.protocol.CheckedClock;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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

    /** Returns the settings of counters in a new table. */
    private static CountersConfig create(CounterKind kind) {
        CountersConfig settings = CountersConfig.of(KEYSPACE + "." + kind.name().toLowerCase(Locale.ROOT) + "_counters")
                .withGlobalKeyspace(KEYSPACE + "_cassidy")
                .withRequestTimeout(Duration.ofMinutes(1))
                .withIncrementTimeout(Duration.ofSeconds(30))
                .withKind(kind);
        Counters.create(session, settings);
        return settings;
    }

    private static InstantSource offBy(String duration) {
        return () -> Instant.now().plus(Duration.parse(duration));
    }

    private static boolean mayCount(String off) {
        return Duration.parse(off).abs().compareTo(CheckedClock.BOUND) < 0;
    }

    /** Returns how many increments of 1 are acknowledged; any other one must be refused because of the clock. */
    private static long acknowledged(Counter counter, int increments) {
        long acknowledged = 0;
        for (int i = 0; i < increments; i++) {
            try {
                counter.add(1);
                acknowledged++;
            } catch (CounterException.NotSent e) {
                assertThat(e).hasMessageContainingAll("this process says ", "more than PT10S", "NTP");
            }
        }
        return acknowledged;
    }

    /** Those behind come first: a slot that was leased with a later clock would help them. */
    @Test
    void shouldLoseNothingToADelete() {
        CountersConfig settings = create(CounterKind.FOLDED);
        long total = 0;
        for (String off : List.of("-P20000D", "-P730D", "-P365D", "-PT9S", "PT0S", "PT9S", "PT11S", "P730D")) {
            try (Counters counters = Counters.open(session, settings, offBy(off))) {
                Counter counter = counters.counter("IBM");
                long acknowledged = 0;
                for (int i = 0; i < 2; i++) {
                    acknowledged += acknowledged(counter, 3);
                    session.execute("DELETE FROM " + settings.table() + " WHERE type = 'IBM'");
                }
                total += acknowledged;
                assertThat(counter.value()).as(off).isEqualTo(total);
                assertThat(acknowledged).as(off).isEqualTo(mayCount(off) ? 6 : 0);
            }
        }
    }

    @Test
    void shouldLoseNothingToACollector() {
        CountersConfig settings = create(CounterKind.BUCKETED).withApproximate(true);
        for (String off : List.of("PT0S", "PT9S", "-PT9S", "PT10M", "-PT10M", "P730D", "-P730D")) {
            try (Counters wrong = Counters.open(session, settings.withActor("wrong"), offBy(off));
                    Counters right = Counters.open(session, settings.withActor("right"))) {
                Counter here = right.counter("IBM " + off);
                Counter there = wrong.counter("IBM " + off);
                session.execute(
                        "INSERT INTO " + settings.table()
                                + " (type, modify_time, actor, version, increment) VALUES (?, ?, 'old', 1, 1)",
                        here.type(),
                        Instant.now().minus(Duration.ofMinutes(5)));
                long acknowledged = 1 + acknowledged(here, 20) + acknowledged(there, 20);
                here.fold();
                if (mayCount(off)) {
                    there.fold();
                } else {
                    assertThatThrownBy(there::fold)
                            .isInstanceOf(CounterException.Refused.class)
                            .hasMessageContainingAll("this process says ", "more than PT10S", "NTP");
                }
                acknowledged += acknowledged(here, 20) + acknowledged(there, 20);

                assertThat(here.value()).as(off).isEqualTo(acknowledged);
                assertThat(acknowledged).as(off).isEqualTo(mayCount(off) ? 81 : 41);
            }
        }
    }

    /** Their versions are counted by their actor, or by the nodes. */
    @ParameterizedTest
    @EnumSource(names = {"CUMULATIVE", "VERSIONED", "LINEARIZABLE", "SERIALIZABLE", "NATIVE"})
    void shouldNeedNoClock(CounterKind kind) {
        CountersConfig created = create(kind);
        CountersConfig settings =
                kind == CounterKind.CUMULATIVE || kind == CounterKind.VERSIONED ? created.withActor("P") : created;
        long total = 0;
        for (String off : List.of("P730D", "-P730D", "PT0S")) {
            try (Counters counters = Counters.open(session, settings, offBy(off))) {
                total += acknowledged(counters.counter("IBM"), 3);
                assertThat(counters.counter("IBM").value()).as(off).isEqualTo(total);
            }
        }
        assertThat(total).isEqualTo(9);
    }

    @Test
    void shouldGoOnByItselfOnceTheClockIsRight() {
        CountersConfig settings = create(CounterKind.FOLDED);
        AtomicReference<Duration> off = new AtomicReference<>(Duration.ofDays(-730));
        try (Counters counters =
                Counters.open(session, settings, () -> Instant.now().plus(off.get()))) {
            Counter counter = counters.counter("set");
            assertThat(acknowledged(counter, 1)).isZero();
            off.set(Duration.ZERO);
            await().until(() -> acknowledged(counter, 1) == 1);
            assertThat(counter.value()).isOne();
        }
    }
}
