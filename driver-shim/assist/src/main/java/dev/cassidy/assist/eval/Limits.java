package dev.cassidy.assist.eval;

import java.time.Duration;

/**
 * How much one evaluation may take.
 *
 * @param time after which it ends; in whole milliseconds
 * @param resultRows how many rows the result may have
 * @param joinedRows how many rows the statement and its subqueries may make in all, before they are sorted or grouped
 * @param characters how many UTF-16 units the functions may make in all
 */
public record Limits(Duration time, int resultRows, long joinedRows, long characters) {

    public Limits {
        if (time.toMillis() <= 0 || time.toMillis() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("must be at least 1 ms, and less than 24 days: time=" + time);
        }
        if (resultRows <= 0 || resultRows == Integer.MAX_VALUE) {
            throw new IllegalArgumentException("must be > 0, and less than 2147483647: resultRows=" + resultRows);
        }
        if (joinedRows <= 0) {
            throw new IllegalArgumentException("must be > 0: joinedRows=" + joinedRows);
        }
        if (characters <= 0) {
            throw new IllegalArgumentException("must be > 0: characters=" + characters);
        }
    }

    /** Returns the same with another time. */
    Limits within(Duration other) {
        return new Limits(other, resultRows, joinedRows, characters);
    }

    /** Returns 30 s, 100,000 rows of the result, a million rows in all, and 64 million characters. */
    public static Limits defaults() {
        return new Limits(Duration.ofSeconds(30), 100_000, 1_000_000, 64_000_000);
    }
}
