package dev.cassidy.migration;

/** Ends a command. The user sees the message unchanged: it names the value, the rule and the way out. */
final class MigrationException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final ExitCode exitCode;

    MigrationException(ExitCode exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    MigrationException(ExitCode exitCode, String message, Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    ExitCode exitCode() {
        return exitCode;
    }
}
