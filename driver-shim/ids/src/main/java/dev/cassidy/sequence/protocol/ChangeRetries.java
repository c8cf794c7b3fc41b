package dev.cassidy.sequence.protocol;

import dev.cassidy.async.Timer;
import dev.cassidy.sequence.SequenceException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Repeats a change that was refused, or whose outcome is unknown: after a pause it reads and tries again, until the claim
 * time-out is over.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class ChangeRetries {

    private static final Duration PAUSE = Duration.ofMillis(50);

    private final Duration timeout;
    private final Timer timer;
    private final LongSupplier nanoTime;

    ChangeRetries(AllocatorContext context) {
        this.timeout = context.claimTimeout();
        this.timer = context.timer();
        this.nanoTime = context.nanoTime();
    }

    /** Reads and tries again, after a pause. */
    interface Again<T> {
        CompletionStage<T> get();
    }

    /**
     * Does a change whose time begins now.
     *
     * @param body one try, which must have the same effect when it is repeated
     * @return a stage that fails with {@link SequenceException.Unavailable} when the time is up
     */
    <T> CompletionStage<T> run(Function<Again<T>, CompletionStage<T>> body) {
        return attempt(
                body,
                new Retries(
                        nanoTime,
                        timeout,
                        () -> timer.after(PAUSE),
                        (within, failure) -> new SequenceException.Unavailable("the change did not settle within "
                                + within + "; run it again, it does no harm twice")));
    }

    private <T> CompletionStage<T> attempt(Function<Again<T>, CompletionStage<T>> body, Retries retries) {
        return body.apply(() -> retries.again(() -> attempt(body, retries)));
    }
}
