package dev.cassidy.reliability.simulation;

import dev.cassidy.sequence.Claim;
import dev.cassidy.sequence.ClaimOutcome;
import dev.cassidy.sequence.RangeStore;
import dev.cassidy.sequence.Stripe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/** How one datacenter joins the sequence and follows a reseed: the registry's steps, tried until they are done. */
final class SimulatedRegistry {

    private static final Duration PAUSE = Duration.ofMillis(50);

    private final SimulatedCluster cluster;
    private final SimulatedCluster.Datacenter datacenter;
    private final List<Stripe> stripes;
    private final RangeStore steps;
    private final VirtualTime time;

    SimulatedRegistry(
            SimulatedCluster cluster,
            SimulatedCluster.Datacenter datacenter,
            List<Stripe> stripes,
            RangeStore steps,
            VirtualTime time) {
        this.cluster = cluster;
        this.datacenter = datacenter;
        this.stripes = stripes;
        this.steps = steps;
        this.time = time;
    }

    /** Gives every stripe a reserve of the sequence's incarnation at least. */
    CompletionStage<Void> join() {
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (Stripe stripe : stripes) {
            all = all.thenCompose(before -> join(stripe));
        }
        return all;
    }

    private CompletionStage<Void> join(Stripe stripe) {
        int incarnation = cluster.incarnation;
        return steps.reserve(stripe)
                .thenCompose(found -> {
                    if (found.isPresent() && found.get().incarnation() >= incarnation) {
                        return CompletableFuture.completedFuture(true);
                    }
                    return steps.highestGrant(stripe, incarnation)
                            .thenCompose(grant -> found.isPresent()
                                    ? steps.adopt(stripe, found.get(), incarnation, grant)
                                    : steps.establish(stripe, incarnation, grant, List.of()))
                            .thenApply(outcome -> outcome instanceof ClaimOutcome.Claimed);
                })
                .exceptionally(unanswered -> false)
                .thenCompose(done -> done ? CompletableFuture.completedFuture(null) : again(stripe));
    }

    private CompletionStage<Void> again(Stripe stripe) {
        CompletableFuture<Void> joined = new CompletableFuture<>();
        time.schedule(() -> join(stripe).thenAccept(joined::complete), PAUSE);
        return joined;
    }

    /**
     * Whether the datacenter has acknowledged the incarnation: every reserve has moved, and nobody holds a claim from
     * before it. Claims of processes that are gone are released.
     */
    boolean hasAcknowledged(int incarnation, Predicate<Claim> isOfTheDead) {
        for (Stripe stripe : stripes) {
            SimulatedCluster.Partition row = datacenter.partitions.get(stripe);
            if (row == null || row.incarnation < incarnation) {
                return false;
            }
            for (Claim claim : new ArrayList<>(row.claims.values())) {
                if (claim.incarnation() < incarnation) {
                    if (!isOfTheDead.test(claim)) {
                        return false;
                    }
                    row.remove(claim);
                }
            }
        }
        return true;
    }
}
