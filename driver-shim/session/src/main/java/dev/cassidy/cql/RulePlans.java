package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.insert.Assignments;
import dev.cassidy.insert.Comparisons;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * How statements are looked at, by the rules of the columns of their tables; what was worked out is remembered until something else is
 * declared, or the schema changes. Safe for use by many threads; never blocks.
 */
final class RulePlans {

    private static final int MAX_REMEMBERED = 1_000;

    private final CqlSession session;
    private final TableCatalog catalog;
    private final boolean identityUpdates;

    /** By the statements' SQL, which comes from users. */
    private final ConcurrentMap<String, RulePlan> plans = new ConcurrentHashMap<>();

    /** Whether a statement was seen whose rules ask for what is filled in; it is not taken back. */
    private volatile boolean askForFilled;

    /** The driver makes a new view of the schema for each change, of which this is the last that was seen. */
    private volatile Schema schema;

    private record Schema(Metadata metadata, long generation) {}

    /** @param identityUpdates whether an UPDATE may set an identity column */
    RulePlans(CqlSession session, TableCatalog catalog, boolean identityUpdates) {
        this.session = session;
        this.catalog = catalog;
        this.identityUpdates = identityUpdates;
        this.schema = new Schema(session.getMetadata(), 0);
    }

    /** Returns whether a statement was seen that is to be looked at again once it is filled. */
    boolean askForFilled() {
        return askForFilled;
    }

    /** Returns how to look at a statement, if that was worked out and is still right. */
    @Nullable
    RulePlan known(String cql, @Nullable String keyspace) {
        RulePlan known = plans.get(cql);
        return known != null
                        && known.time().declared() == catalog.tables().generation()
                        && known.time().schema() == schema()
                        && Objects.equals(known.time().keyspace(), keyspace)
                ? known
                : null;
    }

    /** As {@link #read}, of a statement that is likely to come again: its plan is remembered. */
    CompletionStage<RulePlan> of(String cql, @Nullable String keyspace) {
        RulePlan known = known(cql, keyspace);
        return known != null
                ? CompletableFuture.completedFuture(known)
                : read(cql, keyspace).thenApply(plan -> {
                    if (plans.size() >= MAX_REMEMBERED) {
                        plans.clear();
                    }
                    plans.put(cql, plan);
                    return plan;
                });
    }

    /**
     * Works out how to look at a statement.
     *
     * @param own the keyspace of a table that is named without one; null if there is none
     */
    CompletionStage<RulePlan> read(String cql, @Nullable String own) {
        RulePlan.Time time = new RulePlan.Time(own, catalog.tables().generation(), schema());
        RulePlan none = RulePlan.none(time);
        Assignments assignments = Assignments.of(cql).orElse(null);
        Comparisons compared = Comparisons.of(cql).orElse(null);
        if (assignments == null && compared == null) {
            List<Assignments> batched = Assignments.ofBatch(cql);
            return batched.isEmpty() ? CompletableFuture.completedFuture(none) : batch(time, cql, own, batched);
        }
        String named = assignments != null
                ? assignments.keyspace()
                : Objects.requireNonNull(compared).keyspace();
        String keyspace = named == null ? own : named;
        if (keyspace == null) {
            // The server refuses the statement.
            return CompletableFuture.completedFuture(none);
        }
        if (compared != null && compared.reads()) {
            return definitionForReads(keyspace, compared.table())
                    .thenApply(found -> found.map(definition -> plan(time, cql, null, compared, keyspace, definition))
                            .orElse(none));
        }
        String table = assignments != null
                ? assignments.table()
                : Objects.requireNonNull(compared).table();
        return definition(keyspace, table).thenApply(found -> found.map(
                        definition -> plan(time, cql, assignments, compared, keyspace, definition))
                .orElse(none));
    }

    /** Of the text of a BEGIN BATCH, nothing is looked at but whether it sets an identity column. */
    private CompletionStage<RulePlan> batch(
            RulePlan.Time time, String cql, @Nullable String own, List<Assignments> batched) {
        CompletionStage<RulePlan> plan = CompletableFuture.completedFuture(RulePlan.none(time));
        for (Assignments each : batched) {
            String keyspace = each.keyspace() == null ? own : each.keyspace();
            if (keyspace != null) {
                plan = plan.thenCompose(before -> before.identity() != null
                        ? CompletableFuture.completedFuture(before)
                        : definition(keyspace, each.table()).thenApply(found -> found.map(
                                        definition -> plan(time, cql, each, null, keyspace, definition)
                                                .ofIdentityAlone())
                                .orElse(before)));
            }
        }
        return plan;
    }

    /** A read depends on Cassidy's keyspaces as little as possible: of what is not known, nothing is declared. */
    private CompletionStage<Optional<TableDefinition>> definitionForReads(String keyspace, String table) {
        return table(keyspace, table)
                .flatMap(TableMetadata::getId)
                .map(id -> catalog.tables()
                        .knownDefinitionAsync(keyspace, table, id)
                        .exceptionally(failure -> Optional.empty()))
                .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
    }

    /** Returns what is declared of a table; empty if nothing is, or if there is no such table. */
    CompletionStage<Optional<TableDefinition>> definition(String keyspace, String table) {
        return id(keyspace, table)
                .thenCompose(id -> id.isEmpty()
                        ? CompletableFuture.completedFuture(Optional.<TableDefinition>empty())
                        : catalog.tables().definitionAsync(keyspace, table, id.get()));
    }

    private Optional<TableMetadata> table(String keyspace, String table) {
        return session.getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(keyspace))
                .flatMap(found -> found.getTable(CqlIdentifier.fromInternal(table)));
    }

    /** Asks the cluster for a table that the driver does not know: another client may have just created it. */
    private CompletionStage<Optional<UUID>> id(String keyspace, String table) {
        Optional<UUID> known = table(keyspace, table).flatMap(TableMetadata::getId);
        return known.isPresent()
                ? CompletableFuture.completedFuture(known)
                : session.executeAsync(SimpleStatement.newInstance(
                                        "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                                        keyspace,
                                        table)
                                .setIdempotent(true))
                        .thenApply(rows -> Optional.ofNullable(rows.one()).map(row -> row.getUuid("id")));
    }

    /** @param assignments null if the statement gives nothing */
    private RulePlan plan(
            RulePlan.Time time,
            String cql,
            @Nullable Assignments assignments,
            @Nullable Comparisons comparisons,
            String keyspace,
            TableDefinition definition) {
        String table = assignments != null
                ? assignments.table()
                : Objects.requireNonNull(comparisons).table();
        RulePlanner planner =
                new RulePlanner(catalog.tables(), keyspace, table, table(keyspace, table), definition, identityUpdates);
        RulePlan plan = planner.plan(time, cql, assignments, comparisons);
        if (plan.again()) {
            askForFilled = true;
        }
        return plan;
    }

    private long schema() {
        Metadata now = session.getMetadata();
        Schema seen = schema;
        if (seen.metadata != now) {
            synchronized (this) {
                seen = schema;
                if (seen.metadata != now) {
                    seen = new Schema(now, seen.generation + 1);
                    schema = seen;
                }
            }
        }
        return seen.generation;
    }
}
