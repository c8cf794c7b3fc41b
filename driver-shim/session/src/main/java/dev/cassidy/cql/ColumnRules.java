package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.ContainerType;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.codec.CodecNotFoundException;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import com.datastax.oss.protocol.internal.util.Bytes;
import dev.cassidy.async.Stages;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.insert.Assignments;
import dev.cassidy.insert.CheckExpression;
import dev.cassidy.insert.Comparisons;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlLiteral;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.table.ColumnDefault;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
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

    /** In place of a value that only the server knows. */
    private static final Object UNKNOWN = new Object();

    private static final Row NOT_WANTED = new Row(null, Set.of(), Map.of());

    private final CqlSession session;
    private final TableCatalog catalog;
    private final StatementKeyspace keyspaces;
    private final boolean identityUpdates;

    private final Preparing preparing;

    /** How statements are looked at, by their SQL, which comes from users. */
    private final ConcurrentMap<String, Plan> plans = new ConcurrentHashMap<>();

    /** Statements with other literals than those that their users prepared. */
    private final ConcurrentMap<Text, CompletableFuture<PreparedStatement>> rewritten = new ConcurrentHashMap<>();

    /** @param keyspace in which it is prepared; null if there is none */
    private record Text(String cql, @Nullable String keyspace) {}

    /** Whether a statement was seen whose rules ask for what is filled in; it is not taken back. */
    private volatile boolean askForFilled;

    /** The driver makes a new view of the schema for each change, of which this is the last that was seen. */
    private volatile Schema schema;

    private record Schema(Metadata metadata, long generation) {}

    /** @param identityUpdates whether an UPDATE may set an identity column */
    ColumnRules(
            CqlSession session,
            TableCatalog catalog,
            StatementKeyspace keyspaces,
            Preparing preparing,
            boolean identityUpdates) {
        this.keyspaces = keyspaces;
        this.identityUpdates = identityUpdates;
        this.session = session;
        this.catalog = catalog;
        this.preparing = preparing;
        this.schema = new Schema(session.getMetadata(), 0);
    }

    /**
     * When a plan was made.
     *
     * @param keyspace of a table that is named without one; null if there is none
     * @param declared grows with what is declared
     * @param schema grows with the driver's view of the schema: a table of the name may be another one
     */
    private record Time(@Nullable String keyspace, long declared, long schema) {}

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

    /**
     * What to look at in a statement.
     *
     * @param insert whether a value that is not set is missing
     * @param given the rules of the columns that it gives a value
     * @param compared those of the columns that it compares with a value; all behind the {@code given}
     * @param creates whether an UPDATE may create its row
     * @param keys what an UPDATE compares columns of the key with, if a rule or a check asks for it
     * @param parameters of columns whose type is no collection: the driver encodes a simple statement's value by its class alone
     * @param identity the identity column that it must not set; null if it sets none
     * @param missing the first column that it must not leave out; null if there is none
     * @param unfilled the first one that it must not leave out once ids and defaults are filled in; null if there is none
     * @param constants what defaults give columns that the checks name
     * @param checks those whose columns the statement gives values
     * @param again whether it is looked at again once it is filled: rules ask for what an id or a default gives
     * @param rewritten the statement with its literals as they are stored; null if it has them so
     */
    private record Plan(
            Time time,
            boolean insert,
            boolean creates,
            List<Given> given,
            List<Compared> compared,
            List<Compared> keys,
            List<Parameter> parameters,
            @Nullable ColumnRule identity,
            @Nullable ColumnRule missing,
            @Nullable ColumnRule unfilled,
            Map<String, Object> constants,
            List<Check> checks,
            boolean again,
            @Nullable String rewritten) {

        static Plan none(Time time) {
            return new Plan(
                    time, false, false, List.of(), List.of(), List.of(), List.of(), null, null, null, Map.of(),
                    List.of(), false, null);
        }

        /** Returns how to look at the statement if nothing is filled in any more. */
        Plan ofFilled() {
            return new Plan(
                    time,
                    insert,
                    creates,
                    given,
                    compared,
                    keys,
                    parameters,
                    identity,
                    unfilled,
                    unfilled,
                    Map.of(),
                    checks,
                    again,
                    rewritten);
        }

        boolean asksForNothing() {
            return given.isEmpty()
                    && compared.isEmpty()
                    && keys.isEmpty()
                    && identity == null
                    && missing == null
                    && checks.isEmpty();
        }

        String verb() {
            return insert ? "INSERT" : "UPDATE";
        }
    }

    /**
     * A CHECK constraint, for messages, and what it asks.
     *
     * @param ofKeyAlone whether the statement is an UPDATE that gives none of its columns
     */
    private record Check(
            String table, boolean ofKeyAlone, ConstraintDefinition constraint, CheckExpression expression) {}

    /** @param numbered whether an id takes the place of what is not given */
    private record Given(Assignments.Assignment assignment, ColumnRule rule, boolean numbered) {}

    private record Compared(Comparisons.Comparison comparison, ColumnRule rule) {}

    /**
     * A marker whose value is a column's.
     *
     * @param list whether its value is a list of the column's values
     */
    private record Parameter(CqlInsert.Value.Marker marker, boolean list, ColumnRule rule, DataType type) {}

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
                    plan(bound.getPreparedStatement().getQuery(), keyspaces.of(bound.getPreparedStatement())),
                    plan -> plan.rewritten == null
                            ? CompletableFuture.completedFuture(apply(bound, plan))
                            : rewritten(bound, plan, plan.rewritten));
        }
        if (statement instanceof SimpleStatement simple) {
            String named = keyspaces.ofText(keyspace);
            // A statement that contains its values rarely comes twice.
            return Stages.thenCompose(
                    isValued(simple) ? plan(simple.getQuery(), named) : read(simple.getQuery(), named),
                    plan -> CompletableFuture.completedFuture(apply(simple, plan)));
        }
        return CompletableFuture.completedFuture(statement);
    }

    /** As {@link #apply(Statement)}, of statements that were filled earlier, and are sent as they are returned. */
    CompletionStage<List<BatchableStatement<?>>> judge(List<? extends BatchableStatement<?>> held) {
        return each(held, null, Plan::ofFilled);
    }

    /** Returns whether {@link #again} may have something to look at; the usual case is that it has not. */
    boolean askForFilled() {
        return askForFilled;
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
        return each(filled, keyspace, plan -> plan.again ? plan : Plan.none(plan.time));
    }

    /** @param of what to look at of each plan */
    private CompletionStage<List<BatchableStatement<?>>> each(
            List<? extends BatchableStatement<?>> filled, @Nullable CqlIdentifier keyspace, UnaryOperator<Plan> of) {
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
            BatchableStatement<?> filled, @Nullable CqlIdentifier keyspace, UnaryOperator<Plan> of) {
        if (filled instanceof SimpleStatement simple) {
            return read(simple.getQuery(), keyspaces.ofText(keyspace)).thenApply(plan -> apply(simple, of.apply(plan)));
        }
        if (!(filled instanceof BoundStatement bound)) {
            return CompletableFuture.completedFuture(filled);
        }
        return plan(bound.getPreparedStatement().getQuery(), keyspaces.of(bound.getPreparedStatement()))
                .thenCompose(given -> {
                    Plan plan = of.apply(given);
                    BoundStatement now = apply(bound, plan);
                    if (plan.rewritten == null) {
                        return CompletableFuture.completedFuture(now);
                    }
                    requireSameKeyspace(plan, plan.rewritten, keyspaces.ofText(null));
                    return session.prepareAsync(plan.rewritten)
                            .thenApply(prepared -> FilledPreparedStatement.rebound(sameKeyspace(plan, prepared), now));
                });
    }

    /** It was prepared in the session's keyspace, which USE may have changed, or the driver had it from another one. */
    private PreparedStatement sameKeyspace(Plan plan, PreparedStatement rewritten) {
        requireSameKeyspace(plan, rewritten.getQuery(), keyspaces.of(rewritten));
        return rewritten;
    }

    private static void requireSameKeyspace(Plan plan, String cql, @Nullable String keyspace) {
        if (!Objects.equals(plan.time.keyspace, keyspace) && !namesKeyspace(cql)) {
            throw new IllegalStateException(
                    "a literal of a prepared statement would be stored or compared otherwise than as it is written, and the"
                            + " statement was prepared in keyspace " + plan.time.keyspace
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
    private CompletionStage<BatchableStatement<?>> rewritten(BoundStatement statement, Plan plan, String cql) {
        BoundStatement checked = apply(statement, plan);
        requireSameKeyspace(plan, cql, keyspaces.ofText(null));
        Text text = new Text(cql, plan.time.keyspace);
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
            Plan plan = known(bound.getPreparedStatement().getQuery(), keyspaces.of(bound.getPreparedStatement()));
            return plan == null || plan.rewritten != null ? null : apply(bound, plan);
        }
        return null;
    }

    // ---- plans

    /** Returns how to look at a statement, if that was worked out and is still right. */
    private @Nullable Plan known(String cql, @Nullable String keyspace) {
        Plan known = plans.get(cql);
        return known != null
                        && known.time.declared == catalog.tables().generation()
                        && known.time.schema == schema()
                        && Objects.equals(known.time.keyspace, keyspace)
                ? known
                : null;
    }

    private CompletionStage<Plan> plan(String cql, @Nullable String keyspace) {
        Plan known = known(cql, keyspace);
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

    private CompletionStage<Plan> read(String cql, @Nullable String own) {
        Time time = new Time(own, catalog.tables().generation(), schema());
        Plan none = Plan.none(time);
        Assignments assignments = Assignments.of(cql).orElse(null);
        Comparisons compared = Comparisons.of(cql).orElse(null);
        if (assignments == null && compared == null) {
            return CompletableFuture.completedFuture(none);
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

    /** A read depends on Cassidy's keyspaces as little as possible: of what is not known, nothing is declared. */
    private CompletionStage<Optional<TableDefinition>> definitionForReads(String keyspace, String table) {
        return table(keyspace, table)
                .flatMap(TableMetadata::getId)
                .map(id -> catalog.tables()
                        .knownDefinitionAsync(keyspace, table, id)
                        .exceptionally(failure -> Optional.empty()))
                .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
    }

    private CompletionStage<Optional<TableDefinition>> definition(String keyspace, String table) {
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
    private Plan plan(
            Time time,
            String cql,
            @Nullable Assignments assignments,
            @Nullable Comparisons comparisons,
            String keyspace,
            TableDefinition definition) {
        List<Compared> compared = new ArrayList<>();
        if (comparisons != null) {
            for (Comparisons.Comparison each : comparisons.all()) {
                definition
                        .column(each.column())
                        .map(column -> new ColumnRule(keyspace + "." + comparisons.table(), column))
                        .filter(ColumnRule::restricts)
                        .ifPresent(rule -> compared.add(new Compared(each, rule)));
            }
        }
        if (assignments == null) {
            return new Plan(
                    time,
                    false,
                    false,
                    List.of(),
                    List.copyOf(compared),
                    List.of(),
                    parameters(null, comparisons, keyspace, definition),
                    null,
                    null,
                    null,
                    Map.of(),
                    List.of(),
                    false,
                    rewritten(cql, List.of(), compared));
        }
        return plan(
                time,
                cql,
                assignments,
                comparisons,
                List.copyOf(compared),
                parameters(assignments, comparisons, keyspace, definition),
                keyspace,
                definition);
    }

    private List<Parameter> parameters(
            @Nullable Assignments assignments,
            @Nullable Comparisons comparisons,
            String keyspace,
            TableDefinition definition) {
        List<Parameter> parameters = new ArrayList<>();
        if (assignments != null) {
            for (Assignments.Assignment each : assignments.all()) {
                parameter(each.column(), each.value(), false, keyspace, assignments.table(), definition)
                        .ifPresent(parameters::add);
            }
        }
        if (comparisons != null) {
            for (Comparisons.Comparison each : comparisons.all()) {
                parameter(each.column(), each.value(), each.list(), keyspace, comparisons.table(), definition)
                        .ifPresent(parameters::add);
            }
        }
        return List.copyOf(parameters);
    }

    private Optional<Parameter> parameter(
            String name,
            CqlInsert.Value value,
            boolean list,
            String keyspace,
            String table,
            TableDefinition definition) {
        return value instanceof CqlInsert.Value.Marker marker
                ? definition.column(name).flatMap(column -> table(keyspace, table)
                        .flatMap(found -> found.getColumn(CqlIdentifier.fromInternal(name)))
                        .map(ColumnMetadata::getType)
                        .filter(ColumnRules::isScalar)
                        .map(type -> new Parameter(marker, list, new ColumnRule(keyspace + "." + table, column), type)))
                : Optional.empty();
    }

    private static boolean isScalar(DataType type) {
        return !(type instanceof ContainerType || type instanceof UserDefinedType || type instanceof TupleType);
    }

    private Plan plan(
            Time time,
            String cql,
            Assignments assignments,
            @Nullable Comparisons comparisons,
            List<Compared> compared,
            List<Parameter> parameters,
            String keyspace,
            TableDefinition definition) {
        String table = keyspace + "." + assignments.table();
        List<String> key = table(keyspace, assignments.table()).stream()
                .flatMap(found -> found.getPrimaryKey().stream())
                .map(column -> column.getName().asInternal())
                .toList();
        Set<String> numbered = new HashSet<>();
        Set<String> filled = new HashSet<>();
        catalog.tables()
                .cachedIdentity(keyspace, assignments.table())
                .map(IdentityColumn::column)
                .ifPresent(numbered::add);
        List<ColumnDefault> defaults = catalog.tables().cachedDefaults(keyspace, assignments.table());
        for (ColumnDefault each : defaults) {
            filled.add(each.column());
            if (each.kind() == ColumnDefault.Kind.NEXT_VALUE && key.contains(each.column())) {
                numbered.add(each.column());
            }
        }
        filled.addAll(numbered);
        Set<String> generated = new HashSet<>(numbered);
        // Of a sequence whose ids need not fit the column; that of a generated key is asked where it is filled.
        Set<String> drawn = new HashSet<>();
        for (ColumnDefault each : defaults) {
            if (each.kind() != ColumnDefault.Kind.CONSTANT) {
                generated.add(each.column());
            }
            if (each.kind() == ColumnDefault.Kind.NEXT_VALUE && !numbered.contains(each.column())) {
                drawn.add(each.column());
            }
        }
        Set<String> named = new HashSet<>();
        assignments.all().forEach(each -> named.add(each.column()));
        ColumnRule identity = assignments.insert() || identityUpdates
                ? null
                : catalog.tables()
                        .cachedIdentity(keyspace, assignments.table())
                        .map(IdentityColumn::column)
                        .filter(named::contains)
                        .flatMap(definition::column)
                        .map(column -> new ColumnRule(table, column))
                        .orElse(null);
        Map<String, Object> constants = assignments.insert() ? constants(defaults, definition, named) : Map.of();
        List<ColumnRule> unfilled = List.of();
        if (assignments.insert()) {
            Optional<TableMetadata> existing = table(keyspace, assignments.table());
            unfilled = definition.columns().stream()
                    .filter(ColumnDefinition::required)
                    .filter(column -> isColumn(existing, column.name()) && !named.contains(column.name()))
                    .map(column -> new ColumnRule(table, column))
                    .toList();
        }
        Optional<ColumnRule> missing = unfilled.stream()
                .filter(rule -> !filled.contains(rule.column().name()))
                .findFirst();
        List<Compared> keyed = new ArrayList<>();
        if (comparisons != null) {
            for (Comparisons.Comparison each : comparisons.all()) {
                if (key.contains(each.column())) {
                    definition
                            .column(each.column())
                            .map(column -> new Compared(each, new ColumnRule(table, column)))
                            .ifPresent(keyed::add);
                }
            }
        }
        Set<String> known = new HashSet<>(named);
        keyed.forEach(each -> known.add(each.comparison.column()));
        List<Check> checks = new ArrayList<>();
        boolean again = false;
        for (ConstraintDefinition each : definition.constraints()) {
            CheckExpression check = each.kind() == ConstraintDefinition.Kind.CHECK
                    ? CheckExpression.parse(each.text(), definition.columns()).orElse(null)
                    : null;
            if (check == null) {
                continue;
            }
            // An INSERT gives NULL to the columns that it does not name.
            if (check.columns().stream()
                    .allMatch(column -> known.contains(column)
                            || constants.containsKey(column)
                            || (assignments.insert() && !filled.contains(column)))) {
                boolean ofKeyAlone =
                        !assignments.insert() && check.columns().stream().noneMatch(named::contains);
                if (!ofKeyAlone || assignments.creates()) {
                    checks.add(new Check(table, ofKeyAlone, each, check));
                }
            }
            again |= check.columns().stream().anyMatch(generated::contains);
        }
        again |= !drawn.isEmpty()
                || definition.columns().stream()
                        .anyMatch(column ->
                                generated.contains(column.name()) && new ColumnRule(table, column).restricts());
        again &= assignments.insert();
        if (again) {
            askForFilled = true;
        }
        // A rule that asks for nothing still tells the value to the checks.
        Set<String> checked = new HashSet<>();
        checks.forEach(check -> checked.addAll(check.expression.columns()));
        List<Given> looked = new ArrayList<>();
        for (Assignments.Assignment each : assignments.all()) {
            definition
                    .column(each.column())
                    .map(column -> new ColumnRule(table, column))
                    .filter(rule ->
                            rule.asksForAnything() || checked.contains(each.column()) || drawn.contains(each.column()))
                    .ifPresent(rule -> looked.add(new Given(each, rule, numbered.contains(each.column()))));
        }
        return new Plan(
                time,
                assignments.insert(),
                assignments.creates(),
                List.copyOf(looked),
                compared,
                keyed.stream()
                        .filter(each -> checked.contains(each.comparison.column())
                                || (assignments.creates() && each.rule.restricts()))
                        .toList(),
                parameters,
                identity,
                missing.orElse(null),
                unfilled.stream().findFirst().orElse(null),
                constants,
                List.copyOf(checks),
                again,
                rewritten(cql, looked, compared));
    }

    /** Returns what constant defaults store in the columns that a statement does not name. */
    private static Map<String, Object> constants(
            List<ColumnDefault> defaults, TableDefinition definition, Set<String> named) {
        Map<String, Object> constants = new HashMap<>();
        for (ColumnDefault each : defaults) {
            if (each.kind() == ColumnDefault.Kind.CONSTANT && !named.contains(each.column())) {
                Object value = valueOf(stored(each, definition).value());
                if (value != null) {
                    constants.put(each.column(), value);
                }
            }
        }
        return Map.copyOf(constants);
    }

    private static @Nullable String rewritten(String cql, List<Given> given, List<Compared> compared) {
        StringBuilder then = new StringBuilder(cql);
        // From the end on, so that the places before it stay.
        replaceCompared(then, compared);
        try {
            for (int i = given.size() - 1; i >= 0; i--) {
                Assignments.Assignment each = given.get(i).assignment;
                Object value = literalOf(each.value());
                Object stored = value == null ? null : given.get(i).rule.stored(value);
                if (stored != null && !stored.equals(value)) {
                    then.replace(each.start(), each.end(), literal(stored));
                }
            }
        } catch (ColumnValueException e) {
            // It is refused whenever it is sent.
            return null;
        }
        String text = then.toString();
        return text.equals(cql) ? null : text;
    }

    private static void replaceCompared(StringBuilder cql, List<Compared> compared) {
        for (int i = compared.size() - 1; i >= 0; i--) {
            Comparisons.Comparison each = compared.get(i).comparison;
            Object value = literalOf(each.value());
            Object then = value == null ? null : compared.get(i).rule.compared(value);
            if (then != null && !then.equals(value)) {
                cql.replace(each.start(), each.end(), literal(then));
            }
        }
    }

    /** What is declared of a column comes before the column. */
    private static boolean isColumn(Optional<TableMetadata> table, String column) {
        return table.isEmpty()
                || table.get().getColumn(CqlIdentifier.fromInternal(column)).isPresent();
    }

    // ---- statements

    private static BoundStatement apply(BoundStatement statement, Plan plan) {
        if (plan.asksForNothing()) {
            return statement;
        }
        requireComplete(plan);
        Row row = Row.of(plan);
        BoundStatement then = compared(statement, plan);
        for (Given each : plan.given) {
            CqlInsert.Value value = each.assignment.value();
            if (!(value instanceof CqlInsert.Value.Marker marker)) {
                literal(each, plan, row);
                continue;
            }
            int index = marker.index();
            if (!statement.isSet(index)) {
                // An UPDATE leaves the column as it is.
                requireGiven(each, plan, plan.insert);
                row.set(each, plan.insert ? null : UNKNOWN);
                continue;
            }
            ByteBuffer bytes = statement.getBytesUnsafe(index);
            if (bytes == null) {
                requireGiven(each, plan, true);
                row.set(each, each.numbered ? UNKNOWN : null);
            } else if (row.isWanted() || (each.rule.restricts() && !each.rule.takesEncoded(bytes))) {
                TypeCodec<Object> codec = statement.codecRegistry().codecFor(statement.getType(index));
                Object given = Objects.requireNonNull(statement.get(index, codec));
                Object stored = each.rule.stored(given);
                row.set(each, stored);
                then = stored.equals(given) ? then : then.set(index, stored, codec);
            }
        }
        for (Compared each : plan.keys) {
            if (!(each.comparison.value() instanceof CqlInsert.Value.Marker marker)) {
                key(each, literalOf(each.comparison.value()), plan, row);
                continue;
            }
            int index = marker.index();
            ByteBuffer bytes = statement.isSet(index) ? statement.getBytesUnsafe(index) : null;
            if (bytes == null) {
                // The server refuses the statement.
                key(each, null, plan, row);
            } else if (row.isWanted() || each.comparison.list() || !each.rule.takesEncoded(bytes)) {
                key(
                        each,
                        statement.get(index, statement.codecRegistry().codecFor(statement.getType(index))),
                        plan,
                        row);
            }
        }
        row.check(plan);
        return then;
    }

    /** @param given null if only the server knows it */
    private static void key(Compared of, @Nullable Object given, Plan plan, Row row) {
        Collection<?> values = of.comparison.list() && given instanceof Collection<?> several
                ? several
                : Collections.singletonList(given);
        for (Object each : values) {
            Object form = each == null ? null : of.rule.compared(each);
            if (form != null && plan.creates) {
                of.rule.requireKey(form);
            }
            row.key(of, form);
        }
    }

    private static BoundStatement compared(BoundStatement statement, Plan plan) {
        BoundStatement then = statement;
        for (Compared each : plan.compared) {
            if (!(each.comparison.value() instanceof CqlInsert.Value.Marker marker)) {
                continue;
            }
            int index = marker.index();
            ByteBuffer bytes = statement.getBytesUnsafe(index);
            if (!statement.isSet(index)
                    || bytes == null
                    || (!each.comparison.list() && each.rule.takesEncoded(bytes))) {
                continue;
            }
            TypeCodec<Object> codec = statement.codecRegistry().codecFor(statement.getType(index));
            Object given = Objects.requireNonNull(statement.get(index, codec));
            Object form = compared(each, given);
            then = form.equals(given) ? then : then.set(index, form, codec);
        }
        return then;
    }

    private static Object compared(Compared each, Object given) {
        return each.comparison.list() && given instanceof List<?> values
                ? values.stream()
                        .map(value -> value == null ? null : each.rule.compared(value))
                        .toList()
                : each.rule.compared(given);
    }

    /** What a statement gives the columns that checks ask for; nothing if there are no checks. */
    private record Row(@Nullable Map<String, Object> values, Set<String> unknown, Map<String, List<Object>> keys) {

        static Row of(Plan plan) {
            return plan.checks.isEmpty()
                    ? NOT_WANTED
                    : new Row(new HashMap<>(plan.constants), new HashSet<>(), new HashMap<>());
        }

        boolean isWanted() {
            return values != null;
        }

        void set(Given of, @Nullable Object value) {
            if (values == null) {
                return;
            }
            if (value == UNKNOWN) {
                unknown.add(of.assignment.column());
            } else if (value != null) {
                values.put(of.assignment.column(), value);
            }
        }

        /** @param value null if only the server knows it; of IN there are several, and a row for each */
        void key(Compared of, @Nullable Object value) {
            String column = of.comparison.column();
            if (values == null) {
                return;
            }
            if (value == null) {
                unknown.add(column);
            } else {
                keys.computeIfAbsent(column, first -> new ArrayList<>()).add(value);
            }
        }

        private boolean breaks(CheckExpression check, Map<String, Object> row, List<String> keyColumns) {
            if (keyColumns.isEmpty()) {
                return check.isBrokenBy(row);
            }
            for (Object value : keys.getOrDefault(keyColumns.get(0), List.of())) {
                Map<String, Object> with = new HashMap<>(row);
                with.put(keyColumns.get(0), value);
                if (breaks(check, with, keyColumns.subList(1, keyColumns.size()))) {
                    return true;
                }
            }
            return false;
        }

        void check(Plan plan) {
            if (values == null) {
                return;
            }
            for (Check each : plan.checks) {
                if (each.expression.columns().stream().noneMatch(unknown::contains)
                        && breaks(
                                each.expression,
                                values,
                                each.expression.columns().stream()
                                        .filter(keys::containsKey)
                                        .toList())) {
                    ConstraintDefinition constraint = each.constraint;
                    throw new ColumnValueException(
                            ColumnValueException.Reason.CHECK,
                            "The " + plan.verb() + " statement conflicted with the CHECK constraint"
                                    + (constraint.name().isEmpty() ? "" : " \"" + constraint.name() + "\"")
                                    + " of table '" + each.table + "': " + constraint.text()
                                    + (each.ofKeyAlone ? ". " + ColumnRule.NO_SUCH_ROW : ""));
                }
            }
        }
    }

    private SimpleStatement apply(SimpleStatement statement, Plan plan) {
        requireClasses(statement, plan);
        if (plan.asksForNothing()) {
            return statement;
        }
        requireComplete(plan);
        List<Object> positional = new ArrayList<>(statement.getPositionalValues());
        Map<CqlIdentifier, Object> named = new HashMap<>(statement.getNamedValues());
        StringBuilder cql = new StringBuilder(statement.getQuery());
        Row row = Row.of(plan);
        // From the end on, so that the places before it stay.
        replaceCompared(cql, plan.compared);
        for (Compared each : plan.compared) {
            if (each.comparison.value() instanceof CqlInsert.Value.Marker marker) {
                value(each, marker, positional, named);
            }
        }
        for (int i = plan.given.size() - 1; i >= 0; i--) {
            Given each = plan.given.get(i);
            if (each.assignment.value() instanceof CqlInsert.Value.Marker marker) {
                value(each, plan, marker, positional, named, row);
            } else {
                String literal = literal(each, plan, row);
                if (literal != null) {
                    cql.replace(each.assignment.start(), each.assignment.end(), literal);
                }
            }
        }
        for (Compared each : plan.keys) {
            key(
                    each,
                    each.comparison.value() instanceof CqlInsert.Value.Marker marker
                            ? given(marker, positional, named)
                            : literalOf(each.comparison.value()),
                    plan,
                    row);
        }
        row.check(plan);
        SimpleStatement then = statement;
        if (!positional.equals(statement.getPositionalValues())) {
            then = then.setPositionalValues(positional);
        }
        if (!named.equals(statement.getNamedValues())) {
            then = then.setNamedValuesWithIds(named);
        }
        return cql.toString().equals(statement.getQuery()) ? then : then.setQuery(cql.toString());
    }

    /**
     * The driver encodes a value of a simple statement by its class, and Cassandra takes every text as a decimal: what then stands
     * in the column cannot be read, and no rule has seen it.
     */
    private void requireClasses(SimpleStatement statement, Plan plan) {
        for (Parameter each : plan.parameters) {
            Object value = given(each.marker, statement.getPositionalValues(), statement.getNamedValues());
            if (!each.list) {
                requireClass(each, value);
            } else if (value instanceof Collection<?> values) {
                values.forEach(one -> requireClass(each, one));
            }
        }
    }

    private void requireClass(Parameter of, @Nullable Object value) {
        if (value == null) {
            return;
        }
        DataType encoded;
        try {
            encoded = session.getContext().getCodecRegistry().codecFor(value).getCqlType();
        } catch (CodecNotFoundException e) {
            // The driver refuses it too.
            return;
        }
        if (!isSameEncoding(encoded, of.type)) {
            throw of.rule.refuseClass(value, of.type.asCql(false, true), encoded.asCql(false, true));
        }
    }

    private static boolean isSameEncoding(DataType value, DataType column) {
        return value.equals(column)
                || (value.equals(DataTypes.TEXT) && column.equals(DataTypes.ASCII))
                || (value.equals(DataTypes.UUID) && column.equals(DataTypes.TIMEUUID))
                || (value.equals(DataTypes.BIGINT) && column.equals(DataTypes.COUNTER));
    }

    /** Returns what a statement gives a marker; null if it gives nothing or NULL. */
    private static @Nullable Object given(
            CqlInsert.Value.Marker marker, List<Object> positional, Map<CqlIdentifier, Object> named) {
        CqlIdentifier name = marker.name() == null ? null : CqlIdentifier.fromInternal(marker.name());
        return name != null && named.containsKey(name)
                ? named.get(name)
                : marker.index() < positional.size() ? positional.get(marker.index()) : null;
    }

    private static void value(
            Given each,
            Plan plan,
            CqlInsert.Value.Marker marker,
            List<Object> positional,
            Map<CqlIdentifier, Object> named,
            Row row) {
        CqlIdentifier name = marker.name() == null ? null : CqlIdentifier.fromInternal(marker.name());
        boolean isNamed = name != null && named.containsKey(name);
        if (!isNamed && marker.index() >= positional.size()) {
            // The server refuses the statement.
            row.set(each, UNKNOWN);
            return;
        }
        Object value = isNamed ? named.get(name) : positional.get(marker.index());
        if (value == null) {
            requireGiven(each, plan, true);
            row.set(each, each.numbered ? UNKNOWN : null);
            return;
        }
        Object stored = each.rule.stored(value);
        row.set(each, stored);
        if (isNamed) {
            named.put(name, stored);
        } else {
            positional.set(marker.index(), stored);
        }
    }

    private static void value(
            Compared each, CqlInsert.Value.Marker marker, List<Object> positional, Map<CqlIdentifier, Object> named) {
        CqlIdentifier name = marker.name() == null ? null : CqlIdentifier.fromInternal(marker.name());
        if (name != null && named.get(name) != null) {
            named.put(name, compared(each, named.get(name)));
        } else if (marker.index() < positional.size() && positional.get(marker.index()) != null) {
            positional.set(marker.index(), compared(each, positional.get(marker.index())));
        }
    }

    /** Returns what is stored in place of a literal; null if the literal is stored as it is. */
    private static @Nullable String literal(Given each, Plan plan, Row row) {
        CqlInsert.Value value = each.assignment.value();
        if (value instanceof CqlInsert.Value.Null) {
            requireGiven(each, plan, true);
            row.set(each, each.numbered ? UNKNOWN : null);
            return null;
        }
        Object given = literalOf(value);
        if (given == null) {
            row.set(each, UNKNOWN);
            return null;
        }
        Object stored = each.rule.stored(given);
        row.set(each, stored);
        return stored.equals(given) ? null : literal(stored);
    }

    /** Returns what a value that the statement writes out stands for; null for others, and for NULL. */
    private static @Nullable Object literalOf(CqlInsert.Value value) {
        return value instanceof CqlInsert.Value.IntegerLiteral number
                ? new BigDecimal(number.value())
                : value instanceof CqlInsert.Value.Term term ? valueOf(term.text()) : null;
    }

    /** Returns what a literal stands for; null for an expression, and for a literal of which no rule and no check says anything. */
    private static @Nullable Object valueOf(String literal) {
        CqlLiteral read = CqlLiteral.read(literal);
        if (read instanceof CqlLiteral.Text text) {
            return text.content();
        }
        if (read instanceof CqlLiteral.Truth truth) {
            return truth.value();
        }
        try {
            if (read instanceof CqlLiteral.Numeral number) {
                // Equal to another one only if the scale is, too.
                return new BigDecimal(number.digits());
            }
            return read instanceof CqlLiteral.Blob blob ? Bytes.fromHexString("0x" + blob.digits()) : null;
        } catch (IllegalArgumentException e) {
            // The server refuses the statement.
            return null;
        }
    }

    private static String literal(Object stored) {
        if (stored instanceof BigDecimal number) {
            return number.toPlainString();
        }
        return stored instanceof ByteBuffer bytes
                ? Bytes.toHexString(bytes)
                : "'" + stored.toString().replace("'", "''") + "'";
    }

    // ---- defaults

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
        return definition(first.keyspace(), first.table()).thenApply(found -> found.map(definition ->
                        defaults.stream().map(each -> stored(each, definition)).toList())
                .orElse(defaults));
    }

    private static ColumnDefault stored(ColumnDefault given, TableDefinition definition) {
        ColumnDefinition column = definition.column(given.column()).orElse(null);
        if (column == null || given.kind() != ColumnDefault.Kind.CONSTANT) {
            return given;
        }
        Object value = valueOf(given.value());
        if (value == null) {
            return given;
        }
        Object stored = new ColumnRule(given.keyspace() + "." + given.table(), column).stored(value);
        return stored.equals(value) ? given : given.withValue(literal(stored));
    }

    private static void requireComplete(Plan plan) {
        if (plan.identity != null) {
            throw plan.identity.refuseIdentity();
        }
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
