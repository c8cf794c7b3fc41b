package dev.cassidy.sequence.protocol;

import dev.cassidy.async.Stages;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdCursor;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.SequenceGlimpse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Serves ids from blocks in memory. An id costs one atomic addition; the next block is claimed in the background when
 * the current one is used up to the threshold. There are at most two blocks, and one claim under way. When the
 * allocator is closed, or has been idle, the unused ids go back to the store. That happens only after the block has
 * ended for every caller, and this process issues those ids again only after a new claim.
 *
 * <p>Order: blocks are claimed one after another and published in the order of their claims, so ids increase within the
 * process (in the sequence's direction) for as long as the incarnation stays.
 */
public final class BlockAllocator implements IdAllocator {

    private final Blocks blocks;

    /** Of {@link #blocks}; here, so that an id needs one object less to look up. */
    private final CurrentBlock current;

    /** Of the first stripe. */
    public BlockAllocator(SequenceSpec spec, int incarnation, RangeStore store, AllocatorContext context) {
        this(spec, 0, incarnation, store, context);
    }

    /**
     * @param stripe from which it claims; the same for its whole life, since ids of different stripes have no common
     *     order
     * @param incarnation that the datacenter has adopted; nothing is claimed of an older one
     */
    public BlockAllocator(SequenceSpec spec, int stripe, int incarnation, RangeStore store, AllocatorContext context) {
        this(new Blocks(spec, stripe, incarnation, store, context, new IssuedSpans()));
    }

    private BlockAllocator(Blocks blocks) {
        this.blocks = blocks;
        this.current = blocks.inUse();
    }

    /**
     * Returns an allocator that takes the place of this one, which was closed.
     *
     * @param spec if it is that of this allocator, the new one knows what this one has issued
     */
    public BlockAllocator successor(
            SequenceSpec spec, int stripe, int incarnation, RangeStore store, AllocatorContext context) {
        // A sequence that was dropped and created again issues the same ids again.
        boolean same = spec.equals(spec()) && blocks.isOfGeneration(incarnation);
        IssuedSpans issued = same ? current.issued() : new IssuedSpans();
        return new BlockAllocator(new Blocks(spec, stripe, incarnation, store, context, issued));
    }

    @Override
    public SequenceSpec spec() {
        return blocks.spec();
    }

    @Override
    public long nextLong() {
        Block block = current.block();
        long position = block.draw(1);
        if (position < block.count()) {
            if (block.isPrefetchPoint(position)) {
                blocks.prefetch();
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
        Block block = current.block();
        long position = block.draw(1);
        if (position >= block.count()) {
            return nextRangeAsync(1).thenApply(IdRange::first);
        }
        if (block.isPrefetchPoint(position)) {
            blocks.prefetch();
        }
        return CompletableFuture.completedFuture(block.idAt(position));
    }

    @Override
    public CompletionStage<IdRange> nextRangeAsync(long most) {
        requireAtLeastOne(most);
        return nextRangeAsync(most, blocks.deadline());
    }

    private CompletionStage<IdRange> nextRangeAsync(long most, long deadline) {
        IdRange range = draw(most);
        if (range != null) {
            return CompletableFuture.completedFuture(range);
        }
        return blocks.whenMore()
                .handle((more, failure) -> failure == null || blocks.mayTryAgain(Stages.cause(failure), deadline)
                        ? nextRangeAsync(most, deadline)
                        : CompletableFuture.<IdRange>failedFuture(blocks.asSequenceException(Stages.cause(failure))))
                .thenCompose(result -> result);
    }

    private static void requireAtLeastOne(long most) {
        if (most < 1) {
            throw new IllegalArgumentException("must be >= 1: most=" + most);
        }
    }

    private @Nullable IdRange draw(long most) {
        Block block = current.block();
        // Bounded by the block, so that the counter can never be driven to overflow by huge requests.
        long asked = Math.min(most, Math.max(1, block.count()));
        long position = block.draw(asked);
        if (position >= block.count()) {
            return null;
        }
        long taken = Math.min(asked, block.count() - position);
        if (block.reachesPrefetch(position, taken)) {
            blocks.prefetch();
        }
        return block.range(position, taken);
    }

    @Override
    public IdCursor cursor() {
        return new Chunk(blocks, this);
    }

    /** Returns the source from which ids are drawn. */
    Blocks blocks() {
        return blocks;
    }

    private IdRange await(long most) {
        long deadline = blocks.deadline();
        while (true) {
            blocks.awaitMore(deadline);
            IdRange range = draw(most);
            if (range != null) {
                return range;
            }
        }
    }

    @Override
    public void close() {
        closeAsync();
    }

    /**
     * Drops every block of an incarnation older than {@code newIncarnation}, and acknowledges by removing their claims.
     * No id of an older incarnation is drawn after this returns.
     *
     * @return false if the sequence was dropped and created again: then this allocator issues nothing any more
     */
    public boolean reseeded(int newIncarnation) {
        return blocks.reseeded(newIncarnation);
    }

    /**
     * Drops every block if nodes have forgotten the creation that this allocator was opened with, and the sequence was created
     * otherwise in the same incarnation.
     *
     * @param copy of the datacenter, as it was just seen
     * @return true if it was: then this allocator issues nothing any more
     */
    public boolean isReplacedBy(SequenceGlimpse copy) {
        return blocks.isReplacedBy(copy);
    }

    /** Returns the newest incarnation that this process knows of; 0 before the first claim. */
    public int incarnation() {
        return blocks.incarnation();
    }

    /** Returns what this allocator has done so far; cheap, but not for every id. */
    public AllocatorFigures figures() {
        return blocks.figures();
    }

    /**
     * Returns whether this allocator, or one before it, has issued an id to a caller and still knows it: then nothing
     * issues it again. It is false for an id that this process holds and has not issued, also where a thread or a cursor
     * has drawn it ahead. It is false for an id of a claim that Cassandra has forgotten, for one from before the
     * process was copied, and for one from before the sequence was found to be set back. A process knows the ids of its last
     * blocks: at least {@value IssuedSpans#MAX_RUNS} of them. True also for an id that is a gap because a thread or a cursor had drawn it ahead when its block was given back.
     */
    public boolean hasIssued(long id) {
        return current.hasIssued(id);
    }

    /** Whether this process holds, or is about to hold, ids of the sequence. */
    public boolean isLive() {
        return blocks.isLive();
    }

    /**
     * Gives back what an idle or slowed-down process would hold for long: more than 64 ids, and more than would last
     * for an hour at the rate of the last minute. To be called every now and then.
     */
    public void giveBackIdle() {
        blocks.giveBackIdle();
    }

    /**
     * Removes rows of older incarnations that an earlier try left behind: they would keep the datacenter from
     * acknowledging for as long as this process runs. To be called every now and then; usually there is nothing to do.
     */
    public void removeLeftovers() {
        blocks.removeLeftovers();
    }

    /** Says that the sequence may have been raised: the next {@link #removeLeftovers} reads how far the datacenter is. */
    public void sequenceChanged() {
        blocks.sequenceChanged();
    }

    /** Whether it was closed and has no more rows for {@link #removeLeftovers}. */
    public boolean hasLeftNothing() {
        return blocks.hasLeftNothing();
    }

    /**
     * As {@link #close()}; the stage ends when the unused ids were given back, or could not be. It never fails, and takes
     * no longer than a claim.
     */
    public CompletionStage<Void> closeAsync() {
        return blocks.closeAsync();
    }

    /**
     * Gives everything back, and issues nothing until {@link #resume}; callers wait as long as they would wait for a
     * claim. The stage ends when the unused ids were given back, or could not be. It never fails, and takes no longer
     * than a claim. A no-op if it is suspended.
     */
    public CompletionStage<Void> suspendAsync() {
        return blocks.suspendAsync();
    }

    /**
     * For a process that was copied: issues nothing more of what it holds, of what it is about to claim, or of a claim
     * in doubt. It neither gives these back nor removes their rows, because another copy may go on with them. Nothing
     * is issued until {@link #resume}; before that, the store must get another holder's name and the context another
     * source of tokens.
     */
    public void disown() {
        blocks.disown();
    }

    /** Issues ids again, from new claims; a no-op if it is not suspended. */
    public void resume() {
        blocks.resume();
    }

    /** Whether the allocator was closed. */
    public boolean isClosed() {
        return blocks.isClosed();
    }
}
