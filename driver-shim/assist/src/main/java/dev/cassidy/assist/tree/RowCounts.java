package dev.cassidy.assist.tree;

import java.util.HashSet;
import java.util.Set;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.JdbcParameter;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.statement.select.ParenthesedSelect;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.SetOperationList;
import net.sf.jsqlparser.util.TablesNamesFinder;
import org.jspecify.annotations.Nullable;

/** Finds the parameters of a query that say how many rows there are: those of TOP, OFFSET and FETCH. */
public final class RowCounts extends TablesNamesFinder<Void> {

    private final Set<Integer> found = new HashSet<>();

    private RowCounts() {
        init(true);
    }

    /** Returns the numbers of these parameters, from 1, as far as JSqlParser's visitor goes. */
    public static Set<Integer> parameters(Select select) {
        RowCounts counts = new RowCounts();
        try {
            select.accept((net.sf.jsqlparser.statement.StatementVisitor<Void>) counts, null);
        } catch (RuntimeException e) {
            // The visitor does not go into parts that are missing. What was found is true.
            return Set.copyOf(counts.found);
        }
        return Set.copyOf(counts.found);
    }

    @Override
    public <S> @Nullable Void visit(PlainSelect select, S context) {
        if (select.getTop() != null) {
            add(select.getTop().getExpression());
        }
        addPaging(select);
        return super.visit(select, context);
    }

    @Override
    public <S> @Nullable Void visit(SetOperationList list, S context) {
        addPaging(list);
        return super.visit(list, context);
    }

    @Override
    public <S> @Nullable Void visit(ParenthesedSelect select, S context) {
        addPaging(select);
        return super.visit(select, context);
    }

    private void addPaging(Select select) {
        if (select.getOffset() != null) {
            add(select.getOffset().getOffset());
        }
        if (select.getFetch() != null) {
            add(select.getFetch().getExpression());
        }
    }

    private void add(@Nullable Expression expression) {
        Expression inner = expression;
        while (inner instanceof ParenthesedExpressionList<?> list && list.size() == 1) {
            inner = (Expression) list.get(0);
        }
        if (inner instanceof JdbcParameter parameter) {
            found.add(parameter.getIndex());
        }
    }
}
