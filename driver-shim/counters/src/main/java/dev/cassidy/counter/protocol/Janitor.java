package dev.cassidy.counter.protocol;

import dev.cassidy.async.Stages;
import dev.cassidy.counter.store.Actor;
import dev.cassidy.counter.store.BrokenOff;
import dev.cassidy.counter.store.SlotLease;
import dev.cassidy.counter.store.SlotStore;
import dev.cassidy.counter.store.StepOutcome;
import dev.cassidy.counter.store.TouchedStore;
import dev.cassidy.counter.store.Versions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees the slots of processes that died, and settles the counters that they had touched. Every process runs one; they
 * take turns by a lease of a slot of their own, so that one works at a time, once in {@link #EVERY} for a whole
 * datacenter. Two that worked at the same time would do no harm.
 *
 * <p>A process looks dead if its beat stands still. One that is only slow loses its slot, and nothing else: its {@link
 * Fence} tells it, and it goes on in another slot.
 */
final class Janitor {

    private static final Logger LOG = LoggerFactory.getLogger(Janitor.class);

    static final Duration EVERY = Duration.ofMinutes(5);

    /** A holder whose beat did not move for so long looks dead. */
    static final Duration DEAD_AFTER = Liveness.EVERY.multipliedBy(4).plusSeconds(5);

    /** A turn that is older has been given up, or was the last one long ago. */
    private static final Duration LONGEST_TURN = EVERY.dividedBy(2);

    /** The janitors' own slot. */
    private static final int TURN = -1;

    private static final int AT_ONCE = 64;

    private final SlotStore slots;
    private final TouchedStore touched;
    private final Settler settler;
    private final Troubles troubles;
    private final CounterContext context;

    /** Whether the last turn failed, so that the next one that does is not told. */
    private volatile boolean failing;

    /** The turn as it was seen last, and since when it has been so. */
    private Optional<SlotLease> seenTurn = Optional.empty();

    private long seenSince;
    private boolean looked;

    /** When another turn was seen, or ended here. */
    private OptionalLong movedAt = OptionalLong.empty();

    /** Whether somebody wants to know how many slots are held. */
    private volatile boolean observed;

    private volatile OptionalInt held = OptionalInt.empty();

    private volatile boolean stopped;

    Janitor(SlotStore slots, TouchedStore touched, Settler settler, Troubles troubles, CounterContext context) {
        this.slots = slots;
        this.touched = touched;
        this.settler = settler;
        this.troubles = troubles;
        this.context = context;
    }

    void start() {
        // Processes that start together do not come together.
        long millis = EVERY.toMillis() / 2 + context.random().nextLong(EVERY.toMillis());
        context.timer().schedule(this::run, Duration.ofMillis(millis));
    }

    /** It has no further turn. */
    void stop() {
        stopped = true;
    }

    boolean isObserved() {
        return observed;
    }

    /** From now on, how many slots are held is read now and then. */
    void observe() {
        observed = true;
        count();
    }

    private void count() {
        all(0, new ArrayList<>()).whenComplete((found, failure) -> {
            if (failure == null) {
                held = heldOf(found);
            }
        });
    }

    private static OptionalInt heldOf(List<SlotLease> found) {
        return OptionalInt.of(
                (int) found.stream().filter(lease -> !lease.free()).count());
    }

    /** Returns how many slots were held at the last look. */
    OptionalInt held() {
        return held;
    }

    /** Returns how long ago another turn was seen. */
    synchronized Optional<Duration> ran() {
        return movedAt.isEmpty()
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(context.nanoTime().getAsLong() - movedAt.getAsLong()));
    }

    private void run() {
        if (stopped) {
            return;
        }
        if (observed) {
            count();
        }
        slots.read(TURN)
                // Nobody had a turn since the last look, or the process that has it has died.
                .thenCompose(turn -> isOld(turn) ? work(turn) : CompletableFuture.completedFuture(false))
                .whenComplete((done, failure) -> {
                    report(failure);
                    start();
                });
    }

    private void report(@Nullable Throwable failure) {
        if (failure != null && !failing) {
            LOG.warn(
                    "not all slots of dead processes could be freed and settled; tried again every {}: {}",
                    EVERY,
                    String.valueOf(Stages.cause(failure)));
        } else if (failure != null) {
            LOG.debug("not all slots of dead processes could be freed and settled", failure);
        }
        failing = failure != null;
    }

    /** Frees and settles now, unless another process is doing it; returns whether it was done. */
    CompletionStage<Boolean> clean() {
        return slots.read(TURN)
                .thenCompose(turn -> isOld(turn) || turn.map(SlotLease::free).orElse(true)
                        ? work(turn)
                        : CompletableFuture.completedFuture(false));
    }

    /** Whether the turn has been as it is for so long that another one is due. */
    private synchronized boolean isOld(Optional<SlotLease> turn) {
        long now = context.nanoTime().getAsLong();
        if (!looked || !turn.equals(seenTurn)) {
            movedAt = looked ? OptionalLong.of(now) : movedAt;
            looked = true;
            seenTurn = turn;
            seenSince = now;
        }
        return now - seenSince >= LONGEST_TURN.toNanos();
    }

    private CompletionStage<Boolean> work(Optional<SlotLease> seen) {
        int epoch = seen.map(SlotLease::epoch).orElse(0) + 1;
        SlotLease turn = new SlotLease(TURN, epoch, context.token().get(), 0, false);
        CompletionStage<StepOutcome> taken = seen.isEmpty() ? slots.create(turn) : slots.take(seen.get(), turn);
        return taken.thenCompose(outcome -> {
            if (!(outcome instanceof StepOutcome.Done)) {
                return CompletableFuture.completedFuture(false);
            }
            return work().handle((done, failure) -> ended(failure)).thenCompose(failure -> slots.release(turn)
                    .thenCompose(ended -> failure == null
                            ? CompletableFuture.completedFuture(true)
                            : CompletableFuture.failedFuture(Stages.cause(failure))));
        });
    }

    private synchronized @Nullable Throwable ended(@Nullable Throwable failure) {
        if (failure == null) {
            movedAt = OptionalLong.of(context.nanoTime().getAsLong());
        }
        return failure;
    }

    private CompletionStage<Void> work() {
        return all(0, new ArrayList<>())
                .thenCompose(first -> context.timer().after(DEAD_AFTER).thenCompose(waited -> {
                    List<Throwable> failures = new ArrayList<>();
                    return each(first, seen -> free(seen)
                                    .thenCompose(done -> sweep(seen.slot()))
                                    // One slot must not keep the others.
                                    .exceptionally(failure -> {
                                        failures.add(failure);
                                        return null;
                                    }))
                            .thenCompose(done -> failures.isEmpty()
                                    ? nothing()
                                    : CompletableFuture.failedFuture(Stages.cause(failures.get(0))));
                }));
    }

    private CompletionStage<List<SlotLease>> all(int from, List<SlotLease> before) {
        int to = Math.min(from + AT_ONCE, context.maxSlots());
        if (from >= to) {
            return CompletableFuture.completedFuture(before);
        }
        return slots.glance(from, to).thenCompose(found -> {
            before.addAll(found);
            // Low numbers are taken first.
            return found.isEmpty() ? CompletableFuture.completedFuture(before) : all(to, before);
        });
    }

    /** Frees the slot if its holder's beat stands where it was seen. */
    private CompletionStage<Void> free(SlotLease seen) {
        if (seen.free() || seen.epoch() >= Versions.LAST_EPOCH) {
            return CompletableFuture.completedFuture(null);
        }
        SlotLease wanted =
                new SlotLease(seen.slot(), seen.epoch() + 1, context.token().get(), 0, false);
        return slots.glance(seen.slot(), seen.slot() + 1).thenCompose(now -> {
            if (!now.equals(List.of(seen))) {
                return CompletableFuture.completedFuture(null);
            }
            return slots.take(seen, wanted).thenCompose(outcome -> {
                if (!(outcome instanceof StepOutcome.Done)) {
                    return CompletableFuture.completedFuture(null);
                }
                LOG.info("slot {} is free again: its holder has not moved for {}", seen.slot(), DEAD_AFTER);
                return slots.release(wanted).thenApply(released -> null);
            });
        });
    }

    /** Settles what the holders of broken-off epochs had touched. */
    private CompletionStage<Void> sweep(int slot) {
        return slots.brokenOff(slot, 0)
                .thenCompose(epochs -> each(epochs, epoch -> epoch.swept() ? nothing() : sweep(slot, epoch)));
    }

    private CompletionStage<Void> sweep(int slot, BrokenOff epoch) {
        return new Sweep(new Actor(context.home(), slot), epoch.epoch(), slots, touched, settler, troubles)
                .run()
                .thenCompose(complete -> complete
                        ? touched.forget(slot, epoch.epoch())
                                .thenCompose(done -> slots.swept(slot, epoch.epoch()))
                                .thenApply(done -> null)
                        : nothing());
    }

    private static CompletionStage<Void> nothing() {
        return CompletableFuture.completedFuture(null);
    }

    /** Does one after another. */
    private static <T> CompletionStage<Void> each(List<T> all, Function<T, CompletionStage<Void>> step) {
        CompletionStage<Void> done = nothing();
        for (T one : all) {
            done = done.thenCompose(before -> Objects.requireNonNull(step.apply(one)));
        }
        return done;
    }
}
