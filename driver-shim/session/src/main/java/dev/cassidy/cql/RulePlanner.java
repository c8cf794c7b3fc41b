package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.ContainerType;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.insert.Assignments;
import dev.cassidy.insert.CheckExpression;
import dev.cassidy.insert.Comparisons;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.TableRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Works out what to look at in a statement on one table, from what is declared of the table. It knows no values but those that the
 * statement writes out. For one statement and one thread.
 */
final class RulePlanner {

    private final String keyspace;
    private final String table;
    private final Optional<TableMetadata> existing;
    private final TableDefinition definition;
    private final boolean identityUpdates;

    /** The names of the primary key's columns. */
    private final List<String> key;

    private final List<ColumnDefault> defaults;
    private final Optional<String> identity;

    /** The columns that an id is drawn for if nothing is given. */
    private final Set<String> numbered = new HashSet<>();

    /** Those that have a default whose value is not known before the row is filled, and those of {@link #numbered}. */
    private final Set<String> generated = new HashSet<>();

    /** Those that draw from a sequence whose ids need not fit them; a generated key is asked where it is filled. */
    private final Set<String> drawn = new HashSet<>();

    /** Those that are filled in if an INSERT leaves them out. */
    private final Set<String> filled = new HashSet<>();

    /**
     * @param existing the table as the driver knows it; empty if it does not yet
     * @param identityUpdates whether an UPDATE may set an identity column
     */
    RulePlanner(
            TableRegistry tables,
            String keyspace,
            String table,
            Optional<TableMetadata> existing,
            TableDefinition definition,
            boolean identityUpdates) {
        this.keyspace = keyspace;
        this.table = table;
        this.existing = existing;
        this.definition = definition;
        this.identityUpdates = identityUpdates;
        this.key = existing.stream()
                .flatMap(found -> found.getPrimaryKey().stream())
                .map(column -> column.getName().asInternal())
                .toList();
        this.identity = tables.cachedIdentity(keyspace, table).map(IdentityColumn::column);
        this.defaults = tables.cachedDefaults(keyspace, table);
        sortColumns();
    }

    private void sortColumns() {
        identity.ifPresent(numbered::add);
        for (ColumnDefault each : defaults) {
            filled.add(each.column());
            if (each.kind() == ColumnDefault.Kind.NEXT_VALUE && key.contains(each.column())) {
                numbered.add(each.column());
            }
        }
        filled.addAll(numbered);
        generated.addAll(numbered);
        for (ColumnDefault each : defaults) {
            if (each.kind() != ColumnDefault.Kind.CONSTANT) {
                generated.add(each.column());
            }
            if (each.kind() == ColumnDefault.Kind.NEXT_VALUE && !numbered.contains(each.column())) {
                drawn.add(each.column());
            }
        }
    }

    /** @param assignments null if the statement gives nothing */
    RulePlan plan(
            RulePlan.Time time, String cql, @Nullable Assignments assignments, @Nullable Comparisons comparisons) {
        List<RulePlan.Compared> compared = compared(comparisons, ColumnRule::restricts);
        List<RulePlan.Parameter> parameters = parameters(assignments, comparisons);
        return assignments == null
                ? new RulePlan(
                        time,
                        false,
                        false,
                        List.of(),
                        compared,
                        List.of(),
                        parameters,
                        null,
                        null,
                        null,
                        Map.of(),
                        List.of(),
                        false,
                        rewritten(cql, List.of(), compared))
                : plan(time, cql, assignments, comparisons, compared, parameters);
    }

    private RulePlan plan(
            RulePlan.Time time,
            String cql,
            Assignments assignments,
            @Nullable Comparisons comparisons,
            List<RulePlan.Compared> compared,
            List<RulePlan.Parameter> parameters) {
        Set<String> named = new HashSet<>();
        assignments.all().forEach(each -> named.add(each.column()));
        List<RulePlan.Compared> keyed =
                compared(comparisons, rule -> key.contains(rule.column().name()));
        Map<String, Object> constants = assignments.insert() ? constants(defaults, definition, named) : Map.of();
        List<RulePlan.Check> checks = checks(assignments, named, keyed, constants);
        // A rule that asks for nothing still tells the value to the checks.
        Set<String> checked = new HashSet<>();
        checks.forEach(check -> checked.addAll(check.expression().columns()));
        List<RulePlan.Given> given = given(assignments, checked);
        List<ColumnRule> unfilled = assignments.insert() ? unfilled(named) : List.of();
        return new RulePlan(
                time,
                assignments.insert(),
                assignments.creates(),
                given,
                compared,
                keyed.stream()
                        .filter(each -> checked.contains(each.comparison().column())
                                || (assignments.creates() && each.rule().restricts()))
                        .toList(),
                parameters,
                assignments.insert() || identityUpdates
                        ? null
                        : identity.filter(named::contains)
                                .flatMap(definition::column)
                                .map(this::rule)
                                .orElse(null),
                unfilled.stream()
                        .filter(rule -> !filled.contains(rule.column().name()))
                        .findFirst()
                        .orElse(null),
                unfilled.stream().findFirst().orElse(null),
                constants,
                checks,
                assignments.insert() && asksForFilled(),
                rewritten(cql, given, compared));
    }

    private ColumnRule rule(ColumnDefinition column) {
        return new ColumnRule(keyspace + "." + table, column);
    }

    private List<RulePlan.Compared> compared(@Nullable Comparisons comparisons, Predicate<ColumnRule> which) {
        List<RulePlan.Compared> compared = new ArrayList<>();
        if (comparisons != null) {
            for (Comparisons.Comparison each : comparisons.all()) {
                definition
                        .column(each.column())
                        .map(this::rule)
                        .filter(which)
                        .ifPresent(rule -> compared.add(new RulePlan.Compared(each, rule)));
            }
        }
        return List.copyOf(compared);
    }

    private List<RulePlan.Given> given(Assignments assignments, Set<String> checked) {
        List<RulePlan.Given> given = new ArrayList<>();
        for (Assignments.Assignment each : assignments.all()) {
            definition
                    .column(each.column())
                    .map(this::rule)
                    .filter(rule ->
                            rule.asksForAnything() || checked.contains(each.column()) || drawn.contains(each.column()))
                    .ifPresent(rule -> given.add(new RulePlan.Given(each, rule, numbered.contains(each.column()))));
        }
        return List.copyOf(given);
    }

    /** Returns the columns that an INSERT must not leave out, and does not name. */
    private List<ColumnRule> unfilled(Set<String> named) {
        return definition.columns().stream()
                .filter(ColumnDefinition::required)
                .filter(column -> isColumn(existing, column.name()) && !named.contains(column.name()))
                .map(this::rule)
                .toList();
    }

    /** Returns the checks of which the statement gives every column a value, or NULL. */
    private List<RulePlan.Check> checks(
            Assignments assignments, Set<String> named, List<RulePlan.Compared> keyed, Map<String, Object> constants) {
        Set<String> known = new HashSet<>(named);
        keyed.forEach(each -> known.add(each.comparison().column()));
        List<RulePlan.Check> checks = new ArrayList<>();
        for (ConstraintDefinition each : definition.constraints()) {
            CheckExpression check = expression(each);
            // An INSERT gives NULL to the columns that it does not name.
            if (check == null
                    || !check.columns().stream()
                            .allMatch(column -> known.contains(column)
                                    || constants.containsKey(column)
                                    || (assignments.insert() && !filled.contains(column)))) {
                continue;
            }
            boolean ofKeyAlone =
                    !assignments.insert() && check.columns().stream().noneMatch(named::contains);
            if (!ofKeyAlone || assignments.creates()) {
                checks.add(new RulePlan.Check(keyspace + "." + table, ofKeyAlone, each, check));
            }
        }
        return List.copyOf(checks);
    }

    private @Nullable CheckExpression expression(ConstraintDefinition constraint) {
        return constraint.kind() == ConstraintDefinition.Kind.CHECK
                ? CheckExpression.parse(constraint.text(), definition.columns()).orElse(null)
                : null;
    }

    /** Whether a rule or a check asks for what an INSERT is given only when it is filled. */
    private boolean asksForFilled() {
        return !drawn.isEmpty()
                || definition.columns().stream()
                        .anyMatch(column -> generated.contains(column.name())
                                && rule(column).restricts())
                || definition.constraints().stream()
                        .map(this::expression)
                        .anyMatch(check ->
                                check != null && check.columns().stream().anyMatch(generated::contains));
    }

    private List<RulePlan.Parameter> parameters(@Nullable Assignments assignments, @Nullable Comparisons comparisons) {
        List<RulePlan.Parameter> parameters = new ArrayList<>();
        if (assignments != null) {
            assignments.all().forEach(each -> parameter(each.column(), each.value(), false)
                    .ifPresent(parameters::add));
        }
        if (comparisons != null) {
            comparisons.all().forEach(each -> parameter(each.column(), each.value(), each.list())
                    .ifPresent(parameters::add));
        }
        return List.copyOf(parameters);
    }

    private Optional<RulePlan.Parameter> parameter(String name, CqlInsert.Value value, boolean list) {
        return value instanceof CqlInsert.Value.Marker marker
                ? definition.column(name).flatMap(column -> existing.flatMap(
                                found -> found.getColumn(CqlIdentifier.fromInternal(name)))
                        .map(ColumnMetadata::getType)
                        .filter(RulePlanner::isScalar)
                        .map(type -> new RulePlan.Parameter(marker, list, rule(column), type)))
                : Optional.empty();
    }

    private static boolean isScalar(DataType type) {
        return !(type instanceof ContainerType || type instanceof UserDefinedType || type instanceof TupleType);
    }

    /** Returns what constant defaults store in the columns that a statement does not name. */
    private static Map<String, Object> constants(
            List<ColumnDefault> defaults, TableDefinition definition, Set<String> named) {
        Map<String, Object> constants = new HashMap<>();
        for (ColumnDefault each : defaults) {
            if (each.kind() == ColumnDefault.Kind.CONSTANT && !named.contains(each.column())) {
                Object value = LiteralValues.of(stored(each, definition).value());
                if (value != null) {
                    constants.put(each.column(), value);
                }
            }
        }
        return Map.copyOf(constants);
    }

    /** Returns a default with its constant as the column stores it; {@code given} itself if it is no constant, or stored as it is. */
    static ColumnDefault stored(ColumnDefault given, TableDefinition definition) {
        ColumnDefinition column = definition.column(given.column()).orElse(null);
        if (column == null || given.kind() != ColumnDefault.Kind.CONSTANT) {
            return given;
        }
        Object value = LiteralValues.of(given.value());
        if (value == null) {
            return given;
        }
        Object stored = new ColumnRule(given.keyspace() + "." + given.table(), column).stored(value);
        return stored.equals(value) ? given : given.withValue(LiteralValues.text(stored));
    }

    private static @Nullable String rewritten(
            String cql, List<RulePlan.Given> given, List<RulePlan.Compared> compared) {
        StringBuilder then = new StringBuilder(cql);
        // From the end on, so that the places before it stay.
        replaceCompared(then, compared);
        try {
            for (int i = given.size() - 1; i >= 0; i--) {
                Assignments.Assignment each = given.get(i).assignment();
                String stored = LiteralValues.stored(each.value(), given.get(i).rule());
                if (stored != null) {
                    then.replace(each.start(), each.end(), stored);
                }
            }
        } catch (ColumnValueException e) {
            // It is refused whenever it is sent.
            return null;
        }
        String text = then.toString();
        return text.equals(cql) ? null : text;
    }

    /** Writes what the columns may contain in place of the literals that a statement compares them with. */
    static void replaceCompared(StringBuilder cql, List<RulePlan.Compared> compared) {
        for (int i = compared.size() - 1; i >= 0; i--) {
            Comparisons.Comparison each = compared.get(i).comparison();
            Object value = LiteralValues.of(each.value());
            Object then = value == null ? null : compared.get(i).rule().compared(value);
            if (then != null && !then.equals(value)) {
                cql.replace(each.start(), each.end(), LiteralValues.text(then));
            }
        }
    }

    /** What is declared of a column comes before the column. */
    private static boolean isColumn(Optional<TableMetadata> table, String column) {
        return table.isEmpty()
                || table.get().getColumn(CqlIdentifier.fromInternal(column)).isPresent();
    }
}
