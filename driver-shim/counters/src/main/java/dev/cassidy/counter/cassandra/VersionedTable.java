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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A row for each write of an actor; the one with the largest version counts. */
public final class VersionedTable implements ActorTable {

    private static final Logger LOG = LoggerFactory.getLogger(VersionedTable.class);

    /** Rows without a total are rare, and there is seldom more than one after the last total. */
    private static final int LAST_ROWS = 2;

    /** So many rows are deleted in one mutation. */
    private static final int DELETED_AT_ONCE = 100;

    private final PlainStatements statements;
    private final CountedTable counted;
    private final String selectLast;
    private final String selectAll;
    private final String sumOnServer;
    private final String insert;
    private final String deleteBefore;
    private final String deleteOne;

    /** Whether the nodes have the function; until one says no. */
    private volatile boolean onServer = true;

    /** @param table its full name, as CQL writes it */
    public VersionedTable(CqlSession session, String table, CountedTable counted, Duration timeout) {
        this.counted = counted;
        this.statements = new PlainStatements(session, timeout);
        this.selectLast = "SELECT version, increment FROM " + table
                + " WHERE type = ? AND actor = ? ORDER BY actor DESC, version DESC LIMIT " + LAST_ROWS;
        this.selectAll =
                "SELECT actor, version, increment, WRITETIME(increment) AS at FROM " + table + " WHERE type = ?";
        this.sumOnServer = "SELECT crdt_latest_sum(type, actor, version, increment) FROM " + table + " WHERE type = ?";
        this.insert =
                "INSERT INTO " + table + " (type, actor, version, increment) VALUES (?, ?, ?, ?) USING TIMESTAMP ?";
        this.deleteOne = "DELETE FROM " + table + " USING TIMESTAMP ? WHERE type = ? AND actor = ? AND version = ?";
        this.deleteBefore = "DELETE FROM " + table + " USING TIMESTAMP ? WHERE type = ? AND actor = ? AND version < ?";
    }

    /** A row without an increment is no total: the one before it counts, and the next version comes after both. */
    @Override
    public CompletionStage<Total> read(String counter, String actor) {
        return statements
                .read(ConsistencyLevel.LOCAL_QUORUM, selectLast, counter, actor)
                .thenCompose(page -> {
                    List<Row> rows = new ArrayList<>();
                    page.currentPage().forEach(rows::add);
                    if (rows.isEmpty()) {
                        return CompletableFuture.completedFuture(new Total(0, 0));
                    }
                    long version = rows.get(0).getLong("version");
                    Optional<Row> total = rows.stream()
                            .filter(row -> !row.isNull("increment"))
                            .findFirst();
                    return total.isPresent()
                            ? CompletableFuture.completedFuture(
                                    new Total(total.get().getLong("increment"), version))
                            : readPast(counter, actor, version);
                });
    }

    private CompletionStage<Total> readPast(String counter, String actor, long version) {
        return lastTotals(counter, ConsistencyLevel.LOCAL_QUORUM)
                .thenApply(actors -> new Total(
                        actors.stream()
                                .filter(last -> last.actor().equals(actor))
                                .mapToLong(last -> last.total().sum())
                                .findFirst()
                                .orElse(0),
                        version));
    }

    /** {@link SameActorTable} knows. */
    @Override
    public CompletionStage<Void> require() {
        return CompletableFuture.completedFuture(null);
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
     * @param byTheClock the rows among them whose write timestamp a version of this actor does not exceed: the seed's own
     *     programs write by the clock
     */
    private record Last(String actor, Total total, long before, List<Written> byTheClock) {}

    private record Written(long version, long at) {}

    private CompletionStage<List<Last>> lastTotals(String counter, ConsistencyLevel level) {
        LastTotals totals = new LastTotals();
        return statements.readAll(totals::add, level, selectAll, counter).thenApply(done -> totals.end());
    }

    /** Of the rows in their order; one without an increment is no total. */
    private static final class LastTotals {
        private final List<Last> ended = new ArrayList<>();
        private final List<Written> before = new ArrayList<>();
        private String actor = "";
        private @Nullable Total total;
        private long at;

        void add(Row row) {
            String of = String.valueOf(row.getString("actor"));
            if (!of.equals(actor)) {
                end();
                actor = of;
            }
            if (row.isNull("increment")) {
                return;
            }
            if (total != null) {
                before.add(new Written(total.version(), at));
            }
            total = new Total(row.getLong("increment"), row.getLong("version"));
            at = row.getLong("at");
        }

        List<Last> end() {
            Total last = total;
            if (last != null) {
                List<Written> later = before.stream()
                        .filter(row -> row.at() >= last.version())
                        .toList();
                ended.add(new Last(actor, last, before.size(), later));
            }
            total = null;
            before.clear();
            return ended;
        }
    }

    /** Deletes what came before the last total of each actor. Returns how many rows those were. */
    public CompletionStage<Long> fold(String counter) {
        return counted.generation().thenCompose(generation -> fold(counter, () -> counted.require(generation)));
    }

    private CompletionStage<Long> fold(String counter, Supplier<CompletionStage<Void>> same) {
        return lastTotals(counter, ConsistencyLevel.LOCAL_QUORUM).thenCompose(actors -> {
            CompletionStage<Long> folded = CompletableFuture.completedFuture(0L);
            for (Last last : actors) {
                if (last.before() > 0) {
                    folded = folded.thenCompose(
                            rows -> fold(counter, last, same).thenApply(done -> rows + last.before()));
                }
            }
            return folded;
        });
    }

    private CompletionStage<Void> fold(String counter, Last last, Supplier<CompletionStage<Void>> same) {
        CompletionStage<Void> done = same.get().thenCompose(is -> fold(counter, last.actor(), last.total()));
        for (int from = 0; from < last.byTheClock().size(); from += DELETED_AT_ONCE) {
            List<PlainStatements.Part> parts = new ArrayList<>();
            parts.add(insert(counter, last.actor(), last.total()));
            last.byTheClock()
                    .subList(from, Math.min(last.byTheClock().size(), from + DELETED_AT_ONCE))
                    .forEach(row -> parts.add(new PlainStatements.Part(
                            deleteOne, List.of(row.at(), counter, last.actor(), row.version()))));
            done = done.thenCompose(before -> same.get()).thenCompose(is -> statements.writeTogether(parts));
        }
        return done;
    }

    private PlainStatements.Part insert(String counter, String actor, Total total) {
        return new PlainStatements.Part(insert, List.of(counter, actor, total.version(), total.sum(), total.version()));
    }

    /**
     * Deletes what came before a total that was read or written. The total is written again in the same mutation, so that
     * no replica has the deletion without it: it may have been read from one replica alone. The table's {@code read_repair}
     * is {@code NONE}, so that no read copies the deletion without the total. The caller has made sure that the table was not
     * emptied since.
     */
    public CompletionStage<Void> fold(String counter, String actor, Total total) {
        return statements.writeTogether(List.of(
                insert(counter, actor, total),
                new PlainStatements.Part(deleteBefore, List.of(total.version() - 1, counter, actor, total.version()))));
    }
}
