package dev.cassidy.cql;

import dev.cassidy.definition.ColumnDefinition;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Judges values that rows have by the rule that the session keeps when it writes the column. For Cassidy's own tools: an
 * application asks for nothing here, because the session refuses what breaks a rule. Immutable.
 */
public final class RowRule {

    private final ColumnRule rule;

    private RowRule(ColumnRule rule) {
        this.rule = rule;
    }

    public static RowRule of(ColumnDefinition column) {
        return new RowRule(new ColumnRule("", column));
    }

    /** Returns whether a row can break the rule. */
    public boolean asksForAnything() {
        return rule.asksForAnything();
    }

    /** Returns whether a value can break the rule, besides NULL. */
    public boolean restricts() {
        return rule.restricts();
    }

    /**
     * Returns what is wrong with a value of a row, if the session would refuse it or store another one in its place. The value is
     * not shown: {@code has 35 characters}.
     */
    public Optional<String> breach(@Nullable Object value) {
        if (value == null) {
            return rule.column().required() ? Optional.of("has no value") : Optional.empty();
        }
        try {
            return isSame(value, rule.stored(value)) ? Optional.empty() : Optional.of(size(value));
        } catch (ColumnValueException e) {
            return Optional.of(size(value));
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
        return "is out of the range";
    }

    private static String counted(long count, String unit) {
        return count + " " + unit + (count == 1 ? "" : "s");
    }
}
