package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.simulation.ReplicatedCatalog.GlobalRow;
import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.reliability.simulation.SimulatedCluster.GrantKey;
import dev.cassidy.reliability.simulation.SimulatedCluster.Partition;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.GrantStanding;
import dev.cassidy.sequence.store.Ledger;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Stripe;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** As {@link ReplicatedStore}; grants are made in the global partition of {@link ReplicatedCatalog}. */
final class GrantedStore extends ReplicatedStore {

    private final String datacenter;
    private final Replicas<GlobalRow> global;

    GrantedStore(
            SimulatedCluster cluster,
            Datacenter datacenter,
            String holder,
            SimulatedLink link,
            Replicas<Partition> replicas,
            Replicas<GlobalRow> global) {
        super(cluster, datacenter, holder, link, replicas);
        this.datacenter = datacenter.name;
        this.global = global;
    }

    @Override
    public CompletionStage<Integer> highestGrant(Stripe stripe, int incarnation) {
        return inOrder(row -> row.grants.keySet().stream()
                .filter(key -> key.datacenter().equals(datacenter)
                        && key.stripe() == stripe.number()
                        && key.incarnation() == incarnation)
                .mapToInt(GrantKey::number)
                .max()
                .orElse(0));
    }

    @Override
    public CompletionStage<Optional<Grant>> grantAt(Stripe stripe, int incarnation, int number) {
        return inOrder(row -> Optional.ofNullable(row.grants.get(key(stripe, incarnation, number))));
    }

    private GrantKey key(Stripe stripe, int incarnation, int number) {
        return new GrantKey(datacenter, stripe.number(), incarnation, number);
    }

    private <T> CompletionStage<T> inOrder(Function<GlobalRow, T> look) {
        return link.read(true, () -> global.readInOrder(look));
    }

    @Override
    public CompletionStage<Optional<Ledger>> ledger(String sequence) {
        return inOrder(row -> Optional.ofNullable(row.entry).map(entry -> {
            if (entry.dropped()) {
                throw SequenceRegistry.dropped(sequence);
            }
            return new Ledger(entry, 2);
        }));
    }

    @Override
    public CompletionStage<GrantStanding> standing(Stripe stripe, Grant grant, boolean repair) {
        Function<GlobalRow, GrantStanding> look =
                row -> standing(Optional.ofNullable(row.entry), row.grants, datacenter, stripe, grant);
        return repair ? link.read(true, () -> global.readAndRepair(look)) : inOrder(look);
    }

    @Override
    public CompletionStage<ClaimOutcome> grant(Stripe stripe, Ledger seen, Grant wanted, UUID token) {
        return link.write(
                true,
                () -> global.compareAndSet(row -> {
                    SequenceEntry entry = row.entry;
                    GrantKey key = key(stripe, wanted.incarnation(), wanted.number());
                    if (entry == null
                            || !entry.ready()
                            || entry.incarnation() != seen.incarnation()
                            || entry.next() != seen.free().lo()
                            || entry.origin() != seen.entry().origin()
                            || entry.floor() != seen.entry().floor()
                            || !entry.isNumberedAs(seen.entry())
                            || row.grants.containsKey(key)) {
                        return outcome(false);
                    }
                    row.entry = entry.grantedTo(wanted.span().hi());
                    row.grants.put(key, wanted);
                    return outcome(true);
                }));
    }
}
