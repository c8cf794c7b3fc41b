package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.SqlType.Name;

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
    static final SqlType DATETIMEOFFSET = type("datetimeoffset");
    static final SqlType UNIQUEIDENTIFIER = type("uniqueidentifier");

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

    /** Returns whether strings of a type are filled up with blanks. */
    static boolean isFilledUp(SqlType type) {
        return type.name() == Name.CHAR || type.name() == Name.NCHAR;
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
            // With the mark of the later one of two moments.
            case DATETIME, DATETIME2, SMALLDATETIME -> "TIMESTAMP(9)";
            case DATETIMEOFFSET -> "TIMESTAMP(7) WITH TIME ZONE";
            case UNIQUEIDENTIFIER -> "UUID";
        };
    }

    /** Returns the length of two strings one after the other. */
    static int joined(int one, int other) {
        return one == SqlType.MAX || other == SqlType.MAX ? SqlType.MAX : one + other;
    }
}
