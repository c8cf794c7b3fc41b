package dev.cassidy.counter.protocol;

import dev.cassidy.counter.store.Versions;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Increments of several callers that are written as one row: all of them count, or none does. Guarded by its line.
 */
final class Group {

    /**
     * One caller's increment.
     *
     * @param deadline by the monotonic clock; the caller waits until then
     * @param written completes with the row that holds it
     */
    record Waiter(long delta, long deadline, CompletableFuture<Written> written) {}

    private final Deque<Waiter> waiters = new ArrayDeque<>();

    /** What the absolute values of the increments may add up to, so that the sum of any of them fits the column. */
    private final long limit;

    private long magnitude;
    private long sum;

    /** With which it was sent; null before that. */
    private @Nullable HeldSlot slot;

    private long number;
    private int attempts;
    private boolean attempted;
    private boolean mayBeWritten;
    private boolean dropped;

    Group(long limit) {
        this.limit = limit;
    }

    /** Adds an increment; returns false if the group is full. The first one always fits. */
    boolean add(Waiter waiter) {
        long absolute = Math.abs(waiter.delta());
        boolean fits = absolute >= 0 && absolute <= limit - magnitude;
        if (!fits && !waiters.isEmpty()) {
            return false;
        }
        magnitude = fits ? magnitude + absolute : limit;
        sum += waiter.delta();
        waiters.add(waiter);
        return true;
    }

    /** Removes the increments of callers that no longer wait; only if the group cannot have been written. */
    List<Waiter> withdraw(long now) {
        List<Waiter> late = removeLate(now);
        late.forEach(waiter -> sum -= waiter.delta());
        return late;
    }

    /** Removes callers that no longer wait, but not their increments. They are told the version, so it must be written. */
    List<Waiter> late(long now) {
        List<Waiter> late = removeLate(now);
        mayBeWritten = mayBeWritten || !late.isEmpty();
        return late;
    }

    private List<Waiter> removeLate(long now) {
        List<Waiter> late = new ArrayList<>();
        waiters.removeIf(waiter -> {
            boolean isLate = waiter.deadline() - now <= 0;
            if (isLate) {
                late.add(waiter);
            }
            return isLate;
        });
        return late;
    }

    boolean isEmpty() {
        return waiters.isEmpty();
    }

    Deque<Waiter> waiters() {
        return waiters;
    }

    BigInteger sum() {
        return BigInteger.valueOf(sum);
    }

    void sendAs(HeldSlot held, long next) {
        slot = held;
        number = next;
    }

    /** The number of its row within the epoch of its slot. */
    long number() {
        return number;
    }

    String actor() {
        return sentWith().actor();
    }

    long version() {
        return Versions.of(sentWith().epoch(), number);
    }

    /** Its row is not written: the slot does not wait for it any more. */
    void end() {
        sentWith().end();
    }

    private HeldSlot sentWith() {
        if (slot == null) {
            throw new IllegalStateException("was not sent");
        }
        return slot;
    }

    /** Returns whether it is the first one. */
    boolean beginAttempt() {
        attempted = true;
        attempts++;
        return attempts == 1;
    }

    /** @param maybe whether the attempt may have taken effect, or will */
    void endAttempt(boolean maybe) {
        attempted = false;
        mayBeWritten = mayBeWritten || maybe;
    }

    /** Whether its row may be written, or will be. */
    boolean mayBeWritten() {
        return mayBeWritten || attempted;
    }

    /** It is not written any more. */
    void drop() {
        dropped = true;
    }

    boolean isDropped() {
        return dropped;
    }
}
