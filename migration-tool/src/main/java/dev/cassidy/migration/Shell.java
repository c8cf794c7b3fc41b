package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.error.Pause;
import dev.cassidy.migration.source.SourceUrl;
import java.io.PrintStream;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/**
 * What surrounds a command.
 *
 * @param out results, and nothing else
 * @param err progress and errors
 * @param environment environment variables
 * @param terminal asks the user; empty if there is no terminal
 * @param clock dates plans and runs
 * @param bars shows how far long work is
 */
record Shell(
        PrintStream out,
        PrintStream err,
        Map<String, String> environment,
        Optional<Terminal> terminal,
        InstantSource clock,
        Progress bars) {

    Shell {
        environment = Map.copyOf(environment);
    }

    void progress(String message) {
        err.println(SourceUrl.redact(message));
    }

    /**
     * Waits while others use ids, whose use is measured.
     *
     * @throws MigrationException {@link ExitCode#INTERRUPTED} if the command is to end
     */
    void measure(Duration time) {
        progress("measuring the use of ids for " + time.toSeconds() + " s");
        Pause.of(time);
    }

    /**
     * Asks the user, unless {@code yes}. Throws if there is nobody to ask, or if the answer is no.
     *
     * @param preview for the message: what shows without a question what would be done
     */
    void confirm(boolean yes, String question, String preview) {
        if (yes) {
            return;
        }
        Terminal present = terminal.orElseThrow(() -> new MigrationException(
                ExitCode.REFUSED, "there is no terminal to ask for confirmation: " + preview + ", then add --yes"));
        String answer = present.readLine(question + " [y/N] ").strip();
        if (!answer.equalsIgnoreCase("y") && !answer.equalsIgnoreCase("yes")) {
            throw new MigrationException(ExitCode.REFUSED, "not confirmed; nothing was changed");
        }
    }
}
