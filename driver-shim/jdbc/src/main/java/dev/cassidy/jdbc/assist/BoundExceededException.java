package dev.cassidy.jdbc.assist;

/** A statement needs more than it may read. Nothing was written, and no row was shown. */
public final class BoundExceededException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private static final long MEBIBYTE = 1L << 20;

    private final transient TableModel table;
    private final Bound bound;
    private final long most;

    /** @param most how much was allowed */
    public BoundExceededException(TableModel table, Bound bound, long most) {
        super("more than "
                + switch (bound) {
                    case ROWS -> most + " rows of ";
                    case REQUESTS -> most + " requests of ";
                    case BYTES -> shownBytes(most) + " of values of ";
                    case SCAN -> most + " rows of the whole of ";
                }
                + table.qualified()
                + (bound == Bound.SCAN ? "" : " and the tables read before it"));
        this.table = table;
        this.bound = bound;
        this.most = most;
    }

    /** Returns a number of bytes as people read it. */
    public static String shownBytes(long bytes) {
        return bytes % MEBIBYTE == 0 ? bytes / MEBIBYTE + " MiB" : bytes + " bytes";
    }

    /** Returns the table that was read when the bound was passed. */
    public TableModel table() {
        return table;
    }

    /** Returns what is bounded. */
    public Bound bound() {
        return bound;
    }

    /** Returns how much was allowed. */
    public long most() {
        return most;
    }
}
