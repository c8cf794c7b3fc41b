package dev.cassidy.table;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The other installations of Cassidy on a cluster, and which tables they number. A table's ids come from one installation: two
 * would issue each id twice. Installations are looked for once a minute, and each table at most once a minute; on a cluster
 * with one installation no table is.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class OtherInstallations {

    private static final Logger LOG = LoggerFactory.getLogger(OtherInstallations.class);

    private static final Duration REMEMBERED = Duration.ofMinutes(1);

    /** The tables' names come from statements. */
    private static final int MAX_TABLES = 10_000;

    private static final CompletionStage<Optional<String>> NONE = CompletableFuture.completedFuture(Optional.empty());

    private final ConditionalStatements statements;
    private final String own;
    private final Supplier<Set<UUID>> nodes;
    private final LongSupplier nanoTime;
    private final ConcurrentMap<TableName, Remembered<Optional<String>>> owners = new ConcurrentHashMap<>();

    private volatile @Nullable Remembered<List<String>> installations;

    private record Remembered<T>(T value, long at) {

        boolean isFresh(long now) {
            return now - at < REMEMBERED.toNanos();
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
     * Looks up the installation that numbers a table, for a write to it; empty if none of the others does, or if it cannot be
     * read which tables they have.
     */
    public CompletionStage<Optional<String>> ownerOf(String keyspace, String table) {
        long now = nanoTime.getAsLong();
        Remembered<List<String>> others = installations;
        if (others != null && others.isFresh(now)) {
            return others.value.isEmpty() ? NONE : remembered(new TableName(keyspace, table), others.value, now);
        }
        return find().thenCompose(found -> {
            installations = new Remembered<>(found, now);
            return found.isEmpty() ? NONE : remembered(new TableName(keyspace, table), found, now);
        });
    }

    private CompletionStage<Optional<String>> remembered(TableName table, List<String> others, long now) {
        Remembered<Optional<String>> owner = owners.get(table);
        if (owner != null && owner.isFresh(now)) {
            return CompletableFuture.completedFuture(owner.value);
        }
        return ownerAmong(others, other -> mayNumber(other, table)).thenApply(found -> {
            if (owners.size() >= MAX_TABLES) {
                owners.clear();
            }
            owners.put(table, new Remembered<>(found, now));
            return found;
        });
    }

    /**
     * Looks up which of these installations numbers a table, by what a majority of its global keyspace's replicas says now. The
     * stage fails if it cannot be read: whoever registers a table must know.
     */
    CompletionStage<Optional<String>> ownerNow(TableName table, List<String> among) {
        return ownerAmong(among, other -> numbers(other, table, ConsistencyLevel.QUORUM));
    }

    /**
     * Looks up which of these installations has declared the table of counters that has an id, as {@link #ownerNow} does: two that
     * count in one table settle each other's increments away.
     */
    CompletionStage<Optional<String>> countingNow(TableName table, UUID id, List<String> among) {
        return ownerAmong(among, other -> counts(other, table, id, ConsistencyLevel.QUORUM));
    }

    /**
     * As {@link #countingNow}, for a process that opens counters: where no majority of an installation's replicas answers, as
     * between datacenters that are cut off, one is believed, of this datacenter if there is one. The stage fails if none answers.
     */
    CompletionStage<Optional<String>> counting(TableName table, UUID id) {
        return find().thenCompose(found -> ownerAmong(found, other -> counts(other, table, id, ConsistencyLevel.QUORUM)
                .exceptionallyCompose(
                        failure -> unlessRefused(failure, () -> counts(other, table, id, ConsistencyLevel.LOCAL_ONE)))
                // At ONE alone a coordinator may ask a node of a datacenter that is cut off.
                .exceptionallyCompose(
                        failure -> unlessRefused(failure, () -> counts(other, table, id, ConsistencyLevel.ONE)))));
    }

    private CompletionStage<Boolean> counts(
            String installation, TableName table, UUID id, ConsistencyLevel consistency) {
        return statements
                .peek(
                        consistency,
                        "SELECT " + ContractRow.COUNTING + " FROM " + installation + ".contracts" + ContractRow.WHERE,
                        table.keyspace(),
                        table.table())
                .thenApply(rows -> rows.stream().anyMatch(row -> {
                    CounterTable counters = ContractRow.counters(row);
                    return counters != null && counters.id().equals(id);
                }));
    }

    /** Reads which tables the others number or are giving away, as {@link #ownerNow} does. */
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

    private static CompletionStage<Optional<String>> ownerAmong(
            List<String> others, Function<String, CompletionStage<Boolean>> numbers) {
        CompletionStage<Optional<String>> owner = NONE;
        for (String other : others) {
            owner = owner.thenCompose(known -> known.isPresent()
                    ? CompletableFuture.completedFuture(known)
                    : numbers.apply(other).thenApply(does -> does ? Optional.of(other) : Optional.empty()));
        }
        return owner;
    }

    private CompletionStage<Boolean> numbers(String installation, TableName table, ConsistencyLevel consistency) {
        return statements
                .peek(
                        consistency,
                        "SELECT " + ContractRow.DRAWING + " FROM " + installation + ".contracts" + ContractRow.WHERE,
                        table.keyspace(),
                        table.table())
                .thenApply(rows -> rows.stream().anyMatch(ContractRow::draws));
    }

    /**
     * As {@link #numbers}, for a write, which must not depend on another installation: if no majority answers, as between
     * datacenters that are cut off, one replica is believed, of this datacenter if there is one; where nothing can be read,
     * nothing is known.
     */
    private CompletionStage<Boolean> mayNumber(String installation, TableName table) {
        return numbers(installation, table, ConsistencyLevel.QUORUM)
                .exceptionallyCompose(failure ->
                        unlessRefused(failure, () -> numbers(installation, table, ConsistencyLevel.LOCAL_ONE)))
                // At ONE alone a coordinator may ask a node of a datacenter that is cut off.
                .exceptionallyCompose(
                        failure -> unlessRefused(failure, () -> numbers(installation, table, ConsistencyLevel.ONE)))
                .exceptionally(failure -> {
                    if (SaidOnce.INSTANCE.first(nodes.get(), "contracts of " + installation)) {
                        Throwable cause = Stages.cause(failure);
                        LOG.warn(
                                "Whether a table is numbered by the installation of keyspace {} cannot be checked;"
                                        + " an explicit id may then overwrite one of its rows: {}",
                                installation,
                                cause instanceof UnauthorizedException refused && Grants.isMissing(refused)
                                        ? Grants.message(refused)
                                        : cause.getMessage());
                    }
                    return false;
                });
    }

    private static CompletionStage<Boolean> unlessRefused(Throwable failure, Supplier<CompletionStage<Boolean>> again) {
        return Stages.cause(failure) instanceof QueryValidationException
                ? CompletableFuture.failedFuture(failure)
                : again.get();
    }
}
