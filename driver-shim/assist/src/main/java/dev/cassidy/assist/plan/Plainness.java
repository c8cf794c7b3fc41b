package dev.cassidy.assist.plan;

import net.sf.jsqlparser.expression.AnalyticExpression;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.ExpressionVisitorAdapter;
import net.sf.jsqlparser.expression.Function;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.SelectItem;

/** Whether each row of a SELECT depends on one row of its joined tables alone. Then a condition on its columns is one on their rows. */
final class Plainness extends ExpressionVisitorAdapter<Void> {

    private boolean plain = true;

    private Plainness() {}

    static boolean isOfRows(PlainSelect block) {
        boolean limited = block.getTop() != null
                || block.getLimit() != null
                || block.getOffset() != null
                || block.getFetch() != null
                || block.getFirst() != null
                || block.getSkip() != null;
        if (limited || block.getGroupBy() != null || block.getHaving() != null) {
            return false;
        }
        Plainness visitor = new Plainness();
        for (SelectItem<?> each : block.getSelectItems()) {
            Expression shown = each.getExpression();
            shown.accept(visitor, null);
        }
        return visitor.plain;
    }

    @Override
    public <S> Void visit(Function function, S context) {
        // It may be an aggregate, and no other one is worth a list.
        plain = false;
        return null;
    }

    @Override
    public <S> Void visit(AnalyticExpression window, S context) {
        plain = false;
        return null;
    }
}
