package dev.cassidy.sequence.protocol;

import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdCursor;

/**
 * A few ids of a block that one thread has drawn ahead of need. Small blocks are drawn id by id, so that a slow sequence
 * loses nothing by it. Not safe for use by several threads, but for {@link #revoke}.
 */
class Chunk extends Padding implements IdCursor, Revocable {

    static final long LARGEST = 256;

    /** A block this many times larger than a chunk can spare one for each of many threads. */
    private static final long CHUNKS_A_BLOCK = 64;

    private final long increment;

    /** The id at the block's position 0. */
    private long base;

    /** The block's position to be issued next. */
    private long position;

    /** The position after the last that may be issued. None may, whatever else is said here, where others made it 0. */
    private volatile long limit;

    /** The position after the last that was drawn. */
    private long end;

    /** From which this has drawn, and in whose books it stands. */
    private Block block;

    private final Blocks blocks;
    private final IdAllocator shared;
    private boolean closed;

    /** @param shared draws from the same blocks, one id at a time, where they are too small for chunks */
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

    /** Whether there is an id in hand. */
    final boolean hasNext() {
        // The limit is looked at for each id: what it says no to was perhaps acknowledged as gone.
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

    /** Gives back what is in hand, and draws up to {@code most} of a block's ids. Returns whether it had any. */
    final boolean drawFrom(Block from, long most) {
        if (from == block) {
            giveBack();
        } else {
            leave();
            // Before it draws: once the block is seen to be exhausted, whoever got anything of it stands in its books.
            from.enter(this);
            block = from;
            base = from.idAt(0);
        }
        long drawn = from.draw(most);
        if (drawn >= from.count()) {
            leave();
            return false;
        }
        position = drawn;
        end = Math.min(drawn + most, from.count());
        limit = end;
        // The order matters: it was revoked before the limit was set, or this sees that it is.
        if (from.isRevoked()) {
            limit = 0;
        }
        if (from.reachesPrefetch(drawn, end - drawn)) {
            blocks.prefetch();
        }
        return true;
    }

    /** Nothing of what is in hand is issued after this returns. By any thread; does no harm where it comes late. */
    @Override
    public final void revoke() {
        limit = 0;
    }

    /** What was drawn last and not issued is drawn again by others, unless somebody drew after it: then it is a gap. */
    private void giveBack() {
        if (position < end) {
            block.undraw(position, end);
            end = position;
            limit = 0;
        }
    }

    /** Gives back what is in hand, and issues no more of this block. */
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
