package dev.cassidy.assist.plan;

import dev.cassidy.assist.plan.Occurrence.ColumnRef;
import dev.cassidy.assist.plan.Scope.Derived;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.sf.jsqlparser.expression.BinaryExpression;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.NotExpression;
import net.sf.jsqlparser.expression.operators.conditional.AndExpression;
import net.sf.jsqlparser.expression.operators.conditional.OrExpression;
import net.sf.jsqlparser.expression.operators.relational.EqualsTo;
import net.sf.jsqlparser.expression.operators.relational.ExistsExpression;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.expression.operators.relational.InExpression;
import net.sf.jsqlparser.expression.operators.relational.IsNullExpression;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.statement.select.ParenthesedSelect;
import net.sf.jsqlparser.statement.select.PlainSelect;
import org.jspecify.annotations.Nullable;

/** Finds in a condition to what columns are equal in all rows for which it is true. */
final class Conditions {

    private final Selects selects;
    private final Scope scope;
    private final List<@Nullable Object> parameters;
    private final Constants constants;

    Conditions(Selects selects, Scope scope, List<@Nullable Object> parameters) {
        this.selects = selects;
        this.scope = scope;
        this.parameters = parameters;
        this.constants = new Constants(parameters);
    }

    /**
     * Restricts tables by a condition that must be true.
     *
     * @param restricted the tables of which rows may be left out
     */
    void restrict(@Nullable Expression condition, List<Occurrence> restricted) {
        Expression bare = possible(Brackets.bare(condition));
        if (bare instanceof AndExpression and) {
            restrict(and.getLeftExpression(), restricted);
            restrict(and.getRightExpression(), restricted);
        } else if (bare instanceof EqualsTo equal
                && equal.getLeftExpression() instanceof Column left
                && equal.getRightExpression() instanceof Column right) {
            Optional<ColumnRef> one = scope.resolve(left);
            Optional<ColumnRef> other = scope.resolve(right);
            if (one.isPresent() && other.isPresent()) {
                restrict(one.get(), other.get(), restricted);
                restrict(other.get(), one.get(), restricted);
            }
        } else if (bare instanceof InExpression in
                && !in.isNot()
                && in.getRightExpression() instanceof ParenthesedSelect among) {
            among(in.getLeftExpression(), among, restricted);
        } else if (bare instanceof EqualsTo equal && equal.getRightExpression() instanceof ParenthesedSelect one) {
            shown(one).ifPresent(value -> restrict(equal.getLeftExpression(), value, restricted));
        } else if (bare instanceof ExistsExpression exists && !exists.isNot()) {
            exists(exists.getRightExpression(), restricted);
        } else if (bare != null) {
            terms(bare).forEach((column, terms) -> {
                if (restricted.contains(column.occurrence())) {
                    column.occurrence().restrict(column.column(), new Occurrence.Given(terms));
                }
            });
        }
    }

    private static void restrict(ColumnRef column, ColumnRef values, List<Occurrence> restricted) {
        if (restricted.contains(column.occurrence())
                && column.occurrence() != values.occurrence()
                && Family.finds(column.column(), values.column())) {
            column.occurrence().restrict(column.column(), values);
        }
    }

    /** A column of IN (SELECT ...), which must not be NOT IN: that needs the rows of the inner one that differ, too. */
    private void among(Expression left, ParenthesedSelect among, List<Occurrence> restricted) {
        ColumnRef shown = shown(among).orElse(null);
        if (shown == null) {
            return;
        }
        restrict(left, shown, restricted);
        if (left instanceof Column column) {
            scope.resolve(column)
                    .ifPresent(outer ->
                            restrict(shown, outer, selects.select(among, scope).pushable()));
        }
    }

    /** Returns the column of a table that is the only one of a SELECT. */
    private Optional<ColumnRef> shown(ParenthesedSelect inner) {
        Derived derived = selects.select(inner, scope);
        return derived.opaque() || derived.columns().size() != 1
                ? Optional.empty()
                : derived.columns().values().iterator().next();
    }

    private void restrict(Expression left, ColumnRef values, List<Occurrence> restricted) {
        if (left instanceof Column column) {
            scope.resolve(column).ifPresent(outer -> restrict(outer, values, restricted));
        }
    }

    /** What is true of a row within EXISTS, a row outside fulfils with it. An aggregate exists without any row. */
    private void exists(Expression inner, List<Occurrence> restricted) {
        if (!(inner instanceof ParenthesedSelect select) || !(select.getSelect() instanceof PlainSelect block)) {
            return;
        }
        selects.select(select, scope);
        if (Plainness.isOfRows(block)) {
            new Conditions(selects, selects.scopeOf(block), parameters).restrict(block.getWhere(), restricted);
        }
    }

    /** Returns what must be true where an OR is, of which one side is false whatever the row is: {@code ? IS NULL OR id = ?}. */
    private @Nullable Expression possible(@Nullable Expression condition) {
        Expression possible = condition;
        while (possible instanceof OrExpression or) {
            Expression left = or.getLeftExpression();
            Expression right = or.getRightExpression();
            if (decided(left).equals(Optional.of(false))) {
                possible = Brackets.bare(right);
            } else if (decided(right).equals(Optional.of(false))) {
                possible = Brackets.bare(left);
            } else {
                return possible;
            }
        }
        return possible;
    }

    /** Returns what a condition is for all rows, if the parameters alone decide it and it is not unknown. */
    private Optional<Boolean> decided(@Nullable Expression condition) {
        Expression bare = Brackets.bare(condition);
        if (bare instanceof IsNullExpression test && !test.isUseIsNull() && !test.isUseNotNull()) {
            return constants.isNull(Brackets.bare(test.getLeftExpression())).map(isNull -> isNull != test.isNot());
        }
        if (bare instanceof NotExpression not) {
            return decided(not.getExpression()).map(value -> !value);
        }
        if (bare instanceof AndExpression || bare instanceof OrExpression) {
            Optional<Boolean> left = decided(((BinaryExpression) bare).getLeftExpression());
            Optional<Boolean> right = decided(((BinaryExpression) bare).getRightExpression());
            // It decides whatever the other one is.
            Optional<Boolean> strong = Optional.of(bare instanceof OrExpression);
            if (left.equals(strong) || right.equals(strong)) {
                return strong;
            }
            return left.isPresent() && right.isPresent() ? left : Optional.empty();
        }
        return Optional.empty();
    }

    /** Returns columns that have one of some values wherever a condition is true. */
    private Map<ColumnRef, List<Term>> terms(Expression condition) {
        Expression bare = possible(Brackets.bare(condition));
        if (bare instanceof EqualsTo equal) {
            Map<ColumnRef, List<Term>> one = terms(equal.getLeftExpression(), List.of(equal.getRightExpression()));
            return one.isEmpty() ? terms(equal.getRightExpression(), List.of(equal.getLeftExpression())) : one;
        }
        if (bare instanceof InExpression in
                && !in.isNot()
                && in.getRightExpression() instanceof ExpressionList<?> list) {
            return terms(in.getLeftExpression(), list);
        }
        if (bare instanceof AndExpression and) {
            Map<ColumnRef, List<Term>> both = new LinkedHashMap<>(terms(and.getLeftExpression()));
            terms(and.getRightExpression()).forEach(both::putIfAbsent);
            return both;
        }
        if (bare instanceof OrExpression or) {
            Map<ColumnRef, List<Term>> left = terms(or.getLeftExpression());
            Map<ColumnRef, List<Term>> right = terms(or.getRightExpression());
            Map<ColumnRef, List<Term>> either = new LinkedHashMap<>();
            left.forEach((column, terms) -> {
                List<Term> others = right.get(column);
                if (others != null) {
                    List<Term> all = new ArrayList<>(terms);
                    all.addAll(others);
                    either.put(column, all);
                }
            });
            return either;
        }
        return Map.of();
    }

    /** Returns a column with the values that it is compared with; nothing if one of these finds no rows. */
    private Map<ColumnRef, List<Term>> terms(Expression left, List<? extends Expression> values) {
        Optional<ColumnRef> column = left instanceof Column named ? scope.resolve(named) : Optional.empty();
        if (column.isEmpty()) {
            return Map.of();
        }
        List<Term> terms = new ArrayList<>();
        for (Expression each : values) {
            Term term = constants.term(Brackets.bare(each), column.get().column(), values.size() == 1);
            if (term == null) {
                return Map.of();
            }
            terms.add(term);
        }
        return terms.isEmpty() ? Map.of() : Map.of(column.get(), terms);
    }
}
