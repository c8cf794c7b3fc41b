package dev.cassidy.examples;

import java.io.PrintStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Plain JDBC, as code that was written for SQL Server has it: generated keys, batches and SCOPE_IDENTITY(). */
public final class JdbcExample {

    private JdbcExample() {}

    /** Takes {@code host:port datacenter}, or nothing for an embedded node. */
    public static void main(String[] args) throws SQLException {
        try (ExampleCluster cluster = ExampleCluster.of(args)) {
            run(cluster, System.out);
        }
    }

    static void run(ExampleCluster cluster, PrintStream out) throws SQLException {
        cluster.createTable("note", "text text");
        try (Connection connection = DriverManager.getConnection(cluster.jdbcUrl())) {
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO [dbo].[note] (text) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
                insert.setString(1, "buy milk");
                insert.executeUpdate();
                printKeys(insert, "one row", out);

                for (String text : new String[] {"buy bread", "buy tea"}) {
                    insert.setString(1, text);
                    insert.addBatch();
                }
                insert.executeBatch();
                printKeys(insert, "a batch", out);
            }
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(
                            "INSERT INTO note (text) VALUES (N'call home'); SELECT SCOPE_IDENTITY()")) {
                row.next();
                out.println("SCOPE_IDENTITY(): id " + row.getInt(1));
            }
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT id, text FROM note")) {
                while (rows.next()) {
                    out.println("note " + rows.getInt("id") + ": " + rows.getString("text"));
                }
            }
        }
    }

    private static void printKeys(Statement statement, String what, PrintStream out) throws SQLException {
        try (ResultSet keys = statement.getGeneratedKeys()) {
            while (keys.next()) {
                out.println(what + ": id " + keys.getInt(1));
            }
        }
    }
}
