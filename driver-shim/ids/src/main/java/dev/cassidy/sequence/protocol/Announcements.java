package dev.cassidy.sequence.protocol;

import dev.cassidy.sequence.store.ChangeLog;
import dev.cassidy.sequence.store.ClaimOutcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Announces changes of sequences to other processes. An announcement is a hint: one that does not arrive fails nothing,
 * because every process looks at everything now and then.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class Announcements {

    private static final Logger LOG = LoggerFactory.getLogger(Announcements.class);

    private final ChangeLog changes;

    Announcements(ChangeLog changes) {
        this.changes = changes;
    }

    /** Announces a change that took effect, or may have. Returns the outcome of the change as it is. */
    CompletionStage<ClaimOutcome> announced(ClaimOutcome outcome, ChangeLog.Level level, String name) {
        return outcome instanceof ClaimOutcome.Lost
                ? CompletableFuture.completedFuture(outcome)
                : announce(level, name).thenApply(arrived -> outcome);
    }

    /** Announces a change, and returns whether the announcement arrived. */
    CompletionStage<Boolean> announce(ChangeLog.Level level, String name) {
        return changes.announce(level, new ChangeLog.Change(ChangeLog.Kind.SEQUENCE, name))
                .handle((done, failure) -> {
                    if (failure != null) {
                        LOG.debug("the change of sequence {} could not be announced to level {}", name, level, failure);
                    }
                    return failure == null;
                });
    }
}
