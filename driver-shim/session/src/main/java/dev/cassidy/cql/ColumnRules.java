package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.cassidy.async.Stages;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.insert.Assignments;
import dev.cassidy.insert.Comparisons;
import dev.cassidy.table.ColumnDefault;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the rules that CREATE TABLE in T-SQL declared for columns: refuses values before anything is sent, fills strings up, rounds
 * decimals, and decides CHECKs whose columns a statement gives values. What a statement compares a column with is given the form
 * that the column stores. What is given by an expression of the server, by INSERT JSON, or within the text of BEGIN BATCH is not
 * looked at. Never blocks.
 */
final class ColumnRules {

    private static final int MAX_REMEMBERED = 1_000;

    private final CqlSession session;
    private final TableCatalog catalog;
    private final StatementKeyspace keyspaces;
    private final Preparing preparing;
    private final RulePlans plans;
    private final SimpleRules simpleRules;

    /** Statements with other literals than those that their users prepared. */
    private final ConcurrentMap<Text, CompletableFuture<PreparedStatement>> rewritten = new ConcurrentHashMap<>();

    /** @param keyspace in which it is prepared; null if there is none */
    private record Text(String cql, @Nullable String keyspace) {}

    /** @param identityUpdates whether an UPDATE may set an identity column */
    ColumnRules(
            CqlSession session,
            TableCatalog catalog,
            StatementKeyspace keyspaces,
            Preparing preparing,
            boolean identityUpdates) {
        this.session = session;
        this.catalog = catalog;
        this.keyspaces = keyspaces;
        this.preparing = preparing;
        this.plans = new RulePlans(session, catalog, identityUpdates);
        this.simpleRules = new SimpleRules(session.getContext().getCodecRegistry());
    }

    /** As {@link RulePlans#definition}. */
    CompletionStage<Optional<TableDefinition>> definition(String keyspace, String table) {
        return plans.definition(keyspace, table);
    }

    /** Returns whether no table has rules, as far as is known without a read; the usual case on a cluster of CQL. */
    boolean areNone() {
        return catalog.tables().areNoneDefined();
    }

    /** Returns the statement with the values that are stored; the stage fails if one is refused. */
    CompletionStage<Statement<?>> apply(Statement<?> statement) {
        if (statement instanceof BatchStatement batch) {
            List<BatchableStatement<?>> children = new ArrayList<>(batch.size());
            batch.forEach(children::add);
            // The batch is cleared and not replaced, so that it keeps its settings.
            return apply(children, batch.getKeyspace())
                    .thenApply(then ->
                            then.equals(children) ? batch : batch.clear().addAll(then));
        }
        return statement instanceof BatchableStatement<?> single
                ? Stages.thenCompose(apply(single, statement.getKeyspace()), CompletableFuture::completedFuture)
                : CompletableFuture.completedFuture(statement);
    }

    /**
     * As {@link #apply(Statement)}, of several.
     *
     * @param keyspace of their batch; null if each has its own, or the session's
     */
    CompletionStage<List<BatchableStatement<?>>> apply(
            List<? extends BatchableStatement<?>> statements, @Nullable CqlIdentifier keyspace) {
        List<CompletableFuture<BatchableStatement<?>>> all = new ArrayList<>(statements.size());
        for (BatchableStatement<?> each : statements) {
            all.add(apply(each, keyspace == null ? each.getKeyspace() : keyspace)
                    .toCompletableFuture());
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new)).thenApply(done -> all.stream()
                .<BatchableStatement<?>>map(CompletableFuture::join)
                .toList());
    }

    /** @param keyspace of the statement or its batch; null for the session's own */
    private CompletionStage<BatchableStatement<?>> apply(
            BatchableStatement<?> statement, @Nullable CqlIdentifier keyspace) {
        try {
            return applyOne(statement, keyspace);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletionStage<BatchableStatement<?>> applyOne(
            BatchableStatement<?> statement, @Nullable CqlIdentifier keyspace) {
        if (statement instanceof BoundStatement bound) {
            return Stages.thenCompose(
                    plans.of(bound.getPreparedStatement().getQuery(), keyspaces.of(bound.getPreparedStatement())),
                    plan -> plan.rewritten() == null
                            ? CompletableFuture.completedFuture(BoundRules.apply(bound, plan))
                            : rewritten(bound, plan, plan.rewritten()));
        }
        if (statement instanceof SimpleStatement simple) {
            String named = keyspaces.ofText(keyspace);
            // A statement that contains its values rarely comes twice.
            return Stages.thenCompose(
                    isValued(simple) ? plans.of(simple.getQuery(), named) : plans.read(simple.getQuery(), named),
                    plan -> CompletableFuture.completedFuture(simpleRules.apply(simple, plan)));
        }
        return CompletableFuture.completedFuture(statement);
    }

    /** As {@link #apply(Statement)}, of statements that were filled earlier, and are sent as they are returned. */
    CompletionStage<List<BatchableStatement<?>>> judge(List<? extends BatchableStatement<?>> held) {
        return each(held, null, RulePlan::ofFilled);
    }

    /** Returns whether {@link #again} may have something to look at; the usual case is that it has not. */
    boolean askForFilled() {
        return plans.askForFilled();
    }

    /**
     * As {@link #apply(Statement)}, of a statement that it returned and that has been filled: an id, a sequence, a clock or NEWID()
     * gives a value that the column may not take as it is, and CHECKs ask for it.
     */
    CompletionStage<Statement<?>> again(Statement<?> filled) {
        if (filled instanceof BatchStatement batch) {
            List<BatchableStatement<?>> children = new ArrayList<>(batch.size());
            batch.forEach(children::add);
            return again(children, batch.getKeyspace())
                    .thenApply(then ->
                            then.equals(children) ? batch : batch.clear().addAll(then));
        }
        return filled instanceof BatchableStatement<?> single
                ? Stages.thenCompose(
                        again(List.of(single), filled.getKeyspace()),
                        then -> CompletableFuture.completedFuture(then.get(0)))
                : CompletableFuture.completedFuture(filled);
    }

    /** @param keyspace of their batch; null if each has its own, or the session's */
    CompletionStage<List<BatchableStatement<?>>> again(
            List<? extends BatchableStatement<?>> filled, @Nullable CqlIdentifier keyspace) {
        return each(filled, keyspace, plan -> plan.again() ? plan : RulePlan.none(plan.time()));
    }

    /** @param of what to look at of each plan */
    private CompletionStage<List<BatchableStatement<?>>> each(
            List<? extends BatchableStatement<?>> filled,
            @Nullable CqlIdentifier keyspace,
            UnaryOperator<RulePlan> of) {
        CompletionStage<List<BatchableStatement<?>>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (BatchableStatement<?> each : filled) {
            all = all.thenCompose(before -> filled(each, keyspace == null ? each.getKeyspace() : keyspace, of)
                    .thenApply(now -> {
                        before.add(now);
                        return before;
                    }));
        }
        return all;
    }

    private CompletionStage<BatchableStatement<?>> filled(
            BatchableStatement<?> filled, @Nullable CqlIdentifier keyspace, UnaryOperator<RulePlan> of) {
        if (filled instanceof SimpleStatement simple) {
            return plans.read(simple.getQuery(), keyspaces.ofText(keyspace))
                    .thenApply(plan -> simpleRules.apply(simple, of.apply(plan)));
        }
        if (!(filled instanceof BoundStatement bound)) {
            return CompletableFuture.completedFuture(filled);
        }
        return plans.of(bound.getPreparedStatement().getQuery(), keyspaces.of(bound.getPreparedStatement()))
                .thenCompose(given -> {
                    RulePlan plan = of.apply(given);
                    BoundStatement now = BoundRules.apply(bound, plan);
                    if (plan.rewritten() == null) {
                        return CompletableFuture.completedFuture(now);
                    }
                    requireSameKeyspace(plan, plan.rewritten(), keyspaces.ofText(null));
                    return session.prepareAsync(plan.rewritten())
                            .thenApply(prepared -> FilledPreparedStatement.rebound(sameKeyspace(plan, prepared), now));
                });
    }

    /** It was prepared in the session's keyspace, which USE may have changed, or the driver had it from another one. */
    private PreparedStatement sameKeyspace(RulePlan plan, PreparedStatement rewritten) {
        requireSameKeyspace(plan, rewritten.getQuery(), keyspaces.of(rewritten));
        return rewritten;
    }

    private static void requireSameKeyspace(RulePlan plan, String cql, @Nullable String keyspace) {
        if (!Objects.equals(plan.time().keyspace(), keyspace) && !namesKeyspace(cql)) {
            throw new IllegalStateException(
                    "a literal of a prepared statement would be stored or compared otherwise than as it is written, and the"
                            + " statement was prepared in keyspace "
                            + plan.time().keyspace()
                            + ", which is not the session's now: give the value"
                            + " as a parameter, or write " + cql);
        }
    }

    private static boolean namesKeyspace(String cql) {
        return Assignments.of(cql)
                .map(Assignments::keyspace)
                .or(() -> Comparisons.of(cql).map(Comparisons::keyspace))
                .isPresent();
    }

    /** A literal of a prepared statement cannot be changed, but another statement be prepared. */
    private CompletionStage<BatchableStatement<?>> rewritten(BoundStatement statement, RulePlan plan, String cql) {
        BoundStatement checked = BoundRules.apply(statement, plan);
        requireSameKeyspace(plan, cql, keyspaces.ofText(null));
        Text text = new Text(cql, plan.time().keyspace());
        CompletableFuture<PreparedStatement> known = rewritten.get(text);
        if (known == null) {
            if (rewritten.size() >= MAX_REMEMBERED) {
                rewritten.clear();
            }
            CompletableFuture<PreparedStatement> now = preparing.prepare(cql).toCompletableFuture();
            known = now;
            rewritten.put(text, now);
            CompletionStage<PreparedStatement> unused = now.whenComplete((done, failure) -> {
                if (failure != null) {
                    rewritten.remove(text, now);
                }
            });
        }
        return known.thenApply(prepared -> FilledPreparedStatement.rebound(sameKeyspace(plan, prepared), checked));
    }

    private static boolean isValued(SimpleStatement statement) {
        return !statement.getPositionalValues().isEmpty()
                || !statement.getNamedValues().isEmpty();
    }

    /** As {@link #apply(Statement)}, at once; null for a batch, or if it is not known yet how to look at the statement. */
    @Nullable
    Statement<?> applyNow(Statement<?> statement) {
        if (statement instanceof BoundStatement bound) {
            RulePlan plan =
                    plans.known(bound.getPreparedStatement().getQuery(), keyspaces.of(bound.getPreparedStatement()));
            return plan == null || plan.rewritten() != null ? null : BoundRules.apply(bound, plan);
        }
        return null;
    }

    /**
     * Returns the defaults of a table with their constants as the columns store them: filled up, and rounded. They are kept as T-SQL
     * declared them, because a column may be altered later, and SQL Server looks at them at each INSERT too.
     *
     * @param defaults of one table
     */
    CompletionStage<List<ColumnDefault>> stored(List<ColumnDefault> defaults) {
        if (areNone() || defaults.stream().noneMatch(each -> each.kind() == ColumnDefault.Kind.CONSTANT)) {
            return CompletableFuture.completedFuture(defaults);
        }
        ColumnDefault first = defaults.get(0);
        return plans.definition(first.keyspace(), first.table())
                .thenApply(found -> found.map(definition -> defaults.stream()
                                .map(each -> RulePlanner.stored(each, definition))
                                .toList())
                        .orElse(defaults));
    }
}
