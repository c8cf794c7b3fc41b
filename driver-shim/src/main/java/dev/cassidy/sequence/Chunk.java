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
    private Block block;
    private long next;
    private long increment;
    private long left;
    private long end;
    private boolean closed;

    Chunk(BlockAllocator allocator, Block none) {
        this.allocator = allocator;
        this.block = none;
    }

    @Override
    public long nextLong() {
        // Revoked is looked at for each id: what it says no to was perhaps acknowledged as gone.
        if (left > 0 && !block.isRevoked()) {
            left--;
            long id = next;
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
        increment = from.increment();
        left = taken;
        end = position + taken;
        if (from.reachesPrefetch(position, taken)) {
            allocator.prefetch();
        }
    }

    private void end() {
        if (end > 0) {
            block.endChunk(end - left, end);
            end = 0;
            left = 0;
        }
    }

    @Override
    public void close() {
        closed = true;
        end();
    }
}
