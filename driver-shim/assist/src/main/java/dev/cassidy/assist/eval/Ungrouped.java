package dev.cassidy.assist.eval;

import dev.cassidy.jdbc.assist.EvaluationException;
import java.util.Locale;
import net.sf.jsqlparser.expression.AnalyticExpression;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.ExpressionVisitorAdapter;
import net.sf.jsqlparser.expression.Function;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.statement.select.AllColumns;
import net.sf.jsqlparser.statement.select.AllTableColumns;
import net.sf.jsqlparser.statement.select.ParenthesedSelect;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.SelectItem;
import org.jspecify.annotations.Nullable;

/** Refuses a column beside an aggregate where nothing is grouped. H2 refuses it only if there are rows, and gives NULL otherwise. */
final class Ungrouped extends ExpressionVisitorAdapter<Void> {

    private final Scope scope;
    private boolean aggregates;
    private @Nullable String column;

    private Ungrouped(Scope scope) {
        this.scope = scope;
    }

    static void check(PlainSelect select, Scope scope) {
        if (select.getGroupBy() != null) {
            return;
        }
        Ungrouped found = new Ungrouped(scope);
        for (SelectItem<?> item : select.getSelectItems()) {
            item.getExpression().accept(found, null);
        }
        if (select.getHaving() != null) {
            select.getHaving().accept(found, null);
            found.aggregates = true;
        }
        if (found.aggregates && found.column != null) {
            throw EvaluationException.rule(
                    8120,
                    "Column '" + found.column
                            + "' is invalid in the select list because it is not contained in either an"
                            + " aggregate function or the GROUP BY clause");
        }
    }

    @Override
    public <S> @Nullable Void visit(Column found, S context) {
        if (column == null && scope.isOwn(found)) {
            column = Names.bare(found.getColumnName());
        }
        return null;
    }

    @Override
    public <S> @Nullable Void visit(AllColumns all, S context) {
        column = "*";
        return null;
    }

    @Override
    public <S> @Nullable Void visit(AllTableColumns all, S context) {
        column = "*";
        return null;
    }

    @Override
    public <S> @Nullable Void visit(Function function, S context) {
        if (AggregateWriter.isAggregate(function.getName().toLowerCase(Locale.ROOT))) {
            aggregates = true;
            return null;
        }
        if (function.getParameters() != null) {
            for (Expression each : function.getParameters()) {
                each.accept(this, context);
            }
        }
        return null;
    }

    @Override
    public <S> @Nullable Void visit(AnalyticExpression window, S context) {
        return null;
    }

    /** It has columns and aggregates of its own. */
    @Override
    public <S> @Nullable Void visit(ParenthesedSelect select, S context) {
        return null;
    }

    @Override
    public <S> @Nullable Void visit(Select select, S context) {
        return null;
    }
}
