package dev.cassidy.jdbc;

import dev.cassidy.jdbc.error.SqlStates;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Wrapper;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** JDBC's unwrap for objects that wrap no other. */
interface WrapsNothing extends Wrapper {

    @Override
    default <T> T unwrap(@Nullable Class<T> type) throws SQLException {
        return unwrap(this, type);
    }

    @Override
    default boolean isWrapperFor(@Nullable Class<?> type) throws SQLException {
        return type != null && type.isInstance(this);
    }

    static <T> T unwrap(Object object, @Nullable Class<T> type) throws SQLException {
        if (type == null) {
            throw new SQLException("must not be null: type", SqlStates.BAD_ARGUMENT);
        }
        if (!type.isInstance(object)) {
            throw new SQLException(
                    "Cassidy's " + kind(object) + " is no wrapper for " + type.getTypeName()
                            + "; ask isWrapperFor first",
                    SqlStates.BAD_ARGUMENT);
        }
        return type.cast(object);
    }

    /** Returns what an object is in JDBC. */
    private static String kind(Object object) {
        return Stream.of(
                        CallableStatement.class,
                        PreparedStatement.class,
                        Statement.class,
                        ResultSet.class,
                        ResultSetMetaData.class,
                        ParameterMetaData.class,
                        DatabaseMetaData.class,
                        Connection.class,
                        DataSource.class)
                .filter(type -> type.isInstance(object))
                .map(Class::getSimpleName)
                .findFirst()
                .orElse("object");
    }
}
