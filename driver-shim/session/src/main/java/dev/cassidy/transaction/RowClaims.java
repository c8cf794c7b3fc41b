package dev.cassidy.transaction;

import dev.cassidy.definition.RowMark;
import dev.cassidy.table.TableWrites;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Sets claims, by which transactions hold rows that they read under UPDLOCK, and takes them back. Safe for use by many threads; nothing blocks. */
public final class RowClaims {

    private final Marks marks;
    private final LockResolver resolver;
    private final Supplier<UUID> ids;

    /** The marks of rows. */
    @FunctionalInterface
    public interface Marks {

        /**
         * Gives a row another mark if it has the one that is expected. A row that is not there has none.
         *
         * @param key in the order of the primary key
         * @return refused with the row
         */
        CompletionStage<WriteOutcome<Map<String, @Nullable ByteBuffer>>> mark(
                TableWrites table, Map<String, ByteBuffer> key, ByteBuffer expected, ByteBuffer mark);
    }

    /** @param ids gives random ids */
    public RowClaims(Marks marks, LockResolver resolver, Supplier<UUID> ids) {
        this.marks = marks;
        this.resolver = resolver;
        this.ids = ids;
    }

    /**
     * Claims a row.
     *
     * @param key in the order of the primary key
     * @param mark the free mark that the row was read with; also the claim of another transaction, which loses the row then
     * @param claim one that no row has had
     */
    public RowClaim claim(
            TableWrites table, Map<String, ByteBuffer> key, int partitionColumns, ByteBuffer mark, ByteBuffer claim) {
        return new RowClaim(
                table,
                key,
                partitionColumns,
                mark,
                claim,
                marks.mark(table, key, mark, claim)
                        .thenApply(outcome -> outcome.then(
                                () -> Optional.of(true),
                                found -> Optional.of(isThere(claim, found)),
                                e -> Optional.empty())));
    }

    /** A coordinator whose proposal others have finished looks at its condition once more, and then finds what it has written itself. */
    private static boolean isThere(ByteBuffer claim, Map<String, @Nullable ByteBuffer> found) {
        return claim.equals(found.get(RowMark.COLUMN));
    }

    /**
     * Takes claims back, also those that are under way, of a transaction that has ended. What cannot be taken back, others do without after
     * a while.
     *
     * @return a stage that completes when that is done, or after a second, and does not fail
     */
    public CompletionStage<Void> unclaim(List<RowClaim> claims) {
        Map<List<Object>, List<RowClaim>> partitions = new LinkedHashMap<>();
        claims.forEach(claim -> partitions
                .computeIfAbsent(claim.partition(), first -> new ArrayList<>())
                .add(claim));
        return resolver.orSoon(CompletableFuture.allOf(partitions.values().stream()
                .map(partition -> unclaimInTurn(partition, 0).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new)));
    }

    /** One after the other: conditional statements of one partition, sent at once, make each other start again. */
    private CompletionStage<Void> unclaimInTurn(List<RowClaim> partition, int next) {
        if (next == partition.size()) {
            return CompletableFuture.completedFuture(null);
        }
        RowClaim claim = partition.get(next);
        return claim.outcome()
                .handle((known, failure) ->
                        marks.mark(claim.table(), claim.key(), claim.mark(), LockMark.free(ids.get())))
                .thenCompose(sent -> sent)
                .handle((done, failure) -> unclaimInTurn(partition, next + 1))
                .thenCompose(rest -> rest);
    }
}
