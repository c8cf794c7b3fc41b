package dev.cassidy.jdbc;

import dev.cassidy.sequence.IdentityType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The table {@code orders}, whose identity column starts at 1001, used through one connection. */
record Orders(Connection connection) {

    static final String INSERT = "INSERT INTO orders (customer, qty) VALUES (?, ?)";

    /** Two inserts, of which the second has two rows; the table {@code plain} is also needed. */
    static final String HEAD_AND_LINES = "INSERT INTO orders (customer) VALUES ('head');"
            + " INSERT INTO orders (customer) VALUES ('line 1'), ('line 2'); UPDATE plain SET v = 1 WHERE k = 'after'";

    /** Drops and creates a keyspace with the table. */
    static TestCluster fresh(String keyspace) {
        TestCluster cluster = TestCluster.fresh(keyspace);
        cluster.cql("CREATE TABLE $.orders (id int PRIMARY KEY, customer text, qty int)");
        cluster.identity("orders", "id", IdentityType.INT, 1001);
        return cluster;
    }

    PreparedStatement insert() throws SQLException {
        return connection.prepareStatement(INSERT, Statement.RETURN_GENERATED_KEYS);
    }

    /** Returns the customer of an order; null if there is no such order. */
    String customerOf(long id) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT customer FROM orders WHERE id = ?")) {
            select.setLong(1, id);
            try (ResultSet rows = select.executeQuery()) {
                return rows.next() ? rows.getString("customer") : null;
            }
        }
    }

    static List<Long> keys(Statement statement) throws SQLException {
        List<Long> keys = new ArrayList<>();
        try (ResultSet rows = statement.getGeneratedKeys()) {
            while (rows.next()) {
                keys.add(rows.getLong(1));
            }
        }
        return keys;
    }
}
