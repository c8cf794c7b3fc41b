package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import dev.cassidy.async.Jitter;
import dev.cassidy.counter.cassandra.RevisedTable;
import java.math.BigInteger;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counters of the kind {@link CounterKind#SERIALIZABLE}. */
final class SerializableCounters implements OpenCounters {

    private static final Logger LOG = LoggerFactory.getLogger(SerializableCounters.class);

    private static final CounterBase.Refusals REFUSALS = new CounterBase.Refusals(
            CounterKind.SERIALIZABLE,
            "the table remembers who made the last few hundred changes, and a receipt holds for ever",
            "it is one number");

    private final KindContext context;
    private final RevisedTable table;
    private final Duration lease;
    private final Lanes lanes;

    SerializableCounters(KindContext context, RevisedTable table) {
        this.context = context;
        this.table = table;
        this.lease = lease(context.config());
        this.lanes = new Lanes(context, Writer::new);
    }

    /** So that a caller lives to see that a lock is taken over. */
    private static Duration lease(CountersConfig config) {
        Duration half = config.incrementTimeout().dividedBy(2);
        return half.compareTo(config.requestTimeout()) < 0 ? half : config.requestTimeout();
    }

    @Override
    public Counter counter(String type) {
        return new SerializableCounter(type);
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

    /** Each lock and each group draws tokens of its own. */
    @Override
    public void resume() {}

    /** Writes the groups of one counter, each under the lock. */
    private final class Writer implements Lane.Writer {

        private final String counter;

        Writer(String counter) {
            this.counter = counter;
        }

        @Override
        public CompletionStage<Void> write(IncrementGroup group) {
            Jitter jitter = new Jitter(context.timer(), context.random());
            return underLock(
                    group, new Change(table, counter, group, context.identity().token(), jitter));
        }

        private CompletionStage<Void> underLock(IncrementGroup group, Change change) {
            CounterLock lock = new CounterLock(
                    table,
                    counter,
                    context.identity().token(),
                    lease,
                    new Jitter(context.timer(), context.random()),
                    context.nanoTime());
            return lock.take(group)
                    .thenCompose(taken -> taken.isEmpty()
                            ? CompletableFuture.completedFuture(null)
                            : change.from(taken.get(), taken.get().fence())
                                    .thenCompose(number -> giveBack(taken.get().fence()))
                                    // Somebody took the lock meanwhile, and nothing counts yet.
                                    .thenCompose(done -> group.isEmpty()
                                            ? CompletableFuture.completedFuture(null)
                                            : underLock(group, change)));
        }

        /** If that fails, or takes effect late, the lock is free after the lease. The token keeps it from a later holder. */
        private CompletionStage<Void> giveBack(long fence) {
            return table.unlock(counter, fence).handle((outcome, failure) -> {
                if (failure != null) {
                    LOG.debug("the lock of counter {} is not given back: it will be taken over", counter, failure);
                }
                return null;
            });
        }
    }

    private final class SerializableCounter extends CounterBase {

        SerializableCounter(String type) {
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
