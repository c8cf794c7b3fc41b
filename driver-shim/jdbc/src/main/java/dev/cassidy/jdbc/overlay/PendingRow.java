package dev.cassidy.jdbc.overlay;

import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import dev.cassidy.table.TableWrites;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One row that a transaction has written. Immutable.
 *
 * @param writes how its table is written
 * @param before the row as it was read; null if there was none
 * @param relied the columns whose values before have decided about a count or a new value; at the commit they must be the same
 * @param assigned the columns that were given values
 * @param replaced whether it was deleted, and inserted again
 * @param now the row as the transaction has it; null if that has deleted it
 * @param fresh the insert of a row whose id was drawn for it; null for every other row
 * @param changed whether {@code fresh} has other values than {@code now}
 */
public record PendingRow(
        TableWrites writes,
        @Nullable RowImage before,
        Set<String> relied,
        Set<String> assigned,
        boolean replaced,
        @Nullable RowImage now,
        @Nullable BatchableStatement<?> fresh,
        boolean changed) {

    public PendingRow {
        relied = Set.copyOf(relied);
        assigned = Set.copyOf(assigned);
    }

    /** A row whose id was drawn for it, so that nothing can be there. */
    public static PendingRow fresh(TableWrites writes, RowImage now, BatchableStatement<?> insert) {
        return new PendingRow(writes, null, Set.of(), Set.of(), false, now, insert, false);
    }

    /** A row that was read now; null if there was none. */
    public static PendingRow read(TableWrites writes, @Nullable RowImage before) {
        return new PendingRow(writes, before, Set.of(), Set.of(), false, before, null, false);
    }

    /** Returns the same with another insert of the same row, whose id was drawn for it. */
    PendingRow with(BatchableStatement<?> insert) {
        return new PendingRow(writes, before, relied, assigned, replaced, now, insert, changed);
    }

    /** A row that was read, and must be the same at the commit in all columns. */
    public static PendingRow checked(TableWrites writes, RowImage row, Set<String> columns) {
        return new PendingRow(writes, row, columns, Set.of(), false, row, null, false);
    }

    /** Returns whether it was read, and not written. */
    public boolean isRead() {
        return before != null && before.equals(now) && assigned.isEmpty() && !replaced;
    }

    /** Returns whether a row is as this one was in all columns that were relied on. */
    public boolean isAsBefore(RowImage row) {
        return before != null
                && relied.stream().allMatch(column -> {
                    Object one = before.value(column);
                    Object other = row.value(column);
                    return one == null || other == null ? one == other : CellOrder.isEqual(one, other);
                });
    }

    /** Returns whether the transaction leaves nothing of it: it was not there before, and is not there now. */
    public boolean isNothing() {
        return before == null && now == null;
    }

    /** Returns the same, inserted. */
    PendingRow inserted(RowImage row) {
        return new PendingRow(writes, before, relied, assigned, before != null, row, fresh, fresh != null);
    }

    /** Returns the same, deleted. */
    PendingRow deleted(Set<String> reliedOn) {
        return new PendingRow(writes, before, both(relied, reliedOn), assigned, replaced, null, fresh, fresh != null);
    }

    /** Returns the same, changed. */
    PendingRow changed(RowImage row, Set<String> columns, Set<String> reliedOn) {
        return new PendingRow(
                writes, before, both(relied, reliedOn), both(assigned, columns), replaced, row, fresh, fresh != null);
    }

    private static Set<String> both(Set<String> some, Set<String> others) {
        Set<String> all = new HashSet<>(some);
        all.addAll(others);
        return all;
    }
}
