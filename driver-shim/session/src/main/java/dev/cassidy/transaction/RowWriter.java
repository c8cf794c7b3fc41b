package dev.cassidy.transaction;

import dev.cassidy.transaction.RowChange.Kind;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Writes the rows of a transaction whose record says COMMITTED, in two rounds. First all values, and no lock goes before a majority has all of
 * them. So while anything is missing, each row shows its lock, and whoever meets it writes the rest: also rows of drawn ids, which have no
 * lock. And a reader that asks for some columns makes the replicas agree on these alone: a free mark that came with the values could spread
 * without them.
 */
final class RowWriter {

    private static final int AT_ONCE = 64;

    private final RowStore rows;

    RowWriter(RowStore rows) {
        this.rows = rows;
    }

    /** @param micros each row, with the write timestamp of its lock; of no matter for a fresh row */
    CompletionStage<Void> write(Map<RowChange, Long> micros) {
        List<RowChange> all = List.copyOf(micros.keySet());
        return all(
                        all.stream().filter(row -> !endsByItself(row)).toList(),
                        row -> rows.write(row, micros.getOrDefault(row, 0L)))
                .thenCompose(written -> all(
                        all.stream().filter(row -> row.kind() != Kind.FRESH).toList(),
                        row -> row.kind() == Kind.DELETE
                                ? rows.write(row, micros.getOrDefault(row, 0L))
                                : rows.free(row, micros.getOrDefault(row, 0L))));
    }

    /** Whether nothing is written but the end of the lock. */
    private static boolean endsByItself(RowChange row) {
        return row.kind() == Kind.DELETE || row.kind() == Kind.CHECK;
    }

    /**
     * Does the same for all rows, for some at the same time: a connection takes no more than about a thousand requests. The stage ends when all
     * have ended, and fails if one of them did.
     */
    static <T> CompletionStage<Void> all(List<T> all, Function<T, CompletionStage<?>> what) {
        if (all.size() <= AT_ONCE) {
            return CompletableFuture.allOf(all.stream()
                    .map(one -> attempt(() -> what.apply(one)).toCompletableFuture())
                    .toArray(CompletableFuture<?>[]::new));
        }
        return all(all.subList(0, AT_ONCE), what)
                .handle((done, failure) -> all(all.subList(AT_ONCE, all.size()), what)
                        .thenCompose(rest -> failure == null
                                ? CompletableFuture.<Void>completedFuture(null)
                                : CompletableFuture.<Void>failedFuture(failure)))
                .thenCompose(stage -> stage);
    }

    private static CompletionStage<?> attempt(Supplier<CompletionStage<?>> what) {
        try {
            return what.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
