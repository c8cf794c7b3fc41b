package dev.cassidy.migration.source;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** What it takes to connect to a source. */
record SourceLogin(
        SourceUrl url, @Nullable String user, Optional<String> password, SourceDrivers drivers, Properties more) {

    /** Connects, for reading only; a failure is {@link ExitCode#SOURCE}. */
    Connection connect() {
        return connect(true);
    }

    Connection connect(boolean readOnly) {
        Properties properties = new Properties();
        properties.putAll(more);
        if (user != null) {
            properties.setProperty("user", user);
        }
        password.ifPresent(value -> properties.setProperty("password", value));
        try {
            Connection connection = drivers.connect(url, properties);
            connection.setReadOnly(readOnly);
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
