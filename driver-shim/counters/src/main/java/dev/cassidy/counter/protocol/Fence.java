package dev.cassidy.counter.protocol;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.cassidy.async.Jitter;
import dev.cassidy.counter.store.SlotLease;
import dev.cassidy.counter.store.SlotStore;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Confirms that increments which replicas have acknowledged will count, whatever becomes of this process and its clocks.
 *
 * <p>When a slot is taken from its holder, the next holder may decide which of the former one's increments count. It
 * decides in this order: it sees the slot's new lease by {@link SlotStore#look}, and then reads the increments. The
 * holder confirms in the opposite order: the increment was acknowledged by a majority, and then {@code look} still sees
 * the holder's own lease. As no look sees an older lease than one before it, a holder that sees its own lease began to
 * look before the other one's look ended, so the increment was there before the other one read. If the holder sees
 * another lease, it must ask what was decided. No clock has a part in this: a holder that stood still for a day learns
 * that it is no holder any more before it acknowledges anything.
 *
 * <p>One read confirms all increments that were acknowledged before it began. Safe for use by many threads; nothing
 * blocks.
 */
final class Fence {

    private final SlotStore store;
    private final SlotLease lease;
    private final CounterContext context;

    /** Completes with the read that has not begun. */
    @GuardedBy("this")
    private @Nullable CompletableFuture<Boolean> next;

    @GuardedBy("this")
    private boolean reading;

    Fence(SlotStore store, SlotLease lease, CounterContext context) {
        this.store = store;
        this.lease = lease;
        this.context = context;
    }

    /**
     * Returns whether the slot was still held at some time after this call began. Reads until there is an answer; the
     * caller limits the time.
     */
    CompletionStage<Boolean> confirm() {
        CompletableFuture<Boolean> answer;
        synchronized (this) {
            if (next == null) {
                next = new CompletableFuture<>();
            }
            answer = next;
            if (reading) {
                // The read under way began too early.
                return answer;
            }
            reading = true;
            next = null;
        }
        read(answer, new Jitter(context.timer(), context.random()));
        return answer;
    }

    private void read(CompletableFuture<Boolean> answer, Jitter jitter) {
        store.look(lease.slot()).whenComplete((found, failure) -> {
            if (failure != null) {
                jitter.pause().thenRun(() -> read(answer, jitter));
                return;
            }
            CompletableFuture<Boolean> following;
            synchronized (this) {
                following = next;
                next = null;
                reading = following != null;
            }
            if (following != null) {
                read(following, new Jitter(context.timer(), context.random()));
            }
            answer.complete(isHeld(found));
        });
    }

    private boolean isHeld(Optional<SlotLease> found) {
        return found.filter(current -> current.isLeaseOf(lease) && !current.free())
                .isPresent();
    }
}
