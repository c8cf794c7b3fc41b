package dev.cassidy.jdbc.error;

import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Errors that applications know by SQL Server's number, which {@link SQLException#getErrorCode()} gives. */
public final class SqlServerErrors {

    static final int SYNTAX = 102;
    static final int NO_COLUMN = 207;
    static final int NO_TABLE = 208;
    public static final int SMALL_OVERFLOW = 220;
    static final int PERMISSION_DENIED = 229;
    static final int NOT_CONVERTED = 245;
    static final int ASSIGNED_TWICE = 264;
    public static final int DEFAULT_AS_IDENTITY = 339;
    public static final int NULL_VALUE = 515;
    public static final int EXPLICIT_IDENTITY = 544;
    public static final int IDENTITY_MISSING = 545;
    static final int NO_COLUMN_FOR_INDEX = 1911;
    static final int DEADLOCK = 1205;
    static final int INDEX_EXISTS = 1913;
    public static final int DUPLICATE_KEY = 2627;
    public static final int DUPLICATE_IN_INDEX = 2601;
    static final int COLUMN_TWICE = 2705;
    static final int OBJECT_EXISTS = 2714;
    static final int NOTHING_TO_DROP = 3701;
    public static final int NO_CONSTRAINT = 3728;
    public static final int NEEDS_A_VALUE = 4901;
    public static final int DEPENDENT = 5074;
    public static final int UPDATED_IDENTITY = 8102;
    public static final int NO_IDENTITY = 8106;
    public static final int IDENTITY_INSERT_IS_ON = 8107;
    static final int NO_NUMBER = 8114;
    public static final int OVERFLOW = 8115;
    static final int DIVISION_BY_ZERO = 8134;
    static final int NO_UUID = 8169;

    /** By the verb of a statement that names a missing table; for a query it is {@link #NO_TABLE}. */
    private static final Map<String, Integer> MISSING_TABLE =
            Map.of("DROP", NOTHING_TO_DROP, "ALTER", 4902, "CREATE", 1088, "TRUNCATE", 4701);

    private static final Pattern MISSING =
            Pattern.compile("table .* (doesn't|does not) exist.*|unconfigured table.*", Pattern.CASE_INSENSITIVE);

    /** What Cassandra says of an INSERT without a value for a column of the key. */
    private static final Pattern MISSING_KEY = Pattern.compile(
            "Some (?:partition key parts|clustering keys) are missing: ([^,\\s]+).*"
                    + "|Invalid (?:null|unset) value (?:in condition )?for (?:partition key part |column |part )?(\\S+)");

    private SqlServerErrors() {}

    public static SQLException constraint(int number, String message) {
        return new SQLIntegrityConstraintViolationException(message, SqlStates.CONSTRAINT, number);
    }

    public static SQLException noColumn(String message) {
        return new SQLSyntaxErrorException(message, SqlStates.NO_COLUMN, NO_COLUMN);
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

    /**
     * A row has values that no two rows of its table may have.
     *
     * @param index whether UNIQUE is that of an index
     * @param values as SQL Server shows them, with commas between them
     */
    public static SQLException duplicateOf(String name, boolean index, String table, String values, String undone) {
        return index
                ? constraint(
                        DUPLICATE_IN_INDEX,
                        "Cannot insert duplicate key row in object '" + table + "' with unique index '" + name
                                + "'. The duplicate key value is (" + values + "); " + undone)
                : constraint(
                        DUPLICATE_KEY,
                        "Violation of UNIQUE KEY constraint '" + name + "'. Cannot insert duplicate key in object '"
                                + table + "'. The duplicate key value is (" + values + "); " + undone);
    }

    /** Others have changed what a transaction relies on; it is rolled back, as the victim of a deadlock is. */
    public static SQLException deadlock(String message) {
        return new SQLTransactionRollbackException(message, SqlStates.CONFLICT, DEADLOCK);
    }

    /** A computed value does not fit its column. */
    public static SQLException overflow(SQLException e) {
        return new SQLDataException(e.getMessage(), SqlStates.OUT_OF_RANGE, OVERFLOW, e);
    }

    public static SQLException exists(String message) {
        return new SQLSyntaxErrorException(message, SqlStates.TABLE_EXISTS, OBJECT_EXISTS);
    }

    /** A statement with this verb names a table that does not exist. */
    public static SQLException missingTable(String verb, String table) {
        return ofVerb(verb, new SQLSyntaxErrorException("Table " + table + " does not exist", SqlStates.NO_TABLE));
    }

    /** An index that is to be made names a column that its table does not have. */
    public static SQLException missingColumnOfIndex(String column, String table) {
        return new SQLSyntaxErrorException(
                "Column name '" + column + "' does not exist in the target table " + table,
                SqlStates.NO_COLUMN,
                NO_COLUMN_FOR_INDEX);
    }

    /** The table has an index of that name. */
    public static SQLException indexExists(String index, String table) {
        return new SQLSyntaxErrorException(
                "The operation failed because an index with name '" + index + "' already exists on table " + table,
                SqlStates.INDEX_EXISTS,
                INDEX_EXISTS);
    }

    /** The table has no index of that name. */
    public static SQLException missingIndex(String index, String table) {
        return new SQLSyntaxErrorException(
                "Cannot drop the index '" + index + "' of table " + table + ", because it does not exist",
                SqlStates.NO_INDEX,
                NOTHING_TO_DROP);
    }

    /** What was waited for did not happen in time. */
    public static SQLException timeout(String message) {
        return new SQLTimeoutException(message, SqlStates.TIMEOUT);
    }

    /** Returns SQL Server's error of an INSERT that gives a column of the key no value; null for any other error. */
    public static @Nullable SQLException missingKey(SQLException e) {
        Throwable cause = e.getCause();
        Matcher missing = MISSING_KEY.matcher(cause instanceof InvalidQueryException ? cause.getMessage() : "");
        return missing.matches()
                ? new SQLIntegrityConstraintViolationException(
                        "Cannot insert the value NULL into column '"
                                + (missing.group(1) == null ? missing.group(2) : missing.group(1))
                                + "'; column does not allow nulls. INSERT fails: the column is part of the primary key, so"
                                + " give it a value, or declare a DEFAULT for it",
                        SqlStates.CONSTRAINT,
                        NULL_VALUE,
                        cause)
                : null;
    }

    /** Gives an error of a statement with this verb the number that SQL Server has for it. */
    public static SQLException ofVerb(String verb, SQLException e) {
        SQLException ofKey = verb.equals("INSERT") ? missingKey(e) : null;
        if (ofKey != null) {
            return ofKey;
        }
        Integer number = MISSING_TABLE.get(verb);
        String message = String.valueOf(e.getMessage());
        return number == null || !MISSING.matcher(message).matches()
                ? e
                : new SQLSyntaxErrorException(message, SqlStates.NO_TABLE, number, e.getCause());
    }
}
