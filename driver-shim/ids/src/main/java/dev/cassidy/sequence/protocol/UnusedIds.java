package dev.cassidy.sequence.protocol;

import dev.cassidy.sequence.IdCheck;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.Span;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** Finds the ids of a span that an {@link IdCheck} does not find used. */
public final class UnusedIds {

    private UnusedIds() {}

    /**
     * Asks about every id of a span; blocks for as long as {@code check} does.
     *
     * @return the runs of ordinals that are not used, in ascending order
     * @throws IllegalArgumentException if {@code check} names an id that it was not asked about
     */
    public static List<Span> of(SequenceSpec spec, Span span, IdCheck check) {
        List<Span> unused = new ArrayList<>();
        Span left = span;
        while (!left.isEmpty()) {
            Span some = left.first(IdCheck.MAX_IDS);
            IdRange ids = new IdRange(spec.idAt(some.lo()), spec.increment(), some.size());
            long from = some.lo();
            for (long used : ordinals(spec, some, check.used(ids))) {
                add(unused, from, used);
                from = used + 1;
            }
            add(unused, from, some.hi());
            left = new Span(some.hi(), left.hi());
        }
        return unused;
    }

    private static SortedSet<Long> ordinals(SequenceSpec spec, Span asked, Collection<Long> ids) {
        SortedSet<Long> ordinals = new TreeSet<>();
        for (long id : ids) {
            long ordinal = spec.ordinalOf(id).longValue();
            if (ordinal < asked.lo() || ordinal >= asked.hi() || spec.idAt(ordinal) != id) {
                throw new IllegalArgumentException("must be one of the ids that were asked about, "
                        + spec.idAt(asked.lo()) + " to " + spec.idAt(asked.hi() - 1) + ": used id " + id
                        + " of sequence " + spec.name());
            }
            ordinals.add(ordinal);
        }
        return ordinals;
    }

    private static void add(List<Span> runs, long lo, long hi) {
        Span last = runs.isEmpty() ? Span.EMPTY : runs.get(runs.size() - 1);
        if (lo == last.hi() && !last.isEmpty() && lo < hi) {
            runs.set(runs.size() - 1, new Span(last.lo(), hi));
        } else if (lo < hi) {
            runs.add(new Span(lo, hi));
        }
    }
}
