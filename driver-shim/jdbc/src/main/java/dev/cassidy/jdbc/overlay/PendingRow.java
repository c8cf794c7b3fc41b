package dev.cassidy.jdbc.overlay;

import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import dev.cassidy.table.TableWrites;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One row that a transaction has written, or has read so that it must stay. Immutable.
 *
 * @param writes how its table is written
 * @param before the row as it was read; null if there was none
 * @param relied the columns whose values before have decided about a count or a new value; at the commit they must be the same
 * @param assigned the columns that were given values
 * @param replaced whether it was deleted, and inserted again
 * @param now the row as the transaction has it; null if that has deleted it
 * @param fresh the insert of a row whose id was drawn for it; null for every other row
 * @param changed whether {@code fresh} has other values than {@code now}
 * @param steps what was done to it, if that may be done again
 * @param shown whether something may depend on its values that is not done again: the application has seen them
 * @param held the row's mark when it was read under UPDLOCK: no other transaction may have held it until the commit. Otherwise null
 */
public record PendingRow(
        TableWrites writes,
        @Nullable RowImage before,
        Set<String> relied,
        Set<String> assigned,
        boolean replaced,
        @Nullable RowImage now,
        @Nullable BatchableStatement<?> fresh,
        boolean changed,
        List<Step> steps,
        boolean shown,
        @Nullable ByteBuffer held) {

    /** Of a row with more steps, they are not done again. */
    private static final int MAX_STEPS = 50;

    /**
     * A write of the row.
     *
     * @param found whether it found the row
     */
    public record Step(Write write, boolean found) {}

    public PendingRow {
        relied = Set.copyOf(relied);
        assigned = Set.copyOf(assigned);
        steps = List.copyOf(steps);
    }

    /** A row whose id was drawn for it, so that nothing can be there. */
    static PendingRow fresh(TableWrites writes, RowImage now, BatchableStatement<?> insert) {
        return new PendingRow(writes, null, Set.of(), Set.of(), false, now, insert, false, List.of(), true, null);
    }

    /** A row that was read now; null if there was none. */
    static PendingRow read(TableWrites writes, @Nullable RowImage before) {
        return new PendingRow(writes, before, Set.of(), Set.of(), false, before, null, false, List.of(), false, null);
    }

    /** A row that was read, and must be the same at the commit in all columns. */
    static PendingRow checked(TableWrites writes, RowImage row, Set<String> columns, @Nullable ByteBuffer held) {
        return new PendingRow(writes, row, columns, Set.of(), false, row, null, false, List.of(), true, held);
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
                    return CellOrder.isEqual(one, other);
                });
    }

    /** Returns whether the transaction leaves nothing of it: it was not there before, and is not there now. */
    public boolean isNothing() {
        return before == null && now == null;
    }

    /** Returns whether its writes may be done again on another version of the row: nobody has seen but their counts. */
    public boolean isReplayable() {
        return !shown && !steps.isEmpty();
    }

    // ---- changes

    /** Returns the same with another insert of the same row, whose id was drawn for it. */
    PendingRow with(BatchableStatement<?> insert) {
        return new PendingRow(writes, before, relied, assigned, replaced, now, insert, changed, steps, shown, held);
    }

    /** Returns the same, after the application has seen its values. */
    PendingRow seen() {
        return new PendingRow(writes, before, relied, assigned, replaced, now, fresh, changed, List.of(), true, held);
    }

    /** Returns the same, of which columns must be as they were before. */
    PendingRow relying(Set<String> columns) {
        Set<String> ofOthers = new HashSet<>(columns);
        ofOthers.removeAll(assigned);
        return new PendingRow(
                writes, before, both(relied, ofOthers), assigned, replaced, now, fresh, changed, List.of(), true, held);
    }

    /** Returns the same, which no other transaction may hold. */
    PendingRow holding(ByteBuffer mark) {
        return new PendingRow(writes, before, relied, assigned, replaced, now, fresh, changed, List.of(), true, mark);
    }

    /** Returns the same, inserted. */
    PendingRow inserted(RowImage row) {
        return new PendingRow(
                writes, before, relied, assigned, before != null, row, fresh, fresh != null, List.of(), true, held);
    }

    /** Returns the same, deleted. */
    PendingRow deleted(Write write, Set<String> reliedOn) {
        return after(new Step(write, true), reliedOn, Set.of(), null);
    }

    /** Returns the same, changed. */
    PendingRow changed(Write write, RowImage row, Set<String> columns, Set<String> reliedOn) {
        return after(new Step(write, true), reliedOn, columns, row);
    }

    /** Returns the same, not found by a write because of the values of columns. */
    PendingRow missed(Write write, Set<String> reliedOn) {
        return after(new Step(write, false), reliedOn, Set.of(), now);
    }

    private PendingRow after(Step step, Set<String> reliedOn, Set<String> columns, @Nullable RowImage then) {
        List<Step> all = new ArrayList<>(steps);
        all.add(step);
        boolean tooMany = shown || all.size() > MAX_STEPS;
        // What the transaction itself has given a column, nobody else changes.
        Set<String> ofOthers = new HashSet<>(reliedOn);
        ofOthers.removeAll(assigned);
        return new PendingRow(
                writes,
                before,
                both(relied, ofOthers),
                both(assigned, columns),
                replaced,
                then,
                fresh,
                changed || (fresh != null && step.found()),
                tooMany ? List.of() : all,
                tooMany,
                held);
    }

    private static Set<String> both(Set<String> some, Set<String> others) {
        Set<String> all = new HashSet<>(some);
        all.addAll(others);
        return all;
    }
}
