package dev.cassidy.table;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.async.Stages;
import dev.cassidy.cluster.Grants;
import dev.cassidy.cluster.SaidOnce;
import dev.cassidy.lwt.CasOutcome;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.store.ChangeLog;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which columns are identities. All registrations are read once from the global keyspace, which lacks none; after that,
 * those of which a change was announced. So a table that is not among them costs no read. If the global level does not
 * answer, this datacenter's copy is used, and this class says that some may be missing.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class IdentityColumns {

    private static final Logger LOG = LoggerFactory.getLogger(IdentityColumns.class);

    /** Every running process looks at everything within less time. */
    private static final Duration LONGEST_UNNOTICED = Duration.ofHours(12);

    /** How far the clocks of the cluster's nodes may differ. */
    private static final Duration OVERLAP = Duration.ofMinutes(1);

    private static final String COLUMNS = "keyspace_name, table_name, column_name, sequence";

    private final ConditionalStatements global;
    private final ConditionalStatements local;
    private final String globalKeyspace;
    private final String localKeyspace;
    private final ChangeLog changes;
    private final String cluster;
    private final ConcurrentMap<TableName, IdentityColumn> known = new ConcurrentHashMap<>();
    private final LookUps<TableName> lookUps;
    private final AtomicReference<@Nullable CompletableFuture<Void>> loading = new AtomicReference<>();

    /** Why registrations may be missing; null once the global level has answered. */
    private final AtomicReference<@Nullable Throwable> incomplete =
            new AtomicReference<>(new IllegalStateException("not read yet"));

    /** Completes when the global level has answered for the first time. */
    private final CompletableFuture<Void> completed = new CompletableFuture<>();

    private record TableName(String keyspace, String table) {}

    IdentityColumns(
            ConditionalStatements global,
            ConditionalStatements local,
            String globalKeyspace,
            String localKeyspace,
            ChangeLog changes,
            String cluster,
            LongSupplier nanoTime) {
        this.global = global;
        this.local = local;
        this.globalKeyspace = globalKeyspace;
        this.localKeyspace = localKeyspace;
        this.changes = changes;
        this.cluster = cluster;
        this.lookUps = new LookUps<>(nanoTime);
    }

    Optional<IdentityColumn> cached(String keyspace, String table) {
        return Optional.ofNullable(known.get(new TableName(keyspace, table)));
    }

    /** Returns why a table that is not known may be registered all the same; empty if all registrations are known. */
    Optional<Throwable> incomplete() {
        return Optional.ofNullable(incomplete.get());
    }

    /** Completes once all of them are known; it never fails. */
    CompletionStage<Void> completed() {
        return completed.copy();
    }

    CompletionStage<Optional<IdentityColumn>> find(String keyspace, String table) {
        TableName name = new TableName(keyspace, table);
        IdentityColumn column = known.get(name);
        return column != null
                ? CompletableFuture.completedFuture(Optional.of(column))
                : load().thenApply(loaded -> Optional.ofNullable(known.get(name)));
    }

    /** Reads all of them; a later caller shares the end of the first one's read. The stage never fails. */
    CompletionStage<Void> load() {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> others = loading.compareAndExchange(null, mine);
        if (others != null) {
            return others;
        }
        read().whenComplete((done, never) -> mine.complete(null));
        return mine;
    }

    /** Reads all of them once more, if they are wanted and the global level has not answered yet. The stage never fails. */
    CompletionStage<Void> loadAgain() {
        return incomplete.get() == null ? done() : loadAnew();
    }

    /** Reads all of them once more, if they are wanted. The stage never fails. */
    CompletionStage<Void> loadAnew() {
        CompletableFuture<Void> before = loading.get();
        boolean wanted = before != null && before.isDone();
        return wanted ? read() : done();
    }

    private CompletionStage<Void> read() {
        return all(global, ConsistencyLevel.QUORUM, globalKeyspace)
                .handle((columns, failure) -> {
                    if (failure == null) {
                        columns.forEach(this::remember);
                        incomplete.set(null);
                        completed.complete(null);
                        return CompletableFuture.<Void>completedFuture(null);
                    }
                    // A complete set stays complete: later registrations are announced.
                    Throwable cause = Stages.cause(failure);
                    incomplete.updateAndGet(before -> before == null ? null : cause);
                    return readCopy();
                })
                .thenCompose(done -> done);
    }

    private CompletionStage<Void> readCopy() {
        return all(local, ConsistencyLevel.LOCAL_QUORUM, localKeyspace).handle((columns, failure) -> {
            if (failure == null) {
                columns.forEach(this::remember);
            } else {
                LOG.debug("the identity columns of this datacenter cannot be read now", failure);
            }
            return null;
        });
    }

    private void remember(IdentityColumn column) {
        known.put(new TableName(column.keyspace(), column.table()), column);
    }

    /**
     * Reads one registration whose change was announced.
     *
     * @param table as it was announced
     * @return a stage that fails if the global level did not answer; then this datacenter's copy was read, which may lack it
     */
    CompletionStage<Void> changed(String table) {
        int dot = table.indexOf('.');
        String keyspace = table.substring(0, dot);
        String name = table.substring(dot + 1);
        return global.peek(ConsistencyLevel.QUORUM, byTable(globalKeyspace), keyspace, name)
                .handle((rows, failure) -> failure == null
                        ? CompletableFuture.completedFuture(rows).thenAccept(this::rememberAll)
                        : local.peek(ConsistencyLevel.LOCAL_QUORUM, byTable(localKeyspace), keyspace, name)
                                .thenAccept(this::rememberAll)
                                .thenCompose(read -> CompletableFuture.<Void>failedFuture(failure)))
                .thenCompose(done -> done);
    }

    private void rememberAll(List<Row> rows) {
        rows.stream().map(IdentityColumns::column).forEach(this::remember);
    }

    /** Looks up a table that is not known, whatever was read before: at most once a second for each table. */
    CompletionStage<Optional<IdentityColumn>> findAnew(String keyspace, String table) {
        TableName name = new TableName(keyspace, table);
        if (known.containsKey(name) || !lookUps.begin(name)) {
            return CompletableFuture.completedFuture(cached(keyspace, table));
        }
        return changed(keyspace + "." + table).handle((done, failure) -> cached(keyspace, table));
    }

    /** Reads those of all datacenters. */
    CompletionStage<List<IdentityColumn>> everywhere() {
        return all(global, ConsistencyLevel.QUORUM, globalKeyspace);
    }

    CompletionStage<List<IdentityColumn>> all() {
        return all(local, ConsistencyLevel.LOCAL_QUORUM, localKeyspace);
    }

    private static CompletionStage<List<IdentityColumn>> all(
            ConditionalStatements level, ConsistencyLevel consistency, String keyspace) {
        return level.peek(consistency, "SELECT " + COLUMNS + " FROM " + keyspace + ".identity_columns")
                .thenApply(rows -> rows.stream().map(IdentityColumns::column).toList());
    }

    /** Registers in the global keyspace first, so that no two datacenters can disagree; then in this datacenter's. */
    CompletionStage<Void> register(IdentityColumn column) {
        return insert(ChangeLog.Level.GLOBAL, column)
                .thenCompose(fresh -> fresh ? announce(ChangeLog.Level.GLOBAL, column) : done())
                .thenCompose(told -> insert(ChangeLog.Level.DATACENTER, column))
                .thenCompose(fresh -> fresh ? announce(ChangeLog.Level.DATACENTER, column) : done())
                .thenAccept(told -> remember(column));
    }

    private CompletionStage<Void> announce(ChangeLog.Level level, IdentityColumn column) {
        return changes.announce(level, change(column)).exceptionally(failure -> {
            LOG.debug("the registration of {} could not be announced to level {}", column, level, failure);
            return null;
        });
    }

    private static ChangeLog.Change change(IdentityColumn column) {
        return new ChangeLog.Change(ChangeLog.Kind.TABLE, column.keyspace() + "." + column.table());
    }

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    /** Copies what this datacenter lacks, if they are wanted; for when the others are unreachable. Never fails. */
    CompletionStage<Void> copyFromGlobal() {
        CompletableFuture<Void> loaded = loading.get();
        return loaded == null ? done() : loaded.thenCompose(read -> incomplete.get() != null ? done() : copyMissing());
    }

    private CompletionStage<Void> copyMissing() {
        return all().thenCompose(here -> {
            Set<IdentityColumn> copied = new HashSet<>(here);
            CompletionStage<Void> all = done();
            for (IdentityColumn column : known.values()) {
                if (!copied.contains(column)) {
                    all = all.thenCompose(before -> insert(ChangeLog.Level.DATACENTER, column))
                            .thenCompose(fresh -> fresh ? announce(ChangeLog.Level.DATACENTER, column) : done());
                }
            }
            return all.exceptionally(failure -> {
                Throwable cause = Stages.cause(failure);
                if (cause instanceof UnauthorizedException refused
                        && Grants.isMissing(refused)
                        && SaidOnce.INSTANCE.first(cluster, "identity copy")) {
                    LOG.warn(
                            "The registrations of identity columns cannot be copied to keyspace {}, and are not known"
                                    + " while this datacenter is cut off from the others: {}",
                            localKeyspace,
                            Grants.message(refused));
                } else {
                    LOG.debug("registrations of identity columns could not be copied now", cause);
                }
                return null;
            });
        });
    }

    /** Returns whether to announce it: this call inserted it, or another process did that may not have announced it. */
    private CompletionStage<Boolean> insert(ChangeLog.Level within, IdentityColumn column) {
        boolean everywhere = within == ChangeLog.Level.GLOBAL;
        ConditionalStatements level = everywhere ? global : local;
        String keyspace = everywhere ? globalKeyspace : localKeyspace;
        return level.execute(new Cas(
                        "INSERT INTO " + keyspace + ".identity_columns (" + COLUMNS
                                + ") VALUES (?, ?, ?, ?) IF NOT EXISTS",
                        column.keyspace(),
                        column.table(),
                        column.column(),
                        column.sequence()))
                .thenCompose(outcome -> outcome instanceof CasOutcome.Applied
                        ? CompletableFuture.completedFuture(true)
                        : level.read(registered(keyspace), column.keyspace(), column.table())
                                .thenCompose(rows -> {
                                    requireSame(column, rows);
                                    // If it is not known which process inserted it, it is announced once more.
                                    return outcome instanceof CasOutcome.Unknown
                                            ? CompletableFuture.completedFuture(true)
                                            : isUnannounced(within, column, rows.get(0));
                                }));
    }

    /** Whether the process that inserted it not long ago has not announced it: it may have crashed in between. */
    private CompletionStage<Boolean> isUnannounced(ChangeLog.Level level, IdentityColumn column, Row row) {
        Instant written = Instant.ofEpochMilli(TimeUnit.MICROSECONDS.toMillis(row.getLong("written")));
        // Processes that did not learn of it look at everything within this time.
        if (written.isBefore(Instant.ofEpochMilli(row.getLong("now_ms")).minus(LONGEST_UNNOTICED))) {
            return CompletableFuture.completedFuture(false);
        }
        ChangeLog.Change change = change(column);
        return changes.since(level, written.minus(OVERLAP))
                .handle((entries, failure) -> failure == null
                        && entries.stream().noneMatch(entry -> entry.change().equals(change)));
    }

    private static void requireSame(IdentityColumn wanted, List<Row> rows) {
        IdentityColumn found = rows.stream()
                .map(IdentityColumns::column)
                .findFirst()
                .orElseThrow(() -> new SequenceException.Unavailable("whether " + wanted.keyspace() + "."
                        + wanted.table() + " was registered is not known; run it again, it does no harm twice"));
        if (!found.equals(wanted)) {
            throw new SequenceException.Conflict("table " + wanted.keyspace() + "." + wanted.table()
                    + " has another identity: stored " + found + ", asked " + wanted);
        }
    }

    private static String registered(String keyspace) {
        return "SELECT " + COLUMNS + ", WRITETIME(column_name) AS written, toUnixTimestamp(now()) AS now_ms FROM "
                + keyspace + ".identity_columns WHERE keyspace_name = ? AND table_name = ?";
    }

    private static String byTable(String keyspace) {
        return "SELECT " + COLUMNS + " FROM " + keyspace
                + ".identity_columns WHERE keyspace_name = ? AND table_name = ?";
    }

    private static IdentityColumn column(Row row) {
        return new IdentityColumn(
                Objects.requireNonNull(row.getString("keyspace_name")),
                Objects.requireNonNull(row.getString("table_name")),
                Objects.requireNonNull(row.getString("column_name")),
                Objects.requireNonNull(row.getString("sequence")));
    }
}
