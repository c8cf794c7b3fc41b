package dev.cassidy.jdbc.value;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Converts numbers from one type to another, exactly or not at all. The only rounding that is allowed is that of
 * decimal fractions in binary floating point (0.1 as a double), because such a column implies it.
 */
final class Numbers {

    private static final int LONGEST_TEXT = 1_000;

    private static final Pattern HUGE = Pattern.compile("[-+]?[0-9]+([.][0-9]+)?[eE][-+]?[0-9]{10,}");

    private Numbers() {}

    static long integer(Object value, long lowest, long highest, String type) throws ConversionException {
        return integer(value, lowest, highest, type, 0);
    }

    /** @param overflow SQL Server's number of the error for a number that is too large, unless it is in a text */
    static long integer(Object value, long lowest, long highest, String type, int overflow) throws ConversionException {
        int number = value instanceof CharSequence ? 0 : overflow;
        long exact;
        if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
            exact = ((Number) value).longValue();
        } else {
            BigDecimal decimal = decimal(value, type);
            try {
                exact = decimal.longValueExact();
            } catch (ArithmeticException e) {
                boolean whole = decimal.stripTrailingZeros().scale() <= 0;
                throw ConversionException.outOfRange(
                        value, type, "a whole number from " + lowest + " to " + highest, whole ? number : 0);
            }
        }
        if (exact < lowest || exact > highest) {
            throw ConversionException.outOfRange(value, type, lowest + " to " + highest, number);
        }
        return exact;
    }

    static BigInteger bigInteger(Object value, String type) throws ConversionException {
        if (value instanceof BigInteger integer) {
            return integer;
        }
        BigDecimal decimal = decimal(value, type);
        // 1E+1000000000 is a few bytes as a decimal and half a gigabyte as an integer.
        if (decimal.precision() - (long) decimal.scale() > LONGEST_TEXT) {
            throw ConversionException.outOfRange(value, type, "at most " + LONGEST_TEXT + " digits");
        }
        try {
            return decimal.toBigIntegerExact();
        } catch (ArithmeticException e) {
            throw ConversionException.outOfRange(value, type, "a whole number");
        }
    }

    static double doubleValue(Object value, String type) throws ConversionException {
        if (value instanceof Double || value instanceof Float) {
            return ((Number) value).doubleValue();
        }
        BigDecimal decimal = decimal(value, type);
        double nearest = decimal.doubleValue();
        requireFinite(Double.isInfinite(nearest), value, type);
        requireExactInteger(decimal, nearest, value, type);
        return nearest;
    }

    static float floatValue(Object value, String type) throws ConversionException {
        if (value instanceof Float single) {
            return single;
        }
        if (value instanceof Double wide) {
            float nearest = wide.floatValue();
            requireFinite(Float.isInfinite(nearest) && !wide.isInfinite(), value, type);
            return nearest;
        }
        BigDecimal decimal = decimal(value, type);
        float nearest = decimal.floatValue();
        requireFinite(Float.isInfinite(nearest), value, type);
        requireExactInteger(decimal, nearest, value, type);
        return nearest;
    }

    private static void requireFinite(boolean overflow, Object value, String type) throws ConversionException {
        if (overflow) {
            throw ConversionException.outOfRange(value, type, "its largest value is smaller");
        }
    }

    /**
     * Integers beyond 2^53 (2^24) would become other integers, whatever type or text they come as. One with an
     * exponent, 1E+23, counts as a measured value and not as an integer: the text of a double looks like that.
     */
    private static void requireExactInteger(BigDecimal given, double nearest, Object value, String type)
            throws ConversionException {
        boolean whole = given.scale() >= 0 && given.stripTrailingZeros().scale() <= 0;
        if (whole && new BigDecimal(nearest).compareTo(given) != 0) {
            throw ConversionException.outOfRange(value, type, "it holds no integer of so many digits exactly");
        }
    }

    /** A decimal that can be written without an exponent: 1E+999999999 would take a gigabyte. */
    static BigDecimal storedDecimal(Object value) throws ConversionException {
        BigDecimal decimal = decimal(value, "decimal");
        if (!isShort(decimal)) {
            throw ConversionException.outOfRange(value, "decimal", "at most " + LONGEST_TEXT + " digits");
        }
        return decimal;
    }

    /** Returns whether a number has no more digits, without an exponent, than a text may have. */
    static boolean isShort(BigDecimal decimal) {
        return Math.abs((long) decimal.scale()) <= LONGEST_TEXT && decimal.precision() <= LONGEST_TEXT;
    }

    static BigDecimal decimal(Object value, String type) throws ConversionException {
        if (value instanceof BigDecimal decimal) {
            return decimal;
        }
        if (value instanceof BigInteger integer) {
            return new BigDecimal(integer);
        }
        if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return BigDecimal.valueOf(((Number) value).longValue());
        }
        if (value instanceof Double || value instanceof Float) {
            if (!Double.isFinite(((Number) value).doubleValue())) {
                throw ConversionException.outOfRange(value, type, "a finite number");
            }
            // By its shortest decimal text: 7.5 is 7.5, and 0.1f is 0.1 rather than 0.100000001490116.
            return new BigDecimal(value.toString());
        }
        if (value instanceof Boolean flag) {
            return flag ? BigDecimal.ONE : BigDecimal.ZERO;
        }
        if (value instanceof CharSequence text) {
            return parse(text.toString(), type);
        }
        if (value instanceof Number number) {
            return parse(number.toString(), type);
        }
        throw ConversionException.type(value, type);
    }

    private static BigDecimal parse(String text, String type) throws ConversionException {
        if (text.length() > LONGEST_TEXT) {
            throw ConversionException.text(text, type, "a number of at most " + LONGEST_TEXT + " characters");
        }
        String number = text.strip();
        try {
            return new BigDecimal(number);
        } catch (NumberFormatException e) {
            if (HUGE.matcher(number).matches()) {
                throw ConversionException.outOfRange(text, type, "its exponent has too many digits");
            }
            throw ConversionException.text(text, type, "a number such as -12.5");
        }
    }

    /** Reads a value as a boolean: as SQL Server's driver does, every number but 0 is true. */
    static boolean isTrue(Object value) throws ConversionException {
        return value instanceof Number ? decimal(value, "boolean").signum() != 0 : bool(value);
    }

    /** Converts a value that is stored: only 0 and 1 are kept as they are. */
    static boolean bool(Object value) throws ConversionException {
        if (value instanceof Boolean flag) {
            return flag;
        }
        if (value instanceof Number) {
            return integer(value, 0, 1, "boolean") == 1;
        }
        if (value instanceof CharSequence text) {
            switch (text.toString().strip().toLowerCase(Locale.ROOT)) {
                case "true", "1" -> {
                    return true;
                }
                case "false", "0" -> {
                    return false;
                }
                default -> throw ConversionException.text(value, "boolean", "true, false, 1 or 0");
            }
        }
        throw ConversionException.type(value, "boolean");
    }
}
