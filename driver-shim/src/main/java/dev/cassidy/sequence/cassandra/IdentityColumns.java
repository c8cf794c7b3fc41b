package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.lwt.CasOutcome;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import dev.cassidy.sequence.SequenceException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;

/**
 * Which columns are identities. Looked up for every insert, so known ones are answered from memory; an unknown one is
 * looked up again, at most once a second for each table, since it may have been registered meanwhile.
 */
final class IdentityColumns {

    private static final long LOOK_AGAIN_NANOS = Duration.ofSeconds(1).toNanos();
    private static final String COLUMNS = "keyspace_name, table_name, column_name, sequence";

    private final ConditionalStatements global;
    private final ConditionalStatements local;
    private final String globalKeyspace;
    private final String localKeyspace;
    private final LongSupplier nanoTime;
    private final ConcurrentMap<TableName, IdentityColumn> known = new ConcurrentHashMap<>();
    private final ConcurrentMap<TableName, Long> missedAt = new ConcurrentHashMap<>();

    private record TableName(String keyspace, String table) {}

    IdentityColumns(
            ConditionalStatements global,
            ConditionalStatements local,
            String globalKeyspace,
            String localKeyspace,
            LongSupplier nanoTime) {
        this.global = global;
        this.local = local;
        this.globalKeyspace = globalKeyspace;
        this.localKeyspace = localKeyspace;
        this.nanoTime = nanoTime;
    }

    Optional<IdentityColumn> cached(String keyspace, String table) {
        return Optional.ofNullable(known.get(new TableName(keyspace, table)));
    }

    CompletionStage<Optional<IdentityColumn>> find(String keyspace, String table) {
        TableName name = new TableName(keyspace, table);
        IdentityColumn column = known.get(name);
        if (column != null) {
            return CompletableFuture.completedFuture(Optional.of(column));
        }
        Long missed = missedAt.get(name);
        if (missed != null && nanoTime.getAsLong() - missed < LOOK_AGAIN_NANOS) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return local.peek(ConsistencyLevel.LOCAL_QUORUM, byTable(localKeyspace), keyspace, table)
                .thenApply(rows -> {
                    Optional<IdentityColumn> found =
                            rows.stream().map(IdentityColumns::column).findFirst();
                    found.ifPresentOrElse(this::remember, () -> missedAt.put(name, nanoTime.getAsLong()));
                    return found;
                });
    }

    private void remember(IdentityColumn column) {
        TableName name = new TableName(column.keyspace(), column.table());
        known.put(name, column);
        missedAt.remove(name);
    }

    CompletionStage<Void> load() {
        return all(local, ConsistencyLevel.LOCAL_QUORUM, localKeyspace)
                .thenAccept(columns -> columns.forEach(this::remember));
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
        return insert(global, globalKeyspace, column)
                .thenCompose(agreed -> insert(local, localKeyspace, column))
                .thenAccept(copied -> remember(column));
    }

    /** Copies what other datacenters have registered; the global keyspace may be out of reach, and that is no error here. */
    CompletionStage<Void> copyFromGlobal() {
        return all(global, ConsistencyLevel.ONE, globalKeyspace).thenCompose(columns -> {
            CompletionStage<Void> all = CompletableFuture.completedFuture(null);
            for (IdentityColumn column : columns) {
                if (cached(column.keyspace(), column.table()).isEmpty()) {
                    all = all.thenCompose(before -> insert(local, localKeyspace, column))
                            .thenAccept(copied -> remember(column));
                }
            }
            return all;
        });
    }

    private CompletionStage<Void> insert(ConditionalStatements level, String keyspace, IdentityColumn column) {
        return level.execute(new Cas(
                        "INSERT INTO " + keyspace + ".identity_columns (" + COLUMNS
                                + ") VALUES (?, ?, ?, ?) IF NOT EXISTS",
                        column.keyspace(),
                        column.table(),
                        column.column(),
                        column.sequence()))
                .thenCompose(outcome -> outcome instanceof CasOutcome.Applied
                        ? CompletableFuture.<Void>completedFuture(null)
                        : level.read(byTable(keyspace), column.keyspace(), column.table())
                                .thenAccept(rows -> requireSame(column, rows)));
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
