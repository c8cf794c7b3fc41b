package dev.cassidy.assist.eval;

import dev.cassidy.jdbc.assist.EvaluationException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.JdbcParameter;
import net.sf.jsqlparser.expression.LongValue;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.statement.select.OrderByElement;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.Top;
import org.jspecify.annotations.Nullable;

/** Writes ORDER BY, and what counts rows after it: TOP, OFFSET, FETCH. NULL comes first in H2 as in SQL Server. */
final class OrderWriter {

    private final Writers writers;

    OrderWriter(Writers writers) {
        this.writers = writers;
    }

    String write(PlainSelect select, List<Part.Item> items, Scope scope, boolean outermost) {
        boolean sorted = select.getOrderByElements() != null;
        Top top = select.getTop();
        if (sorted && !outermost && top == null && select.getOffset() == null) {
            throw EvaluationException.rule(
                    1033, "The ORDER BY clause is invalid in a subquery, unless TOP or OFFSET is also specified");
        }
        if (top != null && (select.getOffset() != null || select.getFetch() != null)) {
            throw EvaluationException.rule(10741, "A TOP can not be used in the same query or sub-query as an OFFSET");
        }
        StringBuilder sql = new StringBuilder();
        if (sorted) {
            List<String> terms = new ArrayList<>();
            for (OrderByElement each : select.getOrderByElements()) {
                terms.add(term(each, items, scope, select.getDistinct() != null));
            }
            sql.append(" ORDER BY ").append(String.join(", ", terms));
        }
        return sql.append(top == null ? paging(select) : top(top, sorted)).toString();
    }

    private String term(OrderByElement element, List<Part.Item> items, Scope scope, boolean distinct) {
        Expression expression = element.getExpression();
        int position = position(expression, items);
        Typed value = position > 0 ? items.get(position - 1).read() : writers.value(expression, scope);
        writers.writing().use(value);
        for (int i = 0; i < items.size() && position == 0; i++) {
            // By its position: in an IN, H2 2.4.240 fails with a column for the order alone that is in the list too.
            Typed item = items.get(i).value();
            position = item != null && item.sql().equals(value.sql()) ? i + 1 : 0;
        }
        if (position == 0 && distinct) {
            throw EvaluationException.rule(
                    145, "ORDER BY items must appear in the select list if SELECT DISTINCT is specified");
        }
        if (Types.family(value.type()) == Types.Family.UUID) {
            if (distinct) {
                throw new NotEvaluatedException(
                        "ORDER BY of a uniqueidentifier with DISTINCT",
                        "SQL Server's order of them is not H2's",
                        "Cast it to char(36)");
            }
            return "F_UUIDKEY(" + value.sql() + ")" + direction(element);
        }
        return (position > 0 ? String.valueOf(position) : value.sql()) + direction(element);
    }

    static String direction(OrderByElement element) {
        if (element.getNullOrdering() != null) {
            throw new NotEvaluatedException("NULLS FIRST", "T-SQL does not have it", "Sort by a CASE first");
        }
        return element.isAsc() ? "" : " DESC";
    }

    /** Returns which column is meant, from 1; 0 if it is an expression. */
    static int position(Expression expression, List<Part.Item> items) {
        if (expression instanceof LongValue number) {
            String digits = number.getStringValue();
            int position = digits.length() > 4 ? 0 : Integer.parseInt(digits);
            if (position < 1 || position > items.size()) {
                throw EvaluationException.rule(
                        108,
                        "The ORDER BY position number " + digits
                                + " is out of range of the number of items in the select list");
            }
            return position;
        }
        if (!(expression instanceof Column column) || column.getTable() != null) {
            return 0;
        }
        String name = Names.bare(column.getColumnName()).toLowerCase(Locale.ROOT);
        int found = 0;
        for (int i = 0; i < items.size(); i++) {
            if (items.get(i).label().toLowerCase(Locale.ROOT).equals(name)) {
                if (found > 0
                        && !items.get(found - 1)
                                .read()
                                .sql()
                                .equals(items.get(i).read().sql())) {
                    throw EvaluationException.rule(209, "Ambiguous column name '" + name + "'");
                }
                found = found > 0 ? found : i + 1;
            }
        }
        return found;
    }

    private String top(Top top, boolean sorted) {
        BigDecimal count = count(top.getExpression(), "TOP");
        if (top.isWithTies() && !sorted) {
            throw EvaluationException.rule(
                    1062, "The TOP N WITH TIES clause is not allowed without a corresponding ORDER BY clause");
        }
        if (top.isPercentage() && count.compareTo(BigDecimal.valueOf(100)) > 0) {
            throw EvaluationException.rule(1031, "Percent values must be between 0 and 100");
        }
        return " FETCH FIRST " + count.toPlainString() + (top.isPercentage() ? " PERCENT" : "") + " ROWS "
                + (top.isWithTies() ? "WITH TIES" : "ONLY");
    }

    /** Writes OFFSET and FETCH. */
    String paging(Select select) {
        if (select.getOffset() == null && select.getFetch() == null) {
            return "";
        }
        if (select.getOrderByElements() == null || select.getOffset() == null) {
            throw EvaluationException.rule(
                    102, "Incorrect syntax near 'FETCH' or 'OFFSET': write ORDER BY and OFFSET before");
        }
        String sql =
                " OFFSET " + count(select.getOffset().getOffset(), "OFFSET").toPlainString() + " ROWS";
        if (select.getFetch() == null) {
            return sql;
        }
        BigDecimal rows = count(select.getFetch().getExpression(), "FETCH");
        if (rows.signum() == 0) {
            throw EvaluationException.rule(
                    10744, "The number of rows provided for a FETCH clause must be greater then zero");
        }
        return sql + " FETCH NEXT " + rows.toPlainString() + " ROWS ONLY";
    }

    private BigDecimal count(@Nullable Expression expression, String clause) {
        Expression inner = expression;
        while (inner instanceof ParenthesedExpressionList<?> list && list.size() == 1) {
            inner = (Expression) list.get(0);
        }
        BigDecimal count;
        if (inner instanceof LongValue number) {
            count = new BigDecimal(number.getStringValue());
        } else if (inner instanceof JdbcParameter parameter
                && writers.writing().parameter(parameter.getIndex()) instanceof Number number
                && (number instanceof Integer || number instanceof Long || number instanceof Short)) {
            count = BigDecimal.valueOf(number.longValue());
        } else {
            throw new NotEvaluatedException(
                    clause + " of an expression", "its value is needed before there are rows", "Write a number or ?");
        }
        if (count.signum() < 0 || count.precision() > 18) {
            throw EvaluationException.rule(
                    1060, "The number of rows provided for a TOP or FETCH clause must be a number of rows");
        }
        return count;
    }
}
