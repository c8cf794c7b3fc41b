package dev.cassidy.snowflake.protocol;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.store.NodeRow;
import dev.cassidy.snowflake.store.NodeStore;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lease that ids are issued from, and the last ones before it. It closes one lease before the next one begins, gives the
 * number of a closed one back, and knows what was issued. It takes no number and renews none; {@link LeaseKeeper} decides
 * when it changes. {@link #lock} is the one lock of a sequencer's lease: the keeper holds it too, so that the lease and the
 * keeper's state change in one step. Only {@link #lease()}, {@link #hasIssued} and {@link #release} are called without it.
 */
final class HeldLease {

    private static final Logger LOG = LoggerFactory.getLogger(HeldLease.class);
    static final int MAX_FORMER = 16;

    /** Guards this and {@link LeaseKeeper}. It is never held while waiting. */
    final ReentrantLock lock = new ReentrantLock();

    private final SnowflakeSpec snowflake;
    private final NodeStore store;
    private final LogicalClock clock;

    /** Written under the lock. A lease is closed before the next one, or a closed one, replaces it. */
    private volatile Lease lease = Lease.closed();

    /** Whether the lease's number is still this process's own, so that it can be given back. */
    @GuardedBy("lock")
    private boolean ours;

    /** The last millisecond of which an earlier lease may have issued an id. */
    @GuardedBy("lock")
    private long issuedUpTo;

    /** The last leases that were closed and of which ids were issued, for {@link #hasIssued}. */
    @GuardedBy("lock")
    private final Deque<Lease> former = new ArrayDeque<>();

    HeldLease(SnowflakeSpec snowflake, NodeStore store, LogicalClock clock) {
        this.snowflake = snowflake;
        this.store = store;
        this.clock = clock;
    }

    /** Returns the lease to issue ids from. If there is none, it is a closed one, which issues nothing. */
    Lease lease() {
        return lease;
    }

    /** See {@link LeasedSequencer#hasIssued}. */
    boolean hasIssued(long id) {
        lock.lock();
        try {
            return lease.hasIssued(id) || former.stream().anyMatch(each -> each.hasIssued(id));
        } finally {
            lock.unlock();
        }
    }

    /** From now on this lease, of a number that was taken, is the one to issue ids from. */
    @GuardedBy("lock")
    void replace(Lease begun) {
        // The old lease is closed before the new one begins: ids increase in this process, whatever their number.
        closeLease();
        begun.beginAfter(issuedUpTo);
        clock.follow(begun.after() + 1);
        lease = begun;
        ours = true;
    }

    /** Issues nothing more. Returns a stage that ends when the number was given back, or could not be. */
    @GuardedBy("lock")
    CompletionStage<Void> end() {
        CompletionStage<Void> returned = closeLease();
        lease = Lease.closed();
        return returned;
    }

    /** Returns a stage that ends when the number was given back, or could not be. */
    @GuardedBy("lock")
    private CompletionStage<Void> closeLease() {
        Lease closing = lease;
        long last = closing.close();
        // The one that stands for no lease, between two, takes no place.
        if (closing.isUsed()) {
            former.addLast(closing);
            if (former.size() > MAX_FORMER) {
                former.removeFirst();
            }
        }
        issuedUpTo = Math.max(issuedUpTo, last);
        if (!ours) {
            return CompletableFuture.completedFuture(null);
        }
        ours = false;
        return release(closing.row(), last);
    }

    /** The number is another process's, or may be a copy's of this one: it is not given back. */
    @GuardedBy("lock")
    void isNotOurs() {
        ours = false;
    }

    /** Forgets what earlier leases issued. */
    @GuardedBy("lock")
    void forgetFormer() {
        former.clear();
    }

    /**
     * Gives a number back to the store. Only for a number of which nothing is issued any more. Whatever the outcome, this
     * process never uses the lease again.
     */
    CompletionStage<Void> release(NodeRow row, long last) {
        return store.release(snowflake.name(), row, last).handle((outcome, failure) -> {
            if (!(outcome instanceof ClaimOutcome.Claimed)) {
                LOG.debug(
                        "sequence {}: node number {} may not look free yet: {}",
                        snowflake.name(),
                        row.number(),
                        outcome,
                        failure);
            }
            return null;
        });
    }
}
