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
 * <p>How many collide nobody says, but the more there are, the longer a try takes. So after one that took long the next is
 * spread over a multiple of that time, the first one too.
 *
 * <p>One instance for one claim; not safe for use by several threads at a time.
 */
final class Backoff {

    private static final long BASE_MILLIS = 20;
    private static final long CAP_MILLIS = 2_000;

    /** A try that ends within this has not collided with many. */
    private static final long QUICK_MILLIS = 20;

    /** A process's first read takes longer than later ones, without anybody else. */
    private static final long QUICK_AT_FIRST_MILLIS = 100;

    private static final long SPREAD_AT_FIRST = 8;
    private static final long SPREAD = 16;
    private static final long WIDEST_SPREAD_MILLIS = 5_000;

    private final Timer timer;
    private final RandomGenerator random;
    private boolean atOnce = true;
    private long previous = BASE_MILLIS;

    Backoff(Timer timer, RandomGenerator random) {
        this.timer = timer;
        this.random = random;
    }

    CompletionStage<Void> pause() {
        return goesOnAtOnce(Duration.ZERO) ? CompletableFuture.completedFuture(null) : jitter();
    }

    /**
     * Whether the next try may follow without a wait.
     *
     * @param took how long the last one took
     */
    boolean goesOnAtOnce(Duration took) {
        boolean yes = atOnce && took.toMillis() < QUICK_MILLIS;
        atOnce = false;
        return yes;
    }

    CompletionStage<Void> jitter() {
        return jitter(Duration.ZERO);
    }

    /** @param took how long the last try took */
    CompletionStage<Void> jitter(Duration took) {
        atOnce = true;
        previous = Math.min(CAP_MILLIS, random.nextLong(BASE_MILLIS, previous * 3 + 1));
        return over(took.toMillis() < QUICK_MILLIS ? previous : Math.max(previous, spread(took, SPREAD)));
    }

    /** Before the first try, by how long it took to read what it is made of. None where the store was quick. */
    CompletionStage<Void> spreadOut(Duration took) {
        return took.toMillis() < QUICK_AT_FIRST_MILLIS
                ? CompletableFuture.completedFuture(null)
                : over(spread(took, SPREAD_AT_FIRST));
    }

    private long spread(Duration took, long times) {
        long widest = Math.min(WIDEST_SPREAD_MILLIS, times * took.toMillis());
        return random.nextLong(Math.max(1, widest));
    }

    private CompletionStage<Void> over(long millis) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        timer.schedule(() -> done.complete(null), Duration.ofMillis(millis));
        return done;
    }
}
