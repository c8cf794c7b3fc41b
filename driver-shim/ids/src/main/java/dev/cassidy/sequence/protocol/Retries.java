package dev.cassidy.sequence.protocol;

import dev.cassidy.async.Stages;
import dev.cassidy.async.Timer;
import dev.cassidy.sequence.SequenceException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The tries of one task: a step that could not be executed, or came after another process's, is repeated after a pause
 * until the time is up. Not safe for use by several threads at a time.
 */
public final class Retries {

    private final LongSupplier nanoTime;
    private final Duration limit;
    private final Supplier<CompletionStage<Void>> pause;
    private final BiFunction<Duration, @Nullable Throwable, SequenceException> timeUp;
    private final long began;
    private @Nullable Throwable lastFailure;

    /**
     * The tries of a task that begins now.
     *
     * @param limit how long it may take
     * @param pause waits between two tries
     * @param timeUp makes the error from the time that the tries took, and the last failure; the failure is null if
     *     every try was refused because others came first
     */
    Retries(
            LongSupplier nanoTime,
            Duration limit,
            Supplier<CompletionStage<Void>> pause,
            BiFunction<Duration, @Nullable Throwable, SequenceException> timeUp) {
        this.nanoTime = nanoTime;
        this.limit = limit;
        this.pause = pause;
        this.timeUp = timeUp;
        this.began = nanoTime.getAsLong();
    }

    /**
     * The tries of a task that begins now, with decorrelated jitter between 20 ms and 2 s between them.
     *
     * @param task what is tried, for the message when the time is up
     * @param limit how long it may take
     */
    public static Retries of(String task, Duration limit, LongSupplier nanoTime, Timer timer, RandomGenerator random) {
        return new Retries(
                nanoTime,
                limit,
                new Backoff(timer, random)::jitter,
                (within, last) -> unavailable(task + ": not within " + within, "; others always came first", last));
    }

    static SequenceException unavailable(String message, String withoutFailure, @Nullable Throwable lastFailure) {
        return lastFailure == null
                ? new SequenceException.Unavailable(message + withoutFailure)
                : new SequenceException.Unavailable(message + ": " + lastFailure.getMessage(), lastFailure);
    }

    /** Returns how much of the time is left; negative once it is up. */
    Duration left() {
        return limit.minusNanos(nanoTime.getAsLong() - began);
    }

    /** Returns whether {@code duration} has passed since the beginning. */
    public boolean lasted(Duration duration) {
        return nanoTime.getAsLong() - began >= duration.toNanos();
    }

    boolean isTimeUp() {
        return lasted(limit);
    }

    /** Notes why the last try failed, for the message when the time is up. */
    public void failed(Throwable cause) {
        lastFailure = cause;
    }

    /**
     * Continues with {@code next}. If the step could not be executed, does {@code again} after a pause; a {@link
     * SequenceException} fails the task.
     */
    public <T, R> CompletionStage<R> orAgain(
            CompletionStage<T> step, Function<T, CompletionStage<R>> next, Supplier<CompletionStage<R>> again) {
        return step.<CompletionStage<R>>handle((value, thrown) -> {
                    if (thrown == null) {
                        return next.apply(value);
                    }
                    Throwable cause = Stages.cause(thrown);
                    if (cause instanceof SequenceException) {
                        return CompletableFuture.failedFuture(cause);
                    }
                    lastFailure = cause;
                    return again(again);
                })
                .thenCompose(stage -> stage);
    }

    /** Does {@code again} after a pause, or fails if the time is up. */
    public <R> CompletionStage<R> again(Supplier<CompletionStage<R>> again) {
        return again(again, pause);
    }

    /** Does {@code again} after another pause than the usual one, or fails if the time is up. */
    public <R> CompletionStage<R> again(
            Supplier<CompletionStage<R>> again, Supplier<CompletionStage<Void>> otherPause) {
        return isTimeUp() ? fail() : otherPause.get().thenCompose(waited -> again.get());
    }

    /** Fails, as if the time were up. */
    <R> CompletionStage<R> fail() {
        return CompletableFuture.failedFuture(timeUp(limit));
    }

    /**
     * Returns the error for when the time is up.
     *
     * @param within how long it was tried
     */
    public SequenceException timeUp(Duration within) {
        return timeUp.apply(within, lastFailure);
    }
}
