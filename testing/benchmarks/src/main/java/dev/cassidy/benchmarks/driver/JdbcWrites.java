package dev.cassidy.benchmarks.driver;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** UPDATE and DELETE of rows that exist, in DAO code on plain java.sql. */
final class JdbcWrites implements Work {

    static final int TEN = 10;

    private final Connection connection;
    private final PreparedStatement write;
    private final PreparedStatement insert;
    private final boolean setsValue;
    private final int keys;
    private final OwnRows rows;
    private int number;

    /**
     * @param setsValue whether the first parameter is a quantity
     * @param keys how many rows it is of: the other parameters are their ids
     * @param deletes whether they are gone afterwards
     */
    private JdbcWrites(Connection connection, String table, String sql, boolean setsValue, int keys, boolean deletes)
            throws SQLException {
        this.connection = connection;
        this.write = connection.prepareStatement(sql);
        this.insert = connection.prepareStatement(
                "INSERT INTO " + table + " (name, quantity) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS);
        this.setsValue = setsValue;
        this.keys = keys;
        this.rows = new OwnRows(this::insert, deletes);
    }

    static JdbcWrites update(Connection connection, String table) throws SQLException {
        return new JdbcWrites(connection, table, "UPDATE " + table + " SET quantity = ? WHERE id = ?", true, 1, false);
    }

    static JdbcWrites updateOfTen(Connection connection, String table) throws SQLException {
        String markers = "?, ".repeat(TEN - 1) + '?';
        return new JdbcWrites(
                connection,
                table,
                "UPDATE " + table + " SET quantity = ? WHERE id IN (" + markers + ')',
                true,
                TEN,
                false);
    }

    static JdbcWrites decrement(Connection connection, String table) throws SQLException {
        return new JdbcWrites(
                connection,
                table,
                "UPDATE " + table + " SET quantity = quantity - 1 WHERE id = ? AND quantity >= 1",
                false,
                1,
                false);
    }

    static JdbcWrites delete(Connection connection, String table) throws SQLException {
        return new JdbcWrites(connection, table, "DELETE FROM " + table + " WHERE id = ?", false, 1, true);
    }

    private List<Integer> insert(int count) throws SQLException {
        for (int row = 0; row < count; row++) {
            insert.setString(1, "Kettle");
            insert.setInt(2, OwnRows.QUANTITY);
            insert.addBatch();
        }
        insert.executeBatch();
        List<Integer> ids = new ArrayList<>();
        try (ResultSet generated = insert.getGeneratedKeys()) {
            while (generated.next()) {
                ids.add(generated.getInt(1));
            }
        }
        return ids;
    }

    @Override
    public void prepare() throws Exception {
        rows.prepare();
    }

    @Override
    public int call() throws SQLException {
        int index = 1;
        if (setsValue) {
            write.setInt(index++, number++);
        }
        for (int key = 0; key < keys; key++) {
            Integer id = rows.next();
            if (id == null) {
                return 0;
            }
            write.setInt(index++, id);
        }
        int count = write.executeUpdate();
        if (count != keys) {
            throw new IllegalStateException(count + " rows of " + keys + " were written");
        }
        return count;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
