package dev.cassidy.sequence;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;

/**
 * Waiting after a lost compare-and-set: none the first time, since the refusal told what is there now; then decorrelated
 * jitter between 20 ms and 2 s, so that clients that collided do not keep step, and two tries after each wait. After Marc
 * Brooker, "Exponential Backoff And Jitter" (2015). The long waits are what helps: a server makes each of two colliding
 * statements wait up to 100 ms, so ten eager clients are slower than one.
 *
 * <p>One instance for one claim; not safe for use by several threads at a time.
 */
final class Backoff {

    private static final long BASE_MILLIS = 20;
    private static final long CAP_MILLIS = 2_000;

    private final Timer timer;
    private final RandomGenerator random;
    private boolean atOnce = true;
    private long previous = BASE_MILLIS;

    Backoff(Timer timer, RandomGenerator random) {
        this.timer = timer;
        this.random = random;
    }

    CompletionStage<Void> pause() {
        if (atOnce) {
            atOnce = false;
            return CompletableFuture.completedFuture(null);
        }
        return jitter();
    }

    CompletionStage<Void> jitter() {
        atOnce = true;
        previous = Math.min(CAP_MILLIS, random.nextLong(BASE_MILLIS, previous * 3 + 1));
        CompletableFuture<Void> over = new CompletableFuture<>();
        timer.schedule(() -> over.complete(null), Duration.ofMillis(previous));
        return over;
    }
}
