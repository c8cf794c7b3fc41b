package dev.cassidy.counter.protocol;

import dev.cassidy.async.Stages;
import dev.cassidy.counter.store.Actor;
import dev.cassidy.counter.store.CounterTable;
import dev.cassidy.counter.store.SlotStore;
import dev.cassidy.counter.store.TouchedStore;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Settles the counters that one epoch's holder had noted as touched, one after another. A counter that cannot be settled
 * stays noted, and keeps no other from being settled.
 */
final class Sweep {

    /**
     * After so many failures in a row that may be of the nodes rather than of a counter, the slot is read. If that fails,
     * too, the rest waits for another turn.
     */
    private static final int MOST_UNANSWERED = 10;

    private final int slot;
    private final int epoch;
    private final String actor;
    private final SlotStore slots;
    private final TouchedStore touched;
    private final Settler settler;
    private final Troubles troubles;
    private final Set<String> failed = new HashSet<>();
    private boolean complete = true;
    private int unanswered;

    Sweep(Actor actor, int epoch, SlotStore slots, TouchedStore touched, Settler settler, Troubles troubles) {
        this.slot = actor.slot();
        this.epoch = epoch;
        this.actor = actor.toString();
        this.slots = slots;
        this.touched = touched;
        this.settler = settler;
        this.troubles = troubles;
    }

    /** Returns whether every counter is settled now. */
    CompletionStage<Boolean> run() {
        return after("").thenApply(done -> complete);
    }

    private CompletionStage<Void> after(String name) {
        return touched.next(slot, epoch, name).thenCompose(counters -> {
            if (counters.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            failed.clear();
            CompletionStage<Void> settled = CompletableFuture.completedFuture(null);
            for (String counter : counters) {
                settled = settled.thenCompose(before -> settle(counter));
            }
            return settled.thenCompose(done -> forget(name, counters))
                    .thenCompose(done -> after(counters.get(counters.size() - 1)));
        });
    }

    private CompletionStage<Void> settle(String counter) {
        return settler.settle(counter, slot)
                .handle((settled, failure) -> {
                    if (failure == null) {
                        unanswered = 0;
                        troubles.settled(counter, actor);
                        return CompletableFuture.<Void>completedFuture(null);
                    }
                    return failed(counter, Stages.cause(failure));
                })
                .thenCompose(stage -> stage);
    }

    private CompletionStage<Void> failed(String counter, Throwable cause) {
        complete = false;
        failed.add(counter);
        troubles.failed(counter, actor, cause);
        boolean ofTheCounter = cause instanceof CounterFailure || cause instanceof CounterTable.TooManyRows;
        unanswered = ofTheCounter ? unanswered : unanswered + 1;
        if (unanswered < MOST_UNANSWERED) {
            return CompletableFuture.completedFuture(null);
        }
        return slots.read(slot).thenAccept(answered -> unanswered = 0);
    }

    /** What is settled is not read again in the next turn, whose work is what failed in this one. */
    private CompletionStage<Void> forget(String after, List<String> page) {
        CompletionStage<Void> done = CompletableFuture.completedFuture(null);
        String from = after;
        for (int i = 0; i <= page.size(); i++) {
            boolean ends = i == page.size() || failed.contains(page.get(i));
            if (ends && i > 0 && !page.get(i - 1).equals(from)) {
                String first = from;
                String last = page.get(i - 1);
                done = done.thenCompose(before -> touched.forget(slot, epoch, first, last));
            }
            if (ends && i < page.size()) {
                from = page.get(i);
            }
        }
        return done;
    }
}
