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
    private int incarnation;
    private boolean closed;

    public BlockAllocator(SequenceSpec spec, RangeStore store, AllocatorContext context) {
        this.spec = spec;
        this.stripe = new Stripe(spec.name(), 0);
        this.store = store;
        this.context = context;
        this.claimer = new RangeClaimer(store, stripe, context);
        this.sizing = new Sizing(spec.count());
        this.current = none;
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
        try {
            IdRange range = draw(most);
            if (range != null) {
                return CompletableFuture.completedFuture(range);
            }
            return whenMore().thenCompose(more -> nextRangeAsync(most));
        } catch (IllegalStateException closedMeanwhile) {
            return CompletableFuture.failedFuture(closedMeanwhile);
        }
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
                throw asSequenceException(e.getCause() == null ? e : e.getCause());
            }
            IdRange range = draw(most);
            if (range != null) {
                return range;
            }
        }
    }

    private RuntimeException asSequenceException(Throwable cause) {
        return cause instanceof SequenceException || cause instanceof IllegalStateException
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
            requireOpen();
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
        long issued = issuedSinceClaim;
        issuedSinceClaim = 0;
        List<Claim> forget = List.copyOf(spent);
        long wanted = sizing.next(issued, context.nanoTime().getAsLong(), starved || starvedMeanwhile);
        starvedMeanwhile = false;
        CompletableFuture<Void> done = new CompletableFuture<>();
        claiming = done;
        claimer.claim(wanted, sizing, forget, incarnation)
                .whenComplete((claim, failure) -> claimed(done, claim, failure, forget));
        return done;
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
            return () -> done.completeExceptionally(cause);
        }
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
        }
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
                if (incarnation != 0) {
                    LOG.info("sequence {} was reseeded; its cached ids are dropped", spec.name());
                }
                dropBlocks();
                incarnation = newIncarnation;
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
        lock.lock();
        try {
            if (closed) {
                return CompletableFuture.completedFuture(null);
            }
            closed = true;
            return dropBlocks();
        } finally {
            lock.unlock();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw closedException();
        }
    }

    private IllegalStateException closedException() {
        return new IllegalStateException("the allocator of sequence " + spec.name() + " is closed");
    }
}
