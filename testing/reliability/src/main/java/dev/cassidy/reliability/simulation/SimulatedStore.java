package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.simulation.SimulatedCluster.ClaimKey;
import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.reliability.simulation.SimulatedCluster.GrantKey;
import dev.cassidy.reliability.simulation.SimulatedCluster.Held;
import dev.cassidy.reliability.simulation.SimulatedCluster.Partition;
import dev.cassidy.reliability.simulation.SimulatedLink.Condition;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.GrantStanding;
import dev.cassidy.sequence.store.Ledger;
import dev.cassidy.sequence.store.Numbering;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Standing;
import dev.cassidy.sequence.store.Stripe;
import dev.cassidy.sequence.store.Tails;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One process's view of a simulated cluster. Every step is linearizable. The conditions are those of the real store's
 * statements, and one contract suite is run by both.
 */
class SimulatedStore implements RangeStore {

    /** Of claims whose rows were lost with their reserve. */
    static final String UNKNOWN_HOLDER = "unknown";

    private final SimulatedCluster cluster;
    private final Datacenter datacenter;
    private final Map<Stripe, Partition> partitions;
    private final int datacenters;
    private final String holder;
    final SimulatedLink link;
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
                false, () -> look(stripe, row -> Optional.ofNullable(row).map(Partition::reserve)));
    }

    /** The state at this glance, or at an earlier one by any process. */
    @Override
    public CompletionStage<Optional<Reserve>> glance(Stripe stripe) {
        return link.peek(
                false,
                () -> datacenter.glanced(
                        stripe, look(stripe, row -> Optional.ofNullable(row).map(Partition::reserve))));
    }

    @Override
    public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
        Reserve after = seen.without(wanted.span(), hour.getAsLong());
        return claim(stripe, Condition.CLAIM_RESERVE, seen, after, wanted, spent);
    }

    @Override
    public CompletionStage<ClaimOutcome> claimTail(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
        Reserve after = seen.with(seen.tails().minus(wanted.span()));
        return claim(stripe, Condition.TAIL_RESERVE, seen, after, wanted, spent);
    }

    private CompletionStage<ClaimOutcome> claim(
            Stripe stripe, Condition condition, Reserve seen, Reserve after, Claim wanted, List<Claim> spent) {
        boolean fresh = condition == Condition.CLAIM_RESERVE;
        return step(stripe, row -> {
            if (row == null) {
                return new ClaimOutcome.Lost(null, spent);
            }
            if (row.holds(wanted)) {
                return executedTwice();
            }
            List<Claim> gone = gone(row, spent);
            // Whatever a careless statement forgets to compare, it compares the incarnation.
            if (row.incarnation != seen.incarnation()
                    || !link.holds(condition, isAsSeen(row, seen))
                    || (fresh && row.claims.containsKey(ClaimKey.of(wanted)))
                    || !gone.isEmpty()) {
                return lost(row, gone);
            }
            row.become(after);
            row.put(wanted, holder, link.nanoTime());
            made(wanted);
            spent.forEach(row::remove);
            return new ClaimOutcome.Claimed(after);
        });
    }

    /** Called when a claim took effect, whether any process learns of it or not. */
    void made(Claim claim) {}

    private static boolean isAsSeen(Partition row, Reserve seen) {
        return !row.isSpoiled() && row.reserve().equals(seen);
    }

    private static ClaimOutcome lost(Partition row, List<Claim> gone) {
        return new ClaimOutcome.Lost(row.isSpoiled() ? null : row.reserve(), gone);
    }

    /** Those whose rows no longer have their tokens. */
    private static List<Claim> gone(Partition row, List<Claim> removed) {
        return removed.stream().filter(claim -> !row.holds(claim)).toList();
    }

    private static ClaimOutcome executedTwice() {
        return new ClaimOutcome.Unknown(new IllegalStateException("simulated: executed twice"));
    }

    @Override
    public CompletionStage<ClaimOutcome> giveBack(
            Stripe stripe, Reserve seen, List<Claim> ended, Tails after, List<Claim> spent) {
        return step(stripe, row -> {
            if (row == null) {
                return new ClaimOutcome.Lost(
                        null, Stream.concat(ended.stream(), spent.stream()).toList());
            }
            returning(row, ended);
            List<Claim> gone = new ArrayList<>(gone(row, spent));
            ended.stream()
                    .filter(claim -> !link.holds(Condition.RETURN_TOKEN, row.holds(claim)))
                    .forEach(gone::add);
            if (!link.holds(Condition.RETURN_RESERVE, isAsSeen(row, seen)) || !gone.isEmpty()) {
                return lost(row, gone);
            }
            row.become(seen.with(after));
            ended.forEach(row::remove);
            spent.forEach(row::remove);
            return new ClaimOutcome.Claimed();
        });
    }

    /** Called when claims are about to be returned, whether the condition will hold or not. */
    void returning(Partition row, List<Claim> ended) {}

    @Override
    public CompletionStage<Optional<Claim>> claimAt(Stripe stripe, int incarnation, long lo) {
        return link.read(
                false,
                () -> look(stripe, row -> Optional.ofNullable(row)
                        .map(there -> there.claims.get(new ClaimKey(incarnation, lo)))
                        .map(Held::claim)));
    }

    @Override
    public CompletionStage<Standing> standing(Stripe stripe, Claim claim, int most, boolean repair) {
        return link.read(false, () -> look(stripe, row -> standing(row, claim, most)));
    }

    static Standing standing(@Nullable Partition row, Claim claim, int most) {
        if (row == null) {
            return new Standing(null, List.of(), true);
        }
        List<Standing.Written> below = row.claims.values().stream()
                .filter(held -> held.claim().incarnation() == claim.incarnation()
                        && held.claim().span().lo() < claim.span().hi())
                .sorted(Comparator.comparingLong(
                        (Held held) -> -held.claim().span().lo()))
                .limit(most)
                .map(held -> new Standing.Written(held.claim(), TimeUnit.NANOSECONDS.toMicros(held.at())))
                .toList();
        return new Standing(row.reserve(), below, below.size() < most);
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
    public CompletionStage<ClaimOutcome> absorb(Stripe stripe, Reserve seen, Grant grant, Numbering numbering) {
        if (!seen.canAbsorb(grant)) {
            return CompletableFuture.completedFuture(new ClaimOutcome.Lost());
        }
        return step(stripe, row -> {
            if (row == null) {
                return new ClaimOutcome.Lost();
            }
            if (!link.holds(Condition.ABSORB_RESERVE, isAsSeen(row, seen))) {
                return lost(row, List.of());
            }
            row.become(seen.with(grant, numbering));
            return new ClaimOutcome.Claimed();
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> withdraw(Stripe stripe, Reserve seen, Span absorbed) {
        return onPartition(stripe, row -> {
            boolean same = isAsSeen(row, seen);
            if (same) {
                row.become(seen.without(absorbed));
            }
            return same;
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
            return new Ledger(entry, datacenters);
        }));
    }

    @Override
    public CompletionStage<Optional<Grant>> grantAt(Stripe stripe, int incarnation, int number) {
        return link.read(
                true, () -> Optional.ofNullable(cluster.grant(datacenter.name, stripe.number(), incarnation, number)));
    }

    @Override
    public CompletionStage<GrantStanding> standing(Stripe stripe, Grant grant, boolean repair) {
        return link.read(
                true,
                () -> standing(cluster.find(stripe.sequence()), cluster.grants(), datacenter.name, stripe, grant));
    }

    static GrantStanding standing(
            Optional<SequenceEntry> entry, Map<GrantKey, Grant> grants, String datacenter, Stripe stripe, Grant grant) {
        GrantKey key = new GrantKey(datacenter, stripe.number(), grant.incarnation(), grant.number());
        return new GrantStanding(
                entry.map(SequenceEntry::incarnation).orElse(0),
                entry.map(each -> Numbering.of(each.spec())).orElse(Numbering.NONE),
                entry.map(SequenceEntry::next).orElse(0L),
                Optional.ofNullable(grants.get(key)).map(Grant::span).orElse(null),
                grants.entrySet().stream()
                        .filter(each -> each.getKey().incarnation() == grant.incarnation()
                                && !each.getKey().equals(key))
                        .map(each -> each.getValue().span())
                        .toList());
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
                || !entry.isNumberedAs(seen.entry())
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
        return step(stripe, row -> outcome(row != null && step.test(row)));
    }

    private CompletionStage<ClaimOutcome> step(Stripe stripe, Function<@Nullable Partition, ClaimOutcome> step) {
        return link.write(false, () -> execute(stripe, step));
    }

    /** One compare-and-set on a partition. */
    ClaimOutcome execute(Stripe stripe, Function<@Nullable Partition, ClaimOutcome> step) {
        return step.apply(partitions.get(stripe));
    }

    /** One read in the order of the compare-and-sets. */
    <T> T look(Stripe stripe, Function<@Nullable Partition, T> look) {
        return look.apply(partitions.get(stripe));
    }
}
