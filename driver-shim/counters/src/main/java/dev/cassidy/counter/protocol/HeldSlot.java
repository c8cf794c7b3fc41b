package dev.cassidy.counter.protocol;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.cassidy.counter.store.Actor;
import dev.cassidy.counter.store.SlotLease;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A slot while this process holds it, or believes so. It counts the rows that are not confirmed, so that the slot is
 * given back with none left. Safe for use by many threads.
 */
final class HeldSlot {

    private final SlotLease lease;
    private final String actor;
    private final Fence fence;
    private final CompletableFuture<Void> loss = new CompletableFuture<>();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();

    @GuardedBy("this")
    private long unconfirmed;

    @GuardedBy("this")
    private boolean retired;

    HeldSlot(SlotLease lease, String home, Fence fence) {
        this.lease = lease;
        this.actor = new Actor(home, lease.slot()).toString();
        this.fence = fence;
    }

    SlotLease lease() {
        return lease;
    }

    /** The name under which increments are written. */
    String actor() {
        return actor;
    }

    int epoch() {
        return lease.epoch();
    }

    Fence fence() {
        return fence;
    }

    /** Completes once it is known that the slot was taken away. */
    CompletableFuture<Void> loss() {
        return loss;
    }

    boolean isLost() {
        return loss.isDone();
    }

    /** Announces a row; returns false if no row may be written with this slot any more. */
    synchronized boolean begin() {
        if (isOver()) {
            return false;
        }
        unconfirmed++;
        return true;
    }

    /** Whether no row is begun any more. */
    synchronized boolean isOver() {
        return retired || loss.isDone();
    }

    /** A row was confirmed, or was certainly not written. */
    void end() {
        boolean last;
        synchronized (this) {
            unconfirmed--;
            last = retired && unconfirmed == 0;
        }
        if (last) {
            drained.complete(null);
        }
    }

    /** No row is begun any more. The stage completes when every row is confirmed, which may be never. */
    CompletionStage<Void> retire() {
        boolean none;
        synchronized (this) {
            retired = true;
            none = unconfirmed == 0;
        }
        if (none) {
            drained.complete(null);
        }
        return drained;
    }
}
