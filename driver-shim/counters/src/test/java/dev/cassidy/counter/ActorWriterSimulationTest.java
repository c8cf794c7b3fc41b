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
            new Schedule(seed).run();
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

        Schedule(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
        }

        void run() {
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
                    if (acknowledged.contains(k)) {
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
                        new ActorWriter(this, "IBM", "dc1/P1", context, (counter, total) -> {}),
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
                int left = random.nextInt(3);
                time.after(random.nextInt(20), () -> {
                    Total read = Schedule.this.read((left + 1) % 3, (left + 2) % 3);
                    later(() -> answer.complete(read), Duration.ofMillis(random.nextInt(20)));
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
                    time.after(way < 4 ? random.nextInt(20_000) : random.nextInt(20), () -> {
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
