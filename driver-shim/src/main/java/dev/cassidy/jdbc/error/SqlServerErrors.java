package dev.cassidy.jdbc.error;

import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLSyntaxErrorException;
import java.util.Map;
import java.util.regex.Pattern;

/** Errors that applications know by SQL Server's number, which {@link SQLException#getErrorCode()} gives. */
public final class SqlServerErrors {

    static final int SYNTAX = 102;
    static final int NO_COLUMN = 207;
    static final int NO_TABLE = 208;
    static final int PERMISSION_DENIED = 229;
    static final int NOT_CONVERTED = 245;
    public static final int DEFAULT_AS_IDENTITY = 339;
    public static final int NULL_AS_IDENTITY = 515;
    public static final int EXPLICIT_IDENTITY = 544;
    public static final int IDENTITY_MISSING = 545;
    static final int DUPLICATE_KEY = 2627;
    static final int OBJECT_EXISTS = 2714;
    public static final int NO_IDENTITY = 8106;
    public static final int IDENTITY_INSERT_IS_ON = 8107;
    static final int NO_NUMBER = 8114;
    static final int OVERFLOW = 8115;
    static final int NO_UUID = 8169;

    /** By the verb of a statement that names a missing table; for a query it is {@link #NO_TABLE}. */
    private static final Map<String, Integer> MISSING_TABLE =
            Map.of("DROP", 3701, "ALTER", 4902, "CREATE", 1088, "TRUNCATE", 4701);

    private static final Pattern MISSING =
            Pattern.compile("table .* (doesn't|does not) exist.*|unconfigured table.*", Pattern.CASE_INSENSITIVE);

    private SqlServerErrors() {}

    public static SQLException constraint(int number, String message) {
        return new SQLIntegrityConstraintViolationException(message, SqlStates.CONSTRAINT, number);
    }

    public static SQLException rule(int number, String message) {
        return new SQLSyntaxErrorException(message, SqlStates.SYNTAX_OR_RULE, number);
    }

    /**
     * A row that must be new exists.
     *
     * @param key its columns' values, as far as they are known
     */
    public static SQLException duplicate(String table, String key) {
        return constraint(
                DUPLICATE_KEY,
                "Violation of PRIMARY KEY constraint. Cannot insert duplicate key in object '" + table
                        + "'. The duplicate key value is (" + key + "); nothing was written");
    }

    public static SQLException exists(String message) {
        return new SQLSyntaxErrorException(message, SqlStates.TABLE_EXISTS, OBJECT_EXISTS);
    }

    /** Gives an error of a statement with this verb the number that SQL Server has for it. */
    public static SQLException ofVerb(String verb, SQLException e) {
        Integer number = MISSING_TABLE.get(verb);
        String message = String.valueOf(e.getMessage());
        return number == null || !MISSING.matcher(message).matches()
                ? e
                : new SQLSyntaxErrorException(message, SqlStates.NO_TABLE, number, e.getCause());
    }
}
