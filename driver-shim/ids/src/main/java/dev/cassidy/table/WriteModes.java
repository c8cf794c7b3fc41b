package dev.cassidy.table;

import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.store.ChangeLog;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Which tables are not written plainly. Safe for use by many threads; nothing blocks. */
final class WriteModes extends RevisedRows<WriteModes.Stored> {

    private record TableName(String keyspace, String table) {}

    /** A row of the table. */
    record Stored(TableWrites given, int revision) implements Revised {

        @Override
        public List<Object> key() {
            return List.of(given.keyspace(), given.table());
        }

        @Override
        public List<Object> values() {
            return List.of(given.mode().name(), given.version(), given.changing(), revision);
        }
    }

    private volatile Map<TableName, TableWrites> known = Map.of();

    WriteModes(
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
                        "table_writes",
                        List.of("keyspace_name", "table_name"),
                        List.of("mode", "version_column", "changing", "revision"),
                        "which tables are written under conditions is not known yet, and a plain write could be lost"));
    }

    @Override
    Stored row(Row stored) {
        return new Stored(
                new TableWrites(
                        text(stored, "keyspace_name"),
                        text(stored, "table_name"),
                        TableWrites.Mode.valueOf(text(stored, "mode")),
                        text(stored, "version_column"),
                        stored.getBoolean("changing")),
                stored.getInt("revision"));
    }

    @Override
    void know(Collection<Stored> now) {
        Map<TableName, TableWrites> byTable = new HashMap<>();
        now.forEach(row -> byTable.put(new TableName(row.given.keyspace(), row.given.table()), row.given));
        known = byTable;
    }

    /** The change waits for processes to learn of it, and they look at the table itself only every few hours. */
    @Override
    boolean mustBeTold() {
        return true;
    }

    /** Returns whether no table has another mode than PLAIN; false also if that is not known without a read. */
    boolean areNone() {
        return isKnown() && known.isEmpty();
    }

    /** Returns how a table is written; empty if nothing is declared of it. */
    CompletionStage<Optional<TableWrites>> find(String keyspace, String table) {
        TableName name = new TableName(keyspace, table);
        return isKnown()
                ? CompletableFuture.completedFuture(Optional.ofNullable(known.get(name)))
                : load().thenApply(read -> Optional.ofNullable(known.get(name)));
    }

    /** Begins a change: from now on, processes that learn of it write nothing to the table. */
    CompletionStage<Stored> begin(TableWrites wanted) {
        TableWrites changing =
                new TableWrites(wanted.keyspace(), wanted.table(), wanted.mode(), wanted.version(), true);
        return change(new Stored(changing, 1).key(), found -> {
                    if (found == null) {
                        return Optional.of(new Stored(changing, 1));
                    }
                    boolean same = found.given.mode() == wanted.mode()
                            && found.given.version().equals(wanted.version());
                    boolean plain = wanted.mode() == TableWrites.Mode.PLAIN;
                    if (plain || (found.given.changing() && !same)) {
                        throw new SequenceException.Conflict("table " + wanted.keyspace() + "." + wanted.table()
                                + (found.given.changing() ? " is about to be" : " is") + " written "
                                + found.given.mode()
                                + (plain
                                        ? ", and stays so: what was written under a condition has the servers' time, and a"
                                                + " plain write by a clock behind it would be lost in silence. Copy the rows"
                                                + " to another table"
                                        : "; complete that first, by the same command"));
                    }
                    return same ? Optional.empty() : Optional.of(new Stored(changing, found.revision + 1));
                })
                .thenApply(Objects::requireNonNull);
    }

    /** Completes a change that was begun. */
    CompletionStage<@Nullable Stored> complete(TableWrites begun) {
        TableWrites settled = new TableWrites(begun.keyspace(), begun.table(), begun.mode(), begun.version(), false);
        return change(
                new Stored(begun, 1).key(),
                found -> found == null || !found.given.equals(begun)
                        ? Optional.empty()
                        : Optional.of(new Stored(settled, found.revision + 1)));
    }
}
