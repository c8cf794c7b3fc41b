package dev.cassidy.snowflake.protocol;

import dev.cassidy.sequence.SequenceException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The patience of one task: what could not be executed is tried again, until a deadline, with decorrelated jitter between
 * 20 ms and 2 s. Not safe for use by several threads at a time.
 */
final class Retries {

    private static final long BASE_MILLIS = 20;
    private static final long CAP_MILLIS = 2_000;

    private final SnowflakeContext context;
    private final String task;
    private final long began;
    private final Duration patience;
    private long previous = BASE_MILLIS;
    private @Nullable Throwable lastFailure;

    /** @param task what is tried, for the message when time is up */
    Retries(SnowflakeContext context, Duration patience, String task) {
        this.context = context;
        this.task = task;
        this.began = context.nanoTime().getAsLong();
        this.patience = patience;
    }

    /** Whether {@code duration} has passed since the beginning. */
    boolean lasted(Duration duration) {
        return context.nanoTime().getAsLong() - began >= duration.toNanos();
    }

    void failed(Throwable cause) {
        lastFailure = cause;
    }

    /** Goes on with {@code next}; when the step could not be executed, does {@code again} after a while. */
    <T, R> CompletionStage<R> orAgain(
            CompletionStage<T> step, Function<T, CompletionStage<R>> next, Supplier<CompletionStage<R>> again) {
        return step.<CompletionStage<R>>handle((value, thrown) -> {
                    if (thrown == null) {
                        return next.apply(value);
                    }
                    Throwable cause = unwrap(thrown);
                    if (cause instanceof SequenceException) {
                        return CompletableFuture.failedFuture(cause);
                    }
                    lastFailure = cause;
                    return again(again);
                })
                .thenCompose(stage -> stage);
    }

    /** Does {@code again} after a while. */
    <R> CompletionStage<R> again(Supplier<CompletionStage<R>> again) {
        previous = Math.min(CAP_MILLIS, context.random().nextLong(BASE_MILLIS, previous * 3 + 1));
        return again(again, Duration.ofMillis(previous));
    }

    <R> CompletionStage<R> again(Supplier<CompletionStage<R>> again, Duration delay) {
        if (lasted(patience)) {
            return CompletableFuture.failedFuture(timeUp(patience));
        }
        CompletableFuture<Void> over = new CompletableFuture<>();
        context.timer().schedule(() -> over.complete(null), delay);
        return over.thenCompose(waited -> again.get());
    }

    /** @param within how long it was tried */
    SequenceException timeUp(Duration within) {
        String message = task + ": not within " + within;
        return lastFailure == null
                ? new SequenceException.Unavailable(message + "; others were always first")
                : new SequenceException.Unavailable(message + ": " + lastFailure.getMessage(), lastFailure);
    }

    static Throwable unwrap(Throwable thrown) {
        Throwable cause = thrown;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
