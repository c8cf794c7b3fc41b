package dev.cassidy.jdbc.value;

import dev.cassidy.jdbc.error.Lines;
import dev.cassidy.jdbc.error.SqlStates;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.time.temporal.Temporal;
import java.util.Date;

/** A value cannot be converted as requested; the caller knows where it was and makes a SQLException of it. */
public final class ConversionException extends Exception {

    private static final long serialVersionUID = 1;
    private static final int SHOWN = 60;

    private final String sqlState;

    /** SQL Server's error number; 0 if it has none, or another one for each type. */
    private final int number;

    private ConversionException(String sqlState, String message) {
        this(sqlState, message, 0);
    }

    private ConversionException(String sqlState, String message, int number) {
        // Without a stack trace: it never leaves the driver, the SQLException made from it has one.
        super(message, null, false, false);
        this.sqlState = sqlState;
        this.number = number;
    }

    static ConversionException outOfRange(Object value, String type, String rule) {
        return new ConversionException(
                SqlStates.OUT_OF_RANGE, "does not fit " + type + " (" + rule + "): " + shown(value));
    }

    static ConversionException outOfRange(Object value, String type, String rule, int number) {
        return new ConversionException(
                SqlStates.OUT_OF_RANGE, "does not fit " + type + " (" + rule + "): " + shown(value), number);
    }

    static ConversionException text(Object value, String type, String rule) {
        return new ConversionException(SqlStates.BAD_TEXT, "is not " + type + " (" + rule + "): " + shown(value));
    }

    public static ConversionException datetime(Object value, String type, String rule) {
        return datetime(value, type, rule, 0);
    }

    static ConversionException datetime(Object value, String type, String rule, int number) {
        return new ConversionException(
                SqlStates.BAD_DATETIME, "is not " + type + " (" + rule + "): " + shown(value), number);
    }

    static ConversionException datetimeLoss(Object value, String type, String rule) {
        return new ConversionException(
                SqlStates.DATETIME_OVERFLOW, "would lose a part as " + type + " (" + rule + "): " + shown(value));
    }

    public static ConversionException type(Object value, String type) {
        return new ConversionException(
                SqlStates.TYPE_MISMATCH,
                "cannot be converted from " + name(value.getClass()) + " to " + type
                        + (says(value) ? ": " + shown(value) : ""));
    }

    static ConversionException data(String message) {
        return new ConversionException(SqlStates.BAD_DATA, message);
    }

    /**
     * Returns the exception for the caller of JDBC.
     *
     * @param where the place of the value, such as {@code parameter 2 (qty int)}
     */
    public SQLException in(String where) {
        return new SQLDataException(Lines.escaped(where + " " + getMessage()), sqlState, number);
    }

    /** As a program writes it: byte[], not [B. */
    private static String name(Class<?> type) {
        return type.isArray() ? name(type.getComponentType()) + "[]" : type.getTypeName();
    }

    /** Returns whether a value's text says more than its class and an identity hash. */
    private static boolean says(Object value) {
        return value instanceof byte[]
                || !String.valueOf(value)
                        .equals(value.getClass().getName() + "@" + Integer.toHexString(System.identityHashCode(value)));
    }

    /** In quotes, within which an apostrophe is doubled: where the value ends can be told, also by what removes values. */
    private static String shown(Object value) {
        if (value instanceof byte[] bytes) {
            return bytes.length + " bytes";
        }
        String text = String.valueOf(value);
        boolean whole = text.length() <= SHOWN;
        String cut = whole ? text : text.substring(0, SHOWN) + "... (" + text.length() + " characters)";
        boolean bare = value instanceof Number || value instanceof Temporal || value instanceof Date;
        return bare ? cut : "'" + cut.replace("'", "''") + "'";
    }
}
