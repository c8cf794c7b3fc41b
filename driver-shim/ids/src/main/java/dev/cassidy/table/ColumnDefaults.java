package dev.cassidy.table;

import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.store.ChangeLog;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Stores which columns have a default, in the table {@code column_defaults}. Safe for use by many threads; nothing blocks. */
final class ColumnDefaults extends RevisedRows<ColumnDefaults.Stored> {

    private record TableName(String keyspace, String table) {}

    /** A row of the table. */
    record Stored(ColumnDefault given, int revision, boolean dropped) implements Revised {

        @Override
        public List<Object> key() {
            return List.of(given.keyspace(), given.table(), given.column());
        }

        @Override
        public List<Object> values() {
            return List.of(given.name(), given.kind().name(), given.value(), given.expression(), dropped, revision);
        }
    }

    /** Those that count, by table; replaced as a whole. */
    private volatile Map<TableName, List<ColumnDefault>> known = Map.of();

    private volatile long generation;

    ColumnDefaults(
            ConditionalStatements global,
            ConditionalStatements local,
            String globalKeyspace,
            String localKeyspace,
            ChangeLog changes) {
        super(
                global,
                local,
                globalKeyspace,
                localKeyspace,
                changes,
                new Layout(
                        "column_defaults",
                        List.of("keyspace_name", "table_name", "column_name"),
                        List.of("constraint_name", "kind", "value", "expression", "dropped", "revision"),
                        "which columns have defaults is not known yet, and a row could be stored without them"));
    }

    @Override
    Stored row(Row stored) {
        return new Stored(
                new ColumnDefault(
                        text(stored, "keyspace_name"),
                        text(stored, "table_name"),
                        text(stored, "column_name"),
                        text(stored, "constraint_name"),
                        ColumnDefault.Kind.valueOf(text(stored, "kind")),
                        text(stored, "value"),
                        text(stored, "expression")),
                stored.getInt("revision"),
                stored.getBoolean("dropped"));
    }

    // One thread at a time calls it.
    @SuppressWarnings("NonAtomicVolatileUpdate")
    @Override
    void know(Collection<Stored> now) {
        Map<TableName, List<ColumnDefault>> byTable = new HashMap<>();
        for (Stored row : now) {
            if (!row.dropped) {
                byTable.computeIfAbsent(
                                new TableName(row.given.keyspace(), row.given.table()), absent -> new ArrayList<>())
                        .add(row.given);
            }
        }
        // In an order of their own, so that equal defaults give equal statements.
        byTable.values().forEach(list -> list.sort(Comparator.comparing(ColumnDefault::column)));
        known = byTable;
        generation++;
    }

    /** Returns a number that grows with each change; to be read before what may have changed. */
    long generation() {
        return generation;
    }

    /** Returns the defaults of a table's columns; null if they are not known without a read. */
    @Nullable
    List<ColumnDefault> cached(String keyspace, String table) {
        if (!isKnown()) {
            return null;
        }
        Map<TableName, List<ColumnDefault>> now = known;
        return now.isEmpty() ? List.of() : now.getOrDefault(new TableName(keyspace, table), List.of());
    }

    /** As {@link #cached}, after the first read; the stage fails if nothing has answered yet. */
    CompletionStage<List<ColumnDefault>> find(String keyspace, String table) {
        List<ColumnDefault> found = cached(keyspace, table);
        return found != null
                ? CompletableFuture.completedFuture(found)
                : load().thenApply(read -> known.getOrDefault(new TableName(keyspace, table), List.of()));
    }

    CompletionStage<@Nullable Stored> register(ColumnDefault wanted) {
        return change(new Stored(wanted, 1, false).key(), found -> {
            if (found == null) {
                return Optional.of(new Stored(wanted, 1, false));
            }
            if (found.dropped) {
                return Optional.of(new Stored(wanted, found.revision + 1, false));
            }
            if (!found.given.equals(wanted)) {
                throw new SequenceException.Conflict("column " + wanted.column() + " of table " + wanted.keyspace()
                        + "." + wanted.table() + " has the default " + found.given.expression() + " already, as "
                        + found.given.name() + "; drop it first: ALTER TABLE " + wanted.table() + " DROP CONSTRAINT "
                        + found.given.name());
            }
            return Optional.empty();
        });
    }

    /** Drops a column's default; does nothing if it has none. A dropped default keeps its row. */
    CompletionStage<@Nullable Stored> drop(String keyspace, String table, String column) {
        return change(
                List.of(keyspace, table, column),
                found -> found == null || found.dropped
                        ? Optional.empty()
                        : Optional.of(new Stored(found.given, found.revision + 1, true)));
    }
}
