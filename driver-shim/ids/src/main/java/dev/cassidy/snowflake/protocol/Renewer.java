package dev.cassidy.snowflake.protocol;

import dev.cassidy.async.Stages;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.store.NodeRow;
import dev.cassidy.snowflake.store.NodeStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Raises the limit of a lease in the store, reads back what has stood, and judges how that ended. It changes nothing but the
 * lease's limits; {@link LeaseKeeper} decides what follows. It has no state, and is called without the keeper's lock, for one
 * lease at a time.
 *
 * <p>Where nodes forget what they acknowledged, a limit that was raised is used only once it has stood and was read back, as
 * a claim is. So each renewal proves the limit of an earlier one, and limits are written that much further ahead.
 */
final class Renewer {

    private final SnowflakeSpec snowflake;
    private final NodeStore store;
    private final SnowflakeContext context;
    private final LogicalClock clock;

    Renewer(SnowflakeSpec snowflake, NodeStore store, SnowflakeContext context, LogicalClock clock) {
        this.snowflake = snowflake;
        this.store = store;
        this.context = context;
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
        return clock.timeOfDay() > clock.now() + context.leadMillis();
    }

    /**
     * Whether ids may follow the time of day. Where limits have to stand, the new time may lie beyond what is proved. The
     * limit is then raised first, and ids follow once that has stood.
     */
    boolean mayFollow(Lease current) {
        return context.safety().standing().isZero() || clock.timeOfDay() <= current.provedUpTo();
    }

    /** @param leapt as {@link #hasLeapt} was when the renewal began */
    CompletionStage<Renewal> renew(Lease current, boolean leapt) {
        if (leapt) {
            return CompletableFuture.completedFuture(new Renewal(true, true, leapt(current)));
        }
        return prove(current)
                .exceptionally(noAnswer -> Renewal.missed(Stages.cause(noAnswer)))
                .thenCompose(proof -> proof.over()
                        ? CompletableFuture.completedFuture(proof)
                        : raise(current).thenApply(raised -> raised.failure() == null ? proof : raised));
    }

    private Throwable leapt(Lease current) {
        return new SequenceException.Detached("the clock jumped ahead by more than " + context.leadMillis()
                + " ms; node number " + current.row().number() + " is given up, and another one follows the clock");
    }

    /**
     * Reads back the limits that have stood. First a majority is made to agree on the row, so that no other majority can be
     * without it; a linearizable read does not do so. Then it is read in serial order: a plain read does not see what another
     * process has proposed without knowing of this lease. Both reads must find the lease, in this order.
     */
    private CompletionStage<Renewal> prove(Lease current) {
        Duration standing = context.safety().standing();
        long asked = context.nanoTime().getAsLong();
        if (!current.limits().canBeProved(asked, standing)) {
            return CompletableFuture.completedFuture(Renewal.DONE);
        }
        String sequence = snowflake.name();
        int number = current.row().number();
        return store.agreed(sequence, number)
                .thenCompose(agreed -> isHeld(current, agreed)
                        ? store.node(sequence, number).thenApply(found -> {
                            if (!isHeld(current, found)) {
                                return lost(current);
                            }
                            long tsHigh =
                                    Math.min(agreed.get().tsHigh(), found.get().tsHigh());
                            current.proved(current.limits()
                                    .proved(tsHigh, asked, context.nanoTime().getAsLong(), standing));
                            return Renewal.DONE;
                        })
                        : CompletableFuture.completedFuture(lost(current)));
    }

    private static boolean isHeld(Lease current, Optional<NodeRow> found) {
        return found.isPresent() && found.get().isSameLease(current.row());
    }

    private Renewal lost(Lease current) {
        String lease = "node number " + current.row().number() + " of sequence " + snowflake.name();
        return new Renewal(
                true,
                false,
                new SequenceException.Detached(
                        current.limits().haveStood()
                                ? lease + " was taken over by another process"
                                : "Cassandra has forgotten that this process took " + lease
                                        + ": a node was killed before its commit log was on its disk"));
    }

    private CompletionStage<Renewal> raise(Lease current) {
        long now = Math.max(clock.now(), clock.timeOfDay());
        long until = now + context.leadMillis();
        if (until > SnowflakeSpec.LAST_MILLI) {
            return CompletableFuture.completedFuture(
                    new Renewal(clock.now() > SnowflakeSpec.LAST_MILLI, true, NodeAssigner.ended(snowflake)));
        }
        if (until <= Math.max(current.provedUpTo(), current.limits().highest())) {
            return CompletableFuture.completedFuture(Renewal.DONE);
        }
        long sent = context.nanoTime().getAsLong();
        return store.renew(snowflake.name(), current.row(), until).thenCompose(outcome -> {
            if (outcome instanceof ClaimOutcome.Claimed) {
                acknowledged(current, until, sent);
                return CompletableFuture.completedFuture(Renewal.DONE);
            }
            return store.node(snowflake.name(), current.row().number()).thenApply(found -> {
                if (!isHeld(current, found)) {
                    return lost(current);
                }
                // The limit in the row, not the one that this renewal was to write.
                long raised = found.get().tsHigh();
                boolean sentNow = raised == until || context.safety().standing().isZero();
                if (sentNow
                        && raised
                                > Math.max(
                                        current.provedUpTo(), current.limits().highest())) {
                    acknowledged(current, raised, sent);
                    return Renewal.DONE;
                }
                return Renewal.missed(
                        outcome instanceof ClaimOutcome.Unknown unknown
                                ? unknown.cause()
                                : new SequenceException.Detached("the limit of node number "
                                        + current.row().number() + " of sequence " + snowflake.name()
                                        + " was not raised"));
            });
        });
    }

    /** Only after the store has the limit may ids be issued up to it; where nodes forget, not before it has stood. */
    private void acknowledged(Lease current, long tsHigh, long sent) {
        if (context.safety().standing().isZero()) {
            current.limits().stand();
            current.proved(tsHigh);
        } else {
            current.limits().acknowledged(tsHigh, sent, context.nanoTime().getAsLong());
        }
    }
}
