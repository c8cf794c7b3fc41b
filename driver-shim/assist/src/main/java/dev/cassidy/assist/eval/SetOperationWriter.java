package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;
import dev.cassidy.jdbc.assist.EvaluationException;
import java.util.ArrayList;
import java.util.List;
import net.sf.jsqlparser.statement.select.ExceptOp;
import net.sf.jsqlparser.statement.select.IntersectOp;
import net.sf.jsqlparser.statement.select.OrderByElement;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.SetOperation;
import net.sf.jsqlparser.statement.select.SetOperationList;
import net.sf.jsqlparser.statement.select.UnionOp;

/** Writes UNION, EXCEPT and INTERSECT. INTERSECT binds stronger than the others in H2, as in T-SQL. */
final class SetOperationWriter {

    private final Writers writers;
    private final OrderWriter orders;

    SetOperationWriter(Writers writers, OrderWriter orders) {
        this.writers = writers;
        this.orders = orders;
    }

    Part write(SetOperationList list, Scope scope, boolean outermost) {
        List<Part> parts = new ArrayList<>();
        for (Select each : list.getSelects()) {
            parts.add(writers.select(each, scope, false));
        }
        List<Part.Item> items = items(parts);
        StringBuilder sql = new StringBuilder();
        for (int i = 0; i < parts.size(); i++) {
            if (i > 0) {
                sql.append(' ').append(operator(list.getOperation(i - 1))).append(' ');
            }
            sql.append('(').append(converted(parts.get(i), items)).append(')');
        }
        return new Part(sql + order(list, items, outermost), items);
    }

    private static String operator(SetOperation operation) {
        if (operation instanceof UnionOp union) {
            return union.isAll() ? "UNION ALL" : "UNION";
        }
        if (operation instanceof ExceptOp && operation.toString().equalsIgnoreCase("EXCEPT")) {
            return "EXCEPT";
        }
        if (operation instanceof IntersectOp && operation.toString().equalsIgnoreCase("INTERSECT")) {
            return "INTERSECT";
        }
        throw Unsupported.node(operation);
    }

    /** Returns the columns of the whole: the names of the first SELECT, and types that hold the values of all. */
    private static List<Part.Item> items(List<Part> parts) {
        List<Part.Item> items = new ArrayList<>();
        int columns = parts.get(0).items().size();
        if (parts.stream().anyMatch(each -> each.items().size() != columns)) {
            throw EvaluationException.rule(
                    205,
                    "All queries combined using a UNION, INTERSECT or EXCEPT operator must have an equal number of"
                            + " expressions in their target lists");
        }
        for (int i = 0; i < columns; i++) {
            Typed common = parts.get(0).items().get(i).read();
            for (Part each : parts) {
                Typed other = each.items().get(i).read();
                SqlType type = TypeRules.common(common, other);
                common = new Typed(
                        "C" + i, type, Math.max(common.digits(), other.digits()), common.unknown() && other.unknown());
            }
            items.add(new Part.Item(parts.get(0).items().get(i).label(), common));
        }
        return items;
    }

    private String converted(Part part, List<Part.Item> items) {
        StringBuilder columns = new StringBuilder();
        boolean changed = false;
        for (int i = 0; i < items.size(); i++) {
            Typed own = part.items().get(i).read();
            Typed column = new Typed("C" + i, own.type(), own.digits(), own.unknown());
            String converted =
                    Casts.implicit(column, items.get(i).read().type()).sql();
            changed |= !converted.equals(column.sql());
            columns.append(i == 0 ? "" : ", ").append(converted).append(" AS C").append(i);
        }
        return changed
                ? "SELECT " + columns + " FROM (" + part.sql() + ") "
                        + writers.writing().alias()
                : part.sql();
    }

    private String order(SetOperationList list, List<Part.Item> items, boolean outermost) {
        if (list.getOrderByElements() == null) {
            return orders.paging(list);
        }
        if (!outermost && list.getOffset() == null) {
            throw EvaluationException.rule(
                    1033, "The ORDER BY clause is invalid in a subquery, unless TOP or OFFSET is also specified");
        }
        List<String> terms = new ArrayList<>();
        for (OrderByElement each : list.getOrderByElements()) {
            int position = OrderWriter.position(each.getExpression(), items);
            if (position == 0) {
                throw EvaluationException.rule(
                        104, "ORDER BY items must appear in the select list if the statement contains a UNION");
            }
            if (Types.family(items.get(position - 1).read().type()) == Types.Family.UUID) {
                throw new NotEvaluatedException(
                        "ORDER BY of a uniqueidentifier after UNION",
                        "SQL Server's order of them is not H2's",
                        "Cast it to char(36)");
            }
            terms.add(position + OrderWriter.direction(each));
        }
        return " ORDER BY " + String.join(", ", terms) + orders.paging(list);
    }
}
