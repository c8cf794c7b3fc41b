package dev.cassidy.cql;

import dev.cassidy.cql.ColumnValueException.Reason;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.SqlType;
import dev.cassidy.insert.CqlInsert;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What SQL Server does with a value that a column is given, by the column's type in T-SQL: it refuses NULL, what is too long, what
 * has too many digits, and days that the type does not have. It fills CHAR and BINARY up, and rounds decimals and fractions of a
 * second. Immutable.
 *
 * @param table with its keyspace, for messages
 */
public record ColumnRule(String table, ColumnDefinition column) {

    private static final BigDecimal MAX_MONEY = new BigDecimal("922337203685477.5807");
    private static final BigDecimal MIN_MONEY = new BigDecimal("-922337203685477.5808");
    private static final BigDecimal MAX_SMALLMONEY = new BigDecimal("214748.3647");
    private static final BigDecimal MIN_SMALLMONEY = new BigDecimal("-214748.3648");

    private static final int MAX_TINYINT = 255;
    private static final int MILLI_DIGITS = 3;
    private static final int NANO_DIGITS = 9;
    private static final long MINUTE = 60_000;

    private static final int MAX_YEAR = 9999;
    private static final Times ALL_YEARS = Times.of("0001-01-01", "9999-12-31");
    private static final Times DATETIMES = Times.of("1753-01-01", "9999-12-31");
    private static final Times SMALLDATETIMES = Times.of("1900-01-01", "2079-06-06");

    static final String NO_SUCH_ROW =
            "No row with such a key can exist, and Cassandra's UPDATE would create one: correct the"
                    + " key, or add IF EXISTS to update none";

    private static final String OTHERWISE = ". Give another value, or the column a type that holds it";

    /** Longer values are not shown whole. */
    private static final int SHOWN = 100;

    /** Returns whether there is a value that the column does not take as it is. */
    public boolean asksForAnything() {
        return column.required() || restricts();
    }

    /** Returns whether there is such a value besides NULL. */
    public boolean restricts() {
        SqlType type = column.type();
        return type != null
                && switch (type.name()) {
                    case CHAR, NCHAR, VARCHAR, NVARCHAR, BINARY, VARBINARY -> type.length() != SqlType.MAX;
                    case DECIMAL, NUMERIC, MONEY, SMALLMONEY, TINYINT, FLOAT, REAL, TIME -> true;
                    case DATE, DATETIME, SMALLDATETIME, DATETIME2, DATETIMEOFFSET -> true;
                    default -> false;
                };
    }

    /**
     * Returns whether the column takes a value as it is, as far as its encoding shows that without decoding it: no text has more
     * UTF-16 units than bytes of UTF-8, and no number of so many bytes has more digits than the column. A value of which it does not
     * show it may be taken too.
     */
    boolean takesEncoded(ByteBuffer value) {
        SqlType type = column.type();
        return type != null
                && switch (type.name()) {
                    case VARCHAR, NVARCHAR, VARBINARY -> value.remaining() <= type.length();
                    // The scale, in four bytes, and the digits as a two's complement number.
                    case DECIMAL, NUMERIC, MONEY, SMALLMONEY ->
                        value.remaining() > Integer.BYTES
                                && value.getInt(value.position()) == type.scale()
                                && value.remaining() - Integer.BYTES <= bytesOfDigits(type.precision());
                    case TIME -> value.remaining() == Long.BYTES && value.getLong(value.position()) % unit(type) == 0;
                    case DATETIME, SMALLDATETIME, DATETIME2, DATETIMEOFFSET ->
                        value.remaining() == Long.BYTES
                                && value.getLong(value.position()) % unit(type) == 0
                                && times(type).contains(value.getLong(value.position()));
                    case FLOAT, REAL ->
                        value.remaining() == Double.BYTES
                                ? Double.isFinite(value.getDouble(value.position()))
                                : value.remaining() == Float.BYTES && Float.isFinite(value.getFloat(value.position()));
                    default -> false;
                };
    }

    /** Returns the most bytes of which every two's complement number has at most so many decimal digits: 2^(8n-1) <= 10^digits. */
    private static int bytesOfDigits(int digits) {
        // 3.3219 is less than the binary logarithm of 10.
        return (digits * 33_219 / 10_000 + 1) / Byte.SIZE;
    }

    /** @param verb of the statement, for the message */
    ColumnValueException refuseNull(String verb) {
        return new ColumnValueException(
                Reason.NULL,
                "Cannot insert the value NULL into column '" + column.label() + "', table '" + table
                        + "'; column does not allow nulls. " + verb
                        + " fails: give the column a value, or declare a DEFAULT"
                        + " for it");
    }

    ColumnValueException refuseIdentity() {
        return new ColumnValueException(
                Reason.IDENTITY,
                "Cannot update identity column '" + column.name() + "' of table " + table
                        + ": leave it out, or insert a new row, and delete the old one");
    }

    /**
     * @param value what the server would compute
     * @param check the CHECK that asks for the column; null if it is the column's own type
     */
    ColumnValueException refuseComputed(CqlInsert.Value value, @Nullable String check) {
        return new ColumnValueException(
                Reason.COMPUTED,
                "Cassandra would compute the value of column '" + column.label() + "' of table '" + table
                        + "' from what it"
                        + " contains: " + (value instanceof CqlInsert.Value.Term term ? term.text() : "") + ". Then "
                        + (check == null
                                ? "nothing would hold it against the column's type, " + column.type()
                                : "nothing would hold it against the CHECK constraint " + check)
                        + ": read the row, and give the column its new value, with IF and the value that was read");
    }

    /**
     * @param type of the column in CQL
     * @param encoded as which the driver would send the value
     */
    ColumnValueException refuseClass(Object value, String type, String encoded) {
        String given = value.getClass().getName();
        return new ColumnValueException(
                Reason.CLASS,
                "Operand type clash: " + encoded + " is incompatible with " + type + ": column '" + column.label()
                        + "' of table '" + table + "', value of class " + given
                        + ". The driver encodes the value of a simple statement by its class: give one of the class for "
                        + type + ("decimal".equals(type) ? ", a BigDecimal" : "")
                        + ", or prepare the statement and bind the value");
    }

    /**
     * Returns what is stored of a value.
     *
     * @param value not null; one of another class than the column's stays as it is: who binds it gets the driver's error
     * @throws ColumnValueException if SQL Server would refuse it
     */
    public Object stored(Object value) {
        SqlType type = column.type();
        if (type == null) {
            return value;
        }
        return switch (type.name()) {
            case CHAR, NCHAR -> value instanceof String text ? filled(text(text, type), type.length()) : value;
            case VARCHAR, NVARCHAR -> value instanceof String text ? text(text, type) : value;
            case BINARY, VARBINARY -> value instanceof ByteBuffer bytes ? binary(bytes, type) : value;
            case DECIMAL, NUMERIC, MONEY, SMALLMONEY ->
                value instanceof BigDecimal number ? decimal(number, type) : value;
            case DATETIME, SMALLDATETIME, DATETIME2, DATETIMEOFFSET ->
                value instanceof Instant instant ? rounded(instant, type) : value;
            case DATE -> value instanceof LocalDate date ? day(date) : value;
            case TIME -> value instanceof LocalTime time ? rounded(time, type) : value;
            case TINYINT -> {
                if (value instanceof Number number && (number.longValue() < 0 || number.longValue() > MAX_TINYINT)) {
                    throw new ColumnValueException(
                            Reason.TINYINT,
                            "Arithmetic overflow error for data type tinyint, value = " + number + ": column '"
                                    + column.label() + "' of table '" + table + "' holds 0 to " + MAX_TINYINT
                                    + OTHERWISE);
                }
                yield value;
            }
            case FLOAT, REAL -> {
                if ((value instanceof Double real && !Double.isFinite(real))
                        || (value instanceof Float single && !Float.isFinite(single))) {
                    throw new ColumnValueException(
                            Reason.NOT_A_NUMBER,
                            "The supplied value is not a valid instance of data type " + column.type() + ": column '"
                                    + column.label() + "' of table '" + table + "', value=" + value
                                    + ". SQL Server has no such value: give a number, or NULL");
                }
                yield value;
            }
            case SMALLINT -> whole(value, Short.MIN_VALUE, Short.MAX_VALUE);
            case INT -> whole(value, Integer.MIN_VALUE, Integer.MAX_VALUE);
            default -> value;
        };
    }

    /** What is bound fits; a literal may not. */
    private Object whole(Object value, long lowest, long highest) {
        if (value instanceof BigDecimal number
                && (number.compareTo(BigDecimal.valueOf(lowest)) < 0
                        || number.compareTo(BigDecimal.valueOf(highest)) > 0)) {
            throw new ColumnValueException(
                    Reason.OVERFLOW,
                    "Arithmetic overflow error converting expression to data type " + column.type() + ": column '"
                            + column.label() + "' of table '" + table + "' holds " + lowest + " to " + highest
                            + ", value=" + number + OTHERWISE);
        }
        return value;
    }

    /**
     * Returns the form in which the column has a value that it is compared with, if it can have it: SQL Server compares texts
     * without regard to blanks at their end, binaries without zeros there, and decimals as numbers. A value that the column cannot
     * have stays as it is, and equals none.
     *
     * @param value not null; one of another class than the column's is left to the driver
     */
    public Object compared(Object value) {
        SqlType type = column.type();
        if (type == null) {
            return value;
        }
        return switch (type.name()) {
            case CHAR, NCHAR, VARCHAR, NVARCHAR, BINARY -> {
                try {
                    yield stored(value);
                } catch (ColumnValueException e) {
                    yield value;
                }
            }
            case DECIMAL, NUMERIC, MONEY, SMALLMONEY ->
                value instanceof BigDecimal number ? scaled(number, type) : value;
            default -> value;
        };
    }

    /**
     * Requires that a row with such a key may exist, because an UPDATE would create it.
     *
     * @param form as {@link #compared} returned it
     */
    void requireKey(Object form) {
        Object stored;
        try {
            stored = stored(form);
        } catch (ColumnValueException e) {
            throw new ColumnValueException(e.reason(), e.getMessage() + ". " + NO_SUCH_ROW);
        }
        if (!stored.equals(form)) {
            throw new ColumnValueException(
                    Reason.OVERFLOW,
                    "Arithmetic overflow error converting the key to data type " + column.type() + ": column '"
                            + column.label() + "' of table '" + table + "', value=" + form + ". " + NO_SUCH_ROW);
        }
    }

    private static BigDecimal scaled(BigDecimal number, SqlType type) {
        if (number.precision() - (long) number.scale() > type.precision()) {
            return number;
        }
        BigDecimal shortest = number.stripTrailingZeros();
        return shortest.scale() <= type.scale() ? shortest.setScale(type.scale()) : number;
    }

    /** Returns the step from one value of a type of times to the next: in nanoseconds of TIME, in milliseconds of others. */
    private static long unit(SqlType type) {
        long unit = 1;
        int stored = type.name() == SqlType.Name.TIME ? NANO_DIGITS : MILLI_DIGITS;
        for (int digits = type.scale(); digits < stored; digits++) {
            unit *= 10;
        }
        return type.name() == SqlType.Name.SMALLDATETIME ? MINUTE : unit;
    }

    private Instant rounded(Instant instant, SqlType type) {
        long millis;
        try {
            millis = instant.toEpochMilli();
        } catch (ArithmeticException e) {
            throw outOfRange(instant, type);
        }
        if (!times(type).contains(millis)) {
            throw outOfRange(instant, type);
        }
        long unit = unit(type);
        // SQL Server rounds 29.999 seconds up, and 29.998 down.
        long half = unit == MINUTE ? MINUTE - 29_999 : unit / 2;
        long rounded = Math.floorDiv(millis + half, unit) * unit;
        if (rounded == millis) {
            return instant;
        }
        Instant then = Instant.ofEpochMilli(rounded);
        LocalDate last = times(type).last;
        // Rounded, it may be a day that the type does not have. That is seen in UTC alone: the zone that was meant is
        // not known.
        if (!times(type).contains(rounded)
                || (!day(instant).isAfter(last) && day(then).isAfter(last))) {
            throw outOfRange(instant, type);
        }
        return then;
    }

    private static LocalDate day(Instant instant) {
        return LocalDate.ofInstant(instant, ZoneOffset.UTC);
    }

    private LocalDate day(LocalDate date) {
        if (date.getYear() < 1 || date.getYear() > MAX_YEAR) {
            throw outOfRange(date, Objects.requireNonNull(column.type()));
        }
        return date;
    }

    private ColumnValueException outOfRange(Object value, SqlType type) {
        Times times = times(type);
        return new ColumnValueException(
                Reason.DATE_RANGE,
                "The conversion to data type " + type + " resulted in an out-of-range value: column '" + column.label()
                        + "' of table '" + table + "' holds " + times.first + " to " + times.last + ", value='" + value
                        + "'" + OTHERWISE);
    }

    private static Times times(SqlType type) {
        return switch (type.name()) {
            case DATETIME -> DATETIMES;
            case SMALLDATETIME -> SMALLDATETIMES;
            default -> ALL_YEARS;
        };
    }

    /**
     * From the beginning of one day to the end of another, in whatever zone: SQL Server's value has none, and an instant does not
     * tell in which zone it was meant.
     */
    private record Times(LocalDate first, LocalDate last, long firstMillis, long endMillis) {

        static Times of(String first, String last) {
            LocalDate begin = LocalDate.parse(first);
            LocalDate end = LocalDate.parse(last);
            return new Times(
                    begin,
                    end,
                    begin.atStartOfDay().toInstant(ZoneOffset.MAX).toEpochMilli(),
                    end.plusDays(1).atStartOfDay().toInstant(ZoneOffset.MIN).toEpochMilli());
        }

        boolean contains(long millis) {
            return millis >= firstMillis && millis < endMillis;
        }
    }

    /** What is rounded up at the end of a day is midnight, as in SQL Server. */
    private static LocalTime rounded(LocalTime time, SqlType type) {
        long unit = unit(type);
        long nanos = (time.toNanoOfDay() + unit / 2) / unit * unit;
        return LocalTime.ofNanoOfDay(nanos % Duration.ofDays(1).toNanos());
    }

    /** As SQL Server, cuts off blanks that are too many, and nothing else. */
    private String text(String text, SqlType type) {
        if (type.length() == SqlType.MAX || text.length() <= type.length()) {
            return text;
        }
        for (int i = type.length(); i < text.length(); i++) {
            if (text.charAt(i) != ' ') {
                throw truncation("'" + text + "'", text.length(), "characters", type);
            }
        }
        return text.substring(0, type.length());
    }

    private static String filled(String text, int length) {
        return text.length() >= length ? text : text + " ".repeat(length - text.length());
    }

    private ByteBuffer binary(ByteBuffer bytes, SqlType type) {
        int length = bytes.remaining();
        if (type.length() == SqlType.MAX || (length == type.length())) {
            return bytes;
        }
        if (length > type.length()) {
            throw truncation("a binary", length, "bytes", type);
        }
        if (type.name() == SqlType.Name.VARBINARY) {
            return bytes;
        }
        // The rest stays 0.
        ByteBuffer filled = ByteBuffer.allocate(type.length());
        filled.put(bytes.duplicate()).rewind();
        return filled;
    }

    private ColumnValueException truncation(String value, int length, String unit, SqlType type) {
        return new ColumnValueException(
                Reason.TRUNCATION,
                "String or binary data would be truncated in table '" + table + "', column '" + column.label()
                        + "', which is " + type + ": the value has " + length + " " + unit
                        + (value.length() > SHOWN ? "" : ": " + value) + ". Shorten it, or make the column longer");
    }

    private BigDecimal decimal(BigDecimal number, SqlType type) {
        // Before it is rounded: of 1E+1000000 all digits would be written out.
        boolean fits =
                number.signum() == 0 || number.precision() - (long) number.scale() <= type.precision() - type.scale();
        // Of 1E-1000000 too: it is less than half of the last digit.
        boolean zero = number.precision() - (long) number.scale() < -type.scale();
        BigDecimal rounded = zero
                ? BigDecimal.valueOf(0, type.scale())
                : fits ? number.setScale(type.scale(), RoundingMode.HALF_UP) : number;
        fits = fits
                && switch (type.name()) {
                    case MONEY -> rounded.compareTo(MAX_MONEY) <= 0 && rounded.compareTo(MIN_MONEY) >= 0;
                    case SMALLMONEY -> rounded.compareTo(MAX_SMALLMONEY) <= 0 && rounded.compareTo(MIN_SMALLMONEY) >= 0;
                    default -> rounded.precision() <= type.precision();
                };
        if (!fits) {
            throw new ColumnValueException(
                    Reason.OVERFLOW,
                    "Arithmetic overflow error converting numeric to data type numeric: column '" + column.label()
                            + "' of table '" + table + "' is " + type + ", value="
                            + (number.precision() - (long) number.scale() > SHOWN ? number : number.toPlainString())
                            + OTHERWISE);
        }
        return rounded;
    }
}
