package dev.cassidy.sequence.cassandra;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How much of a sequence was left when this process looked at it last.
 *
 * @param used the ids that were granted to a datacenter or skipped
 * @param space all ids of the sequence
 * @param next the first id that has not been granted to a datacenter; empty if there is none
 * @param reserved the ids in this datacenter's reserve
 * @param end when nothing is left to grant, as projected; empty if this is not known
 * @param at when the process looked, by its clock
 */
public record SequenceHeadroom(
        String sequence, long used, long space, OptionalLong next, long reserved, Optional<Instant> end, Instant at) {

    static SequenceHeadroom of(Sighting seen) {
        return new SequenceHeadroom(
                seen.spec().name(),
                seen.used(),
                seen.space(),
                seen.next(),
                seen.reserved(),
                seen.projection().end(),
                seen.at());
    }

    /** Returns the percentage of the space that has not been granted, from 0 to 100. */
    public double freePercent() {
        return 100.0 * (space - used) / space;
    }
}
