package dev.cassidy.assist.write;

import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.ExpressionVisitorAdapter;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.statement.select.ParenthesedSelect;
import net.sf.jsqlparser.statement.select.Select;

/** Tells values that a statement gives from those that it takes from rows. */
final class Given extends ExpressionVisitorAdapter<Void> {

    private boolean readsRows;

    private Given() {}

    /** Returns whether a value names a column, or is a subquery. */
    static boolean readsRows(Expression value) {
        Given visitor = new Given();
        value.accept(visitor, null);
        return visitor.readsRows;
    }

    @Override
    public <S> Void visit(Column column, S context) {
        readsRows = true;
        return null;
    }

    @Override
    public <S> Void visit(ParenthesedSelect select, S context) {
        readsRows = true;
        return null;
    }

    @Override
    public <S> Void visit(Select select, S context) {
        readsRows = true;
        return null;
    }
}
