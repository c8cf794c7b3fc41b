package dev.cassidy.jdbc;

import dev.cassidy.jdbc.error.SqlStates;
import java.sql.SQLException;
import java.sql.Wrapper;
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
                    object.getClass().getSimpleName() + " is no wrapper for " + type.getName(), SqlStates.BAD_ARGUMENT);
        }
        return type.cast(object);
    }
}
