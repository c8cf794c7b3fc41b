package dev.cassidy.assist.eval;

import dev.cassidy.jdbc.assist.EvaluationException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/** The functions of numbers, as H2 calls them. Null gives null. */
public final class NumberFunctions {

    private static final int MAX_DIGITS = 38;

    private NumberFunctions() {}

    /** A quotient of decimals: T-SQL cuts its digits. */
    public static @Nullable BigDecimal divide(@Nullable BigDecimal left, @Nullable BigDecimal right, int scale) {
        if (left == null || right == null) {
            return null;
        }
        if (right.signum() == 0) {
            throw new EvaluationException(8134, "22012", "Divide by zero error encountered");
        }
        return left.divide(right, scale, RoundingMode.DOWN);
    }

    /** A remainder of decimals, with the sign of the dividend. */
    public static @Nullable BigDecimal remainder(@Nullable BigDecimal left, @Nullable BigDecimal right) {
        if (left == null || right == null) {
            return null;
        }
        if (right.signum() == 0) {
            throw new EvaluationException(8134, "22012", "Divide by zero error encountered");
        }
        return left.remainder(right);
    }

    /** A FLOAT that is a number. */
    public static @Nullable Double finite(@Nullable Double value) {
        if (value != null && !Double.isFinite(value)) {
            throw EvaluationException.overflow("float");
        }
        return value;
    }

    /** A REAL that is a number. */
    public static @Nullable Float finitereal(@Nullable Float value) {
        if (value != null && !Float.isFinite(value)) {
            throw EvaluationException.overflow("real");
        }
        return value;
    }

    /** A TINYINT: 0 to 255. */
    public static @Nullable Short tinyint(@Nullable Long value) {
        if (value != null && (value < 0 || value > 255)) {
            throw EvaluationException.overflow("tinyint");
        }
        return value == null ? null : (short) (long) value;
    }

    /** A decimal without what is after its point. */
    public static @Nullable BigDecimal truncated(@Nullable BigDecimal value) {
        return value == null ? null : value.setScale(0, RoundingMode.DOWN);
    }

    /** A FLOAT as the decimal that it shows. */
    public static @Nullable BigDecimal exact(@Nullable Double value) {
        return value == null ? null : new BigDecimal(Double.toString(value));
    }

    /** ROUND of a decimal of that precision and scale. */
    public static @Nullable BigDecimal round(
            @Nullable BigDecimal value, @Nullable Long digits, @Nullable Long truncate, int precision, int scale) {
        if (value == null || digits == null || truncate == null) {
            return null;
        }
        int places = (int) Math.max(-MAX_DIGITS - 1L, Math.min(scale, digits));
        BigDecimal rounded = value.setScale(places, truncate == 0 ? RoundingMode.HALF_UP : RoundingMode.DOWN)
                .setScale(scale, RoundingMode.UNNECESSARY);
        if (rounded.precision() > precision) {
            throw EvaluationException.overflow("numeric");
        }
        return rounded;
    }

    /** ROUND of a FLOAT. */
    public static @Nullable Double roundfloat(@Nullable Double value, @Nullable Long digits, @Nullable Long truncate) {
        if (value == null || digits == null || truncate == null) {
            return null;
        }
        int places = (int) Math.max(-400L, Math.min(400, digits));
        return exactOf(value)
                .setScale(places, truncate == 0 ? RoundingMode.HALF_UP : RoundingMode.DOWN)
                .doubleValue();
    }

    private static BigDecimal exactOf(double value) {
        return new BigDecimal(Double.toString(value));
    }

    /** CEILING of a decimal. */
    public static @Nullable BigDecimal ceiling(@Nullable BigDecimal value) {
        return value == null ? null : value.setScale(0, RoundingMode.CEILING);
    }

    /** FLOOR of a decimal. */
    public static @Nullable BigDecimal floor(@Nullable BigDecimal value) {
        return value == null ? null : value.setScale(0, RoundingMode.FLOOR);
    }

    /** CEILING of a FLOAT. */
    public static @Nullable Double ceilingfloat(@Nullable Double value) {
        return value == null ? null : Math.ceil(value) + 0.0;
    }

    /** FLOOR of a FLOAT. */
    public static @Nullable Double floorfloat(@Nullable Double value) {
        return value == null ? null : Math.floor(value);
    }

    /** ABS. */
    public static @Nullable BigDecimal abs(@Nullable BigDecimal value) {
        return value == null ? null : value.abs();
    }

    /** ABS of a FLOAT. */
    public static @Nullable Double absfloat(@Nullable Double value) {
        return value == null ? null : Math.abs(value);
    }

    /** SIGN. */
    public static @Nullable Integer sign(@Nullable BigDecimal value) {
        return value == null ? null : value.signum();
    }

    /** SIGN of a FLOAT. */
    public static @Nullable Double signfloat(@Nullable Double value) {
        return value == null ? null : Math.signum(value);
    }

    /** POWER. */
    public static @Nullable Double power(@Nullable Double base, @Nullable Double exponent) {
        if (base == null || exponent == null) {
            return null;
        }
        if (base == 0 && exponent < 0) {
            throw new EvaluationException(8134, "22012", "Divide by zero error encountered");
        }
        return operation(Math.pow(base, exponent));
    }

    /** POWER of a whole number, which is one again: exact as long as it is, or 2 to the power of 62 would not be. */
    public static @Nullable BigDecimal powerwhole(@Nullable Long base, @Nullable Double exponent) {
        if (base == null || exponent == null) {
            return null;
        }
        if (exponent >= 0 && exponent <= 63 && exponent == Math.rint(exponent)) {
            return BigDecimal.valueOf(base).pow((int) (double) exponent);
        }
        Double result = power((double) base, exponent);
        return result == null ? null : exactOf(result).setScale(0, RoundingMode.DOWN);
    }

    /** SQRT. */
    public static @Nullable Double sqrt(@Nullable Double value) {
        return value == null ? null : operation(Math.sqrt(value));
    }

    /** SQUARE. */
    public static @Nullable Double square(@Nullable Double value) {
        return value == null ? null : operation(value * value);
    }

    /** EXP. */
    public static @Nullable Double exp(@Nullable Double value) {
        return value == null ? null : operation(Math.exp(value));
    }

    /** LOG: the natural one. */
    public static @Nullable Double log(@Nullable Double value) {
        return value == null ? null : operation(Math.log(value));
    }

    /** LOG10. */
    public static @Nullable Double log10(@Nullable Double value) {
        return value == null ? null : operation(Math.log10(value));
    }

    private static double operation(double result) {
        if (Double.isNaN(result)) {
            throw new EvaluationException(3623, "22003", "An invalid floating point operation occurred");
        }
        if (Double.isInfinite(result)) {
            throw EvaluationException.overflow("float");
        }
        return result;
    }

    /** STR. */
    public static @Nullable String str(@Nullable Double value, @Nullable Long length, @Nullable Long decimals) {
        if (value == null || length == null || decimals == null || length < 0 || length > 8_000 || decimals < 0) {
            return null;
        }
        int places = (int) Math.min(16, decimals);
        BigDecimal exact = exactOf(value);
        String whole = exact.setScale(0, RoundingMode.HALF_UP).toPlainString();
        if (whole.length() > length) {
            return "*".repeat((int) (long) length);
        }
        // The places after the point give way.
        long room = length - integerDigits(exact) - 1;
        places = (int) Math.max(0, Math.min(places, room));
        String text = exact.setScale(places, RoundingMode.HALF_UP).toPlainString();
        return text.length() > length
                ? "*".repeat((int) (long) length)
                : " ".repeat((int) (length - text.length())) + text;
    }

    private static int integerDigits(BigDecimal value) {
        return value.setScale(0, RoundingMode.DOWN).toPlainString().length()
                + (value.signum() < 0 && value.abs().compareTo(BigDecimal.ONE) < 0 ? 1 : 0);
    }
}
