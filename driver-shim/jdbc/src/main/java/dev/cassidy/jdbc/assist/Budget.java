package dev.cassidy.jdbc.assist;

import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How much one statement may still read, and how long its evaluation may take. Safe for use by many threads. */
public final class Budget {

    /** How many bytes the values may have of the rows that one statement reads. */
    public static final long MAX_BYTES = 16L << 20;

    /** Without a timeout of the statement. */
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private static final Comparator<Use> BY_PART = Comparator.comparingDouble(use -> (double) use.taken() / use.most());

    private final int rows;
    private final int requests;
    private final long bytes;
    private final Duration time;
    private final AtomicInteger rowsRead = new AtomicInteger();
    private final AtomicInteger requestsSent = new AtomicInteger();
    private final AtomicLong bytesRead = new AtomicLong();
    private final AtomicReference<@Nullable Use> scanned = new AtomicReference<>();

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
        this(rows, requests, MAX_BYTES, timeout);
    }

    /**
     * @param rows how many rows may be read, 1 or more
     * @param requests how many requests may be sent, 1 or more
     * @param bytes how many bytes their values may have, 1 or more
     * @param timeout of the statement, 1 ms or more; one of more than 30 s counts as that
     */
    Budget(int rows, int requests, long bytes, Duration timeout) {
        this.rows = rows;
        this.requests = requests;
        this.bytes = bytes;
        this.time = timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST;
    }

    /**
     * How much of a bound was used.
     *
     * @param table of which rows were read, if the bound is that of a table; null otherwise
     */
    public record Use(
            Bound bound, long taken, long most, @Nullable TableModel table) {

        /** Returns how much of the bound it is, in percent, cut off. */
        public int percent() {
            return (int) (taken * 100 / most);
        }

        /** Returns whether it is more than some percent of the bound. */
        public boolean isOver(int percent) {
            return taken * 100 > most * percent;
        }
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
            throw new BoundExceededException(table, Bound.ROWS, rows);
        }
    }

    /**
     * Takes the bytes of values of rows that were read.
     *
     * @throws BoundExceededException if these are more than may be read
     */
    public void bytes(TableModel table, long count) {
        if (bytesRead.addAndGet(count) > bytes) {
            throw new BoundExceededException(table, Bound.BYTES, bytes);
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
            throw new BoundExceededException(table, Bound.REQUESTS, requests);
        }
    }

    /**
     * Takes the number of rows of a table of which all were read, and which is not declared small. They are among {@link #rows}.
     *
     * @param most how many may be read of such a table
     */
    public void scanned(TableModel table, int count, int most) {
        Use use = new Use(Bound.SCAN, count, most, table);
        scanned.accumulateAndGet(use, (before, now) -> before == null || before.taken() < use.taken() ? now : before);
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

    /** Returns the bound of which the largest part was used so far. */
    public Use mostUsed() {
        return Stream.of(
                        Stream.ofNullable(scanned.get()),
                        Stream.of(
                                new Use(Bound.ROWS, rowsRead.get(), rows, null),
                                new Use(Bound.REQUESTS, requestsSent.get(), requests, null),
                                new Use(Bound.BYTES, bytesRead.get(), bytes, null)))
                .flatMap(each -> each)
                .max(BY_PART)
                .orElseThrow();
    }
}
