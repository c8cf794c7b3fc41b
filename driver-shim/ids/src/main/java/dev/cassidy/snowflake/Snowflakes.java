package dev.cassidy.snowflake;

import dev.cassidy.sequence.SequenceException;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The time-ordered sequences of a cluster, seen from one datacenter. Attaching uses only that datacenter as long as it has
 * node numbers left. Creating, destroying and getting further numbers need a majority of all datacenters' replicas.
 *
 * <p>Safe for use by many threads. Methods without {@code Async} block: never call them from one of the driver's threads.
 */
public interface Snowflakes extends AutoCloseable {

    /**
     * Returns this process's sequencer of that name, attached. All callers of a name get the same one. The first call in the
     * cluster creates the sequence; all others must pass the same configuration.
     *
     * @throws SequenceException.Conflict if the stored configuration is different
     * @throws SequenceException.Destroyed if the sequence was destroyed
     * @throws SequenceException.Exhausted if every node number is in use, or the sequence is past its end
     * @throws SequenceException.Unavailable if Cassandra does not answer
     */
    SnowflakeSequencer sequencer(SnowflakeSpec spec);

    /** As {@link #sequencer(SnowflakeSpec)}, without blocking. */
    CompletionStage<SnowflakeSequencer> sequencerAsync(SnowflakeSpec spec);

    /**
     * Creates a sequence without attaching to it; a no-op if there is one with the same configuration.
     *
     * @return a stage that fails as {@link #sequencer(SnowflakeSpec)} does
     */
    CompletionStage<Void> createAsync(SnowflakeSpec spec);

    /**
     * As {@link #sequencer(SnowflakeSpec)}, for a sequence that exists.
     *
     * @throws SequenceException.NotFound if there is no sequence of that name
     */
    SnowflakeSequencer sequencer(String name);

    /** As {@link #sequencer(String)}, without blocking. */
    CompletionStage<SnowflakeSequencer> sequencerAsync(String name);

    /** Reads a sequence's configuration; empty if there is none. A destroyed one keeps its configuration. */
    Optional<SnowflakeSpec> find(String name);

    /** As {@link #find}, without blocking. */
    CompletionStage<Optional<SnowflakeSpec>> findAsync(String name);

    /**
     * Destroys a sequence in the whole cluster, permanently; a no-op if it is destroyed. Its name is never used again, so
     * that no id can be issued twice. Other processes notice within some seconds when they can reach Cassandra.
     *
     * @throws SequenceException.NotFound if there is no sequence of that name
     */
    void destroy(String name);

    /** Closes every sequencer, and gives the node numbers back. */
    @Override
    void close();
}
