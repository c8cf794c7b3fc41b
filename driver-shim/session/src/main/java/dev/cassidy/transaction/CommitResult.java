package dev.cassidy.transaction;

import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** How a commit ended. There are only these three: a commit that certainly wrote nothing, by an error, is a failure of the stage. */
public sealed interface CommitResult {

    /**
     * All rows are written, or will be.
     *
     * @param id of the transaction's record; null if it needed none
     * @param complete whether all rows are known to be written. If not, whoever meets one of its locks writes them; rows of drawn ids show
     *     only then
     * @param micros the write timestamp of each row's lock, which is in the mark that it leaves: {@link LockMark#free(long)}. Not of rows
     *     without a lock
     */
    record Committed(@Nullable UUID id, boolean complete, Map<RowChange, Long> micros) implements CommitResult {

        public Committed {
            micros = Map.copyOf(micros);
        }

        public Committed(@Nullable UUID id, boolean complete) {
            this(id, complete, Map.of());
        }
    }

    /**
     * Nothing was written, because of others.
     *
     * @param row the row that was not as expected; the first one if {@code reason} is {@link Reason#ABORTED}
     * @param reason what was found
     * @param why the same for messages
     * @param id of the transaction, which may have locked rows before it was aborted. They have the mark {@link LockMark#free(UUID)} of it
     *     afterwards. Null if it has locked none
     */
    record Conflict(
            RowChange row,
            Reason reason,
            String why,
            @Nullable UUID id) implements CommitResult {

        Conflict(RowChange row, Reason reason, String why) {
            this(row, reason, why, null);
        }

        /** Returns the same, of a transaction that may have locked rows. */
        Conflict of(UUID transaction) {
            return new Conflict(row, reason, why, transaction);
        }

        static Conflict held(RowChange row, int times) {
            return new Conflict(
                    row,
                    Reason.HELD,
                    "other transactions held the row, " + times + " one after the other: " + row.name());
        }

        /** @param row the one that was next */
        static Conflict late(RowChange row) {
            return new Conflict(
                    row,
                    Reason.LATE,
                    "the time for its commit was over before all of its rows were locked, the next of which is: "
                            + row.name());
        }
    }

    /** Why a transaction was refused. */
    enum Reason {
        /** There is a row of the key that was inserted. */
        EXISTS,
        /** There is no row, or it has no mark. */
        MISSING,
        /** A column has another value than was expected. */
        CHANGED,
        /** Other transactions held the row, one after the other. */
        HELD,
        /** Another writer waited for a row of this transaction, and aborted it. */
        ABORTED,
        /** The caller's {@link Deadline} was over before the commit was sent. */
        LATE
    }

    /**
     * It is committed or not, and nobody knows yet.
     *
     * @param id of the record, which will tell; null if there is none
     * @param cause why it is not known
     */
    record InDoubt(@Nullable UUID id, Throwable cause) implements CommitResult {}
}
