package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import dev.cassidy.async.Stages;
import dev.cassidy.async.Timer;
import dev.cassidy.counter.cassandra.ActorTable;
import dev.cassidy.counter.store.CounterTable;
import java.math.BigInteger;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * Processes that use one actor one after another, and die; three replicas that hear of totals late, in another order, or
 * never; statements whose outcome is unknown. Each increment is a power of four, so that the total tells how often it counts.
 */
class ActorWriterSimulationTest {

    private static final int SCHEDULES = Integer.getInteger("actors.schedules", 3_000);
    private static final int PROCESSES = 8;
    private static final int INCREMENTS = 3;

    @Test
    void shouldCountWhatIsAcknowledgedOnceAndTheRestOnceAtMost() {
        for (long seed = 1; seed <= SCHEDULES; seed++) {
            new Schedule(seed, false).run();
        }
    }

    @Test
    void shouldBeginAt0IfTheTableIsEmptied() {
        for (long seed = 1; seed <= SCHEDULES; seed++) {
            new Schedule(seed, true).run();
        }
    }

    private static final class Schedule implements Timer {

        private final long seed;
        private final Random random;
        private final SimulatedTime time = new SimulatedTime();
        private final List<ActorTable.Total> replicas = new ArrayList<>(
                List.of(new ActorTable.Total(0, 0), new ActorTable.Total(0, 0), new ActorTable.Total(0, 0)));
        private final Set<Integer> acknowledged = new HashSet<>();
        private final Set<Integer> notSent = new HashSet<>();
        private int increments;

        /** Whether the table is emptied once. */
        private final boolean emptied;

        /** 0 while none is named. */
        private int generation = 1;

        private long emptiedAt = Long.MIN_VALUE;

        /** Of those that were acknowledged before, and those that began after. */
        private final Set<Integer> before = new HashSet<>();

        private final Set<Integer> after = new HashSet<>();

        Schedule(long seed, boolean emptied) {
            this.seed = seed;
            this.emptied = emptied;
            this.random = new Random(seed);
        }

        void run() {
            if (emptied) {
                time.after(random.nextInt(20_000), this::empty);
            }
            for (int i = 0; i < PROCESSES; i++) {
                Process process = new Process();
                process.start();
                // Many die while they begin.
                time.runUntil(time.millis() + random.nextInt(random.nextBoolean() ? 150 : 5_000));
                process.dead = true;
            }
            check("while some of it is under way");
            time.run();
            check("when everything has arrived");
        }

        @Override
        public void schedule(Runnable task, Duration delay) {
            time.after(delay.toMillis(), task);
        }

        /** In half of the schedules later increments are smaller: of two totals with one version the larger wins. */
        private int shift(int k) {
            return 2 * (seed % 2 == 0 ? k : PROCESSES * INCREMENTS - 1 - k);
        }

        private void empty() {
            before.addAll(acknowledged);
            generation = 0;
            clear();
            // Longer than from a process's question to the arrival of what it writes then.
            time.after(100, () -> {
                clear();
                generation = 2;
            });
        }

        private void clear() {
            replicas.replaceAll(total -> new ActorTable.Total(0, 0));
            emptiedAt = time.millis();
        }

        private ActorTable.Total read(int one, int other) {
            return Comparator.comparingLong(ActorTable.Total::version)
                                    .thenComparingLong(ActorTable.Total::sum)
                                    .compare(replicas.get(one), replicas.get(other))
                            > 0
                    ? replicas.get(one)
                    : replicas.get(other);
        }

        private void check(String when) {
            for (int left = 0; left < 3; left++) {
                long total = read((left + 1) % 3, (left + 2) % 3).sum();
                for (int k = 0; k < increments; k++) {
                    long times = (total >>> shift(k)) & 3;
                    String what = "seed " + seed + ", increment " + k + ", " + when;
                    if (emptied && acknowledged.contains(k) && !after.contains(k)) {
                        assertThat(times).as(what).isBetween(0L, before.contains(k) && generation == 2 ? 0L : 1L);
                    } else if (acknowledged.contains(k)) {
                        assertThat(times).as(what).isOne();
                    } else if (notSent.contains(k)) {
                        assertThat(times).as(what).isZero();
                    } else {
                        assertThat(times).as(what).isLessThanOrEqualTo(1);
                    }
                }
            }
        }

        private final class Process implements ActorTable {

            private boolean dead;
            private int read;

            void start() {
                KindContext context = new KindContext(
                        null,
                        null,
                        "",
                        null,
                        null,
                        null,
                        this::later,
                        time::nanos,
                        InstantSource.system(),
                        null,
                        random);
                Lane lane = new Lane(
                        "IBM",
                        new ActorWriter(this, "IBM", "dc1/P1", context, total -> {}),
                        new Lane.Settings(
                                CounterKind.CUMULATIVE,
                                Duration.ofMillis(500 + random.nextInt(3_000)),
                                this::later,
                                time::nanos));
                for (int i = 0; i < INCREMENTS; i++) {
                    later(() -> add(lane), Duration.ofMillis(random.nextInt(i == 0 ? 20 : 4_000)));
                }
            }

            private void later(Runnable task, Duration delay) {
                schedule(
                        () -> {
                            if (!dead) {
                                task.run();
                            }
                        },
                        delay);
            }

            private void add(Lane lane) {
                int k = increments++;
                if (generation == 2) {
                    after.add(k);
                }
                lane.add(1L << shift(k)).whenComplete((done, failure) -> {
                    if (failure == null) {
                        acknowledged.add(k);
                    } else if (Stages.cause(failure) instanceof CounterException.NotSent) {
                        notSent.add(k);
                    }
                });
            }

            @Override
            public CompletionStage<Total> read(String counter, String actor) {
                CompletableFuture<Total> answer = new CompletableFuture<>();
                if (random.nextInt(5) == 0) {
                    later(
                            () -> answer.completeExceptionally(new IllegalStateException("timed out")),
                            Duration.ofSeconds(1));
                    return answer;
                }
                if (generation == 0) {
                    later(() -> answer.completeExceptionally(new IllegalStateException("none")), Duration.ofMillis(9));
                    return answer;
                }
                int left = random.nextInt(3);
                this.read = generation;
                time.after(random.nextInt(20), () -> {
                    Total read = Schedule.this.read((left + 1) % 3, (left + 2) % 3);
                    later(() -> answer.complete(read), Duration.ofMillis(random.nextInt(20)));
                });
                return answer;
            }

            @Override
            public CompletionStage<Void> require() {
                if (!emptied) {
                    return CompletableFuture.completedFuture(null);
                }
                CompletableFuture<Void> answer = new CompletableFuture<>();
                time.after(random.nextInt(20), () -> {
                    int now = generation;
                    later(
                            () -> {
                                if (now == read) {
                                    answer.complete(null);
                                } else {
                                    answer.completeExceptionally(
                                            now == 0
                                                    ? new CounterTable.NotExecuted("none", new IllegalStateException())
                                                    : new CounterTable.Emptied("emptied", new UUID(0, now)));
                                }
                            },
                            Duration.ofMillis(random.nextInt(20)));
                });
                return answer;
            }

            @Override
            public CompletionStage<Void> write(String counter, String actor, Total total) {
                CompletableFuture<Void> answer = new CompletableFuture<>();
                int fate = random.nextInt(10);
                if (fate == 0) {
                    later(
                            () -> answer.completeExceptionally(
                                    new CounterTable.NotExecuted("unavailable", new IllegalStateException())),
                            Duration.ofMillis(random.nextInt(20)));
                    return answer;
                }
                boolean answerIsLost = fate == 1;
                int[] acks = {0};
                for (int i = 0; i < 3; i++) {
                    int replica = i;
                    int way = random.nextInt(10);
                    if (way == 0) {
                        continue;
                    }
                    long sentAt = time.millis();
                    boolean isLate = way < 4;
                    time.after(isLate ? random.nextInt(20_000) : random.nextInt(20), () -> {
                        if (isLate && sentAt <= emptiedAt) {
                            // Nodes forget what they have kept for others.
                            return;
                        }
                        replicas.set(replica, latest(replicas.get(replica), total));
                        if (++acks[0] == 2 && !answerIsLost) {
                            later(() -> answer.complete(null), Duration.ofMillis(random.nextInt(20)));
                        }
                    });
                }
                later(
                        () -> answer.completeExceptionally(new IllegalStateException("timed out")),
                        Duration.ofSeconds(1));
                return answer;
            }

            /** Of two cells with one timestamp the larger wins. */
            private static Total latest(Total one, Total other) {
                return Comparator.comparingLong(Total::version)
                                        .thenComparingLong(Total::sum)
                                        .compare(one, other)
                                > 0
                        ? one
                        : other;
            }

            @Override
            public CompletionStage<BigInteger> sum(String counter, ConsistencyLevel level) {
                throw new UnsupportedOperationException();
            }
        }
    }
}
