package dev.cassidy.differential;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** Stock, which several processes change. The row's version decides which change was first. */
final class StockDao extends Dao {

    static final String TABLE =
            "CREATE TABLE stock (id INT IDENTITY(1,1) PRIMARY KEY, product NVARCHAR(50), qty INT, version INT)";

    StockDao(Connection connection) {
        super(connection);
    }

    List<List<Object>> insert(String product, int qty) throws SQLException {
        return insert("INSERT INTO stock (product, qty, version) VALUES (?, ?, 0)", product, qty);
    }

    int take(int id, int version, int left) throws SQLException {
        return update(
                "UPDATE stock SET qty = ?, version = version + 1 WHERE id = ? AND version = ?", left, id, version);
    }

    int[] takeAll(int version, int left, int... ids) throws SQLException {
        try (PreparedStatement take =
                connection.prepareStatement("UPDATE stock SET qty = ?, version = ? WHERE id = ? AND version = ?")) {
            for (int id : ids) {
                set(take, left, version + 1, id, version);
                take.addBatch();
            }
            return take.executeBatch();
        }
    }

    int delete(int id, int version) throws SQLException {
        return update("DELETE FROM stock WHERE id = ? AND version = ?", id, version);
    }

    List<List<Object>> find(int id) throws SQLException {
        return select("SELECT qty, version FROM stock WHERE id = ?", id);
    }
}
