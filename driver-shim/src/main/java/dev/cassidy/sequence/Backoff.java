package dev.cassidy.sequence;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;

/**
 * Waiting after a lost compare-and-set: at once the first time, then decorrelated jitter between 20 ms and 2 s, so that
 * clients that collided do not keep step. After Marc Brooker, "Exponential Backoff And Jitter" (2015).
 *
 * <p>One instance for one claim; not safe for use by several threads at a time.
 */
final class Backoff {

    private static final long BASE_MILLIS = 20;
    private static final long CAP_MILLIS = 2_000;

    private final Timer timer;
    private final RandomGenerator random;
    private boolean first = true;
    private long previous = BASE_MILLIS;

    Backoff(Timer timer, RandomGenerator random) {
        this.timer = timer;
        this.random = random;
    }

    CompletionStage<Void> pause() {
        if (first) {
            first = false;
            return CompletableFuture.completedFuture(null);
        }
        return jitter();
    }

    CompletionStage<Void> jitter() {
        first = false;
        previous = Math.min(CAP_MILLIS, random.nextLong(BASE_MILLIS, previous * 3 + 1));
        CompletableFuture<Void> over = new CompletableFuture<>();
        timer.schedule(() -> over.complete(null), Duration.ofMillis(previous));
        return over;
    }
}
