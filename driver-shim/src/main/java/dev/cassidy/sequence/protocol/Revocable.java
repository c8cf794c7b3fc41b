package dev.cassidy.sequence.protocol;

/** Ids that were drawn from a block ahead of need, which the block can take away. */
interface Revocable {

    /** None of these ids is issued after this returns. Called by any thread; a second call does no harm. */
    void revoke();
}
