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
 * @param changed when its state last changed, by the clocks of the nodes
 * @param rows how many rows it writes
 */
public record TransactionSummary(
        UUID id,
        State state,
        @Nullable String holder,
        @Nullable Instant created,
        Instant changed,
        int rows) {}
