package dev.cassidy.sequence.store;

import dev.cassidy.sequence.SequenceSpec;

/**
 * Which ids a sequence's ordinals mean: ordinal <i>n</i> is the id {@code start + n * increment}. It is one for a generation
 * ({@link Incarnations}), unless nodes forget that a sequence was created, and it is created otherwise.
 *
 * @param start the id of ordinal 0
 * @param increment never 0, except in {@link #NONE}
 */
public record Numbering(long start, long increment) {

    /** Of a reserve that has absorbed nothing in its incarnation. */
    public static final Numbering NONE = new Numbering(0, 0);

    public static Numbering of(SequenceSpec spec) {
        return new Numbering(spec.start(), spec.increment());
    }
}
