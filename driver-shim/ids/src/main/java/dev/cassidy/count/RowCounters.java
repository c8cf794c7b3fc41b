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

    /**
     * What a transaction adds to a counter: a row of its own. The process that ends the transaction writes it, as often as it takes, and it counts
     * once.
     *
     * @param home the datacenter whose nodes decide the order of the table's writes; empty if those of all do
     * @param version which row of the actor it is
     */
    record Addition(String counter, String home, String actor, long version) {}

    /**
     * Returns the row for what a transaction adds. It must come back by {@link #written}, {@link #dropped} or {@link #inDoubt}.
     *
     * @param home as {@link Addition#home}
     */
    Addition addition(String counter, String home);

    /** Takes note that a row is written. Such rows are summed up into one later. Throws nothing. */
    void written(Addition addition);

    /** Takes note that a row never was written, and never will be. */
    void dropped(Addition addition);

    /** Takes note that a row may be written later. */
    void inDoubt(Addition addition);

    /** Returns the sum of what was added to a counter: all of this datacenter that was acknowledged before, and what has arrived of others. */
    CompletionStage<BigInteger> valueAsync(String counter);

    /** Waits for what is under way. Leaves the session open. */
    @Override
    void close();
}
