package dev.cassidy.sequence.store;

/**
 * A hint of how far a sequence is; it may be old, and proves nothing.
 *
 * @param numbering what its ordinals mean
 * @param acknowledged the newest incarnation for which the datacenter is known to have done its part; 0 if that is not
 *     known
 */
public record SequenceGlimpse(String name, int incarnation, Numbering numbering, long floor, int acknowledged) {

    /** Returns what would be seen of an entry that is not known to be acknowledged. */
    public static SequenceGlimpse of(SequenceEntry entry) {
        return of(entry, 0);
    }

    public static SequenceGlimpse of(SequenceEntry entry, int acknowledged) {
        return new SequenceGlimpse(
                entry.name(), entry.incarnation(), Numbering.of(entry.spec()), entry.floor(), acknowledged);
    }

    /**
     * Returns whether this, as a datacenter's copy, lacks what the other one shows: an incarnation, a floor, or another
     * creation.
     */
    public boolean isBehind(SequenceGlimpse other) {
        return incarnation < other.incarnation
                || (incarnation == other.incarnation && (floor < other.floor || !numbering.equals(other.numbering)));
    }
}
