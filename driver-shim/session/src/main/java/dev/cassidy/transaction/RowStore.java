package dev.cassidy.transaction;

import dev.cassidy.table.TableWrites;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The rows of exact tables, as the protocol changes them: at the level of each table's contract. A stage fails only if certainly nothing
 * was done, but for {@link #write} and {@link #free}. Rows that a refusal shows are columns with their values: an empty map is a row
 * that is missing. Safe for use by many threads; nothing blocks.
 */
public interface RowStore {

    /**
     * Returns the changes as they are to be committed: with the ids of their tables, as far as they are known.
     *
     * @throws RuntimeException if one of the tables cannot take part in a transaction
     */
    default List<RowChange> admitted(List<RowChange> changes) {
        return changes;
    }

    /**
     * Makes all changes, to rows of one partition, under one condition; none is {@link RowChange.Kind#FRESH}.
     *
     * @return refused with what was found of each change's row, in the order of the changes
     */
    CompletionStage<WriteOutcome<List<Map<String, @Nullable ByteBuffer>>>> together(List<RowChange> rows);

    /** Writes rows that are all {@link RowChange.Kind#FRESH}: all or none of them, in the end. */
    CompletionStage<WriteOutcome<Void>> fresh(List<RowChange> rows);

    /**
     * Sets a row's mark if the row is free and as expected; for {@link RowChange.Kind#INSERT}, if there is no row.
     *
     * @return refused with the row
     */
    CompletionStage<WriteOutcome<Map<String, @Nullable ByteBuffer>>> lock(RowChange row, LockMark mark);

    /**
     * Takes a lock away if it is there: of a row, which stays as it was; or of a placeholder, which is deleted. Of a table that is gone, it is
     * not.
     */
    CompletionStage<WriteOutcome<Map<String, @Nullable ByteBuffer>>> release(
            TableWrites table, Map<String, ByteBuffer> key, LockMark mark);

    /**
     * Reads a row's mark at a majority. The replicas that are asked agree on it afterwards, and on a deletion of the row. A
     * table that is gone has no rows.
     */
    CompletionStage<HeldRow> read(TableWrites table, Map<String, ByteBuffer> key);

    /**
     * Writes the row of a committed transaction, at a majority, without a condition: its values, or its deletion. The mark stays as it is,
     * except that a deletion takes it along, and {@link RowChange.Kind#FRESH} writes a free one. What belongs to a table or a column that is
     * gone is left out. May be repeated.
     *
     * @param micros the write timestamp; not for FRESH, which has its own
     */
    CompletionStage<Void> write(RowChange row, long micros);

    /** Sets a row's mark to free, at the lock's write timestamp, at a majority, without a condition, if its table is still there. May be repeated. */
    CompletionStage<Void> free(RowChange row, long micros);

    /** Returns whether a failure says that this process has no right to do what it tried. */
    default boolean isMissingRight(Throwable failure) {
        return false;
    }

    /**
     * Proves that what a transaction {@linkplain RowChange#addition adds} can be written, before anything is locked: once it is committed, its
     * rows would stay locked until somebody can.
     *
     * @return a stage that fails if this process may not
     */
    default CompletionStage<?> proveAdditions(List<RowChange> rows) {
        return CompletableFuture.completedFuture(rows);
    }

    /**
     * Returns whether {@link #fresh} can write all of these: not if they need the rights of two roles, or the majorities of two
     * datacenters.
     */
    default boolean isOneWrite(List<RowChange> rows) {
        return true;
    }

    /** Returns whether a failure of {@link #together} or {@link #fresh} says that they were too much for one write. */
    default boolean isTooLarge(Throwable failure) {
        return false;
    }
}
