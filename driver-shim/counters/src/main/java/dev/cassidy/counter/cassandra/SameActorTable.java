package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import java.math.BigInteger;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The totals of one actor of one counter, which are written only into the generation of the table in which they were read: a
 * total holds all counts of its actor.
 */
public final class SameActorTable implements ActorTable {

    private final ActorTable totals;
    private final CountedTable table;

    /** In which totals were read last; null before that. */
    private volatile @Nullable UUID generation;

    public SameActorTable(ActorTable totals, CountedTable table) {
        this.totals = totals;
        this.table = table;
    }

    @Override
    public CompletionStage<Total> read(String counter, String actor) {
        // What is read after this is of this generation, or of one that a write then meets.
        return table.generation().thenCompose(now -> {
            generation = now;
            return totals.read(counter, actor);
        });
    }

    @Override
    public CompletionStage<Void> require() {
        UUID read = generation;
        return (read == null
                        ? CompletableFuture.<Void>failedFuture(new IllegalStateException("no total was read"))
                        : table.require(read))
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(PlainStatements.notSent(failure)));
    }

    @Override
    public CompletionStage<Void> write(String counter, String actor, Total total) {
        return totals.write(counter, actor, total);
    }

    @Override
    public CompletionStage<BigInteger> sum(String counter, ConsistencyLevel level) {
        return totals.sum(counter, level);
    }
}
