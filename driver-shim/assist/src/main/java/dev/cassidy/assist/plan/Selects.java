package dev.cassidy.assist.plan;

import dev.cassidy.assist.plan.Scope.Derived;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Select;
import org.jspecify.annotations.Nullable;

/** The SELECTs of one statement, of which one may stand within another. */
interface Selects {

    /**
     * Reads a SELECT, once.
     *
     * @param outer what names mean around it; null if nothing is around it
     */
    Derived select(Select select, @Nullable Scope outer);

    /** Returns what names mean within a SELECT that was read. */
    Scope scopeOf(PlainSelect block);

    /** All columns of a table are shown. */
    void showsAll();
}
