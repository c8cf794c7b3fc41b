package dev.cassidy.snowflake.protocol;

import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.store.NodeStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Raises the limit of a lease in the store, and judges how that ended. It changes nothing but the limit up to which the lease
 * is proved; {@link LeaseKeeper} decides what follows. It has no state, and is called without the keeper's lock.
 */
final class Renewer {

    private final SnowflakeSpec snowflake;
    private final NodeStore store;
    private final LogicalClock clock;

    Renewer(SnowflakeSpec snowflake, NodeStore store, LogicalClock clock) {
        this.snowflake = snowflake;
        this.store = store;
        this.clock = clock;
    }

    /**
     * How a renewal ended.
     *
     * @param over whether the lease cannot be renewed any more
     * @param ours whether the number is still this process's own, so that it can be given back
     * @param failure null if the limit was raised
     */
    record Renewal(boolean over, boolean ours, @Nullable Throwable failure) {
        static final Renewal DONE = new Renewal(false, true, null);

        static Renewal missed(Throwable failure) {
            return new Renewal(false, true, failure);
        }
    }

    /** Whether the clock has jumped ahead so far that another number must follow it. */
    boolean hasLeapt() {
        return clock.timeOfDay() > clock.now() + NodeAssigner.LEAD_MILLIS;
    }

    /** @param leapt as {@link #hasLeapt} was when the renewal began */
    CompletionStage<Renewal> renew(Lease current, boolean leapt) {
        if (leapt) {
            return CompletableFuture.completedFuture(new Renewal(true, true, leapt(current)));
        }
        if (clock.now() + NodeAssigner.LEAD_MILLIS > SnowflakeSpec.LAST_MILLI) {
            return CompletableFuture.completedFuture(
                    new Renewal(clock.now() > SnowflakeSpec.LAST_MILLI, true, NodeAssigner.ended(snowflake)));
        }
        return raise(current, clock.now() + NodeAssigner.LEAD_MILLIS);
    }

    private static Throwable leapt(Lease current) {
        return new SequenceException.Detached("the clock jumped ahead by more than " + NodeAssigner.LEAD_MILLIS
                + " ms; node number " + current.row().number() + " is given up, and another one follows the clock");
    }

    private CompletionStage<Renewal> raise(Lease current, long until) {
        if (until <= current.provedUpTo()) {
            return CompletableFuture.completedFuture(Renewal.DONE);
        }
        return store.renew(snowflake.name(), current.row(), until).thenCompose(outcome -> {
            if (outcome instanceof ClaimOutcome.Claimed) {
                // Only after the store has the limit may ids be issued up to it.
                current.proved(until);
                return CompletableFuture.completedFuture(Renewal.DONE);
            }
            Throwable cause = outcome instanceof ClaimOutcome.Unknown unknown
                    ? unknown.cause()
                    : new SequenceException.Detached(
                            "node number " + current.row().number() + " of sequence " + snowflake.name()
                                    + " was taken over by another process");
            return store.node(snowflake.name(), current.row().number()).thenApply(found -> {
                if (found.isEmpty() || !found.get().isSameLease(current.row())) {
                    return new Renewal(true, false, cause);
                }
                // The limit in the row, not the one that this renewal was to write.
                boolean raised = found.get().tsHigh() > current.provedUpTo();
                current.proved(found.get().tsHigh());
                return raised ? Renewal.DONE : Renewal.missed(cause);
            });
        });
    }
}
