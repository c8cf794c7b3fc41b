package dev.cassidy.sequence;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves ids from blocks in memory. An id costs one atomic addition; the next block is claimed in the background when
 * the current one is used up to the threshold. There are at most two blocks, and one claim under way.
 *
 * <p>Order: blocks are claimed one after another and published in the order of their claims, so ids increase within the
 * process (in the sequence's direction) for as long as the incarnation stays.
 */
public final class BlockAllocator implements IdAllocator {

    private static final Logger LOG = LoggerFactory.getLogger(BlockAllocator.class);

    private final SequenceSpec spec;
    private final Stripe stripe;
    private final RangeStore store;
    private final RangeClaimer claimer;
    private final AllocatorContext context;
    private final Sizing sizing;
    private final Block none = Block.empty();

    /** Read without the lock by everybody who wants an id; written under it. */
    private volatile Block current;

    private final ReentrantLock lock = new ReentrantLock();
    // All below is guarded by the lock.
    private @Nullable Block next;
    private @Nullable CompletableFuture<Void> claiming;
    private List<Claim> spent = new ArrayList<>();
    private long issuedSinceClaim;
    private boolean starvedMeanwhile;
    private long wanted;
    private boolean claimFailed;
    private long claimedUpTo;
    private int incarnation;
    private boolean closed;

    /** @param incarnation that the datacenter has adopted; nothing is claimed of an older one */
    public BlockAllocator(SequenceSpec spec, int incarnation, RangeStore store, AllocatorContext context) {
        this.spec = spec;
        this.stripe = new Stripe(spec.name(), 0);
        this.store = store;
        this.context = context;
        this.claimer = new RangeClaimer(store, stripe, context);
        this.sizing = new Sizing(spec.count());
        this.current = none;
        this.incarnation = incarnation;
    }

    @Override
    public SequenceSpec spec() {
        return spec;
    }

    @Override
    public long nextLong() {
        Block block = current;
        long position = block.draw(1);
        if (position < block.count()) {
            if (block.reachesPrefetch(position, 1)) {
                prefetch();
            }
            return block.idAt(position);
        }
        return await(1).first();
    }

    @Override
    public IdRange nextRange(long most) {
        requireAtLeastOne(most);
        IdRange range = draw(most);
        return range != null ? range : await(most);
    }

    @Override
    public CompletionStage<Long> nextLongAsync() {
        return nextRangeAsync(1).thenApply(IdRange::first);
    }

    @Override
    public CompletionStage<IdRange> nextRangeAsync(long most) {
        requireAtLeastOne(most);
        return nextRangeAsync(
                most, context.nanoTime().getAsLong() + context.claimTimeout().toNanos());
    }

    private CompletionStage<IdRange> nextRangeAsync(long most, long deadline) {
        IdRange range = draw(most);
        if (range != null) {
            return CompletableFuture.completedFuture(range);
        }
        return whenMore()
                .handle((more, failure) -> failure == null || mayTryAgain(RangeClaimer.unwrap(failure), deadline)
                        ? nextRangeAsync(most, deadline)
                        : CompletableFuture.<IdRange>failedFuture(asSequenceException(RangeClaimer.unwrap(failure))))
                .thenCompose(result -> result);
    }

    /** A caller may have come late to a claim that was about to fail; its own time is not up then. */
    private boolean mayTryAgain(Throwable failure, long deadline) {
        return failure instanceof SequenceException.Unavailable
                && context.nanoTime().getAsLong() - deadline < 0;
    }

    private static void requireAtLeastOne(long most) {
        if (most < 1) {
            throw new IllegalArgumentException("must be >= 1: most=" + most);
        }
    }

    private @Nullable IdRange draw(long most) {
        Block block = current;
        // Bounded by the block, so that the counter can never be driven to overflow by huge requests.
        long asked = Math.min(most, Math.max(1, block.count()));
        long position = block.draw(asked);
        if (position >= block.count()) {
            return null;
        }
        long taken = Math.min(asked, block.count() - position);
        if (block.reachesPrefetch(position, taken)) {
            prefetch();
        }
        return block.range(position, taken);
    }

    private IdRange await(long most) {
        long deadline = context.nanoTime().getAsLong() + context.claimTimeout().toNanos();
        while (true) {
            CompletableFuture<Void> more = whenMore();
            try {
                more.get(deadline - context.nanoTime().getAsLong(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SequenceException.Unavailable(
                        "interrupted while waiting for an id of sequence " + spec.name(), e);
            } catch (TimeoutException e) {
                throw new SequenceException.Unavailable(
                        "no id of sequence " + spec.name() + " within " + context.claimTimeout()
                                + " (claimTimeout): the claim is still under way",
                        e);
            } catch (ExecutionException e) {
                Throwable cause = RangeClaimer.unwrap(e.getCause() == null ? e : e.getCause());
                if (!mayTryAgain(cause, deadline)) {
                    throw asSequenceException(cause);
                }
            }
            IdRange range = draw(most);
            if (range != null) {
                return range;
            }
        }
    }

    private RuntimeException asSequenceException(Throwable cause) {
        return cause instanceof SequenceException || cause instanceof ClosedException
                ? (RuntimeException) cause
                : new SequenceException.Unavailable(
                        "no id of sequence " + spec.name() + ": " + cause.getMessage(), cause);
    }

    /**
     * Returns a stage that ends when there may be ids in {@link #current}: at once if the next block was there already.
     */
    private CompletableFuture<Void> whenMore() {
        lock.lock();
        try {
            if (closed) {
                return CompletableFuture.failedFuture(closedException());
            }
            if (!current.isExhausted()) {
                return CompletableFuture.completedFuture(null);
            }
            if (next != null) {
                publish(next);
                return CompletableFuture.completedFuture(null);
            }
            return claiming(true);
        } finally {
            lock.unlock();
        }
    }

    private void prefetch() {
        lock.lock();
        try {
            if (!closed && next == null) {
                CompletableFuture<Void> unused = claiming(false);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Guarded by the lock. Each block is published once: it leaves {@link #next} as it becomes current. */
    private void publish(Block block) {
        next = null;
        retire(current);
        current = block;
    }

    /** Guarded by the lock. */
    private void retire(Block block) {
        if (block != none) {
            issuedSinceClaim += block.close();
            spent.add(block.claim);
        }
    }

    /** Guarded by the lock. Returns the claim under way, starting one if there is none. */
    private CompletableFuture<Void> claiming(boolean starved) {
        if (claiming != null) {
            starvedMeanwhile |= starved;
            return claiming;
        }
        List<Claim> forget = List.copyOf(spent);
        if (!claimFailed) {
            // After a failure the same size again: callers waited for Cassandra then, not because it was too small.
            wanted = sizing.next(issuedSinceClaim, context.nanoTime().getAsLong(), starved || starvedMeanwhile);
            issuedSinceClaim = 0;
        }
        starvedMeanwhile = false;
        CompletableFuture<Void> done = new CompletableFuture<>();
        claiming = done;
        startClaim(forget).whenComplete((claim, failure) -> claimed(done, claim, failure, forget));
        return done;
    }

    /** Guarded by the lock. */
    private CompletionStage<Claim> startClaim(List<Claim> forget) {
        try {
            return claimer.claim(wanted, sizing, forget, incarnation);
        } catch (RuntimeException e) {
            // A closed session, for one, throws at once. It ends this claim, and must not keep the next from starting;
            // and as it is not Unavailable, nobody tries again in a tight loop until the time is up.
            return CompletableFuture.failedFuture(e);
        }
    }

    private void claimed(
            CompletableFuture<Void> done, @Nullable Claim claim, @Nullable Throwable failure, List<Claim> forgotten) {
        Runnable outcome;
        lock.lock();
        try {
            claiming = null;
            outcome = accept(claim, failure, forgotten, done);
        } finally {
            lock.unlock();
        }
        // Outside the lock: it runs whatever callers have attached.
        outcome.run();
    }

    /** Guarded by the lock. */
    private Runnable accept(
            @Nullable Claim claim, @Nullable Throwable failure, List<Claim> forgotten, CompletableFuture<Void> done) {
        if (claim == null) {
            Throwable cause = RangeClaimer.unwrap(Objects.requireNonNull(failure));
            LOG.debug("sequence {} got no block", spec.name(), cause);
            claimFailed = true;
            return () -> done.completeExceptionally(cause);
        }
        claimFailed = false;
        spent.removeAll(forgotten);
        if (closed) {
            forget(claim);
            return () -> done.completeExceptionally(closedException());
        }
        if (claim.incarnation() < incarnation) {
            // The sequence was reseeded while this claim was under way; its ids are of the old order.
            forget(claim);
            return () -> done.complete(null);
        }
        if (claim.incarnation() > incarnation) {
            dropBlocks();
            incarnation = claim.incarnation();
            claimedUpTo = 0;
        }
        if (claim.span().lo() < claimedUpTo) {
            // The store gave what it had given before. What it says now cannot be told from what it said then.
            return () -> done.completeExceptionally(new SequenceException.Conflict("sequence " + spec.name()
                    + " was set back: the ids from " + spec.idAt(claim.span().lo())
                    + " were claimed a second time. A backup was restored or rows were deleted; seed it above every id"
                    + " that was issued"));
        }
        claimedUpTo = claim.span().hi();
        Block block = new Block(spec, claim, context.prefetchThreshold());
        if (current.isExhausted()) {
            publish(block);
        } else {
            next = block;
        }
        return () -> done.complete(null);
    }

    /**
     * Drops every block of an incarnation older than {@code newIncarnation}, and acknowledges by removing their claims.
     * No id of an older incarnation is drawn after this returns.
     */
    public void reseeded(int newIncarnation) {
        lock.lock();
        try {
            if (newIncarnation > incarnation) {
                LOG.info("sequence {} was reseeded; its cached ids are dropped", spec.name());
                dropBlocks();
                incarnation = newIncarnation;
                claimedUpTo = 0;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the newest incarnation that this process knows of; 0 before the first claim. */
    public int incarnation() {
        lock.lock();
        try {
            return incarnation;
        } finally {
            lock.unlock();
        }
    }

    /** Whether this process holds, or is about to hold, ids of the sequence. */
    public boolean isLive() {
        lock.lock();
        try {
            return !closed && (claiming != null || next != null || current != none);
        } finally {
            lock.unlock();
        }
    }

    /** Guarded by the lock. Returns a stage that ends when the store has been told, or could not be. */
    private CompletionStage<Void> dropBlocks() {
        List<Claim> dropped = new ArrayList<>(spent);
        spent = new ArrayList<>();
        // Closed before the claim is forgotten: its removal says that nothing more will be issued of it.
        if (current != none) {
            issuedSinceClaim += current.close();
            dropped.add(current.claim);
        }
        if (next != null) {
            next.close();
            dropped.add(next.claim);
        }
        current = none;
        next = null;
        return CompletableFuture.allOf(dropped.stream()
                .map(claim -> forget(claim).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new));
    }

    private CompletionStage<ClaimOutcome> forget(Claim claim) {
        return store.forget(stripe, claim)
                .exceptionally(ClaimOutcome.Unknown::new)
                .thenApply(outcome -> {
                    if (!(outcome instanceof ClaimOutcome.Claimed)) {
                        LOG.debug("sequence {}: the row of {} stays behind: {}", spec.name(), claim, outcome);
                    }
                    return outcome;
                });
    }

    @Override
    public void close() {
        closeAsync();
    }

    /** As {@link #close()}; the stage ends when the store has been told, or could not be. It never fails. */
    public CompletionStage<Void> closeAsync() {
        CompletableFuture<Void> waiting;
        CompletionStage<Void> told;
        lock.lock();
        try {
            if (closed) {
                return CompletableFuture.completedFuture(null);
            }
            closed = true;
            waiting = claiming;
            told = dropBlocks();
        } finally {
            lock.unlock();
        }
        if (waiting != null) {
            // Outside the lock: it runs whatever callers have attached.
            waiting.completeExceptionally(closedException());
        }
        return told;
    }

    /** Whether the allocator was closed. */
    public boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    private ClosedException closedException() {
        return new ClosedException("the allocator of sequence " + spec.name() + " is closed");
    }

    /** Told from what a store may throw: this one is the caller's own doing. */
    private static final class ClosedException extends IllegalStateException {
        private static final long serialVersionUID = 1;

        ClosedException(String message) {
            super(message);
        }
    }
}
