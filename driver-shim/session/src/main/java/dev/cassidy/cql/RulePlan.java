package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.type.DataType;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.insert.Assignments;
import dev.cassidy.insert.CheckExpression;
import dev.cassidy.insert.Comparisons;
import dev.cassidy.insert.CqlInsert;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What to look at in a statement, by the rules of its table's columns. {@link RulePlans} finds it; {@link BoundRules} and {@link
 * SimpleRules} apply it to values.
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
record RulePlan(
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

    static RulePlan none(Time time) {
        return of(time, null);
    }

    private static RulePlan of(Time time, @Nullable ColumnRule identity) {
        return new RulePlan(
                time, false, false, List.of(), List.of(), List.of(), List.of(), identity, null, null, Map.of(),
                List.of(), false, null);
    }

    /** Returns how to look at the statement if nothing else than its identity column is looked at. */
    RulePlan ofIdentityAlone() {
        return of(time, identity);
    }

    /** Returns how to look at the statement if nothing is filled in any more. */
    RulePlan ofFilled() {
        return new RulePlan(
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

    /** Refuses a statement for the columns that it names, whatever their values are. */
    void requireComplete() {
        if (identity != null) {
            throw identity.refuseIdentity();
        }
        if (missing != null) {
            throw missing.refuseNull(verb());
        }
    }

    /** @param absent whether NULL would be stored if nothing were filled in */
    void requireGiven(Given each, boolean absent) {
        if (absent && each.rule.column().required() && !(insert && each.numbered)) {
            throw each.rule.refuseNull(verb());
        }
    }

    /** Refuses what the server would compute from what the column contains: no rule and no check would see the result. */
    void refuseComputed(Given each) {
        if (!each.assignment.ofItself()) {
            return;
        }
        Check asked = checks.stream()
                .filter(check -> check.expression().columns().contains(each.assignment.column()))
                .findFirst()
                .orElse(null);
        if (asked != null || each.rule.restricts()) {
            throw each.rule.refuseComputed(
                    each.assignment.value(),
                    asked == null ? null : asked.constraint().text());
        }
    }

    /**
     * When a plan was made.
     *
     * @param keyspace of a table that is named without one; null if there is none
     * @param declared grows with what is declared
     * @param schema grows with the driver's view of the schema: a table of the name may be another one
     */
    record Time(@Nullable String keyspace, long declared, long schema) {}

    /**
     * A CHECK constraint, for messages, and what it asks.
     *
     * @param ofKeyAlone whether the statement is an UPDATE that gives none of its columns
     */
    record Check(String table, boolean ofKeyAlone, ConstraintDefinition constraint, CheckExpression expression) {

        /**
         * @param verb of the statement
         * @param row that breaks it
         */
        ColumnValueException refusal(String verb, Map<String, Object> row) {
            String given = expression.columns().stream()
                    .sorted()
                    .map(column -> column + "=" + LiteralValues.shown(row.get(column)))
                    .collect(Collectors.joining(", "));
            boolean named = !constraint.name().isEmpty();
            return new ColumnValueException(
                    ColumnValueException.Reason.CHECK,
                    "The " + verb + " statement conflicted with the CHECK constraint"
                            + (named ? " \"" + constraint.name() + "\"" : "") + " of table '" + table + "': "
                            + constraint.text() + ", and the row has " + given + ". "
                            + (ofKeyAlone
                                    ? ColumnRule.NO_SUCH_ROW
                                    : "Give other values"
                                            + (named
                                                    ? ", or drop the constraint: ALTER TABLE " + table
                                                            + " DROP CONSTRAINT " + constraint.name()
                                                    : "")));
        }
    }

    /** @param numbered whether an id takes the place of what is not given */
    record Given(Assignments.Assignment assignment, ColumnRule rule, boolean numbered) {}

    record Compared(Comparisons.Comparison comparison, ColumnRule rule) {

        /** Returns what the column may contain in place of a value, or of a list of them. */
        Object form(Object given) {
            return comparison.list() && given instanceof List<?> values
                    ? values.stream()
                            .map(value -> value == null ? null : rule.compared(value))
                            .toList()
                    : rule.compared(given);
        }
    }

    /**
     * A marker whose value is a column's.
     *
     * @param list whether its value is a list of the column's values
     */
    record Parameter(CqlInsert.Value.Marker marker, boolean list, ColumnRule rule, DataType type) {}
}
