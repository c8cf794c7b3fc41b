package dev.cassidy.sequence.store;

import dev.cassidy.sequence.SequenceSpec;

/**
 * One sequence as it is stored.
 *
 * @param spec as it was created
 * @param incarnation part of every condition; moved by each raise that recalls ids, and by a drop
 * @param ready whether ids may be issued
 * @param dropped whether it was dropped; then it is not ready, and stays as a mark of what it issued
 * @param streams how many interleaved streams its name stands for, such as {@code name[1/3]}; 0 for a sequence. An
 *     entry that stands for streams never issues anything
 * @param next the first ordinal that no datacenter has been granted
 * @param origin where the incarnation began: no ordinal below it has been granted in it
 * @param floor no ordinal below it will be issued any more; at most the origin
 */
public record SequenceEntry(
        SequenceSpec spec,
        int incarnation,
        boolean ready,
        boolean dropped,
        int streams,
        long next,
        long origin,
        long floor) {

    /** Returns a sequence that has not been used. */
    public static SequenceEntry fresh(SequenceSpec spec, int incarnation, boolean ready) {
        return new SequenceEntry(spec, incarnation, ready, false, 0, 0, 0, 0);
    }

    /** Returns the entry that stands for the streams of {@code spec}, and itself never issues anything. */
    public static SequenceEntry ofStreams(SequenceSpec spec, int streams) {
        return new SequenceEntry(spec, Incarnations.FIRST, false, false, streams, 0, 0, 0);
    }

    public String name() {
        return spec.name();
    }

    /** Nothing has been granted since the floor was set, so no process holds ids that a raise would have to recall. */
    public boolean untouched() {
        return next == floor;
    }

    /** Whether what {@code promised} said of ids that are not issued any more still holds after this, and follows from it. */
    public boolean keeps(SequenceEntry promised) {
        if (!Incarnations.sameGeneration(incarnation, promised.incarnation)) {
            // Only what was dropped is created again.
            return promised.dropped && incarnation > promised.incarnation;
        }
        return incarnation >= promised.incarnation
                && origin >= promised.origin
                && floor >= promised.floor
                && spec.equals(promised.spec)
                && (dropped || (!promised.dropped && (ready || !promised.ready)));
    }

    /** Whether the ordinals of both mean the same ids; not so if one is another creation, with another start or increment. */
    public boolean isNumberedAs(SequenceEntry other) {
        return Numbering.of(spec).equals(Numbering.of(other.spec));
    }

    /** Whether this was read after {@code other}, or is another creation, as far as a copy shows it. */
    public boolean isLaterThan(SequenceEntry other) {
        return incarnation > other.incarnation
                || (incarnation == other.incarnation
                        && ((ready && !other.ready) || floor > other.floor || !isNumberedAs(other)));
    }

    /** Returns this as it begins at {@code ordinal}, ready, with no ids held. */
    public SequenceEntry beginningAt(long ordinal) {
        return new SequenceEntry(spec, incarnation, true, false, streams, ordinal, ordinal, ordinal);
    }

    /**
     * Returns the incarnation after {@code last}, which begins at {@code ordinal} and leaves the floor to be raised later.
     *
     * @param last the last incarnation that was ever used; at least this one's
     */
    public SequenceEntry raisedTo(int last, long ordinal) {
        return new SequenceEntry(
                spec, Incarnations.next(spec.name(), last), true, false, streams, ordinal, ordinal, floor);
    }

    public SequenceEntry drop() {
        return drop(incarnation);
    }

    /**
     * As {@link #drop()}, of a sequence that may have had later incarnations than this.
     *
     * @param last as for {@link #raisedTo}
     */
    public SequenceEntry drop(int last) {
        return new SequenceEntry(spec, Incarnations.next(spec.name(), last), false, true, streams, next, next, floor);
    }

    /** Returns this with everything below {@code ordinal} granted. */
    public SequenceEntry grantedTo(long ordinal) {
        return new SequenceEntry(spec, incarnation, ready, dropped, streams, Math.max(next, ordinal), origin, floor);
    }

    public SequenceEntry withFloor(long ordinal) {
        return new SequenceEntry(spec, incarnation, ready, dropped, streams, next, origin, ordinal);
    }
}
