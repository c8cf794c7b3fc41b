package dev.cassidy.counter;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.cassidy.async.Stages;
import dev.cassidy.async.Timer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The increments of one counter in this process. One group of them is written at a time; what comes meanwhile is the next
 * group. A caller waits for the increment time-out at most.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class Lane {

    /** How often callers whose time is up are told, while there are callers. */
    private static final Duration TICK = Duration.ofMillis(100);

    /** Writes the groups of one counter. It is called for one group at a time, and each call sees what the one before did. */
    interface Writer {

        /**
         * Writes a group, and tells it what became of it. Completes when the next group may be written; a group that is not
         * empty then is given up.
         */
        CompletionStage<Void> write(IncrementGroup group);
    }

    /** @param timeout the longest time that a caller waits */
    record Settings(CounterKind kind, Duration timeout, Timer timer, LongSupplier nanoTime) {}

    private final String counter;
    private final Writer writer;
    private final Settings settings;

    @GuardedBy("this")
    private IncrementGroup waiting;

    @GuardedBy("this")
    private @Nullable IncrementGroup writing;

    @GuardedBy("this")
    private boolean ticking;

    @GuardedBy("this")
    private boolean retired;

    Lane(String counter, Writer writer, Settings settings) {
        this.counter = counter;
        this.writer = writer;
        this.settings = settings;
        this.waiting = new IncrementGroup(settings.kind(), counter);
    }

    /** Adds an increment; null if the lane is retired. */
    @Nullable
    CompletionStage<Void> add(long delta) {
        long deadline = settings.nanoTime().getAsLong() + settings.timeout().toNanos();
        CompletionStage<Void> told;
        IncrementGroup first = null;
        boolean startTicking;
        synchronized (this) {
            if (retired) {
                return null;
            }
            told = waiting.add(delta, deadline);
            if (writing == null) {
                first = next();
            }
            startTicking = !ticking;
            ticking = true;
        }
        if (startTicking) {
            tickLater();
        }
        if (first != null) {
            write(first);
        }
        return told;
    }

    @GuardedBy("this")
    private @Nullable IncrementGroup next() {
        if (waiting.isEmpty()) {
            writing = null;
        } else {
            writing = waiting;
            waiting = new IncrementGroup(settings.kind(), counter);
        }
        return writing;
    }

    private void write(IncrementGroup group) {
        var unused = written(group).whenComplete((done, failure) -> {
            group.giveUp(
                    failure == null ? "it could not be written" : reason(Stages.cause(failure)),
                    failure == null ? null : Stages.cause(failure));
            IncrementGroup following;
            synchronized (this) {
                following = next();
            }
            if (following != null) {
                write(following);
            }
        });
    }

    private CompletionStage<Void> written(IncrementGroup group) {
        try {
            return writer.write(group);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static String reason(Throwable cause) {
        return String.valueOf(cause.getMessage());
    }

    private void tickLater() {
        settings.timer().schedule(this::tick, TICK);
    }

    private void tick() {
        expire(settings.nanoTime().getAsLong());
        synchronized (this) {
            if (isIdle()) {
                ticking = false;
                return;
            }
        }
        tickLater();
    }

    /** Tells callers whose time is up at {@code now}. */
    void expire(long now) {
        IncrementGroup first;
        IncrementGroup second;
        synchronized (this) {
            first = writing;
            second = waiting;
        }
        if (first != null) {
            first.expire(now);
        }
        second.expire(now);
    }

    /** Whether nothing is being written, and nobody waits. */
    synchronized boolean isIdle() {
        return writing == null && waiting.isEmpty();
    }

    /** Takes no more increments, if it is idle. Returns whether it is retired. */
    synchronized boolean retire() {
        retired = retired || isIdle();
        return retired;
    }
}
