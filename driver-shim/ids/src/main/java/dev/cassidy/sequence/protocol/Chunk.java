package dev.cassidy.sequence.protocol;

import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdCursor;

/**
 * A few ids of a block that one thread has drawn ahead of need. From small blocks, ids are drawn one by one, so that a
 * slow sequence loses none. Not safe for use by several threads, except for {@link #revoke}.
 */
class Chunk extends Padding implements IdCursor, Revocable {

    static final long LARGEST = 256;

    /** A block this many times larger than a chunk has a chunk to spare for each of many threads. */
    private static final long CHUNKS_A_BLOCK = 64;

    private final long increment;

    /** The id at the block's position 0. */
    private long base;

    /** The position in the block that is issued next. */
    private long position;

    /** The position after the last that may be issued. If another thread has set it to 0, no more ids may be issued. */
    private volatile long limit;

    /** The position after the last that was drawn. */
    private long end;

    /** The block from which this has drawn, and with which it is registered. */
    private Block block;

    private final Blocks blocks;
    private final IdAllocator shared;
    private boolean closed;

    /** @param shared draws from the same blocks, one id at a time, when they are too small for chunks */
    Chunk(Blocks blocks, IdAllocator shared) {
        this.blocks = blocks;
        this.shared = shared;
        this.increment = blocks.spec().increment();
        this.block = blocks.none();
    }

    @Override
    public final long nextLong() {
        // As hasNext and takeNext, but with one read of the position.
        long mine = position;
        if (mine < limit) {
            position = mine + 1;
            return base + mine * increment;
        }
        return refill();
    }

    /** Whether an id is left in this chunk. */
    final boolean hasNext() {
        // The limit is read for each id: the ids beyond it may have been acknowledged as gone.
        return position < limit;
    }

    final long takeNext() {
        long mine = position;
        position = mine + 1;
        return base + mine * increment;
    }

    private long refill() {
        if (closed) {
            throw new IllegalStateException(
                    "the cursor of sequence " + blocks.spec().name() + " is closed");
        }
        while (true) {
            Block from = blocks.current();
            long most = Math.min(LARGEST, from.count() / CHUNKS_A_BLOCK);
            if (most <= 1) {
                leave();
                return shared.nextLong();
            }
            if (drawFrom(from, most)) {
                if (hasNext()) {
                    return takeNext();
                }
            } else {
                blocks.awaitMore();
            }
        }
    }

    /** Gives back what is left here, and draws up to {@code most} ids of a block. Returns whether it had any. */
    final boolean drawFrom(Block from, long most) {
        if (from == block) {
            giveBack();
        } else {
            leave();
            // Before it draws: once a block is seen to be exhausted, every chunk that got ids of it is registered with
            // it.
            from.enter(this);
            block = from;
            base = from.idAt(0);
        }
        long drawn;
        // A thread that knows that a position is drawn, and then takes this lock, sees that it is held here.
        synchronized (this) {
            drawn = from.draw(most);
            if (drawn < from.count()) {
                position = drawn;
                end = Math.min(drawn + most, from.count());
                limit = end;
            }
        }
        if (drawn >= from.count()) {
            leave();
            return false;
        }
        // The order matters: if the block was revoked before the limit was set, this sees it.
        if (from.isRevoked()) {
            limit = 0;
        }
        if (from.reachesPrefetch(drawn, end - drawn)) {
            blocks.prefetch();
        }
        return true;
    }

    /** None of the ids left here is issued after this returns. Any thread may call it; a late call does no harm. */
    @Override
    public final void revoke() {
        limit = 0;
    }

    /** The ids drawn last and not issued are drawn again, unless another draw came after them: then they are a gap. */
    private void giveBack() {
        if (position < end) {
            block.undraw(position, end, this);
        }
    }

    @Override
    public final void gaveBack() {
        end = position;
        limit = 0;
    }

    /**
     * The position may be older than what its thread has issued since, but not for a thread that was given an id by that
     * thread: then what was issued before is seen.
     */
    @Override
    public final synchronized boolean holds(long asked) {
        return position <= asked && asked < end;
    }

    /** Gives back what is left here, and issues no more of this block. */
    final void leave() {
        giveBack();
        if (block != blocks.none()) {
            block.leave(this);
            block = blocks.none();
        }
    }

    @Override
    public void close() {
        closed = true;
        leave();
    }
}
