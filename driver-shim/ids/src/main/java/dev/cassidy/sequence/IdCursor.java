package dev.cassidy.sequence;

/**
 * Draws ids for one thread, faster than the allocator itself: it takes up to 256 ids ahead and then issues them without
 * sharing anything with other threads. Its ids increase; between cursors there is no order. <b>Not</b> safe for use by
 * several threads at a time.
 *
 * <p>When it is closed, its unused ids return to the allocator. If others have drawn ids since it took them, they are a gap
 * instead, of at most 255 ids. When the sequence is raised, a cursor drops its ids at the same moment as the allocator.
 */
public interface IdCursor extends AutoCloseable {

    /**
     * Returns the next id; may wait for Cassandra, as {@link IdAllocator#nextLong()} does.
     *
     * @throws SequenceException if no id can be issued; the subtype says why
     * @throws IllegalStateException if the cursor or its allocator is closed
     */
    long nextLong();

    /**
     * As {@link #nextLong()}, for a SMALLINT or INT sequence.
     *
     * @throws ArithmeticException if the id does not fit 32 bits; the id is then lost and never issued again
     */
    default int nextInt() {
        return Math.toIntExact(nextLong());
    }

    @Override
    void close();
}
