package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import dev.cassidy.async.Stages;
import dev.cassidy.async.Timer;
import dev.cassidy.cluster.Identity;
import dev.cassidy.counter.cassandra.BucketedTable;
import dev.cassidy.counter.protocol.CheckedClock;
import dev.cassidy.counter.store.CounterTable;
import dev.cassidy.counter.store.NodeClocks;
import dev.cassidy.counter.store.NodeClocks.NodeTime;
import dev.cassidy.lwt.CasOutcome;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Processes that write increments, collect them at the same time, stand still, and die; statements that take effect late or
 * never, or whose answer is lost; clocks of processes and nodes that are wrong by up to two years, and are set meanwhile. Each
 * increment is a power of four, so that the value tells how often it counts.
 */
class BucketedCountersSimulationTest {

    private static final int SCHEDULES = Integer.getInteger("bucketed.schedules", 1_000);
    private static final int PROCESSES = 3;
    private static final int INCREMENTS = 8;
    private static final int END = 400_000;
    private static final int WRITING = 350_000;

    /** Together with the clocks and the increment time-out, less than what the collector waits for. */
    private static final int LATE = 20_000;

    private static final int FAR_TOO_LATE = 300_000;
    private static final int NODES = 3;
    private static final long BEGIN_SECONDS = 1_700_000_000;
    private static final long TWO_YEARS = 730L * 24 * 60 * 60 * 1_000;

    /** What a table that is not like Cassandra does, and clocks that nobody checks. */
    private enum Defect {
        NONE,
        COLLECTION_NOT_COMPARED,
        EPOCH_NOT_COMPARED,
        UNKNOWN_TAKEN_FOR_APPLIED,
        CLOCKS_NOT_CHECKED,
        COLLECTORS_NOT_CHECKED,
        COLLECTED_BY_THE_CLOCK_ALONE;

        /** Those that only collect believe their clocks, however far ahead they are. */
        boolean believesCollectors() {
            return this == COLLECTORS_NOT_CHECKED || this == COLLECTED_BY_THE_CLOCK_ALONE;
        }
    }

    @Test
    void shouldCountWhatIsAcknowledgedOnceIfWritesTakeLessThanTheCollectorWaitsFor() {
        loseNothing(Defect.NONE);
    }

    /** What stands in the table is younger than what it may remove, whatever it takes for the time. */
    @Test
    void shouldLoseNothingToACollectorThatBelievesAClockFarAhead() {
        loseNothing(Defect.COLLECTORS_NOT_CHECKED);
    }

    private static void loseNothing(Defect defect) {
        long collections = 0;
        long acknowledged = 0;
        long refused = 0;
        for (long seed = 1; seed <= SCHEDULES; seed++) {
            Schedule schedule = new Schedule(seed, defect, LATE);
            assertThat(schedule.run()).as("seed %d", seed).isEmpty();
            collections += schedule.collections;
            acknowledged += schedule.acknowledged.size();
            refused += schedule.refused;
        }
        // A simulation in which nothing happens proves nothing.
        assertThat(collections).as("collections").isGreaterThan(SCHEDULES);
        assertThat(acknowledged).as("acknowledged").isGreaterThan(5L * SCHEDULES);
        assertThat(refused).as("increments refused because of a clock").isGreaterThan(SCHEDULES);
    }

    /** The limit of this kind: then increments may be lost. */
    @Test
    void shouldCountNothingTwiceHoweverLateItArrives() {
        for (long seed = 1; seed <= SCHEDULES; seed++) {
            assertThat(new Schedule(seed, Defect.NONE, FAR_TOO_LATE).run())
                    .as("seed %d", seed)
                    .noneMatch(violation -> violation.contains("times"));
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"NONE", "COLLECTORS_NOT_CHECKED"})
    void shouldFind(Defect defect) {
        assertThat(LongStream.rangeClosed(1, 2_000)
                        .anyMatch(
                                seed -> !new Schedule(seed, defect, LATE).run().isEmpty()))
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"CLOCKS_NOT_CHECKED", "COLLECTED_BY_THE_CLOCK_ALONE"})
    void shouldFindLostIncrements(Defect defect) {
        assertThat(LongStream.rangeClosed(1, 2_000).anyMatch(seed -> new Schedule(seed, defect, LATE)
                        .run().stream().anyMatch(violation -> violation.contains("lacks"))))
                .isTrue();
    }

    private static final class Schedule {

        private record Row(Instant at, long increment) {}

        private final Defect defect;
        private final int latest;
        private final Random random;
        private final SimulatedTime time = new SimulatedTime();
        private final Map<String, Row> rows = new HashMap<>();
        private final Set<Integer> acknowledged = new HashSet<>();
        private final Set<Integer> notSent = new HashSet<>();
        private final List<String> violations = new ArrayList<>();
        private BucketedTable.Collected current = BucketedTable.Collected.NOTHING;
        private final long[] nodesAreOff = new long[NODES];
        private int increments;
        private int collections;
        private int refused;

        Schedule(long seed, Defect defect, int latest) {
            this.random = new Random(seed);
            this.defect = defect;
            this.latest = latest;
            for (int i = 0; i < NODES; i++) {
                nodesAreOff[i] = random.nextInt(2_000) - 1_000;
            }
            if (random.nextInt(3) == 0) {
                nodesAreOff[random.nextInt(NODES)] = farOff();
            }
        }

        private long farOff() {
            return (long) ((random.nextDouble() * 2 - 1) * TWO_YEARS);
        }

        private Instant now() {
            return Instant.ofEpochSecond(BEGIN_SECONDS).plusMillis(time.millis());
        }

        List<String> run() {
            for (int i = 0; i < PROCESSES; i++) {
                Process process = new Process();
                process.start("P" + i);
                if (random.nextBoolean()) {
                    time.after(random.nextInt(WRITING), () -> process.dead = true);
                }
            }
            time.run();
            check("the value in the end", current.value().add(sum(row -> isAfter(row, current.epoch()))), acknowledged);
            return violations;
        }

        private void check(String what, BigInteger value, Set<Integer> counted) {
            for (int k = 0; k < increments; k++) {
                long times = (value.longValue() >>> (2 * k)) & 3;
                if (times > 1 || times == 1 && notSent.contains(k)) {
                    violations.add(what + " has increment " + k + " " + times + " times");
                } else if (times == 0 && counted.contains(k)) {
                    violations.add(what + " lacks increment " + k);
                }
            }
        }

        private boolean isAfter(Row row, Instant epoch) {
            return row.at().isAfter(epoch);
        }

        private BigInteger sum(Predicate<Row> which) {
            return BigInteger.valueOf(rows.values().stream()
                    .filter(which)
                    .mapToLong(Row::increment)
                    .sum());
        }

        private long soon() {
            return random.nextInt(20);
        }

        private final class Process implements BucketedTable {

            private boolean dead;
            private boolean onlyCollects;
            private long clockIsOff;
            private long runsAgainAt;

            /** For how long the machine has stood still, and the monotonic clock with it. */
            private long stoodStill;

            private void setClock() {
                clockIsOff = switch (random.nextInt(4)) {
                    case 0 -> farOff();
                    case 1 -> random.nextInt(7_200_000) - 3_600_000;
                    default -> random.nextInt(18_000) - 9_000;
                };
            }

            private void pause() {
                long millis = random.nextInt(120_000);
                runsAgainAt = time.millis() + millis;
                if (random.nextBoolean()) {
                    stoodStill += millis;
                }
            }

            void start(String actor) {
                Timer timer = (task, delay) -> later(delay.toMillis(), task);
                LongSupplier nanoTime = () -> time.nanos() - stoodStill * 1_000_000;
                InstantSource clock = () -> now().plusMillis(clockIsOff);
                setClock();
                onlyCollects = defect.believesCollectors() && clockIsOff > 9_000;
                if (!defect.believesCollectors() && random.nextInt(3) == 0) {
                    time.after(random.nextInt(WRITING), this::setClock);
                }
                NodeClocks nodes = () -> IntStream.range(0, NODES)
                        .mapToObj(node -> defect == Defect.CLOCKS_NOT_CHECKED || onlyCollects
                                ? CompletableFuture.completedFuture(new NodeTime("node" + node, clock.instant()))
                                : ask(() -> new NodeTime("node" + node, now().plusMillis(nodesAreOff[node]))))
                        .toList();
                CountersConfig config = CountersConfig.of("shop.visits")
                        .withKind(CounterKind.BUCKETED)
                        .withActor(actor)
                        .withApproximate(true)
                        .withFoldAfter(3)
                        .withIncrementTimeout(Duration.ofSeconds(1 + random.nextInt(29)));
                KindContext context = new KindContext(
                        null,
                        config,
                        "",
                        null,
                        null,
                        new Identity(nanoTime, clock),
                        timer,
                        nanoTime,
                        clock,
                        new CheckedClock(clock, nanoTime, nodes),
                        random);
                Counter counter = new BucketedCounters(context, this).counter("IBM");
                for (int i = 0; i < INCREMENTS; i++) {
                    later(random.nextInt(WRITING), () -> {
                        if (!onlyCollects) {
                            add(counter);
                        }
                    });
                    for (int each = 0; each < 3; each++) {
                        int collected = random.nextInt(END);
                        later(collected, () -> collect(counter));
                        // Many values are read while it is collected.
                        later(collected + random.nextInt(200), () -> value(counter));
                    }
                }
            }

            private void later(long millis, Runnable task) {
                time.after(millis, () -> {
                    long still = runsAgainAt - time.millis();
                    if (still > 0) {
                        later(still, task);
                    } else if (!dead) {
                        task.run();
                    }
                });
            }

            private void add(Counter counter) {
                int k = increments++;
                if (random.nextInt(6) == 0) {
                    time.after(random.nextInt(20), this::pause);
                }
                counter.addAsync(1L << (2 * k)).whenComplete((done, failure) -> {
                    if (failure == null) {
                        acknowledged.add(k);
                    } else if (Stages.cause(failure) instanceof CounterException.NotSent) {
                        notSent.add(k);
                        refused += failure.getMessage().contains("clock") ? 1 : 0;
                    }
                });
            }

            private void collect(Counter counter) {
                counter.foldAsync().thenAccept(done -> collections += done.folded() > 0 ? 1 : 0);
            }

            private void value(Counter counter) {
                Set<Integer> before = Set.copyOf(acknowledged);
                counter.valueAsync().thenAccept(value -> check("a value", value, before));
            }

            /** A process that stands still may do so before it has sent anything. */
            private <T> CompletionStage<T> execute(
                    Supplier<T> statement, Runnable ifUnknown, CompletableFuture<T> answer) {
                later(random.nextInt(10), () -> send(statement, answer));
                later(1_000, ifUnknown);
                return answer;
            }

            /** Answers after the statement took effect, or does not; or it takes effect late, or never. */
            private <T> void send(Supplier<T> statement, CompletableFuture<T> answer) {
                int fate = random.nextInt(12);
                if (fate == 0) {
                    time.after(random.nextInt(latest), statement::get);
                } else if (fate > 1) {
                    boolean answered = fate > 2;
                    time.after(soon(), () -> {
                        T outcome = statement.get();
                        if (answered) {
                            later(soon(), () -> answer.complete(outcome));
                        }
                    });
                }
            }

            private <T> CompletionStage<T> orTimeOut(Supplier<T> statement) {
                CompletableFuture<T> answer = new CompletableFuture<>();
                return execute(
                        statement, () -> answer.completeExceptionally(new IllegalStateException("timed out")), answer);
            }

            private <T> CompletionStage<T> ask(Supplier<T> question) {
                CompletableFuture<T> answer = new CompletableFuture<>();
                if (random.nextInt(10) > 0) {
                    time.after(soon(), () -> {
                        T found = question.get();
                        later(soon(), () -> answer.complete(found));
                    });
                }
                later(1_000, () -> answer.completeExceptionally(new IllegalStateException("timed out")));
                return answer;
            }

            @Override
            public CompletionStage<Void> write(String counter, Instant at, String actor, long version, long increment) {
                if (random.nextInt(10) == 0) {
                    CompletableFuture<Void> answer = new CompletableFuture<>();
                    later(
                            soon(),
                            () -> answer.completeExceptionally(
                                    new CounterTable.NotExecuted("unavailable", new IllegalStateException())));
                    return answer;
                }
                return orTimeOut(() -> {
                    rows.put(actor + "/" + version, new Row(at, increment));
                    return null;
                });
            }

            @Override
            public CompletionStage<Summed> sumAfter(String counter, Instant epoch, ConsistencyLevel level) {
                return ask(() -> new Summed(
                        sum(row -> defect == Defect.EPOCH_NOT_COMPARED || isAfter(row, epoch)), rows.size()));
            }

            @Override
            public CompletionStage<Optional<Instant>> newest(String counter) {
                return defect == Defect.COLLECTED_BY_THE_CLOCK_ALONE
                        ? CompletableFuture.completedFuture(Optional.of(Instant.MAX))
                        : ask(() -> rows.values().stream().map(Row::at).max(Comparator.naturalOrder()));
            }

            @Override
            public CompletionStage<Summed> sumBetween(String counter, Instant epoch, Instant upto) {
                Predicate<Row> between = row -> isAfter(row, epoch) && !isAfter(row, upto);
                return ask(() -> new Summed(
                        sum(between), rows.values().stream().filter(between).count()));
            }

            @Override
            public CompletionStage<Void> delete(String counter, Instant epoch) {
                return orTimeOut(() -> {
                    rows.values().removeIf(row -> !isAfter(row, epoch));
                    return null;
                });
            }

            @Override
            public CompletionStage<Collected> collected(String counter) {
                return ask(() -> current);
            }

            @Override
            public CompletionStage<CasOutcome> collect(String counter, Collected seen, Collected wanted) {
                CompletableFuture<CasOutcome> answer = new CompletableFuture<>();
                return execute(
                        () -> {
                            if (defect != Defect.COLLECTION_NOT_COMPARED && !current.isSameAs(seen)) {
                                return new CasOutcome.Refused(List.of());
                            }
                            current = wanted;
                            return new CasOutcome.Applied();
                        },
                        () -> answer.complete(
                                defect == Defect.UNKNOWN_TAKEN_FOR_APPLIED
                                        ? new CasOutcome.Applied()
                                        : new CasOutcome.Unknown(new IllegalStateException("timed out"))),
                        answer);
            }
        }
    }
}
