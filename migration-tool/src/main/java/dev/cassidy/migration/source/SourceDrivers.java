package dev.cassidy.migration.source;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Finds the JDBC driver of a URL: in a jar of the user's, else among those that this tool brings. */
interface SourceDrivers {

    /** Where drivers are published whose licences keep them out of this tool's jar, by the start of their URLs. */
    Map<String, String> PUBLISHED = Map.of(
            "jdbc:mysql:", "com.mysql:mysql-connector-j (GPL-2.0 with an exception)",
            "jdbc:mariadb:", "org.mariadb.jdbc:mariadb-java-client (LGPL-2.1)",
            "jdbc:h2:", "com.h2database:h2 (MPL-2.0 or EPL-1.0)");

    Connection connect(SourceUrl url, Properties properties) throws SQLException;

    /**
     * Returns what connects to {@code url}.
     *
     * @param jar the user's driver, which stays loaded until the JVM ends; null for none
     */
    static SourceDrivers of(SourceUrl url, @Nullable Path jar) {
        if (jar == null) {
            requireKnown(url);
            return (to, properties) -> DriverManager.getConnection(to.url(), properties);
        }
        Driver driver = load(url, jar);
        return (to, properties) -> {
            Connection connection = driver.connect(to.url(), properties);
            if (connection == null) {
                throw new SQLException("No suitable driver", "08001");
            }
            return connection;
        };
    }

    private static void requireKnown(SourceUrl url) {
        try {
            DriverManager.getDriver(url.url());
        } catch (SQLException e) {
            String coordinates = PUBLISHED.entrySet().stream()
                    .filter(entry -> url.url().startsWith(entry.getKey()))
                    .map(Map.Entry::getValue)
                    .findFirst()
                    .orElse(null);
            throw new MigrationException(
                    coordinates == null ? ExitCode.SOURCE : ExitCode.USAGE,
                    "No suitable driver for " + url
                            + (coordinates == null
                                    ? "; a jar with one is given with --source-driver FILE.jar"
                                    : ": its licence keeps it out of this tool. Download " + coordinates
                                            + " from Maven Central, and name the jar with --source-driver FILE.jar"),
                    e);
        }
    }

    private static Driver load(SourceUrl url, Path jar) {
        if (!Files.isRegularFile(jar)) {
            throw new MigrationException(ExitCode.USAGE, "no such file: --source-driver " + jar);
        }
        try {
            // Drivers load classes later, so the loader is not closed.
            URLClassLoader loader =
                    new URLClassLoader(new URL[] {jar.toUri().toURL()}, SourceDrivers.class.getClassLoader());
            for (Driver driver : ServiceLoader.load(Driver.class, loader)) {
                // The tool's own drivers are found too, and a jar of the user's comes first.
                if (driver.getClass().getClassLoader() == loader && driver.acceptsURL(url.url())) {
                    return driver;
                }
            }
        } catch (MalformedURLException | SQLException | ServiceConfigurationError e) {
            throw new MigrationException(
                    ExitCode.USAGE, "cannot load a JDBC driver: --source-driver " + jar + ": " + e.getMessage(), e);
        }
        throw new MigrationException(ExitCode.USAGE, "has no JDBC driver for " + url + ": --source-driver " + jar);
    }
}
