package dev.cassidy.counter;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Increments of several callers that are written together: all of them count, or none does. It is empty when every caller
 * was told what became of its increment.
 *
 * <p>Safe for use by many threads.
 */
final class IncrementGroup {

    private record Waiter(long delta, long deadline, CompletableFuture<Void> told) {}

    private final CounterKind kind;
    private final String counter;

    @GuardedBy("this")
    private final List<Waiter> waiters = new ArrayList<>();

    /** Whether a write of it may have taken effect, or will. */
    @GuardedBy("this")
    private boolean mayCount;

    @GuardedBy("this")
    private String reason = "the increments before it took too long";

    @GuardedBy("this")
    private @Nullable Throwable cause;

    IncrementGroup(CounterKind kind, String counter) {
        this.kind = kind;
        this.counter = counter;
    }

    /**
     * Adds an increment.
     *
     * @param deadline by the monotonic clock; the caller waits until then
     */
    synchronized CompletionStage<Void> add(long delta, long deadline) {
        Waiter waiter = new Waiter(delta, deadline, new CompletableFuture<>());
        waiters.add(waiter);
        return waiter.told();
    }

    synchronized boolean isEmpty() {
        return waiters.isEmpty();
    }

    /**
     * Says that it is being written: from now on it may count. Those that make the total overflow are told so, and are no
     * longer in the group. In one step, so that nobody leaves the group whose increment is in the sum, and is told that it
     * does not count.
     *
     * @return {@code total} with the increments added
     */
    long send(long total) {
        List<Waiter> tooLarge = new ArrayList<>();
        long sum = total;
        synchronized (this) {
            if (mayCount) {
                throw new IllegalStateException("was written already");
            }
            for (Waiter waiter : waiters) {
                if (fits(sum, waiter.delta())) {
                    sum += waiter.delta();
                } else {
                    tooLarge.add(waiter);
                }
            }
            waiters.removeAll(tooLarge);
            mayCount = !waiters.isEmpty();
        }
        for (Waiter waiter : tooLarge) {
            waiter.told()
                    .completeExceptionally(new CounterException.Overflow("the total of counter '" + counter
                            + "' would not fit a bigint, so the increment was not written: delta=" + waiter.delta()
                            + " total=" + total));
        }
        return sum;
    }

    /** Returns whether all increments can be added to {@code total}. */
    synchronized boolean fits(long total) {
        long sum = total;
        for (Waiter waiter : waiters) {
            if (!fits(sum, waiter.delta())) {
                return false;
            }
            sum += waiter.delta();
        }
        return true;
    }

    private static boolean fits(long total, long delta) {
        long sum = total + delta;
        // It wrapped if both have the other sign.
        return ((total ^ sum) & (delta ^ sum)) >= 0;
    }

    /** Says that what was written does not count, and never will. */
    synchronized void doesNotCount() {
        mayCount = false;
    }

    /** Says why it does not get on, for callers that give up. */
    synchronized void because(String why, @Nullable Throwable failure) {
        reason = why;
        cause = failure;
    }

    /** Tells all callers that it counts. */
    void counts() {
        for (Waiter waiter : all()) {
            waiter.told().complete(null);
        }
    }

    /** Tells all callers that they cannot be served. */
    void giveUp(String why, @Nullable Throwable failure) {
        because(why, failure);
        tell(all());
    }

    /** Tells the callers whose time is up. */
    void expire(long now) {
        List<Waiter> late = new ArrayList<>();
        synchronized (this) {
            waiters.removeIf(waiter -> {
                boolean isLate = waiter.deadline() - now <= 0;
                if (isLate) {
                    late.add(waiter);
                }
                return isLate;
            });
        }
        tell(late);
    }

    private synchronized List<Waiter> all() {
        List<Waiter> all = List.copyOf(waiters);
        waiters.clear();
        return all;
    }

    private void tell(List<Waiter> leaving) {
        for (Waiter waiter : leaving) {
            waiter.told().completeExceptionally(failure());
        }
    }

    private synchronized CounterException failure() {
        return mayCount
                ? new CounterException.OutcomeUnknown(
                        kind,
                        "it is not known whether the increment of counter '" + counter + "' counts: " + reason,
                        cause)
                : new CounterException.NotSent(
                        "the increment of counter '" + counter + "' does not count, and may be repeated: " + reason,
                        cause);
    }
}
