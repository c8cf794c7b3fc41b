package dev.cassidy.counter.store;

import java.util.UUID;

/**
 * A slot as it is stored. The slot is the actor under whose name one process writes increments.
 *
 * @param slot its number, from 0
 * @param epoch increases with each lease; increments of one epoch have one writer
 * @param token drawn for each lease
 * @param beat increases while the holder is alive
 * @param free whether the holder gave it back, with every increment acknowledged
 */
public record SlotLease(int slot, int epoch, UUID token, long beat, boolean free) {

    /** Whether it is the same lease, at whatever beat. */
    public boolean isLeaseOf(SlotLease other) {
        return slot == other.slot && epoch == other.epoch && token.equals(other.token);
    }

    public SlotLease withBeat(long next) {
        return new SlotLease(slot, epoch, token, next, free);
    }
}
