package dev.cassidy.jdbc.assist;

/** A statement needs more than it may read. Nothing was written, and no row was shown. */
public final class BoundExceededException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient TableModel table;
    private final int bound;
    private final boolean scan;

    BoundExceededException(TableModel table, String what, int bound) {
        this(table, bound, false, what + " of " + table.qualified() + " and the tables read before it");
    }

    private BoundExceededException(TableModel table, int bound, boolean scan, String what) {
        super("more than " + bound + " " + what);
        this.table = table;
        this.bound = bound;
        this.scan = scan;
    }

    /** Of a table all of whose rows are read to find some, which has more rows than are read of one that is not declared small. */
    public static BoundExceededException ofScan(TableModel table, int bound) {
        return new BoundExceededException(table, bound, true, "rows of " + table.qualified());
    }

    /** Returns whether the bound is that of a table that is not declared small, of which all rows are read. */
    public boolean isOfScan() {
        return scan;
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
