package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import dev.cassidy.SharedNode;
import dev.cassidy.counter.cassandra.Totals;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.math.BigInteger;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class CountersIT {

    private static final CountersConfig CONFIG = CountersConfig.of("counters_it.traded")
            .withGlobalKeyspace("counters_it_cassidy")
            .withRequestTimeout(Duration.ofMinutes(1))
            .withIncrementTimeout(Duration.ofMinutes(2));

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
        session.execute("CREATE KEYSPACE counters_it WITH replication ="
                + " {'class': 'NetworkTopologyStrategy', 'datacenter1': 1}"
                        .replace("datacenter1", cassandra.localDatacenter()));
        CassidySchema.install(
                session,
                Replication.parse(cassandra.localDatacenter() + ":1"),
                SequencesConfig.defaults().withGlobalKeyspace("counters_it_cassidy"));
        Counters.create(session, CONFIG);
    }

    @AfterAll
    static void disconnect() {
        session.close();
    }

    @Test
    void shouldCountAnIncrement() {
        try (Counters counters = Counters.open(session, CONFIG)) {
            Counter ibm = counters.counter("IBM");

            Receipt first = ibm.increment(1000);
            Receipt second = ibm.increment(-300);

            assertThat(ibm.value()).isEqualTo(700);
            assertThat(second.version()).isEqualTo(first.version() + 1);
            assertThat(ibm.status(first)).isEqualTo(ReceiptStatus.COUNTED);
            assertThat(counters.status(Receipt.parse(second.toString()))).isEqualTo(ReceiptStatus.COUNTED);
        }
    }

    @Test
    void shouldKeepTheValueWhenItIsFolded() {
        try (Counters counters = Counters.open(session, CONFIG)) {
            Counter folded = counters.counter("folded");
            List<Receipt> receipts =
                    IntStream.rangeClosed(1, 10).mapToObj(folded::increment).toList();

            // Some rows may already be folded in the background.
            assertThat(folded.fold().waiting()).isZero();

            assertThat(folded.value()).isEqualTo(55);
            assertThat(rows("folded")).isEqualTo(2);
            assertThat(receipts).allMatch(receipt -> folded.status(receipt) == ReceiptStatus.COUNTED);
            folded.increment(5);
            assertThat(folded.value()).isEqualTo(60);
            assertThat(folded.fold().waiting()).isZero();
            assertThat(rows("folded")).isEqualTo(2);
            assertThat(folded.value()).isEqualTo(60);
        }
    }

    /** A fold could come between two pages, so a sum whose page was too small is done again. */
    @Test
    void shouldSumManyRowsInOnePage() {
        int rows = 20_001;
        PreparedStatement insert = session.prepare(
                "INSERT INTO counters_it.traded (type, actor, version, increment) VALUES ('many', 'elsewhere', ?, 1)");
        for (int first = 0; first < rows; first += 200) {
            session.execute(BatchStatement.newInstance(
                    BatchType.UNLOGGED,
                    IntStream.range(first, Math.min(rows, first + 200))
                            .mapToObj(version -> insert.bind((long) version))
                            .toArray(BoundStatement[]::new)));
        }
        LossySession counted = new LossySession(session, "COUNT(*)");
        Totals totals = new Totals(counted.session(), "counters_it.traded", Duration.ofMinutes(1));

        assertThat(sum(totals)).isEqualTo(new Totals.Total(BigInteger.valueOf(rows), rows));
        assertThat(counted.sent()).isEqualTo(2);
        assertThat(sum(totals)).isEqualTo(new Totals.Total(BigInteger.valueOf(rows), rows));
        assertThat(counted.sent()).as("the page is large enough from the start").isEqualTo(3);
    }

    private static Totals.Total sum(Totals totals) {
        return totals.of("many", ConsistencyLevel.LOCAL_QUORUM)
                .toCompletableFuture()
                .join();
    }

    @Test
    void shouldCountThousandsInFlightAndGroupThem() {
        try (Counters counters = Counters.open(session, CONFIG)) {
            Counter hot = counters.counter("hot");
            Set<Receipt> rows = new HashSet<>();
            List<CompletableFuture<Receipt>> all = IntStream.range(0, 20_000)
                    .mapToObj(i -> hot.incrementAsync(1).toCompletableFuture())
                    .toList();
            all.forEach(one -> rows.add(one.join()));

            assertThat(hot.value()).isEqualTo(20_000);
            assertThat(rows).hasSizeLessThan(5_000);
        }
    }

    @Test
    void shouldWriteIncrementsOfManyCountersTogether() {
        int increments = 2_000;
        try (CqlSession withTokens = CqlSession.builder()
                .addContactPoint(SharedNode.get().contactPoint())
                .withLocalDatacenter(SharedNode.get().localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withStringList(DefaultDriverOption.METADATA_SCHEMA_REFRESHED_KEYSPACES, List.of("counters_it"))
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .build())
                .build()) {
            LossySession requests =
                    new LossySession(withTokens, "(type, actor, version, increment) VALUES").loseAnswers(20);
            try (Counters counters = Counters.open(requests.session(), CONFIG)) {
                List<CompletableFuture<Receipt>> all = IntStream.range(0, increments)
                        .mapToObj(i -> counters.counter("of many " + i % 500)
                                .incrementAsync(1)
                                .toCompletableFuture())
                        .toList();
                all.forEach(CompletableFuture::join);

                assertThat(IntStream.range(0, 500)).allSatisfy(i -> assertThat(
                                counters.counter("of many " + i).value())
                        .isEqualTo(increments / 500));
                int rows =
                        new HashSet<>(all.stream().map(CompletableFuture::join).toList()).size();
                assertThat(requests.sent()).isLessThan(rows / 2);
            }
        }
    }

    @Test
    void shouldContinueAcrossProcessesOneAfterAnother() {
        for (int i = 1; i <= 8; i++) {
            try (Counters counters = Counters.open(session, CONFIG)) {
                Counter counter = counters.counter("restarted");
                counter.increment(i);
                counter.increment(i);
            }
        }
        try (Counters counters = Counters.open(session, CONFIG)) {
            Counter counter = counters.counter("restarted");
            assertThat(counter.value()).isEqualTo(72);
            counter.fold();
            assertThat(counter.value()).isEqualTo(72);
            assertThat(rows("restarted")).isEqualTo(2);
        }
    }

    /** It is in the keys of all of Cassidy's tables, too. */
    @Test
    void shouldCountUnderTheLongestName() {
        String longest = "\u00fc".repeat(32_500);
        Receipt receipt = null;
        for (int i = 0; i < 2; i++) {
            try (Counters counters = Counters.open(session, CONFIG)) {
                receipt = counters.counter(longest).increment(5);
                counters.counter(longest).increment(5);
            }
        }
        try (Counters counters = Counters.open(session, CONFIG)) {
            Counter counter = counters.counter(longest);
            counter.fold();
            assertThat(rows(longest)).as("settled").isEqualTo(2);
            assertThat(counter.status(receipt)).isEqualTo(ReceiptStatus.COUNTED);
            assertThat(counter.value()).isEqualTo(20);
            assertThatThrownBy(() -> counters.counter(longest + "x")).hasMessageContaining("65000");
            assertThatThrownBy(() -> counters.counter("a\uD83D")).hasMessageContaining("surrogate");
        }
    }

    @Test
    void shouldMeasure() {
        LossySession lossy = new LossySession(session, "(type, actor, version, increment) VALUES");
        CountersConfig hasty = CONFIG.withIncrementTimeout(Duration.ofSeconds(20));
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (Counters counters = Counters.open(lossy.session(), hasty);
                CounterMetrics metrics = new CounterMetrics(counters)) {
            metrics.bindTo(registry);
            assertThat(registry.getMeters()).hasSize(8).allSatisfy(meter -> assertThat(
                            meter.getId().getTag("table"))
                    .isEqualTo("counters_it.traded"));
            assertThat(value(registry, "janitor")).isNaN();
            assertThat(value(registry, "unfolded")).isZero();
            Counter counter = counters.counter("measured");
            for (int i = 0; i < 6; i++) {
                counter.increment(1);
            }
            lossy.loseAnswers(2);
            counter.increment(1);
            assertThat(value(registry, "acknowledged")).isEqualTo(7);
            assertThat(value(registry, "repeated")).isEqualTo(2);
            assertThat(value(registry, "unfolded")).isPositive();
            assertThat(value(registry, "unknown")).isZero();
            assertThat(value(registry, "unsettled")).isZero();
            await().atMost(Duration.ofMinutes(2)).until(() -> !Double.isNaN(value(registry, "slots")));

            lossy.loseAnswers(Integer.MAX_VALUE);
            assertThatThrownBy(() -> counter.increment(1)).isInstanceOf(CounterException.OutcomeUnknown.class);
            lossy.next(0, Supplier::get);
            assertThat(value(registry, "unknown")).isOne();
            assertThat(value(registry, "acknowledged")).isEqualTo(7);
            assertThat(counters.figures().acknowledged()).isEqualTo(7);
            metrics.close();
            assertThat(registry.getMeters()).isEmpty();
        }
    }

    private static double value(SimpleMeterRegistry registry, String meter) {
        return registry.get("cassidy.counter." + meter)
                .meter()
                .measure()
                .iterator()
                .next()
                .getValue();
    }

    @Test
    void shouldTellWhatDoesNotFitALong() {
        try (Counters counters = Counters.open(session, CONFIG)) {
            Counter large = counters.counter("large");
            large.increment(Long.MAX_VALUE);
            large.increment(Long.MAX_VALUE);

            assertThat(large.exactValue())
                    .isEqualTo(BigInteger.valueOf(Long.MAX_VALUE).shiftLeft(1));
            assertThatThrownBy(large::value)
                    .isInstanceOf(CounterException.Overflow.class)
                    .hasMessageContaining("18446744073709551614");
            assertThatThrownBy(large::fold)
                    .isInstanceOf(CounterException.Overflow.class)
                    .hasMessageContaining("varint");
        }
    }

    private static long rows(String type) {
        return session.execute("SELECT COUNT(*) FROM counters_it.traded WHERE type = ?", type)
                .one()
                .getLong(0);
    }
}
