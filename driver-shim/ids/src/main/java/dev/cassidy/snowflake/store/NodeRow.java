package dev.cassidy.snowflake.store;

import java.util.UUID;

/**
 * A node number as it is stored.
 *
 * @param number the node's part of its ids
 * @param epoch counts its owners; 0 if it never had one. The fence: a process that takes the number raises it
 * @param tsHigh no owner so far has issued a later millisecond since the sequence's epoch, nor will without raising
 *     this
 * @param token the owner's, a new one for each lease: the evidence of which process it belongs to
 * @param free whether its last owner has given it up
 */
public record NodeRow(int number, long epoch, long tsHigh, UUID token, boolean free) {

    /** A number that never had an owner. */
    public static NodeRow fresh(int number) {
        return new NodeRow(number, 0, 0, new UUID(0, 0), true);
    }

    /** Whether it never had an owner. */
    public boolean isFresh() {
        return epoch == 0;
    }

    /** Whether this is the same lease as {@code other}, even if its limit is later. */
    public boolean isSameLease(NodeRow other) {
        return number == other.number && epoch == other.epoch && token.equals(other.token) && !free;
    }
}
