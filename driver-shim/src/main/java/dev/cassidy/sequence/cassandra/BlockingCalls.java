package dev.cassidy.sequence.cassandra;

import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.protocol.Answers;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** Waits for stages on behalf of callers that block. Safe for use by many threads. */
final class BlockingCalls {

    private final Duration most;

    BlockingCalls(SequencesConfig config) {
        // Every step has a time-out of its own; this one only ensures that a lost answer cannot hang a caller.
        this.most = config.claimTimeout().plus(config.requestTimeout());
    }

    <T> T get(CompletionStage<T> stage) {
        return get(stage, Duration.ZERO);
    }

    /** @param longer how much longer than a claim the stage may take */
    <T> T get(CompletionStage<T> stage, Duration longer) {
        return Answers.await(stage, most.plus(longer));
    }
}
