package dev.cassidy.migration;

import java.io.PrintStream;
import java.util.Map;
import java.util.Optional;

/**
 * What surrounds a command.
 *
 * @param out results, and nothing else
 * @param err progress and errors
 * @param environment environment variables
 * @param terminal asks the user; empty if there is no terminal
 */
record Shell(PrintStream out, PrintStream err, Map<String, String> environment, Optional<Terminal> terminal) {

    Shell {
        environment = Map.copyOf(environment);
    }

    void progress(String message) {
        err.println(SourceUrl.redact(message));
    }

    /** Ends the command between two steps if its thread was interrupted. */
    static void requireNotInterrupted() {
        if (Thread.currentThread().isInterrupted()) {
            throw new MigrationException(
                    ExitCode.INTERRUPTED, "interrupted; every step can be repeated, so run it again");
        }
    }
}
