package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.async.Stages;
import dev.cassidy.cluster.DriverThreads;
import dev.cassidy.cluster.Grants;
import dev.cassidy.counter.cassandra.UnfitTable;
import dev.cassidy.counter.protocol.CounterFailure;
import dev.cassidy.counter.store.CounterTable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Waits for asynchronous calls, and gives failures the types that users know. */
final class Calls {

    private Calls() {}

    /**
     * Waits for an increment, which ends by itself within the increment time-out. An interruption does not end it, since
     * the outcome would be lost.
     */
    static <T> T join(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        if (!future.isDone()) {
            DriverThreads.refuseToWait();
        }
        try {
            return future.join();
        } catch (CompletionException e) {
            throw rethrown(Stages.cause(e));
        }
    }

    /** @param what for messages: {@code what} took too long */
    static <T> T await(String what, CompletionStage<T> stage, Duration limit) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        if (!future.isDone()) {
            DriverThreads.refuseToWait();
        }
        try {
            return future.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CounterException.Unavailable("interrupted while " + what, e);
        } catch (TimeoutException e) {
            throw new CounterException.Unavailable(what + " took longer than " + limit, e);
        } catch (ExecutionException e) {
            throw rethrown(Stages.cause(e));
        }
    }

    /** Returns the stage with another failure. */
    static <T> CompletionStage<T> failing(CompletionStage<T> stage, Function<Throwable, Throwable> explain) {
        CompletableFuture<T> told = new CompletableFuture<>();
        stage.whenComplete((value, failure) -> {
            if (failure == null) {
                told.complete(value);
            } else {
                told.completeExceptionally(explain.apply(Stages.cause(failure)));
            }
        });
        return told;
    }

    /** Returns what users know as it is, and anything else as {@link CounterException.Unavailable}. */
    static Throwable explained(String type, Throwable cause) {
        if (cause instanceof CounterFailure.WrongClock) {
            return new CounterException.Refused(String.valueOf(cause.getMessage()));
        }
        if (cause instanceof UnfitTable || cause instanceof CounterTable.Rejected) {
            return new CounterException.Unfit(String.valueOf(cause.getMessage()), cause);
        }
        UnauthorizedException refused = Grants.refusal(cause);
        if (refused != null) {
            return new CounterException.Unfit(Grants.message(refused), cause);
        }
        if (cause instanceof CounterTable.Emptied) {
            return new CounterException.Unavailable(cause.getMessage() + "; call again", cause);
        }
        return cause instanceof CounterException
                        || cause instanceof IllegalArgumentException
                        || cause instanceof IllegalStateException
                ? cause
                : new CounterException.Unavailable(
                        "Cassandra did not answer for counter '" + type + "': " + cause.getMessage(), cause);
    }

    private static RuntimeException rethrown(Throwable cause) {
        return cause instanceof RuntimeException failure ? failure : new CompletionException(cause);
    }
}
