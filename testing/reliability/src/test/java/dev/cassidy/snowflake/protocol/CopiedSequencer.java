package dev.cassidy.snowflake.protocol;

import java.util.concurrent.CompletionStage;

/** Does, for a simulation, what {@link ClusterSnowflakes} does with its sequencers in a copied process. */
public final class CopiedSequencer {

    private CopiedSequencer() {}

    public static CompletionStage<Void> beforeCheckpoint(LeasedSequencer sequencer) {
        return sequencer.suspendAsync();
    }

    public static void afterRestore(LeasedSequencer sequencer) {
        afterRestore(sequencer, () -> {});
    }

    /** @param renew gives the process a new name and new tokens */
    public static void afterRestore(LeasedSequencer sequencer, Runnable renew) {
        sequencer.disown();
        renew.run();
        sequencer.resume();
    }
}
