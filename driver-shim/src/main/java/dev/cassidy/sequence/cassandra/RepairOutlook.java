package dev.cassidy.sequence.cassandra;

import dev.cassidy.sequence.IdRange;
import java.util.List;

/**
 * What Cassidy's tables say about a repair of a sequence.
 *
 * @param state the sequence as it is
 * @param passedOver the ids that the last raise over 1 % of all ids or more passed over, or the widest raise; they were never
 *     granted, and a repair may begin among them
 * @param issuable what a repair could issue: {@code passedOver}, or more if no id past it was granted
 * @param grantedSince whether ids past {@code passedOver} were granted; if so, they are never issued again
 * @param margin how many ids before the new beginning must be unused too
 * @param floorPassed whether the floor lies past the first id of {@code passedOver}: then clients may have been inserting
 *     explicit ids among them
 * @param holders the processes of this datacenter that hold ids, which a repair waits for
 */
public record RepairOutlook(
        SequenceState state,
        IdRange passedOver,
        IdRange issuable,
        boolean grantedSince,
        long margin,
        boolean floorPassed,
        List<Holder> holders) {
    public RepairOutlook {
        holders = List.copyOf(holders);
    }
}
