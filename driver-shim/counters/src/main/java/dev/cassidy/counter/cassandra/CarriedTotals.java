package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.counter.store.Versions;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What counters were elsewhere before they were counted here: one row for each, under the name of an actor that no process
 * has, so that no fold touches it. The row of one total is always the same, so it may be written again.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class CarriedTotals {

    /** Not the name of a slot. */
    static final String ACTOR = "~native";

    /** As all versions, larger than any clock's microseconds. */
    static final long VERSION = Versions.of(1 << 30, 1);

    private final CqlSession session;
    private final PreparedTexts prepared;
    private final IncrementColumn column;
    private final Duration timeout;
    private final String select;
    private final String insert;

    /** @param table its full name, as CQL writes it */
    public CarriedTotals(CqlSession session, String table, IncrementColumn column, Duration timeout) {
        this.session = session;
        this.prepared = new PreparedTexts(session);
        this.column = column;
        this.timeout = timeout;
        this.select = "SELECT increment FROM " + table + " WHERE type = ? AND actor = '" + ACTOR + "' AND version = "
                + VERSION;
        this.insert = "INSERT INTO " + table + " (type, actor, version, increment) VALUES (?, '" + ACTOR + "', "
                + VERSION + ", ?) USING TIMESTAMP " + VERSION;
    }

    /**
     * Writes a counter's total unless there is one.
     *
     * @return what is there now: {@code total}, or the total that was there before
     */
    public CompletionStage<BigInteger> carry(String counter, BigInteger total) {
        return prepared.get(select)
                .thenCompose(text -> session.executeAsync(settings(text.bind(counter))))
                .thenCompose(page -> {
                    Row row = page.one();
                    return row == null
                            ? write(counter, total).thenApply(done -> total)
                            : CompletableFuture.completedFuture(Objects.requireNonNull(column.read(row, "increment")));
                });
    }

    private CompletionStage<Void> write(String counter, BigInteger total) {
        return prepared.get(insert)
                .thenCompose(text ->
                        session.executeAsync(settings(column.bind(text.bind().setString(0, counter), 1, total))))
                .thenAccept(done -> {});
    }

    private BoundStatement settings(BoundStatement statement) {
        return statement
                .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM)
                .setIdempotent(true)
                .setTimeout(timeout);
    }
}
