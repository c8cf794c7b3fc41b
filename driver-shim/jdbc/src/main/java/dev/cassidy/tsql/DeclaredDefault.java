package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import org.jspecify.annotations.Nullable;

/**
 * A column's default.
 *
 * @param column its internal name
 * @param name the constraint's; null if it was given none
 * @param type the column's type in CQL; null if the table has the column already
 * @param required whether the column is NOT NULL, and added to a table that may have rows
 */
public record DeclaredDefault(
        String column, @Nullable String name, @Nullable String type, Value value, boolean required) {

    /**
     * What DEFAULT gives.
     *
     * @param constant of CONSTANT: a BigDecimal, a Double, a String or a ByteBuffer
     * @param sequence of NEXT_VALUE
     * @param expression as it is written
     */
    public record Value(
            Source source, @Nullable Object constant, CqlInsert.@Nullable Table sequence, String expression) {

        /** Where the value comes from. */
        public enum Source {
            CONSTANT,
            NOW,
            NEW_ID,
            NEXT_VALUE
        }
    }
}
