package dev.cassidy.assist.eval;

import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.statement.select.Select;

/** The writers of the parts of a statement, each of which may stand in another. */
interface Writers {

    /** Returns what they share. */
    Writing writing();

    /**
     * Writes a SELECT.
     *
     * @param outer what is known around it
     * @param outermost whether it may sort without TOP
     */
    Part select(Select select, Scope outer, boolean outermost);

    /** Writes a subquery. */
    default Part subquery(Select select, Scope outer) {
        return select(select, outer, false);
    }

    /** Writes a condition, in brackets where it needs them. */
    String condition(Expression condition, Scope scope);

    /** Writes what has a value. */
    Typed value(Expression expression, Scope scope);
}
