package dev.cassidy.counter.protocol;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.cassidy.async.Jitter;
import dev.cassidy.async.Stages;
import dev.cassidy.counter.protocol.Group.Waiter;
import dev.cassidy.counter.store.CounterTable;
import dev.cassidy.counter.store.Versions;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The increments of one counter in this process. One row is under way at a time; what is incremented meanwhile waits,
 * and goes into the next row together. So the rows of an epoch have no gaps, and a counter that is incremented a hundred
 * thousand times a second costs a thousand rows.
 *
 * <p>A row of unknown outcome is written again, byte for byte, until replicas acknowledge it. Then the slot's {@link
 * Fence} must confirm it. If the slot was taken away meanwhile, the row's verdict is asked for: it counts, or its
 * increments go into another row.
 *
 * <p>Safe for use by many threads; nothing blocks. No future of a caller is completed under the lock.
 */
final class Line {

    /** What a line needs of the whole. */
    interface Surroundings {
        /** Returns the slot to write with; takes one if there is none. */
        CompletionStage<HeldSlot> slot();

        /** A slot was seen to be taken away. */
        void lost(HeldSlot slot);

        /** Returns whether a row of an epoch that has ended counts. */
        CompletionStage<Boolean> counts(String counter, HeldSlot slot, long number);

        /** A row was acknowledged. */
        void acknowledged(Line line, HeldSlot slot, long number);
    }

    private final String counter;
    private final long limit;
    private final CounterTable table;
    private final Surroundings surroundings;
    private final Tally tally;
    private final CounterContext context;

    /** Not sent yet, in order. */
    @GuardedBy("this")
    private final Deque<Group> queued = new ArrayDeque<>();

    /** Sent, and not confirmed yet. */
    @GuardedBy("this")
    private final List<Group> sent = new ArrayList<>();

    /** The group whose row is under way. */
    @GuardedBy("this")
    private @Nullable Group underWay;

    @GuardedBy("this")
    private boolean awaitsSlot;

    /** The slot whose epoch the numbers are of. */
    @GuardedBy("this")
    private @Nullable HeldSlot numbered;

    /** The last number that was used. */
    @GuardedBy("this")
    private long number;

    @GuardedBy("this")
    private boolean removed;

    /** Why the last attempt failed, for messages. */
    @GuardedBy("this")
    private @Nullable Throwable lastFailure;

    /** @param limit what the table's column holds: the largest absolute value */
    Line(
            String counter,
            long limit,
            CounterTable table,
            Surroundings surroundings,
            Tally tally,
            CounterContext context) {
        this.counter = counter;
        this.limit = limit;
        this.table = table;
        this.surroundings = surroundings;
        this.tally = tally;
        this.context = context;
    }

    String counter() {
        return counter;
    }

    /** Returns null if the line was removed; the caller then takes another one. */
    @Nullable
    CompletionStage<Written> add(long delta) {
        Waiter waiter = new Waiter(
                delta,
                context.nanoTime().getAsLong() + context.incrementTimeout().toNanos(),
                new CompletableFuture<>());
        synchronized (this) {
            if (removed) {
                return null;
            }
            enqueue(waiter);
        }
        sendNext();
        return waiter.written();
    }

    @GuardedBy("this")
    private void enqueue(Waiter waiter) {
        Group last = queued.peekLast();
        if (last == null || !last.add(waiter)) {
            Group group = new Group(limit);
            group.add(waiter);
            queued.add(group);
        }
    }

    private void sendNext() {
        synchronized (this) {
            if (underWay != null || awaitsSlot || queued.isEmpty()) {
                return;
            }
            awaitsSlot = true;
        }
        surroundings.slot().whenComplete((slot, failure) -> {
            Group next = null;
            synchronized (this) {
                awaitsSlot = false;
                if (failure == null) {
                    next = begin(slot);
                }
            }
            if (next != null) {
                write(next, slot, new Jitter(context.timer(), context.random()));
            } else if (failure != null) {
                refuse(Stages.cause(failure));
            } else {
                // The slot was given back or lost meanwhile, or every caller has given up.
                sendNext();
            }
        });
    }

    @GuardedBy("this")
    private @Nullable Group begin(HeldSlot slot) {
        Group next = queued.peek();
        if (next == null || !slot.begin()) {
            return null;
        }
        queued.remove();
        if (numbered != slot) {
            numbered = slot;
            number = 0;
        }
        number++;
        next.sendAs(slot, number);
        sent.add(next);
        underWay = next;
        return next;
    }

    /** Tells everybody who waits to be sent that nothing was sent. */
    private void refuse(Throwable cause) {
        List<Waiter> refused = new ArrayList<>();
        synchronized (this) {
            lastFailure = cause;
            queued.forEach(group -> refused.addAll(group.waiters()));
            queued.clear();
        }
        CounterFailure told = cause instanceof CounterFailure.NoSlot none ? none : notSent(cause);
        refused.forEach(waiter -> waiter.written().completeExceptionally(told));
    }

    private void write(Group group, HeldSlot slot, Jitter jitter) {
        boolean first;
        BigInteger sum;
        synchronized (this) {
            if (group.isDropped()) {
                return;
            }
            first = group.beginAttempt();
            sum = group.sum();
        }
        if (!first) {
            tally.repeated.increment();
        }
        long version = Versions.of(slot.epoch(), group.number());
        CompletionStage<Void> written = first
                ? table.write(counter, slot.actor(), version, sum)
                // Alone: a counter that cannot be written now must not take others with it again and again.
                : table.writeAgain(counter, slot.actor(), version, sum);
        written.whenComplete((done, failure) -> {
            if (failure == null) {
                acknowledged(group, slot);
            } else {
                failed(group, slot, Stages.cause(failure), jitter);
            }
        });
    }

    private void failed(Group group, HeldSlot slot, Throwable cause, Jitter jitter) {
        if (cause instanceof CounterTable.Emptied) {
            leave(group, slot, cause);
            return;
        }
        boolean refused;
        synchronized (this) {
            lastFailure = cause;
            boolean rejected = cause instanceof CounterTable.Rejected;
            group.endAttempt(!rejected && !(cause instanceof CounterTable.NotExecuted));
            refused = rejected && !group.mayBeWritten();
            if (refused) {
                drop(group);
            }
        }
        if (refused) {
            slot.end();
            group.waiters().forEach(waiter -> waiter.written().completeExceptionally(notSent(cause)));
            sendNext();
        } else if (slot.isLost()) {
            resolve(group, slot, jitter);
        } else {
            jitter.pause().thenRun(() -> write(group, slot, jitter));
        }
    }

    /** The table was emptied: its row was deleted with the others, or was written after that. Nobody settles it any more. */
    private void leave(Group group, HeldSlot slot, Throwable cause) {
        List<Waiter> told;
        synchronized (this) {
            sent.remove(group);
            if (underWay == group) {
                underWay = null;
            }
            told = List.copyOf(group.waiters());
        }
        slot.end();
        tally.unknown.add(told.size());
        told.forEach(waiter -> waiter.written().completeExceptionally(unknown(group, cause)));
        sendNext();
    }

    /** Forgets a group that was certainly not written, so that the next one has its number. */
    @GuardedBy("this")
    private void drop(Group group) {
        group.drop();
        sent.remove(group);
        if (underWay == group) {
            underWay = null;
            number--;
        }
    }

    private void acknowledged(Group group, HeldSlot slot) {
        synchronized (this) {
            underWay = null;
            lastFailure = null;
        }
        surroundings.acknowledged(this, slot, group.number());
        sendNext();
        slot.fence().confirm().thenAccept(held -> {
            if (held) {
                slot.end();
                counted(group, slot);
            } else {
                surroundings.lost(slot);
                resolve(group, slot, new Jitter(context.timer(), context.random()));
            }
        });
    }

    private void counted(Group group, HeldSlot slot) {
        List<Waiter> told;
        synchronized (this) {
            sent.remove(group);
            told = List.copyOf(group.waiters());
        }
        tally.acknowledged.add(told.size());
        Written written = new Written(slot.actor(), Versions.of(slot.epoch(), group.number()));
        told.forEach(waiter -> waiter.written().complete(written));
    }

    /** The slot was taken away before the row was confirmed: what was decided of it is stored. */
    private void resolve(Group group, HeldSlot slot, Jitter jitter) {
        boolean anybodyWaits;
        synchronized (this) {
            if (underWay == group) {
                underWay = null;
            }
            anybodyWaits = !group.isEmpty();
            if (!anybodyWaits) {
                sent.remove(group);
            }
        }
        sendNext();
        if (!anybodyWaits) {
            return;
        }
        surroundings.counts(counter, slot, group.number()).whenComplete((counts, failure) -> {
            if (failure != null) {
                synchronized (this) {
                    lastFailure = Stages.cause(failure);
                }
                jitter.pause().thenRun(() -> resolve(group, slot, jitter));
            } else if (counts) {
                counted(group, slot);
            } else {
                synchronized (this) {
                    sent.remove(group);
                    group.waiters().forEach(this::enqueue);
                }
                sendNext();
            }
        });
    }

    /** Tells the callers whose time is up. Returns whether any caller is left. */
    boolean expire(long now) {
        List<Runnable> told = new ArrayList<>();
        boolean anyLeft;
        synchronized (this) {
            Throwable cause = lastFailure;
            for (Group group : queued) {
                for (Waiter late : group.withdraw(now)) {
                    told.add(() -> late.written().completeExceptionally(notSent(cause)));
                }
            }
            queued.removeIf(Group::isEmpty);
            for (Group group : List.copyOf(sent)) {
                if (group.mayBeWritten()) {
                    for (Waiter late : group.late(now)) {
                        tally.unknown.increment();
                        told.add(() -> late.written().completeExceptionally(unknown(group, cause)));
                    }
                } else {
                    for (Waiter late : group.withdraw(now)) {
                        told.add(() -> late.written().completeExceptionally(notSent(cause)));
                    }
                    if (group.isEmpty()) {
                        drop(group);
                        told.add(group::end);
                        told.add(this::sendNext);
                    }
                }
            }
            anyLeft = !queued.isEmpty() || !sent.isEmpty();
        }
        told.forEach(Runnable::run);
        return anyLeft;
    }

    private CounterFailure unknown(Group group, @Nullable Throwable cause) {
        return new CounterFailure.OutcomeUnknown(
                "it is not known whether the increment of counter '" + counter + "' counts: not confirmed within "
                        + context.incrementTimeout() + because(cause)
                        + ". Do not repeat it; ask for the status of its receipt",
                group.actor(),
                group.version(),
                cause);
    }

    private CounterFailure notSent(@Nullable Throwable cause) {
        return new CounterFailure.NotSent(
                "the increment of counter '" + counter + "' was not sent" + because(cause)
                        + ". It does not count, and may be repeated",
                cause);
    }

    private static String because(@Nullable Throwable cause) {
        return cause == null ? "" : ": " + cause.getMessage();
    }

    /**
     * Ends the line, if nothing is lost with it: nothing waits or is unconfirmed, and its numbers are not needed, because
     * their epoch is over. Two lines of one counter in one epoch would give out the same numbers.
     */
    synchronized boolean remove() {
        boolean mayReuseNumbers = numbered == null || numbered.isOver();
        if (isIdle() && mayReuseNumbers) {
            removed = true;
        }
        return removed;
    }

    /** Whether nothing waits and nothing is under way or unconfirmed. */
    synchronized boolean isIdle() {
        return sent.isEmpty() && underWay == null && queued.isEmpty() && !awaitsSlot;
    }
}
