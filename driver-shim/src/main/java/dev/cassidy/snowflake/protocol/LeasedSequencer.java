package dev.cassidy.snowflake.protocol;

import dev.cassidy.async.Stages;
import dev.cassidy.sequence.IdCursor;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.Answers;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.snowflake.SnowflakeSequencer;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.SnowflakeState;
import dev.cassidy.snowflake.store.NodeRow;
import dev.cassidy.snowflake.store.NodeStore;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A sequencer whose node number is leased from a {@link NodeStore}. {@link SnowflakeSequencer} says what it promises; an id
 * costs one look at the monotonic clock and one compare-and-set, and no lock is held while waiting.
 */
public final class LeasedSequencer implements SnowflakeSequencer {

    private static final Logger LOG = LoggerFactory.getLogger(LeasedSequencer.class);
    private static final Duration RENEW_EVERY = Duration.ofSeconds(3);
    private static final long RETRY_MILLIS = 500;
    private static final long LONGEST_RETRY_MILLIS = 10_000;

    private final SnowflakeSpec snowflake;
    private final SequenceSpec spec;
    private final NodeStore store;
    private final NodeRegistry registry;
    private final SnowflakeContext context;
    private final LogicalClock clock;

    private final ReentrantLock lock = new ReentrantLock();
    /** Written under the lock; replaced by the next one, or by a closed one, after it was closed. */
    private volatile Lease lease = Lease.closed();

    private volatile SnowflakeState state = SnowflakeState.DETACHED;

    // All below guarded by the lock.
    /** Replaced in a copy of the process, and with it whatever the former one was about. */
    private NodeAssigner assigner;

    private boolean wanted;
    private boolean closed;
    /** Whether no number is taken until {@link #resume}. */
    private boolean suspended;
    /** Whether the lease is still to be renewed, not replaced. */
    private boolean renewable;

    /** Whether the lease's number is still ours, so that it can be let go of. */
    private boolean ours;

    private long issuedUpTo;
    private long retryMillis = RETRY_MILLIS;
    private @Nullable Throwable lastFailure;
    private @Nullable CompletableFuture<Void> attaching;
    private @Nullable CompletableFuture<Void> renewing;

    /** Makes a sequencer that is detached. */
    public LeasedSequencer(SnowflakeSpec snowflake, NodeStore store, SnowflakeContext context) {
        this.snowflake = snowflake;
        this.spec = SequenceSpec.timeOrdered(snowflake.name());
        this.store = store;
        this.registry = new NodeRegistry(store, context);
        this.context = context;
        this.clock = new LogicalClock(
                context.clock(), context.nanoTime(), snowflake.epoch().toEpochMilli());
        this.assigner = newAssigner();
    }

    private NodeAssigner newAssigner() {
        return new NodeAssigner(snowflake, store, registry, context, clock);
    }

    @Override
    public SnowflakeSpec snowflake() {
        return snowflake;
    }

    /** Returns the sequence as one of 64-bit integers, which says nothing of which are issued. */
    @Override
    public SequenceSpec spec() {
        return spec;
    }

    @Override
    public SnowflakeState state() {
        return state;
    }

    @Override
    public OptionalInt node() {
        lock.lock();
        try {
            return state == SnowflakeState.ATTACHED ? OptionalInt.of(lease.row().number()) : OptionalInt.empty();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long nextLong() {
        while (true) {
            Lease current = lease;
            long id = current.next(clock.now());
            if (id >= 0) {
                return id;
            }
            await(current, id);
        }
    }

    @Override
    public IdRange nextRange(long most) {
        requirePositive(most);
        while (true) {
            Lease current = lease;
            long now = clock.now();
            IdRange range = current.next(now, most);
            if (range != null) {
                return range;
            }
            await(current, current.obstacle(now));
        }
    }

    @Override
    public CompletionStage<Long> nextLongAsync() {
        while (true) {
            Lease current = lease;
            long id = current.next(clock.now());
            if (id >= 0) {
                return CompletableFuture.completedFuture(id);
            }
            CompletionStage<Void> removed = remove(current, id);
            if (!isDone(removed)) {
                return removed.thenCompose(done -> nextLongAsync());
            }
        }
    }

    @Override
    public CompletionStage<IdRange> nextRangeAsync(long most) {
        requirePositive(most);
        while (true) {
            Lease current = lease;
            long now = clock.now();
            IdRange range = current.next(now, most);
            if (range != null) {
                return CompletableFuture.completedFuture(range);
            }
            CompletionStage<Void> removed = remove(current, current.obstacle(now));
            if (!isDone(removed)) {
                return removed.thenCompose(done -> nextRangeAsync(most));
            }
        }
    }

    /** Returns a cursor that takes nothing ahead of need, since an id tells when it was issued: no faster than this. */
    @Override
    public IdCursor cursor() {
        return new SnowflakeCursor(this);
    }

    private static boolean isDone(CompletionStage<Void> stage) {
        CompletableFuture<Void> future = stage.toCompletableFuture();
        return future.isDone() && !future.isCompletedExceptionally();
    }

    private static void requirePositive(long most) {
        if (most < 1) {
            throw new IllegalArgumentException("must be >= 1: most=" + most);
        }
    }

    private void await(Lease current, long obstacle) {
        if (obstacle == Lease.USED_UP) {
            LockSupport.parkNanos(this, clock.nanosToNextMilli());
        } else {
            Answers.await(remove(current, obstacle), context.timeout());
        }
    }

    /** Returns a stage that ends when it is worth while to ask {@link #lease} again, or fails if it is not. */
    private CompletionStage<Void> remove(Lease current, long obstacle) {
        if (obstacle == Lease.USED_UP) {
            CompletableFuture<Void> begun = new CompletableFuture<>();
            context.timer().schedule(() -> begun.complete(null), Duration.ofNanos(clock.nanosToNextMilli()));
            return begun;
        }
        if (obstacle == Lease.UNPROVED) {
            return renew(current);
        }
        if (obstacle == Lease.CLOSED) {
            return whyClosed(current);
        }
        // The obstacle went away between two looks.
        return CompletableFuture.completedFuture(null);
    }

    private CompletionStage<Void> whyClosed(Lease current) {
        lock.lock();
        try {
            // Under the lock: one lease is closed and the next one set in a single step.
            if (lease != current) {
                return CompletableFuture.completedFuture(null);
            }
            return CompletableFuture.failedFuture(refusal());
        } finally {
            lock.unlock();
        }
    }

    /** Guarded by the lock. */
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
        String message = "sequence " + snowflake.name()
                + " has no node number now; it attaches again by itself as soon as" + " Cassandra lets it";
        return failure == null
                ? new SequenceException.Detached(message)
                : new SequenceException.Detached(message + ": " + failure.getMessage(), failure);
    }

    @Override
    public void attach() {
        Answers.await(attachAsync(), NodeAssigner.longest(context.timeout()).plus(context.timeout()));
    }

    @Override
    public CompletionStage<Void> attachAsync() {
        CompletableFuture<Void> done;
        boolean again;
        lock.lock();
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
            lock.unlock();
        }
        acquire(done, again);
        return done;
    }

    /** Gets a number in the background, in place of the one that is to be given up or is lost. */
    private void attachAgain() {
        CompletableFuture<Void> done;
        lock.lock();
        try {
            boolean served = state == SnowflakeState.ATTACHED && renewable;
            boolean ended = closed || state == SnowflakeState.DESTROYED;
            if (ended || suspended || !wanted || served || attaching != null) {
                return;
            }
            done = new CompletableFuture<>();
            attaching = done;
        } finally {
            lock.unlock();
        }
        acquire(done, true);
    }

    private void acquire(CompletableFuture<Void> done, boolean again) {
        NodeAssigner own = assigner();
        own.acquire().whenComplete((assigned, failure) -> {
            Runnable tell = assigned != null
                    ? accept(own, assigned, done)
                    : failed(own, Objects.requireNonNull(failure), done, again);
            // Outside the lock: it runs whatever callers have attached.
            tell.run();
        });
    }

    private NodeAssigner assigner() {
        lock.lock();
        try {
            return assigner;
        } finally {
            lock.unlock();
        }
    }

    private Runnable accept(NodeAssigner from, NodeAssigner.Assigned assigned, CompletableFuture<Void> done) {
        lock.lock();
        try {
            if (from != assigner || from.isDisowned()) {
                // Another copy of this process has the same number, by the same token.
                return () -> {};
            }
            if (suspended) {
                release(assigned.row(), assigned.after());
                return () -> {};
            }
            attaching = null;
            if (!wanted || closed || state == SnowflakeState.DESTROYED) {
                release(assigned.row(), assigned.after());
                RuntimeException refusal = refusal();
                return () -> done.completeExceptionally(refusal);
            }
            // Closed before its successor begins: ids increase in this process whatever number they bear.
            closeLease();
            long after = Math.max(assigned.after(), issuedUpTo);
            clock.follow(after + 1);
            lease = new Lease(assigned.row(), after, snowflake.counterBits());
            state = SnowflakeState.ATTACHED;
            renewable = true;
            ours = true;
            lastFailure = null;
            retryMillis = RETRY_MILLIS;
            LOG.info(
                    "sequence {} has node number {}",
                    snowflake.name(),
                    assigned.row().number());
            renewLater(lease, RENEW_EVERY);
            watchLater(lease);
            return () -> done.complete(null);
        } finally {
            lock.unlock();
        }
    }

    /** @param again whether it was attached before, and stays wanted */
    private Runnable failed(NodeAssigner from, Throwable thrown, CompletableFuture<Void> done, boolean again) {
        Throwable failure = Stages.cause(thrown);
        lock.lock();
        try {
            if (from != assigner || suspended) {
                // Who waits for it waits for the next one.
                return () -> {};
            }
            attaching = null;
            if (failure instanceof SequenceException.Destroyed) {
                becomeDestroyed();
            } else if (!again) {
                // The caller of attach() is told, and calls again if it likes.
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
            lock.unlock();
        }
    }

    private void renewLater(Lease current, Duration delay) {
        context.timer()
                .schedule(
                        () -> {
                            if (lease == current && mayRenew()) {
                                renew(current).whenComplete((done, failure) -> {
                                    if (lease == current && mayRenew()) {
                                        renewLater(
                                                current,
                                                failure == null ? RENEW_EVERY : Duration.ofMillis(RETRY_MILLIS));
                                    }
                                });
                            }
                        },
                        delay);
    }

    /** As long as ids are issued, also those of a promise that is not renewed any more: it may last for long. */
    private void watchLater(Lease current) {
        context.timer()
                .schedule(
                        () -> {
                            if (lease == current && state == SnowflakeState.ATTACHED) {
                                lookWhetherDestroyed();
                                watchLater(current);
                            }
                        },
                        RENEW_EVERY);
    }

    private boolean mayRenew() {
        lock.lock();
        try {
            return renewable && state == SnowflakeState.ATTACHED;
        } finally {
            lock.unlock();
        }
    }

    /** Raises the limit of {@code current}. Several callers share one renewal. */
    private CompletionStage<Void> renew(Lease current) {
        CompletableFuture<Void> done;
        boolean leapt;
        lock.lock();
        try {
            if (lease != current) {
                return CompletableFuture.completedFuture(null);
            }
            if (state != SnowflakeState.ATTACHED) {
                return CompletableFuture.failedFuture(refusal());
            }
            if (!renewable) {
                // Its last promise is used up, and its successor is on the way.
                becomeDetached();
                return CompletableFuture.failedFuture(refusal());
            }
            if (renewing != null) {
                return renewing;
            }
            leapt = clock.timeOfDay() > clock.now() + NodeAssigner.LEAD_MILLIS;
            if (!leapt) {
                clock.follow(0);
            }
            done = new CompletableFuture<>();
            renewing = done;
        } finally {
            lock.unlock();
        }
        CompletionStage<Renewal> step;
        if (leapt) {
            step = CompletableFuture.completedFuture(new Renewal(true, true, leapt(current)));
        } else if (clock.now() + NodeAssigner.LEAD_MILLIS > SnowflakeSpec.LAST_MILLI) {
            step = CompletableFuture.completedFuture(new Renewal(
                    clock.now() > SnowflakeSpec.LAST_MILLI,
                    true,
                    new SequenceException.Exhausted("sequence " + snowflake.name() + " ended at " + snowflake.end())));
        } else {
            step = raise(current, clock.now() + NodeAssigner.LEAD_MILLIS);
        }
        step.whenComplete((renewal, failure) -> {
            Renewal judged = renewal != null ? renewal : Renewal.missed(Stages.cause(Objects.requireNonNull(failure)));
            settle(current, judged, done);
        });
        return done;
    }

    /**
     * How a renewal ended.
     *
     * @param over the lease can not be renewed any more
     * @param ours whether the number is still ours, so that it can be let go of
     * @param failure null if the limit was raised
     */
    private record Renewal(
            boolean over, boolean ours, @Nullable Throwable failure) {
        static final Renewal DONE = new Renewal(false, true, null);

        static Renewal missed(Throwable failure) {
            return new Renewal(false, true, failure);
        }
    }

    private Throwable leapt(Lease current) {
        return new SequenceException.Detached("the clock leapt ahead by more than " + NodeAssigner.LEAD_MILLIS
                + " ms; node number " + current.row().number() + " is given up, and the clock followed under another");
    }

    private CompletionStage<Renewal> raise(Lease current, long until) {
        if (until <= current.provedUpTo()) {
            return CompletableFuture.completedFuture(Renewal.DONE);
        }
        return store.renew(snowflake.name(), current.row(), until).thenCompose(outcome -> {
            if (outcome instanceof ClaimOutcome.Claimed) {
                // Persisted first, allowed then.
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
                // The row's own limit, not the one that we meant to write.
                boolean raised = found.get().tsHigh() > current.provedUpTo();
                current.proved(found.get().tsHigh());
                return raised ? Renewal.DONE : Renewal.missed(cause);
            });
        });
    }

    private void settle(Lease current, Renewal renewal, CompletableFuture<Void> done) {
        Throwable failure = renewal.failure();
        boolean successor = false;
        lock.lock();
        try {
            renewing = null;
            if (lease == current && state == SnowflakeState.ATTACHED && failure != null) {
                lastFailure = failure;
                ours = renewal.ours();
                if (renewal.over()) {
                    // What was promised stays promised: it serves until its successor is there, or it is used up.
                    renewable = false;
                    successor = true;
                    LOG.warn("sequence {} changes its node number: {}", snowflake.name(), failure.getMessage());
                }
                if (clock.now() > current.provedUpTo()) {
                    LOG.warn("sequence {} is detached: {}", snowflake.name(), failure.getMessage());
                    becomeDetached();
                    successor = true;
                    failure = refusal();
                }
            }
        } finally {
            lock.unlock();
        }
        if (successor) {
            attachAgain();
        }
        if (failure == null) {
            done.complete(null);
        } else {
            done.completeExceptionally(failure);
        }
    }

    /** Guarded by the lock. Returns a stage that ends when the number was let go of, or could not be. */
    private CompletionStage<Void> closeLease() {
        Lease closing = lease;
        long last = closing.close();
        issuedUpTo = Math.max(issuedUpTo, last);
        if (!ours) {
            return CompletableFuture.completedFuture(null);
        }
        ours = false;
        return release(closing.row(), last);
    }

    /** Only of a lease of which nothing is issued any more. Whatever the outcome, it is never used again. */
    private CompletionStage<Void> release(NodeRow row, long last) {
        return store.release(snowflake.name(), row, last).handle((outcome, failure) -> {
            if (!(outcome instanceof ClaimOutcome.Claimed)) {
                LOG.debug(
                        "sequence {}: node number {} may not look free yet: {}",
                        snowflake.name(),
                        row.number(),
                        outcome,
                        failure);
            }
            return null;
        });
    }

    /** Guarded by the lock. */
    private CompletionStage<Void> becomeDetached() {
        CompletionStage<Void> told = closeLease();
        lease = Lease.closed();
        renewable = false;
        if (state == SnowflakeState.ATTACHED) {
            state = SnowflakeState.DETACHED;
        }
        return told;
    }

    /** Guarded by the lock. */
    private CompletionStage<Void> becomeDestroyed() {
        if (state != SnowflakeState.DESTROYED) {
            LOG.warn("sequence {} was destroyed", snowflake.name());
        }
        wanted = false;
        state = SnowflakeState.DESTROYED;
        return becomeDetached();
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

    void noticeDestroyed() {
        lock.lock();
        try {
            becomeDestroyed();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void detach() {
        Answers.await(detachAsync(), context.timeout());
    }

    @Override
    public CompletionStage<Void> detachAsync() {
        lock.lock();
        try {
            if (closed || state == SnowflakeState.DESTROYED) {
                return CompletableFuture.failedFuture(refusal());
            }
            wanted = false;
            lastFailure = null;
            return becomeDetached();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives the node number back, and takes none until {@link #resume}; then it attaches again if it is attached now. No id
     * is issued after this returns; the stage ends when the number was given back. A no-op if it is suspended.
     */
    CompletionStage<Void> suspendAsync() {
        lock.lock();
        try {
            if (closed || suspended || state == SnowflakeState.DESTROYED) {
                return CompletableFuture.completedFuture(null);
            }
            suspended = true;
            return becomeDetached();
        } finally {
            lock.unlock();
        }
    }

    /**
     * For a process that was copied: issues nothing more under its node number, and neither gives it back nor takes one that
     * it is about to take, for another copy may go on with it. Nothing is issued until {@link #resume}.
     */
    void disown() {
        lock.lock();
        try {
            if (closed || state == SnowflakeState.DESTROYED) {
                return;
            }
            suspended = true;
            ours = false;
            CompletionStage<Void> unused = becomeDetached();
            assigner.disown();
        } finally {
            lock.unlock();
        }
    }

    /** Takes a node number again if there is to be one; a no-op if it is not suspended. */
    void resume() {
        CompletableFuture<Void> done;
        @Nullable RuntimeException refusal;
        lock.lock();
        try {
            if (!suspended) {
                return;
            }
            suspended = false;
            if (assigner.isDisowned()) {
                // Not before: the token that it draws must be none that another copy draws as well.
                assigner = newAssigner();
            }
            done = attaching == null ? new CompletableFuture<>() : attaching;
            refusal = closed || !wanted || state == SnowflakeState.DESTROYED ? refusal() : null;
            attaching = refusal == null ? done : null;
        } finally {
            lock.unlock();
        }
        if (refusal == null) {
            acquire(done, true);
        } else {
            done.completeExceptionally(refusal);
        }
    }

    @Override
    public void destroy() {
        Answers.await(destroyAsync(), context.timeout().plus(context.timeout()));
    }

    @Override
    public CompletionStage<Void> destroyAsync() {
        return registry.destroy(snowflake.name()).thenAccept(done -> noticeDestroyed());
    }

    /** Detaches for good. */
    @Override
    public void close() {
        closeAsync();
    }

    @Override
    public CompletionStage<Void> closeAsync() {
        CompletionStage<Void> returned;
        @Nullable CompletableFuture<Void> waiting;
        RuntimeException refusal;
        lock.lock();
        try {
            closed = true;
            wanted = false;
            returned = becomeDetached();
            waiting = attaching;
            refusal = refusal();
        } finally {
            lock.unlock();
        }
        // Here, since the timer may be closed next: then what was begun does not end any more.
        if (waiting != null) {
            waiting.completeExceptionally(refusal);
        }
        return returned;
    }

    @Override
    public boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }
}
