package dev.cassidy.sequence.protocol;

import dev.cassidy.async.Stages;
import dev.cassidy.async.Waiting;
import dev.cassidy.sequence.SequenceException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for the store's answers. */
public final class Answers {

    private Answers() {}

    /**
     * Waits for a stage.
     *
     * @param waiting whether the calling thread may do so
     * @throws SequenceException what the stage failed with; {@link SequenceException.Unavailable} for any failure of another
     *     kind, and if there is no answer within {@code limit}
     * @throws IllegalArgumentException as the stage failed
     * @throws IllegalStateException as the stage failed, or if the stage has not ended and the thread must not wait
     */
    public static <T> T await(CompletionStage<T> stage, Duration limit, Waiting waiting) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        if (!future.isDone()) {
            waiting.requireAllowed();
        }
        try {
            return future.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SequenceException.Unavailable("interrupted while waiting for Cassandra", e);
        } catch (TimeoutException e) {
            throw new SequenceException.Unavailable("no answer from Cassandra within " + limit, e);
        } catch (ExecutionException e) {
            Throwable cause = Stages.cause(e);
            if (cause instanceof SequenceException
                    || cause instanceof IllegalStateException
                    || cause instanceof IllegalArgumentException) {
                throw (RuntimeException) cause;
            }
            throw new SequenceException.Unavailable("Cassandra did not take it: " + cause.getMessage(), cause);
        }
    }
}
