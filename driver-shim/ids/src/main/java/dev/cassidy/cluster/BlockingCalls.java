package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.protocol.Answers;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Waits for stages on behalf of callers that block. Safe for use by many threads. */
public final class BlockingCalls {

    private final Duration most;

    public BlockingCalls(SequencesConfig config) {
        // Every step has a time-out of its own; this one only ensures that a lost answer cannot hang a caller.
        this.most = config.claimTimeout().plus(config.requestTimeout());
    }

    /**
     * Waits for a stage that takes no longer than a claim.
     *
     * @throws SequenceException as {@link Answers#await}; {@link SequenceException.Forbidden} if the role lacks a right
     * @throws IllegalStateException on one of the driver's threads, unless the stage has ended; what it does goes on
     */
    public <T> T get(CompletionStage<T> stage) {
        return get(stage, Duration.ZERO);
    }

    /**
     * As {@link #get(CompletionStage)}.
     *
     * @param longer how much longer than a claim the stage may take
     */
    public <T> T get(CompletionStage<T> stage, Duration longer) {
        try {
            return Answers.await(stage, most.plus(longer), DriverThreads::refuseToWait);
        } catch (SequenceException.Unavailable e) {
            @Nullable UnauthorizedException refused = Grants.refusal(e);
            throw refused == null ? e : Grants.forbidden(refused);
        }
    }
}
