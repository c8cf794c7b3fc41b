package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import java.math.BigInteger;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** One row for each actor, in which the last total wins. */
public final class CumulativeTable implements ActorTable {

    private final PlainStatements statements;
    private final Totals totals;
    private final String select;
    private final String insert;

    /** @param table its full name, as CQL writes it */
    public CumulativeTable(CqlSession session, String table, Duration timeout) {
        this.statements = new PlainStatements(session, timeout);
        this.totals = new Totals(session, table, timeout);
        this.select =
                "SELECT increment, WRITETIME(increment) AS version FROM " + table + " WHERE type = ? AND actor = ?";
        this.insert = "INSERT INTO " + table + " (type, actor, increment) VALUES (?, ?, ?) USING TIMESTAMP ?";
    }

    @Override
    public CompletionStage<Total> read(String counter, String actor) {
        return statements
                .read(ConsistencyLevel.LOCAL_QUORUM, select, counter, actor)
                .thenApply(rows -> {
                    Row row = rows.one();
                    // What is null reads as 0.
                    return row == null ? new Total(0, 0) : new Total(row.getLong("increment"), row.getLong("version"));
                });
    }

    /** {@link SameActorTable} knows. */
    @Override
    public CompletionStage<Void> require() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> write(String counter, String actor, Total total) {
        return statements.writeAgain(insert, counter, actor, total.sum(), total.version());
    }

    @Override
    public CompletionStage<BigInteger> sum(String counter, ConsistencyLevel level) {
        return totals.of(counter, level).thenApply(Totals.Total::sum);
    }
}
