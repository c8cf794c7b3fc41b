package dev.cassidy.assist.tree;

import java.util.stream.Collectors;
import net.sf.jsqlparser.expression.BinaryExpression;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.NotExpression;
import net.sf.jsqlparser.expression.SignedExpression;
import net.sf.jsqlparser.expression.operators.relational.Between;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.expression.operators.relational.InExpression;
import net.sf.jsqlparser.expression.operators.relational.IsNullExpression;
import net.sf.jsqlparser.expression.operators.relational.LikeExpression;

/** Writes a condition with brackets around each part of its tree, so that the text means what the tree says. */
final class Bracketed {

    private Bracketed() {}

    static String of(Expression expression) {
        if (expression instanceof ExpressionList<?> list) {
            return list.stream().map(Bracketed::of).collect(Collectors.joining(", ", "(", ")"));
        }
        return "(" + inside(expression) + ")";
    }

    private static String inside(Expression expression) {
        if (expression instanceof LikeExpression like) {
            return of(like.getLeftExpression())
                    + (like.isNot() ? " NOT LIKE " : " LIKE ")
                    + of(like.getRightExpression());
        }
        if (expression instanceof BinaryExpression binary) {
            return of(binary.getLeftExpression()) + " " + binary.getStringExpression() + " "
                    + of(binary.getRightExpression());
        }
        if (expression instanceof NotExpression not) {
            return "NOT " + of(not.getExpression());
        }
        if (expression instanceof InExpression in) {
            return of(in.getLeftExpression()) + (in.isNot() ? " NOT IN " : " IN ") + of(in.getRightExpression());
        }
        if (expression instanceof Between between) {
            return of(between.getLeftExpression()) + (between.isNot() ? " NOT BETWEEN " : " BETWEEN ")
                    + of(between.getBetweenExpressionStart()) + " AND " + of(between.getBetweenExpressionEnd());
        }
        if (expression instanceof IsNullExpression isNull) {
            return of(isNull.getLeftExpression()) + (isNull.isNot() ? " IS NOT NULL" : " IS NULL");
        }
        if (expression instanceof SignedExpression signed) {
            return signed.getSign() + of(signed.getExpression());
        }
        return expression.toString();
    }
}
