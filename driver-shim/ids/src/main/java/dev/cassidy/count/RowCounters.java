package dev.cassidy.count;

import java.math.BigInteger;
import java.util.concurrent.CompletionStage;

/** The counters of one table. Safe for use by many threads. What fails, fails with {@link CountException}. */
public interface RowCounters extends AutoCloseable {

    /**
     * Adds to a counter. When this completes, it counts exactly once, whatever the driver or a server has repeated.
     *
     * @param counter exists as soon as something is added to it
     */
    CompletionStage<Void> addAsync(String counter, long delta);

    /** Returns the sum of what was added to a counter: all of this datacenter that was acknowledged before, and what has arrived of others. */
    CompletionStage<BigInteger> valueAsync(String counter);

    /** Waits for what is under way. Leaves the session open. */
    @Override
    void close();
}
