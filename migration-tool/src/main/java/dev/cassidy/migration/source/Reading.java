package dev.cassidy.migration.source;

import java.math.BigInteger;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one look at an identity column found.
 *
 * @param furthest MAX of the column, MIN if its increment is negative; null when the table has no rows
 * @param lastValue the last id that the source generated; null when it never did, or forgot (TRUNCATE)
 * @param ahead the nearest existing id beyond {@code lastValue}, read only where that lies behind the seed
 */
public record Reading(
        SourceColumn column,
        @Nullable BigInteger furthest,
        @Nullable BigInteger lastValue,
        @Nullable BigInteger ahead) {

    public Reading {
        Objects.requireNonNull(column, "column");
    }

    /** Returns whether the table was never used or was truncated; the two look the same. */
    public boolean empty() {
        return furthest == null && lastValue == null;
    }
}
