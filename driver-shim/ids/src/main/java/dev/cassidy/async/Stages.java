package dev.cassidy.async;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/** Helpers for {@link CompletionStage}. */
public final class Stages {

    private Stages() {}

    /** Returns what a stage failed with, without the exceptions that stages and futures wrap around it. */
    public static Throwable cause(Throwable thrown) {
        Throwable cause = thrown;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /**
     * As {@link CompletionStage#thenCompose}, without stages of its own where the value is there already. What {@code next}
     * throws is a failure of the stage.
     */
    public static <T, R> CompletionStage<R> thenCompose(
            CompletionStage<T> stage, Function<? super T, ? extends CompletionStage<R>> next) {
        if (!(stage instanceof CompletableFuture<T> known) || !known.isDone() || known.isCompletedExceptionally()) {
            return stage.thenCompose(next);
        }
        try {
            return next.apply(known.join());
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
