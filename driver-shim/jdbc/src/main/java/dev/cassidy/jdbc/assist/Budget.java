package dev.cassidy.jdbc.assist;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** How much one statement may still read, and how long its evaluation may take. Safe for use by many threads. */
public final class Budget {

    /** Without a timeout of the statement. */
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final int rows;
    private final int requests;
    private final Duration time;
    private final AtomicInteger rowsRead = new AtomicInteger();
    private final AtomicInteger requestsSent = new AtomicInteger();

    /**
     * @param rows how many rows may be read, 1 or more
     * @param requests how many requests may be sent, 1 or more
     */
    public Budget(int rows, int requests) {
        this(rows, requests, LONGEST);
    }

    /**
     * @param rows how many rows may be read, 1 or more
     * @param requests how many requests may be sent, 1 or more
     * @param timeout of the statement, 1 ms or more; one of more than 30 s counts as that
     */
    public Budget(int rows, int requests, Duration timeout) {
        this.rows = rows;
        this.requests = requests;
        this.time = timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST;
    }

    /** Returns how long the rows may be evaluated. */
    public Duration time() {
        return time;
    }

    /**
     * Takes rows that were read.
     *
     * @throws BoundExceededException if more rows were read than may be
     */
    public void rows(TableModel table, int count) {
        if (rowsRead.addAndGet(count) > rows) {
            throw new BoundExceededException(table, "rows", rows);
        }
    }

    /**
     * Takes requests that are about to be sent.
     *
     * @throws BoundExceededException if more requests would be sent than may be
     */
    public void requests(TableModel table, int count) {
        // A statement of two billion keys must not begin again at 0.
        if (count > requests || requestsSent.addAndGet(count) > requests) {
            throw new BoundExceededException(table, "requests", requests);
        }
    }

    /** Returns how many rows may still be read; 0 or more. */
    public int rowsLeft() {
        return Math.max(0, rows - rowsRead.get());
    }

    /** Returns how many rows were read so far. */
    public int rowsRead() {
        return rowsRead.get();
    }

    /** Returns how many requests were sent so far. */
    public int requestsSent() {
        return requestsSent.get();
    }
}
