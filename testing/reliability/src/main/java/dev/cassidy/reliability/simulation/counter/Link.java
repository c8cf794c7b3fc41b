package dev.cassidy.reliability.simulation.counter;

import dev.cassidy.counter.store.CounterRow;
import dev.cassidy.counter.store.CounterTable;
import dev.cassidy.counter.store.StepOutcome;
import dev.cassidy.reliability.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * One process's link to its datacenter. Writes reach each replica at a time of its own, or only much later; answers come,
 * or do not; a read asks two replicas, each at a moment of its own.
 */
final class Link {

    private static final int MAJORITY = 2;
    private static final int LONGEST_STEP_MILLIS = 20;
    private static final int LATEST_MILLIS = 120_000;
    private static final int TIME_OUT_MILLIS = 2_000;

    /** Without a stack trace: there are millions of them. */
    static final class Fault extends RuntimeException {
        private static final long serialVersionUID = 1;

        Fault(String what) {
            super("simulated: " + what, null, false, false);
        }
    }

    private final Datacenter datacenter;
    private final VirtualTime time;
    private final SplittableRandom random;
    private final Weather weather;

    /** Runs a task of the process: later, if it is paused; never, if it is dead. */
    private final BiConsumer<Runnable, Duration> process;

    private final BooleanSupplier cutOff;
    private boolean dropsMost;

    Link(Datacenter datacenter, BiConsumer<Runnable, Duration> process, BooleanSupplier cutOff) {
        this.datacenter = datacenter;
        this.time = datacenter.time();
        this.random = datacenter.random();
        this.weather = datacenter.weather;
        this.process = process;
        this.cutOff = cutOff;
    }

    /** The next write is dropped by most replicas, for good. */
    void dropMost() {
        dropsMost = true;
    }

    private boolean chance(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    private Duration aWhile() {
        return Duration.ofMillis(random.nextInt(LONGEST_STEP_MILLIS));
    }

    /** Answers the process. */
    private void answer(Runnable task) {
        process.accept(task, aWhile());
    }

    private void fail(CompletableFuture<?> answer, Duration after, RuntimeException failure) {
        weather.fired++;
        process.accept(() -> answer.completeExceptionally(failure), after);
    }

    // ---- conditional steps and reads of one partition

    /** A step that the server executes. Returns whether its condition held. */
    @FunctionalInterface
    interface Step {
        boolean execute();
    }

    CompletionStage<StepOutcome> step(Step step, Runnable commit) {
        CompletableFuture<StepOutcome> answer = new CompletableFuture<>();
        // On its way it no longer depends on its sender.
        process.accept(
                () -> time.schedule(
                        () -> {
                            if (cutOff.getAsBoolean() || chance(weather.notExecuted)) {
                                fail(answer, aWhile(), new Fault("not executed"));
                            } else if (chance(weather.unknown)) {
                                if (random.nextBoolean()) {
                                    step.execute();
                                } else if (chance(weather.late)) {
                                    time.schedule(step::execute, Duration.ofMillis(random.nextInt(LATEST_MILLIS)));
                                }
                                weather.fired++;
                                answer(() -> answer.complete(new StepOutcome.Unknown(new Fault("time-out"))));
                            } else {
                                boolean held = step.execute();
                                time.schedule(
                                        () -> {
                                            commit.run();
                                            answer(() -> answer.complete(
                                                    held ? new StepOutcome.Done() : new StepOutcome.Refused()));
                                        },
                                        aWhile());
                            }
                        },
                        aWhile()),
                Duration.ZERO);
        return answer;
    }

    <T> CompletionStage<T> read(Supplier<T> look) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        process.accept(
                () -> time.schedule(
                        () -> {
                            if (cutOff.getAsBoolean() || chance(weather.notExecuted)) {
                                fail(answer, aWhile(), new Fault("no answer"));
                            } else {
                                T seen = look.get();
                                answer(() -> answer.complete(seen));
                            }
                        },
                        aWhile()),
                Duration.ZERO);
        return answer;
    }

    // ---- the counters' table

    CompletionStage<Void> write(Mutation mutation) {
        return write(mutation, Long.MAX_VALUE);
    }

    /** @param latest when it is not sent any more, by the time of the simulation */
    CompletionStage<Void> write(Mutation mutation, long latest) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        process.accept(
                () -> {
                    if (time.nanoTime() > latest) {
                        fail(answer, Duration.ZERO, new Fault("stood still"));
                        return;
                    }
                    if (cutOff.getAsBoolean() || chance(weather.notExecuted)) {
                        fail(answer, aWhile(), new CounterTable.NotExecuted("no node", new Fault("no node")));
                        return;
                    }
                    int of = datacenter.coordinator().table();
                    if (of == Replica.NO_TABLE) {
                        fail(answer, aWhile(), noTable());
                        return;
                    }
                    send(of, mutation, answer);
                },
                Duration.ZERO);
        return answer;
    }

    private static CounterTable.Rejected noTable() {
        return new CounterTable.Rejected("there is no such table", new Fault("no table"));
    }

    /** @param of the id that the table has for the coordinator: replicas that know no such table do nothing */
    private void send(int of, Mutation mutation, CompletableFuture<Void> answer) {
        int[] acknowledged = {0};
        boolean told = !chance(weather.unknown);
        boolean most = dropsMost;
        dropsMost = false;
        for (Replica replica : datacenter.replicas) {
            if (most && random.nextInt(3) > 0) {
                weather.fired++;
                continue;
            }
            if (chance(weather.dropped)) {
                weather.fired++;
                // It was dropped, or is kept as a hint.
                if (random.nextInt(3) > 0) {
                    long sentAt = time.nanoTime();
                    time.schedule(
                            () -> replica.applyHint(of, mutation, sentAt),
                            Duration.ofMillis(random.nextInt(LATEST_MILLIS)));
                }
                continue;
            }
            time.schedule(
                    () -> {
                        if (replica.apply(of, mutation) && ++acknowledged[0] == MAJORITY && told) {
                            answer(() -> answer.complete(null));
                        }
                    },
                    aWhile());
        }
        fail(answer, Duration.ofMillis(TIME_OUT_MILLIS), new Fault("time-out"));
    }

    /** Reads partitions at one moment of each of two replicas. */
    CompletionStage<Map<String, List<CounterRow>>> select(String prefix) {
        return select(prefix, MAJORITY);
    }

    /** Asks one node for the id of the table. */
    CompletionStage<Integer> table() {
        return read(() -> datacenter.coordinator().table());
    }

    /** @param asked how many replicas must answer */
    CompletionStage<Map<String, List<CounterRow>>> select(String prefix, int asked) {
        CompletableFuture<Map<String, List<CounterRow>>> answer = new CompletableFuture<>();
        process.accept(
                () -> {
                    List<Replica> up = new ArrayList<>(
                            datacenter.replicas.stream().filter(Replica::isUp).toList());
                    if (cutOff.getAsBoolean() || up.size() < asked || chance(weather.notExecuted)) {
                        fail(answer, aWhile(), new Fault("unavailable"));
                        return;
                    }
                    int of = datacenter.coordinator().table();
                    if (of == Replica.NO_TABLE) {
                        fail(answer, aWhile(), noTable());
                        return;
                    }
                    Collections.swap(up, 0, random.nextInt(up.size()));
                    List<Replica.Answer> answers = new ArrayList<>();
                    for (Replica replica : up.subList(up.size() - asked, up.size())) {
                        time.schedule(
                                () -> {
                                    if (!replica.isUp() || replica.table() != of) {
                                        return;
                                    }
                                    answers.add(replica.read(prefix));
                                    if (answers.size() == asked) {
                                        answer(() -> answer.complete(Replica.merged(answers)));
                                    }
                                },
                                aWhile());
                    }
                    fail(answer, Duration.ofMillis(TIME_OUT_MILLIS), new Fault("time-out"));
                },
                Duration.ZERO);
        return answer;
    }
}
