package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.SqlType.Name;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Types of T-SQL: what H2 calls them, which of two an operator takes, and what arithmetic makes of them. */
final class Types {

    static final SqlType BIT = type("bit");
    static final SqlType TINYINT = type("tinyint");
    static final SqlType SMALLINT = type("smallint");
    static final SqlType INT = type("int");
    static final SqlType BIGINT = type("bigint");
    static final SqlType MONEY = type("money");
    static final SqlType REAL = type("real");
    static final SqlType FLOAT = type("float");
    static final SqlType DATE = type("date");
    static final SqlType DATETIME = type("datetime");
    static final SqlType DATETIME2 = type("datetime2");
    static final SqlType UNIQUEIDENTIFIER = type("uniqueidentifier");

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

    /** Types whose values are converted in the same way. */
    enum Family {
        BIT,
        WHOLE,
        DECIMAL,
        MONEY,
        APPROXIMATE,
        TEXT,
        BINARY,
        DATE,
        TIME,
        MOMENT,
        OFFSET,
        UUID;

        boolean isNumber() {
            return this == WHOLE || this == DECIMAL || this == MONEY || this == APPROXIMATE;
        }

        boolean isExact() {
            return this == DECIMAL || this == MONEY;
        }

        boolean isTemporal() {
            return this == DATE || this == TIME || this == MOMENT || this == OFFSET;
        }
    }

    private Types() {}

    private static SqlType type(String tsql) {
        return SqlType.parse(tsql).orElseThrow();
    }

    static SqlType decimal(int precision, int scale) {
        return new SqlType(Name.DECIMAL, 0, precision, scale);
    }

    static SqlType text(boolean unicode, int length) {
        int most = unicode ? 4_000 : 8_000;
        boolean max = length == SqlType.MAX || length > most;
        return new SqlType(unicode ? Name.NVARCHAR : Name.VARCHAR, max ? SqlType.MAX : Math.max(1, length), 0, 0);
    }

    static Family family(SqlType type) {
        return switch (type.name()) {
            case BIT -> Family.BIT;
            case TINYINT, SMALLINT, INT, BIGINT -> Family.WHOLE;
            case DECIMAL, NUMERIC -> Family.DECIMAL;
            case MONEY, SMALLMONEY -> Family.MONEY;
            case REAL, FLOAT -> Family.APPROXIMATE;
            case CHAR, VARCHAR, NCHAR, NVARCHAR, TEXT, NTEXT, XML -> Family.TEXT;
            case BINARY, VARBINARY, IMAGE -> Family.BINARY;
            case DATE -> Family.DATE;
            case TIME -> Family.TIME;
            case DATETIME, DATETIME2, SMALLDATETIME -> Family.MOMENT;
            case DATETIMEOFFSET -> Family.OFFSET;
            case UNIQUEIDENTIFIER -> Family.UUID;
        };
    }

    /** Returns whether strings of a type are stored in UTF-16. */
    static boolean isUnicode(SqlType type) {
        return switch (type.name()) {
            case NCHAR, NVARCHAR, NTEXT, XML -> true;
            default -> false;
        };
    }

    /** Returns the type in which H2 has the values: one in which none of them changes. */
    static String h2(SqlType type) {
        return switch (type.name()) {
            case BIT -> "BOOLEAN";
            case TINYINT, SMALLINT -> "SMALLINT";
            case INT -> "INTEGER";
            case BIGINT -> "BIGINT";
            case DECIMAL, NUMERIC, MONEY, SMALLMONEY -> "NUMERIC(" + type.precision() + ", " + type.scale() + ")";
            case REAL -> "REAL";
            case FLOAT -> "DOUBLE PRECISION";
            case CHAR, VARCHAR, NCHAR, NVARCHAR, TEXT, NTEXT, XML -> "VARCHAR";
            case BINARY, VARBINARY, IMAGE -> "VARBINARY";
            case DATE -> "DATE";
            case TIME -> "TIME(7)";
            case DATETIME, DATETIME2, SMALLDATETIME -> "TIMESTAMP(7)";
            case DATETIMEOFFSET -> "TIMESTAMP(7) WITH TIME ZONE";
            case UNIQUEIDENTIFIER -> "UUID";
        };
    }

    /** Returns the type that has the values of both, as UNION, CASE and comparisons take it. */
    static SqlType common(Typed one, Typed other) {
        if (one.unknown()) {
            return other.type();
        }
        return other.unknown() ? one.type() : common(one.type(), one.precision(), other.type(), other.precision());
    }

    private static SqlType common(SqlType one, int digits, SqlType other, int otherDigits) {
        SqlType higher = PRECEDENCE.indexOf(one.name()) <= PRECEDENCE.indexOf(other.name()) ? one : other;
        return switch (family(higher)) {
            case DECIMAL -> {
                if (!isExactOrWhole(one) || !isExactOrWhole(other)) {
                    yield higher;
                }
                int scale = Math.max(one.scale(), other.scale());
                int whole = Math.max(digits - one.scale(), otherDigits - other.scale());
                yield decimal(Math.min(MAX_DIGITS, whole + scale), Math.min(scale, MAX_DIGITS - whole));
            }
            case TEXT, BINARY ->
                family(one) == family(other)
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
        return family(type).isExact() || family(type) == Family.WHOLE;
    }

    private static int longer(int one, int other) {
        return one == SqlType.MAX || other == SqlType.MAX ? SqlType.MAX : Math.max(one, other);
    }

    /** Returns the length of two strings one after the other. */
    static int joined(int one, int other) {
        return one == SqlType.MAX || other == SqlType.MAX ? SqlType.MAX : one + other;
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
                        ? decimal(scale + whole + 1, scale)
                        : decimal(MAX_DIGITS, Math.min(scale, MAX_DIGITS - whole));
            }
            case '*' -> limited(p1 + p2 + 1, s1 + s2);
            case '/' -> {
                int scale = Math.max(MIN_SCALE, s1 + p2 + 1);
                yield limited(p1 - s1 + s2 + scale, scale);
            }
            case '%' -> {
                int scale = Math.max(s1, s2);
                yield decimal(Math.max(1, Math.min(p1 - s1, p2 - s2) + scale), scale);
            }
            default -> null;
        };
    }

    private static SqlType limited(int precision, int scale) {
        if (precision <= MAX_DIGITS) {
            return decimal(precision, scale);
        }
        int whole = precision - scale;
        return decimal(MAX_DIGITS, Math.max(Math.min(scale, MAX_DIGITS - whole), Math.min(scale, MIN_SCALE)));
    }

    /** Returns the type of SUM. */
    static SqlType ofSum(SqlType type) {
        return switch (family(type)) {
            case WHOLE -> type.name() == Name.BIGINT ? BIGINT : INT;
            case DECIMAL -> decimal(MAX_DIGITS, type.scale());
            case MONEY -> MONEY;
            default -> FLOAT;
        };
    }

    /** Returns the type of AVG. */
    static SqlType ofAverage(SqlType type) {
        return family(type) == Family.DECIMAL ? decimal(MAX_DIGITS, Math.max(type.scale(), MIN_SCALE)) : ofSum(type);
    }
}
