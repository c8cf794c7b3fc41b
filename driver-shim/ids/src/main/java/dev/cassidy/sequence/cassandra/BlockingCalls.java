package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.cluster.Grants;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.protocol.Answers;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

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
        try {
            return Answers.await(stage, most.plus(longer));
        } catch (SequenceException.Unavailable e) {
            @Nullable UnauthorizedException refused = Grants.refusal(e);
            throw refused == null ? e : Rights.forbidden(refused);
        }
    }
}
