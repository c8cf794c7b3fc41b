package dev.cassidy.sequence;

/**
 * Draws ids for one thread, faster than the allocator itself: it takes some ahead of need, and shares nothing until they
 * are used. Its ids increase; between cursors there is no order. <b>Not</b> safe for use by several threads at a time.
 *
 * <p>What it took and did not use goes back to the allocator when it is closed, unless others drew in between: then it is
 * a gap, of at most 255 ids. A reseed reaches it as it reaches the allocator.
 */
public interface IdCursor extends AutoCloseable {

    /**
     * Returns the next id; may wait for Cassandra, as {@link IdAllocator#nextLong()} does.
     *
     * @throws SequenceException if none can be had; its subtype says why
     * @throws IllegalStateException if the cursor or its allocator is closed
     */
    long nextLong();

    /**
     * As {@link #nextLong()}, for a SMALLINT or INT sequence.
     *
     * @throws ArithmeticException if the id does not fit 32 bits; the id is then lost, never reissued
     */
    default int nextInt() {
        return Math.toIntExact(nextLong());
    }

    @Override
    void close();
}
