package dev.cassidy.counter;

import dev.cassidy.async.Jitter;
import dev.cassidy.async.Stages;
import dev.cassidy.counter.cassandra.BucketedTable;
import dev.cassidy.counter.protocol.CounterFailure;
import dev.cassidy.counter.store.CounterTable;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the increments of a bucketed counter, each group as one row, and collects now and then. */
final class BucketWriter implements Lane.Writer {

    private static final Logger LOG = LoggerFactory.getLogger(BucketWriter.class);

    private final BucketedTable table;
    private final Collector collector;
    private final String counter;
    private final String actor;
    private final LongSupplier versions;
    private final KindContext context;

    /** Rows since the last collection, and when that was. */
    private int rows;

    private long collectedAt;

    /** @param versions each is a number that this actor has not used */
    BucketWriter(
            BucketedTable table,
            Collector collector,
            String counter,
            String actor,
            LongSupplier versions,
            KindContext context) {
        this.table = table;
        this.collector = collector;
        this.counter = counter;
        this.actor = actor;
        this.versions = versions;
        this.context = context;
        this.collectedAt = context.nanoTime().getAsLong();
    }

    private record Row(Instant at, long version, long increment) {}

    @Override
    public CompletionStage<Void> write(IncrementGroup group) {
        return write(group, new Jitter(context.timer(), context.random()));
    }

    private CompletionStage<Void> write(IncrementGroup group, Jitter jitter) {
        if (group.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return context.checked()
                .now()
                .handle((now, failure) -> failure == null
                        ? write(now.latest(), group, jitter)
                        : untimed(Stages.cause(failure), group, jitter))
                .thenCompose(stage -> stage);
    }

    private CompletionStage<Void> untimed(Throwable cause, IncrementGroup group, Jitter jitter) {
        if (cause instanceof CounterFailure.WrongClock) {
            // The lane tells the callers.
            return CompletableFuture.failedFuture(cause);
        }
        group.because("no node tells its time: " + cause.getMessage(), cause);
        return jitter.pause().thenCompose(over -> write(group, jitter));
    }

    private CompletionStage<Void> write(Instant now, IncrementGroup group, Jitter jitter) {
        long sum = group.send(0);
        return write(new Row(now.truncatedTo(ChronoUnit.MILLIS), versions.getAsLong(), sum), true, group, jitter);
    }

    /** The same row, however often it is written, is one increment. */
    private CompletionStage<Void> write(Row row, boolean first, IncrementGroup group, Jitter jitter) {
        if (group.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return table.write(counter, row.at(), actor, row.version(), row.increment())
                .handle((done, failure) -> {
                    if (failure == null) {
                        return acknowledged(row, group);
                    }
                    return failed(Stages.cause(failure), row, first, group, jitter);
                })
                .thenCompose(stage -> stage);
    }

    /** A row that was under way for too long, because the process stood still, may have been hidden when it arrived. */
    private CompletionStage<Void> acknowledged(Row row, IncrementGroup group) {
        return context.checked().now().handle((now, failure) -> {
            if (failure != null) {
                Throwable cause = Stages.cause(failure);
                group.giveUp("it was written, and it is not known when: " + cause.getMessage(), cause);
            } else if (Duration.between(row.at(), now.latest()).compareTo(Collector.LONGEST_WRITE) > 0) {
                group.giveUp(
                        "it was under way for longer than " + Collector.LONGEST_WRITE
                                + ", so it may have arrived after its time was collected",
                        null);
            } else {
                group.counts();
            }
            collectNowAndThen();
            return null;
        });
    }

    private CompletionStage<Void> failed(Throwable cause, Row row, boolean first, IncrementGroup group, Jitter jitter) {
        boolean rejected = cause instanceof CounterTable.Rejected;
        boolean nothingWritten = first && (rejected || cause instanceof CounterTable.NotExecuted);
        if (nothingWritten) {
            group.doesNotCount();
        }
        group.because("it cannot be written: " + cause.getMessage(), cause);
        if (rejected) {
            // The lane tells the callers.
            return CompletableFuture.failedFuture(cause);
        }
        return jitter.pause()
                .thenCompose(over -> nothingWritten ? write(group, jitter) : write(row, false, group, jitter));
    }

    /** If that fails, it costs rows, and a later one does it. */
    private void collectNowAndThen() {
        rows++;
        long now = context.nanoTime().getAsLong();
        if (rows < context.config().foldAfter() || now - collectedAt < Collector.LAG.toNanos()) {
            return;
        }
        rows = 0;
        collectedAt = now;
        var unused = collector.collect(counter).whenComplete((done, failure) -> {
            if (failure != null) {
                LOG.debug("counter {} is not collected now", counter, failure);
            }
        });
    }
}
