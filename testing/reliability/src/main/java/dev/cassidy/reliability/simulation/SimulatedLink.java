package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.store.ClaimOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * One process's link to the replicas. Every step takes a while, and may end in any way that Cassandra allows: certainly
 * not executed; unknown and applied, not applied, or applied later. Now and then the datacenter is cut off from the
 * others.
 */
final class SimulatedLink {

    /** What the statements compare. A statement that forgot one is a bug that the simulation must find. */
    enum Condition {
        CLAIM_RESERVE,
        TAIL_RESERVE,
        RETURN_RESERVE,
        RETURN_TOKEN,
        ABSORB_RESERVE,
        ADOPT_INCARNATION,
        GRANT_NEXT,
        GRANT_ONCE,
        INSERT_ONCE,
        REPLACE_NEXT
    }

    /**
     * How often things go wrong, each a probability.
     *
     * @param twice that something on the way executes a statement a second time, and passes on the second answer
     */
    record Faults(double notExecuted, double unknown, double late, double twice) {
        static final Faults NONE = new Faults(0, 0, 0, 0);
    }

    /** The faults of the steps; shared by all links. */
    static final class Weather {
        Faults faults;
        /** Conditions that the statements forget. */
        final Set<Condition> omitted;

        long fired;

        Weather(Faults faults, Set<Condition> omitted) {
            this.faults = faults;
            this.omitted = omitted;
        }
    }

    /** Checks its condition, writes if it holds, and returns whether it did. */
    @FunctionalInterface
    interface Statement {
        ClaimOutcome execute();
    }

    private static final int LONGEST_STEP_MILLIS = 30;
    private static final int LATEST_MILLIS = 20_000;

    private final Datacenter datacenter;
    private final VirtualTime time;
    private final RandomGenerator random;
    private final Weather weather;
    private final BooleanSupplier alive;

    /** @param alive whether the process still runs; the dead get no answers */
    SimulatedLink(
            Datacenter datacenter, VirtualTime time, RandomGenerator random, Weather weather, BooleanSupplier alive) {
        this.datacenter = datacenter;
        this.time = time;
        this.random = random;
        this.weather = weather;
        this.alive = alive;
    }

    long nanoTime() {
        return time.nanoTime();
    }

    /** Whether a condition lets a statement pass. */
    boolean holds(Condition condition, boolean value) {
        return value || weather.omitted.contains(condition);
    }

    /** Reads in the order of the writes. */
    <T> CompletionStage<T> read(boolean acrossDatacenters, Supplier<T> look) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        soon(() -> {
            if (isOutOfReach(acrossDatacenters) || chance(weather.faults.notExecuted())) {
                fail(answer, "no answer");
                return;
            }
            try {
                T seen = look.get();
                soon(() -> answer.complete(seen));
            } catch (IllegalArgumentException | SequenceException | SimulatedFault spoiled) {
                soon(() -> answer.completeExceptionally(spoiled));
            }
        });
        return answer;
    }

    /**
     * Reads without any order: what any replica returns, which may have missed writes. Without faults none has.
     *
     * @param history the states that may be seen, oldest first; not empty
     */
    <T> CompletionStage<T> peek(boolean acrossDatacenters, Supplier<List<T>> history) {
        return read(acrossDatacenters, () -> {
            List<T> versions = history.get();
            boolean missed = !weather.faults.equals(Faults.NONE) && random.nextBoolean();
            return versions.get(missed ? random.nextInt(versions.size()) : versions.size() - 1);
        });
    }

    CompletionStage<ClaimOutcome> write(boolean acrossDatacenters, Statement step) {
        CompletableFuture<ClaimOutcome> answer = new CompletableFuture<>();
        soon(() -> {
            boolean silent = !acrossDatacenters && datacenter.silent;
            if ((acrossDatacenters && datacenter.cutOff)
                    || (silent && random.nextInt(4) == 0)
                    || chance(weather.faults.notExecuted())) {
                fail(answer, "unavailable");
            } else if (silent || chance(weather.faults.unknown())) {
                weather.fired++;
                if (random.nextBoolean()) {
                    executeUnseen(step);
                } else if (chance(weather.faults.late())) {
                    // It is still queued at its coordinator, and takes effect long after the client has moved on.
                    time.schedule(() -> executeUnseen(step), Duration.ofMillis(random.nextInt(1, LATEST_MILLIS)));
                }
                soon(() -> answer.complete(new ClaimOutcome.Unknown(new SimulatedFault("time-out"))));
            } else {
                ClaimOutcome outcome;
                try {
                    outcome = step.execute();
                } catch (SimulatedFault unavailable) {
                    fail(answer, "unavailable");
                    return;
                }
                if (chance(weather.faults.twice())) {
                    weather.fired++;
                    soonWhateverHappens(() -> {
                        ClaimOutcome second = step.execute();
                        soon(() -> answer.complete(second));
                    });
                } else {
                    soon(() -> answer.complete(outcome));
                }
            }
        });
        return answer;
    }

    private static void executeUnseen(Statement step) {
        try {
            step.execute();
        } catch (SimulatedFault unavailable) {
            // Its sender gets no answer anyway.
        }
    }

    private void soonWhateverHappens(Runnable task) {
        time.schedule(task, Duration.ofMillis(random.nextInt(0, LONGEST_STEP_MILLIS)));
    }

    private boolean isOutOfReach(boolean acrossDatacenters) {
        return acrossDatacenters ? datacenter.cutOff : datacenter.silent;
    }

    private void fail(CompletableFuture<?> answer, String why) {
        weather.fired++;
        soon(() -> answer.completeExceptionally(new SimulatedFault(why)));
    }

    private void soon(Runnable task) {
        time.schedule(
                () -> {
                    // What was executed stays so even if its sender dies; what was not executed yet is not.
                    if (alive.getAsBoolean()) {
                        task.run();
                    }
                },
                Duration.ofMillis(random.nextInt(0, LONGEST_STEP_MILLIS)));
    }

    private boolean chance(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    /** Without a stack trace: there are millions of them. */
    static final class SimulatedFault extends RuntimeException {
        private static final long serialVersionUID = 1;

        SimulatedFault(String what) {
            super("simulated: " + what, null, false, false);
        }
    }
}
