package dev.cassidy.assist.plan;

import net.sf.jsqlparser.expression.AnalyticExpression;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.ExpressionVisitorAdapter;
import net.sf.jsqlparser.expression.Function;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.statement.select.GroupByElement;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.SelectItem;

/**
 * Whether a condition on the columns of a SELECT is one on the rows of its tables: each row that it shows depends on one row of its joined
 * tables, or on all of them that have the same values in the columns which it shows.
 */
final class Plainness extends ExpressionVisitorAdapter<Void> {

    private final boolean grouped;
    private boolean plain = true;

    private Plainness(boolean grouped) {
        this.grouped = grouped;
    }

    static boolean isOfRows(PlainSelect block) {
        boolean limited = block.getTop() != null
                || block.getLimit() != null
                || block.getOffset() != null
                || block.getFetch() != null
                || block.getFirst() != null
                || block.getSkip() != null;
        boolean grouped = block.getGroupBy() != null;
        if (limited || (grouped && !isByColumns(block.getGroupBy())) || (!grouped && block.getHaving() != null)) {
            return false;
        }
        Plainness visitor = new Plainness(grouped);
        for (SelectItem<?> each : block.getSelectItems()) {
            Expression shown = each.getExpression();
            shown.accept(visitor, null);
        }
        return visitor.plain;
    }

    /** GROUP BY of anything else, such as ROLLUP, may give a row where there is none. */
    private static boolean isByColumns(GroupByElement groups) {
        boolean sets =
                groups.getGroupingSets() != null && !groups.getGroupingSets().isEmpty();
        ExpressionList<?> by = groups.getGroupByExpressionList();
        return !sets && by != null && !by.isEmpty() && by.stream().allMatch(Column.class::isInstance);
    }

    @Override
    public <S> Void visit(Function function, S context) {
        // Without groups it may be an aggregate, of all rows. Which functions are none does not matter enough for a
        // list.
        plain &= grouped;
        return super.visit(function, context);
    }

    @Override
    public <S> Void visit(AnalyticExpression window, S context) {
        plain = false;
        return null;
    }
}
