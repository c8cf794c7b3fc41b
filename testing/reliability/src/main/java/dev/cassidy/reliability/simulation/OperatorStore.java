package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.reliability.simulation.SimulatedCluster.Partition;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.Stripe;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;

/** The store of a process in which people reclaim; it counts what their returns meet. */
final class OperatorStore extends SimulatedStore {

    private final Occurrences occurrences;
    private final Set<UUID> returned;

    /** @param returned the tokens of the claims that operators have tried to return; shared by all of them */
    OperatorStore(
            SimulatedCluster cluster,
            Datacenter datacenter,
            Map<Stripe, Partition> partitions,
            int datacenters,
            String holder,
            SimulatedLink link,
            LongSupplier hour,
            Occurrences occurrences,
            Set<UUID> returned) {
        super(cluster, datacenter, partitions, datacenters, holder, link, hour);
        this.occurrences = occurrences;
        this.returned = returned;
    }

    @Override
    void returning(Partition row, List<Claim> ended) {
        for (Claim claim : ended) {
            if (claim.incarnation() != row.incarnation) {
                occurrences.count(Occurrence.RECLAIM_LATE);
            }
            if (!returned.add(claim.token())) {
                occurrences.count(Occurrence.RECLAIM_REPEATED);
            }
        }
    }
}
