package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Where a password comes from: a file that was named, the environment, a person; never the command line. */
final class Password {

    private Password() {}

    /**
     * Finds the password of {@code user}.
     *
     * @param variable the environment variable, for example {@code SOURCE_PASSWORD}
     * @param file the file that the user named, whose first line is the password, or null
     * @return empty if there is none and no terminal
     */
    static Optional<String> find(Shell shell, String variable, @Nullable Path file, @Nullable String user) {
        if (file != null) {
            return Optional.of(firstLine(file));
        }
        String fromEnvironment = shell.environment().get(variable);
        if (fromEnvironment != null) {
            return Optional.of(fromEnvironment);
        }
        return user == null
                ? Optional.empty()
                : shell.terminal()
                        .map(terminal -> String.valueOf(
                                terminal.readPassword("Password of " + user + " (" + variable + " is not set): ")));
    }

    static String firstLine(Path file) {
        try {
            // Editors end a file with a newline that is no part of the password.
            return Files.readString(file).lines().findFirst().orElse("");
        } catch (IOException e) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "cannot read the password file " + file + ": "
                            + e.getClass().getSimpleName(),
                    e);
        }
    }

    /**
     * Refuses an argument that gives a password, without repeating it: command lines are visible to every user of a
     * machine and stay in histories.
     */
    static void requireNoneIn(String... args) {
        for (String arg : args) {
            String option = arg.contains("=") ? arg.substring(0, arg.indexOf('=')) : arg;
            String small = option.toLowerCase(Locale.ROOT);
            boolean secret = option.matches("(?i)-[a-z-]++")
                    && Stream.of("password", "passwd", "pwd", "secret", "token").anyMatch(small::contains);
            if (secret && !option.matches("--(source-|sequences-|cassandra-(truststore-|keystore-)?)password-file")) {
                throw new MigrationException(
                        ExitCode.USAGE,
                        option + " is refused: a password on the command line is visible to others. Set the"
                                + " environment variable SOURCE_PASSWORD, CASSANDRA_PASSWORD or SEQUENCES_PASSWORD, or"
                                + " name a file with --source-password-file, --cassandra-password-file or"
                                + " --sequences-password-file");
            }
        }
    }
}
