package dev.cassidy.transaction.cassandra;

import dev.cassidy.transaction.TransactionRecord.State;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What operators see of a transaction without its values.
 *
 * @param holder who began it
 * @param created when, by the clock of the process that began it
 * @param changed when its state last changed, by the clocks of the nodes; while it is pending, as {@code created}
 * @param rows how many rows it writes
 */
public record TransactionSummary(
        UUID id,
        State state,
        @Nullable String holder,
        @Nullable Instant created,
        Instant changed,
        int rows) {

    /** As the other, of one whose state has never changed. */
    public TransactionSummary(UUID id, State state, @Nullable String holder, @Nullable Instant created, int rows) {
        this(id, state, holder, created, created == null ? Instant.EPOCH : created, rows);
    }
}
