package dev.cassidy.tsql;

import dev.cassidy.insert.UnsupportedSqlException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/**
 * A number of SQL Server. Calculates as SQL Server does: a result that does not fit its type is error 8115, never
 * another number, and a division of whole numbers cuts off. Immutable.
 *
 * @param value a Long of a whole number, a BigDecimal of a decimal with the scale of its type, a Double of the others,
 *     which is finite
 */
record SqlNumber(NumberType type, Number value) {

    static final int OVERFLOW = 8115;
    static final int DIVISION_BY_ZERO = 8134;

    /** SQL Server's decimals have no more digits after the point. */
    private static final int MAX_SCALE = NumberType.MAX_DIGITS;

    /** Makes a number of a type from any number, which must be one of that type already. */
    static SqlNumber of(NumberType type, Number given) {
        return switch (type.kind()) {
            case TINYINT, SMALLINT, INT, BIGINT -> whole(type, exact(given).toBigInteger(), given.toString());
            case DECIMAL -> decimal(type, exact(given));
            case REAL, FLOAT -> approximate(type, given.doubleValue(), given.toString());
        };
    }

    private static BigDecimal exact(Number given) {
        if (given instanceof BigDecimal decimal) {
            return decimal;
        }
        if (given instanceof BigInteger integer) {
            return new BigDecimal(integer);
        }
        return given instanceof Double || given instanceof Float
                ? new BigDecimal(given.toString())
                : BigDecimal.valueOf(given.longValue());
    }

    /** Reads a literal without a sign: an INT if it fits, otherwise a decimal; with an exponent a FLOAT. */
    static SqlNumber literal(String text) {
        if (text.indexOf('e') >= 0 || text.indexOf('E') >= 0) {
            return approximate(NumberType.FLOAT, Double.parseDouble(text), text);
        }
        if (text.length() > 2 * MAX_SCALE) {
            throw overflow(NumberType.decimal(MAX_SCALE, 0), text);
        }
        BigDecimal number = new BigDecimal(text);
        boolean whole = text.indexOf('.') < 0;
        if (whole && number.compareTo(BigDecimal.valueOf(Integer.MAX_VALUE)) <= 0) {
            return new SqlNumber(
                    new NumberType(NumberType.Kind.INT, number.precision(), 0), Long.valueOf(number.longValue()));
        }
        int precision = Math.max(number.precision(), number.scale());
        if (precision > MAX_SCALE) {
            throw overflow(NumberType.decimal(MAX_SCALE, Math.min(number.scale(), MAX_SCALE)), text);
        }
        return new SqlNumber(NumberType.decimal(precision, number.scale()), number);
    }

    // ---- values of a type, or error 8115

    private static SqlNumber whole(NumberType type, BigInteger number, String from) {
        if (number.bitLength() > 63 || number.longValue() < type.lowest() || number.longValue() > type.highest()) {
            throw overflow(type, from);
        }
        return new SqlNumber(type, Long.valueOf(number.longValue()));
    }

    private static SqlNumber approximate(NumberType type, double number, String from) {
        double rounded = type.kind() == NumberType.Kind.REAL ? (float) number : number;
        // SQL Server has neither an infinite number nor NaN.
        if (!Double.isFinite(rounded)) {
            throw overflow(type, from);
        }
        return new SqlNumber(type, Double.valueOf(rounded));
    }

    private static SqlNumber decimal(NumberType type, BigDecimal number) {
        return decimal(type, number, RoundingMode.HALF_UP);
    }

    private static SqlNumber decimal(NumberType type, BigDecimal number, RoundingMode rounding) {
        requireMeasure(type, number);
        if (!type.isOpen()) {
            BigDecimal scaled = number.setScale(type.scale(), rounding);
            if (wholeDigits(scaled) > type.precision() - type.scale()) {
                throw overflow(type, shown(number));
            }
            return new SqlNumber(type, scaled);
        }
        BigDecimal scaled = number.scale() < 0 ? number.setScale(0) : number;
        if (digits(scaled) > NumberType.MAX_DIGITS) {
            scaled = scaled.setScale(NumberType.limitedScale(wholeDigits(scaled), scaled.scale()), rounding);
        }
        if (digits(scaled) > NumberType.MAX_DIGITS) {
            throw overflow(NumberType.decimal(NumberType.MAX_DIGITS, scaled.scale()), shown(number));
        }
        return new SqlNumber(type, scaled);
    }

    /** Before any calculation: a sum with 1E+1000000000 would take half a gigabyte. */
    private static void requireMeasure(NumberType type, BigDecimal number) {
        if (number.signum() != 0 && number.precision() - (long) number.scale() > NumberType.MAX_DIGITS) {
            throw overflow(type.isOpen() ? NumberType.decimal(NumberType.MAX_DIGITS, 0) : type, shown(number));
        }
        if (number.scale() > 4 * MAX_SCALE || number.scale() < -4 * MAX_SCALE) {
            throw overflow(type.isOpen() ? NumberType.decimal(NumberType.MAX_DIGITS, MAX_SCALE) : type, shown(number));
        }
    }

    private static int digits(BigDecimal number) {
        return Math.max(number.precision(), number.scale());
    }

    private static int wholeDigits(BigDecimal number) {
        return number.signum() == 0 ? 0 : Math.max(0, number.precision() - number.scale());
    }

    private static String shown(BigDecimal number) {
        String text = number.toString();
        return text.length() <= 60 ? text : text.substring(0, 60) + "...";
    }

    static UnsupportedSqlException overflow(NumberType type, String what) {
        return UnsupportedSqlException.asSqlServer(
                OVERFLOW,
                "Arithmetic overflow error converting expression to data type " + type + ": " + what
                        + " does not fit. Cast an operand to a larger type, as CAST(n AS bigint)");
    }

    // ---- arithmetic

    SqlNumber with(NumberType.Operator operator, SqlNumber other) {
        NumberType result = NumberType.of(operator, type, other.type);
        if (operator == NumberType.Operator.DIVIDE || operator == NumberType.Operator.MODULO) {
            other.requireNotZero(this, operator);
        }
        return switch (result.kind()) {
            case REAL, FLOAT -> approximate(result, approximate(operator, other), formula(operator, other));
            case DECIMAL -> decimals(operator, other, result);
            default -> whole(result, wholes(operator, other), formula(operator, other));
        };
    }

    private String formula(NumberType.Operator operator, SqlNumber other) {
        return this + " " + operator.sign + " " + other;
    }

    private void requireNotZero(SqlNumber dividend, NumberType.Operator operator) {
        if (exact().signum() == 0) {
            throw UnsupportedSqlException.asSqlServer(
                    DIVISION_BY_ZERO,
                    "Divide by zero error encountered: " + dividend + " " + operator.sign + " 0. Leave the row out, or"
                            + " divide in the application");
        }
    }

    private BigInteger wholes(NumberType.Operator operator, SqlNumber other) {
        BigInteger left = BigInteger.valueOf(value.longValue());
        BigInteger right = BigInteger.valueOf(other.value.longValue());
        return switch (operator) {
            case PLUS -> left.add(right);
            case MINUS -> left.subtract(right);
            case TIMES -> left.multiply(right);
            case DIVIDE -> left.divide(right);
            case MODULO -> left.remainder(right);
        };
    }

    private double approximate(NumberType.Operator operator, SqlNumber other) {
        double left = value.doubleValue();
        double right = other.value.doubleValue();
        return switch (operator) {
            case PLUS -> left + right;
            case MINUS -> left - right;
            case TIMES -> left * right;
            case DIVIDE -> left / right;
            case MODULO -> throw new IllegalStateException("modulo of " + type);
        };
    }

    private SqlNumber decimals(NumberType.Operator operator, SqlNumber other, NumberType result) {
        BigDecimal left = exact();
        BigDecimal right = other.exact();
        return switch (operator) {
            case PLUS -> decimal(result, left.add(right));
            case MINUS -> decimal(result, left.subtract(right));
            case TIMES -> decimal(result, left.multiply(right));
            case MODULO -> decimal(result, left.remainder(right));
            case DIVIDE -> {
                int scale = result.isOpen()
                        ? NumberType.scaleOfQuotient(left.scale(), other.type, digits(right))
                        : result.scale();
                // SQL Server cuts a quotient off: 2.0 / 3 is 0.666666.
                yield decimal(result, left.divide(right, scale, RoundingMode.DOWN), RoundingMode.DOWN);
            }
        };
    }

    SqlNumber negated() {
        NumberType result = type.negated();
        return type.isWhole()
                ? whole(result, BigInteger.valueOf(value.longValue()).negate(), "-(" + this + ")")
                : of(result, type.isApproximate() ? -value.doubleValue() : exact().negate());
    }

    /** Converts as SQL Server's CAST does: to a whole number it cuts off, to a decimal it rounds. */
    SqlNumber as(NumberType other) {
        if (other.isWhole()) {
            return whole(other, exact().toBigInteger(), toString());
        }
        return other.isApproximate() ? approximate(other, value.doubleValue(), toString()) : decimal(other, exact());
    }

    /**
     * Returns the average of values.
     *
     * @param average its type
     * @param values how many there are, at least 1
     */
    static SqlNumber average(NumberType average, BigDecimal sum, long values) {
        // SQL Server adds them up in the same type, and so overflows with a large sum even if the average is small.
        if (average.isApproximate()) {
            return approximate(average, sum.doubleValue() / values, "AVG");
        }
        requireMeasure(average, sum);
        if (average.isWhole()) {
            SqlNumber total = whole(average, sum.toBigInteger(), "the sum " + shown(sum));
            return new SqlNumber(average, Long.valueOf(total.value.longValue() / values));
        }
        BigDecimal exact = decimal(NumberType.OPEN_DECIMAL, sum).exact();
        int scale = average.isOpen() ? NumberType.scaleOfAverage(exact.scale()) : average.scale();
        return decimal(average, exact.divide(BigDecimal.valueOf(values), scale, RoundingMode.DOWN), RoundingMode.DOWN);
    }

    BigDecimal exact() {
        return exact(value);
    }

    /** Returns the value in the Java class that Cassandra's driver has for such a column. */
    Object forDriver() {
        return switch (type.kind()) {
            case TINYINT, SMALLINT -> Short.valueOf(value.shortValue());
            case INT -> Integer.valueOf(value.intValue());
            case BIGINT, DECIMAL, FLOAT -> value;
            case REAL -> Float.valueOf(value.floatValue());
        };
    }

    /** As CQL writes it. */
    @Override
    public String toString() {
        if (type.kind() == NumberType.Kind.REAL) {
            return Float.toString(value.floatValue());
        }
        return value instanceof BigDecimal decimal ? decimal.toPlainString() : value.toString();
    }
}
