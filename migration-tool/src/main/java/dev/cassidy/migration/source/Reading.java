package dev.cassidy.migration.source;

import java.math.BigInteger;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one look at an identity column found.
 *
 * @param furthest MAX of the column, MIN if its increment is negative; null when the table has no rows
 * @param lastValue the last id that the source generated; null when it never did, or forgot (TRUNCATE)
 * @param ahead the nearest existing id beyond {@code lastValue}, read only where that lies behind the seed
 * @param fence the last id that the source still accepts; null where it has no such limit
 * @param elsewhere the furthest ids in columns that hold ids of this one: foreign keys, history tables
 * @param unread columns whose maximum was not read, because that would read too much: this one, or those of {@code elsewhere}
 */
public record Reading(
        SourceColumn column,
        @Nullable BigInteger furthest,
        @Nullable BigInteger lastValue,
        @Nullable BigInteger ahead,
        @Nullable BigInteger fence,
        List<Elsewhere> elsewhere,
        List<Unread> unread) {

    /**
     * A column whose maximum was not read.
     *
     * @param where {@code schema.table.column}
     * @param rows how many rows the catalogue says the table has; negative if it does not say
     */
    public record Unread(String where, long rows) {

        @Override
        public String toString() {
            return where + (rows < 0 ? " (of an unknown number of rows)" : " (about " + rows + " rows)");
        }
    }

    /**
     * Ids in another table.
     *
     * @param where {@code schema.table.column}
     */
    public record Elsewhere(String where, BigInteger furthest) {}

    public Reading {
        Objects.requireNonNull(column, "column");
        elsewhere = List.copyOf(elsewhere);
        unread = List.copyOf(unread);
    }

    /** A reading for which everything was read. */
    public Reading(
            SourceColumn column,
            @Nullable BigInteger furthest,
            @Nullable BigInteger lastValue,
            @Nullable BigInteger ahead,
            @Nullable BigInteger fence,
            List<Elsewhere> elsewhere) {
        this(column, furthest, lastValue, ahead, fence, elsewhere, List.of());
    }

    /** A reading of the table and its catalogue alone. */
    public Reading(
            SourceColumn column,
            @Nullable BigInteger furthest,
            @Nullable BigInteger lastValue,
            @Nullable BigInteger ahead) {
        this(column, furthest, lastValue, ahead, null, List.of());
    }

    /**
     * Returns this reading as a fence makes it: all ids up to {@code last} count as used. Failed inserts still consume
     * ids beyond a fence, and no row can have them, so the last value counts up to the fence only.
     */
    public Reading fencedAt(BigInteger last) {
        return new Reading(column, last, last, null, last, List.of(), unread);
    }

    /** Returns the furthest id that is known to be used, or that the source remembers; null if there is none. */
    public @Nullable BigInteger highWater() {
        BigInteger highWater = furthest;
        if (lastValue != null && (highWater == null || column.beyond(lastValue, highWater))) {
            highWater = lastValue;
        }
        return furthestRow(highWater);
    }

    /** Returns the furthest id that a row has, here or elsewhere, or {@code other}; null if there is none. */
    public @Nullable BigInteger furthestRow(@Nullable BigInteger other) {
        BigInteger found = other;
        if (furthest != null && (found == null || column.beyond(furthest, found))) {
            found = furthest;
        }
        for (Elsewhere each : elsewhere) {
            if (found == null || column.beyond(each.furthest(), found)) {
                found = each.furthest();
            }
        }
        return found;
    }

    /** Returns whether the table was never used or was truncated; the two look the same. */
    public boolean empty() {
        return furthest == null && lastValue == null && elsewhere.isEmpty();
    }
}
