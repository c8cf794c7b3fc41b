package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import java.math.BigInteger;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What the counters of all kinds have in common. What a kind does not override, it refuses. */
abstract class CounterBase implements Counter {

    private final String type;
    private final CountersConfig config;
    private final Refusals refusals;

    /**
     * Why a kind refuses what it cannot do.
     *
     * @param receipts why it gives no receipts
     * @param fold why nothing can be folded
     */
    record Refusals(CounterKind kind, String receipts, String fold) {

        CounterException.Refused noReceipts() {
            return new CounterException.Refused("counters of the kind " + kind + " give no receipts: " + receipts
                    + ". Use add(delta), which has none, or counters of the kind FOLDED");
        }

        CounterException.Refused noFold() {
            return new CounterException.Refused("counters of the kind " + kind + " cannot be folded: " + fold
                    + ". Leave the call out, or use counters of the kind FOLDED or VERSIONED");
        }

        CounterException.Refused noSlots() {
            return new CounterException.Refused("counters of the kind " + kind + " have no slots that could be freed:"
                    + " only FOLDED has. Leave the call out");
        }
    }

    CounterBase(String type, CountersConfig config, Refusals refusals) {
        this.type = type;
        this.config = config;
        this.refusals = refusals;
    }

    /** Adds a number that was checked. */
    abstract CompletionStage<Void> send(long delta);

    /** Returns the value. */
    abstract CompletionStage<BigInteger> valueAt(ConsistencyLevel level);

    /** @throws IllegalArgumentException if the increment is negative and the counters are grow-only */
    final void requireAllowed(long delta) {
        if (delta < 0 && config.growOnly()) {
            throw new IllegalArgumentException("must be >= 0, since the counters are grow-only: delta=" + delta);
        }
    }

    @Override
    public final String type() {
        return type;
    }

    @Override
    public final void add(long delta) {
        Calls.join(addAsync(delta));
    }

    @Override
    public final CompletionStage<Void> addAsync(long delta) {
        requireAllowed(delta);
        return explained(send(delta));
    }

    @Override
    public final Receipt increment(long delta) {
        return Calls.join(incrementAsync(delta));
    }

    @Override
    public CompletionStage<Receipt> incrementAsync(long delta) {
        return CompletableFuture.failedFuture(refusals.noReceipts());
    }

    @Override
    public final long value() {
        BigInteger value = exactValue();
        if (value.bitLength() >= Long.SIZE) {
            throw new CounterException.Overflow(
                    "does not fit a long: counter '" + type + "' = " + value + "; exactValue() returns it");
        }
        return value.longValue();
    }

    @Override
    public final BigInteger exactValue() {
        return Calls.await("reading", valueAsync(), config.requestTimeout().multipliedBy(2));
    }

    @Override
    public final CompletionStage<BigInteger> valueAsync() {
        return explained(valueAt(ConsistencyLevel.LOCAL_QUORUM));
    }

    @Override
    public final BigInteger valueEverywhere() {
        return Calls.await(
                "reading", valueEverywhereAsync(), config.requestTimeout().multipliedBy(2));
    }

    @Override
    public final CompletionStage<BigInteger> valueEverywhereAsync() {
        return explained(valueAt(ConsistencyLevel.EACH_QUORUM));
    }

    @Override
    public final ReceiptStatus status(Receipt receipt) {
        return Calls.await("asking for a receipt's status", statusAsync(receipt), config.incrementTimeout());
    }

    @Override
    public CompletionStage<ReceiptStatus> statusAsync(Receipt receipt) {
        return CompletableFuture.failedFuture(refusals.noReceipts());
    }

    @Override
    public final FoldResult fold() {
        return Calls.await("folding", foldAsync(), config.requestTimeout().multipliedBy(12));
    }

    @Override
    public CompletionStage<FoldResult> foldAsync() {
        return CompletableFuture.failedFuture(refusals.noFold());
    }

    /** Gives failures the types that users know. */
    <T> CompletionStage<T> explained(CompletionStage<T> stage) {
        return Calls.failing(stage, cause -> Calls.explained(type, cause));
    }
}
