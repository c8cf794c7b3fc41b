package dev.cassidy.jdbc;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;

/**
 * Inserts one row, prints its id, and ends without closing anything: by returning from main, or by SIGTERM.
 *
 * <p>Arguments: the URL; {@code return} or {@code wait}.
 */
final class ShortLivedProgram {
    private ShortLivedProgram() {}

    public static void main(String[] arguments) throws Exception {
        Connection connection = DriverManager.getConnection(arguments[0]);
        PreparedStatement insert =
                connection.prepareStatement("INSERT INTO orders (what) VALUES (?)", Statement.RETURN_GENERATED_KEYS);
        insert.setString(1, "x");
        insert.executeUpdate();
        ResultSet keys = insert.getGeneratedKeys();
        keys.next();
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        out.println("id=" + keys.getLong(1));
        if (arguments[1].equals("wait")) {
            Thread.sleep(Long.MAX_VALUE);
        }
    }
}
