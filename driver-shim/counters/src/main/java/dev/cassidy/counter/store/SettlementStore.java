package dev.cassidy.counter.store;

import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/**
 * What was decided of the epochs that have ended, for each counter and slot of this datacenter. Each is one linearizable
 * partition. Nothing blocks.
 */
public interface SettlementStore {

    /** In place of a number: the nodes have forgotten what was decided of the epoch. */
    long FORGOTTEN = -1;

    /** Returns what was settled last, in the order of the conditional steps. */
    CompletionStage<Settled> read(String counter, int slot);

    /**
     * Settles more epochs, if what was settled last is still as it was seen.
     *
     * @param counted for each epoch within that has increments: the number of the last one that counts
     */
    CompletionStage<StepOutcome> advance(
            String counter, int slot, Settled seen, Settled wanted, Map<Integer, Long> counted);

    /**
     * Returns the number of the last increment that counts of an epoch that is settled; empty if none counts. It may be
     * {@link #FORGOTTEN}.
     */
    CompletionStage<OptionalLong> counted(String counter, int slot, int epoch);
}
