package dev.cassidy.jdbc.run;

import dev.cassidy.definition.Reservations;
import dev.cassidy.definition.UniqueKey;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.overlay.Overlay;
import dev.cassidy.jdbc.overlay.PendingRow;
import dev.cassidy.jdbc.overlay.RowImage;
import dev.cassidy.jdbc.overlay.UniqueValue;
import dev.cassidy.jdbc.overlay.UniqueValues;
import dev.cassidy.remedy.CommandLines;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.RowChange;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Keeps UNIQUE. Each value of a row has a reservation, which names the row: a row of an exact table beside. It changes in the
 * transaction that changes its row, so that both are there or none is, and two transactions cannot both make one.
 */
final class Uniques {

    private final ExactRows rows;

    Uniques(ExactRows rows) {
        this.rows = rows;
    }

    // ---- when a statement has run

    /**
     * Fails as SQL Server does if a row that a statement has written has a value that another row has. Whoever is about to take the
     * value meanwhile is met at the commit.
     *
     * @param mark of the overlay before the statement
     */
    void check(Overlay overlay, int mark) throws SQLException {
        for (Overlay.Changed row : overlay.changedSince(mark)) {
            RowImage now = row.now();
            if (now == null || row.table().uniques().isEmpty()) {
                continue;
            }
            List<UniqueValue> before =
                    row.before() == null ? List.of() : row.table().uniques().of(row.before());
            for (UniqueValue value : row.table().uniques().of(now)) {
                if (!before.contains(value) && isTaken(overlay, row, value)) {
                    throw duplicate(row.table().writes(), value.key(), now, "nothing was written");
                }
            }
        }
    }

    /** Fails if two of the rows that a transaction has written have one value. */
    void requireOneHolderEach(Overlay overlay) throws SQLException {
        for (Overlay.Keyed each : overlay.keyed()) {
            RowImage now = each.row().now();
            UniqueValues uniques =
                    overlay.table(each.row().writes(), rows::table).uniques();
            if (now == null || uniques.isEmpty()) {
                continue;
            }
            for (UniqueValue value : uniques.of(now)) {
                if (overlay.holders(value).size() > 1) {
                    throw duplicate(each.row().writes(), value.key(), now, "nothing was written");
                }
            }
        }
    }

    private boolean isTaken(Overlay overlay, Overlay.Changed row, UniqueValue value) throws SQLException {
        if (overlay.holders(value).size() > 1) {
            return true;
        }
        UniqueValues uniques = row.table().uniques();
        RowImage reservation = rows.standing(reservations(row.table().writes(), value.key()), List.of(value.bytes()));
        if (reservation == null) {
            return false;
        }
        List<Object> holder = row.table()
                .named(uniques.rowOf((ByteBuffer) Objects.requireNonNull(reservation.value(Reservations.ROW))));
        // This transaction may have deleted that row, or given it another value.
        return !holder.equals(row.key())
                && overlay.find(row.table().writes(), holder)
                        .map(PendingRow::isRead)
                        .orElse(true);
    }

    static SQLException duplicate(TableWrites table, UniqueKey key, RowImage row, String undone) {
        return SqlServerErrors.duplicateOf(
                key.shown(table.table()), key.isIndex(), table.name(), shown(key, row), undone);
    }

    private static String shown(UniqueKey key, RowImage row) {
        return key.columns().stream()
                .map(column -> row.value(column) == null ? "<NULL>" : String.valueOf(row.value(column)))
                .collect(Collectors.joining(", "));
    }

    /** Returns how the reservations of a table's values are written. */
    static TableWrites reservations(TableWrites table, UniqueKey key) {
        return new TableWrites(table.keyspace(), key.reservations().table(), table.home(), null, false);
    }

    // ---- at the commit

    /** What becomes of one reservation: the rows that have its value before and after. */
    private static final class Moved {
        private final boolean isComplete;

        /** One, unless rows had the value while their reservations were not complete. */
        private final List<ByteBuffer> from = new ArrayList<>();

        private @Nullable ByteBuffer to;

        Moved(boolean isComplete) {
            this.isComplete = isComplete;
        }
    }

    /** Returns the columns of a row that must be as they were: its values have decided about reservations. */
    static Set<String> relied(PendingRow row, Overlay.Table table) {
        Set<String> columns = table.uniques().columns();
        if (row.before() != null && row.now() != null && !row.replaced()) {
            boolean touched = row.assigned().stream().anyMatch(columns::contains);
            return touched ? columns : Set.of();
        }
        return row.before() == null ? Set.of() : columns;
    }

    /** Returns the reservations that go with the rows that were written. */
    List<RowChange> changes(Overlay overlay) throws SQLException {
        List<RowChange> changes = new ArrayList<>();
        Map<TableWrites, Map<ByteBuffer, Moved>> all = new LinkedHashMap<>();
        for (Overlay.Keyed each : overlay.keyed()) {
            UniqueValues uniques =
                    overlay.table(each.row().writes(), rows::table).uniques();
            if (uniques.isEmpty() || each.row().isNothing()) {
                continue;
            }
            ByteBuffer key = uniques.rowKey(each.key());
            RowImage before = each.row().before();
            RowImage now = each.row().now();
            List<UniqueValue> had = before == null ? List.of() : uniques.of(before);
            List<UniqueValue> has = now == null ? List.of() : uniques.of(now);
            for (UniqueValue value : had) {
                if (!has.contains(value)) {
                    moved(all, each.row().writes(), value).from.add(key);
                }
            }
            for (UniqueValue value : has) {
                if (!had.contains(value)) {
                    Moved moved = moved(all, each.row().writes(), value);
                    if (moved.to != null) {
                        throw new IllegalStateException("two rows have one value of " + value.key());
                    }
                    moved.to = key;
                }
            }
        }
        for (Map.Entry<TableWrites, Map<ByteBuffer, Moved>> table : all.entrySet()) {
            for (Map.Entry<ByteBuffer, Moved> each : table.getValue().entrySet()) {
                Moved moved = each.getValue();
                changes.add(
                        moved.isComplete || moved.from.isEmpty()
                                ? change(table.getKey(), each.getKey(), last(moved.from), moved.to)
                                : incomplete(table.getKey(), each.getKey(), moved));
            }
        }
        return changes;
    }

    private static @Nullable ByteBuffer last(List<ByteBuffer> keys) {
        return keys.isEmpty() ? null : keys.get(keys.size() - 1);
    }

    private static Moved moved(Map<TableWrites, Map<ByteBuffer, Moved>> all, TableWrites table, UniqueValue value) {
        return all.computeIfAbsent(reservations(table, value.key()), ignored -> new LinkedHashMap<>())
                .computeIfAbsent(
                        value.bytes(),
                        ignored -> new Moved(value.key().reservations().complete()));
    }

    /** While reservations are being made, of rows with the same value one has it, or none yet. */
    private RowChange incomplete(TableWrites table, ByteBuffer value, Moved moved) throws SQLException {
        ByteBuffer holder = holder(table, value);
        if (holder == null || moved.from.contains(holder)) {
            return change(table, value, holder == null ? last(moved.from) : holder, moved.to);
        }
        return moved.to != null
                // It is the other row's, which the commit says.
                ? change(table, value, null, moved.to)
                : new RowChange(
                        table,
                        Map.of(Reservations.VALUE, value),
                        1,
                        Map.of(Reservations.ROW, holder),
                        RowChange.Kind.CHECK,
                        Map.of());
    }

    private @Nullable ByteBuffer holder(TableWrites table, ByteBuffer value) throws SQLException {
        RowImage reservation = rows.standing(table, List.of(value));
        return reservation == null ? null : (ByteBuffer) reservation.value(Reservations.ROW);
    }

    private static RowChange change(
            TableWrites table, ByteBuffer value, @Nullable ByteBuffer from, @Nullable ByteBuffer to) {
        return new RowChange(
                table,
                Map.of(Reservations.VALUE, value),
                1,
                from == null ? Map.of() : Map.of(Reservations.ROW, from),
                from == null ? RowChange.Kind.INSERT : to == null ? RowChange.Kind.DELETE : RowChange.Kind.UPDATE,
                to == null ? Map.of() : Map.of(Reservations.ROW, to));
    }

    /**
     * A row as it was before the transaction, whose value nobody has reserved yet.
     *
     * @param columns those of the value
     * @param reservation what reserves it
     */
    record Unreserved(Overlay.Keyed row, List<String> columns, RowChange reservation) {}

    /**
     * Returns a row whose reservation the commit has missed, because not every row has one yet. It gets its own first: otherwise
     * whoever makes them could make it at the same moment, and it would be left without its row.
     */
    Optional<Unreserved> unreserved(Overlay overlay, RowChange missed) {
        for (Overlay.Keyed each : overlay.keyed()) {
            UniqueValues uniques =
                    overlay.table(each.row().writes(), rows::table).uniques();
            RowImage before = each.row().before();
            if (before == null || uniques.isEmpty()) {
                continue;
            }
            for (UniqueValue value : uniques.of(before)) {
                TableWrites table = reservations(each.row().writes(), value.key());
                if (!value.key().reservations().complete() && isOf(missed, value)) {
                    return Optional.of(new Unreserved(
                            each,
                            value.key().columns(),
                            change(table, value.bytes(), null, uniques.rowKey(each.key()))));
                }
            }
        }
        return Optional.empty();
    }

    /** Returns the error that a value was reserved by others, which the commit has met; empty if a row is no reservation. */
    Optional<SQLException> taken(Overlay overlay, RowChange reserved) {
        if (!Reservations.isOne(reserved.table().table())) {
            return Optional.empty();
        }
        for (Overlay.Keyed each : overlay.keyed()) {
            RowImage now = each.row().now();
            if (now == null) {
                continue;
            }
            for (UniqueValue value :
                    overlay.table(each.row().writes(), rows::table).uniques().of(now)) {
                if (isOf(reserved, value)) {
                    return Optional.of(duplicate(each.row().writes(), value.key(), now, "nothing was written"));
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the error that a row has a value that is not reserved for it: somebody has written past the driver, and no try ends
     * that. Empty if the row has moved, or its reservation is there now.
     *
     * @param missed the reservation that the commit has not found, or has found to be another row's
     */
    Optional<SQLException> unreserved(Overlay overlay, RowChange missed, CommandLines commands) throws SQLException {
        for (Overlay.Keyed each : overlay.keyed()) {
            TableWrites writes = each.row().writes();
            UniqueValues uniques = overlay.table(writes, rows::table).uniques();
            RowImage before = each.row().before();
            if (before == null || uniques.isEmpty()) {
                continue;
            }
            for (UniqueValue value : uniques.of(before)) {
                if (isOf(missed, value) && value.key().reservations().complete() && stands(each, value, uniques)) {
                    return Optional.of(unreserved(writes, value.key(), before, commands));
                }
            }
        }
        return Optional.empty();
    }

    private static boolean isOf(RowChange reservation, UniqueValue value) {
        return value.key().reservations().table().equals(reservation.table().table())
                && value.bytes().equals(reservation.key().get(Reservations.VALUE));
    }

    /** Row and reservation change together: a row that has the value between two looks that find none has it without one. */
    private boolean stands(Overlay.Keyed row, UniqueValue value, UniqueValues uniques) throws SQLException {
        TableWrites writes = row.row().writes();
        TableWrites reservations = reservations(writes, value.key());
        ByteBuffer key = uniques.rowKey(row.key());
        if (key.equals(holder(reservations, value.bytes()))) {
            return false;
        }
        RowImage now = rows.image(writes, row.key());
        return now != null && uniques.of(now).contains(value) && !key.equals(holder(reservations, value.bytes()));
    }

    private static SQLException unreserved(TableWrites table, UniqueKey key, RowImage row, CommandLines commands) {
        return new SQLNonTransientException(
                "Nothing was written: a row of table " + table.name()
                        + " has the value (" + shown(key, row) + ") of "
                        + (key.isIndex() ? "unique index '" : "UNIQUE KEY constraint '") + key.shown(table.table())
                        + "', which is not reserved for it. A client that does not know of it has written the row,"
                        + " or the tables were restored from different moments. "
                        + commands.tell(new Remedy.RebuildUnique(table.keyspace(), table.table())),
                SqlStates.GENERAL);
    }
}
