package dev.cassidy.sequence.cassandra;

import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.Incarnations;
import dev.cassidy.sequence.store.SequenceEntry;
import java.util.OptionalLong;

/**
 * The stored state of one sequence, read at SERIAL.
 *
 * @param spec the specification with which it was created
 * @param incarnation increases with each raise; part of every condition
 * @param ready whether ids may be issued
 * @param dropped whether it was dropped; if so, it is not ready, and its ids are never issued again
 * @param floor no id before it will be issued any more: an explicit id before it cannot be taken by a later one
 * @param next the first id that has not been granted to a datacenter; empty if there is none
 */
public record SequenceState(
        SequenceSpec spec, int incarnation, boolean ready, boolean dropped, long floor, OptionalLong next) {

    static SequenceState of(SequenceEntry entry) {
        SequenceSpec spec = entry.spec();
        return new SequenceState(
                spec,
                entry.incarnation(),
                entry.ready(),
                entry.dropped(),
                spec.idAt(entry.floor()),
                entry.next() < spec.count() ? OptionalLong.of(spec.idAt(entry.next())) : OptionalLong.empty());
    }

    /** Returns whether it was dropped and created again, or repaired, so that there are generations before this one. */
    public boolean isCreatedAgain() {
        return Incarnations.generation(incarnation) > 0;
    }

    /** Returns whether an id lies before the floor, in the sequence's direction. */
    public boolean isBeforeFloor(long id) {
        return spec.increment() > 0 ? id < floor : id > floor;
    }

    /**
     * Returns whether ids before the floor may have been issued: it was raised past ids that had been granted, or the sequence
     * was created again.
     */
    public boolean mayHaveIssuedBeforeFloor() {
        return isCreatedAgain() || (Incarnations.isRaised(incarnation) && floor != spec.start());
    }

    SequenceState withoutNext() {
        return new SequenceState(spec, incarnation, ready, dropped, floor, OptionalLong.empty());
    }
}
