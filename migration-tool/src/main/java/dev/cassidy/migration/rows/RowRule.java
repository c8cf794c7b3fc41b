package dev.cassidy.migration.rows;

import dev.cassidy.cql.ColumnRule;
import dev.cassidy.cql.ColumnValueException;
import dev.cassidy.definition.ColumnDefinition;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.temporal.Temporal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Judges values that rows have by the rule that the session keeps when it writes the column. Immutable. */
final class RowRule {

    private static final String OUT_OF_RANGE = "is out of the range";

    private final ColumnRule rule;

    RowRule(ColumnDefinition column) {
        this.rule = new ColumnRule("", column);
    }

    /** Returns whether a row can break it. */
    boolean asksForAnything() {
        return rule.asksForAnything();
    }

    /**
     * Returns what is wrong with a value of a row, if the session would refuse it or store another one in its place. The value is
     * not shown: {@code has 35 characters}.
     */
    Optional<String> breach(@Nullable Object value) {
        if (value == null) {
            return rule.column().required() ? Optional.of("has no value") : Optional.empty();
        }
        try {
            return isSame(value, rule.stored(value)) ? Optional.empty() : Optional.of(size(value));
        } catch (ColumnValueException e) {
            return Optional.of(value instanceof Temporal ? OUT_OF_RANGE : size(value));
        }
    }

    /** Zeros at the end of a decimal say nothing: it is read with the scale that is declared. */
    private static boolean isSame(Object value, Object stored) {
        if (value instanceof BigDecimal number && stored instanceof BigDecimal rounded) {
            return number.compareTo(rounded) == 0;
        }
        return value.equals(stored);
    }

    private static String size(Object value) {
        if (value instanceof String text) {
            return "has " + counted(text.length(), "character");
        }
        if (value instanceof ByteBuffer bytes) {
            return "has " + counted(bytes.remaining(), "byte");
        }
        if (value instanceof BigDecimal number) {
            long scale = number.scale();
            return "has " + counted(Math.max(number.precision() - scale, 0), "digit") + " before the point and "
                    + Math.max(scale, 0) + " after it";
        }
        if (value instanceof Temporal) {
            return "has more digits of a second";
        }
        return OUT_OF_RANGE;
    }

    private static String counted(long count, String unit) {
        return count + " " + unit + (count == 1 ? "" : "s");
    }
}
