package dev.cassidy.definition;

/**
 * The hidden column of a table whose writes are exact. It is in every row and never null, so that a condition on it holds for rows
 * that exist and for no others. CREATE TABLE adds it; queries and metadata do not show it.
 */
public final class RowMark {

    /** Its internal name. */
    public static final String COLUMN = "cassidy_tx";

    /** Its definition in CREATE TABLE. */
    public static final String DEFINITION = COLUMN + " blob";

    /**
     * The literal of a row that no transaction has held since it was inserted. Of others, more bytes follow. Whatever holds a row sorts below,
     * so that of two cells of one time a free one wins.
     */
    public static final String FREE = "0xff";

    /** The condition that a row exists and that no transaction holds it. Of a missing row, and of null, it is false. */
    public static final String IS_FREE = COLUMN + " >= " + FREE;

    /**
     * The write timestamp, in microseconds, of the first write of a row whose id was drawn for it, which needs no condition: before
     * that of every conditional write, whatever the clocks, and after the timestamps that {@code cassidy copy} gives to rows, which
     * are milliseconds taken for microseconds. It is always the same, so that a repetition changes nothing.
     */
    public static final long FRESH_MICROS = 1L << 42;

    private RowMark() {}
}
