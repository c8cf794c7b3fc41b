package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import dev.cassidy.counter.cassandra.NativeTable;
import dev.cassidy.counter.store.CounterTable;
import java.math.BigInteger;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counters of the kind {@link CounterKind#NATIVE}. An increment is sent once, and never again: Cassandra cannot tell a
 * repeated one from another one.
 */
final class NativeCounters implements OpenCounters {

    private static final CounterBase.Refusals REFUSALS = new CounterBase.Refusals(
            CounterKind.NATIVE,
            "Cassandra's counter keeps a sum, and nothing of a single increment",
            "Cassandra keeps one number for each counter");

    private final CountersConfig config;
    private final NativeTable table;
    private final Map<Object, CompletableFuture<Void>> underWay = new ConcurrentHashMap<>();
    private volatile boolean closed;

    NativeCounters(KindContext context) {
        this.config = context.config();
        this.table = new NativeTable(context.cluster().session(), context.table(), config.requestTimeout());
    }

    @Override
    public Counter counter(String type) {
        return new NativeCounter(type);
    }

    @Override
    public boolean clean() {
        throw REFUSALS.noSlots();
    }

    @Override
    public CompletionStage<Void> close() {
        closed = true;
        return quiet();
    }

    private CompletionStage<Void> quiet() {
        return CompletableFuture.allOf(underWay.values().stream()
                .map(one -> one.exceptionally(failure -> null))
                .toArray(CompletableFuture<?>[]::new));
    }

    /** Nobody waits longer than for one statement. */
    @Override
    public void abandon() {}

    @Override
    public CompletionStage<Void> suspend() {
        return quiet();
    }

    @Override
    public void resume() {}

    private final class NativeCounter extends CounterBase {

        NativeCounter(String type) {
            super(type, config, REFUSALS);
        }

        @Override
        CompletionStage<Void> send(long delta) {
            if (closed) {
                return CompletableFuture.failedFuture(new IllegalStateException("the counters are closed"));
            }
            CompletableFuture<Void> added = table.add(type(), delta).toCompletableFuture();
            Object key = new Object();
            underWay.put(key, added);
            var unused = added.whenComplete((done, failure) -> underWay.remove(key));
            return Calls.failing(added, this::told);
        }

        private Throwable told(Throwable cause) {
            return cause instanceof CounterTable.NotExecuted || cause instanceof CounterTable.Rejected
                    ? new CounterException.NotSent(
                            "the increment of counter '" + type() + "' does not count, and may be repeated: "
                                    + cause.getMessage(),
                            cause.getCause())
                    : new CounterException.OutcomeUnknown(
                            CounterKind.NATIVE,
                            "it is not known whether the increment of counter '" + type() + "' counts: "
                                    + cause.getMessage(),
                            cause);
        }

        @Override
        CompletionStage<BigInteger> valueAt(ConsistencyLevel level) {
            return table.read(type(), level);
        }
    }
}
