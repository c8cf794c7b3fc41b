package dev.cassidy.counter.protocol;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.cassidy.counter.protocol.ClockComparison.Verdict;
import dev.cassidy.counter.store.NodeClocks;
import dev.cassidy.counter.store.NodeClocks.NodeTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The clock of this process, as long as it agrees with the clocks of its nodes. Where a clock has a part in what counts, the
 * time is from here.
 *
 * <p>Nodes are asked if somebody wants to know the time and they were not asked within the last 10 seconds. Between two
 * comparisons the time is that of the last one, plus what the monotonic clock has measured since. If the clock of day says
 * otherwise, it was set, or the machine stood still: then the nodes are asked at once.
 *
 * <p>Safe for use by many threads; nothing blocks. No future of a caller is completed under the lock.
 */
public final class CheckedClock {

    /** By so much the clock of a process and that of a node may differ. */
    public static final Duration BOUND = Duration.ofSeconds(10);

    /** For so long a comparison is good. */
    static final Duration EVERY = Duration.ofSeconds(10);

    /** By so much the clock of day may depart from the monotonic one before it counts as set. */
    private static final Duration STEP = Duration.ofSeconds(1);

    /** For so long a refusal is good, so that callers who try again do not flood the nodes with questions. */
    private static final Duration REFUSED = Duration.ofSeconds(1);

    /**
     * The time, as far as it is known.
     *
     * @param earliest what the earliest of the agreeing clocks says
     * @param latest what the latest of them says
     */
    public record Now(Instant earliest, Instant latest) {}

    private final InstantSource clock;
    private final LongSupplier nanoTime;
    private final NodeClocks nodes;

    @GuardedBy("this")
    private @Nullable Agreement agreed;

    @GuardedBy("this")
    private @Nullable Refusal refused;

    /** The comparison under way. */
    @GuardedBy("this")
    private @Nullable CompletableFuture<Now> comparing;

    public CheckedClock(InstantSource clock, LongSupplier nanoTime, NodeClocks nodes) {
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.nodes = nodes;
    }

    /** Both clocks of this process at one moment. */
    private record Both(long nanos, Instant day) {

        Duration since(Both earlier) {
            return Duration.ofNanos(nanos - earlier.nanos);
        }

        /** Whether since then the clock of day was not set, and the machine did not stand still. */
        boolean goesOnFrom(Both earlier) {
            return Duration.between(earlier.day.plus(since(earlier)), day).abs().compareTo(STEP) <= 0;
        }
    }

    private record Agreement(Both at, Verdict.Agrees found) {

        boolean isGoodAt(Both now) {
            return now.since(at).compareTo(EVERY) < 0 && now.goesOnFrom(at);
        }

        Now timeAt(Both now) {
            Instant time = at.day().plus(now.since(at));
            return new Now(time.plus(found.behind()), time.plus(found.ahead()));
        }
    }

    private record Refusal(Both at, CounterFailure why) {

        boolean isGoodAt(Both now) {
            return now.since(at).compareTo(REFUSED) < 0 && now.goesOnFrom(at);
        }
    }

    private Both both() {
        long nanos = nanoTime.getAsLong();
        return new Both(nanos, clock.instant());
    }

    /**
     * Returns the time. The stage fails with {@link CounterFailure.WrongClock} if the clock of this process disagrees with
     * those of its nodes, and with anything else if no node answers.
     */
    public CompletionStage<Now> now() {
        CompletableFuture<Now> told;
        Both now = both();
        synchronized (this) {
            if (agreed != null && agreed.isGoodAt(now)) {
                return CompletableFuture.completedFuture(agreed.timeAt(now));
            }
            if (refused != null && refused.isGoodAt(now)) {
                return CompletableFuture.failedFuture(refused.why());
            }
            if (comparing != null) {
                return comparing;
            }
            told = new CompletableFuture<>();
            comparing = told;
        }
        compare(told);
        return told;
    }

    private void compare(CompletableFuture<Now> told) {
        Both begun = both();
        List<CompletionStage<NodeTime>> answers = nodes.ask();
        ClockComparison comparison = new ClockComparison(begun.day(), answers.size(), BOUND);
        for (CompletionStage<NodeTime> answer : answers) {
            answer.whenComplete((time, failure) -> {
                Both now = both();
                comparison.add(time, failure, now.since(begun)).ifPresent(verdict -> {
                    if (now.goesOnFrom(begun)) {
                        tell(verdict, now, told);
                    } else {
                        // The clock was set meanwhile, or the machine stood still: this compares nothing.
                        compare(told);
                    }
                });
            });
        }
    }

    private void tell(Verdict verdict, Both now, CompletableFuture<Now> told) {
        Agreement agreement = verdict instanceof Verdict.Agrees found ? new Agreement(now, found) : null;
        CounterFailure why =
                verdict instanceof Verdict.Disagrees found ? CounterFailure.wrongClock(found.clocks(), BOUND) : null;
        synchronized (this) {
            comparing = null;
            agreed = agreement;
            refused = why == null ? null : new Refusal(now, why);
        }
        if (agreement != null) {
            told.complete(agreement.timeAt(now));
        } else if (why != null) {
            told.completeExceptionally(why);
        } else {
            told.completeExceptionally(((Verdict.NoAnswer) verdict).cause());
        }
    }
}
