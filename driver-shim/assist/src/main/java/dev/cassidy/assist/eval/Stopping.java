package dev.cassidy.assist.eval;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/** Ends a statement of H2 from another thread. Safe for use by many threads. */
final class Stopping {

    private static final long PAUSE_MILLIS = 5;

    private final Statement statement;
    private final Thread own = Thread.currentThread();
    private boolean ended;

    /** @param statement of this thread, which runs it */
    Stopping(Statement statement) {
        this.statement = statement;
    }

    /** The statement has ended. After this, it is not touched. */
    synchronized void ended() {
        ended = true;
        notifyAll();
    }

    /** Ends the statement, and returns when it has ended. What comes before H2 has begun with it is lost, so it is told again. */
    synchronized void stop() {
        if (Thread.currentThread() == own) {
            // Not begun: its thread would wait for itself.
            return;
        }
        boolean interrupted = false;
        while (!ended && !interrupted) {
            try {
                statement.cancel();
                TimeUnit.MILLISECONDS.timedWait(this, PAUSE_MILLIS);
            } catch (SQLException e) {
                // It is closed: by its own thread, which is about to say that it has ended.
                return;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
