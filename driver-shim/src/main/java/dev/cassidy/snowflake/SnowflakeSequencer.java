package dev.cassidy.snowflake;

import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.SequenceException;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;

/**
 * Issues the ids of a time-ordered sequence: unique in the whole cluster, increasing within the process, and ordered by
 * time between processes as exactly as their clocks agree. An id is made in memory; Cassandra is asked every 3 s.
 *
 * <p>While it is {@linkplain SnowflakeState#ATTACHED attached} it has a node number, which nobody else has, and a
 * millisecond up to which Cassandra has promised that nobody else will issue ids of that number; it is renewed every 3 s
 * to 10 s from now, and no id goes beyond what was promised. So a process that is paused, cut off or whose clock is
 * wrong may cease to issue ids, but never issues one twice.
 *
 * <p>It is detached by {@link #detach}, and by itself when the promise could not be renewed and is used up; in the second
 * case it attaches again by itself as soon as it can. Meanwhile, every call for an id throws
 * {@link SequenceException.Detached} at once.
 *
 * <p>Where a millisecond's ids are used up, a call waits for the next one. Where the clock goes back, ids go on increasing:
 * the milliseconds last twice as long until the clock has caught up. Where it leaps ahead by more than 10 s, the node
 * number is given up, and the clock is followed under another one.
 *
 * <p>Safe for use by many threads, virtual ones too: an id costs one look at the monotonic clock and one compare-and-set,
 * and no lock is held while waiting. The methods without {@code Async} may block: never call them from one of the
 * driver's threads.
 */
public interface SnowflakeSequencer extends IdAllocator {

    /** Returns what makes this sequence's ids; takes them apart, too. */
    SnowflakeSpec snowflake();

    SnowflakeState state();

    /** Returns the node number that this process has, if it is attached. */
    OptionalInt node();

    /**
     * Gets a node number; a no-op if there is one. At once if there is one that nobody has or had; else it takes more
     * than 30 s, until one has been seen to stand still.
     *
     * @throws SequenceException.Conflict if the stored configuration is another one
     * @throws SequenceException.Destroyed if the sequence was destroyed
     * @throws SequenceException.Exhausted if every node number is in use, or the sequence is past its end
     * @throws SequenceException.Unavailable if Cassandra does not answer
     */
    void attach();

    /** As {@link #attach}; a failure completes the stage with the exception. */
    CompletionStage<Void> attachAsync();

    /**
     * Gives the node number back, so that another process can have it at once; a no-op if there is none. No id is issued
     * after this returns, until {@link #attach}. If Cassandra does not answer, the number becomes another's once it has
     * stood still for 30 s.
     *
     * @throws SequenceException.Destroyed if the sequence was destroyed
     */
    void detach();

    /** As {@link #detach}. No id is issued after this returns; the stage ends when the number was given back. */
    CompletionStage<Void> detachAsync();

    /**
     * Destroys the sequence in the whole cluster, for ever: its name is never used again, so that no id can be issued
     * twice. Other processes notice within some seconds, once they can reach Cassandra.
     *
     * @throws SequenceException.Unavailable if not enough of all datacenters' replicas answer; then it may be destroyed,
     *     or not
     */
    void destroy();

    /** As {@link #destroy}. */
    CompletionStage<Void> destroyAsync();

    /** As {@link #close}; the stage ends when the number was given back, or could not be. It never fails. */
    CompletionStage<Void> closeAsync();

    /** Whether the sequencer was closed. */
    boolean isClosed();
}
