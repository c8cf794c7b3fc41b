package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import dev.cassidy.async.Stages;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A row for each write of an actor; the one with the largest version counts. */
public final class VersionedTable implements ActorTable {

    private static final Logger LOG = LoggerFactory.getLogger(VersionedTable.class);

    private final PlainStatements statements;
    private final CountedTable counted;
    private final String selectLast;
    private final String selectAll;
    private final String sumOnServer;
    private final String insert;
    private final String deleteBefore;

    /** Whether the nodes have the function; until one says no. */
    private volatile boolean onServer = true;

    /** @param table its full name, as CQL writes it */
    public VersionedTable(CqlSession session, String table, CountedTable counted, Duration timeout) {
        this.counted = counted;
        this.statements = new PlainStatements(session, timeout);
        this.selectLast = "SELECT version, increment FROM " + table
                + " WHERE type = ? AND actor = ? ORDER BY actor DESC, version DESC LIMIT 1";
        this.selectAll = "SELECT actor, version, increment FROM " + table + " WHERE type = ?";
        this.sumOnServer = "SELECT crdt_latest_sum(type, actor, version, increment) FROM " + table + " WHERE type = ?";
        this.insert =
                "INSERT INTO " + table + " (type, actor, version, increment) VALUES (?, ?, ?, ?) USING TIMESTAMP ?";
        this.deleteBefore = "DELETE FROM " + table + " USING TIMESTAMP ? WHERE type = ? AND actor = ? AND version < ?";
    }

    @Override
    public CompletionStage<Total> read(String counter, String actor) {
        return statements
                .read(ConsistencyLevel.LOCAL_QUORUM, selectLast, counter, actor)
                .thenApply(rows -> {
                    Row row = rows.one();
                    return row == null ? new Total(0, 0) : new Total(row.getLong("increment"), row.getLong("version"));
                });
    }

    @Override
    public CompletionStage<Void> write(String counter, String actor, Total total) {
        return statements.writeAgain(insert, counter, actor, total.version(), total.sum(), total.version());
    }

    /** By the server's function where it is, and otherwise here, from the rows. Both are exact. */
    @Override
    public CompletionStage<BigInteger> sum(String counter, ConsistencyLevel level) {
        if (!onServer) {
            return sumHere(counter, level);
        }
        return statements
                .read(level, sumOnServer, counter)
                .handle((rows, failure) -> {
                    if (failure == null) {
                        return CompletableFuture.completedFuture(first(rows.one()));
                    }
                    Throwable cause = Stages.cause(failure);
                    if (cause instanceof QueryValidationException) {
                        onServer = false;
                        LOG.debug("a node cannot run crdt_latest_sum: totals are summed here", cause);
                        return sumHere(counter, level);
                    }
                    return CompletableFuture.<BigInteger>failedFuture(cause);
                })
                .thenCompose(stage -> stage);
    }

    private static BigInteger first(@Nullable Row row) {
        BigInteger sum = row == null ? null : row.getBigInteger(0);
        return sum == null ? BigInteger.ZERO : sum;
    }

    /** Pages may be of different moments: an actor's last total only ever gives way to a later one. */
    private CompletionStage<BigInteger> sumHere(String counter, ConsistencyLevel level) {
        return lastTotals(counter, level).thenApply(actors -> actors.stream()
                .map(last -> BigInteger.valueOf(last.total().sum()))
                .reduce(BigInteger.ZERO, BigInteger::add));
    }

    /**
     * An actor's last total.
     *
     * @param before how many rows it has besides
     */
    private record Last(String actor, Total total, long before) {}

    private CompletionStage<List<Last>> lastTotals(String counter, ConsistencyLevel level) {
        List<Last> actors = new ArrayList<>();
        return statements
                .readAll(
                        row -> {
                            String actor = String.valueOf(row.getString("actor"));
                            Total total = new Total(row.getLong("increment"), row.getLong("version"));
                            int end = actors.size() - 1;
                            if (end >= 0 && actors.get(end).actor().equals(actor)) {
                                actors.set(
                                        end,
                                        new Last(actor, total, actors.get(end).before() + 1));
                            } else {
                                actors.add(new Last(actor, total, 0));
                            }
                        },
                        level,
                        selectAll,
                        counter)
                .thenApply(done -> actors);
    }

    /** Deletes what came before the last total of each actor. Returns how many rows those were. */
    public CompletionStage<Long> fold(String counter) {
        return lastTotals(counter, ConsistencyLevel.LOCAL_QUORUM).thenCompose(actors -> {
            CompletionStage<Long> folded = CompletableFuture.completedFuture(0L);
            for (Last last : actors) {
                if (last.before() > 0) {
                    folded = folded.thenCompose(
                            rows -> fold(counter, last.actor(), last.total()).thenApply(done -> rows + last.before()));
                }
            }
            return folded;
        });
    }

    /**
     * Deletes what came before a total that was read or written. The total is written again in the same mutation, so that
     * no replica has the deletion without it: it may have been read from one replica alone. The table's {@code read_repair}
     * is {@code NONE}, so that no read copies the deletion without the total.
     */
    public CompletionStage<Void> fold(String counter, String actor, Total total) {
        return counted.require()
                .thenCompose(same -> statements.writeTogether(
                        new PlainStatements.Part(
                                insert, List.of(counter, actor, total.version(), total.sum(), total.version())),
                        new PlainStatements.Part(
                                deleteBefore, List.of(total.version() - 1, counter, actor, total.version()))));
    }
}
