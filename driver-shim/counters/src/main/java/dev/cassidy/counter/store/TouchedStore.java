package dev.cassidy.counter.store;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Which counters the holder of a slot has written to, so that what it leaves can be folded. A hint, written plainly: a
 * counter that is missing here is still summed correctly. Nothing blocks.
 */
public interface TouchedStore {

    CompletionStage<Void> note(int slot, int epoch, Collection<String> counters);

    /**
     * Returns some of the counters that were noted after {@code after} in their order; empty if there are no more.
     *
     * @param after the empty text for the first ones
     */
    CompletionStage<List<String>> next(int slot, int epoch, String after);

    /** Removes the notes of the counters after {@code after} in their order, up to {@code upto} with it. */
    CompletionStage<Void> forget(int slot, int epoch, String after, String upto);

    /** Removes the notes of an epoch. */
    CompletionStage<Void> forget(int slot, int epoch);
}
