package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.CqlSession;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What a {@link WrappingSession} returns of {@link CqlSession#closeFuture()}. It names the session, for {@link
 * WrappingSession#of}: no proxy has a reason to change it.
 */
public final class WrappingCloseStage extends CompletableFuture<Void> {

    private final WrappingSession session;
    private final CompletionStage<Void> closing;

    /** Ends when the wrapped session has closed. */
    public WrappingCloseStage(WrappingSession session) {
        this.session = session;
        this.closing = session.unwrap().closeFuture();
        closing.whenComplete((done, failure) -> {
            if (failure == null) {
                complete(null);
            } else {
                completeExceptionally(failure);
            }
        });
    }

    WrappingSession session() {
        return session;
    }

    /** Returns the wrapped session's own future, which is done no later than this. */
    @Override
    public CompletableFuture<Void> toCompletableFuture() {
        return closing.toCompletableFuture();
    }
}
