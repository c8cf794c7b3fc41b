package dev.cassidy.sequence.store;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The unused ends of blocks that processes gave back: granted, claimed once, never issued, and without a holder. Stored
 * and compared as one value, so that a tail is taken exactly once and nothing deleted can come back.
 *
 * @param spans in ascending order, neither overlapping nor touching; at most {@value #MAX_TAILS}
 */
public record Tails(List<Span> spans) {

    /** With more, every claim would have to carry them; then the smallest ones are given up. */
    static final int MAX_TAILS = 100;

    public static final Tails NONE = new Tails(List.of());

    public Tails {
        spans = List.copyOf(spans);
        for (int i = 0; i < spans.size(); i++) {
            if (spans.get(i).isEmpty()
                    || (i > 0 && spans.get(i).lo() <= spans.get(i - 1).hi())) {
                throw new IllegalArgumentException("must be ascending, apart and not empty: tails=" + spans);
            }
        }
    }

    public boolean isEmpty() {
        return spans.isEmpty();
    }

    /** Returns how many ordinals there are in all. */
    public long size() {
        return spans.stream().mapToLong(Span::size).sum();
    }

    /** Returns these and {@code more}, joined where they touch; the smallest are left out if there are too many. */
    public Tails plus(List<Span> more) {
        List<Span> all = new ArrayList<>(spans);
        more.stream().filter(span -> !span.isEmpty()).forEach(all::add);
        all.sort(Comparator.comparingLong(Span::lo));
        List<Span> joined = new ArrayList<>();
        for (Span span : all) {
            Span last = joined.isEmpty() ? Span.EMPTY : joined.get(joined.size() - 1);
            if (!joined.isEmpty() && span.lo() < last.hi()) {
                throw new IllegalArgumentException("overlap: " + last + " and " + span);
            }
            if (!joined.isEmpty() && span.lo() == last.hi()) {
                joined.set(joined.size() - 1, new Span(last.lo(), span.hi()));
            } else {
                joined.add(span);
            }
        }
        while (joined.size() > MAX_TAILS) {
            joined.remove(
                    joined.stream().min(Comparator.comparingLong(Span::size)).orElseThrow());
        }
        return new Tails(joined);
    }

    /** Returns these without {@code taken}, which must be the front of one of them. */
    public Tails minus(Span taken) {
        List<Span> rest = new ArrayList<>();
        boolean found = false;
        for (Span span : spans) {
            if (span.lo() != taken.lo()) {
                rest.add(span);
            } else if (taken.hi() <= span.hi()) {
                found = true;
                if (taken.hi() < span.hi()) {
                    rest.add(new Span(taken.hi(), span.hi()));
                }
            }
        }
        if (!found) {
            throw new IllegalArgumentException("must be the front of a tail: " + taken + " of " + spans);
        }
        return new Tails(rest);
    }

    /**
     * Chooses a tail: the lowest that has {@code wanted} ordinals, otherwise the largest.
     *
     * @param above the tail must not begin before it; what a process has served must stay below the tail
     */
    public Optional<Span> choose(long wanted, long above) {
        List<Span> usable = spans.stream().filter(span -> span.lo() >= above).toList();
        return usable.stream()
                .filter(span -> span.size() >= wanted)
                .findFirst()
                .or(() -> usable.stream().max(Comparator.comparingLong(Span::size)))
                .map(span -> span.first(wanted));
    }
}
