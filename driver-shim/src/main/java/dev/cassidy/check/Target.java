package dev.cassidy.check;

import java.sql.SQLException;

/** The cluster that the application will move to, with its tables. Safe for use by many threads. */
public interface Target extends AutoCloseable {

    /** Prepares what {@code sql} amounts to, and runs nothing; throws what running it would be refused with. */
    void verify(String sql, boolean generatedKeys) throws SQLException;

    @Override
    void close() throws SQLException;
}
