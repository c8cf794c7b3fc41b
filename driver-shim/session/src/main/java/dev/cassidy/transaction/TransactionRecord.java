package dev.cassidy.transaction;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/**
 * The record of a transaction, which says whether it is committed and what it writes. A majority has it before the first lock, and it is
 * removed when no row is held any more. So whoever meets a lock can end the transaction.
 *
 * @param id a random one
 * @param home the datacenter whose nodes decide; empty if those of all do
 * @param state whether it is committed
 * @param holder who began it, for operators
 * @param created when, by the clock of the process that began it; it decides when others take a pending one for abandoned, and nothing else
 * @param changes all rows; a record that was read does not have what they {@linkplain RowChange#expected expected}
 */
public record TransactionRecord(
        UUID id, String home, State state, String holder, Instant created, List<RowChange> changes) {

    /**
     * How long the record of an aborted transaction whose process has ended stays at least: for those who ask how it ended. Once it is gone,
     * it looks as that of a committed one, which is removed when its rows are written.
     */
    public static final Duration KEPT = Duration.ofDays(10);

    /** How far a transaction is. PENDING becomes one of the others, once, by a compare-and-set. */
    public enum State {
        /** Neither committed nor aborted: no row shows its values. */
        PENDING,
        /** Committed: its values count, and whoever meets one of its locks writes them. */
        COMMITTED,
        /** Nothing of it was written, and nothing will be. */
        ABORTED
    }

    public TransactionRecord {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(home, "home");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(holder, "holder");
        Objects.requireNonNull(created, "created");
        changes = List.copyOf(changes);
    }

    /** Returns the mark with which it holds a row. */
    public LockMark mark(RowChange row) {
        return new LockMark(id, row.kind() == RowChange.Kind.INSERT);
    }
}
