package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import dev.cassidy.SharedNode;
import dev.cassidy.counter.cassandra.BucketedTable;
import dev.cassidy.counter.cassandra.CassandraBucketedTable;
import dev.cassidy.counter.cassandra.CassandraRevisedTable;
import dev.cassidy.counter.cassandra.RevisedTable;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.lwt.CasOutcome;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CounterKindsIT {

    private static final String KEYSPACE = "counter_kinds_it";

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
        for (CounterKind kind : CounterKind.values()) {
            Counters.create(session, settings(table(kind), kind));
        }
    }

    @AfterAll
    static void disconnect() {
        session.close();
    }

    private static String table(CounterKind kind) {
        return KEYSPACE + "." + kind.name().toLowerCase(Locale.ROOT) + "_counters";
    }

    private static CountersConfig config(CounterKind kind) {
        CountersConfig config = settings(table(kind), kind);
        return needsActor(kind) ? config.withActor("P1") : config;
    }

    private static boolean needsActor(CounterKind kind) {
        return kind == CounterKind.CUMULATIVE || kind == CounterKind.VERSIONED || kind == CounterKind.BUCKETED;
    }

    private static CountersConfig settings(String table, CounterKind kind) {
        CountersConfig settings = CountersConfig.of(table)
                .withGlobalKeyspace(KEYSPACE + "_cassidy")
                .withRequestTimeout(Duration.ofMinutes(1))
                .withIncrementTimeout(Duration.ofMinutes(2))
                .withKind(kind);
        return kind == CounterKind.BUCKETED
                ? settings.withApproximate(true).withIncrementTimeout(Duration.ofSeconds(30))
                : settings;
    }

    private static Counters open(CountersConfig config) {
        return Counters.open(session, needsActor(config.kind()) ? config.withActor("P1") : config);
    }

    @ParameterizedTest
    @EnumSource
    void shouldCount(CounterKind kind) {
        try (Counters counters = Counters.open(session, config(kind))) {
            Counter ibm = counters.counter("IBM");
            assertThat(ibm.value()).isZero();

            ibm.add(1000);
            ibm.add(-300);

            assertThat(ibm.value()).isEqualTo(700);
            assertThat(ibm.valueEverywhere()).isEqualTo(700);
            assertThat(counters.counter("MSFT").value()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldGoOnInTheNextProcess(CounterKind kind) {
        for (int i = 1; i <= 4; i++) {
            try (Counters counters = Counters.open(session, config(kind))) {
                counters.counter("restarted").add(i);
                counters.counter("restarted").add(i);
            }
        }
        try (Counters counters = Counters.open(session, config(kind))) {
            assertThat(counters.counter("restarted").value()).isEqualTo(20);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldCountManyInFlight(CounterKind kind) {
        try (Counters counters = Counters.open(session, config(kind))) {
            Counter hot = counters.counter("hot");
            List<CompletableFuture<Void>> all = IntStream.range(0, 500)
                    .mapToObj(i -> hot.addAsync(1).toCompletableFuture())
                    .toList();
            all.forEach(CompletableFuture::join);

            assertThat(hot.value()).isEqualTo(500);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseWhatIsNegativeIfTheyOnlyGrow(CounterKind kind) {
        try (Counters counters = Counters.open(session, config(kind).withGrowOnly(true))) {
            assertThatThrownBy(() -> counters.counter("grows").add(-1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("delta=-1");
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FOLDED")
    void shouldRefuseReceiptsByName(CounterKind kind) {
        try (Counters counters = Counters.open(session, config(kind))) {
            Counter counter = counters.counter("IBM");
            Receipt receipt = new Receipt(table(kind), new UUID(0, 0), "IBM", "dc1/0", 1, 1);
            assertThatThrownBy(() -> counter.increment(1))
                    .isInstanceOf(CounterException.Refused.class)
                    .hasMessageContainingAll(kind.name(), "add(delta)", "FOLDED");
            assertThatThrownBy(() -> counter.status(receipt))
                    .isInstanceOf(CounterException.Refused.class)
                    .hasMessageContaining(kind.name());
            assertThatThrownBy(counters::clean)
                    .isInstanceOf(CounterException.Refused.class)
                    .hasMessageContaining(kind.name());
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"FOLDED", "VERSIONED", "BUCKETED"})
    void shouldRefuseToFoldByName(CounterKind kind) {
        try (Counters counters = Counters.open(session, config(kind))) {
            assertThatThrownBy(() -> counters.counter("IBM").fold())
                    .isInstanceOf(CounterException.Refused.class)
                    .hasMessageContainingAll(kind.name(), "FOLDED");
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseATableThatIsMissingOrOfAnotherKind(CounterKind kind) {
        CountersConfig missing = settings(KEYSPACE + ".missing", kind);
        String other = table(kind == CounterKind.NATIVE ? CounterKind.FOLDED : CounterKind.NATIVE);
        assertThatThrownBy(() -> open(missing))
                .isInstanceOf(CounterException.Unfit.class)
                .hasMessageContaining(Counters.ddl(missing.table(), kind)
                        .split(";")[kind == CounterKind.BUCKETED ? 1 : 0]
                        .strip());
        assertThatThrownBy(() -> open(settings(other, kind)))
                .isInstanceOf(CounterException.Unfit.class)
                .hasMessageContainingAll("holds counters of the kind", kind.name());
    }

    @ParameterizedTest
    @EnumSource
    void shouldDemandAnActorOrRefuseOne(CounterKind kind) {
        CountersConfig wrong =
                needsActor(kind) ? settings(table(kind), kind) : config(kind).withActor("P1");
        assertThatThrownBy(() -> Counters.open(session, wrong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(kind.name(), "actor");
    }

    /** The kinds that know the total refuse what does not fit. */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"FOLDED", "NATIVE", "BUCKETED"})
    void shouldNotWrap(CounterKind kind) {
        try (Counters counters = Counters.open(session, config(kind))) {
            Counter large = counters.counter("large");
            large.add(Long.MAX_VALUE);
            assertThatThrownBy(() -> large.add(1))
                    .isInstanceOf(CounterException.Overflow.class)
                    .hasMessageContaining("delta=1");

            assertThat(large.value()).isEqualTo(Long.MAX_VALUE);
            large.add(-1);
            assertThat(large.value()).isEqualTo(Long.MAX_VALUE - 1);
        }
    }

    /** Conditional statements of two datacenters would not know of each other. */
    @ParameterizedTest
    @EnumSource(names = {"LINEARIZABLE", "SERIALIZABLE", "BUCKETED"})
    void shouldRefuseAKeyspaceThatOtherDatacentersMayHave(CounterKind kind) {
        session.execute("CREATE KEYSPACE IF NOT EXISTS " + KEYSPACE
                + "_simple WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        String table = KEYSPACE + "_simple." + kind;
        CountersConfig config = settings(table, kind);
        Counters.create(session, config);
        assertThatThrownBy(() -> Counters.open(session, needsActor(kind) ? config.withActor("P1") : config))
                .isInstanceOf(CounterException.Unfit.class)
                .hasMessageContainingAll("alone", "NetworkTopologyStrategy");
    }

    @Nested
    class Native {

        private static final CountersConfig CONFIG = config(CounterKind.NATIVE);

        @Test
        void shouldNotRepeatAnIncrementAndTellThatItsOutcomeIsUnknown() {
            LossySession lossy = new LossySession(session, "value = value + ?");
            try (Counters counters = Counters.open(lossy.session(), CONFIG)) {
                lossy.loseRequests(1);
                CounterException.OutcomeUnknown unknown =
                        catchThrowableOfType(CounterException.OutcomeUnknown.class, () -> counters.counter("unknown")
                                .add(5));

                assertThat(unknown).hasMessageContainingAll("NATIVE", "no receipts");
                assertThat(unknown.receipt()).isEmpty();
                assertThat(lossy.sent()).isOne();
                assertThat(counters.counter("unknown").value()).isZero();
            }
        }

        /** The anomaly of this kind. */
        @Test
        void shouldCountTwiceWhatTheCallerRepeats() {
            LossySession lossy = new LossySession(session, "value = value + ?");
            try (Counters counters = Counters.open(lossy.session(), CONFIG)) {
                Counter doubled = counters.counter("doubled");
                lossy.loseAnswers(1);
                assertThatThrownBy(() -> doubled.add(5)).isInstanceOf(CounterException.OutcomeUnknown.class);
                doubled.add(5);

                assertThat(doubled.value()).isEqualTo(10);
            }
        }
    }

    @Nested
    class Linearizable {

        private static final CountersConfig CONFIG = config(CounterKind.LINEARIZABLE);
        private static final String CHANGE = "SET made = ?";

        @Test
        void shouldCountOnceIfTheAnswerIsLost() {
            LossySession lossy = new LossySession(session, CHANGE);
            try (Counters counters = Counters.open(lossy.session(), CONFIG)) {
                lossy.loseAnswers(1);
                counters.counter("answer lost").add(5);
                assertThat(counters.counter("answer lost").value()).isEqualTo(5);
                assertThat(lossy.sent()).isOne();
            }
        }

        @Test
        void shouldCountOnceIfTheRequestIsLost() {
            LossySession lossy = new LossySession(session, CHANGE);
            try (Counters counters = Counters.open(lossy.session(), CONFIG)) {
                lossy.loseRequests(1);
                counters.counter("request lost").add(5);
                assertThat(counters.counter("request lost").value()).isEqualTo(5);
            }
        }

        @Test
        void shouldCountOnceIfTheRequestIsExecutedLater() {
            LossySession lossy = new LossySession(session, CHANGE);
            try (Counters counters = Counters.open(lossy.session(), CONFIG)) {
                Counter late = counters.counter("late");
                late.add(1);
                lossy.hold(1);
                late.add(5);
                assertThat(lossy.deliver()).noneMatch(answer -> answer.wasApplied());
                assertThat(late.value()).isEqualTo(6);
            }
        }

        /** Its own change is not the last one any more when it asks. */
        @Test
        void shouldCountOnceIfOthersComeBeforeItAsks() {
            LossySession lossy = new LossySession(session, CHANGE);
            try (Counters counters = Counters.open(lossy.session(), CONFIG);
                    Counters others = Counters.open(session, CONFIG)) {
                Counter rival = others.counter("overtaken");
                lossy.next(1, onward -> onward.get()
                        .thenCompose(rows -> rival.addAsync(10))
                        .thenCompose(added -> rival.addAsync(10))
                        .thenCompose(added ->
                                CompletableFuture.failedFuture(new DriverTimeoutException("lost by the test"))));
                counters.counter("overtaken").add(5);
                assertThat(rival.value()).isEqualTo(25);
            }
        }

        @Test
        void shouldCountOnceIfItMeetsItself() {
            countOnceIfTheFirstCopyComesFirst(CONFIG);
        }

        @Test
        void shouldNotGuessIfTooManyOthersComeBeforeItAsks() {
            LossySession lossy = new LossySession(session, CHANGE);
            try (Counters counters = Counters.open(lossy.session(), CONFIG);
                    Counters others = Counters.open(session, CONFIG)) {
                Counter rival = others.counter("forgotten");
                lossy.next(1, onward -> {
                    CompletionStage<Void> all = onward.get().thenAccept(applied -> {});
                    for (int i = 0; i < RevisedTable.RING; i++) {
                        all = all.thenCompose(done -> rival.addAsync(1));
                    }
                    return all.thenCompose(done -> LossySession.timeOut());
                });
                assertThatThrownBy(() -> counters.counter("forgotten").add(1000))
                        .isInstanceOf(CounterException.OutcomeUnknown.class)
                        .hasMessageContaining("too many other changes");
                assertThat(rival.value()).isEqualTo(1000 + RevisedTable.RING);
            }
        }

        /** The anomaly of this kind: who is always refused gives up. Nothing is lost, and nothing counts that was refused. */
        @Test
        void shouldGiveUpIfOthersAlwaysComeFirst() {
            LossySession lossy = new LossySession(session, CHANGE);
            Duration soon = Duration.ofSeconds(3);
            try (Counters counters = Counters.open(lossy.session(), CONFIG.withIncrementTimeout(soon));
                    Counters others = Counters.open(session, CONFIG)) {
                Counter rival = others.counter("contended");
                AtomicInteger wins = new AtomicInteger();
                lossy.next(Integer.MAX_VALUE, onward -> rival.addAsync(1)
                        .thenAccept(won -> wins.incrementAndGet())
                        .thenCompose(won -> onward.get()));

                assertThatThrownBy(() -> counters.counter("contended").add(1000))
                        .isInstanceOfAny(CounterException.NotSent.class, CounterException.OutcomeUnknown.class);

                lossy.next(0, onward -> onward.get());
                counters.counter("contended").add(1000);
                assertThat(rival.value()).isEqualTo(1000 + wins.get());
            }
        }

        @Test
        void shouldLoseNothingAmongManyProcesses() {
            countAmongManyProcesses(CONFIG);
        }
    }

    @Nested
    class Serializable {

        private static final CountersConfig CONFIG = config(CounterKind.SERIALIZABLE);

        @ParameterizedTest
        @ValueSource(strings = {"SET made = ?", "SET fence = ?", "SET holder = null"})
        void shouldCountOnceIfTheAnswerIsLost(String statement) {
            LossySession lossy = new LossySession(session, statement);
            try (Counters counters = Counters.open(lossy.session(), CONFIG)) {
                Counter counter = counters.counter("answer lost " + statement);
                lossy.loseAnswers(1);
                counter.add(5);
                counter.add(1);
                assertThat(counter.value()).isEqualTo(6);
            }
        }

        @ParameterizedTest
        @ValueSource(strings = {"SET made = ?", "SET fence = ?"})
        void shouldCountOnceIfTheRequestIsExecutedLater(String statement) {
            LossySession lossy = new LossySession(session, statement);
            try (Counters counters = Counters.open(lossy.session(), CONFIG)) {
                Counter counter = counters.counter("late " + statement);
                lossy.hold(1);
                counter.add(5);
                assertThat(lossy.deliver()).noneMatch(answer -> answer.wasApplied());
                counter.add(1);
                assertThat(counter.value()).isEqualTo(6);
            }
        }

        /** The lock is taken over from a holder that does not move, and its token keeps out what it sends afterwards. */
        @Test
        void shouldRefuseTheLateWriteOfAFormerHolder() {
            RevisedTable zombie = new CassandraRevisedTable(
                    ConditionalStatements.withinDatacenter(session, Duration.ofMinutes(1)),
                    table(CounterKind.SERIALIZABLE),
                    true);
            UUID holder = UUID.randomUUID();
            RevisedTable.Revised seen =
                    zombie.read("taken over").toCompletableFuture().join();
            assertThat(zombie.lock("taken over", seen, holder)
                            .toCompletableFuture()
                            .join())
                    .isInstanceOf(CasOutcome.Applied.class);

            Duration lease = Duration.ofSeconds(10);
            try (Counters counters = Counters.open(session, CONFIG.withRequestTimeout(lease))) {
                Counter counter = counters.counter("taken over");
                counter.add(5);

                assertThat(zombie.change("taken over", seen.locked(holder), 1000, UUID.randomUUID())
                                .toCompletableFuture()
                                .join())
                        .isInstanceOf(CasOutcome.Refused.class);
                assertThat(zombie.unlock("taken over", seen.locked(holder).fence())
                                .toCompletableFuture()
                                .join())
                        .isInstanceOf(CasOutcome.Refused.class);
                assertThat(counter.value()).isEqualTo(5);
            }
        }

        /** The anomaly of this kind: while a dead holder has the lock, others wait, and give up if their time is up. */
        @Test
        void shouldGiveUpIfTheLockIsNotFreeInTime() {
            RevisedTable dead = new CassandraRevisedTable(
                    ConditionalStatements.withinDatacenter(session, Duration.ofMinutes(1)),
                    table(CounterKind.SERIALIZABLE),
                    true);
            RevisedTable.Revised seen =
                    dead.read("locked").toCompletableFuture().join();
            dead.lock("locked", seen, UUID.randomUUID()).toCompletableFuture().join();
            LossySession lossy = new LossySession(session, "SET fence = ?");
            CountersConfig hasty = CONFIG.withIncrementTimeout(Duration.ofSeconds(2));
            try (Counters counters = Counters.open(lossy.session(), hasty)) {
                lossy.loseRequests(Integer.MAX_VALUE);
                assertThatThrownBy(() -> counters.counter("locked").add(5))
                        .isInstanceOf(CounterException.NotSent.class)
                        .hasMessageContaining("lock");
                assertThat(counters.counter("locked").value()).isZero();
            }
        }

        @Test
        void shouldCountOnceIfItMeetsItself() {
            countOnceIfTheFirstCopyComesFirst(CONFIG);
        }

        @Test
        void shouldLoseNothingAmongManyProcesses() {
            countAmongManyProcesses(CONFIG);
        }
    }

    /** The copy that is sent again meets the first one, and its refusal must not be taken for a failure. */
    private static void countOnceIfTheFirstCopyComesFirst(CountersConfig config) {
        LossySession lossy = new LossySession(session, "SET made = ?");
        AtomicReference<Supplier<CompletionStage<AsyncResultSet>>> first = new AtomicReference<>();
        try (Counters counters = Counters.open(lossy.session(), config)) {
            lossy.next(
                    2,
                    onward -> first.compareAndSet(null, onward)
                            ? LossySession.timeOut()
                            : first.get().get().thenCompose(applied -> onward.get()));
            counters.counter("met itself").add(5);
            assertThat(counters.counter("met itself").value()).isEqualTo(5);
            assertThat(lossy.sent()).isEqualTo(2);
        }
    }

    private static void countAmongManyProcesses(CountersConfig config) {
        List<Counters> processes =
                Stream.generate(() -> Counters.open(session, config)).limit(4).toList();
        List<CompletableFuture<Void>> all = IntStream.range(0, 40)
                .mapToObj(i -> processes.get(i % 4).counter("many").addAsync(1).toCompletableFuture())
                .toList();
        all.forEach(CompletableFuture::join);
        assertThat(processes.get(0).counter("many").value()).isEqualTo(40);
        processes.forEach(Counters::close);
    }

    /** What the kinds with actors have in common. */
    @Nested
    class Actors {

        private static final String WRITE = "INSERT INTO";

        @ParameterizedTest
        @EnumSource(names = {"CUMULATIVE", "VERSIONED"})
        void shouldSumTheActors(CounterKind kind) {
            try (Counters one = Counters.open(session, config(kind).withActor("P1"));
                    Counters other = Counters.open(session, config(kind).withActor("P2"))) {
                one.counter("actors").add(1000);
                other.counter("actors").add(500);
                one.counter("actors").add(500);
                assertThat(other.counter("actors").value()).isEqualTo(2000);
            }
        }

        @ParameterizedTest
        @EnumSource(names = {"CUMULATIVE", "VERSIONED"})
        void shouldCountOnceIfAnswersOrRequestsAreLost(CounterKind kind) {
            LossySession lossy = new LossySession(session, WRITE);
            try (Counters counters = Counters.open(lossy.session(), config(kind))) {
                Counter counter = counters.counter("lossy");
                lossy.loseAnswers(2);
                counter.add(1);
                lossy.loseAnswers(1);
                counter.add(10);
                lossy.loseRequests(2);
                counter.add(100);
                assertThat(counter.value()).isEqualTo(111);
            }
        }

        /** What has an unknown outcome is written before anything else, and its late copies change nothing. */
        @ParameterizedTest
        @EnumSource(names = {"CUMULATIVE", "VERSIONED"})
        void shouldGoOnAfterAnUnknownOutcome(CounterKind kind) {
            LossySession lossy = new LossySession(session, WRITE);
            CountersConfig hasty = config(kind).withIncrementTimeout(Duration.ofSeconds(3));
            try (Counters counters = Counters.open(lossy.session(), hasty)) {
                Counter counter = counters.counter("unknown");
                addPatiently(counter, 1);
                lossy.hold(Integer.MAX_VALUE);
                CounterException.OutcomeUnknown unknown =
                        catchThrowableOfType(CounterException.OutcomeUnknown.class, () -> counter.add(100));
                assertThat(unknown).hasMessageContainingAll(kind.name(), "no receipts");
                assertThat(unknown.receipt()).isEmpty();

                lossy.next(0, Supplier::get);
                addPatiently(counter, 5);
                lossy.deliver();
                assertThat(counter.value()).isEqualTo(106);
            }
        }

        /** The next process of the actor does not know of the last write of one that died, which arrives afterwards. */
        @ParameterizedTest
        @EnumSource(names = {"CUMULATIVE", "VERSIONED"})
        void shouldLoseNothingToTheLateWriteOfAProcessThatDied(CounterKind kind) {
            LossySession lossy = new LossySession(session, WRITE);
            CountersConfig hasty = config(kind).withIncrementTimeout(Duration.ofSeconds(3));
            try (Counters counters = Counters.open(lossy.session(), hasty)) {
                Counter counter = counters.counter("died");
                addPatiently(counter, 1);
                lossy.hold(Integer.MAX_VALUE);
                assertThatThrownBy(() -> counter.add(100)).isInstanceOf(CounterException.OutcomeUnknown.class);
            }
            // This one dies while it begins.
            try (Counters counters = Counters.open(lossy.session(), hasty)) {
                assertThatThrownBy(() -> counters.counter("died").add(1000))
                        .isInstanceOf(CounterException.NotSent.class);
            }
            try (Counters counters = Counters.open(session, config(kind))) {
                Counter counter = counters.counter("died");
                counter.add(10);
                lossy.deliver();
                assertThat(counter.value()).isEqualTo(11);
            }
        }

        /** The increment time-out of these tests is short, and the machine may be slow. */
        private void addPatiently(Counter counter, long delta) {
            await().ignoreExceptionsInstanceOf(CounterException.NotSent.class)
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> {
                        counter.add(delta);
                        return true;
                    });
        }

        /** The anomaly of these kinds. */
        @ParameterizedTest
        @EnumSource(names = {"CUMULATIVE", "VERSIONED"})
        void shouldLoseIncrementsIfTwoProcessesUseOneActor(CounterKind kind) {
            try (Counters one = Counters.open(session, config(kind));
                    Counters other = Counters.open(session, config(kind))) {
                one.counter("shared").add(1);
                other.counter("shared").add(10);
                one.counter("shared").add(100);
                assertThat(one.counter("shared").value()).isEqualTo(11);
            }
        }

        @Test
        void shouldKeepOneRowForEachActor() {
            try (Counters counters = Counters.open(session, config(CounterKind.CUMULATIVE))) {
                for (int i = 1; i <= 10; i++) {
                    counters.counter("one row").add(i);
                }
                assertThat(rows(CounterKind.CUMULATIVE, "one row")).isOne();
                assertThat(counters.counter("one row").value()).isEqualTo(55);
            }
        }

        @Test
        void shouldFoldVersionsAndKeepTheValue() {
            try (Counters counters = Counters.open(session, config(CounterKind.VERSIONED));
                    Counters others =
                            Counters.open(session, config(CounterKind.VERSIONED).withActor("P2"))) {
                Counter counter = counters.counter("folded");
                others.counter("folded").add(1000);
                for (int i = 1; i <= 10; i++) {
                    counter.add(i);
                }
                long before = rows(CounterKind.VERSIONED, "folded");

                FoldResult result = counter.fold();

                assertThat(rows(CounterKind.VERSIONED, "folded")).isEqualTo(2);
                assertThat(result).isEqualTo(new FoldResult(before - 2, 0));
                assertThat(counter.value()).isEqualTo(1055);
                session.execute("INSERT INTO " + table(CounterKind.VERSIONED)
                        + " (type, actor, version, increment) VALUES ('folded', '"
                        + session.execute("SELECT actor FROM " + table(CounterKind.VERSIONED)
                                        + " WHERE type = 'folded' LIMIT 1")
                                .one()
                                .getString(0)
                        + "', 3, 1) USING TIMESTAMP 3");
                assertThat(rows(CounterKind.VERSIONED, "folded")).isEqualTo(2);
                counter.add(5);
                assertThat(counter.value()).isEqualTo(1060);
            }
        }

        @Test
        void shouldFoldVersionsInTheBackground() {
            try (Counters counters =
                    Counters.open(session, config(CounterKind.VERSIONED).withFoldAfter(5))) {
                for (int i = 1; i <= 12; i++) {
                    counters.counter("background").add(1);
                }
                await().atMost(Duration.ofMinutes(2)).until(() -> rows(CounterKind.VERSIONED, "background") < 8);
                assertThat(counters.counter("background").value()).isEqualTo(12);
            }
        }

        @Test
        void shouldSumVersionsOnTheServerWhereItCan() {
            CrdtFunctions.install(session, KEYSPACE, List.of("crdt_latest_sum"));
            LossySession lossy = new LossySession(session, "crdt_latest_sum");
            LossySession rows = new LossySession(session, "SELECT actor, version, increment");
            try (Counters counters = Counters.open(lossy.session(), config(CounterKind.VERSIONED));
                    Counters here = Counters.open(rows.session(), config(CounterKind.VERSIONED))) {
                counters.counter("on the server").add(7);
                assertThat(counters.counter("on the server").value()).isEqualTo(7);
                assertThat(lossy.sent()).isOne();
                assertThat(here.counter("on the server").value()).isEqualTo(7);
                assertThat(rows.sent()).isZero();
            }
        }

        /** As another client, or a program of the seed, leaves it: the server's function and the client agree. */
        @Test
        void shouldSkipARowWithoutATotal() {
            CrdtFunctions.install(session, KEYSPACE, List.of("crdt_latest_sum"));
            LossySession here = new LossySession(session, "crdt_latest_sum");
            try (Counters counters = Counters.open(session, config(CounterKind.VERSIONED))) {
                counters.counter("null").add(100);
            }
            String actor = actorOf("null");
            for (int version = 1_000; version < 1_005; version++) {
                session.execute(
                        "INSERT INTO " + table(CounterKind.VERSIONED)
                                + " (type, actor, version, increment) VALUES ('null', ?, " + version + ", null)",
                        actor);
            }
            String onTheServer = "SELECT crdt_latest_sum(type, actor, version, increment) FROM " + KEYSPACE
                    + ".versioned_counters WHERE type = 'null'";
            assertThat(session.execute(onTheServer).one().getBigInteger(0)).isEqualTo(100);
            try (Counters counters = Counters.open(session, config(CounterKind.VERSIONED));
                    Counters without = Counters.open(here.session(), config(CounterKind.VERSIONED))) {
                here.next(
                        Integer.MAX_VALUE,
                        onward -> CompletableFuture.failedFuture(new InvalidQueryException(
                                session.getMetadata()
                                        .getNodes()
                                        .values()
                                        .iterator()
                                        .next(),
                                "Unknown function")));
                assertThat(without.counter("null").value())
                        .as("summed in the client")
                        .isEqualTo(100);
                assertThat(counters.counter("null").value()).isEqualTo(100);
                counters.counter("null").fold();
                assertThat(counters.counter("null").value()).isEqualTo(100);
                counters.counter("null").add(1);
                assertThat(counters.counter("null").value()).isEqualTo(101);
            }
        }

        /** The seed's programs write without a timestamp of their own. */
        @Test
        void shouldFoldRowsThatWereWrittenByTheClock() {
            for (int version = 1; version <= 250; version++) {
                session.execute("INSERT INTO " + table(CounterKind.VERSIONED)
                        + " (type, actor, version, increment) VALUES ('clock', 'seed', " + version + ", " + version
                        + ")");
            }
            try (Counters counters = Counters.open(session, config(CounterKind.VERSIONED))) {
                Counter counter = counters.counter("clock");
                counter.add(1);
                assertThat(counter.fold().folded()).isGreaterThanOrEqualTo(249);
                assertThat(rows(CounterKind.VERSIONED, "clock")).isEqualTo(2);
                assertThat(counter.value()).isEqualTo(251);
                assertThat(counter.fold()).isEqualTo(new FoldResult(0, 0));
            }
        }

        private String actorOf(String type) {
            return session.execute(
                            "SELECT actor FROM " + table(CounterKind.VERSIONED) + " WHERE type = ? LIMIT 1", type)
                    .one()
                    .getString(0);
        }

        private long rows(CounterKind kind, String type) {
            return session.execute("SELECT COUNT(*) FROM " + table(kind) + " WHERE type = ?", type)
                    .one()
                    .getLong(0);
        }
    }

    @Nested
    class Bucketed {

        private static final CountersConfig CONFIG = config(CounterKind.BUCKETED);
        private static final String TABLE = table(CounterKind.BUCKETED);

        private final BucketedTable table = new CassandraBucketedTable(
                session,
                ConditionalStatements.withinDatacenter(session, Duration.ofMinutes(1)),
                TABLE,
                TABLE + CassandraBucketedTable.SUMS,
                Duration.ofMinutes(1));

        private void write(String counter, Instant at, long increment) {
            table.write(counter, at, "another", increment, increment)
                    .toCompletableFuture()
                    .join();
        }

        /** A collector goes as far as the newest increment lets it. */
        private void writeOldAndNew(String counter, long increment) {
            write(counter, old(), increment);
            write(counter, old().plusSeconds(300), 0);
        }

        /** The next thing to collect. */
        private void writeNext(String counter, long increment) {
            write(counter, epoch(counter).plusMillis(1), increment);
            write(counter, old().plusSeconds(330), 0);
        }

        private Instant epoch(String counter) {
            return table.collected(counter).toCompletableFuture().join().epoch();
        }

        private long rows(String counter) {
            return session.execute("SELECT COUNT(*) FROM " + TABLE + " WHERE type = ?", counter)
                    .one()
                    .getLong(0);
        }

        private static Instant old() {
            return Instant.now().minus(Duration.ofMinutes(10));
        }

        @Test
        void shouldBeRefusedUnlessAskedFor() {
            assertThatThrownBy(() -> Counters.open(session, CONFIG.withApproximate(false)))
                    .isInstanceOf(CounterException.Refused.class)
                    .hasMessageContainingAll("BUCKETED", "withApproximate(true)", "FOLDED");
            assertThatThrownBy(() -> Counters.open(session, CONFIG.withIncrementTimeout(Duration.ofMinutes(1))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("incrementTimeout");
        }

        @Test
        void shouldCollectWhatIsOldAndKeepTheValue() {
            try (Counters counters = Counters.open(session, CONFIG)) {
                Counter counter = counters.counter("collected");
                write("collected", old(), 1);
                write("collected", old(), 10);
                counter.add(100);
                assertThat(counter.value()).isEqualTo(111);

                assertThat(counter.fold()).isEqualTo(new FoldResult(2, 0));

                assertThat(rows("collected")).isOne();
                assertThat(counter.value()).isEqualTo(111);
                assertThat(counter.fold()).isEqualTo(new FoldResult(0, 0));
                assertThat(counter.value()).isEqualTo(111);
            }
        }

        /** By its own clock alone a collector could take the time from increments that are still to come. */
        @Test
        void shouldNotCollectTheLastMinuteOfWhatStandsInTheTable() {
            try (Counters counters = Counters.open(session, CONFIG)) {
                Counter counter = counters.counter("resting");
                Instant newest = old();
                write("resting", newest.minus(Collector.LAG), 1);
                write("resting", newest.minus(Collector.LAG).plusMillis(1), 10);
                write("resting", newest, 100);

                assertThat(counter.fold()).isEqualTo(new FoldResult(1, 0));

                assertThat(epoch("resting"))
                        .isEqualTo(newest.minus(Collector.LAG).truncatedTo(ChronoUnit.MILLIS));
                assertThat(counter.value()).isEqualTo(111);
            }
        }

        /** The anomaly of this kind. */
        @Test
        void shouldNeverCountAnIncrementThatArrivesAfterItsTimeWasCollected() {
            try (Counters counters = Counters.open(session, CONFIG)) {
                Counter counter = counters.counter("late");
                writeOldAndNew("late", 1);
                assertThat(counter.fold()).isEqualTo(new FoldResult(1, 0));
                Instant epoch = epoch("late");

                write("late", epoch.minusMillis(1), 1000);
                writeNext("late", 10);

                assertThat(counter.value()).isEqualTo(11);
                assertThat(counter.fold()).isEqualTo(new FoldResult(1, 0));
                assertThat(counter.value()).isEqualTo(11);
            }
        }

        @Test
        void shouldHideWhatACollectorThatDiedHasNotDeleted() {
            LossySession lossy = new LossySession(session, "DELETE FROM");
            try (Counters counters = Counters.open(lossy.session(), CONFIG)) {
                Counter counter = counters.counter("died");
                writeOldAndNew("died", 5);
                lossy.loseRequests(1);
                assertThatThrownBy(counter::fold).isInstanceOf(CounterException.Unavailable.class);
                assertThat(rows("died")).isEqualTo(2);
                assertThat(counter.value()).isEqualTo(5);

                writeNext("died", 10);
                assertThat(counter.fold()).isEqualTo(new FoldResult(1, 0));
                assertThat(rows("died")).isEqualTo(2);
                assertThat(counter.value()).isEqualTo(15);
            }
        }

        @Test
        void shouldCollectOnceIfManyCollectOrTheAnswerIsLost() {
            LossySession lossy = new LossySession(session, "SET epoch = ?");
            try (Counters counters = Counters.open(lossy.session(), CONFIG)) {
                Counter counter = counters.counter("twice");
                writeOldAndNew("twice", 5);
                lossy.next(1, onward -> counters.counter("twice").foldAsync().thenCompose(first -> {
                    assertThat(first).isEqualTo(new FoldResult(1, 0));
                    return onward.get();
                }));
                assertThat(counter.fold()).isEqualTo(new FoldResult(0, 0));
                assertThat(counter.value()).isEqualTo(5);

                writeNext("twice", 10);
                lossy.loseAnswers(1);
                assertThat(counter.fold()).isEqualTo(new FoldResult(1, 0));
                assertThat(counter.value()).isEqualTo(15);
                assertThat(rows("twice")).isEqualTo(2);
            }
        }

        /** Otherwise it would take the sum from before the collection, and the rows from after it. */
        @Test
        void shouldReadAgainIfItMeetsACollection() {
            LossySession lossy = new LossySession(session, "modify_time > ?");
            try (Counters counters = Counters.open(lossy.session(), CONFIG);
                    Counters others = Counters.open(session, CONFIG)) {
                Counter counter = counters.counter("torn");
                writeOldAndNew("torn", 5);
                lossy.next(1, onward -> others.counter("torn").foldAsync().thenCompose(folded -> onward.get()));
                assertThat(counter.value()).isEqualTo(5);
                assertThat(rows("torn")).isOne();
            }
        }

        @Test
        void shouldSumBeyondALong() {
            try (Counters counters = Counters.open(session, CONFIG)) {
                Counter counter = counters.counter("beyond");
                counter.add(Long.MAX_VALUE);
                counter.add(Long.MAX_VALUE);
                assertThat(counter.exactValue())
                        .isEqualTo(BigInteger.valueOf(Long.MAX_VALUE).shiftLeft(1));
                assertThatThrownBy(counter::value).isInstanceOf(CounterException.Overflow.class);
            }
        }

        @Test
        void shouldCountOnceIfAnswersAreLost() {
            LossySession lossy = new LossySession(session, "INSERT INTO");
            try (Counters counters = Counters.open(lossy.session(), CONFIG)) {
                lossy.loseAnswers(2);
                counters.counter("answers lost").add(5);
                assertThat(counters.counter("answers lost").value()).isEqualTo(5);
            }
        }
    }
}
