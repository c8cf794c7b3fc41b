package dev.cassidy.sequence.cassandra;

import dev.cassidy.sequence.Projection;
import dev.cassidy.sequence.SequenceSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a process sees of the headroom of a sequence that it uses, by cheap reads that may be a little old.
 *
 * @param used ordinals that were granted or skipped
 * @param space ordinals in all
 * @param reserved what is left in this datacenter's reserve
 * @param tails what its processes gave back
 * @param lasts how long {@code reserved} lasts at the rate of the busiest whole hour of seven days; empty without one
 * @param refillRefused why the global level does not answer, when the reserve is due to be refilled; else empty
 */
record Sighting(
        SequenceSpec spec,
        long used,
        long space,
        Projection projection,
        long reserved,
        long tails,
        Optional<Duration> lasts,
        Optional<String> refillRefused,
        Instant at) {

    double usedPercent() {
        return 100.0 * used / space;
    }

    double headroomRatio() {
        return (double) (space - used) / space;
    }

    OptionalLong next() {
        return used < space ? OptionalLong.of(spec.idAt(used)) : OptionalLong.empty();
    }

    /** Whether nothing is left to grant, and nothing in this datacenter's reserve. */
    boolean isUsedUp() {
        return next().isEmpty() && reserved == 0;
    }

    long last() {
        return spec.idAt(space - 1);
    }
}
