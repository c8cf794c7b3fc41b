package dev.cassidy.examples.quickstart;

import dev.cassidy.examples.shop.Customer;
import dev.cassidy.examples.shop.Order;
import dev.cassidy.examples.shop.Product;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * The shop's database before the move: H2 in SQL Server mode, in memory, with the catalogue views that the migration
 * tool reads. Every method has a connection of its own.
 */
final class OldShop implements AutoCloseable {

    static final String URL = "jdbc:h2:mem:shop;MODE=MSSQLServer;DATABASE_TO_UPPER=FALSE;DB_CLOSE_DELAY=-1";

    static final List<String> TABLES = List.of("product", "customer", "orders");

    static final String DDL = """
            CREATE TABLE [dbo].[product]  (id INT IDENTITY(1, 1) PRIMARY KEY,
                                           name NVARCHAR(100) NOT NULL, price DECIMAL(10, 2) NOT NULL);
            CREATE TABLE [dbo].[customer] (id INT IDENTITY(1000, 1) PRIMARY KEY,
                                           name NVARCHAR(100) NOT NULL, email NVARCHAR(200) NOT NULL);
            CREATE TABLE [dbo].[orders]   (id INT IDENTITY(1, 1) PRIMARY KEY, customer_id INT NOT NULL,
                                           product_id INT NOT NULL, quantity INT NOT NULL);
            """;

    private static final String CATALOGUE = "RUNSCRIPT FROM 'classpath:dev/cassidy/migration/h2-sqlserver-catalog.sql'";

    private OldShop() {}

    /** Creates the empty database. */
    static OldShop create() throws SQLException {
        OldShop shop = new OldShop();
        shop.execute(CATALOGUE);
        for (String statement : DDL.split(";\\s*", -1)) {
            if (!statement.isBlank()) {
                shop.execute(statement);
            }
        }
        return shop;
    }

    long count(String table) throws SQLException {
        return number("SELECT COUNT(*) FROM [dbo].[" + table + "]");
    }

    long maximum(String table) throws SQLException {
        return number("SELECT MAX(id) FROM [dbo].[" + table + "]");
    }

    /**
     * Returns the last id that was generated, whether its row still exists or not: from what H2 itself knows, not from
     * the views that the migration tool reads.
     */
    long lastIdentity(String table) throws SQLException {
        return number("SELECT IDENTITY_BASE - IDENTITY_INCREMENT FROM INFORMATION_SCHEMA.COLUMNS"
                + " WHERE TABLE_SCHEMA = 'dbo' AND TABLE_NAME = '" + table + "' AND IS_IDENTITY = 'YES'");
    }

    List<Product> products() throws SQLException {
        return all(
                "SELECT id, name, price FROM [dbo].[product] ORDER BY id",
                row -> new Product(row.getInt(1), row.getString(2), row.getBigDecimal(3)));
    }

    List<Customer> customers() throws SQLException {
        return all(
                "SELECT id, name, email FROM [dbo].[customer] ORDER BY id",
                row -> new Customer(row.getInt(1), row.getString(2), row.getString(3)));
    }

    List<Order> orders() throws SQLException {
        return all(
                "SELECT id, customer_id, product_id, quantity FROM [dbo].[orders] ORDER BY id",
                row -> new Order(row.getInt(1), row.getInt(2), row.getInt(3), row.getInt(4)));
    }

    /** Ends the database, which outlives its connections. */
    @Override
    public void close() throws SQLException {
        execute("SHUTDOWN");
    }

    private interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private <T> List<T> all(String sql, RowReader<T> reader) throws SQLException {
        try (Connection connection = DriverManager.getConnection(URL);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<T> read = new ArrayList<>();
            while (rows.next()) {
                read.add(reader.read(rows));
            }
            return read;
        }
    }

    private long number(String sql) throws SQLException {
        List<Long> numbers = all(sql, row -> row.getLong(1));
        if (numbers.size() != 1) {
            throw new SQLException("must give one number, gave " + numbers + ": " + sql);
        }
        return numbers.get(0);
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(URL);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
