package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.simulation.SimulatedCluster.ClaimKey;
import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.reliability.simulation.SimulatedCluster.Partition;
import dev.cassidy.sequence.Claim;
import dev.cassidy.sequence.ClaimOutcome;
import dev.cassidy.sequence.Grant;
import dev.cassidy.sequence.Ledger;
import dev.cassidy.sequence.RangeStore;
import dev.cassidy.sequence.Reserve;
import dev.cassidy.sequence.Span;
import dev.cassidy.sequence.Stripe;
import dev.cassidy.sequence.Tails;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * One process's view of a simulated cluster. Every step is linearizable, takes a while, and may end in any way that
 * Cassandra allows: certainly not executed; unknown and applied, not applied, or applied later; and now and then the
 * datacenter is cut off from the others. The conditions are those of the real store's statements, and one contract suite
 * is run by both.
 */
class SimulatedStore implements RangeStore {

    /** What the statements compare. A statement that forgot one is a bug that the simulation must find. */
    enum Condition {
        CLAIM_POSITION,
        TAIL_IS_THERE,
        RETURN_TAILS,
        RETURN_TOKEN,
        RETURN_INCARNATION,
        ABSORB_NUMBER,
        ABSORB_INCARNATION,
        ADOPT_INCARNATION,
        GRANT_NEXT,
        GRANT_ONCE
    }

    /** How often things go wrong, each a probability. */
    record Faults(double notExecuted, double unknown, double late) {
        static final Faults NONE = new Faults(0, 0, 0);
    }

    /** What befalls the steps; shared by all views. */
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

    /** Checks its condition, writes if it holds, and says whether it did. */
    @FunctionalInterface
    private interface Statement {
        ClaimOutcome execute();
    }

    private static final int LONGEST_STEP_MILLIS = 30;
    private static final int LATEST_MILLIS = 20_000;

    private final SimulatedCluster cluster;
    private final Datacenter datacenter;
    private final Map<Stripe, Partition> partitions;
    private final int datacenters;
    private final VirtualTime time;
    private final RandomGenerator random;
    private final Weather weather;
    private final BooleanSupplier alive;
    private final LongSupplier hour;

    /**
     * @param partitions the datacenter's, as the replicas of this view's coordinator hold them
     * @param alive whether the process that uses this view still runs; the dead get no answers
     * @param hour the process's wall clock, in hours since 1970
     */
    SimulatedStore(
            SimulatedCluster cluster,
            Datacenter datacenter,
            Map<Stripe, Partition> partitions,
            int datacenters,
            VirtualTime time,
            RandomGenerator random,
            Weather weather,
            BooleanSupplier alive,
            LongSupplier hour) {
        this.cluster = cluster;
        this.datacenter = datacenter;
        this.partitions = partitions;
        this.datacenters = datacenters;
        this.time = time;
        this.random = random;
        this.weather = weather;
        this.alive = alive;
        this.hour = hour;
    }

    @Override
    public CompletionStage<Optional<Reserve>> reserve(Stripe stripe) {
        return read(false, () -> Optional.ofNullable(partitions.get(stripe)).map(Partition::reserve));
    }

    @Override
    public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
        Span current = seen.current();
        Span upcoming = current.isEmpty() ? seen.upcoming() : null;
        Reserve after = seen.without(wanted.span(), hour.getAsLong());
        return write(false, () -> {
            Partition row = partitions.get(stripe);
            if (row == null) {
                return new ClaimOutcome.Lost();
            }
            boolean same = row.next == current.lo()
                    && row.hi == current.hi()
                    && (upcoming == null || row.nlo == upcoming.lo());
            if (row.incarnation != wanted.incarnation()
                    || row.claims.containsKey(ClaimKey.of(wanted))
                    || !holds(Condition.CLAIM_POSITION, same)) {
                return new ClaimOutcome.Lost(row.isSpoiled() ? null : row.reserve());
            }
            row.next = wanted.span().hi();
            if (upcoming != null) {
                row.rollOver(upcoming.hi());
            }
            row.usage = after.usage();
            row.put(wanted);
            spent.forEach(row::remove);
            return new ClaimOutcome.Claimed(after);
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> claimTail(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
        Tails after = seen.tails().minus(wanted.span());
        return onPartition(stripe, row -> {
            if (row.incarnation != seen.incarnation()
                    || !holds(Condition.TAIL_IS_THERE, row.tails.equals(seen.tails()))) {
                return false;
            }
            row.tails = after;
            row.put(wanted);
            spent.forEach(row::remove);
            return true;
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> giveBack(
            Stripe stripe, Reserve seen, List<Claim> ended, Tails after, List<Claim> spent) {
        return onPartition(stripe, row -> {
            if (!holds(Condition.RETURN_INCARNATION, row.incarnation == seen.incarnation())
                    || !holds(Condition.RETURN_TAILS, row.tails.equals(seen.tails()))
                    || !holds(Condition.RETURN_TOKEN, ended.stream().allMatch(row::holds))) {
                return false;
            }
            row.tails = after;
            ended.forEach(row::remove);
            spent.forEach(row::remove);
            return true;
        });
    }

    @Override
    public CompletionStage<Optional<Claim>> claimAt(Stripe stripe, int incarnation, long lo) {
        return read(false, () -> Optional.ofNullable(partitions.get(stripe))
                .map(row -> row.claims.get(new ClaimKey(incarnation, lo))));
    }

    @Override
    public CompletionStage<ClaimOutcome> forget(Stripe stripe, Claim claim) {
        return onPartition(stripe, row -> {
            boolean ours = row.holds(claim);
            if (ours) {
                row.remove(claim);
            }
            return ours;
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> absorb(Stripe stripe, Reserve seen, Grant grant) {
        return onPartition(stripe, row -> {
            if (!holds(Condition.ABSORB_INCARNATION, row.incarnation == grant.incarnation())
                    || !holds(Condition.ABSORB_NUMBER, row.grantNumber == grant.number() - 1)
                    || row.hasUpcoming()) {
                return false;
            }
            row.absorb(grant);
            return true;
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> adopt(Stripe stripe, Reserve seen, int incarnation, int grantNumber) {
        return onPartition(stripe, row -> {
            if (!holds(Condition.ADOPT_INCARNATION, row.incarnation == seen.incarnation())) {
                return false;
            }
            row.reset(incarnation, grantNumber);
            return true;
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> establish(Stripe stripe, int incarnation, int grantNumber, List<Claim> lost) {
        return write(false, () -> {
            Partition made = new Partition(incarnation, grantNumber);
            lost.forEach(made::put);
            return outcome(partitions.putIfAbsent(stripe, made) == null);
        });
    }

    @Override
    public CompletionStage<Integer> highestGrant(Stripe stripe, int incarnation) {
        return read(true, () -> cluster.highestGrant(datacenter.name, stripe.number(), incarnation));
    }

    @Override
    public CompletionStage<Optional<Ledger>> ledger(String sequence) {
        return read(
                true,
                () -> cluster.gone || !cluster.name.equals(sequence)
                        ? Optional.empty()
                        : Optional.of(new Ledger(
                                cluster.incarnation, new Span(cluster.next, cluster.max), cluster.ready, datacenters)));
    }

    @Override
    public CompletionStage<Optional<Grant>> grantAt(Stripe stripe, int incarnation, int number) {
        return read(
                true, () -> Optional.ofNullable(cluster.grant(datacenter.name, stripe.number(), incarnation, number)));
    }

    @Override
    public CompletionStage<ClaimOutcome> grant(Stripe stripe, Ledger seen, Grant wanted, UUID token) {
        return write(true, () -> outcome(granted(stripe, seen, wanted)));
    }

    private boolean granted(Stripe stripe, Ledger seen, Grant wanted) {
        boolean made = cluster.grant(datacenter.name, stripe.number(), wanted.incarnation(), wanted.number()) != null;
        if (cluster.gone
                || !cluster.ready
                || cluster.incarnation != seen.incarnation()
                || !holds(Condition.GRANT_NEXT, cluster.next == seen.free().lo())
                || !holds(Condition.GRANT_ONCE, !made)) {
            return false;
        }
        cluster.next = wanted.span().hi();
        cluster.put(datacenter.name, stripe.number(), wanted);
        return true;
    }

    private static ClaimOutcome outcome(boolean applied) {
        return applied ? new ClaimOutcome.Claimed() : new ClaimOutcome.Lost();
    }

    private boolean holds(Condition condition, boolean value) {
        return value || weather.omitted.contains(condition);
    }

    private CompletionStage<ClaimOutcome> onPartition(Stripe stripe, Predicate<Partition> step) {
        return write(false, () -> {
            Partition row = partitions.get(stripe);
            return outcome(row != null && step.test(row));
        });
    }

    private <T> CompletionStage<T> read(boolean acrossDatacenters, Supplier<T> look) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        soon(() -> {
            if (isCutOff(acrossDatacenters) || chance(weather.faults.notExecuted())) {
                fail(answer, "no answer");
                return;
            }
            try {
                T seen = look.get();
                soon(() -> answer.complete(seen));
            } catch (IllegalArgumentException spoiled) {
                soon(() -> answer.completeExceptionally(spoiled));
            }
        });
        return answer;
    }

    private CompletionStage<ClaimOutcome> write(boolean acrossDatacenters, Statement step) {
        CompletableFuture<ClaimOutcome> answer = new CompletableFuture<>();
        soon(() -> {
            if (isCutOff(acrossDatacenters) || chance(weather.faults.notExecuted())) {
                fail(answer, "unavailable");
            } else if (chance(weather.faults.unknown())) {
                weather.fired++;
                if (random.nextBoolean()) {
                    step.execute();
                } else if (chance(weather.faults.late())) {
                    // It is still queued at its coordinator, and takes effect when the client has long moved on.
                    time.schedule(step::execute, Duration.ofMillis(random.nextInt(1, LATEST_MILLIS)));
                }
                soon(() -> answer.complete(new ClaimOutcome.Unknown(new SimulatedFault("time-out"))));
            } else {
                ClaimOutcome outcome = step.execute();
                soon(() -> answer.complete(outcome));
            }
        });
        return answer;
    }

    private boolean isCutOff(boolean acrossDatacenters) {
        return acrossDatacenters && datacenter.cutOff;
    }

    private void fail(CompletableFuture<?> answer, String why) {
        weather.fired++;
        soon(() -> answer.completeExceptionally(new SimulatedFault(why)));
    }

    private void soon(Runnable task) {
        time.schedule(
                () -> {
                    // What was executed stays so even if its sender dies; what was not yet, is not.
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
    private static final class SimulatedFault extends RuntimeException {
        private static final long serialVersionUID = 1;

        SimulatedFault(String what) {
            super("simulated: " + what, null, false, false);
        }
    }
}
