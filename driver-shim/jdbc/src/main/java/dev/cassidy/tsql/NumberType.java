package dev.cassidy.tsql;

import dev.cassidy.insert.UnsupportedSqlException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A type of numbers, as SQL Server has it, and the types that arithmetic gives by Microsoft's rules ("Precision, scale,
 * and length").
 *
 * @param kind the kinds are in the order of precedence
 * @param precision digits; of a literal INT those that it has. 0 for an open decimal
 * @param scale digits after the point; 0 for all that are no decimals
 */
public record NumberType(Kind kind, int precision, int scale) {

    /** The kinds of numbers, in the order of precedence. */
    public enum Kind {
        TINYINT,
        SMALLINT,
        INT,
        BIGINT,
        DECIMAL,
        REAL,
        FLOAT
    }

    /** The operators of arithmetic. */
    public enum Operator {
        PLUS("+"),
        MINUS("-"),
        TIMES("*"),
        DIVIDE("/"),
        MODULO("%");

        final String sign;

        Operator(String sign) {
            this.sign = sign;
        }
    }

    /** The most digits of a decimal. */
    public static final int MAX_DIGITS = 38;

    public static final NumberType TINYINT = new NumberType(Kind.TINYINT, 3, 0);
    public static final NumberType SMALLINT = new NumberType(Kind.SMALLINT, 5, 0);
    public static final NumberType INT = new NumberType(Kind.INT, 10, 0);
    public static final NumberType BIGINT = new NumberType(Kind.BIGINT, 19, 0);
    public static final NumberType REAL = new NumberType(Kind.REAL, 7, 0);
    public static final NumberType FLOAT = new NumberType(Kind.FLOAT, 15, 0);

    /**
     * The type of a decimal column: Cassandra does not keep its precision and scale, so each value has its own. Results
     * with it are exact, as far as 38 digits go.
     */
    public static final NumberType OPEN_DECIMAL = new NumberType(Kind.DECIMAL, 0, 0);

    /** An open decimal counts with so many digits where a division needs its precision: SQL Server's default. */
    private static final int ASSUMED_PRECISION = 18;

    private static final int MIN_SCALE_OF_QUOTIENT = 6;

    /** Returns the decimal of that precision and scale. */
    public static NumberType decimal(int precision, int scale) {
        return new NumberType(Kind.DECIMAL, precision, scale);
    }

    /** Returns the type of that name in T-SQL; null if it is no number, or one with rules of its own, such as money. */
    static @Nullable NumberType named(String name, List<Integer> sizes) {
        String lower = name.toLowerCase(Locale.ROOT);
        return switch (lower) {
            case "decimal", "dec", "numeric" -> sized(sizes);
            case "float" -> sizes.isEmpty() || sizes.get(0) > 24 ? FLOAT : REAL;
            default -> sizes.isEmpty() ? unsized(lower) : null;
        };
    }

    private static @Nullable NumberType unsized(String name) {
        return switch (name) {
            case "tinyint" -> TINYINT;
            case "smallint" -> SMALLINT;
            case "int", "integer" -> INT;
            case "bigint" -> BIGINT;
            case "real" -> REAL;
            // CQL's name.
            case "double" -> FLOAT;
            default -> null;
        };
    }

    private static @Nullable NumberType sized(List<Integer> sizes) {
        int precision = sizes.isEmpty() ? ASSUMED_PRECISION : sizes.get(0);
        int scale = sizes.size() > 1 ? sizes.get(1) : 0;
        return precision < 1 || precision > MAX_DIGITS || scale > precision ? null : decimal(precision, scale);
    }

    /** Returns whether each value has its own precision and scale. */
    public boolean isOpen() {
        return kind == Kind.DECIMAL && precision == 0;
    }

    boolean isWhole() {
        return kind.compareTo(Kind.DECIMAL) < 0;
    }

    boolean isApproximate() {
        return kind.compareTo(Kind.DECIMAL) > 0;
    }

    long lowest() {
        return switch (kind) {
            case TINYINT -> 0;
            case SMALLINT -> Short.MIN_VALUE;
            case INT -> Integer.MIN_VALUE;
            default -> Long.MIN_VALUE;
        };
    }

    long highest() {
        return switch (kind) {
            case TINYINT -> 255;
            case SMALLINT -> Short.MAX_VALUE;
            case INT -> Integer.MAX_VALUE;
            default -> Long.MAX_VALUE;
        };
    }

    /** Returns the type with the digits of every value of its kind: what is calculated has no digits of its own. */
    NumberType widest() {
        return switch (kind) {
            case TINYINT -> TINYINT;
            case SMALLINT -> SMALLINT;
            case INT -> INT;
            default -> this;
        };
    }

    /** Returns the type of a value with the other sign. */
    NumberType negated() {
        return kind == Kind.TINYINT ? SMALLINT : widest();
    }

    /** Returns the type of a SUM of such values. */
    NumberType ofSum() {
        return switch (kind) {
            case TINYINT, SMALLINT, INT -> INT;
            case BIGINT -> BIGINT;
            case DECIMAL -> isOpen() ? this : decimal(MAX_DIGITS, scale);
            case REAL, FLOAT -> FLOAT;
        };
    }

    /** Returns the type of an AVG of such values. */
    NumberType ofAverage() {
        return kind == Kind.DECIMAL && !isOpen()
                ? decimal(MAX_DIGITS, Math.max(scale, MIN_SCALE_OF_QUOTIENT))
                : ofSum();
    }

    /** Returns the type that a value of the one type and a value of the other give. */
    static NumberType of(Operator operator, NumberType left, NumberType right) {
        NumberType higher = left.kind.compareTo(right.kind) >= 0 ? left : right;
        if (higher.isApproximate()) {
            if (operator == Operator.MODULO) {
                throw UnsupportedSqlException.asSqlServer(
                        402,
                        "The data types " + left + " and " + right
                                + " are incompatible in the modulo operator: cast both"
                                + " to whole or decimal numbers");
            }
            return higher;
        }
        if (higher.isWhole()) {
            return higher.widest();
        }
        // A whole number in a decimal calculation is a decimal of its digits.
        return left.isOpen() || right.isOpen() ? OPEN_DECIMAL : ofDecimals(operator, left, right);
    }

    /** Returns the type that has the values of both. */
    static NumberType common(NumberType left, NumberType right) {
        NumberType higher = left.kind.compareTo(right.kind) >= 0 ? left : right;
        if (higher.kind != Kind.DECIMAL || left.isOpen() || right.isOpen()) {
            return higher.kind == Kind.DECIMAL ? OPEN_DECIMAL : higher;
        }
        int scale = Math.max(left.scale, right.scale);
        int whole = Math.max(left.precision - left.scale, right.precision - right.scale);
        return decimal(Math.min(MAX_DIGITS, whole + scale), Math.min(scale, MAX_DIGITS - whole));
    }

    private static NumberType ofDecimals(Operator operator, NumberType left, NumberType right) {
        int leftWhole = left.precision - left.scale;
        int rightWhole = right.precision - right.scale;
        return switch (operator) {
            case PLUS, MINUS -> {
                int scale = Math.max(left.scale, right.scale);
                int whole = Math.max(leftWhole, rightWhole);
                int precision = scale + whole + 1;
                // The places before the point come first, but for the one of the carry.
                yield precision <= MAX_DIGITS
                        ? decimal(precision, scale)
                        : decimal(MAX_DIGITS, Math.min(scale, MAX_DIGITS - whole));
            }
            case TIMES -> limited(left.precision + right.precision + 1, left.scale + right.scale);
            case DIVIDE -> {
                int scale = Math.max(MIN_SCALE_OF_QUOTIENT, left.scale + right.precision + 1);
                yield limited(leftWhole + right.scale + scale, scale);
            }
            case MODULO -> {
                int scale = Math.max(left.scale, right.scale);
                yield decimal(Math.min(leftWhole, rightWhole) + scale, scale);
            }
        };
    }

    /** A product or a quotient keeps six digits after the point, and more only if there is room for them. */
    private static NumberType limited(int precision, int scale) {
        if (precision <= MAX_DIGITS) {
            return decimal(precision, scale);
        }
        return decimal(MAX_DIGITS, limitedScale(precision - scale, scale));
    }

    /** Returns the scale that is left beside so many digits before the point. */
    static int limitedScale(int whole, int scale) {
        return Math.max(Math.min(scale, MAX_DIGITS - whole), Math.min(scale, MIN_SCALE_OF_QUOTIENT));
    }

    /** Returns the scale of a quotient of open decimals. */
    static int scaleOfQuotient(int scaleOfDividend, NumberType divisor, int precisionOfDivisor) {
        int precision = divisor.isOpen() ? Math.max(ASSUMED_PRECISION, precisionOfDivisor) : divisor.precision();
        return Math.max(MIN_SCALE_OF_QUOTIENT, scaleOfDividend + precision + 1);
    }

    /** Returns the scale of an average of open decimals. */
    static int scaleOfAverage(int scale) {
        return Math.max(scale, MIN_SCALE_OF_QUOTIENT);
    }

    /** Returns whether every value of this type is one of the other type too, or nearly one of an approximate type. */
    boolean fitsInto(NumberType other) {
        if (other.isApproximate()) {
            return true;
        }
        if (other.kind == Kind.DECIMAL) {
            return !isOpen()
                    && !isApproximate()
                    && scale <= other.scale
                    && widest().precision - scale <= other.precision - other.scale;
        }
        return isWhole() && kind.compareTo(other.kind) <= 0 && (other.kind != Kind.TINYINT || kind == Kind.TINYINT);
    }

    /** As T-SQL writes it. */
    @Override
    public String toString() {
        String name = kind.name().toLowerCase(Locale.ROOT);
        return kind != Kind.DECIMAL ? name : isOpen() ? "numeric(38)" : "numeric(" + precision + "," + scale + ")";
    }
}
