package dev.cassidy.migration.rows;

/** A row that cannot become a row of Cassandra. The message names the column, the value and what to do. */
public final class RowRefused extends RuntimeException {

    private static final long serialVersionUID = 1;

    RowRefused(String message) {
        super(message);
    }

    RowRefused(String message, Throwable cause) {
        super(message, cause);
    }
}
