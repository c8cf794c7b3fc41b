package dev.cassidy.sequence.protocol;

/** Ids that were drawn from a block ahead of need, which the block can take away. */
interface Revocable {

    /** None of these ids is issued after this returns. Called by any thread; a second call does no harm. */
    void revoke();

    /** What was drawn and not issued went back to the block, or is a gap: it is not held any more. */
    void gaveBack();

    /** Whether it has drawn a position of its block and not issued it yet. Any thread may call it. */
    boolean holds(long position);
}
