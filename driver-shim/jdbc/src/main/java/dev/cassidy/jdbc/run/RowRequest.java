package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import dev.cassidy.cql.IdentitySession;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The result of one request of a batch. Cancelling it cancels the request. A batch makes one for each row, so there are no
 * stages between the driver's answer and this future. Safe for use by many threads.
 */
final class RowRequest extends CompletableFuture<StepResult> {

    private volatile @Nullable CompletableFuture<AsyncResultSet> answer;

    /** Sends a row, unless it is cancelled. Every failure is a failure of this future. To be called once. */
    void send(CqlSession session, IdentitySession.Filled row) {
        if (isDone()) {
            return;
        }
        CompletableFuture<AsyncResultSet> sent;
        try {
            sent = session.executeAsync(row.statement()).toCompletableFuture();
        } catch (Throwable e) {
            // An Error too: otherwise the batch would wait for ever for this row.
            completeExceptionally(e);
            return;
        }
        answer = sent;
        if (isDone()) {
            // It was cancelled meanwhile, by a thread that did not see the answer.
            sent.cancel(true);
        }
        var unused = sent.whenComplete((done, failure) -> {
            if (failure != null) {
                completeExceptionally(failure);
                return;
            }
            try {
                complete(StepResult.inserted(
                        1, row.keys().keys(), done.getExecutionInfo().getWarnings()));
            } catch (Throwable e) {
                completeExceptionally(e);
            }
        });
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        CompletableFuture<AsyncResultSet> sent = answer;
        if (sent != null) {
            sent.cancel(mayInterruptIfRunning);
        }
        return cancelled;
    }
}
