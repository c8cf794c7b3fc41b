package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.simulation.SimulatedCluster.ClaimKey;
import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.reliability.simulation.SimulatedCluster.Held;
import dev.cassidy.reliability.simulation.SimulatedCluster.Partition;
import dev.cassidy.reliability.simulation.SimulatedLink.Condition;
import dev.cassidy.sequence.Claim;
import dev.cassidy.sequence.ClaimOutcome;
import dev.cassidy.sequence.Grant;
import dev.cassidy.sequence.Ledger;
import dev.cassidy.sequence.RangeStore;
import dev.cassidy.sequence.Reserve;
import dev.cassidy.sequence.SequenceEntry;
import dev.cassidy.sequence.SequenceRegistry;
import dev.cassidy.sequence.Span;
import dev.cassidy.sequence.Stripe;
import dev.cassidy.sequence.Tails;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * One process's view of a simulated cluster. Every step is linearizable. The conditions are those of the real store's
 * statements, and one contract suite is run by both.
 */
final class SimulatedStore implements RangeStore {

    /** Of claims whose rows were lost with their reserve. */
    static final String UNKNOWN_HOLDER = "unknown";

    private final SimulatedCluster cluster;
    private final Datacenter datacenter;
    private final Map<Stripe, Partition> partitions;
    private final int datacenters;
    private final String holder;
    private final SimulatedLink link;
    private final LongSupplier hour;

    /**
     * @param partitions the datacenter's, as the replicas of this view's coordinator hold them
     * @param holder the process that claims
     * @param hour the process's wall clock, in hours since 1970
     */
    SimulatedStore(
            SimulatedCluster cluster,
            Datacenter datacenter,
            Map<Stripe, Partition> partitions,
            int datacenters,
            String holder,
            SimulatedLink link,
            LongSupplier hour) {
        this.cluster = cluster;
        this.datacenter = datacenter;
        this.partitions = partitions;
        this.datacenters = datacenters;
        this.holder = holder;
        this.link = link;
        this.hour = hour;
    }

    @Override
    public String holder() {
        return holder;
    }

    @Override
    public CompletionStage<Optional<Reserve>> reserve(Stripe stripe) {
        return link.read(
                false, () -> Optional.ofNullable(partitions.get(stripe)).map(Partition::reserve));
    }

    @Override
    public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
        Span current = seen.current();
        Span upcoming = current.isEmpty() ? seen.upcoming() : null;
        Reserve after = seen.without(wanted.span(), hour.getAsLong());
        return link.write(false, () -> {
            Partition row = partitions.get(stripe);
            if (row == null) {
                return new ClaimOutcome.Lost(null, spent);
            }
            if (row.holds(wanted)) {
                return executedTwice();
            }
            List<Claim> gone = gone(row, spent);
            boolean same = row.next == current.lo()
                    && row.hi == current.hi()
                    && (upcoming == null || row.nlo == upcoming.lo());
            if (row.incarnation != wanted.incarnation()
                    || row.claims.containsKey(ClaimKey.of(wanted))
                    || !link.holds(Condition.CLAIM_POSITION, same)
                    || !gone.isEmpty()) {
                return new ClaimOutcome.Lost(row.isSpoiled() ? null : row.reserve(), gone);
            }
            row.next = wanted.span().hi();
            if (upcoming != null) {
                row.rollOver(upcoming.hi());
            }
            row.usage = after.usage();
            row.put(wanted, holder, link.nanoTime());
            spent.forEach(row::remove);
            return new ClaimOutcome.Claimed(after);
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> claimTail(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
        Tails after = seen.tails().minus(wanted.span());
        return link.write(false, () -> {
            Partition row = partitions.get(stripe);
            if (row == null) {
                return new ClaimOutcome.Lost(null, spent);
            }
            if (row.holds(wanted)) {
                return executedTwice();
            }
            List<Claim> gone = gone(row, spent);
            if (row.incarnation != seen.incarnation()
                    || !link.holds(Condition.TAIL_IS_THERE, row.tails.equals(seen.tails()))
                    || !gone.isEmpty()) {
                return new ClaimOutcome.Lost(null, gone);
            }
            row.tails = after;
            row.put(wanted, holder, link.nanoTime());
            spent.forEach(row::remove);
            return new ClaimOutcome.Claimed();
        });
    }

    /** Those whose rows do not bear their tokens any more. */
    private static List<Claim> gone(Partition row, List<Claim> removed) {
        return removed.stream().filter(claim -> !row.holds(claim)).toList();
    }

    private static ClaimOutcome executedTwice() {
        return new ClaimOutcome.Unknown(new IllegalStateException("simulated: executed twice"));
    }

    @Override
    public CompletionStage<ClaimOutcome> giveBack(
            Stripe stripe, Reserve seen, List<Claim> ended, Tails after, List<Claim> spent) {
        return link.write(false, () -> {
            Partition row = partitions.get(stripe);
            if (row == null) {
                return new ClaimOutcome.Lost(
                        null, Stream.concat(ended.stream(), spent.stream()).toList());
            }
            List<Claim> gone = new ArrayList<>(gone(row, spent));
            ended.stream()
                    .filter(claim -> !link.holds(Condition.RETURN_TOKEN, row.holds(claim)))
                    .forEach(gone::add);
            if (!link.holds(Condition.RETURN_INCARNATION, row.incarnation == seen.incarnation())
                    || !link.holds(Condition.RETURN_TAILS, row.tails.equals(seen.tails()))
                    || !gone.isEmpty()) {
                return new ClaimOutcome.Lost(null, gone);
            }
            row.tails = after;
            ended.forEach(row::remove);
            spent.forEach(row::remove);
            return new ClaimOutcome.Claimed();
        });
    }

    @Override
    public CompletionStage<Optional<Claim>> claimAt(Stripe stripe, int incarnation, long lo) {
        return link.read(false, () -> Optional.ofNullable(partitions.get(stripe))
                .map(row -> row.claims.get(new ClaimKey(incarnation, lo)))
                .map(Held::claim));
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
            if (!link.holds(Condition.ABSORB_INCARNATION, row.incarnation == grant.incarnation())
                    || !link.holds(Condition.ABSORB_NUMBER, row.grantNumber == grant.number() - 1)
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
            if (!link.holds(Condition.ADOPT_INCARNATION, row.incarnation == seen.incarnation())) {
                return false;
            }
            row.reset(incarnation, grantNumber);
            return true;
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> establish(Stripe stripe, int incarnation, int grantNumber, List<Claim> lost) {
        return link.write(false, () -> {
            Partition made = new Partition(incarnation, grantNumber);
            lost.forEach(claim -> made.lost.put(ClaimKey.of(claim), new Held(claim, UNKNOWN_HOLDER, link.nanoTime())));
            return outcome(partitions.putIfAbsent(stripe, made) == null);
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> forgetLost(Stripe stripe, Claim lost) {
        return onPartition(stripe, row -> {
            Held found = row.lost.get(ClaimKey.of(lost));
            return found != null && found.claim().equals(lost) && row.lost.remove(ClaimKey.of(lost), found);
        });
    }

    @Override
    public CompletionStage<Integer> highestGrant(Stripe stripe, int incarnation) {
        return link.read(true, () -> cluster.highestGrant(datacenter.name, stripe.number(), incarnation));
    }

    @Override
    public CompletionStage<Optional<Ledger>> ledger(String sequence) {
        return link.read(true, () -> cluster.find(sequence).map(entry -> {
            if (entry.dropped()) {
                throw SequenceRegistry.dropped(sequence);
            }
            return new Ledger(entry.incarnation(), new Span(entry.next(), cluster.max()), entry.ready(), datacenters);
        }));
    }

    @Override
    public CompletionStage<Optional<Grant>> grantAt(Stripe stripe, int incarnation, int number) {
        return link.read(
                true, () -> Optional.ofNullable(cluster.grant(datacenter.name, stripe.number(), incarnation, number)));
    }

    @Override
    public CompletionStage<ClaimOutcome> grant(Stripe stripe, Ledger seen, Grant wanted, UUID token) {
        return link.write(true, () -> outcome(granted(stripe, seen, wanted)));
    }

    private boolean granted(Stripe stripe, Ledger seen, Grant wanted) {
        boolean made = cluster.grant(datacenter.name, stripe.number(), wanted.incarnation(), wanted.number()) != null;
        SequenceEntry entry = cluster.find(stripe.sequence()).orElse(null);
        if (entry == null
                || !entry.ready()
                || entry.incarnation() != seen.incarnation()
                || !link.holds(Condition.GRANT_NEXT, entry.next() == seen.free().lo())
                || !link.holds(Condition.GRANT_ONCE, !made)) {
            return false;
        }
        cluster.moveNext(wanted.span().hi());
        cluster.put(datacenter.name, stripe.number(), wanted);
        return true;
    }

    static ClaimOutcome outcome(boolean applied) {
        return applied ? new ClaimOutcome.Claimed() : new ClaimOutcome.Lost();
    }

    private CompletionStage<ClaimOutcome> onPartition(Stripe stripe, Predicate<Partition> step) {
        return link.write(false, () -> {
            Partition row = partitions.get(stripe);
            return outcome(row != null && step.test(row));
        });
    }
}
