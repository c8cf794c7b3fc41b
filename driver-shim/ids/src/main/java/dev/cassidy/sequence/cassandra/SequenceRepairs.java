package dev.cassidy.sequence.cassandra;

import dev.cassidy.cluster.BlockingCalls;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.IdScan;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.protocol.Repairs;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import dev.cassidy.sequence.store.SequenceEntry;
import java.time.Duration;
import java.util.Optional;

/**
 * Repairs of sequences that were raised too far, step by step: see {@link SequenceAdmin#repair}. Safe for use by many threads;
 * both methods block.
 */
final class SequenceRepairs {

    private static final String DROPPED =
            "It was dropped for this repair, and issues nothing until the same repair, run again, has succeeded";

    private final SequenceRegistry registry;
    private final Repairs repairs;
    private final Settlement settlement;
    private final BlockingCalls calls;

    SequenceRepairs(SequenceRegistry registry, Repairs repairs, Settlement settlement, BlockingCalls calls) {
        this.registry = registry;
        this.repairs = repairs;
        this.settlement = settlement;
        this.calls = calls;
    }

    RepairOutlook outlook(String name) {
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
                Holder.of(entry, evidence.holders()));
    }

    SequenceEntry repair(Repair repair, IdScan scan) {
        String name = repair.sequence();
        Optional<SequenceEntry> done = calls.get(repairs.alreadyIssuing(name, repair.next(), repair.last()));
        if (done.isPresent()) {
            settlement.created(done.get());
            return done.get();
        }
        // First, so that a repair that is refused leaves the sequence as it is.
        SequenceEntry proven = prove(repair, scan).gap().entry();
        // What was proven, and nothing else: another repair may have ended meanwhile.
        drop(proven);
        SequenceEntry repaired;
        try {
            settlement.settled(() -> registry.drop(proven), "dropped, to be repaired");
            // Again, because ids may have been granted and stored until the drop.
            repaired = settlement.lasting(repairs.repair(prove(repair, scan)), Duration.ZERO);
        } catch (SequenceException.Conflict e) {
            throw new SequenceException.Conflict(e.getMessage() + ". Sequence " + name
                    + " was dropped for this repair: check it, and if it is still dropped, repair it with"
                    + " another id, or create it again past everything");
        } catch (SequenceException.Unavailable e) {
            throw new SequenceException.Unavailable(e.getMessage() + ". " + DROPPED, e);
        } catch (SequenceException.NotAcknowledged e) {
            throw new SequenceException.NotAcknowledged(e.getMessage() + ". " + DROPPED);
        } catch (RuntimeException e) {
            // Of the scan, for example; a caller knows it by its class.
            e.addSuppressed(new SequenceException.Dropped("sequence " + name + ": " + DROPPED));
            throw e;
        }
        settlement.created(repaired);
        return repaired;
    }

    private void drop(SequenceEntry proven) {
        try {
            calls.get(registry.drop(proven));
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
}
