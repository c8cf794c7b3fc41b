package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
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

/** The increments in one table, and their sums in a second one. */
public final class CassandraBucketedTable implements BucketedTable {

    /** Added to the name of the table of increments, it is the name of the table of sums. */
    public static final String SUMS = "_compact";

    private final PlainStatements statements;
    private final ConditionalStatements local;
    private final String insert;
    private final String sumAfter;
    private final String sumBetween;
    private final String selectNewest;
    private final String deleteUpTo;
    private final String selectSum;
    private final String updateSum;

    /**
     * @param increments the full name of the table of increments, as CQL writes it
     * @param sums the full name of the table of sums
     */
    public CassandraBucketedTable(
            CqlSession session, ConditionalStatements local, String increments, String sums, Duration timeout) {
        this.statements = new PlainStatements(session, timeout);
        this.local = local;
        this.insert =
                "INSERT INTO " + increments + " (type, modify_time, actor, version, increment) VALUES (?, ?, ?, ?, ?)";
        String sum = "SELECT SUM(CAST(increment AS varint)), COUNT(*) FROM " + increments
                + " WHERE type = ? AND modify_time > ?";
        this.sumAfter = sum;
        this.sumBetween = sum + " AND modify_time <= ?";
        this.selectNewest = "SELECT modify_time FROM " + increments + " WHERE type = ? LIMIT 1";
        this.deleteUpTo = "DELETE FROM " + increments + " WHERE type = ? AND modify_time <= ?";
        this.selectSum = "SELECT epoch, value, run FROM " + sums + " WHERE type = ?";
        this.updateSum = "UPDATE " + sums + " SET epoch = ?, value = ?, run = ? WHERE type = ? IF run = ";
    }

    @Override
    public CompletionStage<Void> write(String counter, Instant at, String actor, long version, long increment) {
        return statements.writeAgain(insert, counter, at, actor, version, increment);
    }

    @Override
    public CompletionStage<Summed> sumAfter(String counter, Instant epoch, ConsistencyLevel level) {
        return statements.read(level, sumAfter, counter, epoch).thenApply(rows -> summed(rows.one()));
    }

    /** The newest come first. */
    @Override
    public CompletionStage<Optional<Instant>> newest(String counter) {
        return statements
                .read(ConsistencyLevel.LOCAL_QUORUM, selectNewest, counter)
                .thenApply(rows -> Optional.ofNullable(rows.one()).map(row -> row.getInstant("modify_time")));
    }

    @Override
    public CompletionStage<Summed> sumBetween(String counter, Instant epoch, Instant upto) {
        return statements
                .read(ConsistencyLevel.LOCAL_QUORUM, sumBetween, counter, epoch, upto)
                .thenApply(rows -> summed(rows.one()));
    }

    private static Summed summed(@Nullable Row row) {
        BigInteger sum = row == null ? null : row.getBigInteger(0);
        return new Summed(sum == null ? BigInteger.ZERO : sum, row == null ? 0 : row.getLong(1));
    }

    @Override
    public CompletionStage<Void> delete(String counter, Instant epoch) {
        return statements.writeAgain(deleteUpTo, counter, epoch);
    }

    @Override
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

    @Override
    public CompletionStage<CasOutcome> collect(String counter, Collected seen, Collected wanted) {
        UUID run = Objects.requireNonNull(wanted.run(), "run");
        UUID before = seen.run();
        return local.execute(
                before == null
                        ? new Cas(updateSum + "null", wanted.epoch(), wanted.value(), run, counter)
                        : new Cas(updateSum + "?", wanted.epoch(), wanted.value(), run, counter, before));
    }
}
