package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.reliability.simulation.SimulatedCluster.Partition;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.Standing;
import dev.cassidy.sequence.store.Stripe;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One process's view of a cluster whose datacenter keeps the one stripe on replicas that forget. */
class ReplicatedStore extends SimulatedStore {

    private final Replicas<Partition> replicas;

    ReplicatedStore(
            SimulatedCluster cluster,
            Datacenter datacenter,
            String holder,
            SimulatedLink link,
            Replicas<Partition> replicas) {
        super(cluster, datacenter, Map.of(), 1, holder, link, () -> 500_000);
        this.replicas = replicas;
    }

    @Override
    ClaimOutcome execute(Stripe stripe, Function<@Nullable Partition, ClaimOutcome> step) {
        return replicas.compareAndSet(step);
    }

    @Override
    <T> T look(Stripe stripe, Function<@Nullable Partition, T> look) {
        return replicas.readInOrder(look);
    }

    @Override
    public CompletionStage<Optional<Reserve>> glance(Stripe stripe) {
        return link.read(
                false,
                () -> replicas.readAndRepair(row -> Optional.ofNullable(row).map(Partition::reserve)));
    }

    @Override
    public CompletionStage<Standing> standing(Stripe stripe, Claim claim, int most, boolean repair) {
        return link.read(
                false,
                () -> repair
                        ? replicas.readAndRepair(row -> standing(row, claim, most))
                        : replicas.readInOrder(row -> standing(row, claim, most)));
    }
}
