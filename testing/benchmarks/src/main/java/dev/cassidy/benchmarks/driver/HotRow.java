package dev.cassidy.benchmarks.driver;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransientException;

/** UPDATE of n = n + 1 of the one row of a table, which all threads write. */
final class HotRow implements Work {

    static final String COUNTED = "counted_hot";
    static final String CONDITIONAL = "exact_hot";

    private final Connection connection;
    private final PreparedStatement add;

    /** @param connection is closed with this */
    HotRow(Connection connection, String table) throws SQLException {
        this.connection = connection;
        this.add = connection.prepareStatement("UPDATE " + table + " SET n = n + 1 WHERE id = ?");
    }

    @Override
    public int call() throws SQLException {
        add.setInt(1, 1);
        while (true) {
            try {
                return add.executeUpdate();
            } catch (SQLTransientException e) {
                // Others were faster each time: an application runs it again.
                if (!"40001".equals(e.getSQLState())) {
                    throw e;
                }
            }
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
