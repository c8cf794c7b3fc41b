package dev.cassidy.check;

import java.sql.SQLException;

/** The cluster that the application will move to, with its tables. Safe for use by many threads. */
public interface Target extends AutoCloseable {

    /** Prepares the requests that {@code sql} needs, and runs nothing; throws the error that running it would throw. */
    void verify(String sql, boolean generatedKeys) throws SQLException;

    @Override
    void close() throws SQLException;
}
