package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends writes, many at a time. Each write gives a row the same values with the same timestamp however often it is sent, so a
 * write whose outcome is unknown is sent again until it is acknowledged, or until it has failed for too long. Safe for use by
 * many threads.
 */
final class RowWriter {

    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    private final CqlSession session;
    private final Semaphore permits;
    private final Duration retryFor;
    private final ScheduledExecutorService timer;
    private final LongSupplier nanoClock;
    private volatile boolean stopped;

    /**
     * @param underWay how many writes may be unanswered
     * @param retryFor for how long a write is sent again
     */
    RowWriter(
            CqlSession session,
            int underWay,
            Duration retryFor,
            ScheduledExecutorService timer,
            LongSupplier nanoClock) {
        this.session = session;
        this.permits = new Semaphore(underWay);
        this.retryFor = retryFor;
        this.timer = timer;
        this.nanoClock = nanoClock;
    }

    /** Sends nothing again from now on. */
    void stop() {
        stopped = true;
    }

    /** The writes that somebody waits for together. */
    static final class Group {
        private long underWay;
        private @Nullable Throwable failure;

        private synchronized void begin() {
            underWay++;
        }

        private synchronized void end(@Nullable Throwable failed) {
            underWay--;
            if (failure == null) {
                failure = failed;
            }
            notifyAll();
        }

        synchronized boolean failed() {
            return failure != null;
        }

        /** Waits for all of them, and throws what the first one that failed failed with. */
        synchronized void await() throws InterruptedException {
            while (underWay > 0) {
                wait();
            }
            if (failure instanceof RuntimeException known) {
                throw known;
            }
            if (failure != null) {
                throw new IllegalStateException(failure);
            }
        }
    }

    /** Sends a write as soon as fewer than the permitted number are under way. */
    void write(BoundStatement statement, Group group) throws InterruptedException {
        permits.acquire();
        group.begin();
        send(statement, group, nanoClock.getAsLong(), FIRST_PAUSE_MILLIS);
    }

    private void send(BoundStatement statement, Group group, long begun, long pause) {
        CompletionStage<AsyncResultSet> sent;
        try {
            sent = session.executeAsync(statement);
        } catch (RuntimeException e) {
            end(group, e);
            return;
        }
        sent.whenComplete((result, raised) -> {
            Throwable failure =
                    raised instanceof CompletionException && raised.getCause() != null ? raised.getCause() : raised;
            if (failure == null) {
                end(group, null);
            } else if (!stopped && mayHelpToRepeat(failure) && nanoClock.getAsLong() - begun < retryFor.toNanos()) {
                ScheduledFuture<?> unused = timer.schedule(
                        () -> send(statement, group, begun, Math.min(2 * pause, LONGEST_PAUSE_MILLIS)),
                        pause,
                        TimeUnit.MILLISECONDS);
            } else {
                end(group, failure);
            }
        });
    }

    private void end(Group group, @Nullable Throwable failure) {
        permits.release();
        group.end(failure);
    }

    /** Returns whether the cluster may answer otherwise later; a statement that it finds wrong stays wrong. */
    static boolean mayHelpToRepeat(Throwable failure) {
        return failure instanceof DriverException
                && !(failure instanceof QueryValidationException)
                && !(failure instanceof AllNodesFailedException none
                        && none.getAllErrors().values().stream()
                                .flatMap(List::stream)
                                .anyMatch(QueryValidationException.class::isInstance));
    }
}
