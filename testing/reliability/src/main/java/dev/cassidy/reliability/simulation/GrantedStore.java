package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.simulation.ReplicatedCatalog.GlobalRow;
import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.reliability.simulation.SimulatedCluster.Partition;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.Ledger;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Stripe;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/** As {@link ReplicatedStore}; grants are made by the global row of {@link ReplicatedCatalog}. */
final class GrantedStore extends ReplicatedStore {

    private final SimulatedCluster cluster;
    private final Datacenter datacenter;
    private final Replicas<GlobalRow> global;

    GrantedStore(
            SimulatedCluster cluster,
            Datacenter datacenter,
            String holder,
            SimulatedLink link,
            Replicas<Partition> replicas,
            Replicas<GlobalRow> global) {
        super(cluster, datacenter, holder, link, replicas);
        this.cluster = cluster;
        this.datacenter = datacenter;
        this.global = global;
    }

    @Override
    public CompletionStage<Optional<Ledger>> ledger(String sequence) {
        return link.read(true, () -> global.readInOrder(row -> ReplicatedCatalog.entry(cluster, row))
                .map(entry -> {
                    if (entry.dropped()) {
                        throw SequenceRegistry.dropped(sequence);
                    }
                    return new Ledger(
                            entry.incarnation(),
                            new Span(entry.next(), entry.spec().count()),
                            entry.ready(),
                            2);
                }));
    }

    @Override
    public CompletionStage<ClaimOutcome> grant(Stripe stripe, Ledger seen, Grant wanted, UUID token) {
        return link.write(
                true,
                () -> global.compareAndSet(row -> {
                    SequenceEntry entry = ReplicatedCatalog.entry(cluster, row).orElse(null);
                    boolean free = entry != null
                            && entry.ready()
                            && entry.incarnation() == seen.incarnation()
                            && entry.next() == seen.free().lo()
                            && cluster.grant(datacenter.name, stripe.number(), wanted.incarnation(), wanted.number())
                                    == null;
                    if (free) {
                        cluster.put(datacenter.name, stripe.number(), wanted);
                    }
                    return outcome(free);
                }));
    }
}
