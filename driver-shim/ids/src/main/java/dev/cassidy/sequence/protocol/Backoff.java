package dev.cassidy.sequence.protocol;

import dev.cassidy.async.Timer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;

/**
 * The waits between the tries of one claim or one return. If nothing is known of other processes, decorrelated jitter
 * between 20 ms and 2 s, so that clients that failed together do not try again together: Marc Brooker, "Exponential
 * Backoff And Jitter" (2015).
 *
 * <p>After a quick refusal the next try follows at once, since the refusal told the current state; after that there are
 * two tries after each wait. The long waits are what helps: a server makes each of two colliding statements wait up to
 * 100 ms, so ten eager clients are slower than one, and a thousand keep each other from succeeding.
 *
 * <p>It is not known how many collide, but the more there are, the longer a try takes. So after a refusal the next try
 * is at a random time within a multiple of the time that the last one took: 16 times at first, twice as many after each
 * refusal, up to 400 times and 6 s, and at least a quarter of the previous width. If even the first read takes long,
 * the first try is spread out too. No wait is so long that no time is left for a try.
 *
 * <p>One instance for one claim; not safe for use by several threads at a time.
 */
final class Backoff {

    private static final long BASE_MILLIS = 20;
    private static final long CAP_MILLIS = 2_000;

    /** A try that ends within this time has not collided with many. */
    private static final long QUICK_MILLIS = 10;

    /** A process's first read takes longer than later ones, even without other processes. */
    private static final long QUICK_AT_FIRST_MILLIS = 100;

    /** A try that takes longer than this has probably waited for others: hurrying would only make it worse. */
    private static final long CROWDED_MILLIS = 30;

    private static final long SPREAD_AT_FIRST = 12;
    private static final long SPREAD_AFTER_UNKNOWN = 16;
    private static final long WIDEST_AFTER_UNKNOWN_MILLIS = 5_000;

    // After refusals. 1,000 claimants of one row need the most of both; for ten, both would only be a delay.
    private static final long FIRST_TIMES = 16;
    private static final long MAX_TIMES = 400;
    private static final long WIDEST_MILLIS = 6_000;

    /** A first read that takes this long is part of a crowd that needs the longest waits. */
    private static final long CROWD_MILLIS = 1_000;

    private final Timer timer;
    private final RandomGenerator random;
    private boolean atOnce = true;
    private long previous = BASE_MILLIS;
    private long times = FIRST_TIMES;
    private long width;

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
        atOnce = true;
        return over(nextJitter());
    }

    private long nextJitter() {
        previous = Math.min(CAP_MILLIS, random.nextLong(BASE_MILLIS, previous * 3 + 1));
        return previous;
    }

    /**
     * After a try whose outcome is unknown.
     *
     * @param took how long it took
     * @param left how much time the claim has left
     */
    CompletionStage<Void> afterUnknown(Duration took, Duration left) {
        atOnce = true;
        long spread = Math.min(WIDEST_AFTER_UNKNOWN_MILLIS, SPREAD_AFTER_UNKNOWN * took.toMillis());
        return over(Math.min(room(took, left), Math.max(nextJitter(), within(spread))));
    }

    /**
     * After a try that was refused because another process's try came first.
     *
     * @param took how long it took
     * @param left how much time the claim has left
     */
    CompletionStage<Void> afterRefusal(Duration took, Duration left) {
        atOnce = true;
        // Tries have become quick, so fewer processes are left.
        long narrower = width / 4;
        width = Math.min(WIDEST_MILLIS, Math.max(narrower, times * Math.max(1, took.toMillis())));
        times = Math.min(MAX_TIMES, 2 * times);
        // As long as tries are quick, the last ones may hurry.
        long tenths = took.toMillis() < CROWDED_MILLIS ? 5 : 8;
        return over(within(Math.min(width, Math.min(left.toMillis() * tenths / 10, room(took, left)))));
    }

    /**
     * Before the first try, depending on how long the read before it took. No wait if the store was quick. The waits
     * after refusals are then as long as the crowd may need.
     *
     * @param took how long the read took
     * @param left how much time the claim has left
     */
    CompletionStage<Void> spreadOut(Duration took, Duration left) {
        if (took.toMillis() < QUICK_AT_FIRST_MILLIS) {
            return CompletableFuture.completedFuture(null);
        }
        atOnce = true;
        times = Math.max(FIRST_TIMES, Math.min(MAX_TIMES, MAX_TIMES * took.toMillis() / CROWD_MILLIS));
        width = Math.min(WIDEST_MILLIS, Math.min(SPREAD_AT_FIRST * took.toMillis(), room(took, left) / 2));
        return over(within(width));
    }

    /** Returns how long a wait may last, so that a look and a try that take as long as the last one still fit. */
    private static long room(Duration took, Duration left) {
        return Math.max(0, left.toMillis() - 2 * took.toMillis());
    }

    private long within(long millis) {
        return random.nextLong(Math.max(1, millis));
    }

    private CompletionStage<Void> over(long millis) {
        return timer.after(Duration.ofMillis(millis));
    }
}
