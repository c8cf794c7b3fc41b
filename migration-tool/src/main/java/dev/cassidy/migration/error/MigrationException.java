package dev.cassidy.migration.error;

/** Ends a command. The user sees the message unchanged: it names the value, the rule and what to do. */
public final class MigrationException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final ExitCode exitCode;

    public MigrationException(ExitCode exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    public MigrationException(ExitCode exitCode, String message, Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    public ExitCode exitCode() {
        return exitCode;
    }

    /** Ends the command between two steps if its thread was interrupted. */
    public static void throwIfInterrupted() {
        if (Thread.currentThread().isInterrupted()) {
            throw new MigrationException(
                    ExitCode.INTERRUPTED, "interrupted; every step can be repeated, so run it again");
        }
    }
}
