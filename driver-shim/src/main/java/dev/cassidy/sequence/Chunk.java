package dev.cassidy.sequence;

/**
 * A few ids of a block that one thread has drawn ahead of need. Small blocks are drawn id by id, so that a slow sequence
 * loses nothing by it. Not safe for use by several threads.
 */
final class Chunk implements IdCursor {

    static final long LARGEST = 256;

    /** A block this many times larger than a chunk can spare one for each of many threads. */
    private static final long CHUNKS_A_BLOCK = 64;

    private final BlockAllocator allocator;
    private final long increment;
    private Block block;

    /** The id to be issued next; none is left where it equals {@link #end}. */
    private long next;

    private long end;

    /** The block's position after the chunk; 0 where there is none. */
    private long endPosition;

    private boolean closed;

    Chunk(BlockAllocator allocator, Block none) {
        this.allocator = allocator;
        this.increment = allocator.spec().increment();
        this.block = none;
    }

    @Override
    public long nextLong() {
        long id = next;
        // Revoked is looked at for each id: what it says no to was perhaps acknowledged as gone.
        if (id != end && !block.isRevoked()) {
            next = id + increment;
            return id;
        }
        return refill();
    }

    private long refill() {
        if (closed) {
            throw new IllegalStateException(
                    "the cursor of sequence " + allocator.spec().name() + " is closed");
        }
        end();
        while (true) {
            Block from = allocator.current();
            long most = Math.min(LARGEST, from.count() / CHUNKS_A_BLOCK);
            if (most <= 1) {
                return allocator.nextLong();
            }
            long position = from.drawChunk(most);
            if (position < from.count()) {
                take(from, position, Math.min(most, from.count() - position));
                return nextLong();
            }
            allocator.awaitMore();
        }
    }

    private void take(Block from, long position, long taken) {
        block = from;
        next = from.idAt(position);
        end = next + taken * increment;
        endPosition = position + taken;
        if (from.reachesPrefetch(position, taken)) {
            allocator.prefetch();
        }
    }

    /** Gives what is left back to the block. */
    void end() {
        if (endPosition > 0) {
            long left = (end - next) / increment;
            block.endChunk(endPosition - left, endPosition);
            endPosition = 0;
            next = end;
        }
    }

    @Override
    public void close() {
        closed = true;
        end();
    }
}
