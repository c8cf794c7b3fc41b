package dev.cassidy.assist.plan;

import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import org.jspecify.annotations.Nullable;

/** Brackets around expressions, which say nothing once the tree is there. */
final class Brackets {

    private Brackets() {}

    /** Returns an expression without the brackets around it. */
    static @Nullable Expression bare(@Nullable Expression expression) {
        Expression bare = expression;
        while (bare instanceof ParenthesedExpressionList<?> list && list.size() == 1) {
            bare = list.get(0);
        }
        return bare;
    }
}
