package dev.cassidy.jdbc.error;

import java.sql.SQLException;

/** The SQLStates that this driver gives; {@link SqlErrors} says when. */
public final class SqlStates {
    static final String WARNING = "01000";
    public static final String WRONG_PARAMETERS = "07001";
    public static final String WRONG_COLUMN = "07009";
    public static final String TYPE_MISMATCH = "07006";
    public static final String CANNOT_CONNECT = "08001";
    public static final String CONNECTION_CLOSED = "08003";
    static final String CONNECTION_FAILED = "08006";
    static final String OUTCOME_UNKNOWN = "08007";
    public static final String FRACTION_CUT = "01S07";
    public static final String OUT_OF_RANGE = "22003";
    static final String TOO_LONG = "22001";
    public static final String BAD_DATETIME = "22007";
    public static final String DATETIME_OVERFLOW = "22008";
    public static final String BAD_TEXT = "22018";
    public static final String BAD_DATA = "22000";
    static final String DIVISION_BY_ZERO = "22012";
    static final String CONSTRAINT = "23000";
    public static final String CURSOR_STATE = "24000";
    public static final String INVALID_AUTHORISATION = "28000";
    public static final String NO_KEYSPACE = "3F000";

    /** Others were in the way; the same statement may succeed if it is run again. */
    public static final String BAD_SAVEPOINT = "3B001";

    public static final String CONFLICT = "40001";

    public static final String SYNTAX_OR_RULE = "42000";
    public static final String NO_TABLE = "42S02";
    static final String TABLE_EXISTS = "42S01";
    static final String INDEX_EXISTS = "42S11";
    static final String NO_INDEX = "42S12";
    public static final String NO_COLUMN = "42S22";
    static final String NO_PRIVILEGE = "42501";
    static final String ROUTINE_FAILED = "38000";
    public static final String TOO_LARGE = "54000";
    static final String NOT_READY = "55000";
    public static final String RESOURCES = "53000";
    public static final String GENERAL = "HY000";
    public static final String CANCELLED = "HY008";
    public static final String SEQUENCE_OF_CALLS = "HY010";
    public static final String BAD_ARGUMENT = "HY024";
    public static final String TIMEOUT = "HYT00";
    /** What SQL Server's driver gives with most of the server's errors. */
    static final String SQL_SERVERS_OWN = "S0001";

    private SqlStates() {}

    /** Returns whether an error says that a value does not fit its column, or breaks one of its rules. */
    public static boolean isOfValue(SQLException error) {
        String state = String.valueOf(error.getSQLState());
        return state.startsWith("22") || state.startsWith("23");
    }
}
