package dev.cassidy.check;

import dev.cassidy.tsql.Schema;
import java.sql.SQLException;

/** The cluster that the application will move to, with its tables. Safe for use by many threads. */
public interface Target extends AutoCloseable {

    /** Prepares the requests that {@code sql} needs, and runs nothing; throws the error that running it would throw. */
    void verify(String sql, boolean generatedKeys) throws SQLException;

    /** Returns what the cluster's schema tells about a text, as the driver asks it; throws if the cluster cannot be asked. */
    Schema schema() throws SQLException;

    @Override
    void close() throws SQLException;
}
