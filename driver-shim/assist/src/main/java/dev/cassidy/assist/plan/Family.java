package dev.cassidy.assist.plan;

import dev.cassidy.jdbc.assist.ColumnModel;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Kinds of values of which two are equal in T-SQL if, and only if, Cassandra's keys are. 7.5 and 7.50 are two keys, a
 * {@code timestamp} is rounded, and a string that is compared with a number is converted: such values find no key.
 */
enum Family {
    WHOLE,
    STRING,
    UUID,
    DATE,
    OTHER;

    static Family of(ColumnModel column) {
        if (column.isWhole()) {
            return WHOLE;
        }
        return switch (column.type().name()) {
            case CHAR, VARCHAR, NCHAR, NVARCHAR -> STRING;
            case UNIQUEIDENTIFIER -> UUID;
            case DATE -> DATE;
            default -> OTHER;
        };
    }

    private static Family of(Object value) {
        if (value instanceof Integer
                || value instanceof Long
                || value instanceof Short
                || value instanceof Byte
                || value instanceof BigInteger) {
            return WHOLE;
        }
        if (value instanceof String) {
            return STRING;
        }
        if (value instanceof UUID) {
            return UUID;
        }
        return value instanceof LocalDate ? DATE : OTHER;
    }

    /** Returns whether a column's rows can be found by a value. By NULL none is found, and none is equal to it. */
    static boolean finds(ColumnModel column, @Nullable Object value) {
        Family family = of(column);
        return family != OTHER && (value == null || family == of(value));
    }

    /** Returns whether a column's rows can be found by the values of another one. */
    static boolean finds(ColumnModel column, ColumnModel values) {
        return of(column) != OTHER
                && of(column) == of(values)
                && Objects.equals(column.collation(), values.collation())
                && (!isFilledUp(values) || isFilledUp(column) || !isByCode(column));
    }

    /** Blanks at the end do not count beside a CHAR, but do in a key that is compared by code. */
    private static boolean isFilledUp(ColumnModel column) {
        return switch (column.type().name()) {
            case CHAR, NCHAR -> true;
            default -> false;
        };
    }

    private static boolean isByCode(ColumnModel column) {
        return column.collation() == null || column.collation().isBinary();
    }
}
