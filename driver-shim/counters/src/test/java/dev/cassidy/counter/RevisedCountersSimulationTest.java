package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.async.Stages;
import dev.cassidy.async.Timer;
import dev.cassidy.cluster.Identity;
import dev.cassidy.counter.cassandra.RevisedTable;
import dev.cassidy.lwt.CasOutcome;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Processes that change one number at the same time, stand still and die; statements that take effect late or never, or
 * whose answer is lost. Each increment is a power of four, so that the number tells how often it counts.
 */
class RevisedCountersSimulationTest {

    private static final int SCHEDULES = Integer.getInteger("revised.schedules", 1_000);
    private static final int PROCESSES = 5;
    private static final int INCREMENTS = 5;

    /** What a table that is not like Cassandra does. */
    private enum Defect {
        NONE,
        REVISION_NOT_COMPARED,
        TOKEN_NOT_COMPARED,
        OWN_CHANGE_NOT_RECOGNISED,
        UNKNOWN_TAKEN_FOR_REFUSED
    }

    @ParameterizedTest
    @EnumSource(names = {"LINEARIZABLE", "SERIALIZABLE"})
    void shouldCountWhatIsAcknowledgedOnceAndTheRestOnceAtMost(CounterKind kind) {
        int acknowledged = 0;
        for (long seed = 1; seed <= SCHEDULES; seed++) {
            Schedule schedule = new Schedule(kind, Defect.NONE, seed);
            assertThat(schedule.run()).as("seed %d", seed).isEmpty();
            acknowledged += schedule.acknowledged.size();
        }
        // A simulation in which nothing counts proves nothing.
        assertThat(acknowledged).isGreaterThan(SCHEDULES * PROCESSES * INCREMENTS / 3);
    }

    static Stream<Arguments> defects() {
        return Stream.of(
                Arguments.of(CounterKind.LINEARIZABLE, Defect.REVISION_NOT_COMPARED),
                Arguments.of(CounterKind.LINEARIZABLE, Defect.OWN_CHANGE_NOT_RECOGNISED),
                Arguments.of(CounterKind.LINEARIZABLE, Defect.UNKNOWN_TAKEN_FOR_REFUSED),
                Arguments.of(CounterKind.SERIALIZABLE, Defect.TOKEN_NOT_COMPARED),
                Arguments.of(CounterKind.SERIALIZABLE, Defect.OWN_CHANGE_NOT_RECOGNISED),
                Arguments.of(CounterKind.SERIALIZABLE, Defect.UNKNOWN_TAKEN_FOR_REFUSED));
    }

    @ParameterizedTest
    @MethodSource("defects")
    void shouldFind(CounterKind kind, Defect defect) {
        assertThat(LongStream.rangeClosed(1, 2_000)
                        .anyMatch(
                                seed -> !new Schedule(kind, defect, seed).run().isEmpty()))
                .isTrue();
    }

    private static final class Schedule {

        private record Made(long revision, UUID op) {}

        private final CounterKind kind;
        private final Defect defect;
        private final Random random;
        private final SimulatedTime time = new SimulatedTime();
        private final Map<Long, Made> ring = new HashMap<>();
        private final Set<Integer> acknowledged = new HashSet<>();
        private final Set<Integer> notSent = new HashSet<>();
        private final List<String> violations = new ArrayList<>();
        private RevisedTable.Revised current = RevisedTable.Revised.NOTHING;
        private int increments;

        Schedule(CounterKind kind, Defect defect, long seed) {
            this.kind = kind;
            this.defect = defect;
            this.random = new Random(seed);
        }

        List<String> run() {
            for (int i = 0; i < PROCESSES; i++) {
                Process process = new Process();
                time.after(random.nextInt(3_000), process::start);
                if (random.nextBoolean()) {
                    time.after(random.nextInt(10_000), () -> process.dead = true);
                }
                if (random.nextBoolean()) {
                    time.after(
                            random.nextInt(5_000),
                            () -> process.standsStillUntil = time.millis() + random.nextInt(15_000));
                }
            }
            time.run();
            for (int k = 0; k < increments; k++) {
                long times = times(current.value(), k);
                if (acknowledged.contains(k) ? times != 1 : notSent.contains(k) ? times != 0 : times > 1) {
                    violations.add("increment " + k + " counts " + times + " times in the end");
                }
            }
            return violations;
        }

        private long soon() {
            return random.nextInt(20);
        }

        private static long times(long value, int k) {
            return (value >>> (2 * k)) & 3;
        }

        private final class Process implements RevisedTable {

            private boolean dead;
            private long standsStillUntil;

            void start() {
                Timer timer = (task, delay) -> later(delay.toMillis(), task);
                LongSupplier nanoTime = time::nanos;
                CountersConfig config = CountersConfig.of("shop.visits")
                        .withKind(kind)
                        .withRequestTimeout(Duration.ofSeconds(2))
                        .withIncrementTimeout(Duration.ofSeconds(1 + random.nextInt(20)));
                KindContext context = new KindContext(
                        null,
                        config,
                        "",
                        null,
                        null,
                        new Identity(nanoTime, InstantSource.system()),
                        timer,
                        nanoTime,
                        InstantSource.system(),
                        null,
                        random);
                OpenCounters counters = kind == CounterKind.LINEARIZABLE
                        ? new LinearizableCounters(context, this)
                        : new SerializableCounters(context, this);
                Counter counter = counters.counter("IBM");
                for (int i = 0; i < INCREMENTS; i++) {
                    later(random.nextInt(6_000), () -> add(counter));
                    later(random.nextInt(10_000), () -> value(counter));
                }
            }

            /** What the process does itself: not while it stands still, and not after its death. */
            private void later(long millis, Runnable task) {
                time.after(millis, () -> {
                    if (dead) {
                        return;
                    }
                    if (time.millis() < standsStillUntil) {
                        later(standsStillUntil - time.millis(), task);
                    } else {
                        task.run();
                    }
                });
            }

            private void add(Counter counter) {
                int k = increments++;
                counter.addAsync(1L << (2 * k)).whenComplete((done, failure) -> {
                    if (failure == null) {
                        acknowledged.add(k);
                        if (times(current.value(), k) != 1) {
                            violations.add("increment " + k + " is acknowledged and does not count once");
                        }
                    } else if (Stages.cause(failure) instanceof CounterException.NotSent) {
                        notSent.add(k);
                    }
                });
            }

            private void value(Counter counter) {
                List<Integer> before = List.copyOf(acknowledged);
                counter.valueAsync().thenAccept(value -> before.stream()
                        .filter(k -> times(value.longValue(), k) != 1)
                        .forEach(k -> violations.add("a value lacks increment " + k)));
            }

            private CompletionStage<CasOutcome> execute(Supplier<CasOutcome> statement) {
                CompletableFuture<CasOutcome> answer = new CompletableFuture<>();
                CasOutcome unknown = defect == Defect.UNKNOWN_TAKEN_FOR_REFUSED
                        ? new CasOutcome.Refused(List.of())
                        : new CasOutcome.Unknown(new IllegalStateException("timed out"));
                int fate = random.nextInt(14);
                if (fate == 0) {
                    later(soon(), () -> answer.completeExceptionally(new IllegalStateException("unavailable")));
                    return answer;
                }
                if (fate == 1) {
                    time.after(random.nextInt(20_000), statement::get);
                } else if (fate > 2) {
                    boolean answered = fate > 3;
                    time.after(soon(), () -> {
                        CasOutcome outcome = statement.get();
                        if (answered) {
                            later(soon(), () -> answer.complete(outcome));
                        }
                    });
                }
                later(1_000, () -> answer.complete(unknown));
                return answer;
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
            public CompletionStage<Revised> read(String counter) {
                return ask(() -> current);
            }

            @Override
            public CompletionStage<CasOutcome> change(String counter, Revised seen, long value, UUID op) {
                return execute(() -> {
                    if (defect != Defect.REVISION_NOT_COMPARED && seen.revision() != current.revision()
                            || defect != Defect.TOKEN_NOT_COMPARED && seen.fence() != current.fence()) {
                        return new CasOutcome.Refused(List.of());
                    }
                    long revision = seen.revision() + 1;
                    current = new Revised(value, revision, current.fence(), current.holder());
                    ring.put(revision % RING, new Made(revision, op));
                    return new CasOutcome.Applied();
                });
            }

            @Override
            public CompletionStage<Evidence> evidence(String counter, long revision, UUID op) {
                return ask(() -> {
                    Made made = ring.get(revision % RING);
                    if (made == null || made.revision() != revision) {
                        return Evidence.LOST;
                    }
                    return made.op().equals(op) && defect != Defect.OWN_CHANGE_NOT_RECOGNISED
                            ? Evidence.MADE
                            : Evidence.NOT_MADE;
                });
            }

            @Override
            public CompletionStage<CasOutcome> lock(String counter, Revised seen, UUID holder) {
                return execute(() -> {
                    if (seen.fence() != current.fence() || seen.revision() != current.revision()) {
                        return new CasOutcome.Refused(List.of());
                    }
                    current = current.locked(holder);
                    return new CasOutcome.Applied();
                });
            }

            @Override
            public CompletionStage<CasOutcome> unlock(String counter, long fence) {
                return execute(() -> {
                    if (fence != current.fence()) {
                        return new CasOutcome.Refused(List.of());
                    }
                    current = new Revised(current.value(), current.revision(), fence, null);
                    return new CasOutcome.Applied();
                });
            }
        }
    }
}
