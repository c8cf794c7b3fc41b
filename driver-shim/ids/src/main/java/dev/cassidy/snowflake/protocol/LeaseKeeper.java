package dev.cassidy.snowflake.protocol;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.cassidy.async.Stages;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.SnowflakeState;
import dev.cassidy.snowflake.store.NodeStore;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one sequencer attached: takes a node number, has it renewed, and takes another one when it is lost. It decides whether
 * the sequencer is to be attached, when a number is taken, given back or looked for again, and what callers are told meanwhile.
 * {@link HeldLease} has the lease itself; {@link Renewer} raises its limit in the store.
 *
 * <p>Safe for use by many threads. One lock, {@link HeldLease#lock}, guards this and the lease. It is never held while waiting,
 * and no stage that a caller has is completed under it.
 */
final class LeaseKeeper {

    private static final Logger LOG = LoggerFactory.getLogger(LeaseKeeper.class);
    private static final long RETRY_MILLIS = 500;
    private static final long LONGEST_RETRY_MILLIS = 10_000;

    private final SnowflakeSpec snowflake;
    private final NodeStore store;
    private final NodeRegistry registry;
    private final SnowflakeContext context;
    private final LogicalClock clock;
    private final Renewer renewer;
    private final HeldLease held;

    /** Written under the lock. */
    private volatile SnowflakeState state = SnowflakeState.DETACHED;

    /** In a copy of the process another one replaces it. Everything that the former one began is then ignored. */
    @GuardedBy("held.lock")
    private NodeAssigner assigner;

    /** Whether the sequencer is to be attached. */
    @GuardedBy("held.lock")
    private boolean wanted;

    @GuardedBy("held.lock")
    private boolean closed;

    /** Whether no number is taken until {@link #resume}. */
    @GuardedBy("held.lock")
    private boolean suspended;

    /** Whether the lease is renewed. If not, it is replaced. */
    @GuardedBy("held.lock")
    private boolean renewable;

    @GuardedBy("held.lock")
    private long retryMillis = RETRY_MILLIS;

    @GuardedBy("held.lock")
    private @Nullable Throwable lastFailure;

    @GuardedBy("held.lock")
    private @Nullable CompletableFuture<Void> attaching;

    @GuardedBy("held.lock")
    private @Nullable CompletableFuture<Void> renewing;

    /** The number that was taken and is not used before it has stood. Meanwhile an earlier one may be used up. */
    @GuardedBy("held.lock")
    private @Nullable Trial onTrial;

    /** A number that was taken and that nodes may still forget. */
    private static final class Trial {
        final NodeAssigner from;
        final Lease lease;

        /** Ends when it is used. */
        final CompletableFuture<Void> done;

        /** As for {@link #failed}. */
        final boolean again;

        /** When it was taken, by the monotonic clock. */
        final long began;

        Trial(NodeAssigner from, Lease lease, CompletableFuture<Void> done, boolean again, long began) {
            this.from = from;
            this.lease = lease;
            this.done = done;
            this.again = again;
            this.began = began;
        }
    }

    /** Makes a keeper that has no lease. */
    LeaseKeeper(SnowflakeSpec snowflake, NodeStore store, SnowflakeContext context, LogicalClock clock) {
        this.snowflake = snowflake;
        this.store = store;
        this.registry = new NodeRegistry(store, context);
        this.context = context;
        this.clock = clock;
        this.renewer = new Renewer(snowflake, store, context, clock);
        this.held = new HeldLease(snowflake, store, clock);
        this.assigner = newAssigner();
    }

    private NodeAssigner newAssigner() {
        return new NodeAssigner(snowflake, store, registry, context, clock);
    }

    /** Returns what has the lease to issue ids from. */
    HeldLease held() {
        return held;
    }

    SnowflakeState state() {
        return state;
    }

    OptionalInt node() {
        held.lock.lock();
        try {
            return state == SnowflakeState.ATTACHED
                    ? OptionalInt.of(held.lease().row().number())
                    : OptionalInt.empty();
        } finally {
            held.lock.unlock();
        }
    }

    boolean isClosed() {
        held.lock.lock();
        try {
            return closed;
        } finally {
            held.lock.unlock();
        }
    }

    /** Returns a stage that ends at once if another lease has replaced {@code current}, and else fails with the reason. */
    CompletionStage<Void> whyClosed(Lease current) {
        held.lock.lock();
        try {
            // Under the lock, because one lease is closed and the next one set in a single step.
            if (held.lease() != current) {
                return CompletableFuture.completedFuture(null);
            }
            return CompletableFuture.failedFuture(refusal());
        } finally {
            held.lock.unlock();
        }
    }

    @GuardedBy("held.lock")
    private RuntimeException refusal() {
        if (closed) {
            return new IllegalStateException("the sequencer of sequence " + snowflake.name() + " is closed");
        }
        if (state == SnowflakeState.DESTROYED) {
            return NodeRegistry.destroyed(snowflake.name());
        }
        Throwable failure = lastFailure;
        if (!wanted) {
            return new SequenceException.Detached(
                    "sequence " + snowflake.name() + " is detached in this process; call attach() first");
        }
        if (suspended) {
            return new SequenceException.Detached("sequence " + snowflake.name()
                    + " is suspended in this process since beforeCheckpoint(), until afterRestore()");
        }
        if (assigner.hasEnded()) {
            return NodeAssigner.ended(snowflake);
        }
        if (failure instanceof SequenceException.Exhausted || failure instanceof SequenceException.Conflict) {
            // Cassandra has answered: it has no number to give.
            return new SequenceException.Detached(
                    "sequence " + snowflake.name()
                            + " has no node number, and waiting alone brings none; it tries again"
                            + " every " + LONGEST_RETRY_MILLIS / 1_000 + " s, and attaches once the cause has ended: "
                            + failure.getMessage(),
                    failure);
        }
        Trial trial = onTrial;
        String message = "sequence " + snowflake.name()
                + (trial == null
                        ? " has no node number now; it attaches again by itself as soon as Cassandra lets it"
                        : " has taken node number " + trial.lease.row().number()
                                + ", and uses it once no node can forget that, after "
                                + context.safety().standing().toSeconds() + " s (durability=wait)");
        return failure == null
                ? new SequenceException.Detached(message)
                : new SequenceException.Detached(message + ": " + failure.getMessage(), failure);
    }

    /**
     * Takes a number; a no-op if there is one. Several callers share one attempt. If the keeper is suspended, the attempt
     * begins with {@link #resume}.
     */
    CompletionStage<Void> attach() {
        CompletableFuture<Void> done;
        boolean again;
        held.lock.lock();
        try {
            if (closed || state == SnowflakeState.DESTROYED) {
                return CompletableFuture.failedFuture(refusal());
            }
            again = wanted;
            wanted = true;
            if (state == SnowflakeState.ATTACHED) {
                return CompletableFuture.completedFuture(null);
            }
            if (attaching != null) {
                return attaching;
            }
            done = new CompletableFuture<>();
            attaching = done;
            if (suspended) {
                return done;
            }
        } finally {
            held.lock.unlock();
        }
        acquire(done, again);
        return done;
    }

    /** Takes a number in the background, in place of one that was lost or is to be given up. */
    private void attachAgain() {
        CompletableFuture<Void> done;
        held.lock.lock();
        try {
            boolean served = state == SnowflakeState.ATTACHED && renewable;
            boolean ended = closed || state == SnowflakeState.DESTROYED;
            if (ended || suspended || !wanted || served || attaching != null) {
                return;
            }
            done = new CompletableFuture<>();
            attaching = done;
        } finally {
            held.lock.unlock();
        }
        acquire(done, true);
    }

    private void acquire(CompletableFuture<Void> done, boolean again) {
        NodeAssigner own = assigner();
        own.acquire().whenComplete((assigned, failure) -> {
            Runnable end = assigned != null
                    ? accept(own, assigned, done, again)
                    : failed(own, Objects.requireNonNull(failure), done, again);
            // Outside the lock, because it runs what callers have appended to the stage.
            end.run();
        });
    }

    private NodeAssigner assigner() {
        held.lock.lock();
        try {
            return assigner;
        } finally {
            held.lock.unlock();
        }
    }

    /** Returns what ends the attempt; the caller runs it without the lock. */
    private Runnable accept(
            NodeAssigner from, NodeAssigner.Assigned assigned, CompletableFuture<Void> done, boolean again) {
        held.lock.lock();
        try {
            if (from != assigner || from.isDisowned()) {
                // Another copy of this process has the same number, with the same token.
                return () -> {};
            }
            if (suspended) {
                held.release(assigned.row(), assigned.after());
                return () -> {};
            }
            if (!wanted || closed || state == SnowflakeState.DESTROYED) {
                attaching = null;
                held.release(assigned.row(), assigned.after());
                RuntimeException refusal = refusal();
                return () -> done.completeExceptionally(refusal);
            }
            boolean waits = context.freshNumbersWait();
            Lease taken = new Lease(
                    assigned.row(),
                    assigned.after(),
                    waits ? assigned.after() : assigned.row().tsHigh(),
                    snowflake.counterBits());
            if (context.safety().standing().isZero()) {
                taken.limits().stand();
            } else {
                taken.limits().acknowledged(assigned.row().tsHigh(), assigned.sentAt(), assigned.acknowledgedAt());
            }
            if (waits) {
                Trial trial = new Trial(from, taken, done, again, assigned.acknowledgedAt());
                onTrial = trial;
                tryLater(trial);
                return () -> {};
            }
            use(taken);
            return () -> done.complete(null);
        } finally {
            held.lock.unlock();
        }
    }

    /** From now on ids are issued of this lease. */
    @GuardedBy("held.lock")
    private void use(Lease begun) {
        attaching = null;
        held.replace(begun);
        state = SnowflakeState.ATTACHED;
        renewable = true;
        lastFailure = null;
        retryMillis = RETRY_MILLIS;
        LOG.info("sequence {} has node number {}", snowflake.name(), begun.row().number());
        renewLater(begun, SnowflakeContext.RENEW_EVERY);
        watchLater(begun);
    }

    /** Renews the lease on trial, as if it were used, so that its limits lie ahead when it has stood. */
    private void tryLater(Trial trial) {
        Duration standing = context.safety().standing();
        Duration left = trial.lease.limits().untilOneHasStood(context.nanoTime().getAsLong(), standing);
        boolean soon = !left.isNegative() && left.compareTo(SnowflakeContext.RENEW_EVERY) < 0;
        context.timer()
                .schedule(
                        () -> {
                            if (isOnTrial(trial)) {
                                renewer.renew(trial.lease, renewer.hasLeapt())
                                        .whenComplete((renewal, failure) -> tried(trial, judged(renewal, failure))
                                                .run());
                            }
                        },
                        soon ? left : SnowflakeContext.RENEW_EVERY);
    }

    private boolean isOnTrial(Trial trial) {
        held.lock.lock();
        try {
            return onTrial == trial;
        } finally {
            held.lock.unlock();
        }
    }

    /** Returns what follows; the caller runs it without the lock. */
    private Runnable tried(Trial trial, Renewer.Renewal renewal) {
        Lease lease = trial.lease;
        held.lock.lock();
        try {
            if (onTrial != trial) {
                return () -> {};
            }
            if (renewal.over()) {
                onTrial = null;
                LOG.warn(
                        "sequence {} looks for another node number; it has issued nothing of number {}: {}",
                        snowflake.name(),
                        lease.row().number(),
                        Objects.requireNonNull(renewal.failure()).getMessage());
                if (renewal.ours()) {
                    held.release(lease.row(), lease.after());
                }
                return () -> acquire(trial.done, trial.again);
            }
            if (lease.limits().haveStood()) {
                onTrial = null;
                use(lease);
                return () -> trial.done.complete(null);
            }
            long lasted = context.nanoTime().getAsLong() - trial.began;
            if (lasted < context.longestTrial().toNanos()) {
                tryLater(trial);
                return () -> {};
            }
            onTrial = null;
            held.release(lease.row(), lease.after());
            return () -> failed(trial.from, notStood(lease, renewal.failure()), trial.done, trial.again)
                    .run();
        } finally {
            held.lock.unlock();
        }
    }

    private SequenceException notStood(Lease lease, @Nullable Throwable cause) {
        String message = "sequence " + snowflake.name() + " has taken node number "
                + lease.row().number() + ", but could not read it back within " + context.longestTrial()
                + "; with durability=wait it is not used before";
        return cause == null
                ? new SequenceException.Unavailable(message)
                : new SequenceException.Unavailable(message + ": " + cause.getMessage(), cause);
    }

    /** Gives up the number on trial. Nothing was issued of it. Returns a stage that ends when it was given back, or not. */
    @GuardedBy("held.lock")
    private CompletionStage<Void> endTrial(boolean ours) {
        Trial ended = onTrial;
        if (ended == null) {
            return CompletableFuture.completedFuture(null);
        }
        onTrial = null;
        if (!suspended && attaching == ended.done) {
            attaching = null;
            // Not here: it runs whatever callers have attached.
            context.timer().schedule(() -> ended.done.completeExceptionally(currentRefusal()), Duration.ZERO);
        }
        return ours ? held.release(ended.lease.row(), ended.lease.after()) : CompletableFuture.completedFuture(null);
    }

    private RuntimeException currentRefusal() {
        held.lock.lock();
        try {
            return refusal();
        } finally {
            held.lock.unlock();
        }
    }

    /**
     * Returns what ends the attempt; the caller runs it without the lock.
     *
     * @param again whether it was attached before, and is still to be attached
     */
    private Runnable failed(NodeAssigner from, Throwable thrown, CompletableFuture<Void> done, boolean again) {
        Throwable failure = Stages.cause(thrown);
        held.lock.lock();
        try {
            if (from != assigner || suspended) {
                // Callers that wait for this attempt now wait for the next one.
                return () -> {};
            }
            attaching = null;
            if (failure instanceof SequenceException.Destroyed) {
                becomeDestroyed();
            } else if (!again) {
                // The caller of attach() gets the failure, and decides whether to call again.
                wanted = false;
            } else {
                lastFailure = failure;
                LOG.debug("sequence {} got no node number", snowflake.name(), failure);
                long wait = retryMillis;
                retryMillis = Math.min(LONGEST_RETRY_MILLIS, retryMillis * 2);
                context.timer().schedule(this::attachAgain, Duration.ofMillis(wait));
            }
            return () -> done.completeExceptionally(failure);
        } finally {
            held.lock.unlock();
        }
    }

    private void renewLater(Lease current, Duration delay) {
        context.timer()
                .schedule(
                        () -> {
                            if (held.lease() == current && mayRenew()) {
                                renew(current).whenComplete((done, failure) -> {
                                    if (held.lease() == current && mayRenew()) {
                                        renewLater(
                                                current,
                                                failure == null
                                                        ? SnowflakeContext.RENEW_EVERY
                                                        : Duration.ofMillis(RETRY_MILLIS));
                                    }
                                });
                            }
                        },
                        delay);
    }

    /**
     * Looks whether the sequence was destroyed, as long as ids are issued. It also looks when the lease is not renewed any
     * more, because what is left of it may last for long.
     */
    private void watchLater(Lease current) {
        context.timer()
                .schedule(
                        () -> {
                            if (held.lease() == current && state == SnowflakeState.ATTACHED) {
                                lookWhetherDestroyed();
                                watchLater(current);
                            }
                        },
                        SnowflakeContext.RENEW_EVERY);
    }

    private boolean mayRenew() {
        held.lock.lock();
        try {
            return renewable && state == SnowflakeState.ATTACHED;
        } finally {
            held.lock.unlock();
        }
    }

    /**
     * Raises the limit of {@code current}. Several callers share one renewal. The stage ends when it makes sense to ask
     * {@link HeldLease#lease} again, and fails if it does not.
     */
    CompletionStage<Void> renew(Lease current) {
        CompletableFuture<Void> done;
        boolean leapt;
        held.lock.lock();
        try {
            if (held.lease() != current) {
                return CompletableFuture.completedFuture(null);
            }
            if (state != SnowflakeState.ATTACHED) {
                return CompletableFuture.failedFuture(refusal());
            }
            if (!renewable) {
                // The last limit is used up, and another number is already being looked for.
                becomeDetached();
                return CompletableFuture.failedFuture(refusal());
            }
            if (renewing != null) {
                return renewing;
            }
            leapt = renewer.hasLeapt();
            if (!leapt && renewer.mayFollow(current)) {
                clock.follow(0);
            }
            done = new CompletableFuture<>();
            renewing = done;
        } finally {
            held.lock.unlock();
        }
        renewer.renew(current, leapt)
                .whenComplete((renewal, failure) -> settle(current, judged(renewal, failure), done));
        return done;
    }

    private static Renewer.Renewal judged(Renewer.@Nullable Renewal renewal, @Nullable Throwable failure) {
        return renewal != null ? renewal : Renewer.Renewal.missed(Stages.cause(Objects.requireNonNull(failure)));
    }

    private void settle(Lease current, Renewer.Renewal renewal, CompletableFuture<Void> done) {
        Throwable failure = renewal.failure();
        boolean replaced = false;
        held.lock.lock();
        try {
            renewing = null;
            boolean used = held.lease() == current && state == SnowflakeState.ATTACHED;
            boolean usedUp = used && clock.now() > current.provedUpTo();
            if (usedUp && failure == null) {
                failure = new SequenceException.Detached("the limit of node number "
                        + current.row().number() + " is reached, and nodes may still forget the next one");
            }
            if (used && failure != null) {
                lastFailure = failure;
                if (!renewal.ours()) {
                    held.isNotOurs();
                }
                if (renewal.over()) {
                    // A limit that has stood stays valid: ids are issued up to it, or until there is another lease.
                    renewable = false;
                    replaced = true;
                    LOG.warn("sequence {} changes its node number: {}", snowflake.name(), failure.getMessage());
                }
                boolean forgotten = !renewal.ours() && !current.limits().haveStood();
                if (forgotten) {
                    LOG.warn(
                            "sequence {}: what was issued of node number {} since it was taken may be issued again by"
                                    + " another process; with durability=wait a number is not used so early",
                            snowflake.name(),
                            current.row().number());
                }
                if (usedUp || forgotten) {
                    LOG.warn("sequence {} is detached: {}", snowflake.name(), failure.getMessage());
                    becomeDetached();
                    replaced = true;
                    failure = refusal();
                }
            }
        } finally {
            held.lock.unlock();
        }
        if (replaced) {
            attachAgain();
        }
        if (failure == null) {
            done.complete(null);
        } else {
            done.completeExceptionally(failure);
        }
    }

    /** Returns a stage that ends when the number was given back, or could not be. */
    @GuardedBy("held.lock")
    private CompletionStage<Void> becomeDetached() {
        CompletionStage<Void> returned = held.end();
        renewable = false;
        if (state == SnowflakeState.ATTACHED) {
            state = SnowflakeState.DETACHED;
        }
        return returned;
    }

    /**
     * Ends the lease, and the one on trial.
     *
     * @param ours whether the number on trial is certainly this process's own, so that it can be given back
     */
    @GuardedBy("held.lock")
    private CompletionStage<Void> becomeDetachedForGood(boolean ours) {
        CompletionStage<Void> tried = endTrial(ours);
        return becomeDetached().thenCombine(tried, (returned, alsoReturned) -> null);
    }

    @GuardedBy("held.lock")
    private CompletionStage<Void> becomeDestroyed() {
        if (state != SnowflakeState.DESTROYED) {
            LOG.warn("sequence {} was destroyed", snowflake.name());
        }
        wanted = false;
        state = SnowflakeState.DESTROYED;
        return becomeDetachedForGood(true);
    }

    private void lookWhetherDestroyed() {
        store.seemsDestroyed(snowflake.name()).whenComplete((destroyed, failure) -> {
            if (failure != null) {
                LOG.debug("sequence {}: whether it was destroyed is not known now", snowflake.name(), failure);
            } else if (destroyed) {
                noticeDestroyed();
                store.destroyHere(snowflake.name())
                        .whenComplete((outcome, thrown) -> LOG.debug(
                                "sequence {} is marked destroyed here: {}", snowflake.name(), outcome, thrown));
            }
        });
    }

    /** Issues nothing more, because the sequence was destroyed. */
    void noticeDestroyed() {
        held.lock.lock();
        try {
            becomeDestroyed();
        } finally {
            held.lock.unlock();
        }
    }

    /** Gives the number back, and takes none until {@link #attach}. */
    CompletionStage<Void> detach() {
        held.lock.lock();
        try {
            if (closed || state == SnowflakeState.DESTROYED) {
                return CompletableFuture.failedFuture(refusal());
            }
            wanted = false;
            lastFailure = null;
            return becomeDetachedForGood(true);
        } finally {
            held.lock.unlock();
        }
    }

    /**
     * Gives the number back, and takes none until {@link #resume}. No id is issued after this method returns. The stage ends
     * when the number was given back, or could not be. A no-op if the keeper is suspended.
     */
    CompletionStage<Void> suspend() {
        held.lock.lock();
        try {
            if (closed || suspended || state == SnowflakeState.DESTROYED) {
                return CompletableFuture.completedFuture(null);
            }
            suspended = true;
            return becomeDetachedForGood(true);
        } finally {
            held.lock.unlock();
        }
    }

    /**
     * Forgets the number in a process that was copied, because another copy may go on with it. The number is not given
     * back, and one that is about to be taken is not used. None is taken until {@link #resume}.
     */
    void disown() {
        held.lock.lock();
        try {
            held.forgetFormer();
            if (closed || state == SnowflakeState.DESTROYED) {
                return;
            }
            suspended = true;
            held.isNotOurs();
            CompletionStage<Void> unused = becomeDetachedForGood(false);
            // The process that was copied may have given them to a caller who has not used them yet.
            held.forgetFormer();
            assigner.disown();
        } finally {
            held.lock.unlock();
        }
    }

    /** Takes a number again if the sequencer is to be attached; a no-op if the keeper is not suspended. */
    void resume() {
        CompletableFuture<Void> done;
        @Nullable RuntimeException refusal;
        held.lock.lock();
        try {
            if (!suspended) {
                return;
            }
            suspended = false;
            if (assigner.isDisowned()) {
                // Not earlier: it draws a token, and a copy of the process must not draw the same one.
                assigner = newAssigner();
            }
            done = attaching == null ? new CompletableFuture<>() : attaching;
            refusal = closed || !wanted || state == SnowflakeState.DESTROYED ? refusal() : null;
            attaching = refusal == null ? done : null;
        } finally {
            held.lock.unlock();
        }
        if (refusal == null) {
            acquire(done, true);
        } else {
            done.completeExceptionally(refusal);
        }
    }

    /** Destroys the sequence in the whole cluster. */
    CompletionStage<Void> destroy() {
        return registry.destroy(snowflake.name()).thenAccept(done -> noticeDestroyed());
    }

    /** Gives the number back, and takes none any more. */
    CompletionStage<Void> close() {
        CompletionStage<Void> returned;
        @Nullable CompletableFuture<Void> waiting;
        RuntimeException refusal;
        held.lock.lock();
        try {
            closed = true;
            wanted = false;
            waiting = attaching;
            returned = becomeDetachedForGood(true);
            refusal = refusal();
        } finally {
            held.lock.unlock();
        }
        // Here, because the timer may be closed next. An attempt that has begun then never ends.
        if (waiting != null) {
            waiting.completeExceptionally(refusal);
        }
        return returned;
    }
}
