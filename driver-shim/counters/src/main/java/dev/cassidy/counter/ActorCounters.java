package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.counter.cassandra.ActorTable;
import dev.cassidy.counter.cassandra.CountedTable;
import dev.cassidy.counter.cassandra.CumulativeTable;
import dev.cassidy.counter.cassandra.SameActorTable;
import dev.cassidy.counter.cassandra.VersionedTable;
import java.math.BigInteger;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counters of the kinds {@link CounterKind#CUMULATIVE} and {@link CounterKind#VERSIONED}: each actor writes its own total,
 * and is used by one process at a time.
 */
final class ActorCounters implements OpenCounters {

    private static final Logger LOG = LoggerFactory.getLogger(ActorCounters.class);

    private static final String NO_RECEIPTS = "a row holds the total of an actor, and nothing of a single increment";

    private final KindContext context;
    private final CounterBase.Refusals refusals;
    private final ActorTable table;
    private final Optional<VersionedTable> versions;
    private final String actor;
    private final Lanes lanes;

    /** Whether a copy of this process may use the actor too. */
    private volatile boolean copied;

    /** @param versions the same table, if it keeps each version of a total */
    private ActorCounters(
            KindContext context,
            CounterBase.Refusals refusals,
            CountedTable counted,
            ActorTable table,
            Optional<VersionedTable> versions) {
        this.context = context;
        this.refusals = refusals;
        this.table = table;
        this.versions = versions;
        // In each datacenter it is another actor: a process there would not see all of the totals that were written
        // here.
        this.actor =
                context.cluster().datacenter() + "/" + context.config().actor().orElseThrow();
        this.lanes = new Lanes(context, counter -> unlessCopied(writer(counter, new SameActorTable(table, counted))));
    }

    private ActorWriter writer(String counter, SameActorTable totals) {
        return new ActorWriter(totals, counter, actor, context, total -> written(counter, totals, total));
    }

    /** A group that waits while the process is copied is in every copy, and none writes it. */
    private Lane.Writer unlessCopied(ActorWriter writer) {
        return group -> {
            if (copied) {
                group.giveUp(whyNot(), null);
                return CompletableFuture.completedFuture(null);
            }
            return writer.write(group);
        };
    }

    static ActorCounters cumulative(KindContext context, CountedTable counted) {
        return new ActorCounters(
                context,
                new CounterBase.Refusals(
                        CounterKind.CUMULATIVE, NO_RECEIPTS, "a counter has one row for each actor, and no more"),
                counted,
                new CumulativeTable(
                        session(context), context.table(), context.config().requestTimeout()),
                Optional.empty());
    }

    static ActorCounters versioned(KindContext context, CountedTable counted) {
        VersionedTable table = new VersionedTable(
                session(context), context.table(), counted, context.config().requestTimeout());
        return new ActorCounters(
                context,
                new CounterBase.Refusals(CounterKind.VERSIONED, NO_RECEIPTS, ""),
                counted,
                table,
                Optional.of(table));
    }

    private static CqlSession session(KindContext context) {
        return context.cluster().session();
    }

    /** Folds now and then; if that fails, a later fold does it. */
    private void written(String counter, SameActorTable totals, ActorTable.Total total) {
        if (versions.isPresent() && total.version() % context.config().foldAfter() == 0) {
            var unused = totals.require()
                    .thenCompose(same -> versions.get().fold(counter, actor, total))
                    .whenComplete((done, failure) -> {
                        if (failure != null) {
                            LOG.debug("counter {} is not folded now", counter, failure);
                        }
                    });
        }
    }

    @Override
    public Counter counter(String type) {
        return new ActorCounter(type);
    }

    @Override
    public boolean clean() {
        throw refusals.noSlots();
    }

    @Override
    public CompletionStage<Void> close() {
        return lanes.close();
    }

    @Override
    public void abandon() {
        lanes.abandon();
    }

    /**
     * From now on increments are refused. Every copy of this process has the same actor, and each would overwrite the totals
     * of the others; which of them goes on with it cannot be found out here.
     */
    @Override
    public CompletionStage<Void> suspend() {
        copied = true;
        return lanes.quiet();
    }

    /** What was under way when the process was copied is not written on, since it is in every copy. */
    @Override
    public void resume() {
        copied = true;
        lanes.abandon();
    }

    private String whyNot() {
        return "the process was copied by a checkpoint, and each copy would overwrite the totals of the others under the same"
                + " actor '" + actor + "'. Close these counters, and open them in each copy withActor(name) of its own,"
                + " or use counters of the kind " + CounterKind.FOLDED;
    }

    private final class ActorCounter extends CounterBase {

        ActorCounter(String type) {
            super(type, context.config(), refusals);
        }

        @Override
        CompletionStage<Void> send(long delta) {
            return copied
                    ? CompletableFuture.failedFuture(
                            new CounterException.Refused("nothing was written, and nothing will be: " + whyNot()))
                    : lanes.add(type(), delta);
        }

        @Override
        CompletionStage<BigInteger> valueAt(ConsistencyLevel level) {
            return table.sum(type(), level);
        }

        @Override
        public CompletionStage<FoldResult> foldAsync() {
            return versions.map(table -> explained(table.fold(type()).thenApply(rows -> new FoldResult(rows, 0))))
                    .orElseGet(super::foldAsync);
        }
    }
}
