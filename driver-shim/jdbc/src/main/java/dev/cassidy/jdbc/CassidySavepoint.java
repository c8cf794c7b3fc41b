package dev.cassidy.jdbc;

import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.run.ConnectionState;
import java.sql.SQLException;
import java.sql.Savepoint;
import org.jspecify.annotations.Nullable;

/**
 * A point of a transaction.
 *
 * @param id of those of its connection
 * @param name null if it has none
 */
record CassidySavepoint(int id, @Nullable String name, ConnectionState.Point point) implements Savepoint {

    @Override
    public int getSavepointId() throws SQLException {
        if (name != null) {
            throw new SQLException("The savepoint has a name: " + name, SqlStates.SEQUENCE_OF_CALLS);
        }
        return id;
    }

    @Override
    public String getSavepointName() throws SQLException {
        if (name == null) {
            throw new SQLException("The savepoint has no name; its id is " + id, SqlStates.SEQUENCE_OF_CALLS);
        }
        return name;
    }
}
