package dev.cassidy.examples.shop;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/** Accounts and stock, as written for SQL Server: tables with defaults, and an UPDATE that takes only what is there. */
public final class StoreDao {

    /** As SQL Server's tools write it. */
    public static final String SCHEMA = """
            CREATE TABLE [dbo].[account] (
                [username] NVARCHAR(50) NOT NULL CONSTRAINT [PK_account] PRIMARY KEY CLUSTERED,
                [password] NVARCHAR(50) NOT NULL,
                [language] NVARCHAR(10) NOT NULL CONSTRAINT [DF_account_language] DEFAULT (N'en'),
                [created] DATETIME2 NOT NULL CONSTRAINT [DF_account_created] DEFAULT (getdate())
            )
            GO
            CREATE TABLE [dbo].[stock] (
                [product_id] INT NOT NULL PRIMARY KEY,
                [quantity] INT NOT NULL CONSTRAINT [DF_stock_quantity] DEFAULT ((0)),
                CONSTRAINT [CK_stock_quantity] CHECK ([quantity] >= 0)
            )
            GO
            """;

    private final String url;

    public StoreDao(String url) {
        this.url = url;
    }

    public void createTables() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(SCHEMA);
        }
    }

    public void signUp(String username, String password) throws SQLException {
        update("INSERT INTO [dbo].[account] (username, password) VALUES (?, ?)", username, password);
    }

    /** Returns the account; empty if the name is unknown or the password another one. */
    public Optional<Account> signIn(String username, String password) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement select = connection.prepareStatement(
                        "SELECT a.password, a.language, a.created FROM [dbo].[account] a WHERE a.username = ?")) {
            select.setString(1, username);
            try (ResultSet row = select.executeQuery()) {
                return row.next() && row.getString("password").equals(password)
                        ? Optional.of(new Account(
                                username,
                                row.getString("language"),
                                row.getTimestamp("created").toInstant()))
                        : Optional.empty();
            }
        }
    }

    /** Adds a product of which nothing is there yet. */
    public void stock(int productId) throws SQLException {
        update("INSERT INTO [dbo].[stock] (product_id) VALUES (?)", productId);
    }

    public void deliver(int productId, int quantity) throws SQLException {
        update("UPDATE [dbo].[stock] SET quantity = quantity + ? WHERE product_id = ?", quantity, productId);
    }

    /** Takes from the stock; false if less than that is there, and then nothing has changed. */
    public boolean take(int productId, int quantity) throws SQLException {
        return update(
                        "UPDATE [dbo].[stock] SET quantity = quantity - ? WHERE product_id = ? AND quantity >= ?",
                        quantity,
                        productId,
                        quantity)
                == 1;
    }

    public int quantity(int productId) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement select =
                        connection.prepareStatement("SELECT quantity FROM [dbo].[stock] WHERE product_id = ?")) {
            select.setInt(1, productId);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getInt(1) : 0;
            }
        }
    }

    private int update(String sql, Object... values) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }
}
