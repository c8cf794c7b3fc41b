package dev.cassidy.jdbc.assist;

/** A statement needs more than it may read. Nothing was written, and no row was shown. */
public final class BoundExceededException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient TableModel table;
    private final int bound;

    BoundExceededException(TableModel table, String what, int bound) {
        super("more than " + bound + " " + what + " of " + table.qualified() + " and the tables read before it");
        this.table = table;
        this.bound = bound;
    }

    /** Returns the table that was read when the bound was passed. */
    public TableModel table() {
        return table;
    }

    /** Returns how many rows or requests were allowed. */
    public int bound() {
        return bound;
    }
}
