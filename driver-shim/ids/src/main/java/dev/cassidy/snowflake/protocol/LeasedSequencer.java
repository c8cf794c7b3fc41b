package dev.cassidy.snowflake.protocol;

import dev.cassidy.sequence.IdCursor;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.Answers;
import dev.cassidy.snowflake.SnowflakeSequencer;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.SnowflakeState;
import dev.cassidy.snowflake.store.NodeStore;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;

/**
 * A sequencer whose node number is leased from a {@link NodeStore}. It makes ids from the {@link Lease} that its {@link
 * LeaseKeeper} keeps. {@link SnowflakeSequencer} has the contract. An id costs one look at the monotonic clock and one
 * compare-and-set, and no lock is held while waiting.
 */
public final class LeasedSequencer implements SnowflakeSequencer {

    private final SnowflakeSpec snowflake;
    private final SequenceSpec spec;
    private final SnowflakeContext context;
    private final LogicalClock clock;
    private final LeaseKeeper keeper;

    /** Of {@link #keeper}; here, so that an id needs one object less to look up. */
    private final HeldLease held;

    /** Makes a sequencer that is detached. */
    public LeasedSequencer(SnowflakeSpec snowflake, NodeStore store, SnowflakeContext context) {
        this.snowflake = snowflake;
        this.spec = SequenceSpec.timeOrdered(snowflake.name());
        this.context = context;
        this.clock = new LogicalClock(
                context.clock(), context.nanoTime(), snowflake.epoch().toEpochMilli());
        this.keeper = new LeaseKeeper(snowflake, store, context, clock);
        this.held = keeper.held();
    }

    @Override
    public SnowflakeSpec snowflake() {
        return snowflake;
    }

    /** Returns the sequence as one of 64-bit integers; it does not describe which of them are issued. */
    @Override
    public SequenceSpec spec() {
        return spec;
    }

    @Override
    public SnowflakeState state() {
        return keeper.state();
    }

    @Override
    public OptionalInt node() {
        return keeper.node();
    }

    @Override
    public long nextLong() {
        while (true) {
            Lease current = held.lease();
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
            Lease current = held.lease();
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
            Lease current = held.lease();
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
            Lease current = held.lease();
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

    /**
     * Returns a cursor that takes no ids ahead of need, because an id contains the time at which it was issued. It is no
     * faster than this sequencer.
     */
    @Override
    public IdCursor cursor() {
        return new SnowflakeCursor(this);
    }

    /**
     * Returns whether this sequencer has issued an id, or has passed it over as the time went on, under its node number or
     * one of the last that it had. Nobody issues such an id any more.
     */
    boolean hasIssued(long id) {
        return held.hasIssued(id);
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
            Answers.await(remove(current, obstacle), context.timeout(), context.waiting());
        }
    }

    /** Returns a stage that ends when it makes sense to ask {@link HeldLease#lease} again, and fails if it does not. */
    private CompletionStage<Void> remove(Lease current, long obstacle) {
        if (obstacle == Lease.USED_UP) {
            CompletableFuture<Void> begun = new CompletableFuture<>();
            context.timer().schedule(() -> begun.complete(null), Duration.ofNanos(clock.nanosToNextMilli()));
            return begun;
        }
        if (obstacle == Lease.UNPROVED) {
            return keeper.renew(current);
        }
        if (obstacle == Lease.CLOSED) {
            return keeper.whyClosed(current);
        }
        // The obstacle disappeared between two looks.
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void attach() {
        Answers.await(attachAsync(), NodeAssigner.longestAttempt(context).plus(context.timeout()), context.waiting());
    }

    @Override
    public CompletionStage<Void> attachAsync() {
        return keeper.attach();
    }

    @Override
    public void detach() {
        Answers.await(detachAsync(), context.timeout(), context.waiting());
    }

    @Override
    public CompletionStage<Void> detachAsync() {
        return keeper.detach();
    }

    /**
     * Gives the node number back, and takes none until {@link #resume}; then the sequencer attaches again if it is attached
     * now. No id is issued after this method returns. The stage ends when the number was given back, or could not be. A
     * no-op if the sequencer is suspended.
     */
    CompletionStage<Void> suspendAsync() {
        return keeper.suspend();
    }

    /**
     * For a process that was copied: issues nothing more under its node number, because another copy may go on with it. The
     * number is not given back, and one that is about to be taken is not used. Nothing is issued until {@link #resume}.
     */
    void disown() {
        keeper.disown();
    }

    /** Takes a node number again if the sequencer is to be attached; a no-op if it is not suspended. */
    void resume() {
        keeper.resume();
    }

    @Override
    public void destroy() {
        Answers.await(destroyAsync(), context.timeout().plus(context.timeout()), context.waiting());
    }

    @Override
    public CompletionStage<Void> destroyAsync() {
        return keeper.destroy();
    }

    /** Issues nothing more, because the sequence was destroyed. */
    void noticeDestroyed() {
        keeper.noticeDestroyed();
    }

    /** Detaches for good. */
    @Override
    public void close() {
        closeAsync();
    }

    @Override
    public CompletionStage<Void> closeAsync() {
        return keeper.close();
    }

    @Override
    public boolean isClosed() {
        return keeper.isClosed();
    }
}
