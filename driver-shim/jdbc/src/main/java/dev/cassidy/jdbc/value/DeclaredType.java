package dev.cassidy.jdbc.value;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import dev.cassidy.definition.SqlType;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How SQL Server's metadata shows a type that T-SQL has declared. */
public record DeclaredType(SqlType type) {

    /** What is shown of a text or binary without a limit, in bytes. */
    private static final int UNLIMITED = Integer.MAX_VALUE;

    /** Returns the type of SQL Server that shows best what a column of CQL's type has; empty if there is none. */
    public static Optional<DeclaredType> of(DataType type) {
        String tsql =
                switch (type.getProtocolCode()) {
                    case ProtocolConstants.DataType.TINYINT, ProtocolConstants.DataType.SMALLINT -> "smallint";
                    case ProtocolConstants.DataType.INT -> "int";
                    case ProtocolConstants.DataType.BIGINT, ProtocolConstants.DataType.COUNTER -> "bigint";
                    case ProtocolConstants.DataType.DOUBLE -> "float";
                    case ProtocolConstants.DataType.FLOAT -> "real";
                    case ProtocolConstants.DataType.BOOLEAN -> "bit";
                    case ProtocolConstants.DataType.VARCHAR, ProtocolConstants.DataType.ASCII -> "nvarchar(max)";
                    case ProtocolConstants.DataType.BLOB -> "varbinary(max)";
                    case ProtocolConstants.DataType.UUID, ProtocolConstants.DataType.TIMEUUID -> "uniqueidentifier";
                    case ProtocolConstants.DataType.TIMESTAMP -> "datetime2(3)";
                    case ProtocolConstants.DataType.DATE -> "date";
                    case ProtocolConstants.DataType.TIME -> "time(7)";
                    default -> "";
                };
        return SqlType.parse(tsql).map(DeclaredType::new);
    }

    /** Returns the name as SQL Server's catalogue has it. */
    public String name() {
        return type.name().name().toLowerCase(Locale.ROOT);
    }

    /** Returns how many digits, characters or bytes the longest value has. */
    public int size() {
        return switch (type.name()) {
            case BIT -> 1;
            // Decimal digits, as everywhere in JDBC; T-SQL counts bits here.
            case REAL -> 7;
            case FLOAT -> 15;
            case TINYINT, SMALLINT, INT, BIGINT, DECIMAL, NUMERIC, MONEY, SMALLMONEY -> type.precision();
            case CHAR, VARCHAR, BINARY, VARBINARY, TEXT, IMAGE ->
                type.length() == SqlType.MAX ? UNLIMITED : type.length();
            // A character takes two bytes.
            case NCHAR, NVARCHAR, NTEXT, XML -> type.length() == SqlType.MAX ? UNLIMITED / 2 : type.length();
            case DATE -> "2000-01-01".length();
            case TIME -> withFraction("12:00:00".length());
            case SMALLDATETIME -> "2000-01-01 12:00".length();
            case DATETIME, DATETIME2 -> withFraction("2000-01-01 12:00:00".length());
            case DATETIMEOFFSET -> withFraction("2000-01-01 12:00:00 +14:00".length());
            case UNIQUEIDENTIFIER -> 36;
        };
    }

    /** The fraction of a second, with its point. */
    private int withFraction(int seconds) {
        return type.scale() == 0 ? seconds : seconds + 1 + type.scale();
    }

    /** Returns how many digits stand behind the point, of a second too; null for what has no point. */
    public @Nullable Integer digits() {
        return switch (type.name()) {
            case TINYINT, SMALLINT, INT, BIGINT -> 0;
            case DECIMAL, NUMERIC, MONEY, SMALLMONEY, TIME, SMALLDATETIME, DATETIME, DATETIME2, DATETIMEOFFSET ->
                type.scale();
            default -> null;
        };
    }

    /** Returns how many bytes the longest text or binary has; null for other types. */
    public @Nullable Integer octets() {
        return switch (type.name()) {
            case CHAR, VARCHAR, TEXT, BINARY, VARBINARY, IMAGE -> size();
            case NCHAR, NVARCHAR, NTEXT, XML -> 2 * size();
            default -> null;
        };
    }

    /** Returns 10 for numbers, whose size counts decimal digits; null for other types. */
    public @Nullable Integer radix() {
        return isNumber() ? 10 : null;
    }

    /** Returns whether it is a number; BIT is none. */
    public boolean isNumber() {
        return switch (type.name()) {
            case TINYINT, SMALLINT, INT, BIGINT, DECIMAL, NUMERIC, MONEY, SMALLMONEY, REAL, FLOAT -> true;
            default -> false;
        };
    }

    /** Returns how many digits, or bits of an approximate number, as T-SQL counts them. */
    public int bitsOrDigits() {
        return isNumber() ? type.precision() : size();
    }

    /** Returns whether it is a binary number with a fraction. */
    public boolean isApproximate() {
        return type.name() == SqlType.Name.REAL || type.name() == SqlType.Name.FLOAT;
    }

    /** Returns whether it is a text of two bytes a character. */
    public boolean isUnicode() {
        return switch (type.name()) {
            case NCHAR, NVARCHAR, NTEXT, XML -> true;
            default -> false;
        };
    }

    /** Returns whether it is a text. */
    public boolean isText() {
        return switch (type.name()) {
            case CHAR, VARCHAR, TEXT, NCHAR, NVARCHAR, NTEXT, XML -> true;
            default -> false;
        };
    }

    /** Returns whether it is a point in time, or a time of day. */
    public boolean isTime() {
        return switch (type.name()) {
            case DATE, TIME, SMALLDATETIME, DATETIME, DATETIME2, DATETIMEOFFSET -> true;
            default -> false;
        };
    }

    /** Returns whether it is an amount of money. */
    public boolean isMoney() {
        return type.name() == SqlType.Name.MONEY || type.name() == SqlType.Name.SMALLMONEY;
    }

    /** Returns how many characters show every value of a type other than REAL, FLOAT and whole numbers. */
    public int displaySize() {
        return switch (type.name()) {
            // A sign and a point.
            case DECIMAL, NUMERIC, MONEY, SMALLMONEY -> size() + 2;
            default -> size();
        };
    }

    /** Returns how many bytes SQL Server needs for a value; -1 without a limit. */
    public int bytes() {
        return switch (type.name()) {
            case BIT, TINYINT -> 1;
            case SMALLINT -> 2;
            case INT, REAL, SMALLMONEY, SMALLDATETIME -> 4;
            case BIGINT, FLOAT, MONEY, DATETIME -> 8;
            case DECIMAL, NUMERIC -> size() < 10 ? 5 : size() < 20 ? 9 : size() < 29 ? 13 : 17;
            case CHAR, VARCHAR, BINARY, VARBINARY -> type.length();
            case NCHAR, NVARCHAR -> type.length() == SqlType.MAX ? type.length() : 2 * type.length();
            case TEXT, NTEXT, IMAGE, UNIQUEIDENTIFIER -> 16;
            case XML -> SqlType.MAX;
            case DATE -> 3;
            case TIME -> fractionBytes(3);
            case DATETIME2 -> fractionBytes(6);
            case DATETIMEOFFSET -> fractionBytes(8);
        };
    }

    private int fractionBytes(int fewest) {
        return type.scale() < 3 ? fewest : type.scale() < 5 ? fewest + 1 : fewest + 2;
    }

    /** Returns the code of the type in ODBC 2, as {@code sp_columns} shows it. */
    public int odbc() {
        return switch (type.name()) {
            case BIT -> -7;
            case TINYINT -> -6;
            case SMALLINT -> 5;
            case INT -> 4;
            case BIGINT -> -5;
            case DECIMAL, MONEY, SMALLMONEY -> 3;
            case NUMERIC -> 2;
            case REAL -> 7;
            case FLOAT -> 6;
            case CHAR -> 1;
            case VARCHAR -> 12;
            case TEXT -> -1;
            case NCHAR -> -8;
            // ODBC 2 does not know the newer types, and shows them as texts.
            case NVARCHAR, DATE, TIME, DATETIME2, DATETIMEOFFSET -> -9;
            case NTEXT, XML -> -10;
            case BINARY -> -2;
            case VARBINARY -> -3;
            case IMAGE -> -4;
            case SMALLDATETIME, DATETIME -> 11;
            case UNIQUEIDENTIFIER -> -11;
        };
    }
}
