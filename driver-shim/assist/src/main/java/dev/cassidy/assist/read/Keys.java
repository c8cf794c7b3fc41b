package dev.cassidy.assist.read;

import dev.cassidy.jdbc.assist.ColumnModel;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Values by which rows are found, as columns have them. */
final class Keys {

    private Keys() {}

    /** Returns a value as a column has it; empty if no row of the column can have it, as NULL or a number beyond its range. */
    static Optional<Object> of(ColumnModel column, @Nullable Object value) {
        if (value == null) {
            return Optional.empty();
        }
        if (column.isWhole()) {
            BigInteger number =
                    value instanceof BigInteger big ? big : BigInteger.valueOf(((Number) value).longValue());
            return column.isWithin(number) ? Optional.of(number.longValueExact()) : Optional.empty();
        }
        boolean known = value instanceof String || value instanceof UUID || value instanceof LocalDate;
        if (!known) {
            throw new IllegalArgumentException("a " + value.getClass().getName() + " finds no row by " + column.name());
        }
        return Optional.of(value);
    }

    /** Returns what two values have in common if, and only if, they find the same rows. */
    static Object form(ColumnModel column, Object value) {
        return column.collation() != null && value instanceof String text
                ? column.collation().fold(text)
                : value;
    }
}
