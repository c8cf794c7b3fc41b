package dev.cassidy.table;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.async.Stages;
import dev.cassidy.cluster.Grants;
import dev.cassidy.cluster.Installations;
import dev.cassidy.cluster.SaidOnce;
import dev.cassidy.lwt.ConditionalStatements;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The other installations of Cassidy on a cluster, and what they have declared of tables. A table has one installation: two would
 * issue each id twice, and a session keeps the rules of its own installation's contracts alone. Installations are looked for once a
 * minute, and each table at most once a minute, or once a second if its writes are refused; on a cluster with one installation no
 * table is.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class OtherInstallations {

    private static final Logger LOG = LoggerFactory.getLogger(OtherInstallations.class);

    private static final String SELECT_ID =
            "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?";

    private static final Duration REMEMBERED = Duration.ofMinutes(1);

    /** A table may have been given to this installation a moment ago. */
    private static final Duration REFUSAL_REMEMBERED = Duration.ofSeconds(1);

    /** The tables' names come from statements. */
    private static final int MAX_TABLES = 10_000;

    private static final CompletionStage<Optional<ForeignContract>> NONE =
            CompletableFuture.completedFuture(Optional.empty());

    private final ConditionalStatements statements;
    private final String own;
    private final Supplier<Set<UUID>> nodes;
    private final LongSupplier nanoTime;
    private final ConcurrentMap<TableName, Remembered<Optional<ForeignContract>>> contracts = new ConcurrentHashMap<>();

    private volatile @Nullable Remembered<List<String>> installations;

    private record Remembered<T>(T value, long at) {

        boolean isFresh(long now, Duration period) {
            return now - at < period.toNanos();
        }
    }

    /**
     * @param statements of which only reads are used
     * @param own the global keyspace of the installation that asks, whether it exists or not
     * @param nodes the host ids of the cluster's nodes; what is said once of a cluster is not said again
     */
    OtherInstallations(ConditionalStatements statements, String own, Supplier<Set<UUID>> nodes, LongSupplier nanoTime) {
        this.statements = statements;
        this.own = own;
        this.nodes = nodes;
        this.nanoTime = nanoTime;
    }

    /**
     * Those of a session's cluster.
     *
     * @param own the global keyspace of the installation that asks, whether it exists or not
     */
    public static OtherInstallations of(CqlSession session, String own, Duration timeout, LongSupplier nanoTime) {
        return new OtherInstallations(
                ConditionalStatements.acrossDatacenters(session, timeout),
                own,
                () -> session.getMetadata().getNodes().keySet(),
                nanoTime);
    }

    /** Returns the global keyspaces of all other installations, by what the cluster says now. */
    public CompletionStage<List<String>> find() {
        return statements
                .peek(ConsistencyLevel.ONE, Installations.SELECT)
                .thenApply(tables -> Installations.of(tables).stream()
                        .filter(keyspace -> !keyspace.equals(own))
                        .toList());
    }

    /**
     * Looks up what another installation has declared of a table, for a write to it; empty if none has declared anything that the
     * write could break, or if that cannot be read.
     */
    public CompletionStage<Optional<ForeignContract>> contractOf(String keyspace, String table) {
        long now = nanoTime.getAsLong();
        Remembered<List<String>> others = installations;
        if (others != null && others.isFresh(now, REMEMBERED)) {
            return others.value.isEmpty() ? NONE : remembered(new TableName(keyspace, table), others.value, now);
        }
        return find().thenCompose(found -> {
            installations = new Remembered<>(found, now);
            return found.isEmpty() ? NONE : remembered(new TableName(keyspace, table), found, now);
        });
    }

    private CompletionStage<Optional<ForeignContract>> remembered(TableName table, List<String> others, long now) {
        Remembered<Optional<ForeignContract>> contract = contracts.get(table);
        if (contract != null && contract.isFresh(now, contract.value.isEmpty() ? REMEMBERED : REFUSAL_REMEMBERED)) {
            return CompletableFuture.completedFuture(contract.value);
        }
        return firstThat(ForeignContract::binds, others, other -> contractForWrite(other, table))
                .thenApply(found -> {
                    // A claim is of no effect on rows yet.
                    Optional<ForeignContract> binding = found.filter(ForeignContract::binds);
                    if (contracts.size() >= MAX_TABLES) {
                        contracts.clear();
                    }
                    contracts.put(table, new Remembered<>(binding, now));
                    return binding;
                });
    }

    /**
     * Looks up what one of these installations has declared of a table, by what a majority of its global keyspace's replicas says
     * now; what binds goes before a claim. The stage fails if it cannot be read: a process that declares something must know.
     */
    CompletionStage<Optional<ForeignContract>> contractNow(TableName table, List<String> among) {
        return firstThat(ForeignContract::binds, among, other -> contract(other, table, ConsistencyLevel.QUORUM));
    }

    /**
     * Looks up which of these installations counts in the table that has an id, or is about to, as {@link #contractNow} does: two
     * that count in one table settle each other's increments away.
     */
    CompletionStage<Optional<ForeignCounters>> countingNow(TableName table, UUID id, List<String> among) {
        return firstThat(ForeignCounters::counts, among, other -> counting(other, table, id, ConsistencyLevel.QUORUM));
    }

    /** As {@link #countingNow}, for a process that opens counters. The stage fails if no replica answers. */
    CompletionStage<Optional<ForeignCounters>> counting(TableName table, UUID id) {
        return find().thenCompose(found -> firstThat(
                ForeignCounters::counts, found, other -> available(level -> counting(other, table, id, level))));
    }

    private CompletionStage<Optional<ForeignCounters>> counting(
            String installation, TableName table, UUID id, ConsistencyLevel consistency) {
        return ContractRow.counters(statements, consistency, installation, table, id)
                .thenApply(counters -> counters.map(declared -> new ForeignCounters(installation, declared)));
    }

    /** Reads which tables the others number or are giving away, as {@link #contractNow} does. */
    CompletionStage<List<ForeignTable>> allNow() {
        return find().thenCompose(others -> {
            CompletionStage<List<ForeignTable>> all = CompletableFuture.completedFuture(new ArrayList<>());
            for (String other : others) {
                all = all.thenCombine(
                        statements.peek(
                                ConsistencyLevel.QUORUM,
                                "SELECT keyspace_name, table_name, " + ContractRow.DRAWING + " FROM " + other
                                        + ".contracts"),
                        (found, rows) -> {
                            rows.stream()
                                    .filter(row -> ContractRow.draws(row) || ContractRow.movingTo(row) != null)
                                    .forEach(row -> found.add(new ForeignTable(
                                            String.valueOf(row.getString("keyspace_name")),
                                            String.valueOf(row.getString("table_name")),
                                            other,
                                            ContractRow.movingTo(row))));
                            return found;
                        });
            }
            return all;
        });
    }

    /** Returns the first that fits, or else the first that there is. */
    private static <T> CompletionStage<Optional<T>> firstThat(
            Predicate<T> fits, List<String> others, Function<String, CompletionStage<Optional<T>>> look) {
        CompletionStage<Optional<T>> first = CompletableFuture.completedFuture(Optional.empty());
        for (String other : others) {
            first = first.thenCompose(known -> known.filter(fits).isPresent()
                    ? CompletableFuture.completedFuture(known)
                    : look.apply(other)
                            .thenApply(
                                    found -> found.filter(fits).or(() -> known).or(() -> found)));
        }
        return first;
    }

    private CompletionStage<Optional<ForeignContract>> contract(
            String installation, TableName table, ConsistencyLevel consistency) {
        return statements
                .peek(
                        consistency,
                        "SELECT " + ContractRow.FOREIGN + " FROM " + installation + ".contracts" + ContractRow.WHERE,
                        table.keyspace(),
                        table.table())
                .thenCompose(rows -> rows.isEmpty() ? NONE : contract(installation, table, rows.get(0)));
    }

    private CompletionStage<Optional<ForeignContract>> contract(String installation, TableName table, Row row) {
        boolean draws = ContractRow.draws(row);
        boolean claims = ContractRow.claims(row);
        UUID defined = ContractRow.defined(row).orElse(null);
        return (ContractRow.rulesByName(row) || defined == null
                        ? CompletableFuture.completedFuture(ContractRow.rulesByName(row))
                        : isTable(table, defined))
                .thenApply(rules -> draws || claims || rules
                        ? Optional.of(new ForeignContract(installation, draws, claims, rules))
                        : Optional.empty());
    }

    /** A definition is of one table alone. At ONE: each node has the whole schema. */
    private CompletionStage<Boolean> isTable(TableName table, UUID id) {
        return statements
                .peek(ConsistencyLevel.ONE, SELECT_ID, table.keyspace(), table.table())
                .thenApply(rows -> rows.stream().anyMatch(row -> id.equals(row.getUuid("id"))));
    }

    /**
     * As {@link #contract}, for a write, which must not depend on another installation: where nothing can be read, nothing is
     * known.
     */
    private CompletionStage<Optional<ForeignContract>> contractForWrite(String installation, TableName table) {
        return available(level -> contract(installation, table, level)).exceptionally(failure -> {
            if (SaidOnce.INSTANCE.first(nodes.get(), "contracts of " + installation)) {
                Throwable cause = Stages.cause(failure);
                LOG.warn(
                        "What the installation of keyspace {} has declared of tables cannot be read; an explicit id"
                                + " may then overwrite a row, and a write break the rules of its columns: {}",
                        installation,
                        cause instanceof UnauthorizedException refused && Grants.isMissing(refused)
                                ? Grants.message(refused)
                                : cause.getMessage());
            }
            return Optional.empty();
        });
    }

    /**
     * If no majority answers, as between datacenters that are cut off, one replica is believed, of this datacenter if there is
     * one.
     */
    private static <T> CompletionStage<T> available(Function<ConsistencyLevel, CompletionStage<T>> read) {
        return read.apply(ConsistencyLevel.QUORUM)
                .exceptionallyCompose(failure -> unlessRefused(failure, () -> read.apply(ConsistencyLevel.LOCAL_ONE)))
                // At ONE alone a coordinator may ask a node of a datacenter that is cut off.
                .exceptionallyCompose(failure -> unlessRefused(failure, () -> read.apply(ConsistencyLevel.ONE)));
    }

    private static <T> CompletionStage<T> unlessRefused(Throwable failure, Supplier<CompletionStage<T>> again) {
        return Stages.cause(failure) instanceof QueryValidationException
                ? CompletableFuture.failedFuture(failure)
                : again.get();
    }
}
