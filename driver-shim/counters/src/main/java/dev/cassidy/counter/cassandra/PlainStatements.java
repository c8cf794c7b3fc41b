package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import dev.cassidy.async.Stages;
import dev.cassidy.counter.store.CounterTable;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Statements without conditions, each with the same time-out. Safe for use by many threads; nothing blocks. */
final class PlainStatements {

    private static final int PAGE = 5_000;

    private final CqlSession session;
    private final PreparedTexts prepared;
    private final Duration timeout;

    PlainStatements(CqlSession session, Duration timeout) {
        this.session = session;
        this.prepared = new PreparedTexts(session);
        this.timeout = timeout;
    }

    /** A statement that may be sent again and again: it changes nothing more. */
    CompletionStage<Void> writeAgain(String cql, Object... values) {
        return write(true, cql, values);
    }

    /** A statement that must be sent once, by the driver too. */
    CompletionStage<Void> writeOnce(String cql, Object... values) {
        return write(false, cql, values);
    }

    /**
     * Writes at LOCAL_QUORUM.
     *
     * @return fails with {@link CounterTable.NotExecuted} or {@link CounterTable.Rejected} if certainly nothing was written;
     *     any other failure may hide a success
     */
    private CompletionStage<Void> write(boolean idempotent, String cql, Object... values) {
        return prepared.get(cql)
                .thenApply(text -> text.bind(values).setTimeout(timeout))
                // Before this nothing was sent.
                .handle((bound, failure) -> failure == null
                        ? execute(bound, idempotent)
                        : CompletableFuture.<Void>failedFuture(notExecuted(Stages.cause(failure))))
                .thenCompose(stage -> stage);
    }

    private CompletionStage<Void> execute(Statement<?> statement, boolean idempotent) {
        return session.executeAsync(statement
                        .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM)
                        .setIdempotent(idempotent))
                .handle((done, failure) -> {
                    if (failure == null) {
                        return CompletableFuture.<Void>completedFuture(null);
                    }
                    Throwable cause = Stages.cause(failure);
                    return CompletableFuture.<Void>failedFuture(
                            Attempts.executedNothing(cause) ? notExecuted(cause) : cause);
                })
                .thenCompose(stage -> stage);
    }

    private static RuntimeException notExecuted(Throwable cause) {
        return cause instanceof QueryValidationException
                ? new CounterTable.Rejected(String.valueOf(cause.getMessage()), cause)
                : new CounterTable.NotExecuted(String.valueOf(cause.getMessage()), cause);
    }

    /** Returns what a failure before anything was sent is. */
    static RuntimeException notSent(Throwable failure) {
        Throwable cause = Stages.cause(failure);
        return cause instanceof CounterTable.Rejected || cause instanceof CounterTable.Emptied
                ? (RuntimeException) cause
                : notExecuted(cause);
    }

    /** One of the statements of a batch. */
    record Part(String cql, List<Object> values) {}

    /** Writes statements of one partition in one mutation, which may be sent again. */
    CompletionStage<Void> writeTogether(List<Part> parts) {
        CompletionStage<BatchStatement> batch =
                CompletableFuture.completedFuture(BatchStatement.newInstance(BatchType.UNLOGGED));
        for (Part part : parts) {
            batch = batch.thenCombine(
                    prepared.get(part.cql()),
                    (before, text) -> before.add(text.bind(part.values().toArray())));
        }
        // The driver, up to 4.19 at least, forgets a batch's own time-out, and heeds its profile's.
        return batch.thenCompose(all -> execute(
                all.setExecutionProfile(session.getContext()
                        .getConfig()
                        .getDefaultProfile()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, timeout)),
                true));
    }

    /** Reads a page. */
    CompletionStage<AsyncResultSet> read(ConsistencyLevel level, String cql, Object... values) {
        return prepared.get(cql)
                .thenCompose(text -> session.executeAsync(text.bind(values)
                        .setConsistencyLevel(level)
                        .setIdempotent(true)
                        .setTimeout(timeout)
                        .setPageSize(PAGE)));
    }

    /** Reads all rows, a page at a time. */
    CompletionStage<Void> readAll(Consumer<Row> each, ConsistencyLevel level, String cql, Object... values) {
        return read(level, cql, values).thenCompose(page -> rest(page, each));
    }

    private static CompletionStage<Void> rest(AsyncResultSet page, Consumer<Row> each) {
        page.currentPage().forEach(each);
        return page.hasMorePages()
                ? page.fetchNextPage().thenCompose(next -> rest(next, each))
                : CompletableFuture.completedFuture(null);
    }
}
