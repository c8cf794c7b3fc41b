package dev.cassidy.reliability.simulation;

import static dev.cassidy.reliability.simulation.SimulatedStore.outcome;

import dev.cassidy.reliability.simulation.SimulatedCluster.Acknowledgement;
import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.reliability.simulation.SimulatedCluster.Held;
import dev.cassidy.reliability.simulation.SimulatedCluster.Partition;
import dev.cassidy.reliability.simulation.SimulatedLink.Condition;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.GrantHistory;
import dev.cassidy.sequence.store.HeldClaim;
import dev.cassidy.sequence.store.Holdings;
import dev.cassidy.sequence.store.Incarnations;
import dev.cassidy.sequence.store.Participation;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.SequenceGlimpse;
import dev.cassidy.sequence.store.SequenceOutlook;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/**
 * One process's view of which sequences a simulated cluster has: at most one. The conditions are those of the real
 * catalog's statements, and one contract suite is run by both.
 */
final class SimulatedCatalog implements SequenceCatalog {

    private static final Duration FORGOTTEN_FOR = Duration.ofDays(10);

    /**
     * The servers' clocks go as much faster than the processes', so that a schedule of seconds has claims of an hour, and
     * one of minutes has some that are too old.
     */
    static final long PACE = 7_200;

    private final SimulatedCluster cluster;
    private final Datacenter datacenter;
    private final Map<Stripe, Partition> partitions;
    private final SimulatedLink link;

    /** @param partitions as for {@link SimulatedStore} */
    SimulatedCatalog(
            SimulatedCluster cluster, Datacenter datacenter, Map<Stripe, Partition> partitions, SimulatedLink link) {
        this.cluster = cluster;
        this.datacenter = datacenter;
        this.partitions = partitions;
        this.link = link;
    }

    @Override
    public String datacenter() {
        return datacenter.name;
    }

    @Override
    public CompletionStage<Optional<SequenceEntry>> find(String name) {
        return link.read(true, () -> cluster.find(name));
    }

    @Override
    public CompletionStage<Optional<SequenceEntry>> findAgreed(String name) {
        return find(name);
    }

    @Override
    public CompletionStage<ClaimOutcome> insert(SequenceEntry entry) {
        return link.write(true, () -> {
            boolean free =
                    link.holds(Condition.INSERT_ONCE, cluster.find(entry.name()).isEmpty());
            if (free) {
                cluster.insert(entry);
            }
            return outcome(free);
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> replace(SequenceEntry seen, SequenceEntry after) {
        return replace(seen, after, Optional.empty());
    }

    @Override
    public CompletionStage<ClaimOutcome> replace(SequenceEntry seen, SequenceEntry after, GrantHistory.Taken taken) {
        return replace(seen, after, Optional.of(taken));
    }

    private CompletionStage<ClaimOutcome> replace(
            SequenceEntry seen, SequenceEntry after, Optional<GrantHistory.Taken> taken) {
        return link.write(true, () -> {
            SequenceEntry now = cluster.find(seen.name()).orElse(null);
            boolean same = now != null
                    && now.incarnation() == seen.incarnation()
                    && link.holds(Condition.REPLACE_NEXT, now.next() == seen.next())
                    && now.origin() == seen.origin()
                    && now.floor() == seen.floor()
                    && now.ready() == seen.ready()
                    && now.dropped() == seen.dropped()
                    && now.isNumberedAs(seen);
            if (same) {
                cluster.write(after);
                taken.ifPresent(cluster.taken::add);
            }
            return outcome(same);
        });
    }

    @Override
    public CompletionStage<GrantHistory> history(String name) {
        return link.read(
                true,
                () -> new GrantHistory(
                        cluster.grants().entrySet().stream()
                                .map(each -> new GrantHistory.Granted(
                                        each.getKey().incarnation(),
                                        each.getKey().datacenter(),
                                        each.getKey().stripe(),
                                        each.getKey().number(),
                                        each.getValue().span()))
                                .toList(),
                        cluster.taken));
    }

    @Override
    public CompletionStage<List<Participation>> participations(String name) {
        return link.read(true, cluster::participations);
    }

    @Override
    public CompletionStage<ClaimOutcome> acknowledge(String name, int incarnation, String acknowledging) {
        return link.write(true, () -> outcome(cluster.acknowledge(new Acknowledgement(acknowledging, incarnation))));
    }

    @Override
    public CompletionStage<List<SequenceGlimpse>> glimpses() {
        return link.peek(true, cluster::glimpses);
    }

    @Override
    public CompletionStage<List<SequenceGlimpse>> copyGlimpses() {
        return link.peek(false, datacenter::glimpses);
    }

    @Override
    public CompletionStage<Optional<SequenceOutlook>> outlook(String name) {
        CompletionStage<Optional<SequenceGlimpse>> here =
                link.peek(false, datacenter::glimpses).thenApply(seen -> of(name, seen));
        CompletionStage<Optional<SequenceGlimpse>> everywhere = link.peek(true, cluster::glimpses)
                .thenApply(seen -> of(name, seen))
                .exceptionally(cutOff -> Optional.empty());
        return here.thenCombine(everywhere, SequenceOutlook::of);
    }

    private static Optional<SequenceGlimpse> of(String name, List<SequenceGlimpse> glimpses) {
        return glimpses.stream().filter(each -> each.name().equals(name)).findFirst();
    }

    @Override
    public CompletionStage<Void> noteAcknowledged(String name, int incarnation) {
        return link.write(false, () -> outcome(datacenter.noteAcknowledged(incarnation)))
                .thenAccept(outcome -> {});
    }

    @Override
    public CompletionStage<Optional<SequenceEntry>> findCopy(String name) {
        return link.read(false, () -> Optional.ofNullable(datacenter.copy())
                .filter(copy -> copy.name().equals(name)));
    }

    @Override
    public CompletionStage<ClaimOutcome> insertCopy(SequenceEntry entry) {
        return link.write(false, () -> {
            boolean free = datacenter.copy() == null;
            if (free) {
                datacenter.copy(entry);
            }
            return outcome(free);
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> replaceCopy(SequenceEntry seen, SequenceEntry after) {
        return link.write(false, () -> {
            SequenceEntry now = datacenter.copy();
            boolean same = now != null
                    && now.incarnation() == seen.incarnation()
                    && now.floor() == seen.floor()
                    && now.ready() == seen.ready()
                    && now.dropped() == seen.dropped()
                    && now.isNumberedAs(seen);
            if (same) {
                datacenter.copy(after);
            }
            return outcome(same);
        });
    }

    @Override
    public CompletionStage<List<HeldClaim>> claims(Stripe stripe, int from, int before) {
        return link.read(false, () -> {
            Partition row = partitions.get(stripe);
            return row == null
                    ? List.of()
                    : held(stripe, row)
                            .filter(held -> from <= held.claim().incarnation()
                                    && held.claim().incarnation() < before)
                            .toList();
        });
    }

    @Override
    public CompletionStage<List<Holdings>> holdings(SequenceEntry entry) {
        return link.read(true, () -> cluster.datacenters.stream()
                .map(each -> holdings(entry, each))
                .toList());
    }

    private Holdings holdings(SequenceEntry entry, Datacenter of) {
        Map<Stripe, Reserve> reserves = new HashMap<>();
        List<HeldClaim> claims = new ArrayList<>();
        for (Stripe stripe : Stripe.of(entry.spec())) {
            Partition row = (of == datacenter ? partitions : of.partitions).get(stripe);
            if (row != null && !row.isSpoiled()) {
                reserves.put(stripe, row.reserve());
            }
            if (row != null) {
                held(stripe, row)
                        .filter(held -> held.claim().incarnation()
                                >= Incarnations.first(Incarnations.generation(entry.incarnation())))
                        .forEach(claims::add);
            }
        }
        return new Holdings(
                of.name, Optional.ofNullable(of.copy()).map(copy -> SequenceGlimpse.of(copy)), reserves, claims);
    }

    private Stream<HeldClaim> held(Stripe stripe, Partition row) {
        return Stream.concat(
                row.claims.values().stream().map(held -> heldClaim(stripe, held, false)),
                row.lost.values().stream().map(held -> heldClaim(stripe, held, true)));
    }

    private HeldClaim heldClaim(Stripe stripe, Held held, boolean lost) {
        Duration age = Duration.ofNanos(link.nanoTime() - held.at()).multipliedBy(PACE);
        return new HeldClaim(stripe, held.claim(), held.holder(), Instant.EPOCH.plusNanos(held.at()), age, lost);
    }

    @Override
    public CompletionStage<Duration> forgottenFor() {
        return link.read(false, () -> FORGOTTEN_FOR);
    }
}
