package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import dev.cassidy.cluster.DriverThreads;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What the thread of one statement waits for, so that another thread can end the wait. A cancellation while nothing
 * runs is not remembered: it does not apply to the next execution. Safe for use by many threads.
 */
public final class Cancellation {

    static final String NOTHING_SENT = "it was not sent, so it has written nothing";
    static final String OUTCOME_UNKNOWN = "the write may or may not have been applied";
    static final String READ_ALONE = "it only read";

    private boolean running;
    private boolean cancelled;
    private boolean wrote;
    private int writes;
    private @Nullable CompletableFuture<?> awaited;

    /** Ends what this thread calculates. */
    private @Nullable CompletableFuture<?> stop;

    public synchronized void begin() {
        running = true;
        cancelled = false;
        wrote = false;
    }

    /** An entry of a batch begins; its error says only what the entry itself did. */
    synchronized void beginEntry() {
        wrote = false;
    }

    /** Something is sent that stays, whatever happens to what follows it. */
    synchronized void writes() {
        wrote = true;
        writes++;
    }

    /** Returns how often something was sent that stays, since this object was made. */
    synchronized int written() {
        return writes;
    }

    private synchronized String notSent() {
        return wrote ? "it was not sent, and what the same script ran before it stays" : NOTHING_SENT;
    }

    synchronized boolean isRunning() {
        return running;
    }

    public synchronized void end() {
        running = false;
    }

    public void cancel() {
        CompletableFuture<?> waiting;
        CompletableFuture<?> calculating;
        synchronized (this) {
            if (!running) {
                return;
            }
            cancelled = true;
            waiting = awaited;
            calculating = stop;
        }
        // Outside the lock: it runs what depends on it.
        if (waiting != null) {
            waiting.cancel(true);
        }
        if (calculating != null) {
            calculating.cancel(true);
        }
    }

    /**
     * Has something cancelled with the run, beside what the thread waits for.
     *
     * @param calculating null to let go of it
     */
    void stopping(@Nullable CompletableFuture<?> calculating) {
        boolean late;
        synchronized (this) {
            stop = calculating;
            late = cancelled;
        }
        if (late && calculating != null) {
            calculating.cancel(true);
        }
    }

    /**
     * Checks that nobody has cancelled the run.
     *
     * @throws SQLException if the run was cancelled
     */
    void requireGoingOn() throws SQLException {
        synchronized (this) {
            if (!cancelled) {
                return;
            }
        }
        throw cancelled(notSent());
    }

    /**
     * Waits for the stage; cancelling the statement cancels the stage, if it is not complete.
     *
     * @param consequence what the exception says about a stage that was cancelled
     */
    <T> T await(CompletionStage<T> stage, String consequence) throws SQLException {
        CompletableFuture<T> future = stage.toCompletableFuture();
        if (!future.isDone()) {
            // The answer may have to come from the same thread that would wait for it.
            DriverThreads.refuseToWait();
            register(future);
        }
        try {
            return future.join();
        } catch (CancellationException e) {
            throw cancelled(consequence);
        } catch (CompletionException e) {
            throw SqlErrors.of(e);
        } finally {
            synchronized (this) {
                awaited = null;
            }
        }
    }

    private void register(CompletableFuture<?> future) {
        boolean late;
        synchronized (this) {
            awaited = future;
            late = cancelled;
        }
        if (late) {
            future.cancel(true);
        }
    }

    /** Waits for a time, before something is tried again. */
    void pause(long millis, String consequence) throws SQLException {
        await(
                CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS)),
                consequence);
    }

    /** As {@link #pause(long, String)}, before something is sent. */
    void pauseUnsent(long millis) throws SQLException {
        pause(millis, notSent());
    }

    /** As {@link #await(CompletionStage, String)}, for what precedes the sending, which has no timeout of its own. */
    <T> T awaitUnsent(CompletionStage<T> stage, @Nullable Duration timeout) throws SQLException {
        CompletableFuture<T> shared = stage.toCompletableFuture();
        if (shared.isDone() && !shared.isCompletedExceptionally()) {
            return shared.join();
        }
        return await(timeout == null ? shared.copy() : inTime(shared, timeout), notSent());
    }

    /**
     * Waits for what is prepared before the sending. Throws the driver's exception as it is, because it may be the reason
     * to send something else.
     */
    PreparedStatement awaitPrepared(CompletionStage<PreparedStatement> stage, @Nullable Duration timeout)
            throws SQLException {
        CompletableFuture<PreparedStatement> shared = stage.toCompletableFuture();
        if (!shared.isDone()) {
            DriverThreads.refuseToWait();
        }
        CompletableFuture<PreparedStatement> future =
                timeout == null ? shared.copy() : inTime(shared, timeout, "The statement was not prepared within ");
        register(future);
        try {
            return future.join();
        } catch (CancellationException e) {
            throw cancelled(notSent());
        } catch (CompletionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof DriverException failure) {
                // With the stack of this thread.
                throw failure.copy();
            }
            if (cause instanceof RuntimeException failure) {
                throw failure;
            }
            throw SqlErrors.of(e);
        } finally {
            synchronized (this) {
                awaited = null;
            }
        }
    }

    /** Returns what precedes the sending, or its failure once the time is up. A copy: others may share the original. */
    static <T> CompletableFuture<T> inTime(CompletionStage<T> unsent, Duration timeout) {
        return inTime(unsent, timeout, "No id was available within ");
    }

    private static <T> CompletableFuture<T> inTime(CompletionStage<T> unsent, Duration timeout, String what) {
        return unsent.toCompletableFuture()
                .copy()
                .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        failure instanceof TimeoutException
                                ? new SQLTimeoutException(
                                        what + timeout.toMillis() + " ms, the statement's timeout; it was not sent",
                                        SqlStates.TIMEOUT,
                                        failure)
                                : failure));
    }

    private static SQLException cancelled(String consequence) {
        return new SQLException("The statement was cancelled; " + consequence, SqlStates.CANCELLED);
    }
}
