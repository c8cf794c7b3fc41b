package dev.cassidy.differential;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.List;

/** Orders with their lines, written in one transaction. */
final class OrderDao extends Dao {

    static final String ORDERS = "CREATE TABLE orders (id BIGINT IDENTITY(1000,10) PRIMARY KEY, customer_id INT, placed"
            + " DATETIME2, total DECIMAL(10,2), note NVARCHAR(200))";
    static final String LINES = "CREATE TABLE order_line (order_id BIGINT NOT NULL, line INT NOT NULL, product"
            + " NVARCHAR(50), qty INT, PRIMARY KEY (order_id, line))";

    OrderDao(Connection connection) {
        super(connection);
    }

    /** Returns the new order's id. The lines contain it before anything is committed. */
    long place(int customer, String... products) throws SQLException {
        long id;
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO [dbo].[orders] (customer_id, placed, total) VALUES (?, ?, ?)",
                Statement.RETURN_GENERATED_KEYS)) {
            insert.setInt(1, customer);
            insert.setTimestamp(2, Timestamp.valueOf("2026-03-04 05:06:07.089"));
            insert.setBigDecimal(3, new BigDecimal("12.34"));
            insert.executeUpdate();
            try (ResultSet keys = insert.getGeneratedKeys()) {
                keys.next();
                id = keys.getLong(1);
            }
        }
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO order_line (order_id, line, product, qty) VALUES (?, ?, ?, ?)")) {
            for (int line = 1; line <= products.length; line++) {
                set(insert, id, line, products[line - 1], line * 10);
                insert.addBatch();
            }
            insert.executeBatch();
        }
        return id;
    }

    List<List<Object>> find(long id) throws SQLException {
        return select("SELECT id, customer_id, placed, total, note FROM orders WHERE id = ?", id);
    }

    List<List<Object>> lines(long id) throws SQLException {
        return select("SELECT line, product, qty FROM order_line WHERE order_id = ? ORDER BY line", id);
    }
}
