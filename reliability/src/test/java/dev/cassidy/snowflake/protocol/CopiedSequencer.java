package dev.cassidy.snowflake.protocol;

import java.util.concurrent.CompletionStage;

/** What {@code Snowflakes} does with its sequencers in a process that is copied, for a simulation. */
public final class CopiedSequencer {

    private CopiedSequencer() {}

    public static CompletionStage<Void> beforeCheckpoint(LeasedSequencer sequencer) {
        return sequencer.suspendAsync();
    }

    public static void afterRestore(LeasedSequencer sequencer) {
        afterRestore(sequencer, () -> {});
    }

    /** @param renew gives the process another name and other tokens */
    public static void afterRestore(LeasedSequencer sequencer, Runnable renew) {
        sequencer.disown();
        renew.run();
        sequencer.resume();
    }
}
