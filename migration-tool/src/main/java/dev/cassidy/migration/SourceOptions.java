package dev.cassidy.migration;

import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceUrl;
import dev.cassidy.migration.source.Sources;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the commands that read the source. */
final class SourceOptions {

    @Option(
            names = "--source-url",
            required = true,
            paramLabel = "URL",
            description = "JDBC URL of the SQL Server database, without a password.")
    private String url = "";

    @Option(names = "--source-user", paramLabel = "NAME", description = "Login; its password is in SOURCE_PASSWORD.")
    private @Nullable String user;

    @Option(
            names = "--source-password-file",
            paramLabel = "FILE",
            description = "File whose first line is the login's password.")
    private @Nullable Path passwordFile;

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
        return Sources.open(checked, user, Password.find(shell, "SOURCE_PASSWORD", passwordFile, user), queryTimeout);
    }
}
