package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import dev.cassidy.counter.cassandra.BucketedTable;
import dev.cassidy.counter.cassandra.BucketedTable.Collected;
import java.math.BigInteger;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/** Counters of the kind {@link CounterKind#BUCKETED}. */
final class BucketedCounters implements OpenCounters {

    /** So often is a read repeated that met a collection. */
    private static final int MAX_READS = 5;

    private static final CounterBase.Refusals REFUSALS = new CounterBase.Refusals(
            CounterKind.BUCKETED,
            "an acknowledged increment may be lost, so a receipt would promise too much",
            "what is old enough is collected");

    private final KindContext context;
    private final BucketedTable table;
    private final Collector collector;

    /** The last number of a row. */
    private final AtomicLong versions;

    private final Lanes lanes;

    BucketedCounters(KindContext context, BucketedTable table) {
        this.context = context;
        this.table = table;
        this.collector = new Collector(table, context.checked(), context.identity()::token);
        String actor = context.config().actor().orElseThrow();
        // So that a process that starts again does not write the rows of the one before once more.
        this.versions = new AtomicLong(context.random().nextLong() >>> 2);
        this.lanes = new Lanes(
                context,
                counter -> new BucketWriter(table, collector, counter, actor, versions::incrementAndGet, context));
    }

    @Override
    public Counter counter(String type) {
        return new BucketedCounter(type);
    }

    @Override
    public boolean clean() {
        throw REFUSALS.noSlots();
    }

    @Override
    public CompletionStage<Void> close() {
        return lanes.close();
    }

    @Override
    public void abandon() {
        lanes.abandon();
    }

    @Override
    public CompletionStage<Void> suspend() {
        return lanes.quiet();
    }

    /** Another copy of the process would number its rows as this one does, under the same actor. */
    @Override
    public void resume() {
        versions.set(context.identity().token().getLeastSignificantBits() >>> 2);
    }

    private final class BucketedCounter extends CounterBase {

        BucketedCounter(String type) {
            super(type, context.config(), REFUSALS);
        }

        @Override
        CompletionStage<Void> send(long delta) {
            return lanes.add(type(), delta);
        }

        @Override
        CompletionStage<BigInteger> valueAt(ConsistencyLevel level) {
            return table.collected(type()).thenCompose(before -> valueAfter(before, level, MAX_READS));
        }

        /** A collection between both reads would move increments from the rows, which come second, to the sum. */
        private CompletionStage<BigInteger> valueAfter(Collected before, ConsistencyLevel level, int reads) {
            return table.sumAfter(type(), before.epoch(), level)
                    .thenCombine(CompletableFuture.completedFuture(before), (rows, sum) -> sum.value()
                            .add(rows.sum()))
                    .thenCompose(value -> table.collected(type()).thenCompose(after -> {
                        if (after.isSameAs(before)) {
                            return CompletableFuture.completedFuture(value);
                        }
                        return reads > 1
                                ? valueAfter(after, level, reads - 1)
                                : CompletableFuture.<BigInteger>failedFuture(new CounterException.Unavailable(
                                        "counter '" + type() + "' was collected during each of " + MAX_READS + " reads",
                                        null));
                    }));
        }

        /** Collects. */
        @Override
        public CompletionStage<FoldResult> foldAsync() {
            return explained(collector.collect(type()).thenApply(rows -> new FoldResult(rows, 0)));
        }
    }
}
