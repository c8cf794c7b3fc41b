package dev.cassidy.migration.rows;

import java.time.Duration;
import java.util.Set;

/**
 * How rows are copied.
 *
 * @param parallelism how many connections read the source at a time, from 1 on
 * @param underWay how many writes may be unanswered, from 1 on
 * @param rangeSize about how many ids are read at a time, from 1 on
 * @param rowsASecond the most rows that are read in a second; 0 for no limit
 * @param retryFor for how long a write or read that fails is sent again
 * @param acceptedLosses {@code schema.table.column} of columns whose values may change
 */
public record CopySettings(
        int parallelism,
        int underWay,
        long rangeSize,
        long rowsASecond,
        Duration retryFor,
        Set<String> acceptedLosses) {

    public CopySettings {
        requirePositive(parallelism, "parallelism");
        requirePositive(underWay, "underWay");
        requirePositive(rangeSize, "rangeSize");
        if (rowsASecond < 0) {
            throw new IllegalArgumentException("must be >= 0: rowsASecond=" + rowsASecond);
        }
        acceptedLosses = Set.copyOf(acceptedLosses);
    }

    private static void requirePositive(long value, String name) {
        if (value < 1) {
            throw new IllegalArgumentException("must be > 0: " + name + "=" + value);
        }
    }

    public static CopySettings defaults() {
        return new CopySettings(4, 512, 50_000, 0, Duration.ofMinutes(5), Set.of());
    }

    public CopySettings withParallelism(int count) {
        return new CopySettings(count, underWay, rangeSize, rowsASecond, retryFor, acceptedLosses);
    }

    public CopySettings withRangeSize(long ids) {
        return new CopySettings(parallelism, underWay, ids, rowsASecond, retryFor, acceptedLosses);
    }

    public CopySettings withRowsASecond(long rows) {
        return new CopySettings(parallelism, underWay, rangeSize, rows, retryFor, acceptedLosses);
    }

    CopySettings withRetryFor(Duration time) {
        return new CopySettings(parallelism, underWay, rangeSize, rowsASecond, time, acceptedLosses);
    }

    public CopySettings withAcceptedLosses(Set<String> columns) {
        return new CopySettings(parallelism, underWay, rangeSize, rowsASecond, retryFor, columns);
    }

    /** Returns what refuses a row whose values would change, unless their column is accepted; never a key's. */
    Losses losses() {
        return (column, kind, was, becomes) -> {
            if (column.key()) {
                throw new RowRefused(column.qualifiedName() + " is part of Cassandra's key and would change from " + was
                        + " to " + becomes + " (" + kind.meaning()
                        + "): two rows could become one. Choose another key, or a text for this column");
            }
            if (!acceptedLosses.contains(column.qualifiedName())) {
                throw new RowRefused(column.qualifiedName() + " would change from " + was + " to " + becomes + " ("
                        + kind.meaning() + "): accept it with --accept-loss '" + column.qualifiedName()
                        + "', which schema counts");
            }
        };
    }
}
