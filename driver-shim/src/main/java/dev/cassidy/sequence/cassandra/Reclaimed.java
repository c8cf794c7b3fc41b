package dev.cassidy.sequence.cassandra;

import java.util.List;

/**
 * What came of reclaiming.
 *
 * @param ids how many ids will be issued again
 * @param tooOld claims that were left alone, since nobody can tell any more whether they are what they seem
 */
public record Reclaimed(long ids, List<Holder> tooOld) {
    public Reclaimed {
        tooOld = List.copyOf(tooOld);
    }
}
