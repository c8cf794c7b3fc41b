package dev.cassidy.assist.plan;

import dev.cassidy.assist.tree.Backslashes;
import dev.cassidy.definition.SqlType;
import dev.cassidy.jdbc.assist.ColumnModel;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.sf.jsqlparser.expression.CastExpression;
import net.sf.jsqlparser.expression.DoubleValue;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.JdbcParameter;
import net.sf.jsqlparser.expression.LongValue;
import net.sf.jsqlparser.expression.SignedExpression;
import net.sf.jsqlparser.expression.StringValue;
import org.jspecify.annotations.Nullable;

/**
 * Values that are known before anything is read. One of another type than its column is converted, where T-SQL converts it so and loses
 * nothing: then a row has the value if, and only if, T-SQL takes the two for equal. All else finds no row by its key.
 */
final class Constants {

    private static final Pattern WHOLE = Pattern.compile("-?[0-9]{1,19}");
    private static final Pattern DAY = Pattern.compile("([0-9]{4})(-?)([0-9]{2})\\2([0-9]{2})");
    private static final Pattern GUID = Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

    /** From here on, two whole numbers are one number of this type. */
    private static final double FIRST_INEXACT_DOUBLE = 1L << 53;

    private static final double FIRST_INEXACT_FLOAT = 1L << 24;

    /** More digits would not fit beside those of a BIGINT in T-SQL's widest decimal. */
    private static final int MOST_DIGITS = 18;

    private final List<@Nullable Object> parameters;

    Constants(List<@Nullable Object> parameters) {
        this.parameters = parameters;
    }

    /**
     * Returns a value by which rows of a column are found; null if it is none.
     *
     * @param alone whether the column is compared with this value alone: beside others it may be compared as a type that these have
     */
    @Nullable
    Term term(@Nullable Expression expression, ColumnModel column, boolean alone) {
        if (expression instanceof JdbcParameter parameter
                && Family.finds(column, parameters.get(parameter.getIndex() - 1))) {
            return new Term.Parameter(parameter.getIndex() - 1);
        }
        Object value = value(expression);
        if (value == null) {
            return null;
        }
        Object own = Family.finds(column, value) ? value : converted(value, column, alone);
        return own == null ? null : new Term.Literal(own);
    }

    /** Returns whether an expression is NULL; empty if only a row decides. */
    Optional<Boolean> isNull(@Nullable Expression expression) {
        if (expression instanceof JdbcParameter parameter) {
            return Optional.of(parameters.get(parameter.getIndex() - 1) == null);
        }
        return Optional.empty();
    }

    private @Nullable Object value(@Nullable Expression expression) {
        if (expression instanceof JdbcParameter parameter) {
            return parameters.get(parameter.getIndex() - 1);
        }
        if (expression instanceof LongValue number) {
            return number(number.getStringValue());
        }
        if (expression instanceof DoubleValue number) {
            return number(number.toString());
        }
        if (expression instanceof SignedExpression signed
                && signed.getSign() == '-'
                && (signed.getExpression() instanceof LongValue || signed.getExpression() instanceof DoubleValue)) {
            return number("-" + signed.getExpression());
        }
        if (expression instanceof StringValue text) {
            return Backslashes.shown(text.getNotExcapedValue());
        }
        return expression instanceof CastExpression cast ? cast(cast) : null;
    }

    private static @Nullable Object number(String written) {
        try {
            if (written.contains("e") || written.contains("E")) {
                return Double.valueOf(written);
            }
            return written.contains(".") ? new BigDecimal(written) : new BigInteger(written);
        } catch (NumberFormatException hexadecimal) {
            return null;
        }
    }

    private @Nullable Object cast(CastExpression cast) {
        if (!"CAST".equalsIgnoreCase(cast.keyword) || cast.getFormat() != null) {
            return null;
        }
        Object inner = value(Brackets.bare(cast.getLeftExpression()));
        SqlType type =
                SqlType.parse(String.valueOf(cast.getColDataType()).trim()).orElse(null);
        if (inner == null || type == null) {
            return null;
        }
        ColumnModel target = new ColumnModel("", type, null, ColumnModel.Place.REGULAR, false);
        return switch (Family.of(target)) {
            // A fraction would be cut off.
            case WHOLE -> whole(inner, target);
            case DATE, UUID -> Family.finds(target, inner) ? inner : converted(inner, target, true);
            default -> null;
        };
    }

    private static @Nullable Object whole(Object value, ColumnModel target) {
        BigInteger number = value instanceof BigInteger big
                ? big
                : value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte
                        ? BigInteger.valueOf(((Number) value).longValue())
                        : value instanceof String text ? ofText(text) : null;
        return number != null && target.isWithin(number) ? number : null;
    }

    private static @Nullable Object converted(Object value, ColumnModel column, boolean alone) {
        return switch (Family.of(column)) {
            case WHOLE -> {
                if (value instanceof String text) {
                    BigInteger number = ofText(text);
                    // T-SQL converts it to the column's type, and refuses what is beyond.
                    yield number != null && column.isWithin(number) ? number : null;
                }
                yield ofNumber(value, alone);
            }
            case UUID -> value instanceof String text && GUID.matcher(text).matches() ? UUID.fromString(text) : null;
            case DATE -> value instanceof String text ? day(text) : null;
            default -> null;
        };
    }

    private static @Nullable BigInteger ofText(String text) {
        return WHOLE.matcher(text).matches() ? new BigInteger(text) : null;
    }

    private static @Nullable BigInteger ofNumber(Object value, boolean alone) {
        if (value instanceof BigDecimal decimal) {
            boolean small = decimal.scale() >= 0
                    && decimal.scale() <= MOST_DIGITS
                    && decimal.precision() - decimal.scale() <= MOST_DIGITS;
            return small && decimal.stripTrailingZeros().scale() <= 0 ? decimal.toBigIntegerExact() : null;
        }
        if (alone && (value instanceof Double || value instanceof Float)) {
            double number = ((Number) value).doubleValue();
            double bound = value instanceof Float ? FIRST_INEXACT_FLOAT : FIRST_INEXACT_DOUBLE;
            return Math.abs(number) < bound && number == Math.rint(number) ? BigInteger.valueOf((long) number) : null;
        }
        return null;
    }

    /** Reads the forms that mean one day in each language. */
    private static @Nullable LocalDate day(String text) {
        Matcher parts = DAY.matcher(text);
        if (!parts.matches() || parts.group(1).equals("0000")) {
            return null;
        }
        try {
            return LocalDate.of(
                    Integer.parseInt(parts.group(1)),
                    Integer.parseInt(parts.group(3)),
                    Integer.parseInt(parts.group(4)));
        } catch (DateTimeException noSuchDay) {
            return null;
        }
    }
}
