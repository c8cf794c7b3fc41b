package dev.cassidy.sequence.cassandra;

import java.util.List;

/**
 * The result of {@link SequenceAdmin#reclaim}.
 *
 * @param ids the number of ids that can be issued again
 * @param tooOld claims that were not reclaimed, because their rows may be removed ones that came back
 */
public record Reclaimed(long ids, List<Holder> tooOld) {
    public Reclaimed {
        tooOld = List.copyOf(tooOld);
    }
}
