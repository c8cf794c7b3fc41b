package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.reliability.simulation.SimulatedCluster.Partition;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.Stripe;
import dev.cassidy.sequence.store.Tails;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/** A process's store that notes which of its claims are in doubt. */
final class ObservedStore extends SimulatedStore {

    private final Doubts doubts;
    /** An allocator makes one claim after another; what it claimed last, by stripe. */
    private final Map<Stripe, Claim> last = new HashMap<>();

    private final FailedReads reads = new FailedReads();

    ObservedStore(
            SimulatedCluster cluster,
            Datacenter datacenter,
            Map<Stripe, Partition> partitions,
            int datacenters,
            String holder,
            SimulatedLink link,
            LongSupplier hour,
            Doubts doubts) {
        super(cluster, datacenter, partitions, datacenters, holder, link, hour);
        this.doubts = doubts;
    }

    @Override
    public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
        return observed(stripe, wanted, super.claim(stripe, seen, wanted, spent));
    }

    @Override
    public CompletionStage<ClaimOutcome> claimTail(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
        return observed(stripe, wanted, super.claimTail(stripe, seen, wanted, spent));
    }

    private CompletionStage<ClaimOutcome> observed(Stripe stripe, Claim wanted, CompletionStage<ClaimOutcome> sent) {
        Claim before = last.put(stripe, wanted);
        if (before != null && !before.token().equals(wanted.token())) {
            doubts.followed(before);
        }
        return sent.thenApply(outcome -> {
            if (outcome instanceof ClaimOutcome.Unknown) {
                doubts.unknown(wanted);
            } else if (outcome instanceof ClaimOutcome.Claimed) {
                doubts.proven(wanted);
            }
            return outcome;
        });
    }

    @Override
    public CompletionStage<Optional<Claim>> claimAt(Stripe stripe, int incarnation, long lo) {
        return super.claimAt(stripe, incarnation, lo).thenApply(found -> {
            // What is found may also be an earlier claim of this process, which it gave up.
            Claim wanted = last.get(stripe);
            found.filter(claim -> wanted != null && claim.token().equals(wanted.token()))
                    .ifPresent(doubts::proven);
            return found;
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> giveBack(
            Stripe stripe, Reserve seen, List<Claim> ended, Tails after, List<Claim> spent) {
        return super.giveBack(stripe, seen, ended, after, spent).whenComplete((outcome, thrown) -> {
            if (thrown != null || outcome instanceof ClaimOutcome.Unknown) {
                doubts.returnedInVain(ended, link.nanoTime());
            }
        });
    }

    @Override
    public CompletionStage<Optional<Reserve>> reserve(Stripe stripe) {
        return super.reserve(stripe).whenComplete((found, thrown) -> {
            if (thrown == null) {
                reads.succeeded();
            } else {
                reads.failed(link.nanoTime());
            }
        });
    }

    @Override
    void made(Claim claim) {
        doubts.made(claim, reads);
    }
}
