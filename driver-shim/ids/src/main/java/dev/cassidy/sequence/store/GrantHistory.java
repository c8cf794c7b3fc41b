package dev.cassidy.sequence.store;

import java.util.List;

/**
 * All that a sequence was granted. Immutable.
 *
 * @param grants every grant of every incarnation, without any order
 * @param taken ids past the end of a repaired sequence that it was granted before the repair
 */
public record GrantHistory(List<Granted> grants, List<Taken> taken) {

    /**
     * A grant.
     *
     * @param incarnation of the sequence
     * @param datacenter to which it was made
     * @param stripe to which it was made
     * @param number as {@link Grant#number} counts
     * @param span the ordinals, as the incarnation's generation counts them
     */
    public record Granted(int incarnation, String datacenter, int stripe, int number, Span span) {}

    /**
     * Ids that no generation may issue again.
     *
     * @param lowest the first one, whatever the direction of the sequence
     * @param highest the last one, inclusive
     */
    public record Taken(long lowest, long highest) {}

    public GrantHistory {
        grants = List.copyOf(grants);
        taken = List.copyOf(taken);
    }

    /** Returns the first ordinal past everything that was granted in an incarnation; 0 if nothing was. */
    public long end(int incarnation) {
        return grants.stream()
                .filter(each -> each.incarnation() == incarnation)
                .mapToLong(each -> each.span().hi())
                .max()
                .orElse(0);
    }
}
