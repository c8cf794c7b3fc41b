package dev.cassidy.counter.store;

import java.math.BigInteger;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/**
 * The rows of counters, in the user's own table. A counter is a partition.
 *
 * <p>Nothing blocks. Unless a method says otherwise it reads and writes at a majority of the datacenter's replicas; a
 * write that fails may still have taken effect, or will, unless it fails with {@link NotExecuted} or {@link Rejected}.
 */
public interface CounterTable {

    /** A statement was certainly not executed. It may be sent again. */
    final class NotExecuted extends RuntimeException {
        private static final long serialVersionUID = 1;

        public NotExecuted(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** A statement was not executed, and never will be: because of what it is, or because of a missing right. */
    final class Rejected extends RuntimeException {
        private static final long serialVersionUID = 1;

        public Rejected(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** The table was emptied since what was to be written was read. Certainly nothing was written. */
    final class Emptied extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final UUID generation;

        /** @param generation what has begun since then */
        public Emptied(String message, UUID generation) {
            super(message);
            this.generation = generation;
        }

        /** Returns which generation of the table has begun since. */
        public UUID generation() {
            return generation;
        }
    }

    /** An actor has more rows than one page holds, and only one page is read at one moment. */
    final class TooManyRows extends RuntimeException {
        private static final long serialVersionUID = 1;

        public TooManyRows(String message) {
            super(message);
        }
    }

    /**
     * Writes an increment. It is the same row, and counts once, however often it is written. Increments of several counters
     * that are written at the same time may go together; if the others fail, this one may then fail with them.
     */
    CompletionStage<Void> write(String counter, String actor, long version, BigInteger increment);

    /**
     * Writes an increment once more after {@link #write} failed, or because a minority may have it; not together with others.
     *
     * @return fails with {@link Emptied}, too: it may have been told that the increment counts, which was deleted then
     */
    CompletionStage<Void> writeAgain(String counter, String actor, long version, BigInteger increment);

    /**
     * Reads all rows of one actor, as they were at one moment.
     *
     * @return fails with {@link TooManyRows} if they do not fit one page
     */
    CompletionStage<ActorRows> read(String counter, String actor);

    /** Reads all rows of one actor, a page at a time: other pages may be of other moments. */
    CompletionStage<ActorRows> readPages(String counter, String actor);

    /** Reads all rows of a counter, a page at a time: other pages may be of other moments. */
    CompletionStage<List<ActorRows>> readAll(String counter);

    /** Writes a fold, and deletes what is within, in one step. */
    CompletionStage<Void> fold(String counter, String actor, Fold fold);

    /** Writes what was settled, and deletes everything of its epochs, in one step. */
    CompletionStage<Void> settle(String counter, String actor, Settled settled);

    /** Returns whether a sum fits the table's column. */
    boolean fits(BigInteger sum);
}
