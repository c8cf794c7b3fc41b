package dev.cassidy.transaction;

import dev.cassidy.async.Stages;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A transaction failed, and certainly nothing of it was written or will be. */
public final class TransactionFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    TransactionFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Returns a stage that has failed with one, which {@code failure} has caused. */
    static <T> CompletionStage<T> stage(@Nullable Throwable failure) {
        Throwable cause = failure == null ? null : Stages.cause(failure);
        return CompletableFuture.failedFuture(
                cause instanceof TransactionFailedException
                        ? cause
                        : new TransactionFailedException(
                                "the transaction failed, and nothing of it was written: " + cause, cause));
    }
}
