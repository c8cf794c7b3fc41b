package dev.cassidy.transaction;

import dev.cassidy.definition.RowMark;
import dev.cassidy.transaction.CommitResult.Conflict;
import dev.cassidy.transaction.CommitResult.Reason;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a refused write has found of a row. */
record Found(RowChange row, Map<String, @Nullable ByteBuffer> columns) {

    /** Returns the lock that the row shows; null if it shows none. */
    @Nullable
    ByteBuffer lock() {
        ByteBuffer mark = columns.get(RowMark.COLUMN);
        return LockMark.isLock(mark) ? mark : null;
    }

    /** Returns why the transaction cannot be, if the row shows no lock; null if the row is as it was expected. */
    @Nullable
    Conflict conflict() {
        boolean isThere = LockMark.isFree(columns.get(RowMark.COLUMN));
        if (!row.kind().needsRow()) {
            return columns.isEmpty()
                    ? null
                    : new Conflict(row, Reason.EXISTS, "there is a row of this key: " + row.name());
        }
        if (!isThere) {
            return new Conflict(row, Reason.MISSING, "there is no such row, or it has no mark: " + row.name());
        }
        for (Map.Entry<String, @Nullable ByteBuffer> column : row.expected().entrySet()) {
            // A refusal shows every column of its condition.
            if (!Objects.equals(column.getValue(), columns.get(column.getKey()))) {
                return new Conflict(
                        row,
                        Reason.CHANGED,
                        column.getKey().equals(RowMark.COLUMN)
                                ? "another transaction has locked the row since it was read: " + row.name()
                                : "column " + column.getKey() + " has changed since it was read: " + row.name());
            }
        }
        return null;
    }
}
