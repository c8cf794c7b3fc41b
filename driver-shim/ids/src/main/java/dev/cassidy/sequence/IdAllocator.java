package dev.cassidy.sequence;

import java.util.concurrent.CompletionStage;

/**
 * Issues the ids of one sequence. Each id is issued once, in this process and in all others. Almost every id is served from
 * memory; the next block is claimed in the background before the current one is used up.
 *
 * <p>Ids are unique everywhere and increase as the sequence's {@link Order} says. There are gaps: ids that a process holds
 * when it is killed are never issued. Safe for use by many threads, including virtual threads.
 *
 * <p>The blocking methods may wait for Cassandra, at most for the configured claim timeout. On one of the driver's threads,
 * which deliver its answers, they throw an {@link IllegalStateException} where they would wait. The asynchronous methods
 * never block.
 */
public interface IdAllocator extends AutoCloseable {

    /** Returns the sequence whose ids this allocator issues. */
    SequenceSpec spec();

    /**
     * Returns the next id.
     *
     * @throws SequenceException if no id can be issued; the subtype says why
     * @throws IllegalStateException if the allocator is closed
     */
    long nextLong();

    /**
     * Returns the next id of a SMALLINT or INT sequence.
     *
     * @throws ArithmeticException if the id does not fit 32 bits; the id is then lost and never issued again
     * @throws SequenceException if no id can be issued; the subtype says why
     */
    default int nextInt() {
        return Math.toIntExact(nextLong());
    }

    /**
     * Returns at least one id and at most {@code most}. There are fewer at the end of a block; call again for the rest.
     *
     * @param most at least 1
     */
    IdRange nextRange(long most);

    /** As {@link #nextLong()}; a failure completes the stage with a {@link SequenceException}. */
    CompletionStage<Long> nextLongAsync();

    /** As {@link #nextRange(long)}; a failure completes the stage with a {@link SequenceException}. */
    CompletionStage<IdRange> nextRangeAsync(long most);

    /**
     * Returns a new cursor, the fastest way for one thread to draw many ids. Its ids increase, whatever the order of the
     * sequence. Ids between them may go to other cursors and to {@link #nextLong()}.
     */
    IdCursor cursor();

    /**
     * Stops issuing ids, and returns the unused ones, which other processes may then issue. If the store cannot be reached,
     * they are a gap.
     */
    @Override
    void close();
}
