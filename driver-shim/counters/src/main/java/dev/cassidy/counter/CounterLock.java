package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import dev.cassidy.async.Jitter;
import dev.cassidy.async.Stages;
import dev.cassidy.counter.cassandra.RevisedTable;
import dev.cassidy.counter.cassandra.RevisedTable.Revised;
import dev.cassidy.lwt.CasOutcome;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes the lock of a counter once. A lock is taken from a holder under whom nothing has moved for the lease, as this
 * process measures it: no clocks are compared. If the holder was only slow, its token keeps its writes out.
 *
 * <p>One step at a time: not safe for use by several threads at a time.
 */
final class CounterLock {

    private final RevisedTable table;
    private final String counter;
    private final UUID holder;
    private final Duration lease;
    private final Jitter jitter;
    private final LongSupplier nanoTime;

    /** What was seen first of the state that stands now, and when. */
    private @Nullable Revised standing;

    private long since;

    /** @param holder a token that no other taker has */
    CounterLock(RevisedTable table, String counter, UUID holder, Duration lease, Jitter jitter, LongSupplier nanoTime) {
        this.table = table;
        this.counter = counter;
        this.holder = holder;
        this.lease = lease;
        this.jitter = jitter;
        this.nanoTime = nanoTime;
    }

    /**
     * Takes the lock as soon as it is free or its lease has ended.
     *
     * @param group for which it is taken
     * @return the number, under the token of this holder; empty if nobody in the group waits any more
     */
    CompletionStage<Optional<Revised>> take(IncrementGroup group) {
        if (group.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return table.read(counter)
                .handle((seen, failure) ->
                        seen == null ? later(group, "the lock cannot be read", failure) : from(seen, group))
                .thenCompose(stage -> stage);
    }

    private CompletionStage<Optional<Revised>> from(Revised seen, IncrementGroup group) {
        if (holder.equals(seen.holder())) {
            // It was taken by a statement whose outcome was unknown.
            return CompletableFuture.completedFuture(Optional.of(seen));
        }
        if (seen.holder() != null && !hasStoodStill(seen)) {
            return later(group, "another process holds the lock", null);
        }
        // While the token is there, the same statement takes effect once at most, however often it is sent.
        return table.lock(counter, seen, holder)
                .handle((outcome, failure) -> outcome instanceof CasOutcome.Applied
                        ? CompletableFuture.completedFuture(Optional.of(seen.locked(holder)))
                        : refused(outcome, failure, group))
                .thenCompose(stage -> stage);
    }

    private CompletionStage<Optional<Revised>> refused(
            @Nullable CasOutcome outcome, @Nullable Throwable failure, IncrementGroup group) {
        Throwable cause = failure == null ? null : Stages.cause(failure);
        if (cause instanceof QueryValidationException) {
            group.giveUp(String.valueOf(cause.getMessage()), cause);
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return outcome instanceof CasOutcome.Unknown unknown
                ? later(group, "it is not known whether the lock was taken", unknown.cause())
                : later(group, "another process took the lock", cause);
    }

    private boolean hasStoodStill(Revised seen) {
        long now = nanoTime.getAsLong();
        if (!seen.equals(standing)) {
            standing = seen;
            since = now;
        }
        return now - since >= lease.toNanos();
    }

    private CompletionStage<Optional<Revised>> later(IncrementGroup group, String why, @Nullable Throwable failure) {
        Throwable cause = failure == null ? null : Stages.cause(failure);
        group.because(cause == null ? why : why + ": " + cause.getMessage(), cause);
        return jitter.pause().thenCompose(over -> take(group));
    }
}
