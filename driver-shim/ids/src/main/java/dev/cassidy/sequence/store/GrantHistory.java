package dev.cassidy.sequence.store;

import java.util.List;
import java.util.stream.Stream;

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

    /** Returns the last incarnation of a generation that was granted anything; 0 if none was. */
    public int lastIncarnation(int generation) {
        return of(generation).mapToInt(Granted::incarnation).max().orElse(0);
    }

    /** Returns the first ordinal past everything that a generation was granted; 0 if it was granted nothing. */
    public long end(int generation) {
        return of(generation).mapToLong(each -> each.span().hi()).max().orElse(0);
    }

    private Stream<Granted> of(int generation) {
        return grants.stream().filter(each -> Incarnations.generation(each.incarnation()) == generation);
    }
}
