package dev.cassidy.counter.protocol;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.cassidy.async.Jitter;
import dev.cassidy.counter.store.SlotLease;
import dev.cassidy.counter.store.SlotStore;
import dev.cassidy.counter.store.StepOutcome;
import dev.cassidy.counter.store.Versions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leases a slot when it is needed, and shows while it is held that this process is alive. Whether the slot is really
 * held is told by its {@link Fence} alone.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class SlotKeeper {

    private static final Logger LOG = LoggerFactory.getLogger(SlotKeeper.class);

    /** The slots that are looked at first. Few slots make few rows, so low numbers are preferred. */
    private static final int FIRST_LOOK = 16;

    /** How often it is tried to give a slot back. */
    private static final int RELEASES = 5;

    /**
     * The beginning of 2025. Epochs are at least the seconds since then, so that an epoch which the nodes forgot, because
     * they lost their last seconds, is not leased again.
     */
    private static final long EPOCHS_BEGAN = 1_735_689_600;

    /**
     * The first epoch, whatever the clocks say. From it on, versions are larger than the microseconds of any clock before the
     * year 4253: otherwise the DELETE of another client would remove increments, if a whole datacenter began with its clocks
     * in 1970.
     */
    private static final long FIRST_EPOCH = 1L << 24;

    /** What a clock may contribute: a wrong one must not use the epochs up. */
    private static final long LAST_EPOCH_BY_CLOCK = 1L << 30;

    private final SlotStore store;
    private final CounterContext context;
    private final Liveness liveness;

    @GuardedBy("this")
    private @Nullable CompletableFuture<HeldSlot> held;

    SlotKeeper(SlotStore store, CounterContext context) {
        this.store = store;
        this.context = context;
        this.liveness = new Liveness(store, context, this::lost, this::mistrusted);
    }

    /**
     * Returns the slot that this process holds. Takes one if there is none; callers share the attempt, and the next
     * caller after a failure makes another.
     */
    CompletionStage<HeldSlot> held() {
        CompletableFuture<HeldSlot> taking;
        synchronized (this) {
            if (held != null) {
                return held;
            }
            taking = new CompletableFuture<>();
            held = taking;
        }
        context.clock()
                .now()
                .thenCompose(now -> take(0, FIRST_LOOK, now.latest(), null))
                .whenComplete((lease, failure) -> {
                    if (failure != null) {
                        giveUp(taking);
                        taking.completeExceptionally(failure);
                        return;
                    }
                    HeldSlot slot = new HeldSlot(lease, context.home(), new Fence(store, lease, context));
                    LOG.debug("holds slot {} in epoch {}", slot.actor(), slot.epoch());
                    liveness.show(slot);
                    var unused = slot.loss().thenRun(() -> giveUp(taking));
                    taking.complete(slot);
                });
        return taking;
    }

    private synchronized void giveUp(CompletableFuture<HeldSlot> former) {
        if (held == former) {
            held = null;
        }
    }

    /** Notes that the slot was taken away; the next caller of {@link #held} gets another one. */
    void lost(HeldSlot slot) {
        if (slot.loss().complete(null)) {
            LOG.info(
                    "slot {} of epoch {} was taken away from this process, which looked dead; it continues in"
                            + " another slot",
                    slot.actor(),
                    slot.epoch());
        }
    }

    /** Gives the slot back, since the clock by which it was leased is wrong; the next caller of {@link #held} is refused. */
    private void mistrusted(HeldSlot slot, CounterFailure why) {
        if (!slot.isOver()) {
            LOG.warn("slot {} is given back: {}", slot.actor(), why.getMessage());
            retire(slot);
        }
    }

    /**
     * Gives the slot back, once every row of it is confirmed; the next caller of {@link #held} gets another one, or the
     * same in another epoch. The stage completes when it is free for others.
     */
    CompletionStage<Void> retire(HeldSlot slot) {
        synchronized (this) {
            if (held != null && held.getNow(null) == slot) {
                held = null;
            }
        }
        return slot.retire().thenCompose(drained -> {
            // No more beats, whatever comes: if the slot cannot be given back, it soon looks dead.
            slot.loss().complete(null);
            return release(slot, RELEASES, new Jitter(context.timer(), context.random()));
        });
    }

    private CompletionStage<Void> release(HeldSlot slot, int tries, Jitter jitter) {
        return store.release(slot.lease())
                .handle((outcome, failure) -> {
                    // A refusal says that it was given back or taken away.
                    boolean over = failure == null && !(outcome instanceof StepOutcome.Unknown);
                    return over || tries == 1
                            ? CompletableFuture.<Void>completedFuture(null)
                            : jitter.pause().thenCompose(waited -> release(slot, tries - 1, jitter));
                })
                .thenCompose(stage -> stage);
    }

    /** Forgets the slot without giving it back. What was written with it and is not confirmed stays unknown. */
    void disown(HeldSlot slot) {
        slot.loss().complete(null);
    }

    /** @param now the time, by which an epoch is chosen */
    private CompletionStage<SlotLease> take(int from, int to, Instant now, @Nullable Throwable lastFailure) {
        if (from >= context.maxSlots()) {
            return lastFailure == null ? none() : CompletableFuture.failedFuture(lastFailure);
        }
        int end = Math.min(to, context.maxSlots());
        return store.glance(from, end)
                .thenCompose(found -> takeOne(candidates(found, from, end, now), 0, lastFailure, unseen -> {
                    // Twice as many, so that many processes that start at once soon spread.
                    return take(end, end + 2 * (end - from), now, unseen);
                }));
    }

    private record Candidate(SlotLease seen, SlotLease wanted) {}

    /** What may be taken: free slots first, since each new one makes a row more for each counter. */
    private List<Candidate> candidates(List<SlotLease> found, int from, int to, Instant now) {
        Map<Integer, SlotLease> bySlot =
                found.stream().collect(Collectors.toMap(SlotLease::slot, Function.identity(), (one, other) -> one));
        List<SlotLease> free = found.stream()
                .filter(lease -> lease.free() && lease.epoch() < Versions.LAST_EPOCH)
                .collect(Collectors.toCollection(ArrayList::new));
        List<SlotLease> unused = IntStream.range(from, to)
                .filter(slot -> !bySlot.containsKey(slot))
                .mapToObj(slot -> new SlotLease(slot, 0, context.token().get(), 0, true))
                .collect(Collectors.toCollection(ArrayList::new));
        shuffle(free);
        shuffle(unused);
        free.addAll(unused);
        return free.stream()
                .map(seen -> new Candidate(
                        seen,
                        new SlotLease(
                                seen.slot(),
                                nextEpoch(seen, now),
                                context.token().get(),
                                0,
                                false)))
                .toList();
    }

    /** Processes that start together must not all want the same slot. */
    private void shuffle(List<SlotLease> slots) {
        for (int i = slots.size() - 1; i > 0; i--) {
            Collections.swap(slots, i, context.random().nextInt(i + 1));
        }
    }

    private CompletionStage<SlotLease> takeOne(
            List<Candidate> candidates,
            int index,
            @Nullable Throwable lastFailure,
            Function<@Nullable Throwable, CompletionStage<SlotLease>> otherwise) {
        if (index == candidates.size()) {
            return otherwise.apply(lastFailure);
        }
        SlotLease seen = candidates.get(index).seen();
        SlotLease wanted = candidates.get(index).wanted();
        CompletionStage<StepOutcome> step = seen.epoch() == 0 ? store.create(wanted) : store.take(seen, wanted);
        return step.handle((outcome, failure) -> {
                    if (failure != null) {
                        return takeOne(candidates, index + 1, failure, otherwise);
                    }
                    if (outcome instanceof StepOutcome.Done) {
                        return CompletableFuture.completedFuture(wanted);
                    }
                    return outcome instanceof StepOutcome.Unknown unknown
                            ? proved(wanted, unknown.cause(), candidates, index, otherwise)
                            : takeOne(candidates, index + 1, lastFailure, otherwise);
                })
                .thenCompose(stage -> stage);
    }

    /** The slot is this process's own if its token is there. A lease that lands later is one that is never used. */
    private CompletionStage<SlotLease> proved(
            SlotLease wanted,
            Throwable doubt,
            List<Candidate> candidates,
            int index,
            Function<@Nullable Throwable, CompletionStage<SlotLease>> otherwise) {
        return store.read(wanted.slot())
                .handle((current, failure) -> {
                    boolean ours = current != null
                            && current.filter(lease -> lease.isLeaseOf(wanted)).isPresent();
                    return ours
                            ? CompletableFuture.completedFuture(wanted)
                            : takeOne(candidates, index + 1, failure == null ? doubt : failure, otherwise);
                })
                .thenCompose(stage -> stage);
    }

    private static int nextEpoch(SlotLease seen, Instant now) {
        long seconds = Math.min(now.getEpochSecond() - EPOCHS_BEGAN, LAST_EPOCH_BY_CLOCK);
        return (int) Math.max(seen.epoch() + 1L, Math.max(seconds, FIRST_EPOCH));
    }

    private CompletionStage<SlotLease> none() {
        return store.holder(0)
                .handle((holder, failure) -> holder == null ? "unknown" : holder.orElse("unknown"))
                .thenCompose(holder -> CompletableFuture.failedFuture(new CounterFailure.NoSlot("all "
                        + context.maxSlots() + " slots of " + context.home() + " (datacenter~generation)"
                        + " are held (maxSlots), slot 0 by " + holder
                        + ". Each process that increments needs one: raise maxSlots, or end processes. Slots of"
                        + " processes that died are free again within minutes")));
    }
}
