package dev.cassidy.async;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Tells which conditional writes stand. A node that is killed forgets what it acknowledged within its last sync period, and a
 * majority may then be without a write that was acknowledged. Once the longest period and a second are over, a write is on the
 * disks of those that acknowledged it, or it is lost. Two reads tell which, and both must find it: a plain one at a majority,
 * which makes the replicas that are asked agree, and then one in the order of the conditional writes.
 *
 * <p>It remembers since when a majority is known to have each write. So what waits for many writes waits once. A write that is
 * only found, in order, may be on one disk alone: the others that had it may have been killed since. So a majority is made
 * to agree before the time begins. For the same reason the two reads prove nothing later than twice the period after that: the
 * next node may have been killed by then. Whoever is late begins again.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class StandingWrites {

    private final Supplier<Duration> period;
    private final Timer timer;
    private final LongSupplier nanoTime;

    /** By what was written to: the last write that is known. */
    private final Map<Object, Known> known = new ConcurrentHashMap<>();

    /** @param since when a majority was first known to have it, by the monotonic clock */
    private record Known(Object write, long since, boolean stands) {}

    /** @param period how long ago a node may have received what it now forgets; zero if nodes forget nothing */
    public StandingWrites(Supplier<Duration> period, Timer timer, LongSupplier nanoTime) {
        this.period = period;
        this.timer = timer;
        this.nanoTime = nanoTime;
    }

    /** Returns how long ago a node may have received what it now forgets; zero if nodes forget nothing. */
    public Duration period() {
        return period.get();
    }

    /**
     * Returns how long a write may still be forgotten; zero if it cannot be any more, or if only {@link #stands} can tell.
     *
     * @param row what was written to
     * @param write what was acknowledged, or was read just now in the order of the conditional writes
     * @param agreeing reads the row at a majority, and makes the replicas that it asks agree
     */
    public CompletionStage<Duration> untilKnown(
            Object row, Object write, Supplier<? extends CompletionStage<?>> agreeing) {
        return period.get().isZero()
                ? CompletableFuture.completedFuture(Duration.ZERO)
                : begun(row, write, agreeing).thenApply(this::left);
    }

    private CompletionStage<Known> begun(Object row, Object write, Supplier<? extends CompletionStage<?>> agreeing) {
        Known last = known.get(row);
        if (last != null && isOf(last, write)) {
            return CompletableFuture.completedFuture(last);
        }
        return agreeing.get()
                .thenApply(agreed -> Objects.requireNonNull(known.compute(
                        row,
                        (key, before) -> before != null && isOf(before, write)
                                ? before
                                : new Known(write, nanoTime.getAsLong(), false))));
    }

    /** Whether it is of that write, and a read still proves something, or has. */
    private boolean isOf(Known last, Object write) {
        return last.write.equals(write)
                && (last.stands
                        || nanoTime.getAsLong() - last.since
                                <= period.get().multipliedBy(2).toNanos());
    }

    private Duration left(Known write) {
        Duration left = write.stands ? Duration.ZERO : period.get().minusNanos(nanoTime.getAsLong() - write.since);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /**
     * Waits until a write is on disks or lost, and looks whether it is there. Looks at nothing if nodes forget nothing, or if
     * it was found before.
     *
     * @param row as for {@link #untilKnown}
     * @param write as for {@link #untilKnown}
     * @param agreeing as for {@link #untilKnown}
     * @param inOrder reads the row in the order of the conditional writes
     * @param isThere whether what was read has the write, or a later one that followed it
     * @return whether it stands; if not, the caller repeats or reports it
     */
    public <T> CompletionStage<Boolean> stands(
            Object row,
            Object write,
            Supplier<CompletionStage<T>> agreeing,
            Supplier<CompletionStage<T>> inOrder,
            Predicate<T> isThere) {
        Known last = known.get(row);
        if (period.get().isZero() || (last != null && last.stands && last.write.equals(write))) {
            return CompletableFuture.completedFuture(true);
        }
        // Others may wait for another write to the row meanwhile, so what is remembered of the row does not count here.
        return begun(row, write, agreeing).thenCompose(mine -> after(left(mine))
                .thenCompose(waited -> agreeing.get())
                .thenCompose(agreed -> isThere.test(agreed)
                        // A plain read alone does not see what is proposed and not committed yet.
                        ? inOrder.get().thenApply(isThere::test)
                        : CompletableFuture.completedFuture(false))
                .thenCompose(there -> there && !isOf(mine, write)
                        ? stands(row, write, agreeing, inOrder, isThere)
                        : CompletableFuture.completedFuture(judged(row, mine, there))));
    }

    private CompletionStage<Void> after(Duration left) {
        return left.isZero() ? CompletableFuture.completedFuture(null) : timer.after(left);
    }

    private boolean judged(Object row, Known judged, boolean there) {
        known.computeIfPresent(
                row,
                (key, latest) -> !latest.write.equals(judged.write)
                        ? latest
                        // Whoever writes it again waits again.
                        : there ? new Known(judged.write, judged.since, true) : null);
        return there;
    }
}
