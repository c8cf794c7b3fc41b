package dev.cassidy.migration.error;

import java.time.Duration;

/** Waits on the thread of a command. */
public final class Pause {

    private Pause() {}

    /**
     * Waits; not at all if the time is negative.
     *
     * @throws MigrationException {@link ExitCode#INTERRUPTED} if the command is to end
     */
    public static void of(Duration time) {
        try {
            Thread.sleep(Math.max(0, time.toMillis()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            MigrationException.throwIfInterrupted();
        }
    }
}
