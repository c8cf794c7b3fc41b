package dev.cassidy.assist.eval;

import dev.cassidy.assist.tree.Backslashes;
import dev.cassidy.jdbc.assist.EvaluationException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.StringValue;
import net.sf.jsqlparser.expression.operators.relational.EqualsTo;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.statement.select.AllColumns;
import net.sf.jsqlparser.statement.select.AllTableColumns;
import net.sf.jsqlparser.statement.select.GroupByElement;
import net.sf.jsqlparser.statement.select.ParenthesedSelect;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.SelectItem;
import net.sf.jsqlparser.statement.select.SetOperationList;
import net.sf.jsqlparser.statement.select.WithItem;

/** Writes SELECTs, and the common table expressions before them, in place of their names. */
final class SelectWriter {

    private final Writers writers;
    private final OrderWriter orders;
    private final FromWriter froms;
    private final SetOperationWriter sets;

    SelectWriter(Writers writers) {
        this.writers = writers;
        this.orders = new OrderWriter(writers);
        this.sets = new SetOperationWriter(writers, orders);
        this.froms = new FromWriter(writers);
    }

    /** @param outermost whether it may sort without TOP */
    Part write(Select select, Scope outer, boolean outermost) {
        writers.writing().enter();
        Unsupported.check(select);
        Scope scope = new Scope(outer);
        if (select.getWithItemsList() != null) {
            for (WithItem<?> each : select.getWithItemsList()) {
                define(each, scope);
            }
        }
        Part part;
        if (select instanceof ParenthesedSelect parenthesed) {
            part = parenthesed(parenthesed, scope, outermost);
        } else if (select instanceof PlainSelect plain) {
            part = plain(plain, scope, outermost);
        } else if (select instanceof SetOperationList list) {
            part = sets.write(list, scope, outermost);
        } else {
            throw Unsupported.node(select);
        }
        writers.writing().leave();
        return new Part(writers.writing().checked(part.sql()), part.items());
    }

    private Part parenthesed(ParenthesedSelect select, Scope scope, boolean outermost) {
        if (select.getOrderByElements() != null || select.getOffset() != null || select.getFetch() != null) {
            throw new NotEvaluatedException(
                    "ORDER BY after a SELECT in brackets", "it is not known what it sorts", "Leave the brackets out");
        }
        return write(select.getSelect(), scope, outermost);
    }

    private void define(WithItem<?> item, Scope scope) {
        String name = Names.bare(item.getAlias().getName());
        if (!(item.getParenthesedStatement() instanceof ParenthesedSelect body)) {
            throw new NotEvaluatedException(
                    "The common table expression " + name, "it is no SELECT", "Run its statement by itself");
        }
        froms.defining(name, true);
        Part part = write(body.getSelect(), scope, false);
        froms.defining(name, false);
        List<String> names = item.getWithItemList() == null
                ? part.items().stream().map(Part.Item::label).toList()
                : item.getWithItemList().stream()
                        .map(each -> Names.bare(each.getExpression().toString()))
                        .toList();
        FromWriter.checkNames(name, names, part.items().size());
        scope.define(name, new Scope.Common(names, part));
    }

    private Part plain(PlainSelect select, Scope outer, boolean outermost) {
        Unsupported.check(select);
        Scope scope = new Scope(outer);
        String from = select.getFromItem() == null ? "" : " FROM " + froms.write(select, scope);
        boolean shown = (outermost || writers.writing().isUnseen(select)) && select.getDistinct() == null;
        List<Part.Item> items = items(select, scope, shown);
        Ungrouped.check(select, scope);
        if (outermost || select.getDistinct() != null) {
            items.forEach(Part.Item::read);
        }
        StringBuilder sql = new StringBuilder("SELECT ");
        sql.append(select.getDistinct() == null ? "" : "DISTINCT ")
                .append(columns(items))
                .append(from);
        String where = select.getWhere() == null ? "" : writers.condition(select.getWhere(), scope);
        if (!from.isEmpty()) {
            // After the conditions of the statement: what they leave out takes no memory.
            // With a column: H2 would count a constant once.
            String step = "F_STEP(" + scope.counted() + ")";
            where = where.isEmpty() ? step : "(" + where + ") AND " + step;
        }
        sql.append(where.isEmpty() ? "" : " WHERE " + where);
        if (select.getGroupBy() != null) {
            sql.append(" GROUP BY ").append(groups(select.getGroupBy(), scope));
        }
        if (select.getHaving() != null) {
            sql.append(" HAVING ").append(writers.condition(select.getHaving(), scope));
        }
        sql.append(orders.write(select, items, scope, outermost));
        return new Part(sql.toString(), items);
    }

    private static String columns(List<Part.Item> items) {
        StringBuilder columns = new StringBuilder();
        for (int i = 0; i < items.size(); i++) {
            Typed value = items.get(i).value();
            // Who uses it later is refused.
            String sql = value == null ? "NULL" : value.sql();
            columns.append(i == 0 ? "" : ", ").append(sql).append(" AS C").append(i);
        }
        return columns.toString();
    }

    /** @param shown whether nothing else is done with the values */
    private List<Part.Item> items(PlainSelect select, Scope scope, boolean shown) {
        List<Part.Item> items = new ArrayList<>();
        for (SelectItem<?> each : select.getSelectItems()) {
            Expression expression = each.getExpression();
            if (expression instanceof AllTableColumns all) {
                all(scope, all, Names.bare(all.getTable().getName()), items);
            } else if (expression instanceof AllColumns all) {
                all(scope, all, "", items);
            } else {
                items.add(item(each, expression, scope, shown));
            }
        }
        if (!shown) {
            items.forEach(each -> writers.writing().use(each.value()));
        }
        return items;
    }

    private static void all(Scope scope, AllColumns all, String qualifier, List<Part.Item> items) {
        if (all.getExceptColumns() != null || all.getReplaceExpressions() != null) {
            throw Unsupported.node(all);
        }
        int before = items.size();
        for (Scope.Source source : scope.sources()) {
            if (qualifier.isEmpty() || source.isNamed(qualifier)) {
                source.fields().forEach(field -> items.add(new Part.Item(field.name(), field.value())));
            }
        }
        if (items.size() == before) {
            throw EvaluationException.rule(
                    107, "The column prefix '" + qualifier + "' does not match with a table name of the query");
        }
    }

    private Part.Item item(SelectItem<?> item, Expression expression, Scope scope, boolean shown) {
        String label = item.getAlias() == null
                ? ""
                : Backslashes.shown(Names.bare(item.getAlias().getName()));
        Expression value = expression;
        // T-SQL has no conditions as values: this is an alias.
        if (expression instanceof EqualsTo assigned && label.isEmpty()) {
            Expression left = assigned.getLeftExpression();
            if (left instanceof Column column && column.getTable() == null) {
                label = Names.bare(column.getColumnName());
                value = assigned.getRightExpression();
            } else if (left instanceof StringValue string) {
                label = Backslashes.shown(string.getValue());
                value = assigned.getRightExpression();
            }
        } else if (expression instanceof Column column && label.isEmpty()) {
            label = Names.bare(column.getColumnName());
        }
        return new Part.Item(
                label, shown && value instanceof Column column ? scope.column(column) : writers.value(value, scope));
    }

    private String groups(GroupByElement groupBy, Scope scope) {
        if (!groupBy.getGroupingSets().isEmpty() || groupBy.isMysqlWithRollup()) {
            throw new NotEvaluatedException(
                    "GROUP BY with several groupings", "H2 has none", "Run a statement for each grouping");
        }
        List<Expression> expressions = new ArrayList<>();
        for (Object each : groupBy.getGroupByExpressionList()) {
            if (each instanceof ParenthesedExpressionList<?> list) {
                expressions.addAll(list);
            } else {
                expressions.add((Expression) each);
            }
        }
        if (expressions.isEmpty()) {
            throw new NotEvaluatedException("GROUP BY ()", "it names nothing", "Leave it out");
        }
        return expressions.stream()
                .map(each -> writers.value(each, scope).sql())
                .collect(Collectors.joining(", "));
    }
}
