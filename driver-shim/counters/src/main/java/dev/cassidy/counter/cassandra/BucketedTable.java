package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import dev.cassidy.counter.store.CounterTable;
import dev.cassidy.lwt.CasOutcome;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Increments by the time at which they were made, and for each counter the sum of those up to an epoch. Safe for use by many
 * threads; nothing blocks.
 */
public interface BucketedTable {

    /**
     * What was collected.
     *
     * @param epoch the time of the last increment that may be within
     * @param run names the collection; null if there was none
     */
    record Collected(
            Instant epoch, BigInteger value, @Nullable UUID run) {

        public static final Collected NOTHING = new Collected(Instant.EPOCH, BigInteger.ZERO, null);

        /** Whether it is the same collection. */
        public boolean isSameAs(Collected other) {
            return Objects.equals(run, other.run);
        }
    }

    /** A sum of rows. */
    record Summed(BigInteger sum, long rows) {}

    /**
     * Writes an increment at LOCAL_QUORUM. It may be written again.
     *
     * @return fails with {@link CounterTable.NotExecuted} or {@link CounterTable.Rejected} if certainly nothing was written;
     *     any other failure may hide a success
     */
    CompletionStage<Void> write(String counter, Instant at, String actor, long version, long increment);

    /** Sums the increments after {@code epoch} at a consistency level. */
    CompletionStage<Summed> sumAfter(String counter, Instant epoch, ConsistencyLevel level);

    /** Returns the time of the newest increment, at LOCAL_QUORUM; empty if there is none. */
    CompletionStage<Optional<Instant>> newest(String counter);

    /** Sums the increments after {@code epoch} and up to {@code upto}, at LOCAL_QUORUM. */
    CompletionStage<Summed> sumBetween(String counter, Instant epoch, Instant upto);

    /** Deletes the increments up to {@code epoch}, which must have been collected. */
    CompletionStage<Void> delete(String counter, Instant epoch);

    /** Reads what was collected, in the order of the collections. */
    CompletionStage<Collected> collected(String counter);

    /** Replaces what was collected, if nobody has collected since it was seen. */
    CompletionStage<CasOutcome> collect(String counter, Collected seen, Collected wanted);
}
