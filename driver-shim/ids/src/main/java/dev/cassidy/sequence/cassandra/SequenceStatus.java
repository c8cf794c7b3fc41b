package dev.cassidy.sequence.cassandra;

import dev.cassidy.sequence.Projection;
import dev.cassidy.sequence.SequenceSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

/**
 * How much of a sequence is left. It is read by several plain reads, one after another, while ids are drawn. So the figures
 * of a busy sequence may differ by a few ids.
 *
 * <p>All figures are numbers of ids, except {@code next} and {@code last}, which are ids. An id is used if it was granted to a
 * datacenter or skipped; a used id never becomes free again. The other ids are the headroom.
 *
 * @param incarnation increases with each raise
 * @param ready whether ids may be issued; false until the sequence is seeded
 * @param next the first id that has not been granted to a datacenter; empty if there is none
 * @param last the last id of the sequence
 * @param space all ids of the sequence
 * @param used the ids before {@code next}
 * @param earlier the used ids from before the current incarnation: issued in an earlier one, or skipped by a raise
 * @param projection when nothing is left to grant
 * @param isolation how long each datacenter should last while cut off; shorter than configured if few ids are left
 * @param at when the status was read, by this process's clock
 * @param note what could not be read; otherwise empty
 * @param datacenters the participating datacenters, by name
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

    /** Returns the number of ids that have not been granted to a datacenter. */
    public long free() {
        return space - used;
    }

    /** Returns the used percentage of the space, from 0 to 100. */
    public double usedPercent() {
        return percent(used);
    }

    /** Returns the free percentage of the space, from 0 to 100. */
    public double headroomPercent() {
        return percent(free());
    }

    /** Returns {@code ids} as a percentage of the space. */
    public double percent(long ids) {
        return 100.0 * ids / space;
    }
}
