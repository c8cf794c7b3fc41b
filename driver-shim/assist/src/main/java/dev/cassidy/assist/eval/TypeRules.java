package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.SqlType.Name;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which of two types an operator takes, and what arithmetic and aggregates make of them. */
final class TypeRules {

    private static final int MAX_DIGITS = 38;
    private static final int MIN_SCALE = 6;

    /** By "Data type precedence", the highest first. */
    private static final List<Name> PRECEDENCE = List.of(
            Name.XML,
            Name.DATETIMEOFFSET,
            Name.DATETIME2,
            Name.DATETIME,
            Name.SMALLDATETIME,
            Name.DATE,
            Name.TIME,
            Name.FLOAT,
            Name.REAL,
            Name.DECIMAL,
            Name.NUMERIC,
            Name.MONEY,
            Name.SMALLMONEY,
            Name.BIGINT,
            Name.INT,
            Name.SMALLINT,
            Name.TINYINT,
            Name.BIT,
            Name.NTEXT,
            Name.TEXT,
            Name.IMAGE,
            Name.UNIQUEIDENTIFIER,
            Name.NVARCHAR,
            Name.NCHAR,
            Name.VARCHAR,
            Name.CHAR,
            Name.VARBINARY,
            Name.BINARY);

    private TypeRules() {}

    /** Returns the type that has the values of both, as UNION, CASE and comparisons take it. */
    static SqlType common(Typed one, Typed other) {
        if (one.unknown()) {
            return other.type();
        }
        return other.unknown() ? one.type() : common(one.type(), one.precision(), other.type(), other.precision());
    }

    private static SqlType common(SqlType one, int digits, SqlType other, int otherDigits) {
        SqlType higher = PRECEDENCE.indexOf(one.name()) <= PRECEDENCE.indexOf(other.name()) ? one : other;
        return switch (Types.family(higher)) {
            case DECIMAL -> {
                if (!isExactOrWhole(one) || !isExactOrWhole(other)) {
                    yield higher;
                }
                int scale = Math.max(one.scale(), other.scale());
                int whole = Math.max(digits - one.scale(), otherDigits - other.scale());
                yield Types.decimal(Math.min(MAX_DIGITS, whole + scale), Math.min(scale, MAX_DIGITS - whole));
            }
            case TEXT, BINARY ->
                Types.family(one) == Types.family(other)
                        ? new SqlType(higher.name(), longer(one.length(), other.length()), 0, 0)
                        : higher;
            case TIME, MOMENT, OFFSET ->
                one.name() == other.name() && one.scale() != other.scale()
                        ? new SqlType(higher.name(), 0, 0, Math.max(one.scale(), other.scale()))
                        : higher;
            default -> higher;
        };
    }

    private static boolean isExactOrWhole(SqlType type) {
        return Types.family(type).isExact() || Types.family(type) == Types.Family.WHOLE;
    }

    private static int longer(int one, int other) {
        return one == SqlType.MAX || other == SqlType.MAX ? SqlType.MAX : Math.max(one, other);
    }

    /**
     * Returns the decimal that an operator makes of two numbers, of which one is a decimal and none is approximate, by Microsoft's
     * "Precision, scale, and length"; null for another operator.
     */
    static @Nullable SqlType ofDecimals(char operator, Typed left, Typed right) {
        int p1 = left.precision();
        int s1 = left.type().scale();
        int p2 = right.precision();
        int s2 = right.type().scale();
        return switch (operator) {
            case '+', '-' -> {
                int scale = Math.max(s1, s2);
                int whole = Math.max(p1 - s1, p2 - s2);
                yield scale + whole + 1 <= MAX_DIGITS
                        ? Types.decimal(scale + whole + 1, scale)
                        : Types.decimal(MAX_DIGITS, Math.min(scale, MAX_DIGITS - whole));
            }
            case '*' -> limited(p1 + p2 + 1, s1 + s2);
            case '/' -> {
                int scale = Math.max(MIN_SCALE, s1 + p2 + 1);
                yield limited(p1 - s1 + s2 + scale, scale);
            }
            case '%' -> {
                int scale = Math.max(s1, s2);
                yield Types.decimal(Math.max(1, Math.min(p1 - s1, p2 - s2) + scale), scale);
            }
            default -> null;
        };
    }

    private static SqlType limited(int precision, int scale) {
        if (precision <= MAX_DIGITS) {
            return Types.decimal(precision, scale);
        }
        int whole = precision - scale;
        return Types.decimal(MAX_DIGITS, Math.max(Math.min(scale, MAX_DIGITS - whole), Math.min(scale, MIN_SCALE)));
    }

    /** Returns the type of SUM. */
    static SqlType ofSum(SqlType type) {
        return switch (Types.family(type)) {
            case WHOLE -> type.name() == Name.BIGINT ? Types.BIGINT : Types.INT;
            case DECIMAL -> Types.decimal(MAX_DIGITS, type.scale());
            case MONEY -> Types.MONEY;
            default -> Types.FLOAT;
        };
    }

    /** Returns the type of AVG. */
    static SqlType ofAverage(SqlType type) {
        return Types.family(type) == Types.Family.DECIMAL
                ? Types.decimal(MAX_DIGITS, Math.max(type.scale(), MIN_SCALE))
                : ofSum(type);
    }
}
