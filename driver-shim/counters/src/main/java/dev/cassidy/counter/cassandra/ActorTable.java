package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import dev.cassidy.counter.store.CounterTable;
import java.math.BigInteger;
import java.util.concurrent.CompletionStage;

/**
 * Counters whose actors keep totals: a counter's value is the sum of the last total of each actor. The write timestamp of a
 * total is its version, so the order in which replicas hear of totals makes no difference.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public interface ActorTable {

    /**
     * What an actor has added up.
     *
     * @param version grows with each write of the actor; 0 before the first one
     */
    record Total(long sum, long version) {}

    /** Reads an actor's last total at LOCAL_QUORUM. */
    CompletionStage<Total> read(String counter, String actor);

    /**
     * Requires that the table was not emptied since a total was read. To be called before each write.
     *
     * @return fails with {@link CounterTable.Emptied} if it was, and with {@link CounterTable.NotExecuted} or {@link
     *     CounterTable.Rejected} if that is not known
     */
    CompletionStage<Void> require();

    /**
     * Writes a total at LOCAL_QUORUM. It may be written again.
     *
     * @return fails with {@link CounterTable.NotExecuted} or {@link CounterTable.Rejected} if certainly nothing was written;
     *     any other failure may hide a success
     */
    CompletionStage<Void> write(String counter, String actor, Total total);

    /** Sums the last totals of all actors at a consistency level. */
    CompletionStage<BigInteger> sum(String counter, ConsistencyLevel level);
}
