package dev.cassidy.counter;

import dev.cassidy.counter.cassandra.BucketedTable;
import dev.cassidy.counter.cassandra.BucketedTable.Collected;
import dev.cassidy.counter.protocol.CheckedClock;
import dev.cassidy.counter.protocol.CounterFailure;
import dev.cassidy.lwt.CasOutcome;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Collects the increments of bucketed counters that are old enough: adds those after the last epoch and up to a new one to
 * the sum, and deletes them when that is acknowledged. Two collectors do no harm: the sum is replaced by a conditional
 * statement, so the second one has no effect. If a collector dies before it has deleted, the next one deletes; until then
 * the epoch hides what is in the sum.
 *
 * <p>What it cannot prevent: an increment that reaches the nodes after its time was collected is never counted. So no clock
 * is believed alone: the epoch is by {@link #LAG} earlier than this process's clock, the nodes' clocks that agree with it, and
 * the newest increment in the table.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class Collector {

    /** Increments that are younger than this are not collected: so far may clocks be apart, and so long may writes take. */
    static final Duration LAG = Duration.ofMinutes(1);

    /** For so long may an increment be under way. */
    static final Duration LONGEST_WRITE = LAG.dividedBy(2);

    private final BucketedTable table;
    private final CheckedClock clock;
    private final Supplier<UUID> token;

    /** @param token names a collection */
    Collector(BucketedTable table, CheckedClock clock, Supplier<UUID> token) {
        this.table = table;
        this.clock = clock;
        this.token = token;
    }

    /**
     * Collects a counter. Returns how many increments are in the sum now that were not.
     *
     * @return fails with {@link CounterFailure.WrongClock} if this process has the wrong time
     */
    CompletionStage<Long> collect(String counter) {
        return clock.now().thenCompose(now -> table.newest(counter)
                .thenCompose(newest -> newest.isEmpty()
                        ? CompletableFuture.completedFuture(0L)
                        : collect(counter, earlier(now.earliest(), newest.get()))));
    }

    /** What stands in the table was written by the clocks of others, too. */
    private static Instant earlier(Instant now, Instant newest) {
        return now.isBefore(newest) ? now : newest;
    }

    private CompletionStage<Long> collect(String counter, Instant now) {
        // As precise as the table.
        Instant epoch = now.minus(LAG).truncatedTo(ChronoUnit.MILLIS);
        return table.collected(counter)
                .thenCompose(seen -> seen.epoch().isBefore(epoch)
                        ? table.sumBetween(counter, seen.epoch(), epoch)
                                .thenCompose(found -> found.rows() == 0
                                        ? CompletableFuture.completedFuture(0L)
                                        : replace(counter, seen, epoch, found))
                        : CompletableFuture.completedFuture(0L));
    }

    private CompletionStage<Long> replace(String counter, Collected seen, Instant epoch, BucketedTable.Summed found) {
        UUID run = token.get();
        Collected wanted = new Collected(epoch, seen.value().add(found.sum()), run);
        return table.collect(counter, seen, wanted)
                .thenCompose(outcome -> outcome instanceof CasOutcome.Unknown
                        ? table.collected(counter).thenApply(now -> run.equals(now.run()))
                        : CompletableFuture.completedFuture(outcome instanceof CasOutcome.Applied))
                // Only now: as long as the sum does not have them, the rows must stay.
                .thenCompose(isOurs -> isOurs
                        ? table.delete(counter, epoch).thenApply(done -> found.rows())
                        : CompletableFuture.completedFuture(0L));
    }
}
