package dev.cassidy.counter.store;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * A row of a counter's table as it was read.
 *
 * @param actor who wrote it
 * @param version of the row
 * @param increment null for a bookend
 * @param upto for a base and its bookend: the last version that the base contains; null for an increment
 * @param timestamp the write timestamp of the increment, or of {@code upto} where there is none
 * @param expires whether the row has a time to live
 */
public record CounterRow(
        String actor,
        long version,
        @Nullable BigInteger increment,
        @Nullable Long upto,
        long timestamp,
        boolean expires) {

    /** Whether the row holds what was folded before. */
    boolean isBase() {
        return upto != null && increment != null;
    }
}
