package dev.cassidy.migration.source;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Opens sources. */
public final class Sources {

    private Sources() {}

    /**
     * Connects to the database of a URL.
     *
     * @param queryTimeout the longest that one query may take
     * @throws MigrationException {@link ExitCode#SOURCE} if that fails
     */
    public static Source open(SourceUrl url, @Nullable String user, Optional<String> password, Duration queryTimeout) {
        SourceLogin login = new SourceLogin(url, user, password);
        return new SqlServerSource(login, login.connect(), queryTimeout);
    }
}
