package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.counter.store.CounterTable;
import java.math.BigInteger;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** Cassandra's own counters. Safe for use by many threads; nothing blocks. */
public final class NativeTable {

    private final PlainStatements statements;
    private final String add;
    private final String select;

    /** @param table its full name, as CQL writes it */
    public NativeTable(CqlSession session, String table, Duration timeout) {
        this.statements = new PlainStatements(session, timeout);
        this.add = "UPDATE " + table + " SET value = value + ? WHERE type = ?";
        this.select = "SELECT value FROM " + table + " WHERE type = ?";
    }

    /**
     * Adds a number once. The driver must not send it again either.
     *
     * @return fails with {@link CounterTable.NotExecuted} or {@link CounterTable.Rejected} if certainly nothing was added;
     *     any other failure may hide that it was added
     */
    public CompletionStage<Void> add(String counter, long delta) {
        return statements.writeOnce(add, delta, counter);
    }

    /** Reads a counter at a consistency level. */
    public CompletionStage<BigInteger> read(String counter, ConsistencyLevel level) {
        return statements.read(level, select, counter).thenApply(rows -> {
            Row row = rows.one();
            return row == null ? BigInteger.ZERO : BigInteger.valueOf(row.getLong("value"));
        });
    }
}
