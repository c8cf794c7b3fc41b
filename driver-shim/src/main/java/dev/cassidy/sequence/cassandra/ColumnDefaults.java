package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.async.Stages;
import dev.cassidy.cluster.Schema;
import dev.cassidy.lwt.CasOutcome;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.store.ChangeLog;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which columns have a default. As with identities, all are read once from the global keyspace, and then those of which a
 * change was announced; this datacenter's copy stands in while the global level does not answer. Nothing is assumed before
 * one of them has answered: a row would be stored without a value that it should have.
 *
 * <p>Each change of a row raises its revision by one, and is conditional on the revision before. So a change whose outcome
 * is unknown can be sent again, and of two copies the one with the higher revision is the later.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class ColumnDefaults {

    private static final Logger LOG = LoggerFactory.getLogger(ColumnDefaults.class);

    /** Of changes that others were in the way of. */
    private static final int MOST_TRIES = 20;

    private static final String COLUMNS =
            "keyspace_name, table_name, column_name, constraint_name, kind, value, expression, revision, dropped";
    private static final String BY_TABLE = " WHERE keyspace_name = ? AND table_name = ?";
    private static final String BY_COLUMN = BY_TABLE + " AND column_name = ?";

    private final ConditionalStatements global;
    private final ConditionalStatements local;
    private final String globalKeyspace;
    private final String localKeyspace;
    private final ChangeLog changes;
    private final IntSupplier schemaVersion;

    private record TableName(String keyspace, String table) {}

    private record ColumnName(TableName table, String column) {
        static ColumnName of(ColumnDefault given) {
            return new ColumnName(new TableName(given.keyspace(), given.table()), given.column());
        }
    }

    /** A row of the table. */
    private record Stored(ColumnDefault given, int revision, boolean dropped) {}

    /** The rows that were read, the dropped ones too. Guarded by itself. */
    private final Map<ColumnName, Stored> rows = new HashMap<>();

    /** Those that count, by table; replaced as a whole. */
    private volatile Map<TableName, List<ColumnDefault>> known = Map.of();

    private volatile long generation;
    private volatile boolean wanted;

    /** Whether the global level or this datacenter's copy has answered. */
    private volatile boolean answered;

    private volatile boolean complete;
    private final AtomicReference<@Nullable CompletableFuture<Void>> loading = new AtomicReference<>();

    ColumnDefaults(
            ConditionalStatements global,
            ConditionalStatements local,
            String globalKeyspace,
            String localKeyspace,
            ChangeLog changes,
            IntSupplier schemaVersion) {
        this.global = global;
        this.local = local;
        this.globalKeyspace = globalKeyspace;
        this.localKeyspace = localKeyspace;
        this.changes = changes;
        this.schemaVersion = schemaVersion;
    }

    /** Returns a number that grows with each change; to be read before what may have changed. */
    long generation() {
        return generation;
    }

    /** Returns the defaults of a table's columns; null if they are not known without a read. */
    @Nullable
    List<ColumnDefault> cached(String keyspace, String table) {
        if (!answered) {
            if (hasTable()) {
                return null;
            }
            wanted = true;
            return List.of();
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

    private boolean hasTable() {
        return schemaVersion.getAsInt() >= Schema.DEFAULTS;
    }

    /** Reads all of them; callers at the same time share one read. */
    private CompletionStage<Void> load() {
        wanted = true;
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> others = loading.compareAndExchange(null, mine);
        if (others != null) {
            return others;
        }
        read().whenComplete((done, failure) -> {
            loading.set(null);
            if (failure == null) {
                mine.complete(null);
            } else {
                mine.completeExceptionally(Stages.cause(failure));
            }
        });
        return mine;
    }

    private CompletionStage<Void> read() {
        String all = "SELECT " + COLUMNS + " FROM ";
        return global.peek(ConsistencyLevel.QUORUM, all + globalKeyspace + ".column_defaults")
                .handle((found, failure) -> {
                    if (failure == null) {
                        remember(found);
                        answered = true;
                        complete = true;
                        return CompletableFuture.<Void>completedFuture(null);
                    }
                    return local.peek(ConsistencyLevel.LOCAL_QUORUM, all + localKeyspace + ".column_defaults")
                            .handle((copied, alsoHere) -> {
                                if (alsoHere == null) {
                                    remember(copied);
                                    answered = true;
                                } else if (!answered) {
                                    throw new SequenceException.Unavailable(
                                            "which columns have defaults is not known yet, and a row could be stored"
                                                    + " without them: neither keyspace " + globalKeyspace + " nor "
                                                    + localKeyspace + " answers; try again",
                                            Stages.cause(failure));
                                }
                                return (Void) null;
                            });
                })
                .thenCompose(done -> done);
    }

    /** Reads all of them, if they are wanted and the global level has not answered yet. The stage never fails. */
    CompletionStage<Void> loadAgain() {
        return complete ? done() : loadAnew();
    }

    /** Reads all of them once more, if they are wanted. The stage never fails. */
    CompletionStage<Void> loadAnew() {
        if (!wanted || !hasTable()) {
            return done();
        }
        return load().exceptionally(failure -> {
            LOG.debug("the defaults of columns cannot be read now", failure);
            return null;
        });
    }

    /**
     * Reads those of a table whose change was announced.
     *
     * @param table as it was announced
     * @return a stage that fails if the global level did not answer; then this datacenter's copy was read, which may be older
     */
    CompletionStage<Void> changed(String table) {
        int dot = table.indexOf('.');
        String keyspace = table.substring(0, dot);
        String name = table.substring(dot + 1);
        String byTable = "SELECT " + COLUMNS + " FROM %s.column_defaults" + BY_TABLE;
        if (!hasTable()) {
            // When this process learns of the table, it reads all of it.
            return done();
        }
        return global.peek(ConsistencyLevel.QUORUM, String.format(byTable, globalKeyspace), keyspace, name)
                .handle((rows, failure) -> failure == null
                        ? CompletableFuture.completedFuture(rows).thenAccept(this::remember)
                        : local.peek(
                                        ConsistencyLevel.LOCAL_QUORUM,
                                        String.format(byTable, localKeyspace),
                                        keyspace,
                                        name)
                                .thenAccept(this::remember)
                                .thenCompose(read -> CompletableFuture.<Void>failedFuture(failure)))
                .thenCompose(done -> done);
    }

    private void remember(List<Row> found) {
        found.forEach(row -> remember(stored(row)));
    }

    private void remember(Stored found) {
        synchronized (rows) {
            Stored before = rows.get(ColumnName.of(found.given));
            if (before != null && before.revision >= found.revision) {
                return;
            }
            rows.put(ColumnName.of(found.given), found);
            Map<TableName, List<ColumnDefault>> now = new HashMap<>();
            rows.forEach((name, row) -> {
                if (!row.dropped) {
                    now.computeIfAbsent(name.table, absent -> new ArrayList<>()).add(row.given);
                }
            });
            // In an order of their own, so that equal defaults give equal statements.
            now.values().forEach(list -> list.sort(Comparator.comparing(ColumnDefault::column)));
            known = now;
            generation++;
        }
    }

    // ---- changes

    /** Registers in the global keyspace first, so that no two datacenters can disagree; then in this datacenter's. */
    CompletionStage<Void> register(ColumnDefault wanted) {
        requireTable();
        return change(ColumnName.of(wanted), found -> {
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

    /** Drops a column's default; does nothing if it has none. */
    CompletionStage<Void> drop(String keyspace, String table, String column) {
        requireTable();
        return change(
                new ColumnName(new TableName(keyspace, table), column),
                found -> found == null || found.dropped
                        ? Optional.empty()
                        : Optional.of(new Stored(found.given, found.revision + 1, true)));
    }

    private void requireTable() {
        if (!hasTable()) {
            throw new SequenceException.Conflict("Cassidy's keyspaces " + globalKeyspace + " and " + localKeyspace
                    + " are of schema " + schemaVersion.getAsInt() + ", and defaults of columns need schema "
                    + Schema.DEFAULTS + ": update all processes to this release, then run the migration tool's init");
        }
    }

    /** Decides what a row becomes. */
    private interface Step {

        /** Returns the next revision; empty if the row stays. */
        Optional<Stored> next(@Nullable Stored found);
    }

    private CompletionStage<Void> change(ColumnName name, Step step) {
        return settle(ChangeLog.Level.GLOBAL, name, step, MOST_TRIES)
                .thenCompose(now -> now == null
                        ? done()
                        : announce(ChangeLog.Level.GLOBAL, name)
                                .thenCompose(told -> copy(now))
                                .thenAccept(copied -> remember(now)));
    }

    /** Returns a row after a step, which another process may have made; null if there is none. */
    private CompletionStage<@Nullable Stored> settle(ChangeLog.Level level, ColumnName name, Step step, int tries) {
        boolean everywhere = level == ChangeLog.Level.GLOBAL;
        ConditionalStatements statements = everywhere ? global : local;
        String table = (everywhere ? globalKeyspace : localKeyspace) + ".column_defaults";
        return statements
                .read(
                        "SELECT " + COLUMNS + " FROM " + table + BY_COLUMN,
                        name.table.keyspace,
                        name.table.table,
                        name.column)
                .thenCompose(found -> {
                    Stored before = found.isEmpty() ? null : stored(found.get(0));
                    Stored after = step.next(before).orElse(null);
                    if (after == null) {
                        return CompletableFuture.<@Nullable Stored>completedFuture(before);
                    }
                    if (tries == 0) {
                        return CompletableFuture.failedFuture(new SequenceException.Unavailable("whether the default of"
                                + " column " + name.column + " of table " + name.table.keyspace + "." + name.table.table
                                + " was changed is not known; run it again, it does no harm twice"));
                    }
                    return statements
                            .execute(write(table, before, after))
                            .thenCompose(outcome -> outcome instanceof CasOutcome.Applied
                                    ? CompletableFuture.<@Nullable Stored>completedFuture(after)
                                    : settle(level, name, step, tries - 1));
                });
    }

    private static Cas write(String table, @Nullable Stored before, Stored after) {
        ColumnDefault given = after.given;
        if (before == null) {
            return new Cas(
                    "INSERT INTO " + table + " (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) IF NOT EXISTS",
                    given.keyspace(),
                    given.table(),
                    given.column(),
                    given.name(),
                    given.kind().name(),
                    given.value(),
                    given.expression(),
                    after.revision,
                    after.dropped);
        }
        return new Cas(
                "UPDATE " + table + " SET constraint_name = ?, kind = ?, value = ?, expression = ?, revision = ?,"
                        + " dropped = ?" + BY_COLUMN + " IF revision = ?",
                given.name(),
                given.kind().name(),
                given.value(),
                given.expression(),
                after.revision,
                after.dropped,
                given.keyspace(),
                given.table(),
                given.column(),
                before.revision);
    }

    /** Brings this datacenter's copy up to a row's revision. */
    private CompletionStage<Void> copy(Stored row) {
        ColumnName name = ColumnName.of(row.given);
        return settle(
                        ChangeLog.Level.DATACENTER,
                        name,
                        found -> found != null && found.revision >= row.revision ? Optional.empty() : Optional.of(row),
                        MOST_TRIES)
                .thenCompose(copied -> announce(ChangeLog.Level.DATACENTER, name));
    }

    private CompletionStage<Void> announce(ChangeLog.Level level, ColumnName name) {
        String table = name.table.keyspace + "." + name.table.table;
        return changes.announce(level, new ChangeLog.Change(ChangeLog.Kind.TABLE, table))
                .exceptionally(failure -> {
                    LOG.debug("the defaults of {} could not be announced to level {}", table, level, failure);
                    return null;
                });
    }

    /** Copies what this datacenter lacks, if they are wanted; for when the others are unreachable. Never fails. */
    CompletionStage<Void> copyFromGlobal() {
        return complete && hasTable() ? copyMissing() : done();
    }

    private CompletionStage<Void> copyMissing() {
        return local.peek(
                        ConsistencyLevel.LOCAL_QUORUM,
                        "SELECT " + COLUMNS + " FROM " + localKeyspace + ".column_defaults")
                .thenCompose(here -> {
                    Map<ColumnName, Integer> revisions = new HashMap<>();
                    here.stream()
                            .map(ColumnDefaults::stored)
                            .forEach(row -> revisions.put(ColumnName.of(row.given), row.revision));
                    List<Stored> everywhere;
                    synchronized (rows) {
                        everywhere = List.copyOf(rows.values());
                    }
                    CompletionStage<Void> all = done();
                    for (Stored row : everywhere) {
                        if (revisions.getOrDefault(ColumnName.of(row.given), 0) < row.revision) {
                            all = all.thenCompose(before -> copy(row));
                        }
                    }
                    return all;
                })
                .exceptionally(failure -> {
                    LOG.debug("defaults of columns could not be copied now", Stages.cause(failure));
                    return null;
                });
    }

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    private static Stored stored(Row row) {
        return new Stored(
                new ColumnDefault(
                        text(row, "keyspace_name"),
                        text(row, "table_name"),
                        text(row, "column_name"),
                        text(row, "constraint_name"),
                        ColumnDefault.Kind.valueOf(text(row, "kind")),
                        text(row, "value"),
                        text(row, "expression")),
                row.getInt("revision"),
                row.getBoolean("dropped"));
    }

    private static String text(Row row, String column) {
        return Objects.requireNonNull(row.getString(column), column);
    }
}
