package dev.cassidy.reliability.counters;

import static dev.cassidy.reliability.counters.CounterCluster.CONFIG;
import static dev.cassidy.reliability.counters.CounterCluster.DATACENTER;
import static dev.cassidy.reliability.counters.CounterCluster.KEYSPACE;
import static dev.cassidy.reliability.counters.CounterCluster.NATIVE;
import static dev.cassidy.reliability.counters.CounterCluster.TABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import dev.cassidy.cluster.JvmTimer;
import dev.cassidy.counter.Counter;
import dev.cassidy.counter.CounterException;
import dev.cassidy.counter.CounterKind;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.counter.FoldResult;
import dev.cassidy.counter.Receipt;
import dev.cassidy.counter.ReceiptStatus;
import dev.cassidy.counter.cassandra.CassandraCounterTable;
import dev.cassidy.counter.cassandra.CassandraNodeClocks;
import dev.cassidy.counter.cassandra.CassandraSettlementStore;
import dev.cassidy.counter.cassandra.CassandraSlotStore;
import dev.cassidy.counter.cassandra.CassandraTouchedStore;
import dev.cassidy.counter.cassandra.CountedGeneration;
import dev.cassidy.counter.cassandra.CountedTable;
import dev.cassidy.counter.cassandra.IncrementColumn;
import dev.cassidy.counter.protocol.CheckedClock;
import dev.cassidy.counter.protocol.CounterContext;
import dev.cassidy.counter.protocol.CounterFailure;
import dev.cassidy.counter.protocol.CounterProtocol;
import dev.cassidy.counter.store.Versions;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.reliability.counters.Ledger.Known;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counters on three real replicas under faults, and Cassandra's own counters beside them under the same faults. At the end
 * it logs how many increments were lost and how many count twice; for Cassidy there must be none.
 *
 * <p>Whether a process is dead is decided after its beat stood still for 45 s. Two processes die and stop before the first
 * case, and the other cases run meanwhile.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(value = 2, unit = TimeUnit.HOURS)
abstract class CountersFaults {

    private static final Logger LOG = LoggerFactory.getLogger(CountersFaults.class);
    private static final int CALLERS = 8;

    /** So many that their increments share requests. */
    private static final int MANY_CALLERS = 40;

    private static final int ASKED_AT_ONCE = 50;
    private static final Duration THINK = Duration.ofMillis(20);
    private static final Duration NO_TIME = Duration.ofMillis(1);

    private final int rounds;
    private final List<Ledger> ledgers = new ArrayList<>();
    private final List<String> results = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private CounterCluster cluster;
    private CounterProcess dead;
    private CounterProcess deadNative;
    private CounterProcess zombie;

    /** Judges what the others did; no fault touches its session. */
    private Counters observer;

    private CompletableFuture<Void> cleaned;

    /** @param rounds how often each fault is injected */
    CountersFaults(int rounds) {
        this.rounds = rounds;
    }

    CounterCluster cluster() {
        return cluster;
    }

    @BeforeAll
    void start() throws Exception {
        cluster = CounterCluster.start();
        dead = CounterProcess.start("dead", cluster.node(0), "cassidy");
        zombie = CounterProcess.start("zombie", cluster.node(0), "cassidy");
        deadNative = CounterProcess.start("dead-native", cluster.node(0), "native");
        observer = Counters.open(cluster.session(), CONFIG);
        for (CounterProcess process : List.of(dead, zombie, deadNative)) {
            process.awaitReady();
        }
        for (CounterProcess process : List.of(dead, deadNative)) {
            process.load("dead", CALLERS);
            process.awaitAcknowledged(100);
            process.kill();
        }
        zombie.load("zombie", CALLERS);
        zombie.awaitAcknowledged(100);
        zombie.pause();
        // Another process may just be cleaning; then this one waits for its turn.
        cleaned = CompletableFuture.runAsync(
                () -> await().atMost(15, TimeUnit.MINUTES)
                        .pollInterval(Duration.ofSeconds(1))
                        .ignoreExceptionsInstanceOf(CounterException.Unavailable.class)
                        .until(observer::clean),
                threads);
    }

    @AfterAll
    void stop() {
        LOG.info("{}", table());
        for (CounterProcess process : new CounterProcess[] {dead, zombie, deadNative}) {
            if (process != null) {
                process.close();
            }
        }
        if (observer != null) {
            observer.close();
        }
        if (cluster != null) {
            cluster.close();
        }
        threads.shutdownNow();
    }

    private String table() {
        return "increments of counters under faults\n"
                + "| fault | counters | acknowledged | of them lost | of them twice | in doubt | of them counted |"
                + " of them twice |\n|---|---|---|---|---|---|---|---|\n"
                + String.join("\n", results);
    }

    private void note(String fault, String of, Ledger ledger, Map<String, BigInteger> totals) {
        Ledger.Figures found = ledger.figures(totals::get);
        String row = "| " + fault + " | " + of + " | " + found.acknowledged() + " | " + found.lost() + " | "
                + found.twice() + " | " + found.inDoubt() + " | " + found.inDoubtCounted() + " | "
                + found.inDoubtTwice() + " |";
        results.add(row);
        // A long run that is broken off has told what it found.
        LOG.info("{}", row);
    }

    // Loads

    /** The same load on three kinds of counters. */
    private record Loads(Load cassidy, Load repeating, Load cautious) {

        List<Load> all() {
            return List.of(cassidy, repeating, cautious);
        }

        void awaitMore(int count) {
            all().forEach(load -> load.awaitMore(count));
        }
    }

    private Loads begin(String name, Counters counters, CqlSession session, Duration pause) {
        return new Loads(
                Load.start(name, new Incrementing.OfCassidy(counters), new Ledger(), MANY_CALLERS, pause),
                Load.start(
                        name + "-repeating",
                        Incrementing.OfCassandra.of(session, NATIVE, true),
                        Ledger.ofMany(),
                        CALLERS,
                        pause),
                Load.start(
                        name + "-cautious",
                        Incrementing.OfCassandra.of(session, NATIVE, false),
                        Ledger.ofMany(),
                        CALLERS,
                        pause));
    }

    /** Judges Cassidy's counters, and notes what became of the others. */
    private void judge(String fault, Loads loads) {
        requireCounted(fault, loads.cassidy().ledger());
        noteNative(
                fault, "Cassandra's, repeated after errors", loads.repeating().ledger());
        noteNative(fault, "Cassandra's, not repeated", loads.cautious().ledger());
    }

    private void noteNative(String fault, String client, Ledger ledger) {
        note(fault, client, ledger, cluster.nativeValues(ledger.counters()));
    }

    // What must hold of Cassidy's counters

    private void requireCounted(String fault, Ledger ledger) {
        requireRight(TABLE, ledger);
        ledgers.add(ledger);
        note(fault, "Cassidy's", ledger, sums(TABLE, ledger));
    }

    private Map<String, BigInteger> sums(String table, Ledger ledger) {
        return cluster.sums(table, ledger.counters(), ConsistencyLevel.ALL, null);
    }

    /** Statuses first: what they say must hold for all reads that follow. */
    private void requireRight(String table, Ledger ledger) {
        Map<Receipt, ReceiptStatus> statuses = finalStatuses(ledger);
        requireNoViolation(ledger, cluster.sums(table, ledger.counters(), ConsistencyLevel.LOCAL_QUORUM, null));
        Map<String, BigInteger> totals = sums(table, ledger);
        requireNoViolation(ledger, totals);
        for (String counter : ledger.counters()) {
            for (int k = 0; k < ledger.perCounter(); k++) {
                Receipt receipt = ledger.receipt(counter, k);
                if (receipt != null && statuses.containsKey(receipt)) {
                    assertThat(ledger.times(totals.get(counter), k))
                            .as("increment %s, known as %s, whose status is %s", k, ledger.of(counter, k), receipt)
                            .isEqualTo(statuses.get(receipt) == ReceiptStatus.COUNTED ? 1 : 0);
                }
            }
        }
    }

    private static void requireNoViolation(Ledger ledger, Map<String, BigInteger> totals) {
        assertThat(ledger.counters()).allSatisfy(counter -> assertThat(ledger.violations(counter, totals.get(counter)))
                .isEmpty());
    }

    /** Of all increments in doubt. The last one of each counter that was acknowledged must be counted. */
    private Map<Receipt, ReceiptStatus> finalStatuses(Ledger ledger) {
        List<Receipt> acknowledged = new ArrayList<>();
        Set<Receipt> inDoubt = new HashSet<>();
        for (String counter : ledger.counters()) {
            Receipt lastAcknowledged = null;
            for (int k = 0; k < ledger.perCounter(); k++) {
                Receipt receipt = ledger.receipt(counter, k);
                if (ledger.of(counter, k) == Known.ACKNOWLEDGED) {
                    lastAcknowledged = receipt;
                } else if (receipt != null) {
                    inDoubt.add(receipt);
                }
            }
            if (lastAcknowledged != null) {
                acknowledged.add(lastAcknowledged);
            }
        }
        assertThat(statuses(acknowledged))
                .allSatisfy((receipt, status) -> assertThat(status).isEqualTo(ReceiptStatus.COUNTED));
        Map<Receipt, ReceiptStatus> statuses = new HashMap<>();
        await("final statuses").atMost(15, TimeUnit.MINUTES).until(() -> {
            statuses(List.copyOf(inDoubt)).forEach((receipt, status) -> {
                if (status != ReceiptStatus.OPEN) {
                    inDoubt.remove(receipt);
                    statuses.put(receipt, status);
                }
            });
            return inDoubt.isEmpty();
        });
        return statuses;
    }

    private Map<Receipt, ReceiptStatus> statuses(List<Receipt> receipts) {
        Map<Receipt, ReceiptStatus> statuses = new HashMap<>();
        for (int from = 0; from < receipts.size(); from += ASKED_AT_ONCE) {
            Map<Receipt, CompletableFuture<ReceiptStatus>> asked = new HashMap<>();
            for (Receipt receipt : receipts.subList(from, Math.min(receipts.size(), from + ASKED_AT_ONCE))) {
                asked.put(
                        receipt,
                        observer.counter(receipt.type()).statusAsync(receipt).toCompletableFuture());
            }
            asked.forEach((receipt, answer) -> statuses.put(receipt, answer.join()));
        }
        return statuses;
    }

    private void foldAll(Ledger ledger) {
        List<CompletableFuture<FoldResult>> folds = ledger.counters().stream()
                .map(counter -> observer.counter(counter).foldAsync().toCompletableFuture())
                .toList();
        folds.forEach(CompletableFuture::join);
    }

    // The faults

    @Test
    @Order(1)
    void shouldCountOnceWhateverIsLostLateOrRepeated() throws Exception {
        String fault = "requests and answers are lost, late and repeated";
        try (CqlSession speculating = Sessions.speculating(cluster.contact())) {
            UnreliableSession network = new UnreliableSession(speculating);
            CqlSession session = network.asSession();
            Loads loads;
            Ledger ofImpatient;
            try (Counters patient = Counters.open(session, CONFIG);
                    Counters impatient = Counters.open(session, CONFIG.withIncrementTimeout(Duration.ofMillis(50)))) {
                network.beginFaults();
                loads = begin("lost", patient, session, NO_TIME);
                Load hurried = Load.start(
                        "hurried", new Incrementing.OfCassidy(impatient), new Ledger(), MANY_CALLERS, NO_TIME);
                loads.awaitMore(300 * rounds);
                Load.stopAll(loads.all());
                ofImpatient = hurried.stop();
                // While its process lives: it goes on with what it does not know.
                requireRight(TABLE, ofImpatient);
                network.calmDown();
            }
            // Of what is late, part is folded by now.
            network.land();
            assertThat(network.counts()).containsOnlyKeys(UnreliableSession.Fault.values());
            judge(fault, loads);
            requireCounted(fault + "; callers wait for 50 ms", ofImpatient);
            foldAll(loads.cassidy().ledger());
            foldAll(ofImpatient);
            requireRight(TABLE, loads.cassidy().ledger());
            requireRight(TABLE, ofImpatient);
        }
    }

    @Test
    @Order(2)
    void shouldNotHeedWhatOthersWriteAndDeleteWithTheirClocks() {
        Counter counter = observer.counter("foreign");
        Ledger ledger = new Ledger();
        Incrementing client = new Incrementing.OfCassidy(observer);
        increment(client, "foreign", 0, 5, ledger);
        counter.fold();
        increment(client, "foreign", 5, 10, ledger);
        int k = 10;
        long version = lastVersion(ledger, "foreign", k - 1);
        String actor = ledger.receipt("foreign", k - 1).actor();
        long hour = TimeUnit.HOURS.toMicros(1);
        for (long skew : new long[] {-hour, 0, hour}) {
            long at = micros() + skew;
            // A row of Cassidy's, and the base.
            insert("foreign", actor, version, ledger.delta(20), at);
            insert("foreign", actor, Versions.base(Versions.epoch(version)), ledger.delta(21), at);
            // Rows that Cassidy is about to write.
            insert("foreign", actor, version + 1, ledger.delta(22), at);
            assertThat(counter.exactValue()).isEqualTo(ledger.acknowledgedTotal("foreign") + ledger.delta(22));
            increment(client, "foreign", k, k + 1, ledger);
            version = lastVersion(ledger, "foreign", k++);
            assertThat(counter.exactValue()).isEqualTo(ledger.acknowledgedTotal("foreign"));

            delete("DELETE FROM " + TABLE + " USING TIMESTAMP ? WHERE type = ?", at, "foreign");
            delete("DELETE FROM " + TABLE + " USING TIMESTAMP ? WHERE type = ? AND actor = ?", at, "foreign", actor);
            delete(
                    "DELETE FROM " + TABLE + " USING TIMESTAMP ? WHERE type = ? AND actor = ? AND version = ?",
                    at,
                    "foreign",
                    actor,
                    version);
            assertThat(counter.exactValue()).isEqualTo(ledger.acknowledgedTotal("foreign"));
        }
        requireRight(TABLE, ledger);

        long ahead = micros() + hour;
        insert("foreign", actor, version + 1000, ledger.delta(30), ahead);
        assertThatThrownBy(counter::fold)
                .isInstanceOf(CounterException.ForeignWrite.class)
                .hasMessageContaining(actor)
                .hasMessageContaining(Long.toString(version + 1000));
        increment(client, "foreign", k, k + 5, ledger);
        assertThat(counter.exactValue()).isEqualTo(ledger.acknowledgedTotal("foreign") + ledger.delta(30));
        assertThat(observer.status(ledger.receipt("foreign", k))).isEqualTo(ReceiptStatus.COUNTED);

        delete("DELETE FROM " + TABLE + " USING TIMESTAMP ? WHERE type = ?", ahead, "foreign");
        counter.fold();
        requireRight(TABLE, ledger);
        ledgers.add(ledger);
    }

    /** An increment with {@code upto} looks like a base, which stands for everything before it. */
    @Test
    @Order(3)
    void shouldNotFoldAnIncrementOfWhichOthersMadeABase() {
        String name = "foreign-upto";
        Counter counter = observer.counter(name);
        Ledger ledger = new Ledger();
        int k = 0;
        long changed = 0;
        String actor;
        do {
            increment(new Incrementing.OfCassidy(observer), name, k, k + 2, ledger);
            Receipt last = ledger.receipt(name, k + 1);
            actor = last.actor();
            execute(
                    "UPDATE " + TABLE + " USING TIMESTAMP ? SET upto = ? WHERE type = ? AND actor = ? AND version = ?",
                    micros(),
                    last.version(),
                    name,
                    actor,
                    last.version());
            changed = last.version();
            k += 2;
            // Else the row was folded just before.
        } while (cluster.session()
                .execute(SimpleStatement.newInstance(
                                "SELECT version FROM " + TABLE + " WHERE type = ? AND actor = ? AND version = ?",
                                name,
                                actor,
                                changed)
                        .setConsistencyLevel(ConsistencyLevel.ALL))
                .all()
                .isEmpty());

        assertThatThrownBy(counter::fold)
                .isInstanceOf(CounterException.ForeignWrite.class)
                .hasMessageContaining(Long.toString(changed));
        requireNoViolation(ledger, sums(TABLE, ledger));

        delete(
                "DELETE upto FROM " + TABLE + " USING TIMESTAMP ? WHERE type = ? AND actor = ? AND version = ?",
                micros(),
                name,
                actor,
                changed);
        counter.fold();
        requireRight(TABLE, ledger);
        ledgers.add(ledger);
    }

    /** It is nobody whose rows could be folded. */
    @Test
    @Order(4)
    void shouldCountAndNotFoldTheRowsOfActorsThatHaveNoSlot() {
        Counter counter = observer.counter("foreign-actor");
        Ledger ledger = new Ledger();
        insert("foreign-actor", "shop", 1, ledger.delta(30), micros());
        increment(new Incrementing.OfCassidy(observer), "foreign-actor", 0, 5, ledger);

        counter.fold();

        assertThat(counter.exactValue()).isEqualTo(ledger.acknowledgedTotal("foreign-actor") + ledger.delta(30));
    }

    private static void increment(Incrementing client, String counter, int from, int to, Ledger ledger) {
        for (int k = from; k < to; k++) {
            client.increment(counter, k, ledger).toCompletableFuture().join();
            assertThat(ledger.of(counter, k)).isEqualTo(Known.ACKNOWLEDGED);
        }
    }

    private static long lastVersion(Ledger ledger, String counter, int k) {
        return ledger.receipt(counter, k).version();
    }

    private static long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    private void insert(String type, String actor, long version, long increment, long at) {
        execute(
                "INSERT INTO " + TABLE + " (type, actor, version, increment) VALUES (?, ?, ?, ?) USING TIMESTAMP ?",
                type,
                actor,
                version,
                increment,
                at);
    }

    private void delete(String cql, Object... values) {
        execute(cql, values);
    }

    private void execute(String cql, Object... values) {
        cluster.session().execute(SimpleStatement.newInstance(cql, values).setConsistencyLevel(ConsistencyLevel.ALL));
    }

    /** One after another they hold the only slot, if their clocks are right but for seconds. */
    @Test
    @Order(5)
    void shouldCountOnceIfClocksOfProcessesDiffer() {
        String table = KEYSPACE + ".skewed";
        Counters.create(cluster.session(), CounterCluster.config(table));
        cluster.nodes().awaitAllUp();
        UUID generation = counted(table, CONFIG.requestTimeout()).uuid();
        Ledger ledger = new Ledger();
        int k = 0;
        for (int seconds : new int[] {0, 9, 3_600, -9, -3_600, 0, -63_072_000, -9, 63_072_000, 9}) {
            JvmTimer timer = new JvmTimer();
            CounterProtocol process = skewed(table, Duration.ofSeconds(seconds), timer);
            if (Math.abs(seconds) > CheckedClock.BOUND.toSeconds()) {
                requireRefused(process);
                timer.close();
                continue;
            }
            for (int i = 0; i < 5; i++) {
                int next = k++;
                ledger.sent("skewed", next);
                var written = process.increment("skewed", ledger.delta(next))
                        .toCompletableFuture()
                        .join();
                ledger.acknowledged(
                        "skewed",
                        next,
                        new Receipt(
                                table,
                                generation,
                                "skewed",
                                written.actor(),
                                Versions.epoch(written.version()),
                                Versions.number(written.version())));
            }
            process.fold("skewed").toCompletableFuture().join();
            process.close().toCompletableFuture().join();
            timer.close();
            requireNoViolation(ledger, sums(table, ledger));
        }
        assertThat(IntStream.range(0, k)
                        .mapToLong(one -> lastVersion(ledger, "skewed", one))
                        .toArray())
                .isSorted();
        try (Counters counters = Counters.open(cluster.session(), CounterCluster.config(table))) {
            counters.counter("skewed").fold();
            requireNoViolation(ledger, sums(table, ledger));
            for (int one = 0; one < k; one++) {
                assertThat(counters.status(ledger.receipt("skewed", one))).isEqualTo(ReceiptStatus.COUNTED);
            }
        }
    }

    private static void requireRefused(CounterProtocol process) {
        assertThat(process.increment("skewed", 1))
                .failsWithin(Duration.ofMinutes(1))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(CounterFailure.NotSent.class)
                .withMessageContaining("NTP");
    }

    private CountedGeneration counted(String table, Duration timeout) {
        String name = table.substring(table.indexOf('.') + 1);
        UUID id = cluster.session()
                .execute(
                        "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                        KEYSPACE,
                        name)
                .one()
                .getUuid("id");
        CountedTable counted = new CountedTable(
                cluster.session(),
                CqlIdentifier.fromCql(KEYSPACE),
                CqlIdentifier.fromCql(name),
                id,
                CountedTable.Form.FOLDED,
                timeout);
        return new CountedGeneration(
                counted, counted.generation().toCompletableFuture().join(), (ended, begun) -> {});
    }

    private CounterProtocol skewed(String table, Duration by, JvmTimer timer) {
        Duration timeout = CONFIG.requestTimeout();
        InstantSource clock = () -> Instant.now().plus(by);
        ConditionalStatements local = ConditionalStatements.withinDatacenter(cluster.session(), timeout);
        String keyspace = "cassidy_" + DATACENTER;
        CountedGeneration counted = counted(table, timeout);
        return new CounterProtocol(
                new CassandraSlotStore(local, keyspace, counted.key(), () -> "skewed by " + by, clock),
                new CassandraSettlementStore(local, keyspace, counted.key()),
                new CassandraCounterTable(cluster.session(), table, counted, IncrementColumn.BIGINT, timeout, timer),
                new CassandraTouchedStore(local, keyspace, counted.key()),
                new CounterContext(
                        counted.home(DATACENTER),
                        CONFIG.incrementTimeout(),
                        1,
                        3,
                        timer,
                        System::nanoTime,
                        new CheckedClock(
                                clock,
                                System::nanoTime,
                                new CassandraNodeClocks(cluster.session(), timeout, new Random(1))),
                        new Random(by.toSeconds()),
                        UUID::randomUUID),
                IncrementColumn.BIGINT.limit());
    }

    /** Two processes increment and fold one counter at the same time, and others read it in one page and in tiny ones. */
    @Test
    @Order(6)
    void shouldReadWhatWasAcknowledgedWhileTwoProcessesFold() throws Exception {
        Ledger ledger = new Ledger();
        AtomicReference<String> current = new AtomicReference<>("folded-0");
        PreparedStatement exact = cluster.session()
                .prepare("SELECT " + KEYSPACE + ".crdt_exact(type, actor, version, upto, increment) FROM " + TABLE
                        + " WHERE type = ?");
        try (CqlSession otherSession = Sessions.to(cluster.node(1).contactPoint());
                Counters one = Counters.open(cluster.session(), CONFIG);
                Counters other = Counters.open(otherSession, CONFIG)) {
            CompletableFuture<Void> over = new CompletableFuture<>();
            List<CompletableFuture<Integer>> folders = List.of(
                    CompletableFuture.supplyAsync(() -> foldUntil(over, one, current), threads),
                    CompletableFuture.supplyAsync(() -> foldUntil(over, other, current), threads));
            Reading values = Reading.start(
                    ledger, current::get, name -> other.counter(name).exactValue(), threads);
            Reading inOnePage =
                    Reading.start(ledger, current::get, exactly(exact, 5_000, ConsistencyLevel.LOCAL_QUORUM), threads);
            // At ALL: in a read of many pages, replicas must not answer from different moments.
            Reading inTinyPages = Reading.start(ledger, current::get, exactly(exact, 2, ConsistencyLevel.ALL), threads);
            int counters = 0;
            while (counters < 6 * rounds || inTinyPages.reads() < 20 * rounds || values.reads() < 20 * rounds) {
                String name = "folded-" + counters++;
                current.set(name);
                CompletableFuture<Void> odd = CompletableFuture.runAsync(
                        () -> incrementEachSecond(new Incrementing.OfCassidy(one), name, 1, ledger), threads);
                incrementEachSecond(new Incrementing.OfCassidy(other), name, 0, ledger);
                odd.get(15, TimeUnit.MINUTES);
            }
            assertThat(values.stop()).isEmpty();
            assertThat(inOnePage.stop()).isEmpty();
            assertThat(inTinyPages.stop()).isEmpty();
            over.complete(null);
            int folds = 0;
            for (CompletableFuture<Integer> folder : folders) {
                folds += folder.get(15, TimeUnit.MINUTES);
            }
            LOG.info(
                    "{} counters with {} folds beside: {} values read, {} in one page by crdt_exact ({} torn), {} in pages"
                            + " of two rows ({} torn)",
                    counters,
                    folds,
                    values.reads(),
                    inOnePage.reads(),
                    inOnePage.torn(),
                    inTinyPages.reads(),
                    inTinyPages.torn());
            assertThat(inOnePage.torn()).isZero();
            assertThat(inOnePage.reads()).isPositive();
        }
        requireCounted("two processes fold", ledger);
    }

    /** Returns whether it was folded: a replica that answers too late is no failure of the test. */
    private static boolean fold(Counters by, String counter) {
        try {
            by.counter(counter).fold();
            return true;
        } catch (CounterException.Unavailable e) {
            LOG.info("{}", e.getMessage());
            return false;
        }
    }

    private static int foldUntil(CompletableFuture<Void> over, Counters counters, AtomicReference<String> current) {
        int folds = 0;
        while (!over.isDone()) {
            folds += fold(counters, current.get()) ? 1 : 0;
        }
        return folds;
    }

    private Function<String, @Nullable BigInteger> exactly(
            PreparedStatement exact, int pageSize, ConsistencyLevel level) {
        return counter -> cluster.session()
                .execute(exact.bind(counter).setPageSize(pageSize).setConsistencyLevel(level))
                .one()
                .getBigInteger(0);
    }

    private static void incrementEachSecond(Incrementing client, String counter, int from, Ledger ledger) {
        for (int k = from; k < ledger.perCounter(); k += 2) {
            increment(client, counter, k, k + 1, ledger);
        }
    }

    /** A fold is one mutation, and a settlement takes several steps: both are cut off at any point. */
    @Test
    @Order(7)
    void shouldLoseNothingIfProcessesDieWhileTheyFold() throws Exception {
        Ledger ledger = new Ledger();
        for (int round = 0; round < rounds; round++) {
            String name = "cut-off-" + round + "-";
            List<String> counters =
                    IntStream.range(0, 4).mapToObj(i -> name + i).toList();
            try (CounterProcess first = CounterProcess.start("folder", cluster.node(1), "folder");
                    CounterProcess second = CounterProcess.start("folder", cluster.node(2), "folder")) {
                first.awaitReady().fold(counters);
                second.awaitReady().fold(counters);
                int k = 0;
                for (CounterProcess folder : List.of(first, second)) {
                    folder.awaitFolds(10);
                    // Each opening is an epoch, and ended epochs are settled.
                    for (int epoch = 0; epoch < 3; epoch++) {
                        try (Counters writer = Counters.open(cluster.session(), CONFIG)) {
                            for (String counter : counters) {
                                increment(new Incrementing.OfCassidy(writer), counter, k, k + 3, ledger);
                            }
                        }
                        k += 3;
                    }
                    folder.kill();
                    requireNoViolation(ledger, sums(TABLE, ledger));
                }
            }
        }
        foldAll(ledger);
        requireCounted("processes die while they fold", ledger);
    }

    @Test
    @Order(8)
    void shouldDecideWhatADeadProcessLeft() throws Exception {
        cleaned.get(20, TimeUnit.MINUTES);
        Ledger ledger = dead.ledger();
        List<Receipt> sent = receiptsOfSent(ledger);
        Map<Receipt, ReceiptStatus> statuses = statuses(sent);
        assertThat(statuses.values()).doesNotContain(ReceiptStatus.OPEN);
        foldAll(ledger);
        requireCounted("a process is killed", ledger);
        assertThat(statuses(sent)).isEqualTo(statuses);
        Map<String, BigInteger> totals = sums(TABLE, ledger);
        assertThat(sent)
                .allSatisfy(receipt -> assertThat(ledger.times(totals.get(receipt.type()), (int) receipt.number() - 1))
                        .isEqualTo(statuses.get(receipt) == ReceiptStatus.COUNTED ? 1 : 0));
        noteNative("a process is killed", "Cassandra's, not repeated", deadNative.ledger());
    }

    /** What a process would have known of each increment: it had one slot, and each increment was a row. */
    private static List<Receipt> receiptsOfSent(Ledger ledger) {
        Receipt any = ledger.counters().stream()
                .map(counter -> ledger.receipt(counter, 0))
                .filter(receipt -> receipt != null)
                .findFirst()
                .orElseThrow();
        List<Receipt> receipts = new ArrayList<>();
        for (String counter : ledger.counters()) {
            for (int k = 0; k < ledger.perCounter() && ledger.of(counter, k) != null; k++) {
                Receipt receipt = new Receipt(any.table(), any.generation(), counter, any.actor(), any.epoch(), k + 1);
                if (ledger.of(counter, k) == Known.ACKNOWLEDGED) {
                    assertThat(ledger.receipt(counter, k)).isEqualTo(receipt);
                }
                receipts.add(receipt);
            }
        }
        return receipts;
    }

    @Test
    @Order(9)
    void shouldCountOnceIfAProcessStoodStillAndLostItsSlot() throws Exception {
        cleaned.get(20, TimeUnit.MINUTES);
        Ledger ledger = zombie.ledger();
        // All of its counters are decided before it goes on.
        List<Receipt> sent = receiptsOfSent(ledger);
        Map<Receipt, ReceiptStatus> statuses = statuses(sent);
        assertThat(statuses.values()).doesNotContain(ReceiptStatus.OPEN);
        zombie.resume();
        zombie.awaitAcknowledged(100);
        zombie.stop();
        requireCounted("a process stands still and loses its slot", ledger);
        assertThat(statuses(sent)).isEqualTo(statuses);
        assertThat(slots(ledger)).hasSizeGreaterThan(1);
        zombie.end();
        foldAll(ledger);
        requireRight(TABLE, ledger);
    }

    private static Set<String> slots(Ledger ledger) {
        return ledger.counters().stream()
                .flatMap(counter -> IntStream.range(0, ledger.perCounter()).mapToObj(k -> ledger.receipt(counter, k)))
                .filter(receipt -> receipt != null)
                .map(receipt -> receipt.actor() + " in epoch " + receipt.epoch())
                .collect(Collectors.toSet());
    }

    @Test
    @Order(10)
    void shouldCountOnceIfANodeIsKilled() throws Exception {
        String fault = "a node is killed and restarted";
        try (CqlSession session = Sessions.to(cluster.contact());
                Counters counters = Counters.open(session, CONFIG)) {
            Loads loads = begin("killed", counters, session, THINK);
            Reading reading = read(loads, counters);
            loads.awaitMore(50);
            for (int round = 0; round < rounds; round++) {
                EmbeddedCassandra node = cluster.node(1 + round % 2);
                node.kill();
                loads.cassidy().awaitMore(100);
                node.restart();
                cluster.nodes().awaitAllUp();
                loads.awaitMore(50);
            }
            Load.stopAll(loads.all());
            assertThat(reading.stop()).isEmpty();
            judge(fault, loads);
        }
    }

    private Reading read(Loads loads, Counters counters) {
        Random random = new Random();
        Ledger ledger = loads.cassidy().ledger();
        return Reading.start(
                ledger,
                () -> {
                    List<String> names = ledger.counters();
                    return names.get(random.nextInt(Math.max(0, names.size() - CALLERS), names.size()));
                },
                name -> counters.counter(name).exactValue(),
                threads);
    }

    /** It misses folds, and hears of the increments that they contain when it continues. */
    @Test
    @Order(11)
    void shouldCountOnceIfAReplicaLagsBehind() throws Exception {
        String fault = "a replica stands still and lags behind";
        EmbeddedCassandra slow = cluster.node(2);
        try (CqlSession session = Sessions.onlyTo(List.of(cluster.node(0), cluster.node(1)));
                Counters counters = Counters.open(session, CONFIG)) {
            Loads loads = begin("lags", counters, session, THINK);
            Reading reading = read(loads, counters);
            loads.awaitMore(50);
            for (int round = 0; round < rounds; round++) {
                slow.pause();
                loads.cassidy().awaitMore(100);
                // A bound: the callers begin new counters meanwhile, the more of them the longer the folds take.
                List<String> names = loads.cassidy().ledger().counters();
                for (String counter : names.subList(Math.max(0, names.size() - 2 * MANY_CALLERS), names.size())) {
                    fold(counters, counter);
                }
                loads.cassidy().awaitMore(50);
                slow.resume();
                loads.awaitMore(50);
            }
            Load.stopAll(loads.all());
            cluster.nodes().awaitAllUp();
            assertThat(reading.stop()).isEmpty();
            Ledger ledger = loads.cassidy().ledger();
            for (Node coordinator : cluster.replicas()) {
                requireNoViolation(
                        ledger, cluster.sums(TABLE, ledger.counters(), ConsistencyLevel.LOCAL_QUORUM, coordinator));
            }
            judge(fault, loads);
        }
    }

    /** The kinds that promise to count what is acknowledged exactly once, besides the default. */
    @ParameterizedTest
    @EnumSource(names = {"CUMULATIVE", "VERSIONED", "LINEARIZABLE", "SERIALIZABLE"})
    @Order(12)
    void shouldCountOnceByOtherKindsIfANodeIsKilled(CounterKind kind) throws Exception {
        String table = KEYSPACE + "." + kind.name().toLowerCase(Locale.ROOT);
        CountersConfig config = CounterCluster.config(table).withKind(kind);
        Counters.create(cluster.session(), config);
        cluster.nodes().awaitAllUp();
        boolean hasActors = kind == CounterKind.CUMULATIVE || kind == CounterKind.VERSIONED;
        try (CqlSession session = Sessions.to(cluster.contact());
                CqlSession otherSession = Sessions.to(cluster.contact());
                Counters counters = Counters.open(session, hasActors ? config.withActor("one") : config);
                Counters others = Counters.open(otherSession, hasActors ? config.withActor("another") : config)) {
            AtomicLong added = new AtomicLong();
            AtomicLong unknown = new AtomicLong();
            AtomicBoolean over = new AtomicBoolean();
            List<Future<?>> callers = new ArrayList<>();
            for (Counters each : List.of(counters, others, counters, others)) {
                callers.add(threads.submit(() -> {
                    while (!over.get()) {
                        try {
                            each.counter("killed").add(1);
                            added.incrementAndGet();
                        } catch (CounterException.OutcomeUnknown e) {
                            unknown.incrementAndGet();
                        }
                    }
                }));
            }
            for (int round = 0; round < rounds; round++) {
                awaitMore(added, 10);
                EmbeddedCassandra node = cluster.node(1 + round % 2);
                node.kill();
                awaitMore(added, 20);
                node.restart();
                cluster.nodes().awaitAllUp();
                awaitMore(added, 10);
            }
            over.set(true);
            for (Future<?> caller : callers) {
                caller.get();
            }

            for (Counters each : List.of(counters, others)) {
                assertThat(each.counter("killed").value())
                        .as("%s acknowledged, %s unknown", added, unknown)
                        .isBetween(added.get(), added.get() + unknown.get());
            }
            LOG.info("{}: {} acknowledged, {} in doubt", kind, added, unknown);
        }
    }

    private static void awaitMore(AtomicLong count, int more) {
        long enough = count.get() + more;
        await().atMost(Duration.ofMinutes(10)).until(() -> count.get() >= enough);
    }

    @Test
    @Order(13)
    void shouldAgreeOnEachReplicaInTheEnd() throws Exception {
        cluster.nodes().awaitAllUp();
        try (Repair operator = new Repair(cluster.node(0))) {
            operator.repair(KEYSPACE);
        }
        for (Ledger ledger : ledgers) {
            Map<String, BigInteger> everywhere = sums(TABLE, ledger);
            requireNoViolation(ledger, everywhere);
            for (Node replica : cluster.replicas()) {
                assertThat(cluster.sums(TABLE, ledger.counters(), ConsistencyLevel.ONE, replica))
                        .as("%s", replica)
                        .isEqualTo(everywhere);
            }
            for (String counter :
                    ledger.counters().subList(0, Math.min(10, ledger.counters().size()))) {
                assertThat(cluster.replicas().stream()
                                .map(replica -> cluster.rowsAt(replica, TABLE, counter))
                                .distinct())
                        .hasSize(1);
            }
        }
    }
}
