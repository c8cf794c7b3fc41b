package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import dev.cassidy.async.Jitter;
import dev.cassidy.counter.cassandra.RevisedTable;
import dev.cassidy.counter.cassandra.RevisedTable.Revised;
import java.math.BigInteger;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Counters of the kind {@link CounterKind#LINEARIZABLE}. */
final class LinearizableCounters implements OpenCounters {

    private static final CounterBase.Refusals REFUSALS = new CounterBase.Refusals(
            CounterKind.LINEARIZABLE,
            "the table remembers who made the last few hundred changes, and a receipt holds for ever",
            "it is one number");

    private final KindContext context;
    private final RevisedTable table;
    private final Lanes lanes;

    LinearizableCounters(KindContext context, RevisedTable table) {
        this.context = context;
        this.table = table;
        this.lanes = new Lanes(context, Writer::new);
    }

    @Override
    public Counter counter(String type) {
        return new LinearizableCounter(type);
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

    @Override
    public void resume() {}

    /** Writes the groups of one counter, each from what the one before left. */
    private final class Writer implements Lane.Writer {

        private final String counter;
        private Optional<Revised> seen = Optional.empty();

        Writer(String counter) {
            this.counter = counter;
        }

        @Override
        public CompletionStage<Void> write(IncrementGroup group) {
            Change change = new Change(
                    table, counter, group, context.identity().token(), new Jitter(context.timer(), context.random()));
            // What was read long ago must not decide that something does not fit.
            CompletionStage<Optional<Revised>> changed = seen.filter(number -> group.fits(number.value()))
                    .map(number -> change.from(number, 0))
                    .orElseGet(change::fromTheBeginning);
            seen = Optional.empty();
            return changed.thenAccept(number -> seen = number);
        }
    }

    private final class LinearizableCounter extends CounterBase {

        LinearizableCounter(String type) {
            super(type, context.config(), REFUSALS);
        }

        @Override
        CompletionStage<Void> send(long delta) {
            return lanes.add(type(), delta);
        }

        /** The table has replicas in one datacenter alone, so there is one level for all reads. */
        @Override
        CompletionStage<BigInteger> valueAt(ConsistencyLevel level) {
            return table.read(type()).thenApply(number -> BigInteger.valueOf(number.value()));
        }
    }
}
