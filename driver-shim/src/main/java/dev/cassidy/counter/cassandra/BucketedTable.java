package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.counter.store.CounterTable;
import dev.cassidy.lwt.CasOutcome;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Increments by the time at which they were made, and a second table that has, for each counter, the sum of those up to an
 * epoch. Safe for use by many threads; nothing blocks.
 */
public final class BucketedTable {

    /** Added to the name of the table of increments, it is the name of the table of sums. */
    public static final String SUMS = "_compact";

    private final PlainStatements statements;
    private final ConditionalStatements local;
    private final String insert;
    private final String sumAfter;
    private final String sumBetween;
    private final String deleteUpTo;
    private final String selectSum;
    private final String updateSum;

    /**
     * @param increments the full name of the table of increments, as CQL writes it
     * @param sums the full name of the table of sums
     */
    public BucketedTable(
            CqlSession session, ConditionalStatements local, String increments, String sums, Duration timeout) {
        this.statements = new PlainStatements(session, timeout);
        this.local = local;
        this.insert =
                "INSERT INTO " + increments + " (type, modify_time, actor, version, increment) VALUES (?, ?, ?, ?, ?)";
        String sum = "SELECT SUM(CAST(increment AS varint)), COUNT(*) FROM " + increments
                + " WHERE type = ? AND modify_time > ?";
        this.sumAfter = sum;
        this.sumBetween = sum + " AND modify_time <= ?";
        this.deleteUpTo = "DELETE FROM " + increments + " WHERE type = ? AND modify_time <= ?";
        this.selectSum = "SELECT epoch, value, run FROM " + sums + " WHERE type = ?";
        this.updateSum = "UPDATE " + sums + " SET epoch = ?, value = ?, run = ? WHERE type = ? IF run = ";
    }

    /**
     * What was collected.
     *
     * @param epoch the time of the last increment that may be within
     * @param run names the collection; null if there was none
     */
    public record Collected(
            Instant epoch, BigInteger value, @Nullable UUID run) {

        static final Collected NOTHING = new Collected(Instant.EPOCH, BigInteger.ZERO, null);

        /** Whether it is the same collection. */
        public boolean isSameAs(Collected other) {
            return Objects.equals(run, other.run);
        }
    }

    /** A sum of rows. */
    public record Summed(BigInteger sum, long rows) {}

    /**
     * Writes an increment at LOCAL_QUORUM. It may be written again.
     *
     * @return fails with {@link CounterTable.NotExecuted} or {@link CounterTable.Rejected} if certainly nothing was written;
     *     any other failure may hide a success
     */
    public CompletionStage<Void> write(String counter, Instant at, String actor, long version, long increment) {
        return statements.writeAgain(insert, counter, at, actor, version, increment);
    }

    /** Sums the increments after {@code epoch} at a consistency level. */
    public CompletionStage<Summed> sumAfter(String counter, Instant epoch, ConsistencyLevel level) {
        return statements.read(level, sumAfter, counter, epoch).thenApply(rows -> summed(rows.one()));
    }

    /** Sums the increments after {@code epoch} and up to {@code upto}, at LOCAL_QUORUM. */
    public CompletionStage<Summed> sumBetween(String counter, Instant epoch, Instant upto) {
        return statements
                .read(ConsistencyLevel.LOCAL_QUORUM, sumBetween, counter, epoch, upto)
                .thenApply(rows -> summed(rows.one()));
    }

    private static Summed summed(@Nullable Row row) {
        BigInteger sum = row == null ? null : row.getBigInteger(0);
        return new Summed(sum == null ? BigInteger.ZERO : sum, row == null ? 0 : row.getLong(1));
    }

    /** Deletes the increments up to {@code epoch}, which must have been collected. */
    public CompletionStage<Void> delete(String counter, Instant epoch) {
        return statements.writeAgain(deleteUpTo, counter, epoch);
    }

    /** Reads what was collected, in the order of the collections. */
    public CompletionStage<Collected> collected(String counter) {
        return local.read(selectSum, counter)
                .thenApply(rows -> rows.isEmpty() ? Collected.NOTHING : collected(rows.get(0)));
    }

    private static Collected collected(Row row) {
        return new Collected(
                Optional.ofNullable(row.getInstant("epoch")).orElse(Instant.EPOCH),
                Optional.ofNullable(row.getBigInteger("value")).orElse(BigInteger.ZERO),
                row.getUuid("run"));
    }

    /** Replaces what was collected, if nobody has collected since it was seen. */
    public CompletionStage<CasOutcome> collect(String counter, Collected seen, Collected wanted) {
        UUID run = Objects.requireNonNull(wanted.run(), "run");
        UUID before = seen.run();
        return local.execute(
                before == null
                        ? new Cas(updateSum + "null", wanted.epoch(), wanted.value(), run, counter)
                        : new Cas(updateSum + "?", wanted.epoch(), wanted.value(), run, counter, before));
    }
}
