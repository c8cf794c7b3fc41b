package dev.cassidy.counter;

import java.math.BigInteger;
import java.util.concurrent.CompletionStage;

/**
 * One counter: a number that many processes increment at the same time.
 *
 * <p>What an increment guarantees and costs depends on the {@link CounterKind}. What a kind cannot do, it refuses with
 * {@link CounterException.Refused}.
 *
 * <p>Safe for use by many threads. Methods without {@code Async} in their names block: never call them from one of the
 * driver's threads. Asynchronous methods fail with what the others throw.
 */
public interface Counter {

    /** Returns the counter's name. */
    String type();

    /**
     * Adds {@code delta}, which may be negative unless the counters are grow-only. When this returns, the increment counts.
     * Every kind has this.
     *
     * @throws CounterException.NotSent if it does not count and never will; it may be repeated
     * @throws CounterException.OutcomeUnknown if that is not known; if its {@code receipt()} is empty, nothing tells later
     * @throws CounterException.NoSlot if more processes increment than there are slots
     * @throws CounterException.Overflow if {@code delta}, or what it makes of the total, does not fit the table's column
     * @throws IllegalArgumentException if {@code delta} is negative and the counters are grow-only
     */
    void add(long delta);

    /** Adds {@code delta}, without waiting. */
    CompletionStage<Void> addAsync(long delta);

    /**
     * Adds {@code delta}, as {@link #add}, and returns a receipt. When this returns, the increment is counted exactly once,
     * for ever. Only {@link CounterKind#FOLDED} has it.
     *
     * @return the increment's name, for {@link #status}
     * @throws CounterException.NotSent if it does not count; it may be repeated
     * @throws CounterException.OutcomeUnknown if that is not known; do not repeat it, but ask for its {@link #status}
     * @throws CounterException.NoSlot if more processes increment than there are slots
     * @throws CounterException.Overflow if {@code delta} does not fit the table's column
     * @throws CounterException.Refused if this kind of counter gives no receipts
     * @throws IllegalArgumentException if {@code delta} is negative and the counters are grow-only
     */
    Receipt increment(long delta);

    /** Adds {@code delta}, without waiting. */
    CompletionStage<Receipt> incrementAsync(long delta);

    /**
     * Returns the sum. It contains each increment of this datacenter that was acknowledged before this call, and those of
     * other datacenters that have arrived here. An increment that is not acknowledged yet may be within or not.
     *
     * @throws CounterException.Overflow if it does not fit a long; {@link #exactValue} returns it
     * @throws CounterException.Unavailable if Cassandra does not answer
     */
    long value();

    /** Returns the sum, as {@link #value}, whatever its size. */
    BigInteger exactValue();

    /** Returns the sum, as {@link #value}, without waiting. */
    CompletionStage<BigInteger> valueAsync();

    /**
     * Returns the sum with each increment of every datacenter that was acknowledged before this call. A majority of the
     * replicas of each datacenter must answer.
     */
    BigInteger valueEverywhere();

    /** Returns the sum of every datacenter, as {@link #valueEverywhere}, without waiting. */
    CompletionStage<BigInteger> valueEverywhereAsync();

    /**
     * Returns what became of an increment of this counter.
     *
     * @throws IllegalArgumentException if the receipt is of another counter, or of another table: one that was dropped and
     *     created again is another
     * @throws CounterException.Refused if the increment was written in another datacenter: ask there; or if this kind of
     *     counter gives no receipts
     */
    ReceiptStatus status(Receipt receipt);

    /** Returns what became of an increment, without waiting. */
    CompletionStage<ReceiptStatus> statusAsync(Receipt receipt);

    /**
     * Folds the counter's rows into few. This happens by itself after some hundred increments; any process may do it at any
     * time, and it never changes the value.
     *
     * @throws CounterException.ForeignWrite if the table has rows that Cassidy did not write
     * @throws CounterException.Refused if this kind of counter has nothing to fold
     */
    FoldResult fold();

    /** Folds, without waiting. */
    CompletionStage<FoldResult> foldAsync();
}
