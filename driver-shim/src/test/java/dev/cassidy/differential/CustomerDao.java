package dev.cassidy.differential;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;

/** Customers, whose ids the database makes. */
final class CustomerDao extends Dao {

    static final String TABLE = "CREATE TABLE dbo.customer (id INT IDENTITY(1,1) PRIMARY KEY, name NVARCHAR(20) NOT"
            + " NULL, email VARCHAR(100) NULL, credit DECIMAL(10,2), since DATE, active BIT)";
    private static final String INSERT = "INSERT INTO dbo.customer (name, email, credit, active) VALUES (?, ?, ?, ?)";

    CustomerDao(Connection connection) {
        super(connection);
    }

    private static void set(PreparedStatement insert, String name, String email) throws SQLException {
        insert.setString(1, name);
        if (email == null) {
            insert.setNull(2, Types.VARCHAR);
        } else {
            insert.setString(2, email);
        }
        insert.setBigDecimal(3, new BigDecimal("100.50"));
        insert.setBoolean(4, true);
    }

    /** Returns the update count and the keys. */
    List<Object> insertByFlag(String name, String email) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT, Statement.RETURN_GENERATED_KEYS)) {
            set(insert, name, email);
            return List.of(insert.executeUpdate(), keys(insert));
        }
    }

    List<Object> insertByIndex(String name) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT, new int[] {1})) {
            set(insert, name, null);
            return List.of(insert.executeUpdate(), keys(insert));
        }
    }

    List<Object> insertByName(String name, String column) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT, new String[] {column})) {
            set(insert, name, null);
            return List.of(insert.executeUpdate(), keys(insert));
        }
    }

    /** Reads the key as an int, a long, and by every way of naming the column. */
    List<Object> insertAndReadTheKeyInEveryWay(String name) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT, Statement.RETURN_GENERATED_KEYS)) {
            set(insert, name, null);
            boolean rows = insert.execute();
            int count = insert.getUpdateCount();
            try (ResultSet keys = insert.getGeneratedKeys()) {
                keys.next();
                return List.of(
                        rows,
                        count,
                        keys.getInt(1),
                        keys.getLong(1),
                        keys.getString(1),
                        keys.getBigDecimal(1),
                        keys.getInt("id"),
                        keys.wasNull(),
                        keys.next());
            }
        }
    }

    List<Object> keyColumns(String name) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT, Statement.RETURN_GENERATED_KEYS)) {
            set(insert, name, null);
            insert.executeUpdate();
            try (ResultSet keys = insert.getGeneratedKeys()) {
                return Observations.columns(keys.getMetaData());
            }
        }
    }

    List<Object> keysThatNobodyAskedFor(String name) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            set(insert, name, null);
            return List.of(insert.executeUpdate(), keys(insert));
        }
    }

    List<Object> insertBatch(String... names) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT, Statement.RETURN_GENERATED_KEYS)) {
            for (String name : names) {
                set(insert, name, null);
                insert.addBatch();
            }
            return List.of(insert.executeBatch(), keys(insert));
        }
    }

    List<Object> insertLiteral(String values) throws SQLException {
        try (Statement insert = connection.createStatement()) {
            int count = insert.executeUpdate(
                    "INSERT INTO customer (name, credit) VALUES " + values, Statement.RETURN_GENERATED_KEYS);
            return List.of(count, keys(insert));
        }
    }

    /** Returns columns and wasNull of the row, read in the way of such code: by label, with a getter a type. */
    List<Object> find(int id) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT * FROM [customer] WHERE [id] = ?")) {
            select.setInt(1, id);
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    return null;
                }
                List<Object> customer = new ArrayList<>();
                customer.add(row.getInt("ID"));
                customer.add(row.getString("Name"));
                customer.add(row.getString("email"));
                customer.add(row.wasNull());
                customer.add(row.getBigDecimal("credit"));
                customer.add(row.wasNull());
                customer.add(row.getDate("since"));
                customer.add(row.wasNull());
                customer.add(row.getBoolean("active"));
                customer.add(row.wasNull());
                customer.add(row.next());
                return customer;
            }
        }
    }

    List<Object> selectedColumns(String sql) throws SQLException {
        try (Statement select = connection.createStatement();
                ResultSet rows = select.executeQuery(sql)) {
            return Observations.columns(rows.getMetaData());
        }
    }
}
