package dev.cassidy.benchmarks.driver;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.UUID;

/** DAO code on plain java.sql: the same for every driver, but that one makes the ids, and for the other the caller does. */
final class JdbcInserts implements Work {

    private final Connection connection;
    private final PreparedStatement insert;
    private final boolean identity;
    private final boolean unique;
    private final int rows;
    private int number;

    private JdbcInserts(Connection connection, PreparedStatement insert, boolean identity, boolean unique, int rows) {
        this.connection = connection;
        this.insert = insert;
        this.identity = identity;
        this.unique = unique;
        this.rows = rows;
    }

    /** Leaves the identity out and reads the generated keys. */
    static JdbcInserts withIdentity(Connection connection, String table, int rows) throws SQLException {
        return new JdbcInserts(
                connection,
                connection.prepareStatement(
                        "INSERT INTO " + table + " (name, quantity) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS),
                true,
                false,
                rows);
    }

    /** Makes a random uuid for each row. */
    static JdbcInserts withUuid(Connection connection, String table, int rows) throws SQLException {
        return new JdbcInserts(
                connection,
                connection.prepareStatement("INSERT INTO " + table + " (id, name, quantity) VALUES (?, ?, ?)"),
                false,
                false,
                rows);
    }

    /** As {@link #withIdentity}, with another name for each row. */
    static JdbcInserts withUnique(Connection connection, String table) throws SQLException {
        return new JdbcInserts(
                connection,
                connection.prepareStatement(
                        "INSERT INTO " + table + " (name, quantity) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS),
                true,
                true,
                1);
    }

    @Override
    public int call() throws SQLException {
        if (rows == 1) {
            bind();
            insert.execute();
        } else {
            for (int row = 0; row < rows; row++) {
                bind();
                insert.addBatch();
            }
            insert.executeBatch();
            requireNoWarnings();
        }
        if (identity) {
            readKeys();
        }
        return rows;
    }

    private void bind() throws SQLException {
        int index = 1;
        if (!identity) {
            insert.setObject(index++, UUID.randomUUID());
        }
        insert.setString(index++, unique ? UUID.randomUUID().toString() : "Kettle");
        insert.setInt(index, number++);
    }

    /** The server warns its client of a batch that is too large, as it does in its log. */
    private void requireNoWarnings() throws SQLException {
        SQLWarning warning = insert.getWarnings();
        if (warning != null) {
            throw new IllegalStateException("the server has warned of a batch", warning);
        }
    }

    private void readKeys() throws SQLException {
        int keys = 0;
        try (ResultSet generated = insert.getGeneratedKeys()) {
            while (generated.next()) {
                keys += generated.getInt(1) > 0 ? 1 : 0;
            }
        }
        if (keys != rows) {
            throw new IllegalStateException(keys + " keys of " + rows + " rows");
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
