package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.async.LookUps;
import dev.cassidy.definition.RowMark;
import dev.cassidy.table.TableWrites;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the row of an id that is drawn for it may be written plainly, at a time before every conditional write. That is
 * right if nothing was ever written to the row, and if nothing can bring the write back after a later one has removed the row.
 */
final class FreshInserts {

    /** For as long, by default, nodes keep writes for a node that is down. A deletion must not be forgotten before. */
    private static final Duration HINTS = Duration.ofHours(3);

    private final CqlSession session;
    private volatile @Nullable Marked marked;

    private final LookUps<UUID> looks;

    /** Whether a view of the schema has a marked table. */
    private record Marked(Metadata view, boolean any) {}

    FreshInserts(CqlSession session, LongSupplier nanoTime) {
        this.session = session;
        this.looks = new LookUps<>(nanoTime);
    }

    /**
     * Returns why a row must be inserted by IF NOT EXISTS; empty if it may be written plainly. Does no I/O.
     *
     * @param column whose value is drawn
     */
    Optional<String> refusal(TableWrites writes, String column) {
        TableMetadata table = table(writes.keyspace(), writes.table()).orElse(null);
        return Optional.ofNullable(
                writes.fresh() == null
                        ? "its sequence was not made with the table"
                        : table == null
                                        || !table.getId()
                                                .filter(writes.fresh()::equals)
                                                .isPresent()
                                ? "the table is not known to be the one that was made exact"
                                : refusal(table, CqlIdentifier.fromInternal(column)));
    }

    /**
     * Has the driver read the schema again, once a second for each table, if its view lacks a table that CREATE TABLE has made exact: another
     * session may have made it a moment ago, or the driver's metadata is switched off.
     */
    CompletionStage<Void> see(TableWrites writes) {
        UUID made = writes.fresh();
        if (made == null) {
            return CompletableFuture.completedFuture(null);
        }
        boolean known = table(writes.keyspace(), writes.table())
                .flatMap(TableMetadata::getId)
                .filter(made::equals)
                .isPresent();
        return known ? CompletableFuture.completedFuture(null) : looks.lookUp(made, session::refreshSchemaAsync);
    }

    /** Returns whether the driver's view of any table has {@link RowMark}. It is looked through once for each change of that view. */
    boolean isAnyMarked() {
        Metadata now = session.getMetadata();
        Marked known = marked;
        if (known == null || known.view() != now) {
            known = new Marked(now, isAnyMarked(now));
            marked = known;
        }
        return known.any();
    }

    private static boolean isAnyMarked(Metadata view) {
        CqlIdentifier mark = CqlIdentifier.fromInternal(RowMark.COLUMN);
        return view.getKeyspaces().values().stream()
                .flatMap(keyspace -> keyspace.getTables().values().stream())
                .anyMatch(table -> table.getColumn(mark).isPresent());
    }

    /** Returns whether a table has {@link RowMark}, or is not in the driver's view. */
    boolean mayBeMarked(String keyspace, String table) {
        return table(keyspace, table).isEmpty() || isMarked(keyspace, table);
    }

    /** Returns whether the driver's view of a table has {@link RowMark}. */
    boolean isMarked(String keyspace, String table) {
        return table(keyspace, table)
                .filter(found -> found.getColumn(CqlIdentifier.fromInternal(RowMark.COLUMN))
                        .isPresent())
                .isPresent();
    }

    private Optional<TableMetadata> table(String keyspace, String table) {
        return session.getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(keyspace))
                .flatMap(found -> found.getTable(CqlIdentifier.fromInternal(table)));
    }

    private static @Nullable String refusal(TableMetadata table, CqlIdentifier column) {
        if (table.getPartitionKey().stream().noneMatch(key -> key.getName().equals(column))) {
            // The deletion of a partition would hide rows that are inserted into it later.
            return "column " + column.asInternal() + " is not in the partition key";
        }
        for (ColumnMetadata each : table.getColumns().values()) {
            if (each.getType().equals(DataTypes.COUNTER)) {
                return "it has counters";
            }
        }
        Map<CqlIdentifier, Object> options = table.getOptions();
        if (number(options, "default_time_to_live") != 0) {
            return "its rows expire (default_time_to_live)";
        }
        if (number(options, "gc_grace_seconds") < HINTS.toSeconds()) {
            return "its deletions are forgotten (gc_grace_seconds) before nodes forget writes for a node that is down";
        }
        if (String.valueOf(options.get(CqlIdentifier.fromInternal("read_repair")))
                .equalsIgnoreCase("none")) {
            return "reads do not repair its rows (read_repair)";
        }
        return options.get(CqlIdentifier.fromInternal("compaction")) instanceof Map<?, ?> compaction
                        && String.valueOf(compaction.get("class")).endsWith("TimeWindowCompactionStrategy")
                ? "its rows are compacted by their time (TimeWindowCompactionStrategy)"
                : null;
    }

    private static long number(Map<CqlIdentifier, Object> options, String name) {
        return options.get(CqlIdentifier.fromInternal(name)) instanceof Number number ? number.longValue() : 0;
    }
}
