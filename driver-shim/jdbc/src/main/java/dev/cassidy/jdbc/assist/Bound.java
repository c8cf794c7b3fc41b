package dev.cassidy.jdbc.assist;

/** What is bounded of a statement that is evaluated in the client. */
public enum Bound {
    /** Rows that are read. */
    ROWS,
    /** Requests that are sent. */
    REQUESTS,
    /** Bytes of the values of the rows that are read. */
    BYTES,
    /** Rows of a table that is not declared small, of which all are read. */
    SCAN
}
