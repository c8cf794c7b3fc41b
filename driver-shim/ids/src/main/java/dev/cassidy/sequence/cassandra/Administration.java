package dev.cassidy.sequence.cassandra;

import dev.cassidy.sequence.IdCheck;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.IdScan;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.protocol.Acknowledgements;
import dev.cassidy.sequence.protocol.HeldClaims;
import dev.cassidy.sequence.protocol.Raises;
import dev.cassidy.sequence.protocol.Repairs;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import dev.cassidy.sequence.protocol.UnusedIds;
import dev.cassidy.sequence.store.HeldClaim;
import dev.cassidy.sequence.store.Holdings;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.SequenceGlimpse;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.protocol.ClusterSnowflakes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What operators do with sequences: create, raise, drop, join, and deal with the ids of processes and datacenters that
 * are gone. Each call that raises a sequence waits until no process holds older ids. The methods have the contracts of
 * the methods of {@code Sequences} with the same names.
 *
 * <p>Safe for use by many threads. Every method blocks.
 */
final class Administration {

    private static final String DROPPED =
            "It was dropped for this repair, and issues nothing until the same repair, run again, has succeeded";

    private final SequencesConfig config;
    private final String localDatacenter;
    private final SequenceCatalog catalog;
    private final SequenceRegistry registry;
    private final HeldClaims claims;
    private final Raises raises;
    private final Repairs repairs;
    private final Acknowledgements acknowledgements;
    private final ClusterSnowflakes snowflakes;
    private final OpenAllocators allocators;
    private final BlockingCalls calls;

    /** @param allocators the allocators of this instance, which learn of its changes immediately */
    Administration(
            SequencesConfig config,
            SequenceCatalog catalog,
            SequenceRegistry registry,
            HeldClaims claims,
            Raises raises,
            Repairs repairs,
            Acknowledgements acknowledgements,
            ClusterSnowflakes snowflakes,
            OpenAllocators allocators,
            BlockingCalls calls) {
        this.config = config;
        this.localDatacenter = catalog.datacenter();
        this.catalog = catalog;
        this.registry = registry;
        this.claims = claims;
        this.raises = raises;
        this.repairs = repairs;
        this.acknowledgements = acknowledgements;
        this.snowflakes = snowflakes;
        this.allocators = allocators;
        this.calls = calls;
    }

    void create(SequenceSpec spec) {
        requireCounted(spec);
        created(calls.get(registry.create(spec, true)));
    }

    void create(SnowflakeSpec spec) {
        // The name first: if it is taken, nothing else is created.
        SequenceSpec named = SequenceSpec.timeOrdered(spec.name());
        created(calls.get(registry.create(named, true)));
        calls.get(snowflakes.createAsync(spec));
    }

    void register(SequenceSpec spec) {
        requireCounted(spec);
        created(calls.get(registry.create(spec, false)));
    }

    private static void requireCounted(SequenceSpec spec) {
        if (spec.order() == Order.TIME) {
            throw new IllegalArgumentException("is time-ordered, and needs an epoch: sequence=" + spec.name()
                    + "; create it by create(SnowflakeSpec.of(\"" + spec.name() + "\", epoch))");
        }
    }

    private void created(SequenceEntry entry) {
        // It may have been created again, after a drop.
        allocators.reseeded(entry.name(), entry.incarnation());
    }

    SequenceState seed(String name, long next) {
        return seed(name, next, usualWait());
    }

    SequenceState seed(String name, long next, Duration most) {
        return SequenceState.of(settled(calls.get(raises.seed(name, next)), "raised to " + next, most));
    }

    SequenceState restart(String name, long next, boolean confirmed) {
        return SequenceState.of(settled(calls.get(raises.restart(name, next, confirmed)), "restarted with " + next));
    }

    void drop(String name) {
        SequenceEntry dropped = settled(calls.get(registry.drop(name)), "dropped");
        if (dropped.spec().order() == Order.TIME) {
            snowflakes.destroy(name);
        }
    }

    SequenceState advancePast(String name, long id) {
        SequenceEntry entry = settled(calls.get(raises.recallPast(name, id)), "raised past " + id);
        SequenceEntry raised = calls.get(raises.raiseFloor(entry));
        allocators.changed(name);
        return SequenceState.of(raised);
    }

    RepairOutlook repairOutlook(String name) {
        Repairs.Evidence evidence = calls.get(repairs.evidence(name));
        Repairs.Gap gap = evidence.gap();
        SequenceEntry entry = evidence.entry();
        return new RepairOutlook(
                SequenceState.of(entry),
                evidence.gaps().stream().map(Repairs.Gap::ids).toList(),
                gap.ids(),
                gap.issuable(),
                gap.granted(),
                gap.margin(),
                entry.floor() > gap.span().lo(),
                holders(entry, evidence.holders()));
    }

    SequenceState repair(Repair repair, IdScan scan) {
        String name = repair.sequence();
        Optional<SequenceEntry> done = calls.get(repairs.alreadyIssuing(name, repair.next(), repair.last()));
        if (done.isPresent()) {
            created(done.get());
            return SequenceState.of(done.get());
        }
        // First, so that a repair that is refused leaves the sequence as it is.
        SequenceEntry proven = prove(repair, scan).gap().entry();
        // What was proven, and nothing else: another repair may have ended meanwhile.
        SequenceEntry dropped = drop(proven);
        SequenceEntry repaired;
        try {
            settled(dropped, "dropped, to be repaired");
            // Again, because ids may have been granted and stored until the drop.
            repaired = calls.get(repairs.repair(prove(repair, scan)));
        } catch (SequenceException.Conflict e) {
            throw new SequenceException.Conflict(e.getMessage() + ". Sequence " + name
                    + " was dropped for this repair: look at it, and if it still is, repair it with another id, or create it"
                    + " again past everything");
        } catch (SequenceException.Unavailable e) {
            throw new SequenceException.Unavailable(e.getMessage() + ". " + DROPPED, e);
        } catch (SequenceException.NotAcknowledged e) {
            throw new SequenceException.NotAcknowledged(e.getMessage() + ". " + DROPPED);
        } catch (RuntimeException e) {
            // Of the scan, for example; a caller knows it by its class.
            e.addSuppressed(new SequenceException.Dropped("sequence " + name + ": " + DROPPED));
            throw e;
        }
        created(repaired);
        return SequenceState.of(repaired);
    }

    List<TakenIds> takenIds(String name) {
        return calls.get(catalog.history(name)).taken().stream()
                .map(taken -> new TakenIds(taken.lowest(), taken.highest()))
                .toList();
    }

    List<String> outdatedCopies(String name) {
        return calls.get(registry.requireKnown(name)
                .thenCompose(entry -> catalog.holdings(entry).thenApply(all -> all.stream()
                        .filter(each -> each.copy()
                                .filter(copy -> copy.incarnation() < entry.incarnation())
                                .isPresent())
                        .map(Holdings::datacenter)
                        .toList())));
    }

    private SequenceEntry drop(SequenceEntry proven) {
        try {
            return calls.get(registry.drop(proven));
        } catch (SequenceException.Unavailable e) {
            throw new SequenceException.Unavailable(
                    e.getMessage() + ". Sequence " + proven.name()
                            + " may have been dropped for this repair; then it issues nothing until the same repair, run"
                            + " again, has succeeded",
                    e);
        }
    }

    /** Proves by Cassidy's tables and the application's that nothing that the repaired sequence will issue is used. */
    private Repairs.Target prove(Repair repair, IdScan scan) {
        String name = repair.sequence();
        Repairs.Target target = Repairs.target(
                calls.get(repairs.evidence(name)).gap(repair.next()),
                repair.next(),
                repair.last(),
                repair.clientsStopped());
        IdRange unused = target.mustBeUnused();
        scan.find(unused).ifPresent(found -> {
            throw new SequenceException.Conflict("sequence " + name + " cannot be repaired to issue from "
                    + repair.next() + " on: ids from " + found.lowest() + " to " + found.highest()
                    + " are used (" + found.where() + "), of the ids " + unused.first() + " to " + unused.last()
                    + " that must be unused. Name a next id at least "
                    + target.gap().margin()
                    + " past the used ones, or a last id before them");
        });
        return target;
    }

    /** Waits until no process holds ids of an incarnation before the entry's. */
    private SequenceEntry settled(SequenceEntry entry, String what) {
        return settled(entry, what, usualWait());
    }

    private Duration usualWait() {
        return config.watchInterval().multipliedBy(3);
    }

    private SequenceEntry settled(SequenceEntry entry, String what, Duration most) {
        String name = entry.name();
        allocators.reseeded(name, entry.incarnation());
        Duration look = config.watchInterval().dividedBy(8);
        Raises.Behind behind = calls.get(raises.settle(entry, most, look), most);
        if (!behind.isNobody()) {
            throw new SequenceException.NotAcknowledged("sequence " + name + " was " + what
                    + ", but datacenters " + behind.datacenters() + " have not let go of older ids, and may still issue"
                    + " them"
                    + (behind.holders().isEmpty()
                            ? ""
                            : "; in " + localDatacenter + " these do: " + holders(entry, behind.holders()))
                    + ". Call again when they have noticed; for a process that is gone for good, call"
                    + " Sequences.release(\"" + name + "\", process) in its datacenter first, where nothing runs any"
                    + " more, Sequences.acknowledge(\"" + name + "\"), and for a datacenter that is lost for good,"
                    + " Sequences.releaseDatacenter(\"" + name + "\", datacenter)");
        }
        return entry;
    }

    void release(String name, String process) {
        calls.get(registry.requireKnown(name).thenCompose(entry -> claims.release(entry, process)));
        // That process may have been the last holder.
        acknowledgements.noticed(name, Duration.ZERO);
    }

    void releaseDatacenter(String name, String datacenter) {
        calls.get(registry.requireKnown(name).thenCompose(entry -> raises.releaseDatacenter(entry, datacenter)));
    }

    List<Holder> acknowledge(String name) {
        return calls.get(registry.requireKnown(name)
                .thenCompose(entry -> raises.acknowledge(entry).thenApply(held -> holders(entry, held))));
    }

    List<Holder> holders(String name) {
        return calls.get(registry.require(name)
                .thenCompose(entry -> claims.claimsOf(entry).thenApply(held -> holders(entry, held))));
    }

    List<Holder> holdersBehind(String name) {
        return calls.get(registry.requireKnown(name)
                .thenCompose(entry -> claims.claimsBefore(entry).thenApply(held -> holders(entry, held))));
    }

    private static List<Holder> holders(SequenceEntry entry, List<HeldClaim> claims) {
        SequenceSpec spec = entry.spec();
        return claims.stream()
                .map(held -> {
                    Span span = held.claim().span();
                    IdRange ids = new IdRange(spec.idAt(span.lo()), spec.increment(), span.size());
                    return new Holder(held.holder(), held.claim().incarnation(), ids, held.since());
                })
                .toList();
    }

    Reclaimed reclaim(String name, String process, IdCheck check) {
        if (process.equals(CassandraRangeStore.UNKNOWN_HOLDER)) {
            throw new IllegalArgumentException("must be a process that is gone: process='" + process
                    + "' is what stands for all whose claims were lost with their reserve");
        }
        SequenceEntry entry = calls.get(registry.require(name));
        HeldClaims.Abandoned abandoned = calls.get(claims.abandonedBy(entry, process));
        long ids = 0;
        for (HeldClaim each : abandoned.reclaimable()) {
            List<Span> unused = UnusedIds.of(entry.spec(), each.claim().span(), check);
            if (calls.get(claims.reclaim(each, unused))) {
                ids += unused.stream().mapToLong(Span::size).sum();
            }
        }
        return new Reclaimed(ids, holders(entry, abandoned.tooOld()));
    }

    void join(String name) {
        calls.get(registry.require(name).thenCompose(registry::join));
    }

    Optional<SequenceState> find(String name) {
        return calls.get(registry.find(name)).map(SequenceState::of);
    }

    List<SequenceState> list() {
        List<SequenceState> states = new ArrayList<>();
        for (SequenceGlimpse each : calls.get(catalog.glimpses())) {
            find(each.name()).ifPresent(states::add);
        }
        states.sort(Comparator.comparing(state -> state.spec().name()));
        return states;
    }
}
