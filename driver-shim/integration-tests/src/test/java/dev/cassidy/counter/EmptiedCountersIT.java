package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.SharedNode;
import dev.cassidy.cql.CqlSessions;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables of counters that are emptied: what was counted before does not come back, and what is counted after counts. */
class EmptiedCountersIT {

    /** Not the common pool: who waits for a future may run that pool's tasks meanwhile, also one that ends only after the wait. */
    private static final Executor THREADS = task -> new Thread(task).start();

    private static final String KEYSPACE = "emptied_counters_it";
    private static final String CASSIDY = "emptied_counters";

    /** So much comes back if it does. */
    private static final long BEFORE = 1_000_000;

    private static CqlSession session;

    @BeforeAll
    static void install() {
        EmbeddedCassandra node = SharedNode.get();
        session = CqlSessions.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .build())
                .build();
        session.execute("CREATE KEYSPACE " + KEYSPACE + " WITH replication = {'class': 'NetworkTopologyStrategy', '"
                + node.localDatacenter() + "': 1}");
        CassidySchema.install(
                session,
                Replication.parse(node.localDatacenter() + ":1"),
                SequencesConfig.defaults().withGlobalKeyspace(CASSIDY));
    }

    @AfterAll
    static void disconnect() {
        session.close();
    }

    private static CountersConfig config(String table, CounterKind kind) {
        CountersConfig config = CountersConfig.of(KEYSPACE + "." + table)
                .withGlobalKeyspace(CASSIDY)
                .withRequestTimeout(Duration.ofMinutes(1))
                .withIncrementTimeout(Duration.ofSeconds(30))
                .withKind(kind);
        return switch (kind) {
            case CUMULATIVE, VERSIONED -> config.withActor("P1");
            case BUCKETED -> config.withActor("P1").withApproximate(true);
            default -> config;
        };
    }

    private static CountersConfig created(String table, CounterKind kind) {
        CountersConfig config = config(table, kind);
        Counters.create(session, config);
        return config;
    }

    private static String named(String test, CounterKind kind) {
        return test + "_" + kind.name().toLowerCase(Locale.ROOT);
    }

    private static void count(CountersConfig config, int times) {
        try (Counters counters = Counters.open(session, config)) {
            for (int i = 0; i < times; i++) {
                counters.counter("IBM").add(1);
            }
        }
    }

    private static void fold(CountersConfig config) {
        try (Counters counters = Counters.open(session, config)) {
            counters.counter("IBM").fold();
        }
    }

    private static long value(CountersConfig config) {
        try (Counters counters = Counters.open(session, config)) {
            return counters.counter("IBM").value();
        }
    }

    private static void truncate(CountersConfig config) {
        session.execute("TRUNCATE TABLE " + config.table());
    }

    /** Three processes that are closed, and a fourth that has settled what they left. */
    private static void countAndSettle(CountersConfig config) {
        for (int i = 0; i < 3; i++) {
            count(config, 10);
        }
        fold(config);
        assertThat(value(config)).isEqualTo(30);
    }

    /** It was 32: what was settled is kept elsewhere, and was written into the table again. */
    private static void countAfterIt(CountersConfig config) {
        for (int i = 0; i < 2; i++) {
            count(config, 1);
            fold(config);
        }
        assertThat(value(config)).isEqualTo(2);
    }

    @Test
    void shouldBeginAt0AfterTheTableWasEmptied() {
        CountersConfig config = created("emptied", CounterKind.FOLDED);
        countAndSettle(config);

        Counters.truncate(session, config);

        assertThat(value(config)).isZero();
        countAfterIt(config);
        Counters.create(session, config);
        Counters.adopt(session, config);
        assertThat(value(config)).isEqualTo(2);
    }

    @Test
    void shouldBeginAt0AfterAPlainTruncateIfNobodyHasTheTableOpen() {
        CountersConfig config = created("plain", CounterKind.FOLDED);
        countAndSettle(config);

        truncate(config);

        countAfterIt(config);
    }

    @Test
    void shouldCountOnInProcessesThatHaveTheTableOpen() {
        CountersConfig config = created("open", CounterKind.FOLDED);
        countAndSettle(config);
        try (Counters counting = Counters.open(session, config);
                Counters folding = Counters.open(session, config)) {
            Counter ibm = counting.counter("IBM");
            Receipt before = ibm.increment(100);
            folding.counter("IBM").fold();

            Counters.truncate(session, config);

            assertThat(ibm.value()).isZero();
            ibm.increment(1);
            folding.counter("IBM").fold();
            ibm.fold();
            Receipt after = ibm.increment(1);
            assertThat(counting.status(before)).isEqualTo(ReceiptStatus.UNKNOWN);
            assertThat(counting.status(after)).isEqualTo(ReceiptStatus.COUNTED);
            assertThat(folding.status(after)).isEqualTo(ReceiptStatus.COUNTED);
            assertThat(counting.figures().acknowledged()).isEqualTo(3);
        }
        count(config, 1);
        fold(config);
        assertThat(value(config)).isEqualTo(3);
    }

    /** At the same time, since each takes some seconds. */
    @Test
    void shouldEmptyTablesThatAreBeingCounted() {
        List<CompletableFuture<Void>> all = Stream.of(
                        CounterKind.FOLDED, CounterKind.CUMULATIVE, CounterKind.VERSIONED, CounterKind.BUCKETED)
                .map(kind -> created(named("busy", kind), kind).withFoldAfter(3))
                .map(config -> CompletableFuture.runAsync(() -> requireEmptiedWhileItIsCounted(config), THREADS))
                .toList();
        all.forEach(CompletableFuture::join);
    }

    /** What is told while it is being emptied may count or not. */
    private static void requireEmptiedWhileItIsCounted(CountersConfig config) {
        String kind = config.kind().name();
        try (Counters counting = Counters.open(session, config);
                Counters other =
                        Counters.open(session, config.kind() == CounterKind.FOLDED ? config : another(config))) {
            Counter ibm = counting.counter("IBM");
            for (int i = 0; i < 10; i++) {
                ibm.add(BEFORE);
                other.counter("IBM").add(BEFORE);
            }
            AtomicBoolean emptied = new AtomicBoolean();
            CompletableFuture<Void> busy = CompletableFuture.runAsync(
                    () -> {
                        for (int after = 0; after < 20; ) {
                            boolean counts = emptied.get();
                            ibm.add(1);
                            after += counts ? 1 : 0;
                        }
                    },
                    THREADS);

            Counters.truncate(session, config);
            emptied.set(true);

            busy.join();
            long value = ibm.value();
            assertThat(value).as(kind).isBetween(20L, BEFORE - 1);
            // That one has not counted meanwhile: it still knows what it had counted before.
            other.counter("IBM").add(1);
            assertThat(ibm.value()).as(kind).isEqualTo(value + 1);
        }
        count(config, 1);
        assertThat(value(config)).as(kind).isLessThan(BEFORE);
    }

    private static CountersConfig another(CountersConfig config) {
        return config.actor().isPresent() ? config.withActor("P2") : config;
    }

    /** They must not be counted meanwhile: Cassandra itself makes the next number of one that it has read. */
    @Test
    void shouldEmptyTablesOfOtherKindsUnlessTheyAreBeingCounted() {
        List<CompletableFuture<Void>> all = Stream.of(
                        CounterKind.LINEARIZABLE, CounterKind.SERIALIZABLE, CounterKind.NATIVE)
                .map(kind -> created(named("rests", kind), kind))
                .map(config -> CompletableFuture.runAsync(() -> requireEmptiedWhileItRests(config), THREADS))
                .toList();
        all.forEach(CompletableFuture::join);
    }

    private static void requireEmptiedWhileItRests(CountersConfig config) {
        String kind = config.kind().name();
        try (Counters counting = Counters.open(session, config)) {
            Counter ibm = counting.counter("IBM");
            ibm.add(BEFORE);
            AtomicBoolean ends = new AtomicBoolean();
            CompletableFuture<Void> busy = CompletableFuture.runAsync(
                    () -> {
                        while (!ends.get()) {
                            ibm.add(1);
                        }
                    },
                    THREADS);
            assertThatThrownBy(() -> Counters.truncate(session, config))
                    .as(kind)
                    .isInstanceOf(CounterException.Unavailable.class)
                    .hasMessageContainingAll(config.table(), "Call again");
            ends.set(true);
            busy.join();

            Counters.truncate(session, config);

            assertThat(ibm.value()).as(kind).isZero();
            ibm.add(1);
            assertThat(ibm.value()).as(kind).isEqualTo(1);
        }
    }

    /** As many changes as before, so that its revision is the one that the other process has seen. */
    @ParameterizedTest
    @EnumSource(names = {"LINEARIZABLE", "SERIALIZABLE"})
    void shouldNotTakeANumberForTheOneBefore(CounterKind kind) {
        CountersConfig config = created(named("again", kind), kind);
        try (Counters counting = Counters.open(session, config)) {
            counting.counter("IBM").add(BEFORE);
            truncate(config);
            count(config, 1);

            counting.counter("IBM").add(1);

            assertThat(counting.counter("IBM").value()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FOLDED", "CUMULATIVE", "VERSIONED"})
    void shouldSayThatATableWasEmptiedByAPlainTruncateWhileItIsOpen(CounterKind kind) {
        CountersConfig config = created(named("told", kind), kind).withIncrementTimeout(Duration.ofSeconds(2));
        String[] remedies = {config.table(), "cassidy counters truncate", "cassidy counters adopt"};
        if (kind == CounterKind.FOLDED) {
            // No fold of it is under way any more.
            countAndSettle(config);
        }
        try (Counters counting = Counters.open(session, config)) {
            Counter ibm = counting.counter("IBM");
            if (kind != CounterKind.FOLDED) {
                ibm.add(BEFORE);
            }
            truncate(config);

            if (kind == CounterKind.FOLDED) {
                // It is a row of its own.
                Receipt receipt = ibm.increment(1);
                assertUnfit(ibm::fold, remedies);
                assertUnfit(() -> ibm.status(receipt), remedies);
                assertUnfit(() -> Counters.open(session, config), remedies);
            } else {
                assertThatThrownBy(() -> ibm.add(1))
                        .isInstanceOf(CounterException.NotSent.class)
                        .hasMessageContainingAll(remedies);
            }
            Counters.adopt(session, config);
            ibm.add(1);
            if (kind != CounterKind.CUMULATIVE) {
                ibm.fold();
            }

            assertThat(ibm.value()).isEqualTo(kind == CounterKind.FOLDED ? 2 : 1);
        }
    }

    private static void assertUnfit(ThrowingCallable call, String... words) {
        assertThatThrownBy(call).isInstanceOf(CounterException.Unfit.class).hasMessageContainingAll(words);
    }

    @Test
    void shouldTruncateATableAsItsOwnKindAlone() {
        CountersConfig config = created("own", CounterKind.FOLDED);
        count(config, 3);

        assertUnfit(
                () -> Counters.truncate(session, config("own", CounterKind.VERSIONED)),
                "holds counters of the kind FOLDED",
                "VERSIONED");
        session.execute(Counters.ddl(KEYSPACE + ".undeclared", CounterKind.FOLDED));
        assertUnfit(
                () -> Counters.truncate(session, config("undeclared", CounterKind.FOLDED)), "cassidy counters adopt");

        assertThat(value(config)).isEqualTo(3);
    }

    /** As a process leaves it that ends after the first TRUNCATE, or before another generation has begun. */
    @Test
    void shouldCompleteWhatAProcessHasBegunToEmpty() {
        CountersConfig config = created("half", CounterKind.FOLDED);
        countAndSettle(config);
        try (Counters counting = Counters.open(session, config)) {
            counting.counter("IBM").increment(BEFORE);
            truncate(config);
            counting.counter("IBM").increment(BEFORE);

            Counters.truncate(session, config);

            countAfterIt(config);
            counting.counter("IBM").fold();
            assertThat(counting.counter("IBM").value()).isEqualTo(2);
        }
    }

    @Test
    void shouldNotCountUnderTheNameOfTheGeneration() {
        CountersConfig config = created("name", CounterKind.FOLDED);
        try (Counters counters = Counters.open(session, config)) {
            assertThatThrownBy(() -> counters.counter("~cassidy"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("type='~cassidy'");
        }
    }
}
