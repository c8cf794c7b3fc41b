package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import dev.cassidy.async.Stages;
import dev.cassidy.async.Timer;
import dev.cassidy.counter.store.ActorRows;
import dev.cassidy.counter.store.CounterRow;
import dev.cassidy.counter.store.CounterTable;
import dev.cassidy.counter.store.Fold;
import dev.cassidy.counter.store.Settled;
import dev.cassidy.counter.store.Versions;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The rows of counters in CQL. The write timestamp of everything is a version, so the order in which replicas hear of
 * increments, folds and settlements makes no difference.
 */
public final class CassandraCounterTable implements CounterTable {

    /** The most rows of one actor that are read at one moment. */
    private static final int ONE_PAGE = 20_000;

    private static final int PAGE = 5_000;

    private static final String ROW = "SELECT actor, version, increment, upto, WRITETIME(increment) AS increment_at,"
            + " WRITETIME(upto) AS upto_at, TTL(increment) AS increment_ttl, TTL(upto) AS upto_ttl FROM ";

    private final CqlSession session;
    private final CountedGeneration counted;
    private final PreparedTexts prepared;
    private final IncrementColumn column;
    private final Duration timeout;
    private final IncrementRows rows;
    private final WriteGroups<BoundStatement> groups;
    private final String insert;
    private final String insertBase;
    private final String insertBookend;
    private final String delete;
    private final String selectActor;
    private final String selectCounter;
    private final DriverExecutionProfile batches;

    /** @param table its full name, as CQL writes it */
    public CassandraCounterTable(
            CqlSession session,
            String table,
            CountedGeneration counted,
            IncrementColumn column,
            Duration timeout,
            Timer timer) {
        this.session = session;
        this.counted = counted;
        this.prepared = new PreparedTexts(session);
        this.column = column;
        this.timeout = timeout;
        this.insert =
                "INSERT INTO " + table + " (type, actor, version, increment) VALUES (?, ?, ?, ?) USING TIMESTAMP ?";
        this.insertBase = "INSERT INTO " + table
                + " (type, actor, version, increment, upto) VALUES (?, ?, ?, ?, ?) USING TIMESTAMP ?";
        this.insertBookend =
                "INSERT INTO " + table + " (type, actor, version, upto) VALUES (?, ?, ?, ?) USING TIMESTAMP ?";
        this.delete = "DELETE FROM " + table
                + " USING TIMESTAMP ? WHERE type = ? AND actor = ? AND version > ? AND version <= ?";
        this.selectActor = ROW + table + " WHERE type = ? AND actor = ?";
        this.selectCounter = ROW + table + " WHERE type = ?";
        // The driver, up to 4.19 at least, forgets a batch's own time-out, and heeds its profile's.
        this.batches = session.getContext()
                .getConfig()
                .getDefaultProfile()
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, timeout);
        this.rows = new IncrementRows(session, batches);
        this.groups = new WriteGroups<>(rows, timer);
    }

    @Override
    public CompletionStage<Void> write(String counter, String actor, long version, BigInteger increment) {
        return increment(counter, actor, version, increment, row -> {
            counted.requireNotGone();
            return groups.write(row);
        });
    }

    @Override
    public CompletionStage<Void> writeAgain(String counter, String actor, long version, BigInteger increment) {
        return counted.require()
                // Nothing was sent.
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(PlainStatements.notSent(failure)))
                .thenCompose(same -> increment(counter, actor, version, increment, row -> rows.send(List.of(row))));
    }

    private CompletionStage<Void> increment(
            String counter,
            String actor,
            long version,
            BigInteger increment,
            Function<BoundStatement, CompletionStage<Void>> write) {
        return prepared.get(insert)
                .thenApply(text -> column.bind(
                                text.bind()
                                        .setString(0, counter)
                                        .setString(1, actor)
                                        .setLong(2, version),
                                3,
                                increment)
                        .setLong(4, version)
                        .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM)
                        .setIdempotent(true)
                        .setTimeout(timeout))
                // Before this nothing was sent.
                .handle((bound, failure) -> failure == null
                        ? write.apply(bound)
                        : CompletableFuture.<Void>failedFuture(notExecuted(Stages.cause(failure))))
                .thenCompose(stage -> stage);
    }

    private static RuntimeException notExecuted(Throwable cause) {
        return cause instanceof QueryValidationException
                ? new Rejected(String.valueOf(cause.getMessage()), cause)
                : new NotExecuted(String.valueOf(cause.getMessage()), cause);
    }

    @Override
    public CompletionStage<ActorRows> read(String counter, String actor) {
        return select(selectActor, ONE_PAGE, counter, actor).thenApply(page -> {
            if (page.hasMorePages()) {
                throw new TooManyRows("actor '" + actor + "' of counter '" + counter + "' has more than " + ONE_PAGE
                        + " rows, too many to be read at one moment. They are summed all the same. Call fold() of the"
                        + " counter; if that does not help, rows before them are missing: repair the table");
            }
            List<CounterRow> rows = new ArrayList<>();
            page.currentPage().forEach(row -> rows.add(counterRow(row)));
            return new ActorRows(actor, rows);
        });
    }

    @Override
    public CompletionStage<ActorRows> readPages(String counter, String actor) {
        // Of another generation nothing can be folded, and the process would go on without a fold.
        return counted.require()
                .thenCompose(same -> select(selectActor, PAGE, counter, actor))
                .thenCompose(page -> rest(page, new ArrayList<>()))
                .thenApply(rows -> new ActorRows(actor, rows));
    }

    @Override
    public CompletionStage<List<ActorRows>> readAll(String counter) {
        return counted.require()
                .thenCompose(same -> select(selectCounter, PAGE, counter))
                .thenCompose(page -> rest(page, new ArrayList<>()))
                .thenApply(rows -> {
                    Map<String, List<CounterRow>> byActor = new LinkedHashMap<>();
                    rows.forEach(row -> byActor.computeIfAbsent(row.actor(), first -> new ArrayList<>())
                            .add(row));
                    return byActor.entrySet().stream()
                            .map(actor -> new ActorRows(actor.getKey(), actor.getValue()))
                            .toList();
                });
    }

    private CompletionStage<AsyncResultSet> select(String cql, int pageSize, String... key) {
        return prepared.get(cql).thenCompose(text -> {
            BoundStatement bound = text.bind();
            for (int i = 0; i < key.length; i++) {
                bound = bound.setString(i, key[i]);
            }
            return session.executeAsync(bound.setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM)
                    .setIdempotent(true)
                    .setTimeout(timeout)
                    .setPageSize(pageSize));
        });
    }

    private CompletionStage<List<CounterRow>> rest(AsyncResultSet page, List<CounterRow> before) {
        page.currentPage().forEach(row -> before.add(counterRow(row)));
        return page.hasMorePages()
                ? page.fetchNextPage().thenCompose(next -> rest(next, before))
                : CompletableFuture.completedFuture(before);
    }

    private CounterRow counterRow(Row row) {
        @Nullable BigInteger increment = column.read(row, "increment");
        @Nullable Long upto = row.isNull("upto") ? null : Long.valueOf(row.getLong("upto"));
        return new CounterRow(
                String.valueOf(row.getString("actor")),
                row.getLong("version"),
                increment,
                upto,
                row.getLong(increment == null ? "upto_at" : "increment_at"),
                !row.isNull("increment_ttl") || !row.isNull("upto_ttl"));
    }

    @Override
    public CompletionStage<Void> fold(String counter, String actor, Fold fold) {
        return writeBase(
                counter, actor, Versions.base(fold.epoch()), Versions.bookend(fold.epoch()), fold.sum(), fold.upto());
    }

    @Override
    public CompletionStage<Void> settle(String counter, String actor, Settled settled) {
        return writeBase(counter, actor, Versions.SETTLED, Versions.LAST, settled.sum(), settled.upto());
    }

    /**
     * One mutation of one partition, so that no read of a replica sees a part of it. The table's {@code read_repair} is
     * {@code NONE}, so that no read copies a part of it to another replica.
     */
    private CompletionStage<Void> writeBase(
            String counter, String actor, long base, long bookend, BigInteger sum, long upto) {
        CompletionStage<BoundStatement> first = prepared.get(insertBase).thenApply(text -> column.bind(
                        text.bind().setString(0, counter).setString(1, actor).setLong(2, base), 3, sum)
                .setLong(4, upto)
                .setLong(5, upto));
        CompletionStage<BoundStatement> last = prepared.get(insertBookend).thenApply(text -> text.bind()
                .setString(0, counter)
                .setString(1, actor)
                .setLong(2, bookend)
                .setLong(3, upto)
                .setLong(4, upto));
        CompletionStage<BoundStatement> within = prepared.get(delete).thenApply(text -> text.bind()
                .setLong(0, upto)
                .setString(1, counter)
                .setString(2, actor)
                .setLong(3, base)
                .setLong(4, upto));
        return counted.require()
                .thenCompose(same -> first)
                .thenCombine(last, (one, other) -> BatchStatement.newInstance(BatchType.UNLOGGED, one, other))
                .thenCombine(within, BatchStatement::add)
                .thenCompose(batch -> session.executeAsync(batch.setExecutionProfile(batches)
                        .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM)
                        .setIdempotent(true)))
                .thenAccept(done -> {});
    }

    @Override
    public boolean fits(BigInteger sum) {
        return column.holds(sum);
    }
}
