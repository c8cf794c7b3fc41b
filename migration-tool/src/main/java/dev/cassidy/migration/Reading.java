package dev.cassidy.migration;

import java.math.BigInteger;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one look at an identity column found.
 *
 * @param furthest MAX of the column, MIN if its increment is negative; null when the table has no rows
 * @param lastValue the last id that the source generated; null when it never did, or forgot (TRUNCATE)
 * @param ahead the nearest existing id beyond {@code lastValue}, read only where ids seem to have wrapped
 */
record Reading(
        SourceColumn column,
        @Nullable BigInteger furthest,
        @Nullable BigInteger lastValue,
        @Nullable BigInteger ahead) {

    Reading {
        Objects.requireNonNull(column, "column");
    }

    /** Returns whether the table was never used or was truncated; the two look the same. */
    boolean empty() {
        return furthest == null && lastValue == null;
    }
}
