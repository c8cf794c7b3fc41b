package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import dev.cassidy.async.Jitter;
import dev.cassidy.async.Stages;
import dev.cassidy.counter.cassandra.RevisedTable;
import dev.cassidy.counter.cassandra.RevisedTable.Evidence;
import dev.cassidy.counter.cassandra.RevisedTable.Revised;
import dev.cassidy.lwt.CasOutcome;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Adds one group to a number by compare-and-set, and tries again until it counts or nobody waits.
 *
 * <p>A compare-and-set whose outcome is unknown may take effect as long as the revision that it expects is there, and no
 * longer. So it is sent again as it is while the revision is there: of all copies one takes effect at most. Once the
 * revision has moved, the ring tells who moved it.
 *
 * <p>One step at a time: not safe for use by several threads at a time.
 */
final class Change {

    private final RevisedTable table;
    private final String counter;
    private final IncrementGroup group;
    private final UUID op;
    private final Jitter jitter;

    /** What was sent with an outcome that is not known; null if nothing can take effect any more. */
    private @Nullable Sent open;

    private int refusals;

    private record Sent(Revised seen, long value) {}

    /** @param op a token that no other group has */
    Change(RevisedTable table, String counter, IncrementGroup group, UUID op, Jitter jitter) {
        this.table = table;
        this.counter = counter;
        this.group = group;
        this.op = op;
        this.jitter = jitter;
    }

    /**
     * Goes on from what was read. Completes when the group is empty, or the lock is no longer that of {@code fence}; then
     * it may be called again.
     *
     * @param fence the token of the lock; 0 without a lock
     * @return the number, if it is known
     */
    CompletionStage<Optional<Revised>> from(Revised seen, long fence) {
        Sent sent = open;
        if (sent == null) {
            return send(seen, fence);
        }
        if (seen.revision() > sent.seen().revision()) {
            return table.evidence(counter, sent.seen().revision() + 1, op)
                    .handle(then((evidence, failure) -> evidence == null
                            ? later(fence, "it cannot be read", failure)
                            : decide(evidence, seen, fence)))
                    .thenCompose(stage -> stage);
        }
        if (seen.revision() < sent.seen().revision()
                || seen.value() != sent.seen().value()) {
            group.giveUp("the table was emptied, or the nodes have forgotten changes that they had acknowledged", null);
            return CompletableFuture.completedFuture(Optional.empty());
        }
        if (seen.fence() != sent.seen().fence()) {
            // It demands the former token, so it has not taken effect, and cannot any more.
            nothingOpen();
        }
        return send(seen, fence);
    }

    private CompletionStage<Optional<Revised>> decide(Evidence evidence, Revised seen, long fence) {
        switch (evidence) {
            case MADE -> {
                open = null;
                group.counts();
                return CompletableFuture.completedFuture(Optional.of(seen));
            }
            case NOT_MADE -> {
                nothingOpen();
                return send(seen, fence);
            }
            case LOST -> group.giveUp("too many other changes came before it could be asked for", null);
        }
        return CompletableFuture.completedFuture(Optional.empty());
    }

    private void nothingOpen() {
        open = null;
        group.doesNotCount();
    }

    private CompletionStage<Optional<Revised>> send(Revised seen, long fence) {
        Sent before = open;
        if (before == null && seen.fence() != fence) {
            return CompletableFuture.completedFuture(Optional.of(seen));
        }
        Sent sent = before == null ? new Sent(seen, group.send(seen.value())) : before;
        if (group.isEmpty()) {
            return CompletableFuture.completedFuture(before == null ? Optional.of(seen) : Optional.empty());
        }
        open = sent;
        return table.change(counter, sent.seen(), sent.value(), op)
                .handle(then((outcome, failure) -> outcome == null
                        ? notExecuted(before == null, failure, fence)
                        : ended(outcome, sent, before == null, fence)))
                .thenCompose(stage -> stage);
    }

    private CompletionStage<Optional<Revised>> notExecuted(boolean first, @Nullable Throwable failure, long fence) {
        if (first) {
            nothingOpen();
        }
        if (failure instanceof QueryValidationException) {
            group.giveUp(String.valueOf(failure.getMessage()), failure);
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return later(fence, "it cannot be sent", failure);
    }

    private CompletionStage<Optional<Revised>> ended(CasOutcome outcome, Sent sent, boolean first, long fence) {
        if (outcome instanceof CasOutcome.Applied) {
            open = null;
            group.counts();
            return CompletableFuture.completedFuture(Optional.of(sent.seen().changed(sent.value())));
        }
        if (outcome instanceof CasOutcome.Unknown unknown) {
            return later(fence, "its outcome is not known", unknown.cause());
        }
        if (!first) {
            // The copy that was sent before may be what it met.
            return readAgain(fence);
        }
        nothingOpen();
        refusals++;
        group.because("others changed the counter first, " + refusals + " times", null);
        // The first refusal may come from a number that was read long ago.
        return refusals == 1 ? readAgain(fence) : later(fence);
    }

    private CompletionStage<Optional<Revised>> later(long fence, String why, @Nullable Throwable failure) {
        group.because(failure == null ? why : why + ": " + failure.getMessage(), failure);
        return later(fence);
    }

    private CompletionStage<Optional<Revised>> later(long fence) {
        return jitter.pause().thenCompose(over -> readAgain(fence));
    }

    private CompletionStage<Optional<Revised>> readAgain(long fence) {
        if (group.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return table.read(counter)
                .handle(then((seen, failure) ->
                        seen == null ? later(fence, "it cannot be read", failure) : from(seen, fence)))
                .thenCompose(stage -> stage);
    }

    /** Reads the number first, as long as somebody waits. */
    CompletionStage<Optional<Revised>> fromTheBeginning() {
        return readAgain(0);
    }

    private static <T> BiFunction<T, Throwable, CompletionStage<Optional<Revised>>> then(Next<T> next) {
        return (value, failure) -> next.step(value, failure == null ? null : Stages.cause(failure));
    }

    private interface Next<T> {
        CompletionStage<Optional<Revised>> step(@Nullable T value, @Nullable Throwable failure);
    }
}
