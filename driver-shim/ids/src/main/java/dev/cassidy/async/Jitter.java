package dev.cassidy.async;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;

/**
 * Pauses between tries, with decorrelated jitter: clients that failed together do not try again together. Marc Brooker,
 * "Exponential Backoff And Jitter" (2015). One instance for one task; not safe for use by several threads at a time.
 */
public final class Jitter {

    private static final long BASE_MILLIS = 20;
    private static final long CAP_MILLIS = 2_000;

    private final Timer timer;
    private final RandomGenerator random;
    private long previous = BASE_MILLIS;

    public Jitter(Timer timer, RandomGenerator random) {
        this.timer = timer;
        this.random = random;
    }

    /** Returns a stage that completes after the next pause: from 20 ms to 2 s. */
    public CompletionStage<Void> pause() {
        return timer.after(Duration.ofMillis(nextMillis()));
    }

    /** Returns the next pause in milliseconds. */
    public long nextMillis() {
        previous = Math.min(CAP_MILLIS, random.nextLong(BASE_MILLIS, previous * 3 + 1));
        return previous;
    }
}
