package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.checker.IssueHistory;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.Incarnations;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares what the registry promises with what is issued. A caller that reads a floor relies on it at once, and so
 * does a caller that is told that a raise is complete. The positions of the history go on through all generations.
 */
final class Promises {

    private final IssueHistory history;
    private final SimulatedCluster cluster;
    private final SequenceSpec first;
    private @Nullable SequenceEntry seen;
    private int acknowledgements;

    /** The first ids of repairs that were begun. */
    private final Set<Long> repairs = new HashSet<>();

    /** The first incarnation of the last repair. What was promised of older ones does not count any more. */
    private int repaired;

    private IssueListener listener = (line, from, step, count) -> {};

    /** Is called with each id that is issued. */
    @FunctionalInterface
    interface IssueListener {
        void issued(String line, long from, long step, long count);
    }

    /** Reports everything that is issued from now on. */
    void tell(IssueListener to) {
        listener = to;
    }

    Promises(IssueHistory history, SimulatedCluster cluster, SequenceSpec first) {
        this.history = history;
        this.cluster = cluster;
        this.first = first;
    }

    /**
     * Records what the global partition promises now: nothing before the floor, nothing of an older generation, and
     * nothing before the origin once everybody has acknowledged.
     */
    void look() {
        SequenceEntry now = cluster.entry();
        int made = cluster.acknowledgements().size();
        if (now != null && (made != acknowledgements || !now.equals(seen))) {
            long first = now.spec().idAt(0);
            if (seen != null
                    && Incarnations.generation(now.incarnation()) > Incarnations.generation(seen.incarnation())
                    && repairs.remove(first)) {
                repaired = now.incarnation();
                history.repaired(first);
            }
            acknowledgements = made;
            seen = now;
            history.reseeded(now.spec().idAt(now.floor()));
            if (cluster.isAcknowledged(now)) {
                history.reseeded(now.spec().idAt(now.origin()));
            }
        }
    }

    /** A caller was told that nobody holds ids from before the entry's incarnation. */
    void complete(SequenceEntry entry) {
        reseeded(entry.spec().idAt(entry.origin()), entry);
    }

    /** A caller was told that nothing up to {@code id} is issued any more. */
    void advancedPast(long id, SequenceEntry entry) {
        reseeded(id + first.increment(), entry);
    }

    /** A caller was told that nothing before {@code id} is issued any more. */
    void begun(long id, SequenceEntry entry) {
        reseeded(id, entry);
    }

    private void reseeded(long id, SequenceEntry entry) {
        look();
        if (entry.incarnation() >= repaired) {
            history.reseeded(id);
        }
    }

    /** A caller is about to repair the sequence, to begin with {@code id}. */
    void repairing(long id) {
        repairs.add(id);
    }

    void issued(String line, long id) {
        look();
        history.issued(line, id);
        listener.issued(line, id, first.increment(), 1);
    }

    void issued(String line, long from, long step, long count) {
        look();
        history.issued(line, from, step, count);
        listener.issued(line, from, step, count);
    }

    /** Whether this is the sequence's current incarnation. */
    boolean isCurrent(int incarnation) {
        SequenceEntry now = cluster.entry();
        return now != null && now.incarnation() == incarnation;
    }

    /** Returns where an incarnation's ordinal lies in the history. */
    long position(int incarnation, long ordinal) {
        return (cluster.spec(incarnation).idAt(ordinal) - first.start()) / first.increment();
    }

    /** Returns those of a claim's ordinals that were never issued. */
    List<Span> unused(int incarnation, Span span) {
        long base = position(incarnation, 0);
        return history.gapsWithin(base + span.lo(), base + span.hi()).stream()
                .map(gap -> new Span(gap.lo() - base, gap.hi() - base))
                .toList();
    }
}
