package dev.cassidy.transaction;

import dev.cassidy.transaction.RowChange.Kind;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Writes the rows of a transaction whose record says COMMITTED. First the values, and the mark only when a majority has them: a reader that
 * asks for some columns makes the replicas agree on these alone, so a free mark that came with the values could spread without them.
 */
final class RowWriter {

    private final RowStore rows;

    RowWriter(RowStore rows) {
        this.rows = rows;
    }

    /** @param micros the write timestamp of the lock; of no matter for a fresh row */
    CompletionStage<Void> write(RowChange row, long micros) {
        if (row.kind() == Kind.CHECK) {
            return rows.free(row, micros);
        }
        CompletionStage<Void> written = rows.write(row, micros);
        return row.kind() == Kind.FRESH || row.kind() == Kind.DELETE
                ? written
                : written.thenCompose(done -> rows.free(row, micros));
    }

    /** Does the same for all rows at the same time. The stage ends when all have ended, and fails if one of them did. */
    static <T> CompletionStage<Void> all(List<T> all, Function<T, CompletionStage<?>> what) {
        return CompletableFuture.allOf(all.stream()
                .map(one -> attempt(() -> what.apply(one)).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new));
    }

    private static CompletionStage<?> attempt(Supplier<CompletionStage<?>> what) {
        try {
            return what.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
