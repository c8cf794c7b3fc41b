package dev.cassidy.transaction;

import dev.cassidy.async.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/** Runs all clients on one thread: each step of the stores is a task, and the seed says which task is next. */
final class World implements Timer {

    /** What the stores fail with; without a stack trace, because there are many. */
    static final class Fault extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Fault(String message) {
            super(message, null, false, false);
        }
    }

    final Random random;
    private final List<Runnable> ready = new ArrayList<>();
    private final List<Runnable> waiting = new ArrayList<>();

    /** What was sent and arrives when it likes. */
    private final List<Runnable> late = new ArrayList<>();

    /** How many of a hundred calls fail. */
    int faults;

    /** How many of a hundred steps are the end of a pause: with many, those who wait lose patience. */
    private final int pauses;

    /** How many of a hundred answers wait as long as what arrives late. */
    private final int stalls;

    World(long seed) {
        this.random = new Random(seed);
        this.stalls = new int[] {0, 5, 20}[random.nextInt(3)];
        this.pauses = new int[] {15, 50, 90}[random.nextInt(3)];
    }

    /** How many steps were made. */
    private int steps;

    /** A process; when it has crashed, it sends nothing and hears nothing. */
    final class Client {

        private int callsLeft;
        private boolean crashed;

        Client(int callsLeft) {
            this.callsLeft = callsLeft;
        }

        boolean hasCrashed() {
            return crashed;
        }

        /** @param unknown what the client hears if the outcome is unknown */
        <T> CompletionStage<T> call(Supplier<T> effect, Function<Throwable, CompletableFuture<T>> unknown) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            if (!crashed && --callsLeft < 0) {
                crashed = true;
                if (random.nextBoolean()) {
                    late.add(effect::get);
                }
            }
            if (crashed) {
                return answer;
            }
            if (random.nextInt(100) >= faults) {
                ready.add(() -> {
                    T result = effect.get();
                    hear(() -> answer.complete(result));
                });
                return answer;
            }
            Fault fault = new Fault("unknown");
            switch (random.nextInt(4)) {
                case 0 -> hear(() -> answer.completeExceptionally(new Fault("not executed")));
                case 1 -> hear(() -> pass(unknown.apply(fault), answer));
                case 2 ->
                    ready.add(() -> {
                        effect.get();
                        hear(() -> pass(unknown.apply(fault), answer));
                    });
                default -> {
                    late.add(effect::get);
                    hear(() -> pass(unknown.apply(fault), answer));
                }
            }
            return answer;
        }

        <T> CompletionStage<WriteOutcome<T>> conditional(Supplier<WriteOutcome<T>> effect) {
            return call(effect, cause -> CompletableFuture.completedFuture(new WriteOutcome.Unknown<>(cause)));
        }

        /**
         * As the other. Now and then, what the coordinator proposed is finished by others, and it looks at its condition once more, some time
         * later.
         */
        <T> CompletionStage<WriteOutcome<T>> evaluatedAgain(Supplier<WriteOutcome<T>> effect) {
            if (random.nextInt(100) >= faults) {
                return conditional(effect);
            }
            return conditional(effect).thenCompose(first -> {
                if (!(first instanceof WriteOutcome.Applied)) {
                    return CompletableFuture.completedFuture(first);
                }
                CompletableFuture<WriteOutcome<T>> answer = new CompletableFuture<>();
                later(() -> begin(() -> answer.complete(effect.get())));
                return answer;
            });
        }

        /** Now and then the process stands still. */
        private void hear(Runnable task) {
            (random.nextInt(100) < stalls ? late : ready).add(() -> {
                if (!crashed) {
                    task.run();
                }
            });
        }

        /** A task of the client itself. */
        void begin(Runnable task) {
            hear(task);
        }
    }

    private static <T> void pass(CompletableFuture<T> from, CompletableFuture<T> to) {
        from.whenComplete((value, failure) -> {
            if (failure == null) {
                to.complete(value);
            } else {
                to.completeExceptionally(failure);
            }
        });
    }

    /** Something that happens at some time, without anybody. */
    void later(Runnable task) {
        late.add(task);
    }

    @Override
    public void schedule(Runnable task, Duration delay) {
        waiting.add(task);
    }

    /** Tells which of two moments was first. */
    int now() {
        return steps;
    }

    /** Runs until nothing is left to do. */
    void run() {
        int begun = steps;
        for (; !ready.isEmpty() || !waiting.isEmpty() || !late.isEmpty(); steps++) {
            if (steps - begun > 200_000) {
                throw new AssertionError("nobody gets on");
            }
            int die = random.nextInt(100);
            if (!late.isEmpty() && (die < 4 || (ready.isEmpty() && waiting.isEmpty()))) {
                take(late).run();
            } else if (!waiting.isEmpty() && (die < 4 + pauses || ready.isEmpty())) {
                take(waiting).run();
            } else if (!ready.isEmpty()) {
                take(ready).run();
            }
        }
    }

    private Runnable take(List<Runnable> tasks) {
        int index = random.nextInt(tasks.size());
        Runnable task = tasks.get(index);
        tasks.set(index, tasks.get(tasks.size() - 1));
        tasks.remove(tasks.size() - 1);
        return task;
    }
}
