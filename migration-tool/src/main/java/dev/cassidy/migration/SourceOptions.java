package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceUrl;
import dev.cassidy.migration.source.Sources;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the commands that read the source. */
final class SourceOptions {

    @Option(
            names = "--source-url",
            required = true,
            paramLabel = "URL",
            description = "JDBC URL of the database, without a password: SQL Server, PostgreSQL, MySQL, MariaDB or H2.")
    private String url = "";

    @Option(names = "--source-user", paramLabel = "NAME", description = "Login; its password is in SOURCE_PASSWORD.")
    private @Nullable String user;

    @Option(
            names = "--source-password-file",
            paramLabel = "FILE",
            description = "File whose first line is the login's password.")
    private @Nullable Path passwordFile;

    @Option(
            names = "--source-driver",
            paramLabel = "FILE.jar",
            description = "The database's JDBC driver, if this tool does not bring it: of MySQL, MariaDB and H2.")
    private @Nullable Path driver;

    @Option(
            names = "--source-properties",
            paramLabel = "FILE",
            description = "A properties file with further connection properties of the driver, secrets among them, such"
                    + " as trustStore and trustStorePassword of SQL Server, or sslmode and sslcert of PostgreSQL.")
    private @Nullable Path properties;

    @Option(
            names = "--query-timeout",
            paramLabel = "TIME",
            defaultValue = "5m",
            converter = Durations.class,
            description = "The longest one query on the source may take: 30s, 5m, 1h. Default: 5m.")
    private Duration queryTimeout = Duration.ofMinutes(5);

    SourceUrl url() {
        return new SourceUrl(url);
    }

    Source open(Shell shell) {
        SourceUrl checked = url();
        shell.progress("reading " + checked);
        return Sources.open(
                checked,
                user,
                Password.find(shell, "SOURCE_PASSWORD", passwordFile, user),
                driver,
                properties(),
                queryTimeout);
    }

    private Properties properties() {
        return properties == null ? new Properties() : read("--source-properties", properties);
    }

    /** Reads the properties file of an option; an error shows nothing of it. */
    static Properties read(String option, Path file) {
        Properties read = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            read.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "cannot read the properties: " + option + " " + file + ": "
                            + e.getClass().getSimpleName(),
                    e);
        }
        return read;
    }
}
