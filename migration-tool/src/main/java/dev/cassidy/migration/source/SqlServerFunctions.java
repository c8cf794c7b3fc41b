package dev.cassidy.migration.source;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Functions of SQL Server for an H2 database that stands in for it, see {@code h2-sqlserver-catalog.sql}. They read the
 * views of that script, and give {@code null} where SQL Server does.
 */
public final class SqlServerFunctions {

    private SqlServerFunctions() {}

    /** Returns IDENT_SEED of {@code [schema].[table]}. */
    public static @Nullable BigDecimal identSeed(Connection connection, String table) throws SQLException {
        return value(connection, "IDENTITY_START", table);
    }

    /** Returns IDENT_INCR of {@code [schema].[table]}. */
    public static @Nullable BigDecimal identIncr(Connection connection, String table) throws SQLException {
        return value(connection, "IDENTITY_INCREMENT", table);
    }

    /** Returns IDENT_CURRENT of {@code [schema].[table]}, which is the seed of a table that was never used. */
    public static @Nullable BigDecimal identCurrent(Connection connection, String table) throws SQLException {
        return value(
                connection,
                "CASE WHEN IDENTITY_BASE = IDENTITY_START THEN IDENTITY_BASE ELSE IDENTITY_BASE - IDENTITY_INCREMENT END",
                table);
    }

    /** Returns DB_NAME. */
    public static String dbName(Connection connection) throws SQLException {
        return connection.getCatalog();
    }

    /** Returns 1 if the user is an administrator, as HAS_PERMS_BY_NAME does for a right on the whole database. */
    public static int hasPermsByName(Connection connection, String securable, String type, String permission)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                        "SELECT COUNT(*) FROM INFORMATION_SCHEMA.USERS WHERE USER_NAME = CURRENT_USER AND IS_ADMIN");
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private static @Nullable BigDecimal value(Connection connection, String expression, String table)
            throws SQLException {
        String[] name = table.substring(1, table.length() - 1).split("]\\.\\[", 2);
        // By the table's name first, by which H2 finds a table without looking at all of them.
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT " + expression
                        + " FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = ? AND TABLE_SCHEMA = ? AND IS_IDENTITY = 'YES'")) {
            statement.setString(1, name[1].replace("]]", "]"));
            statement.setString(2, name[0].replace("]]", "]"));
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? rows.getBigDecimal(1) : null;
            }
        }
    }
}
