package dev.cassidy.table;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.async.Stages;
import dev.cassidy.cluster.Grants;
import dev.cassidy.lwt.CasOutcome;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.store.ChangeLog;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rows of a table of what was declared of the application's tables. As with identities, all are read once from the global
 * keyspace, and then those of which a change was announced; this datacenter's copy stands in while the global level does not
 * answer. Nothing is assumed before one of them has answered.
 *
 * <p>Each change of a row raises its revision by one, and is conditional on the revision before. So a change whose outcome
 * is unknown can be sent again, and of two copies the one with the higher revision is the later. No row is ever removed.
 *
 * <p>Safe for use by many threads; nothing blocks.
 *
 * @param <T> a row
 */
abstract class RevisedRows<T extends RevisedRows.Revised> {

    private static final Logger LOG = LoggerFactory.getLogger(RevisedRows.class);

    /** Of changes that others were in the way of. */
    private static final int MAX_TRIES = 20;

    /** A row. */
    interface Revised {

        /** Returns the values of the primary key: keyspace, table and what else it has. */
        List<Object> key();

        /** Returns the values of the other columns, of which the last is the revision. */
        List<Object> values();

        int revision();
    }

    /**
     * How the rows are stored.
     *
     * @param key the columns of the primary key, which begins with keyspace_name and table_name
     * @param values the other columns, of which the last is revision
     * @param unknown what may happen while none is known, for an error
     */
    record Layout(String table, List<String> key, List<String> values, String unknown) {

        String columns() {
            return String.join(", ", key) + ", " + String.join(", ", values);
        }

        String whereKey(int length) {
            return " WHERE " + String.join(" = ? AND ", key.subList(0, length)) + " = ?";
        }
    }

    private final ConditionalStatements global;
    private final ConditionalStatements local;
    private final String globalKeyspace;
    private final String localKeyspace;
    private final ChangeLog changes;
    private final Layout layout;

    /** The rows that were read, by key. Guarded by itself. */
    private final Map<List<Object>, T> rows = new HashMap<>();

    /** Whether it was said that the role may not write the copy. */
    private final AtomicBoolean warned = new AtomicBoolean();

    private volatile boolean wanted;

    /** Whether the global level or this datacenter's copy has answered. */
    private volatile boolean answered;

    private volatile boolean complete;
    private final AtomicReference<@Nullable CompletableFuture<Void>> loading = new AtomicReference<>();

    RevisedRows(
            ConditionalStatements global,
            ConditionalStatements local,
            String globalKeyspace,
            String localKeyspace,
            ChangeLog changes,
            Layout layout) {
        this.global = global;
        this.local = local;
        this.globalKeyspace = globalKeyspace;
        this.localKeyspace = localKeyspace;
        this.changes = changes;
        this.layout = layout;
    }

    /** Returns the row that the store has. */
    abstract T row(Row stored);

    /** Notes the rows that are known now; called with one thread at a time. */
    abstract void know(Collection<T> now);

    /**
     * Returns whether a change is of use only if the other processes hear of it in time. Otherwise its announcement is a
     * hint.
     */
    boolean mustBeTold() {
        return false;
    }

    static String text(Row row, String column) {
        return Objects.requireNonNull(row.getString(column), column);
    }

    /** Returns whether they were read; from now on they are wanted. */
    boolean isKnown() {
        if (!wanted) {
            wanted = true;
        }
        return answered;
    }

    /** Reads all of them; callers at the same time share one read. The stage fails if nothing has answered yet. */
    CompletionStage<Void> load() {
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
        return global.peek(ConsistencyLevel.QUORUM, select(globalKeyspace, ""))
                .handle((found, failure) -> {
                    if (failure == null) {
                        remember(found);
                        answered = true;
                        complete = true;
                        return CompletableFuture.<Void>completedFuture(null);
                    }
                    return local.peek(ConsistencyLevel.LOCAL_QUORUM, select(localKeyspace, ""))
                            .handle((copied, alsoHere) -> {
                                if (alsoHere == null) {
                                    remember(copied);
                                    answered = true;
                                } else if (!answered) {
                                    throw new SequenceException.Unavailable(
                                            layout.unknown + ": neither keyspace " + globalKeyspace + " nor "
                                                    + localKeyspace + " answers; try again",
                                            Stages.cause(failure));
                                }
                                return (Void) null;
                            });
                })
                .thenCompose(done -> done);
    }

    private String select(String keyspace, String where) {
        return "SELECT " + layout.columns() + " FROM " + keyspace + "." + layout.table + where;
    }

    /** Reads all of them once more, if they are wanted and the global level has not answered yet. The stage never fails. */
    CompletionStage<Void> loadAgain() {
        return complete ? done() : loadAnew();
    }

    /** Reads all of them once more, if they are wanted. The stage never fails. */
    CompletionStage<Void> loadAnew() {
        if (!wanted) {
            return done();
        }
        return load().exceptionally(failure -> {
            LOG.debug("{} cannot be read now", layout.table, failure);
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
        String where = layout.whereKey(2);
        return global.peek(ConsistencyLevel.QUORUM, select(globalKeyspace, where), keyspace, name)
                .handle((found, failure) -> failure == null
                        ? CompletableFuture.completedFuture(found).thenAccept(this::remember)
                        : local.peek(ConsistencyLevel.LOCAL_QUORUM, select(localKeyspace, where), keyspace, name)
                                .thenAccept(this::remember)
                                .thenCompose(read -> CompletableFuture.<Void>failedFuture(failure)))
                .thenCompose(done -> done);
    }

    private void remember(List<Row> found) {
        found.forEach(stored -> remember(row(stored)));
    }

    private void remember(T found) {
        synchronized (rows) {
            T before = rows.get(found.key());
            if (before == null || before.revision() < found.revision()) {
                rows.put(found.key(), found);
                know(Collections.unmodifiableCollection(rows.values()));
            }
        }
    }

    /** Reads all of them at a majority of the global keyspace's replicas, those that do not count any more included. */
    CompletionStage<List<T>> everywhere() {
        return global.peek(ConsistencyLevel.QUORUM, select(globalKeyspace, ""))
                .thenApply(found -> found.stream().map(this::row).toList());
    }

    /** Returns whether a datacenter's copy has a row, or a later revision of it; false also if it cannot be read. */
    CompletionStage<Boolean> isCopied(String keyspace, T row) {
        return global.peek(
                        ConsistencyLevel.QUORUM,
                        select(keyspace, layout.whereKey(row.key().size())),
                        row.key().toArray())
                .thenApply(found -> !found.isEmpty() && row(found.get(0)).revision() >= row.revision())
                .exceptionally(failure -> {
                    LOG.debug("{} of keyspace {} cannot be read now", layout.table, keyspace, failure);
                    return false;
                });
    }

    // ---- changes

    /** Decides what a row becomes. */
    interface Step<T> {

        /** Returns the next revision; empty if the row stays. */
        Optional<T> next(@Nullable T found);
    }

    /**
     * Changes a row in the global keyspace first, so that no two datacenters can disagree; then in this datacenter's.
     *
     * @return the row afterwards; null if there is none
     */
    CompletionStage<@Nullable T> change(List<Object> key, Step<T> step) {
        return settle(ChangeLog.Level.GLOBAL, key, step, MAX_TRIES)
                .thenCompose(now -> now == null
                        ? CompletableFuture.<@Nullable T>completedFuture(null)
                        : announce(ChangeLog.Level.GLOBAL, key)
                                .thenCompose(told -> copy(now))
                                .thenApply(copied -> {
                                    remember(now);
                                    return now;
                                }));
    }

    /** Returns a row after a step, which another process may have made; null if there is none. */
    private CompletionStage<@Nullable T> settle(ChangeLog.Level level, List<Object> key, Step<T> step, int tries) {
        boolean everywhere = level == ChangeLog.Level.GLOBAL;
        ConditionalStatements statements = everywhere ? global : local;
        String keyspace = everywhere ? globalKeyspace : localKeyspace;
        return statements
                .read(select(keyspace, layout.whereKey(key.size())), key.toArray())
                .thenCompose(found -> {
                    T before = found.isEmpty() ? null : row(found.get(0));
                    T after = step.next(before).orElse(null);
                    if (after == null) {
                        return CompletableFuture.<@Nullable T>completedFuture(before);
                    }
                    if (tries == 0) {
                        return CompletableFuture.failedFuture(new SequenceException.Unavailable("whether " + key
                                + " was changed in " + layout.table + " is not known; run it again, it does no harm"
                                + " twice"));
                    }
                    return statements
                            .execute(write(keyspace + "." + layout.table, before, after))
                            .thenCompose(outcome -> outcome instanceof CasOutcome.Applied
                                    ? CompletableFuture.<@Nullable T>completedFuture(after)
                                    : settle(level, key, step, tries - 1));
                });
    }

    private Cas write(String table, @Nullable T before, T after) {
        List<Object> values = new ArrayList<>();
        if (before == null) {
            values.addAll(after.key());
            values.addAll(after.values());
            String markers = String.join(", ", Collections.nCopies(values.size(), "?"));
            return new Cas(
                    "INSERT INTO " + table + " (" + layout.columns() + ") VALUES (" + markers + ") IF NOT EXISTS",
                    values);
        }
        values.addAll(after.values());
        values.addAll(after.key());
        values.add(before.revision());
        return new Cas(
                "UPDATE " + table + " SET " + String.join(" = ?, ", layout.values) + " = ?"
                        + layout.whereKey(layout.key.size()) + " IF revision = ?",
                values);
    }

    /** Brings this datacenter's copy up to a row's revision. */
    private CompletionStage<Void> copy(T row) {
        return settle(
                        ChangeLog.Level.DATACENTER,
                        row.key(),
                        found -> found != null && found.revision() >= row.revision()
                                ? Optional.empty()
                                : Optional.of(row),
                        MAX_TRIES)
                .thenCompose(copied -> announce(ChangeLog.Level.DATACENTER, row.key()));
    }

    private CompletionStage<Void> announce(ChangeLog.Level level, List<Object> key) {
        String table = key.get(0) + "." + key.get(1);
        return changes.announce(level, new ChangeLog.Change(ChangeLog.Kind.TABLE, table))
                .exceptionally(failure -> {
                    if (mustBeTold()) {
                        throw new SequenceException.Unavailable(
                                "the change of " + table + " in " + layout.table
                                        + " is stored, and processes could not be"
                                        + " told of it: run it again, which tells them",
                                Stages.cause(failure));
                    }
                    LOG.debug(
                            "a change of {} in {} could not be announced to level {}",
                            table,
                            layout.table,
                            level,
                            failure);
                    return null;
                });
    }

    /** Copies what this datacenter lacks, if they are wanted; for when the others are unreachable. Never fails. */
    CompletionStage<Void> copyFromGlobal() {
        return complete ? copyMissing() : done();
    }

    private CompletionStage<Void> copyMissing() {
        return local.peek(ConsistencyLevel.LOCAL_QUORUM, select(localKeyspace, ""))
                .thenCompose(here -> {
                    Map<List<Object>, Integer> revisions = new HashMap<>();
                    here.stream().map(this::row).forEach(row -> revisions.put(row.key(), row.revision()));
                    List<T> everywhere;
                    synchronized (rows) {
                        everywhere = List.copyOf(rows.values());
                    }
                    CompletionStage<Void> all = done();
                    for (T row : everywhere) {
                        if (revisions.getOrDefault(row.key(), 0) < row.revision()) {
                            all = all.thenCompose(before -> copy(row));
                        }
                    }
                    return all;
                })
                .exceptionally(failure -> {
                    Throwable cause = Stages.cause(failure);
                    if (!(cause instanceof UnauthorizedException refused) || !Grants.isMissing(refused)) {
                        LOG.debug("{} could not be copied now", layout.table, cause);
                    } else if (warned.compareAndSet(false, true)) {
                        LOG.warn(
                                "The rows of {} cannot be copied to keyspace {}, and are not known while this datacenter"
                                        + " is cut off from the others: {}",
                                layout.table,
                                localKeyspace,
                                Grants.message(refused));
                    }
                    return null;
                });
    }

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
