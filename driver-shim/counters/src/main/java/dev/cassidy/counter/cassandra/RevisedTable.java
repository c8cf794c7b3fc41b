package dev.cassidy.counter.cassandra;

import dev.cassidy.lwt.CasOutcome;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Numbers that only change by compare-and-set, each of which makes the next revision. It remembers which operations made
 * the last {@link #RING} revisions, so that a process can learn later whether a change was its own.
 *
 * <p>With a lock, {@code fence} is the token: each holder has a larger one, and a change demands that it is still its own.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public interface RevisedTable {

    /** How many of the last changes can be told apart. */
    int RING = 256;

    /**
     * A number as it was at one moment.
     *
     * @param value the number
     * @param revision how often it was changed; 0 before the first change
     * @param fence the token of the last holder of the lock; 0 if there was none
     * @param holder who holds the lock; null if it is free
     */
    record Revised(
            long value, long revision, long fence, @Nullable UUID holder) {

        public static final Revised NOTHING = new Revised(0, 0, 0, null);

        /** Returns it as it is after the lock was taken. */
        public Revised locked(UUID by) {
            return new Revised(value, revision, fence + 1, by);
        }

        /** Returns it as it is after a change. */
        public Revised changed(long to) {
            return new Revised(to, revision + 1, fence, holder);
        }
    }

    /** What is known of an operation. */
    enum Evidence {

        /** It made the revision. */
        MADE,

        /** Something else made the revision. */
        NOT_MADE,

        /** So many changes came after it that nothing is left of it. */
        LOST
    }

    /** Reads a number in the order of its changes. */
    CompletionStage<Revised> read(String counter);

    /**
     * Changes a number, if its revision and value are as they were seen, and if the lock has not been taken since. Sent again, it
     * takes effect once at most, since it moves the revision.
     *
     * @param op names the operation
     * @return fails if certainly nothing was executed
     */
    CompletionStage<CasOutcome> change(String counter, Revised seen, long value, UUID op);

    /** Returns whether an operation made a revision. The revision must have been seen, or a later one. */
    CompletionStage<Evidence> evidence(String counter, long revision, UUID op);

    /**
     * Takes the lock from its last holder, if since it was seen nobody took it and the number was not changed. Sent again, it
     * takes effect once at most, since it moves the token.
     */
    CompletionStage<CasOutcome> lock(String counter, Revised seen, UUID holder);

    /** Gives the lock back, if the token is still the holder's. */
    CompletionStage<CasOutcome> unlock(String counter, long fence);
}
