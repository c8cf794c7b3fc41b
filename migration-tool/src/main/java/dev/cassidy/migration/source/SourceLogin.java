package dev.cassidy.migration.source;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** What it takes to connect to a source. */
record SourceLogin(SourceUrl url, @Nullable String user, Optional<String> password) {

    /** Connects, for reading only; a failure is {@link ExitCode#SOURCE}. */
    Connection connect() {
        Properties properties = new Properties();
        if (user != null) {
            properties.setProperty("user", user);
        }
        password.ifPresent(value -> properties.setProperty("password", value));
        try {
            Connection connection = DriverManager.getConnection(url.url(), properties);
            connection.setReadOnly(true);
            return connection;
        } catch (SQLException e) {
            throw failure("cannot connect to " + url, e);
        }
    }

    static MigrationException failure(String what, SQLException e) {
        return new MigrationException(
                ExitCode.SOURCE,
                what + ": " + SourceUrl.redact(String.valueOf(e.getMessage())) + " (SQLState " + e.getSQLState()
                        + ", error " + e.getErrorCode() + ")",
                e);
    }

    /** The password is left out. */
    @Override
    public String toString() {
        return url + (user == null ? "" : " as " + user);
    }
}
