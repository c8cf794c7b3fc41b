package dev.cassidy.snowflake;

import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.SequenceException;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;

/**
 * Issues the ids of a time-ordered sequence. Ids are unique in the whole cluster and increase within the process. Ids of
 * different processes are ordered by time as exactly as the processes' clocks agree. An id is made in memory; Cassandra is
 * asked every 3 s.
 *
 * <p>An {@linkplain SnowflakeState#ATTACHED attached} sequencer has a node number, which no other process has. It also has a
 * limit: Cassandra has confirmed that no other process issues ids of that number up to this millisecond. Every 3 s the limit
 * is raised to 10 s from now, and no id lies beyond it. Where nodes may forget what they acknowledged ({@code
 * commitlog_sync: periodic}), a limit counts once it has stood for the sync period, and is written ahead by that as well. So a process that is paused, is cut off or has a wrong clock may stop
 * issuing ids, but never issues an id twice.
 *
 * <p>{@link #detach} detaches the sequencer. It also detaches itself when its limit is reached and could not be raised; it
 * then attaches again by itself as soon as it can. While it is detached, every call for an id throws
 * {@link SequenceException.Detached} at once. If no node number is left, the message says so: the sequencer then attaches
 * once another process gives one back. Past the sequence's end, every call throws {@link SequenceException.Exhausted}.
 *
 * <p>If all ids of a millisecond are issued, a call waits for the next millisecond. If the clock goes back, ids still
 * increase: the milliseconds last twice as long until the clock has caught up. If the clock leaps ahead by more than 10 s,
 * the sequencer gives up its node number, and follows the clock under another number.
 *
 * <p>Safe for use by many threads, including virtual ones. An id costs one look at the monotonic clock and one
 * compare-and-set, and no lock is held while waiting. The methods without {@code Async} may wait for Cassandra. On one of the
 * driver's threads they throw an {@link IllegalStateException} where they would; they wait there only for the next
 * millisecond.
 */
public interface SnowflakeSequencer extends IdAllocator {

    /** Returns the specification of this sequence. It also splits ids into their parts. */
    SnowflakeSpec snowflake();

    /** Returns whether the sequencer can issue ids. */
    SnowflakeState state();

    /** Returns the node number of this sequencer; empty if it is not attached. */
    OptionalInt node();

    /**
     * Takes a node number; a no-op if the sequencer has one. This takes effect at once if a number is free or was never
     * used. Else it takes more than 30 s, until a number is known not to have moved for that long. With {@code
     * durability=wait}, where nodes may forget what they acknowledged, it takes their sync period longer (11 s by default).
     *
     * @throws SequenceException.Conflict if the stored configuration is different
     * @throws SequenceException.Destroyed if the sequence was destroyed
     * @throws SequenceException.Exhausted if every node number is in use, or the sequence is past its end
     * @throws SequenceException.Unavailable if Cassandra does not answer
     */
    void attach();

    /** As {@link #attach}; a failure completes the stage with the exception. */
    CompletionStage<Void> attachAsync();

    /**
     * Gives the node number back, so that another process can take it at once; a no-op if there is none. After this method
     * returns, no id is issued until {@link #attach}. If Cassandra does not answer, another process can take the number when
     * it has not moved for 30 s.
     *
     * @throws SequenceException.Destroyed if the sequence was destroyed
     */
    void detach();

    /**
     * As {@link #detach}. No id is issued after this method returns. The stage ends when the number was given back, or
     * could not be.
     */
    CompletionStage<Void> detachAsync();

    /**
     * Destroys the sequence in the whole cluster, permanently. Its name is never used again, so that no id can be issued
     * twice. Other processes notice within some seconds when they can reach Cassandra.
     *
     * @throws SequenceException.Unavailable if not enough of all datacenters' replicas answer; whether the sequence is
     *     destroyed is then unknown
     */
    void destroy();

    /** As {@link #destroy}. */
    CompletionStage<Void> destroyAsync();

    /** As {@link #close}. The stage ends when the number was given back, or could not be. It never fails. */
    CompletionStage<Void> closeAsync();

    /** Whether the sequencer was closed. */
    boolean isClosed();
}
