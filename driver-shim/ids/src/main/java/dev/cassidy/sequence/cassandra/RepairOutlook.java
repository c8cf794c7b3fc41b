package dev.cassidy.sequence.cassandra;

import dev.cassidy.sequence.IdRange;
import java.util.List;

/**
 * What Cassidy's tables say about a repair of a sequence.
 *
 * @param state the sequence as it is
 * @param gaps all ranges of ids before the sequence's position that were never granted, in the sequence's direction; a repair
 *     may begin in any of them
 * @param passedOver the last of them that has more ids than {@code margin}, or the widest one
 * @param issuable what a repair could issue: {@code passedOver}, or more if no id past it was granted
 * @param grantedSince whether ids past {@code passedOver} were granted; if so, they are never issued again
 * @param margin how many ids before the new beginning must be unused too
 * @param floorPassed whether the floor lies past the first id of {@code passedOver}: then clients may have been inserting
 *     explicit ids among them
 * @param holders the processes of all datacenters that hold ids, which a repair waits for
 */
public record RepairOutlook(
        SequenceState state,
        List<IdRange> gaps,
        IdRange passedOver,
        IdRange issuable,
        boolean grantedSince,
        long margin,
        boolean floorPassed,
        List<Holder> holders) {
    public RepairOutlook {
        gaps = List.copyOf(gaps);
        holders = List.copyOf(holders);
    }
}
