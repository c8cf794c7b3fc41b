package dev.cassidy.sequence.protocol;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.cassidy.async.Stages;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.Incarnations;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.SequenceGlimpse;
import dev.cassidy.sequence.store.Stripe;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The blocks of one allocator, in three parts: {@link CurrentBlock}, from which ids are drawn, {@link NextBlock}, the one to
 * come, and {@link Returns}, what is given back. This class lets callers wait, and knows whether the allocator is closed or
 * suspended; then it asks the parts for no id and no claim.
 *
 * <p>Blocks are claimed one after another and published in the order of their claims. When a block ends, its unused ids
 * go back to the store. That happens only after the block has ended for every caller, and this process issues those ids
 * again only after a new claim.
 *
 * <p>One lock, {@link CurrentBlock#lock}, guards this class and the first two parts; only a draw needs no lock. It is always
 * named by the same path, so that the compiler can check who holds it. No stage that a caller has is completed under it.
 * Safe for use by many threads. Only {@link #awaitMore()} blocks.
 */
final class Blocks {

    private static final Logger LOG = LoggerFactory.getLogger(Blocks.class);

    private final SequenceSpec spec;
    private final AllocatorContext context;
    private final Returns returns;
    private final NextBlock next;

    /** Whether everything was given back, or could not be, after the allocator was closed. */
    private volatile boolean left;

    @GuardedBy("next.current.lock")
    private boolean closed;
    /** While it is not null, nothing is issued or claimed. It completes when callers may ask again. */
    @GuardedBy("next.current.lock")
    private @Nullable CompletableFuture<Void> suspended;

    /**
     * As the constructor of {@link BlockAllocator}.
     *
     * @param issued what earlier blocks of the same specification have issued in this process
     */
    Blocks(
            SequenceSpec spec,
            int stripe,
            int incarnation,
            RangeStore store,
            AllocatorContext context,
            IssuedSpans issued) {
        Stripe own = new Stripe(spec.name(), stripe);
        this.spec = spec;
        this.context = context;
        this.returns = new Returns(own, store, context);
        this.next = new NextBlock(spec, own, incarnation, store, context, new CurrentBlock(spec, issued), returns);
    }

    SequenceSpec spec() {
        return spec;
    }

    /** Returns the part that has the block in use. */
    CurrentBlock inUse() {
        return next.current;
    }

    /** Returns the block that has no ids. */
    Block none() {
        return next.current.none();
    }

    /** Returns the block from which ids are drawn now. */
    Block current() {
        return next.current.block();
    }

    /** Returns the monotonic time at which a caller that begins to wait now gives up. */
    long deadline() {
        return context.nanoTime().getAsLong() + context.longestWait().toNanos();
    }

    /** A caller may have joined a claim shortly before the claim failed; then the caller's own time is not up yet. */
    boolean mayTryAgain(Throwable failure, long deadline) {
        return failure instanceof SequenceException.Unavailable
                && context.nanoTime().getAsLong() - deadline < 0;
    }

    /** Waits until there may be ids in the current block. */
    void awaitMore() {
        awaitMore(deadline());
    }

    /**
     * @param deadline by the monotonic clock, after which it fails with {@link SequenceException.Unavailable}
     * @throws IllegalStateException if the calling thread must not wait. The claim goes on for the callers to come
     */
    void awaitMore(long deadline) {
        while (true) {
            CompletableFuture<Void> more = whenMore();
            if (!more.isDone()) {
                context.waiting().requireAllowed();
            }
            try {
                more.get(deadline - context.nanoTime().getAsLong(), TimeUnit.NANOSECONDS);
                return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SequenceException.Unavailable(
                        "interrupted while waiting for an id of sequence " + spec.name(), e);
            } catch (TimeoutException e) {
                throw new SequenceException.Unavailable(
                        "no id of sequence " + spec.name() + " within " + context.longestWait() + " (claimTimeout): "
                                + whatIsAwaited(),
                        e);
            } catch (ExecutionException e) {
                Throwable cause = Stages.cause(e.getCause() == null ? e : e.getCause());
                if (!mayTryAgain(cause, deadline)) {
                    throw asSequenceException(cause);
                }
            }
        }
    }

    private String whatIsAwaited() {
        next.current.lock.lock();
        try {
            if (suspended != null) {
                return "beforeCheckpoint() was called, and afterRestore() was not";
            }
            return next.isOnTrial()
                    ? "the claim has not stood for a sync period of the commit logs yet (durability=wait)"
                    : "the claim is still under way";
        } finally {
            next.current.lock.unlock();
        }
    }

    RuntimeException asSequenceException(Throwable cause) {
        return cause instanceof SequenceException || cause instanceof ClosedException
                ? (RuntimeException) cause
                : new SequenceException.Unavailable(
                        "no id of sequence " + spec.name() + ": " + cause.getMessage(), cause);
    }

    /**
     * Returns a stage that ends when there may be ids in {@link #current}: at once if the next block is already there.
     */
    CompletableFuture<Void> whenMore() {
        next.current.lock.lock();
        try {
            if (closed) {
                return CompletableFuture.failedFuture(closedException());
            }
            return suspended != null ? suspended : next.whenMore();
        } finally {
            next.current.lock.unlock();
        }
    }

    /** Claims the next block if it is not there. */
    void prefetch() {
        next.current.lock.lock();
        try {
            if (!closed && suspended == null) {
                next.prefetch();
            }
        } finally {
            next.current.lock.unlock();
        }
    }

    /** Whether the sequence of these blocks was not dropped and created again since an incarnation, or before it. */
    boolean isOfGeneration(int other) {
        return Incarnations.sameGeneration(other, incarnation());
    }

    /**
     * Drops every block of an incarnation older than {@code newIncarnation}, and acknowledges by removing their claims.
     * No id of an older incarnation is drawn after this returns.
     *
     * @return false if the sequence was dropped and created again: then this allocator issues nothing any more
     */
    boolean reseeded(int newIncarnation) {
        next.current.lock.lock();
        try {
            return next.reseeded(newIncarnation);
        } finally {
            next.current.lock.unlock();
        }
    }

    /** See {@link BlockAllocator#isReplacedBy}. */
    boolean isReplacedBy(SequenceGlimpse copy) {
        next.current.lock.lock();
        try {
            return next.isReplacedBy(copy);
        } finally {
            next.current.lock.unlock();
        }
    }

    /** Returns the newest incarnation that this process knows of; 0 before the first claim. */
    int incarnation() {
        next.current.lock.lock();
        try {
            return next.incarnation();
        } finally {
            next.current.lock.unlock();
        }
    }

    /** Returns what this allocator has done so far; cheap, but not for every id. */
    AllocatorFigures figures() {
        next.current.lock.lock();
        try {
            return next.figures();
        } finally {
            next.current.lock.unlock();
        }
    }

    /** Whether this process holds, or is about to hold, ids of the sequence. */
    boolean isLive() {
        next.current.lock.lock();
        try {
            return !closed && next.isLive();
        } finally {
            next.current.lock.unlock();
        }
    }

    /** Gives back what an idle or slowed-down process would hold for long. To be called every now and then. */
    void giveBackIdle() {
        List<RangeReturner.Ended> ended = List.of();
        next.current.lock.lock();
        try {
            if (closed || next.isClaiming()) {
                return;
            }
            long held = next.held();
            if (returns.holdsTooMuch(next.current.drawn(), held)) {
                LOG.debug("sequence {}: {} idle ids are given back", spec.name(), held);
                ended = next.endIdle();
            }
        } finally {
            next.current.lock.unlock();
        }
        if (!ended.isEmpty()) {
            returns.giveBack(ended);
        }
    }

    /**
     * Removes rows of older incarnations that an earlier try left behind: they would keep the datacenter from
     * acknowledging for as long as this process runs. To be called every now and then; usually there is nothing to do.
     */
    void removeLeftovers() {
        // Once closed, it serves no claim that may still turn out to be its own, and no longer looks for raises.
        returns.removeLeftovers(isClosed() ? Integer.MAX_VALUE : incarnation());
    }

    /** See {@link BlockAllocator#sequenceChanged}. */
    void sequenceChanged() {
        returns.leftovers().sequenceChanged();
    }

    /** Whether it was closed and has no more rows for {@link #removeLeftovers}. */
    boolean hasLeftNothing() {
        return left && returns.leftovers().isEmpty();
    }

    /**
     * Ends every block and gives back what is unused. Nothing is issued or claimed after this returns. The stage ends
     * when the unused ids were given back, or could not be. It never fails, and takes no longer than a claim.
     */
    CompletionStage<Void> closeAsync() {
        CompletableFuture<Void> waiting;
        NextBlock.Ending ending;
        next.current.lock.lock();
        try {
            if (closed) {
                return CompletableFuture.completedFuture(null);
            }
            closed = true;
            waiting = suspended;
            ending = next.close();
        } finally {
            next.current.lock.unlock();
        }
        // Outside the lock: it runs whatever callers have attached.
        CompletionStage<Void> returned = giveBack(ending).whenComplete((done, never) -> left = true);
        ending.waiting().completeExceptionally(closedException());
        if (waiting != null) {
            waiting.completeExceptionally(closedException());
        }
        return returned;
    }

    /**
     * Gives everything back, and issues nothing until {@link #resume}; callers wait as long as they would wait for a
     * claim. The stage ends when the unused ids were given back, or could not be. It never fails, and takes no longer
     * than a claim. A no-op if it is suspended.
     */
    CompletionStage<Void> suspendAsync() {
        NextBlock.Ending ending;
        next.current.lock.lock();
        try {
            if (closed || suspended != null) {
                return CompletableFuture.completedFuture(null);
            }
            suspended = new CompletableFuture<>();
            ending = next.end();
        } finally {
            next.current.lock.unlock();
        }
        CompletionStage<Void> returned = giveBack(ending);
        // They look again, and wait.
        ending.waiting().complete(null);
        return returned;
    }

    /**
     * For a process that was copied: issues nothing more of what it holds, of what it is about to claim, or of a claim
     * in doubt. It neither gives these back nor removes their rows, because another copy may go on with them. Nothing
     * is issued until {@link #resume}; before that, the store must get another holder's name and the context another
     * source of tokens.
     */
    void disown() {
        CompletableFuture<Void> waiting = null;
        next.current.lock.lock();
        try {
            if (closed) {
                next.current.issued().clear();
                return;
            }
            if (suspended == null) {
                suspended = new CompletableFuture<>();
            }
            waiting = next.disown();
            // The process that was copied knows it too, and may have given it to a caller who has not used it yet.
            next.current.issued().clear();
        } finally {
            next.current.lock.unlock();
        }
        if (waiting != null) {
            waiting.complete(null);
        }
    }

    /** Issues ids again, from new claims; a no-op if it is not suspended. */
    void resume() {
        CompletableFuture<Void> waiting;
        next.current.lock.lock();
        try {
            waiting = suspended;
            suspended = null;
        } finally {
            next.current.lock.unlock();
        }
        if (waiting != null) {
            waiting.complete(null);
        }
    }

    private CompletionStage<Void> giveBack(NextBlock.Ending ending) {
        CompletionStage<Void> told =
                ending.blocks().isEmpty() ? CompletableFuture.completedFuture(null) : returns.giveBack(ending.blocks());
        return told.thenCombine(ending.late(), (given, returned) -> null);
    }

    /** Whether the allocator was closed. */
    boolean isClosed() {
        next.current.lock.lock();
        try {
            return closed;
        } finally {
            next.current.lock.unlock();
        }
    }

    private ClosedException closedException() {
        return new ClosedException("the allocator of sequence " + spec.name() + " is closed");
    }

    /** A type of its own, to tell it from what a store may throw: this one is the caller's own doing. */
    private static final class ClosedException extends IllegalStateException {
        private static final long serialVersionUID = 1;

        ClosedException(String message) {
            super(message);
        }
    }
}
