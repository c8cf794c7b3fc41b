package dev.cassidy.jdbc.error;

import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLSyntaxErrorException;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Features of JDBC that Cassidy does not serve, refused by name. */
public final class Unserved {

    /**
     * Optional feature not implemented. Never 0A000, which says the same: HikariCP evicts the connection on that one.
     */
    static final String SQL_STATE = "HYC00";

    /**
     * SQL Server's numbers that the driver gives to what CQL does not know: another reader of the statement may know it. Each other number says
     * what SQL Server refuses too.
     */
    private static final Set<Integer> OF_CQL =
            Set.of(0, SqlServerErrors.SYNTAX, SqlServerErrors.NO_COLUMN, SqlServerErrors.NO_TABLE);

    private Unserved() {}

    public static SQLFeatureNotSupportedException method(String signature) {
        return feature(signature + " is not served by Cassidy's JDBC driver");
    }

    /** Classes of the application's own for the parts of a value. */
    public static void requireEmpty(@Nullable Map<String, Class<?>> map) throws SQLFeatureNotSupportedException {
        if (map != null && !map.isEmpty()) {
            throw feature("Type maps are not served by Cassidy's JDBC driver: map=" + map.keySet()
                    + "; use getObject(index, Class)");
        }
    }

    public static SQLFeatureNotSupportedException feature(String message) {
        return new SQLFeatureNotSupportedException(Lines.escaped(message), SQL_STATE);
    }

    /** Returns whether an error says that a statement is not served as it is; any other may be gone with the next try. */
    public static boolean isRefusal(SQLException error) {
        return error instanceof SQLFeatureNotSupportedException || error instanceof SQLSyntaxErrorException;
    }

    /** Returns whether a refusal says that CQL has no form for a statement, which T-SQL may have. */
    public static boolean isOfCql(SQLException error) {
        return isRefusal(error) && OF_CQL.contains(error.getErrorCode());
    }

    /** Returns whether an error says that a table or a column is not known. */
    public static boolean isUnknownName(SQLException error) {
        int number = error.getErrorCode();
        return number == SqlServerErrors.NO_TABLE || number == SqlServerErrors.NO_COLUMN;
    }
}
