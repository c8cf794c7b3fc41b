package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import dev.cassidy.async.Stages;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.insert.Assignments;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.table.ColumnDefault;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the rules that CREATE TABLE in T-SQL declared for columns: refuses values before anything is sent, fills texts up, and
 * rounds decimals. What is given by an expression of the server, by INSERT JSON, or within the text of BEGIN BATCH is not looked
 * at. Never blocks.
 */
final class ColumnRules {

    private static final int MAX_REMEMBERED = 1_000;

    private final CqlSession session;
    private final TableCatalog catalog;

    /** How statements are looked at; texts come from users. */
    private final ConcurrentMap<Text, Plan> plans = new ConcurrentHashMap<>();

    ColumnRules(CqlSession session, TableCatalog catalog) {
        this.session = session;
        this.catalog = catalog;
    }

    /** @param keyspace of a table that is named without one */
    private record Text(String cql, @Nullable String keyspace) {}

    /**
     * What to look at in a statement.
     *
     * @param generation of what is declared
     * @param insert whether a value that is not set is missing
     * @param given the rules of the columns that it gives a value
     * @param missing the first column that it must not leave out; null if there is none
     */
    private record Plan(
            long generation,
            boolean insert,
            List<Given> given,
            @Nullable ColumnRule missing) {

        boolean asksForNothing() {
            return given.isEmpty() && missing == null;
        }

        String verb() {
            return insert ? "INSERT" : "UPDATE";
        }
    }

    /** @param numbered whether an id takes the place of what is not given */
    private record Given(Assignments.Assignment assignment, ColumnRule rule, boolean numbered) {}

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
            ColumnDefinitions variables = bound.getPreparedStatement().getVariableDefinitions();
            String named = variables.size() == 0
                    ? null
                    : variables.get(0).getKeyspace().asInternal();
            return Stages.thenCompose(
                    plan(new Text(bound.getPreparedStatement().getQuery(), named)), plan -> apply(bound, plan));
        }
        if (statement instanceof SimpleStatement simple) {
            Text text = new Text(simple.getQuery(), keyspace == null ? null : keyspace.asInternal());
            boolean valued = !simple.getPositionalValues().isEmpty()
                    || !simple.getNamedValues().isEmpty();
            // A statement that contains its values rarely comes twice.
            return Stages.thenCompose(
                    valued ? plan(text) : read(text, catalog.tables().generation()), plan -> apply(simple, plan));
        }
        return CompletableFuture.completedFuture(statement);
    }

    // ---- plans

    private CompletionStage<Plan> plan(Text text) {
        long generation = catalog.tables().generation();
        Plan known = plans.get(text);
        return known != null && known.generation == generation
                ? CompletableFuture.completedFuture(known)
                : read(text, generation).thenApply(plan -> {
                    if (plans.size() >= MAX_REMEMBERED) {
                        plans.clear();
                    }
                    plans.put(text, plan);
                    return plan;
                });
    }

    private CompletionStage<Plan> read(Text text, long generation) {
        Plan none = new Plan(generation, false, List.of(), null);
        Assignments assignments = Assignments.of(text.cql).orElse(null);
        if (assignments == null) {
            return CompletableFuture.completedFuture(none);
        }
        String keyspace = catalog.keyspaceOr(assignments.keyspace() == null ? text.keyspace : assignments.keyspace())
                .orElse(null);
        UUID id = keyspace == null ? null : id(keyspace, assignments.table()).orElse(null);
        if (keyspace == null || id == null) {
            return CompletableFuture.completedFuture(none);
        }
        return catalog.tables()
                .definitionAsync(keyspace, assignments.table(), id)
                .thenApply(found -> found.map(definition -> plan(generation, assignments, keyspace, definition))
                        .orElse(none));
    }

    private Optional<UUID> id(String keyspace, String table) {
        return session.getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(keyspace))
                .flatMap(found -> found.getTable(CqlIdentifier.fromInternal(table)))
                .flatMap(RelationMetadata::getId);
    }

    private Plan plan(long generation, Assignments assignments, String keyspace, TableDefinition definition) {
        String table = keyspace + "." + assignments.table();
        String identity = catalog.tables()
                .cachedIdentity(keyspace, assignments.table())
                .map(IdentityColumn::column)
                .orElse("");
        Set<String> filled = new HashSet<>(Set.of(identity));
        catalog.tables().cachedDefaults(keyspace, assignments.table()).stream()
                .map(ColumnDefault::column)
                .forEach(filled::add);
        Set<String> named = new HashSet<>();
        List<Given> given = new ArrayList<>();
        for (Assignments.Assignment each : assignments.all()) {
            named.add(each.column());
            definition
                    .column(each.column())
                    .map(column -> new ColumnRule(table, column))
                    .filter(ColumnRule::asksForAnything)
                    .ifPresent(rule -> given.add(new Given(each, rule, identity.equals(each.column()))));
        }
        ColumnRule missing = null;
        if (assignments.insert()) {
            Set<String> existing = existing(keyspace, assignments.table());
            missing = definition.columns().stream()
                    .filter(ColumnDefinition::required)
                    .filter(column -> existing.contains(column.name())
                            && !named.contains(column.name())
                            && !filled.contains(column.name()))
                    .map(column -> new ColumnRule(table, column))
                    .findFirst()
                    .orElse(null);
        }
        return new Plan(generation, assignments.insert(), List.copyOf(given), missing);
    }

    private Set<String> existing(String keyspace, String table) {
        Set<String> columns = new HashSet<>();
        session.getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(keyspace))
                .flatMap(found -> found.getTable(CqlIdentifier.fromInternal(table)))
                .ifPresent(found -> found.getColumns().keySet().forEach(column -> columns.add(column.asInternal())));
        return columns;
    }

    // ---- statements

    private static CompletionStage<BatchableStatement<?>> apply(BoundStatement statement, Plan plan) {
        if (plan.asksForNothing()) {
            return CompletableFuture.completedFuture(statement);
        }
        requireComplete(plan);
        BoundStatement then = statement;
        for (Given each : plan.given) {
            CqlInsert.Value value = each.assignment.value();
            if (!(value instanceof CqlInsert.Value.Marker marker)) {
                literal(each, plan);
                continue;
            }
            int index = marker.index();
            if (!statement.isSet(index)) {
                // An UPDATE leaves the column as it is.
                requireGiven(each, plan, plan.insert);
                continue;
            }
            ByteBuffer bytes = statement.getBytesUnsafe(index);
            if (bytes == null) {
                requireGiven(each, plan, true);
            } else if (each.rule.restricts() && !each.rule.takesBytes(bytes.remaining())) {
                then = stored(then, index, each.rule);
            }
        }
        return CompletableFuture.completedFuture(then);
    }

    private static BoundStatement stored(BoundStatement statement, int index, ColumnRule rule) {
        TypeCodec<Object> codec = statement.codecRegistry().codecFor(statement.getType(index));
        Object value = Objects.requireNonNull(statement.get(index, codec));
        Object stored = rule.stored(value);
        return stored.equals(value) ? statement : statement.set(index, stored, codec);
    }

    private static CompletionStage<BatchableStatement<?>> apply(SimpleStatement statement, Plan plan) {
        if (plan.asksForNothing()) {
            return CompletableFuture.completedFuture(statement);
        }
        requireComplete(plan);
        List<Object> positional = new ArrayList<>(statement.getPositionalValues());
        Map<CqlIdentifier, Object> named = new HashMap<>(statement.getNamedValues());
        StringBuilder cql = new StringBuilder(statement.getQuery());
        // From the end on, so that the places before it stay.
        for (int i = plan.given.size() - 1; i >= 0; i--) {
            Given each = plan.given.get(i);
            if (each.assignment.value() instanceof CqlInsert.Value.Marker marker) {
                value(each, plan, marker, positional, named);
            } else {
                String literal = literal(each, plan);
                if (literal != null) {
                    cql.replace(each.assignment.start(), each.assignment.end(), literal);
                }
            }
        }
        SimpleStatement then = statement;
        if (!positional.equals(statement.getPositionalValues())) {
            then = then.setPositionalValues(positional);
        }
        if (!named.equals(statement.getNamedValues())) {
            then = then.setNamedValuesWithIds(named);
        }
        return CompletableFuture.completedFuture(
                cql.toString().equals(statement.getQuery()) ? then : then.setQuery(cql.toString()));
    }

    private static void value(
            Given each,
            Plan plan,
            CqlInsert.Value.Marker marker,
            List<Object> positional,
            Map<CqlIdentifier, Object> named) {
        CqlIdentifier name = marker.name() == null ? null : CqlIdentifier.fromInternal(marker.name());
        boolean isNamed = name != null && named.containsKey(name);
        if (!isNamed && marker.index() >= positional.size()) {
            // The server refuses the statement.
            return;
        }
        Object value = isNamed ? named.get(name) : positional.get(marker.index());
        if (value == null) {
            requireGiven(each, plan, true);
        } else if (isNamed) {
            named.put(name, each.rule.stored(value));
        } else {
            positional.set(marker.index(), each.rule.stored(value));
        }
    }

    /** Returns what is stored in place of a literal; null if the literal is stored as it is. */
    private static @Nullable String literal(Given each, Plan plan) {
        CqlInsert.Value value = each.assignment.value();
        if (value instanceof CqlInsert.Value.Null) {
            requireGiven(each, plan, true);
            return null;
        }
        String text = value instanceof CqlInsert.Value.IntegerLiteral number
                ? number.value().toString()
                : value instanceof CqlInsert.Value.Term term ? term.text() : "";
        if (text.length() > 1 && text.charAt(0) == '\'' && text.charAt(text.length() - 1) == '\'') {
            String content = text.substring(1, text.length() - 1).replace("''", "'");
            Object stored = each.rule.stored(content);
            return stored.equals(content) ? null : "'" + stored.toString().replace("'", "''") + "'";
        }
        if (text.matches("-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]{1,9})?")) {
            BigDecimal number = new BigDecimal(text);
            Object stored = each.rule.stored(number);
            return stored.equals(number) ? null : ((BigDecimal) stored).toPlainString();
        }
        return null;
    }

    private static void requireComplete(Plan plan) {
        if (plan.missing != null) {
            throw plan.missing.refuseNull(plan.verb());
        }
    }

    private static void requireGiven(Given each, Plan plan, boolean missing) {
        if (missing && each.rule.column().required() && !(plan.insert && each.numbered)) {
            throw each.rule.refuseNull(plan.verb());
        }
    }
}
