package dev.cassidy.migration.source;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** Opens sources. */
public final class Sources {

    private Sources() {}

    /**
     * Connects by a driver of this tool's, without further properties.
     *
     * @param queryTimeout the longest that one query may take
     * @throws MigrationException {@link ExitCode#SOURCE} if that fails
     */
    public static Source open(SourceUrl url, @Nullable String user, Optional<String> password, Duration queryTimeout) {
        return open(url, user, password, null, new Properties(), queryTimeout);
    }

    /**
     * Connects to the database of a URL.
     *
     * @param driver a jar with the JDBC driver, for engines whose driver this tool does not bring; null for none
     * @param properties further connection properties of the driver
     * @param queryTimeout the longest that one query may take
     * @throws MigrationException {@link ExitCode#SOURCE} if that fails, {@link ExitCode#USAGE} for an engine that is not
     *     known, {@link ExitCode#REFUSED} if the catalogue hides tables from the login
     */
    public static Source open(
            SourceUrl url,
            @Nullable String user,
            Optional<String> password,
            @Nullable Path driver,
            Properties properties,
            Duration queryTimeout) {
        SourceLogin login = new SourceLogin(url, user, password, SourceDrivers.of(url, driver), properties);
        Connection connection = login.connect();
        try {
            JdbcSource source = of(login, connection, queryTimeout);
            source.requireRights();
            return source;
        } catch (SQLException e) {
            close(connection);
            throw SourceLogin.failure("cannot ask " + url + " which engine it is", e);
        } catch (RuntimeException e) {
            close(connection);
            throw e;
        }
    }

    private static JdbcSource of(SourceLogin login, Connection connection, Duration queryTimeout) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        String name = product.toLowerCase(Locale.ROOT);
        if (name.contains("sql server")) {
            return new SqlServerSource(login, connection, queryTimeout, false);
        }
        if (name.equals("h2")) {
            return standsInForSqlServer(connection)
                    ? new SqlServerSource(login, connection, queryTimeout, true)
                    : new H2Source(login, connection, queryTimeout);
        }
        if (name.equals("postgresql")) {
            return new PostgreSqlSource(login, connection, queryTimeout);
        }
        if (name.equals("mysql") || name.equals("mariadb")) {
            boolean mariaDb = name.equals("mariadb")
                    || connection
                            .getMetaData()
                            .getDatabaseProductVersion()
                            .toLowerCase(Locale.ROOT)
                            .contains("mariadb");
            return new MySqlSource(login, connection, queryTimeout, mariaDb);
        }
        throw new MigrationException(
                ExitCode.USAGE,
                "must be SQL Server, PostgreSQL, MySQL, MariaDB or H2: --source-url=" + login.url() + " is " + product);
    }

    /** An H2 database with SQL Server's catalogue views is read by them. */
    private static boolean standsInForSqlServer(Connection connection) throws SQLException {
        try (ResultSet views = connection.getMetaData().getTables(null, "%", "%", new String[] {"VIEW"})) {
            while (views.next()) {
                if ("sys".equalsIgnoreCase(views.getString("TABLE_SCHEM"))
                        && "identity_columns".equalsIgnoreCase(views.getString("TABLE_NAME"))) {
                    return true;
                }
            }
            return false;
        }
    }

    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // What went wrong before is what the user must know.
        }
    }
}
