package dev.cassidy.definition;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A column's type as T-SQL declares it: {@code nvarchar(50)}, {@code decimal(10,2)}. What T-SQL fills in where nothing is
 * written is filled in.
 *
 * @param length of strings in UTF-16 units, as of NVARCHAR, or in characters, as of VARCHAR; of binaries in bytes; {@link #MAX}
 *     without a limit; 0 of other types
 * @param precision decimal digits in all, or bits of FLOAT; 0 of other types
 * @param scale decimal digits after the point, or of a second's fraction; 0 of other types
 */
public record SqlType(Name name, int length, int precision, int scale) {

    /** The length of a text or binary without a limit. */
    public static final int MAX = -1;

    private static final int MAX_DIGITS = 9;
    private static final int MAX_PRECISION = 38;
    private static final int MAX_BITS = 53;
    private static final int MAX_FRACTION = 7;
    private static final int MAX_UNICODE = 4_000;
    private static final int MAX_BYTES = 8_000;

    // Possessive: what is tried in many ways takes time in proportion to the square of the blanks.
    private static final String NAME = "\\s*+(\\w++)(?:\\s++(varying|precision))?+\\s*+";

    private static final Pattern TEXT = Pattern.compile(NAME + "(?:\\(\\s*+(max|[0-9]{1," + MAX_DIGITS
            + "})\\s*+(?:,\\s*+([0-9]{1," + MAX_DIGITS + "})\\s*+)?+\\))?+\\s*+");

    private static final Pattern SIZED =
            Pattern.compile(NAME + "\\(\\s*+(max|[0-9]++)\\s*+(?:,\\s*+([0-9]++)\\s*+)?+\\)\\s*+");

    /** The types of T-SQL that Cassandra has a type for. Synonyms of T-SQL have the name that its catalogue shows. */
    public enum Name {
        BIT,
        TINYINT,
        SMALLINT,
        INT,
        BIGINT,
        DECIMAL,
        NUMERIC,
        MONEY,
        SMALLMONEY,
        REAL,
        FLOAT,
        CHAR,
        VARCHAR,
        NCHAR,
        NVARCHAR,
        TEXT,
        NTEXT,
        XML,
        BINARY,
        VARBINARY,
        IMAGE,
        DATE,
        TIME,
        DATETIME,
        DATETIME2,
        SMALLDATETIME,
        DATETIMEOFFSET,
        UNIQUEIDENTIFIER
    }

    /** Reads a type as T-SQL writes it, without brackets around its name; empty if it is none of {@link Name}. */
    public static Optional<SqlType> parse(String tsql) {
        Matcher matcher = TEXT.matcher(tsql.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String word = matcher.group(1);
        String first = matcher.group(3);
        String second = matcher.group(4);
        return name(word, matcher.group(2) != null).map(name -> of(name, word, first, second));
    }

    /**
     * A size that SQL Server refuses.
     *
     * @param number SQL Server's of the error
     * @param rule what is wrong
     */
    public record WrongSize(int number, String rule) {}

    /** Returns what is wrong with the size of a type that is written as for {@link #parse}; empty if nothing is. */
    public static Optional<WrongSize> wrongSize(String tsql) {
        Matcher matcher = SIZED.matcher(tsql.toLowerCase(Locale.ROOT));
        return matcher.matches()
                ? name(matcher.group(1), matcher.group(2) != null)
                        .flatMap(name -> wrongSize(name, matcher.group(1), matcher.group(3), matcher.group(4)))
                : Optional.empty();
    }

    private static Optional<WrongSize> wrongSize(Name name, String word, String first, String second) {
        boolean max = first.equals("max");
        int size = max ? MAX : number(first);
        return switch (name) {
            case CHAR, NCHAR, BINARY ->
                max
                        ? wrong(102, "incorrect syntax near 'max': " + word + " has a fixed length")
                        : wrongLength(name, size);
            case VARCHAR, NVARCHAR, VARBINARY -> max ? Optional.empty() : wrongLength(name, size);
            case DECIMAL, NUMERIC -> {
                int scale = second == null ? 0 : number(second);
                yield size == 0
                        ? wrong(1001, "length or precision specification 0 is invalid")
                        : size > MAX_PRECISION
                                ? wrong(
                                        2750,
                                        "specified column precision " + first
                                                + " is greater than the maximum precision of 38")
                                : scale > size
                                        ? wrong(183, "the scale (" + second + ") must be within the range 0 to " + size)
                                        : Optional.empty();
            }
            case FLOAT ->
                word.equals("double")
                        ? wrong(2716, "cannot specify a column width on data type double precision")
                        : size == 0
                                ? wrong(1001, "length or precision specification 0 is invalid")
                                : size > MAX_BITS
                                        ? wrong(
                                                2750,
                                                "specified column precision " + first
                                                        + " is greater than the maximum precision of 53")
                                        : Optional.empty();
            case TIME, DATETIME2, DATETIMEOFFSET ->
                size > MAX_FRACTION
                        ? wrong(1002, "specified scale " + first + " is invalid: at most 7")
                        : Optional.empty();
            default -> wrong(2716, "cannot specify a column width on data type " + word);
        };
    }

    private static Optional<WrongSize> wrongLength(Name name, int length) {
        boolean unicode = name == Name.NCHAR || name == Name.NVARCHAR;
        if (length == 0) {
            return wrong(1001, "length or precision specification 0 is invalid");
        }
        if (unicode && length > MAX_UNICODE) {
            return wrong(2717, "the size exceeds the maximum allowed (4000)");
        }
        return length > MAX_BYTES
                ? wrong(131, "the size exceeds the maximum allowed for any data type (8000)")
                : Optional.empty();
    }

    private static Optional<WrongSize> wrong(int number, String rule) {
        return Optional.of(new WrongSize(number, rule));
    }

    /** Of more digits than any size has, which number it is says nothing. */
    private static int number(String digits) {
        return digits.length() > MAX_DIGITS ? Integer.MAX_VALUE : Integer.parseInt(digits);
    }

    private static Optional<Name> name(String word, boolean longer) {
        return switch (word) {
            case "integer" -> Optional.of(Name.INT);
            case "dec" -> Optional.of(Name.DECIMAL);
            case "double" -> Optional.of(Name.FLOAT);
            case "character", "char" -> Optional.of(longer ? Name.VARCHAR : Name.CHAR);
            case "binary" -> Optional.of(longer ? Name.VARBINARY : Name.BINARY);
            case "nchar" -> Optional.of(longer ? Name.NVARCHAR : Name.NCHAR);
            case "sysname" -> Optional.of(Name.NVARCHAR);
            default -> {
                for (Name each : Name.values()) {
                    if (each.name().equalsIgnoreCase(word)) {
                        yield Optional.of(each);
                    }
                }
                yield Optional.empty();
            }
        };
    }

    private static SqlType of(Name name, String word, String first, String second) {
        int given = first == null ? 0 : first.equals("max") ? MAX : Integer.parseInt(first);
        return switch (name) {
            case CHAR, NCHAR, BINARY, VARCHAR, NVARCHAR, VARBINARY ->
                new SqlType(name, word.equals("sysname") ? 128 : first == null ? 1 : given, 0, 0);
            case TEXT, NTEXT, XML, IMAGE -> new SqlType(name, MAX, 0, 0);
            case DECIMAL, NUMERIC ->
                new SqlType(name, 0, first == null ? 18 : given, second == null ? 0 : Integer.parseInt(second));
            case MONEY -> new SqlType(name, 0, 19, 4);
            case SMALLMONEY -> new SqlType(name, 0, 10, 4);
            // T-SQL knows two sizes, and shows those.
            case FLOAT -> first != null && given <= 24 ? new SqlType(Name.REAL, 0, 24, 0) : new SqlType(name, 0, 53, 0);
            case REAL -> new SqlType(name, 0, 24, 0);
            case TIME, DATETIME2, DATETIMEOFFSET -> new SqlType(name, 0, 0, first == null ? 7 : given);
            case DATETIME -> new SqlType(name, 0, 0, 3);
            case TINYINT -> new SqlType(name, 0, 3, 0);
            case SMALLINT -> new SqlType(name, 0, 5, 0);
            case INT -> new SqlType(name, 0, 10, 0);
            case BIGINT -> new SqlType(name, 0, 19, 0);
            case BIT, DATE, SMALLDATETIME, UNIQUEIDENTIFIER -> new SqlType(name, 0, 0, 0);
        };
    }

    /** Returns how many digits before the point are always taken: of money's first digit, not every one. */
    private int wholeDigits() {
        return name == Name.MONEY || name == Name.SMALLMONEY ? precision - scale - 1 : precision - scale;
    }

    /**
     * Returns whether Cassandra stores every value of another type as it stores it for this one, so that a column of that type can
     * become one of this. CHAR and BINARY are filled up, so rows would have to change for them.
     */
    public boolean holds(SqlType other) {
        if (equals(other)) {
            return true;
        }
        return switch (name) {
            case VARCHAR, NVARCHAR, TEXT, NTEXT, XML ->
                switch (other.name) {
                    case CHAR, VARCHAR, NCHAR, NVARCHAR, TEXT, NTEXT, XML -> isAsLongAs(other);
                    default -> false;
                };
            case VARBINARY, IMAGE ->
                switch (other.name) {
                    case BINARY, VARBINARY, IMAGE -> isAsLongAs(other);
                    default -> false;
                };
            case DECIMAL, NUMERIC, MONEY, SMALLMONEY ->
                switch (other.name) {
                    case DECIMAL, NUMERIC -> scale >= other.scale && wholeDigits() >= other.precision - other.scale;
                    case MONEY, SMALLMONEY ->
                        scale >= other.scale && precision - scale >= other.precision - other.scale;
                    default -> false;
                };
            case SMALLINT -> other.name == Name.TINYINT;
            case DATETIME2 ->
                switch (other.name) {
                    case DATETIME, SMALLDATETIME, DATETIME2 -> scale >= other.scale;
                    default -> false;
                };
            case TIME, DATETIMEOFFSET -> other.name == name && scale >= other.scale;
            default -> false;
        };
    }

    private boolean isAsLongAs(SqlType other) {
        return length == MAX || (other.length != MAX && length >= other.length);
    }

    /** Returns the type as T-SQL writes it, in lower case. */
    @Override
    public String toString() {
        String word = name.name().toLowerCase(Locale.ROOT);
        return switch (name) {
            case CHAR, NCHAR, BINARY, VARCHAR, NVARCHAR, VARBINARY ->
                word + "(" + (length == MAX ? "max" : length) + ")";
            case DECIMAL, NUMERIC -> word + "(" + precision + "," + scale + ")";
            case TIME, DATETIME2, DATETIMEOFFSET -> word + "(" + scale + ")";
            default -> word;
        };
    }
}
