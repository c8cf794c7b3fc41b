package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import dev.cassidy.async.Stages;
import java.math.BigInteger;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sums counters on the server, by the fastest exact way that the nodes know: Cassidy's native function, or else
 * Cassandra's own sum of values that are made a varint first. Both are right before, during and after a fold, because all
 * rows of a counter are read at one moment.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class Totals {

    private static final Logger LOG = LoggerFactory.getLogger(Totals.class);

    /**
     * An aggregate reads pages of this size within the server. A sum over more pages would not be of one moment, so it is
     * done again with a larger one, and later sums begin with that.
     */
    private static final int FIRST_PAGE = 20_000;

    private static final int LARGEST_PAGE = 5_120_000;

    private final CqlSession session;
    private final PreparedTexts prepared;
    private final Duration timeout;
    private final String nativeSum;
    private final String builtInSum;
    private volatile boolean isNative = true;

    /** As large as some counter has needed: a larger page costs nothing where there are fewer rows. */
    private volatile int pageSize = FIRST_PAGE;

    /** @param table its full name, as CQL writes it */
    public Totals(CqlSession session, String table, Duration timeout) {
        this.session = session;
        this.prepared = new PreparedTexts(session);
        this.timeout = timeout;
        this.nativeSum = "SELECT system.crdt_sum(increment), COUNT(*) FROM " + table + " WHERE type = ?";
        this.builtInSum = "SELECT SUM(CAST(increment AS varint)), COUNT(*) FROM " + table + " WHERE type = ?";
    }

    /**
     * What a counter sums up to.
     *
     * @param rows how many rows there are
     */
    public record Total(BigInteger sum, long rows) {}

    /** Sums a counter at a consistency level. */
    public CompletionStage<Total> of(String counter, ConsistencyLevel level) {
        return of(counter, level, pageSize);
    }

    private CompletionStage<Total> of(String counter, ConsistencyLevel level, int inOnePage) {
        // Others that read at the same moment may find out first.
        boolean natively = isNative;
        return select(natively ? nativeSum : builtInSum, counter, level, inOnePage)
                .handle((row, failure) -> {
                    if (failure == null) {
                        return CompletableFuture.completedFuture(row);
                    }
                    Throwable cause = Stages.cause(failure);
                    if (natively && isUnknownFunction(cause)) {
                        isNative = false;
                        LOG.debug("a node does not have Cassidy's native functions: SUM(CAST(...)) is used", cause);
                        return select(builtInSum, counter, level, inOnePage);
                    }
                    return CompletableFuture.<Row>failedFuture(cause);
                })
                .thenCompose(stage -> stage)
                .thenCompose(row -> {
                    long rows = row.getLong(1);
                    if (rows < inOnePage) {
                        return CompletableFuture.completedFuture(new Total(sum(row), rows));
                    }
                    if (rows >= LARGEST_PAGE) {
                        return CompletableFuture.failedFuture(tooManyRows(counter, rows));
                    }
                    int larger = (int) Math.min(LARGEST_PAGE, 4 * rows);
                    pageSize = Math.max(pageSize, larger);
                    return of(counter, level, larger);
                });
    }

    private static IllegalStateException tooManyRows(String counter, long rows) {
        return new IllegalStateException(
                "counter '" + counter + "' has " + rows + " rows, too many to be read at one moment: fold it first");
    }

    private static BigInteger sum(Row row) {
        BigInteger sum = row.getBigInteger(0);
        return sum == null ? BigInteger.ZERO : sum;
    }

    private CompletionStage<Row> select(String cql, String counter, ConsistencyLevel level, int pageSize) {
        return prepared.get(cql)
                .thenCompose(text -> session.executeAsync(text.bind(counter)
                        .setConsistencyLevel(level)
                        .setIdempotent(true)
                        .setTimeout(timeout)
                        .setPageSize(pageSize)))
                .thenApply(page -> page.currentPage().iterator().next());
    }

    private static boolean isUnknownFunction(Throwable cause) {
        return cause instanceof InvalidQueryException
                && String.valueOf(cause.getMessage()).contains("nknown function");
    }
}
