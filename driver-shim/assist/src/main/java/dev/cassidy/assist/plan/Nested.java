package dev.cassidy.assist.plan;

import java.util.List;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.ExpressionVisitorAdapter;
import net.sf.jsqlparser.expression.Function;
import net.sf.jsqlparser.statement.select.AllColumns;
import net.sf.jsqlparser.statement.select.AllTableColumns;
import net.sf.jsqlparser.statement.select.OrderByElement;
import net.sf.jsqlparser.statement.select.ParenthesedSelect;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.SelectItem;
import org.jspecify.annotations.Nullable;

/** Reads the SELECTs within the expressions of another one. */
final class Nested extends ExpressionVisitorAdapter<Void> {

    private final Selects selects;
    private final Scope scope;

    Nested(Selects selects, Scope scope) {
        this.selects = selects;
        this.scope = scope;
    }

    void in(@Nullable Expression expression) {
        if (expression != null) {
            expression.accept(this, null);
        }
    }

    void in(@Nullable List<OrderByElement> order) {
        if (order != null) {
            order.forEach(each -> in(each.getExpression()));
        }
    }

    void in(PlainSelect block) {
        for (SelectItem<?> item : block.getSelectItems()) {
            in(item.getExpression());
        }
        in(block.getWhere());
        in(block.getHaving());
        if (block.getGroupBy() != null && block.getGroupBy().getGroupByExpressionList() != null) {
            in((Expression) block.getGroupBy().getGroupByExpressionList());
        }
        in(block.getOrderByElements());
        if (block.getTop() != null) {
            in(block.getTop().getExpression());
        }
    }

    @Override
    public <S> Void visit(AllColumns all, S context) {
        selects.showsAll();
        return null;
    }

    @Override
    public <S> Void visit(AllTableColumns all, S context) {
        selects.showsAll();
        return null;
    }

    @Override
    public <S> Void visit(Function function, S context) {
        boolean counts = function.getName().equalsIgnoreCase("count")
                && function.getParameters() != null
                && function.getParameters().size() == 1
                && function.getParameters().get(0).getClass() == AllColumns.class;
        return counts ? null : super.visit(function, context);
    }

    @Override
    public <S> Void visit(ParenthesedSelect select, S context) {
        selects.select(select, scope);
        return null;
    }

    @Override
    public <S> Void visit(Select select, S context) {
        selects.select(select, scope);
        return null;
    }
}
