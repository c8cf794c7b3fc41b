package dev.cassidy.examples.shop;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * The shop's data access as many a team wrote it for SQL Server: IDENTITY columns and RETURN_GENERATED_KEYS. Only the
 * URL says which database it talks to.
 */
public final class ShopDao {

    private final String url;

    public ShopDao(String url) {
        this.url = url;
    }

    public int addProduct(String name, BigDecimal price) throws SQLException {
        return insert("INSERT INTO [dbo].[product] (name, price) VALUES (?, ?)", name, price);
    }

    public Optional<Product> findProduct(int id) throws SQLException {
        return find(
                "SELECT id, name, price FROM [dbo].[product] WHERE id = ?",
                id,
                row -> new Product(row.getInt("id"), row.getString("name"), row.getBigDecimal("price")));
    }

    public void renameProduct(int id, String name) throws SQLException {
        update("UPDATE [dbo].[product] SET name = ? WHERE id = ?", name, id);
    }

    public void deleteProduct(int id) throws SQLException {
        update("DELETE FROM [dbo].[product] WHERE id = ?", id);
    }

    public int addCustomer(String name, String email) throws SQLException {
        return insert("INSERT INTO [dbo].[customer] (name, email) VALUES (?, ?)", name, email);
    }

    public int placeOrder(int customerId, int productId, int quantity) throws SQLException {
        return insert(
                "INSERT INTO [dbo].[orders] (customer_id, product_id, quantity) VALUES (?, ?, ?)",
                customerId,
                productId,
                quantity);
    }

    public Optional<Order> findOrder(int id) throws SQLException {
        return find(
                "SELECT id, customer_id, product_id, quantity FROM [dbo].[orders] WHERE id = ?",
                id,
                row -> new Order(
                        row.getInt("id"), row.getInt("customer_id"), row.getInt("product_id"), row.getInt("quantity")));
    }

    public void deleteOrder(int id) throws SQLException {
        update("DELETE FROM [dbo].[orders] WHERE id = ?", id);
    }

    public long countOrders() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM [dbo].[orders]")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private int insert(String sql, Object... values) throws SQLException {
        try (Connection connection = connect();
                PreparedStatement statement = connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
            bind(statement, values);
            statement.executeUpdate();
            try (ResultSet keys = statement.getGeneratedKeys()) {
                keys.next();
                return keys.getInt(1);
            }
        }
    }

    private void update(String sql, Object... values) throws SQLException {
        try (Connection connection = connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, values);
            statement.executeUpdate();
        }
    }

    private <T> Optional<T> find(String sql, int id, RowReader<T> reader) throws SQLException {
        try (Connection connection = connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, id);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? Optional.of(reader.read(row)) : Optional.empty();
            }
        }
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(url);
    }

    private static void bind(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
    }

    private interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }
}
