package dev.cassidy.counter.protocol;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What one process has done with the counters of a table, and what it has seen of the datacenter.
 *
 * @param acknowledged increments that were acknowledged to their callers
 * @param unknown increments whose callers were told that the outcome is unknown
 * @param repeated rows that were written once more, after a failure
 * @param settled decisions of what counts of a dead process's increments, each for one counter and slot
 * @param unsettled counters that could not be settled when this process had the janitor's turn
 * @param oldestUnfolded the age of the oldest row of this process's slot that is not folded; empty if there is none
 * @param janitorRan how long ago this process saw that the janitor of the datacenter had another turn; empty before that
 * @param slotsInUse how many slots of the datacenter were held at this process's last look; empty before that
 */
public record CounterFigures(
        long acknowledged,
        long unknown,
        long repeated,
        long settled,
        List<Unsettled> unsettled,
        Optional<Duration> oldestUnfolded,
        Optional<Duration> janitorRan,
        OptionalInt slotsInUse) {

    public CounterFigures {
        unsettled = List.copyOf(unsettled);
    }
}
