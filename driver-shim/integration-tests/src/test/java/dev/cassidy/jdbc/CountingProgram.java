package dev.cassidy.jdbc;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;

/**
 * Adds to one row and writes another one, in one transaction after the other, until it is killed. It prints a line after each.
 *
 * <p>Argument: the URL.
 */
final class CountingProgram {
    private CountingProgram() {}

    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        try (Connection connection = DriverManager.getConnection(arguments[0]);
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            while (true) {
                statement.executeUpdate("UPDATE page SET hits = hits + 1 WHERE id = 1");
                statement.executeUpdate("UPDATE page SET site = site + 1 WHERE id = 2");
                connection.commit();
                out.println("committed");
            }
        }
    }
}
