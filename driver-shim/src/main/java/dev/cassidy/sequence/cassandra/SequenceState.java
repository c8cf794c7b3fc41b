package dev.cassidy.sequence.cassandra;

import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.SequenceEntry;
import java.util.OptionalLong;

/**
 * What is stored of one sequence, read at SERIAL.
 *
 * @param spec as it was created
 * @param incarnation counts reseeds; part of every condition
 * @param ready whether ids may be issued
 * @param dropped whether it was dropped; then it is not ready, and what it issued stays taken
 * @param floor no id before it will be issued any more: an explicit id before it cannot be taken by a later one
 * @param next the next id that no datacenter has been granted; empty when the space is used up
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

    SequenceState withoutNext() {
        return new SequenceState(spec, incarnation, ready, dropped, floor, OptionalLong.empty());
    }
}
