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
        if (!list.getOperations().stream().allMatch(each -> each instanceof UnionOp union && union.isAll())) {
            refuseBlanks(parts);
        }
        StringBuilder sql = new StringBuilder();
        for (int i = 0; i < parts.size(); i++) {
            if (i > 0) {
                sql.append(' ').append(operator(list.getOperation(i - 1))).append(' ');
            }
            sql.append('(').append(converted(parts.get(i), items)).append(')');
        }
        return new Part(sql + order(list, items, outermost), items);
    }

    /** By code 'a' and the same with the blanks of CHAR are two strings, and to SQL Server they are one. */
    private void refuseBlanks(List<Part> parts) {
        for (int i = 0; writers.writing().byCode() && i < parts.get(0).items().size(); i++) {
            boolean filledUp = false;
            boolean other = false;
            for (Part each : parts) {
                Typed value = each.items().get(i).read();
                filledUp |= value.isText() && Types.isFilledUp(value.type());
                other |= value.isText() && !Types.isFilledUp(value.type());
            }
            if (filledUp && other) {
                throw new NotEvaluatedException(
                        "UNION of char and varchar in column " + (i + 1),
                        "their collation counts the blanks that char ends with",
                        "Write RTRIM of both");
            }
        }
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
            SqlType common = items.get(i).read().type();
            // H2 widens whole numbers by itself, and a SELECT within FROM could not name the tables around the whole.
            boolean left = Types.family(own.type()) == Types.Family.WHOLE && Types.family(common) == Types.Family.WHOLE;
            String converted =
                    left ? column.sql() : Casts.implicit(column, common).sql();
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
