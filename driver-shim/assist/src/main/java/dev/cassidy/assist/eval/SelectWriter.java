package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;
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

    /**
     * A SELECT for H2, whose columns are C0, C1 and so on.
     *
     * @param items what it gives, in order
     */
    record Part(String sql, List<Item> items) {}

    /**
     * A column that a SELECT gives.
     *
     * @param label its name or alias; empty if it has none
     * @param value as H2 reads it within the SELECT
     */
    record Item(String label, Typed value) {
        SqlType type() {
            return value.type();
        }
    }

    private final Dialect dialect;
    private final OrderWriter orders;
    private final SetOperationWriter sets;

    SelectWriter(Dialect dialect) {
        this.dialect = dialect;
        this.orders = new OrderWriter(dialect);
        this.sets = new SetOperationWriter(dialect, orders);
    }

    /** Writes a whole statement. */
    Part statement(Select select) {
        return write(select, new Scope(null), true);
    }

    /** Writes a subquery. */
    Part subquery(Select select, Scope outer) {
        return write(select, outer, false);
    }

    /** @param outermost whether it may sort without TOP */
    Part write(Select select, Scope outer, boolean outermost) {
        dialect.writing.enter();
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
        dialect.writing.leave();
        return new Part(dialect.writing.checked(part.sql()), part.items());
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
        dialect.froms.defining(name, true);
        Part part = write(body.getSelect(), scope, false);
        dialect.froms.defining(name, false);
        List<String> names = item.getWithItemList() == null
                ? part.items().stream().map(Item::label).toList()
                : item.getWithItemList().stream()
                        .map(each -> Names.bare(each.getExpression().toString()))
                        .toList();
        FromWriter.checkNames(name, names, part.items().size());
        scope.define(name, new Scope.Common(names, part));
    }

    private Part plain(PlainSelect select, Scope outer, boolean outermost) {
        Unsupported.check(select);
        Scope scope = new Scope(outer);
        String from = select.getFromItem() == null ? "" : " FROM " + dialect.froms.write(select, scope);
        List<Item> items = items(select, scope);
        StringBuilder sql = new StringBuilder("SELECT ");
        sql.append(select.getDistinct() == null ? "" : "DISTINCT ")
                .append(columns(items))
                .append(from);
        String where = select.getWhere() == null ? "" : dialect.conditions.write(select.getWhere(), scope);
        if (!from.isEmpty()) {
            // After the conditions of the statement: what they leave out takes no memory.
            where = where.isEmpty() ? "F_STEP()" : "(" + where + ") AND F_STEP()";
        }
        sql.append(where.isEmpty() ? "" : " WHERE " + where);
        if (select.getGroupBy() != null) {
            sql.append(" GROUP BY ").append(groups(select.getGroupBy(), scope));
        }
        if (select.getHaving() != null) {
            sql.append(" HAVING ").append(dialect.conditions.write(select.getHaving(), scope));
        }
        sql.append(orders.write(select, items, scope, outermost));
        return new Part(sql.toString(), items);
    }

    private static String columns(List<Item> items) {
        StringBuilder columns = new StringBuilder();
        for (int i = 0; i < items.size(); i++) {
            columns.append(i == 0 ? "" : ", ")
                    .append(items.get(i).value().sql())
                    .append(" AS C")
                    .append(i);
        }
        return columns.toString();
    }

    private List<Item> items(PlainSelect select, Scope scope) {
        List<Item> items = new ArrayList<>();
        for (SelectItem<?> each : select.getSelectItems()) {
            Expression expression = each.getExpression();
            if (expression instanceof AllTableColumns all) {
                all(scope, all, Names.bare(all.getTable().getName()), items);
            } else if (expression instanceof AllColumns all) {
                all(scope, all, "", items);
            } else {
                items.add(item(each, expression, scope));
            }
        }
        return items;
    }

    private static void all(Scope scope, AllColumns all, String qualifier, List<Item> items) {
        if (all.getExceptColumns() != null || all.getReplaceExpressions() != null) {
            throw Unsupported.node(all);
        }
        int before = items.size();
        for (Scope.Source source : scope.sources()) {
            if (qualifier.isEmpty() || source.isNamed(qualifier)) {
                source.fields().forEach(field -> items.add(new Item(field.name(), Scope.read(field))));
            }
        }
        if (items.size() == before) {
            throw EvaluationException.rule(
                    107, "The column prefix '" + qualifier + "' does not match with a table name of the query");
        }
    }

    private Item item(SelectItem<?> item, Expression expression, Scope scope) {
        String label = item.getAlias() == null ? "" : Names.bare(item.getAlias().getName());
        Expression value = expression;
        // T-SQL has no conditions as values: this is an alias.
        if (expression instanceof EqualsTo assigned && label.isEmpty()) {
            Expression left = assigned.getLeftExpression();
            if (left instanceof Column column && column.getTable() == null) {
                label = Names.bare(column.getColumnName());
                value = assigned.getRightExpression();
            } else if (left instanceof StringValue string) {
                label = string.getValue();
                value = assigned.getRightExpression();
            }
        } else if (expression instanceof Column column && label.isEmpty()) {
            label = Names.bare(column.getColumnName());
        }
        return new Item(label, dialect.expressions.write(value, scope));
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
                .map(each -> dialect.expressions.write(each, scope).sql())
                .collect(Collectors.joining(", "));
    }
}
