package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import java.math.BigInteger;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Writes totals only while the table is the one that they were added up in: a total holds all counts of an actor. */
public final class SameActorTable implements ActorTable {

    private final ActorTable totals;
    private final CountedTable table;

    public SameActorTable(ActorTable totals, CountedTable table) {
        this.totals = totals;
        this.table = table;
    }

    @Override
    public CompletionStage<Total> read(String counter, String actor) {
        return totals.read(counter, actor);
    }

    @Override
    public CompletionStage<Void> write(String counter, String actor, Total total) {
        return table.require()
                // Nothing was sent.
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(PlainStatements.notSent(failure)))
                .thenCompose(same -> totals.write(counter, actor, total));
    }

    @Override
    public CompletionStage<BigInteger> sum(String counter, ConsistencyLevel level) {
        return totals.sum(counter, level);
    }
}
