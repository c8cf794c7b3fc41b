package dev.cassidy.sequence;

import java.util.concurrent.CompletionStage;

/**
 * Issues the ids of one sequence, each once, in this process and in every other. Almost every id is served from memory;
 * the next block is claimed in the background before the current one is used up.
 *
 * <p>Ids are unique everywhere, increase as the sequence's {@link Order} says, and are not gapless: ids that a process
 * holds when it is killed are never issued. Safe for use by many threads, virtual ones too.
 *
 * <p>The blocking methods may wait for Cassandra, for the configured claim timeout at most; never call them from one
 * of the driver's threads. The asynchronous ones never block.
 */
public interface IdAllocator extends AutoCloseable {

    /** Returns the sequence whose ids this allocator issues. */
    SequenceSpec spec();

    /**
     * Returns the next id.
     *
     * @throws SequenceException if none can be had; its subtype says why
     * @throws IllegalStateException if the allocator is closed
     */
    long nextLong();

    /**
     * Returns the next id of a SMALLINT or INT sequence.
     *
     * @throws ArithmeticException if the id does not fit 32 bits; the id is then lost, never reissued
     * @throws SequenceException if none can be had; its subtype says why
     */
    default int nextInt() {
        return Math.toIntExact(nextLong());
    }

    /**
     * Returns at least one id and at most {@code most}; fewer than asked at the end of a block. Call again for the rest.
     *
     * @param most at least 1
     */
    IdRange nextRange(long most);

    /** As {@link #nextLong()}; a failure completes the stage with a {@link SequenceException}. */
    CompletionStage<Long> nextLongAsync();

    /** As {@link #nextRange(long)}; a failure completes the stage with a {@link SequenceException}. */
    CompletionStage<IdRange> nextRangeAsync(long most);

    /**
     * Returns a new cursor, the fastest way for one thread to draw many ids. Its ids increase, whatever the sequence's
     * order; those of other cursors and of {@link #nextLong()} come in between.
     */
    IdCursor cursor();

    /**
     * Issues nothing more, and gives the unused ids back, for other processes to issue. Where that does not reach the
     * store they are a gap.
     */
    @Override
    void close();
}
