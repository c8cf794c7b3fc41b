package dev.cassidy.reliability.simulation;

import static dev.cassidy.reliability.simulation.SimulatedStore.outcome;

import dev.cassidy.reliability.simulation.SimulatedCluster.Acknowledgement;
import dev.cassidy.reliability.simulation.SimulatedCluster.GrantKey;
import dev.cassidy.reliability.simulation.SimulatedCluster.Partition;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.GrantHistory;
import dev.cassidy.sequence.store.HeldClaim;
import dev.cassidy.sequence.store.Holdings;
import dev.cassidy.sequence.store.Participation;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.SequenceGlimpse;
import dev.cassidy.sequence.store.SequenceOutlook;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One process's view of one sequence whose global partition, copies and reserve are on replicas that forget. */
final class ReplicatedCatalog implements SequenceCatalog {

    /** The global partition. */
    static final class GlobalRow {
        @Nullable
        SequenceEntry entry;

        final Set<Acknowledgement> acknowledgements = new HashSet<>();
        final Map<GrantKey, Grant> grants = new HashMap<>();

        GlobalRow(@Nullable SequenceEntry entry) {
            this.entry = entry;
        }
    }

    /** A datacenter's copy. */
    static final class CopyRow {
        @Nullable
        SequenceEntry copy;

        int acknowledged;

        CopyRow(@Nullable SequenceEntry copy) {
            this.copy = copy;
        }
    }

    static final Replicas.Format<GlobalRow> GLOBAL = new Replicas.Format<>() {
        @Override
        public Map<Object, @Nullable Object> cells(GlobalRow row) {
            Map<Object, @Nullable Object> cells = new HashMap<>();
            SequenceEntry entry = row.entry;
            cells.put("entry", entry == null ? null : withNext(entry, 0));
            cells.put("next", entry == null ? null : entry.next());
            row.acknowledgements.forEach(made -> cells.put(made, true));
            cells.putAll(row.grants);
            return cells;
        }

        @Override
        public GlobalRow partition(Map<Object, @Nullable Object> cells) {
            SequenceEntry entry = (SequenceEntry) cells.get("entry");
            Long next = (Long) cells.get("next");
            GlobalRow row = new GlobalRow(entry == null || next == null ? null : withNext(entry, next));
            cells.forEach((key, value) -> {
                if (key instanceof Acknowledgement made) {
                    row.acknowledgements.add(made);
                } else if (key instanceof GrantKey grant && value != null) {
                    row.grants.put(grant, (Grant) value);
                }
            });
            return row;
        }

        private static SequenceEntry withNext(SequenceEntry entry, long next) {
            return new SequenceEntry(
                    entry.spec(),
                    entry.incarnation(),
                    entry.ready(),
                    entry.dropped(),
                    entry.streams(),
                    next,
                    entry.origin(),
                    entry.floor());
        }
    };

    static final Replicas.Format<CopyRow> COPY = new Replicas.Format<>() {
        @Override
        public Map<Object, @Nullable Object> cells(CopyRow row) {
            Map<Object, @Nullable Object> cells = new HashMap<>();
            cells.put("copy", row.copy);
            cells.put("acknowledged", row.acknowledged);
            return cells;
        }

        @Override
        public CopyRow partition(Map<Object, @Nullable Object> cells) {
            CopyRow row = new CopyRow((SequenceEntry) cells.get("copy"));
            row.acknowledged = (Integer) Objects.requireNonNull(cells.get("acknowledged"));
            return row;
        }
    };

    private final String datacenter;
    private final Replicas<GlobalRow> global;
    private final Replicas<CopyRow> copies;
    private final Replicas<Partition> reserve;
    private final SimulatedLink link;

    ReplicatedCatalog(
            String datacenter,
            Replicas<GlobalRow> global,
            Replicas<CopyRow> copies,
            Replicas<Partition> reserve,
            SimulatedLink link) {
        this.datacenter = datacenter;
        this.global = global;
        this.copies = copies;
        this.reserve = reserve;
        this.link = link;
    }

    @Override
    public String datacenter() {
        return datacenter;
    }

    @Override
    public CompletionStage<Optional<SequenceEntry>> find(String name) {
        return link.read(true, () -> global.readInOrder(row -> Optional.ofNullable(row.entry)));
    }

    @Override
    public CompletionStage<Optional<SequenceEntry>> findAgreed(String name) {
        return link.read(true, () -> global.readAndRepair(row -> Optional.ofNullable(row.entry)));
    }

    @Override
    public CompletionStage<ClaimOutcome> insert(SequenceEntry entry) {
        return link.write(
                true,
                () -> global.compareAndSet(row -> {
                    boolean free = row.entry == null;
                    if (free) {
                        row.entry = entry;
                    }
                    return outcome(free);
                }));
    }

    @Override
    public CompletionStage<ClaimOutcome> replace(SequenceEntry seen, SequenceEntry after) {
        return link.write(
                true,
                () -> global.compareAndSet(row -> {
                    SequenceEntry now = row.entry;
                    boolean same = now != null
                            && now.incarnation() == seen.incarnation()
                            && now.next() == seen.next()
                            && now.origin() == seen.origin()
                            && now.floor() == seen.floor()
                            && now.ready() == seen.ready()
                            && now.dropped() == seen.dropped()
                            && now.isNumberedAs(seen);
                    if (same) {
                        row.entry = after;
                    }
                    return outcome(same);
                }));
    }

    @Override
    public CompletionStage<ClaimOutcome> replace(SequenceEntry seen, SequenceEntry after, GrantHistory.Taken taken) {
        throw new UnsupportedOperationException("nothing is repaired");
    }

    @Override
    public CompletionStage<GrantHistory> history(String name) {
        return link.read(
                true,
                () -> global.readInOrder(row -> new GrantHistory(
                        row.grants.entrySet().stream()
                                .map(each -> new GrantHistory.Granted(
                                        each.getKey().incarnation(),
                                        each.getKey().datacenter(),
                                        each.getKey().stripe(),
                                        each.getKey().number(),
                                        each.getValue().span()))
                                .toList(),
                        List.of())));
    }

    @Override
    public CompletionStage<List<Holdings>> holdings(SequenceEntry entry) {
        throw new UnsupportedOperationException("nothing is repaired");
    }

    @Override
    public CompletionStage<List<Participation>> participations(String name) {
        return link.read(
                true,
                () -> global.readInOrder(row -> {
                    List<Participation> all = new ArrayList<>();
                    row.acknowledgements.forEach(
                            made -> all.add(new Participation(made.incarnation(), made.datacenter(), false, true)));
                    row.grants
                            .keySet()
                            .forEach(key ->
                                    all.add(new Participation(key.incarnation(), key.datacenter(), true, false)));
                    return all;
                }));
    }

    @Override
    public CompletionStage<ClaimOutcome> acknowledge(String name, int incarnation, String acknowledging) {
        return link.write(
                true,
                () -> global.compareAndSet(
                        row -> outcome(row.acknowledgements.add(new Acknowledgement(acknowledging, incarnation)))));
    }

    @Override
    public CompletionStage<List<SequenceGlimpse>> glimpses() {
        return link.read(true, () -> global.readAndRepair(row -> glimpse(row.entry, 0)))
                .thenApply(seen -> seen.stream().toList());
    }

    @Override
    public CompletionStage<List<SequenceGlimpse>> copyGlimpses() {
        return link.read(false, () -> copies.readAndRepair(row -> glimpse(row.copy, row.acknowledged)))
                .thenApply(seen -> seen.stream().toList());
    }

    private static Optional<SequenceGlimpse> glimpse(@Nullable SequenceEntry entry, int acknowledged) {
        return Optional.ofNullable(entry).map(now -> SequenceGlimpse.of(now, acknowledged));
    }

    @Override
    public CompletionStage<Optional<SequenceOutlook>> outlook(String name) {
        CompletionStage<Optional<SequenceGlimpse>> here =
                link.read(false, () -> copies.readAndRepair(row -> glimpse(row.copy, row.acknowledged)));
        CompletionStage<Optional<SequenceGlimpse>> everywhere = link.read(
                        true, () -> global.readOne(row -> glimpse(row.entry, 0)))
                .exceptionally(cutOff -> Optional.empty());
        return here.thenCombine(everywhere, SequenceOutlook::of);
    }

    @Override
    public CompletionStage<Void> noteAcknowledged(String name, int incarnation) {
        return link.write(
                        false,
                        () -> copies.compareAndSet(row -> {
                            boolean same = row.copy != null && row.copy.incarnation() == incarnation;
                            if (same) {
                                row.acknowledged = incarnation;
                            }
                            return outcome(same);
                        }))
                .thenAccept(outcome -> {});
    }

    @Override
    public CompletionStage<Optional<SequenceEntry>> findCopy(String name) {
        return link.read(false, () -> copies.readInOrder(row -> Optional.ofNullable(row.copy)));
    }

    @Override
    public CompletionStage<ClaimOutcome> insertCopy(SequenceEntry entry) {
        return copied(null, entry);
    }

    @Override
    public CompletionStage<ClaimOutcome> replaceCopy(SequenceEntry seen, SequenceEntry after) {
        return copied(seen, after);
    }

    private CompletionStage<ClaimOutcome> copied(@Nullable SequenceEntry seen, SequenceEntry after) {
        return link.write(
                false,
                () -> copies.compareAndSet(row -> {
                    boolean same = Objects.equals(row.copy, seen);
                    if (same) {
                        // A copy does not know the next and the origin.
                        row.copy = new SequenceEntry(
                                after.spec(),
                                after.incarnation(),
                                after.ready(),
                                after.dropped(),
                                0,
                                after.floor(),
                                after.floor(),
                                after.floor());
                    }
                    return outcome(same);
                }));
    }

    @Override
    public CompletionStage<List<HeldClaim>> claims(Stripe stripe, int from, int before) {
        return link.read(
                false,
                () -> reserve.readInOrder(row -> row.claims.values().stream()
                        .filter(held -> from <= held.claim().incarnation()
                                && held.claim().incarnation() < before)
                        .map(held ->
                                new HeldClaim(stripe, held.claim(), held.holder(), Instant.EPOCH, Duration.ZERO, false))
                        .toList()));
    }

    @Override
    public CompletionStage<Duration> forgottenFor() {
        return link.read(false, () -> Duration.ofDays(10));
    }
}
