package dev.cassidy.sequence.cassandra;

import dev.cassidy.sequence.Projection;
import dev.cassidy.sequence.SequenceSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

/**
 * How much of a sequence is left. Read by plain reads, one after another, while ids are drawn: the figures of a busy
 * sequence need not add up to the id.
 *
 * <p>Ids are counted, not named, unless it says id. Used is what some datacenter has been granted, or what was skipped;
 * it is never given back. The rest is the headroom.
 *
 * @param incarnation counts raises
 * @param ready whether ids may be issued; false while it awaits its seed
 * @param next the next id that no datacenter has been granted; empty when none is left
 * @param last the last id of the sequence
 * @param space how many ids the sequence has in all
 * @param used how many of them come before {@code next}
 * @param earlier those of the used that come before the current incarnation: issued in an earlier one, or skipped by a
 *     raise
 * @param projection when nothing is left to grant
 * @param isolation how long each datacenter is meant to last alone; shorter than configured when the space runs low
 * @param at when it was read, by this process's clock
 * @param note what was out of reach; else empty
 * @param datacenters those that take part, by name
 */
public record SequenceStatus(
        SequenceSpec spec,
        int incarnation,
        boolean ready,
        OptionalLong next,
        long last,
        long space,
        long used,
        long earlier,
        Projection projection,
        Duration isolation,
        Instant at,
        String note,
        List<DatacenterStatus> datacenters) {

    public SequenceStatus {
        datacenters = List.copyOf(datacenters);
    }

    /** Returns how many ids no datacenter has been granted. */
    public long free() {
        return space - used;
    }

    /** Returns the used share of the space, from 0 to 100. */
    public double usedPercent() {
        return percent(used);
    }

    /** Returns the free share of the space, from 0 to 100. */
    public double headroomPercent() {
        return percent(free());
    }

    /** Returns the share of the space that {@code ids} are. */
    public double percent(long ids) {
        return 100.0 * ids / space;
    }
}
