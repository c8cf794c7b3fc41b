package dev.cassidy.counter.protocol;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.cassidy.counter.store.CounterTable;
import dev.cassidy.counter.store.Versions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What this process increments in one table. A slot is leased for the first increment, and given back when nothing was
 * incremented for a while or this is closed.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class Increments {

    /** How often callers whose time is up are told, while there are callers. */
    private static final Duration TICK = Duration.ofMillis(100);

    /** After this time without an increment the slot is given back. */
    private static final Duration IDLE = Duration.ofMinutes(5);

    /** With more counters in memory than this, another epoch begins, in which none is numbered yet. */
    private static final int MAX_LINES = 100_000;

    /** Another epoch begins long before the numbers of one are used up. */
    private static final long MAX_NUMBERS = Versions.LAST_NUMBER / 2;

    private final CounterTable table;
    private final SlotKeeper keeper;
    private final Verdicts verdicts;
    private final Background background;
    private final Tally tally;
    private final CounterContext context;
    private final long limit;
    private final Line.Surroundings surroundings = new OfLines();

    private final Map<String, Line> lines = new ConcurrentHashMap<>();

    /** Those with callers that wait. */
    private final Map<String, Line> active = new ConcurrentHashMap<>();

    @GuardedBy("this")
    private @Nullable HeldSlot current;

    @GuardedBy("this")
    private boolean ticking;

    @GuardedBy("this")
    private boolean closed;

    /** While it is not null, no slot is taken. It completes when one may be. */
    @GuardedBy("this")
    private @Nullable CompletableFuture<Void> suspended;

    @GuardedBy("this")
    private long usedAt;

    /** @param limit what the table's column holds: the largest absolute value */
    Increments(
            CounterTable table,
            SlotKeeper keeper,
            Verdicts verdicts,
            Background background,
            Tally tally,
            CounterContext context,
            long limit) {
        this.table = table;
        this.keeper = keeper;
        this.verdicts = verdicts;
        this.background = background;
        this.tally = tally;
        this.context = context;
        this.limit = limit;
    }

    /**
     * Increments a counter. The stage completes when the increment counts for ever. It fails with {@link
     * CounterFailure.NotSent} if it does not count and never will, and with {@link CounterFailure.OutcomeUnknown} if that
     * is not known.
     */
    CompletionStage<Written> add(String counter, long delta) {
        boolean startTicking;
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(new IllegalStateException("the counters are closed"));
            }
            usedAt = context.nanoTime().getAsLong();
            startTicking = !ticking;
            ticking = true;
        }
        Line line;
        CompletionStage<Written> written;
        do {
            line = lines.computeIfAbsent(counter, name -> new Line(name, limit, table, surroundings, tally, context));
            written = line.add(delta);
        } while (written == null);
        // After the increment is in the line: a tick forgets a line that has no caller.
        active.put(counter, line);
        if (startTicking) {
            tickLater();
        }
        return written;
    }

    private void tickLater() {
        context.timer().schedule(this::tick, TICK);
    }

    private void tick() {
        long now = context.nanoTime().getAsLong();
        for (Line line : List.copyOf(active.values())) {
            if (!line.expire(now)) {
                active.remove(line.counter(), line);
                // Meanwhile somebody may have incremented.
                if (!line.isIdle()) {
                    active.put(line.counter(), line);
                }
            }
        }
        HeldSlot idle;
        synchronized (this) {
            boolean mayBeIdle = closed || now - usedAt >= IDLE.toNanos();
            if (!active.isEmpty() || !mayBeIdle) {
                tickLater();
                return;
            }
            ticking = false;
            idle = current;
            current = null;
        }
        if (idle != null) {
            retire(idle);
        }
    }

    private CompletionStage<Void> retire(HeldSlot former) {
        CompletionStage<Void> released = keeper.retire(former);
        lines.values().removeIf(Line::remove);
        return released;
    }

    private final class OfLines implements Line.Surroundings {

        @Override
        public CompletionStage<HeldSlot> slot() {
            CompletableFuture<Void> until;
            synchronized (Increments.this) {
                until = suspended;
            }
            return until == null ? held() : until.thenCompose(resumed -> slot());
        }

        private CompletionStage<HeldSlot> held() {
            return keeper.held().thenApply(slot -> {
                synchronized (Increments.this) {
                    current = slot;
                }
                return slot;
            });
        }

        @Override
        public void lost(HeldSlot slot) {
            keeper.lost(slot);
        }

        @Override
        public CompletionStage<Boolean> counts(String counter, HeldSlot slot, long number) {
            return verdicts.of(counter, slot.lease().slot(), Versions.of(slot.epoch(), number))
                    .thenCompose(verdict -> switch (verdict) {
                        case COUNTED -> CompletableFuture.completedFuture(true);
                        case NOT_COUNTED -> CompletableFuture.completedFuture(false);
                        case OPEN, UNKNOWN, FORGOTTEN ->
                            CompletableFuture.failedFuture(
                                    new IllegalStateException("the nodes do not tell what was decided: " + verdict));
                    });
        }

        @Override
        public void acknowledged(Line line, HeldSlot slot, long number) {
            background.written(line.counter(), slot, number);
            boolean tooMany = number == 1 && lines.size() > MAX_LINES;
            if (tooMany || number >= MAX_NUMBERS) {
                retire(slot);
            }
        }
    }

    /**
     * Refuses further increments, and completes when the ones before are confirmed and the slot is given back. That may be
     * never, if Cassandra does not answer.
     */
    CompletionStage<Void> close(Supplier<CompletionStage<Void>> beforeTheSlotIsFree) {
        synchronized (this) {
            closed = true;
        }
        CompletableFuture<Void> quiet = new CompletableFuture<>();
        awaitQuiet(quiet);
        return quiet.thenCompose(done -> beforeTheSlotIsFree.get()).thenCompose(done -> {
            HeldSlot last;
            synchronized (this) {
                last = current;
                current = null;
            }
            return last == null ? CompletableFuture.completedFuture(null) : retire(last);
        });
    }

    private void awaitQuiet(CompletableFuture<Void> quiet) {
        if (lines.values().stream().allMatch(Line::isIdle)) {
            quiet.complete(null);
        } else {
            context.timer().schedule(() -> awaitQuiet(quiet), Duration.ofMillis(10));
        }
    }

    /** Gives the slot back, and takes none until {@link #disownAndResume}; callers wait meanwhile. */
    CompletionStage<Void> suspend() {
        HeldSlot last;
        synchronized (this) {
            if (closed || suspended != null) {
                return CompletableFuture.completedFuture(null);
            }
            suspended = new CompletableFuture<>();
            last = current;
            current = null;
        }
        return last == null ? CompletableFuture.completedFuture(null) : retire(last);
    }

    /** Leaves the slot to the process that this one is a copy of, and goes on with another one. */
    void disownAndResume() {
        HeldSlot last;
        CompletableFuture<Void> ended;
        synchronized (this) {
            last = current;
            current = null;
            ended = suspended;
            suspended = null;
        }
        if (last != null) {
            keeper.disown(last);
        }
        lines.values().removeIf(Line::remove);
        if (ended != null) {
            ended.complete(null);
        }
    }

    /** Tells every caller that still waits that this process gives up. */
    void abandon() {
        long never =
                context.nanoTime().getAsLong() + 2 * context.incrementTimeout().toNanos();
        lines.values().forEach(line -> line.expire(never));
    }
}
