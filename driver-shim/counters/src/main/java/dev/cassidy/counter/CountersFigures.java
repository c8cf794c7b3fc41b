package dev.cassidy.counter;

import dev.cassidy.counter.protocol.CounterFigures;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What this process has done with the counters of a table of the kind {@link CounterKind#FOLDED}, and what it has seen of its
 * datacenter. Reading it asks nothing.
 *
 * @param acknowledged increments that were acknowledged to their callers
 * @param unknown increments whose callers were told that the outcome is unknown
 * @param repeated rows that were written once more, after a failure
 * @param settled decisions of what counts of an ended epoch's increments, each for one counter and slot
 * @param unsettled counters of dead processes that could not be settled when this process had the janitor's turn. Their
 *     values are right; they are tried again in each turn
 * @param oldestUnfolded the age of the oldest row that this process has written in its slot and that is not folded; empty if
 *     there is none
 * @param janitorRan how long ago this process saw that the datacenter's janitor had another turn; empty before that
 * @param slotsInUse how many slots of the datacenter were held a few minutes ago; empty unless {@link CounterMetrics} is bound
 */
public record CountersFigures(
        long acknowledged,
        long unknown,
        long repeated,
        long settled,
        List<Unsettled> unsettled,
        Optional<Duration> oldestUnfolded,
        Optional<Duration> janitorRan,
        OptionalInt slotsInUse) {

    /**
     * A counter that could not be settled.
     *
     * @param actor the slot of the dead process
     * @param why what is wrong, and what to do
     */
    public record Unsettled(String counter, String actor, String why) {}

    public CountersFigures {
        unsettled = List.copyOf(unsettled);
    }

    static CountersFigures of(CounterFigures figures) {
        return new CountersFigures(
                figures.acknowledged(),
                figures.unknown(),
                figures.repeated(),
                figures.settled(),
                figures.unsettled().stream()
                        .map(one -> new Unsettled(one.counter(), one.actor(), one.why()))
                        .toList(),
                figures.oldestUnfolded(),
                figures.janitorRan(),
                figures.slotsInUse());
    }
}
