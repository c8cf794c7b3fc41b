package dev.cassidy.sequence.protocol;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;

/**
 * Waiting between the tries of one claim. After a failure decorrelated jitter between 20 ms and 2 s, so that clients that
 * failed together do not keep step: Marc Brooker, "Exponential Backoff And Jitter" (2015).
 *
 * <p>After a quick refusal the next try follows at once, since the refusal told what is there now; then come two tries after
 * each wait. The long waits are what helps: a server makes each of two colliding statements wait up to 100 ms, so ten eager
 * clients are slower than one, and a thousand keep each other from succeeding.
 *
 * <p>How many collide nobody says, but the more there are, the longer a try takes. So after a refusal the next try falls
 * anywhere within a multiple of the time that the last one took, twice the multiple after each; and where even the first
 * read takes long, the first try does too.
 *
 * <p>One instance for one claim; not safe for use by several threads at a time.
 */
final class Backoff {

    private static final long BASE_MILLIS = 20;
    private static final long CAP_MILLIS = 2_000;

    /** A try that ends within this has not collided with many. */
    private static final long QUICK_MILLIS = 10;

    /** A process's first read takes longer than later ones, without anybody else. */
    private static final long QUICK_AT_FIRST_MILLIS = 100;

    /** A try that takes longer than this waited for others: to hurry would only make it worse. */
    private static final long CROWDED_MILLIS = 30;

    private static final long SPREAD_AT_FIRST = 12;
    private static final long SPREAD_AFTER_UNKNOWN = 16;
    private static final long WIDEST_AFTER_UNKNOWN_MILLIS = 5_000;

    // After refusals. 1,000 claimants of one row need the most of both; ten would only be held up by them.
    private static final long FEWEST_TIMES = 8;
    private static final long MOST_TIMES = 400;
    private static final long WIDEST_MILLIS = 6_000;

    private final Timer timer;
    private final RandomGenerator random;
    private boolean atOnce = true;
    private long previous = BASE_MILLIS;
    private long times = FEWEST_TIMES;
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
        previous = Math.min(CAP_MILLIS, random.nextLong(BASE_MILLIS, previous * 3 + 1));
        return over(previous);
    }

    /**
     * After a try whose outcome is unknown.
     *
     * @param took how long it took
     */
    CompletionStage<Void> afterUnknown(Duration took) {
        return within(Math.min(WIDEST_AFTER_UNKNOWN_MILLIS, SPREAD_AFTER_UNKNOWN * took.toMillis()));
    }

    /**
     * After a try that was refused, since another one's came before it.
     *
     * @param took how long it took
     * @param left how long the claim may take yet
     */
    CompletionStage<Void> afterRefusal(Duration took, Duration left) {
        times = Math.min(MOST_TIMES, 2 * times);
        // Once tries have become quick, fewer are left.
        long narrower = width / 4;
        width = Math.min(WIDEST_MILLIS, Math.max(narrower, times * Math.max(1, took.toMillis())));
        // As long as tries are quick, the last ones may hurry.
        long tenths = took.toMillis() < CROWDED_MILLIS ? 5 : 8;
        return within(Math.min(width, left.toMillis() * tenths / 10));
    }

    /** Before the first try, by how long it took to read what it is made of. None where the store was quick. */
    CompletionStage<Void> spreadOut(Duration took) {
        if (took.toMillis() < QUICK_AT_FIRST_MILLIS) {
            return CompletableFuture.completedFuture(null);
        }
        times = MOST_TIMES;
        width = Math.min(WIDEST_MILLIS, SPREAD_AT_FIRST * took.toMillis());
        return within(width);
    }

    private CompletionStage<Void> within(long millis) {
        atOnce = true;
        return over(random.nextLong(Math.max(1, millis)));
    }

    private CompletionStage<Void> over(long millis) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        timer.schedule(() -> done.complete(null), Duration.ofMillis(millis));
        return done;
    }
}
