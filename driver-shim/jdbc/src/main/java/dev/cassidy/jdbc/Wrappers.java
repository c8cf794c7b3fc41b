package dev.cassidy.jdbc;

import dev.cassidy.jdbc.error.SqlStates;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** JDBC's unwrap for objects that wrap no other. */
final class Wrappers {

    private Wrappers() {}

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
