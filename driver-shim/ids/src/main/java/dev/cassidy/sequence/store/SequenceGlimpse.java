package dev.cassidy.sequence.store;

/**
 * A hint of how far a sequence is; it may be old, and proves nothing.
 *
 * @param acknowledged the newest incarnation for which the datacenter is known to have done its part; 0 if that is not
 *     known
 */
public record SequenceGlimpse(String name, int incarnation, long floor, int acknowledged) {

    /** Returns whether this, as a datacenter's copy, lacks what the other one shows: an incarnation, or a floor. */
    public boolean isOlderThan(int otherIncarnation, long otherFloor) {
        return incarnation < otherIncarnation || (incarnation == otherIncarnation && floor < otherFloor);
    }
}
