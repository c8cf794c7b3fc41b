package dev.cassidy.sequence.protocol;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.cassidy.async.Stages;
import dev.cassidy.sequence.FreshClaims;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.Incarnations;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Standing;
import dev.cassidy.sequence.store.Stripe;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The blocks of one allocator: the one from which ids are drawn, the one after it, and those that are used up but whose
 * claims are still in the store. One lock guards them all; only a draw needs no lock.
 *
 * <p>Blocks are claimed one after another and published in the order of their claims. When a block ends, its unused ids
 * go back to the store. That happens only after the block has ended for every caller, and this process issues those ids
 * again only after a new claim.
 *
 * <p>Safe for use by many threads. Only {@link #awaitMore()} blocks.
 */
final class Blocks {

    private static final Logger LOG = LoggerFactory.getLogger(Blocks.class);
    private static final int MOST_RETIRED = 16;

    /** Every process may hold this many ids, however slowly it uses them. */
    private static final long KEPT = 64;

    private static final long LONGEST_HOLD_SECONDS = 3_600;
    private static final double LOOK_SECONDS = 60;

    /** The pause after a look at a claim that gave no answer. */
    private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

    /** A node that was killed serves again no sooner than this. */
    private static final Duration SOONEST_RESTART = Duration.ofSeconds(2);

    private final SequenceSpec spec;
    private final Stripe stripe;
    private final RangeStore store;
    private final AllocatorContext context;
    private final Sizing sizing;
    private final RangeReturner returner;
    private final Block none = Block.empty();

    /** What was issued from blocks that are not in hand any more. */
    private final IssuedSpans issued;

    // What each copy of a process has for itself; written under the lock.
    private volatile Leftovers leftovers;
    private volatile RangeClaimer claimer;

    /** Read without the lock by every caller that wants an id; written under it. */
    private volatile Block current;

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable Block next;

    @GuardedBy("lock")
    private @Nullable Claiming claiming;
    /** Completes when the fate of {@link #next} is known, for callers that may not be served from it before. */
    @GuardedBy("lock")
    private @Nullable CompletableFuture<Void> standing;
    /** Used up, but their claims are still in the store. */
    @GuardedBy("lock")
    private final List<Block> retired = new ArrayList<>();

    @GuardedBy("lock")
    private long issuedSinceClaim;

    @GuardedBy("lock")
    private boolean starvedMeanwhile;

    @GuardedBy("lock")
    private long wanted;

    @GuardedBy("lock")
    private boolean claimFailed;

    @GuardedBy("lock")
    private boolean firstClaim = true;
    /**
     * The end of what was claimed from the reserve and has stood: no replica forgets it, so the store never gives a
     * range that begins before it.
     */
    @GuardedBy("lock")
    private long claimedUpTo;
    /** The end of the positions that were issued or may be: tails before it would break the order. */
    @GuardedBy("lock")
    private long servedUpTo;
    /** The end of what was issued from blocks that have ended. It is never issued again, whatever the store gives. */
    @GuardedBy("lock")
    private long issuedUpTo;

    @GuardedBy("lock")
    private int incarnation;
    /** Why nothing more is claimed of this incarnation; null if all is well. */
    @GuardedBy("lock")
    private @Nullable String setBack;

    @GuardedBy("lock")
    private boolean closed;
    /** Completes when everything was given back after the allocator was closed. */
    private final CompletableFuture<Void> left = new CompletableFuture<>();
    /** While it is not null, nothing is issued or claimed. It completes when callers may ask again. */
    @GuardedBy("lock")
    private @Nullable CompletableFuture<Void> suspended;

    @GuardedBy("lock")
    private long lookedAt;

    @GuardedBy("lock")
    private long drawnAtLook;

    @GuardedBy("lock")
    private long drawnOfRetired;

    @GuardedBy("lock")
    private long claims;

    @GuardedBy("lock")
    private long fresh;

    @GuardedBy("lock")
    private long lost;

    /**
     * As the constructor of {@link BlockAllocator}.
     *
     * @param issued what earlier blocks of the same specification have issued in this process
     */
    Blocks(
            SequenceSpec spec,
            int stripe,
            int incarnation,
            RangeStore store,
            AllocatorContext context,
            IssuedSpans issued) {
        this.spec = spec;
        this.stripe = new Stripe(spec.name(), stripe);
        this.store = store;
        this.context = context;
        this.issued = issued;
        this.leftovers = new Leftovers(store, this.stripe);
        this.sizing = new Sizing(spec, context.isolation(), context.reserveThreshold());
        this.claimer = new RangeClaimer(store, this.stripe, leftovers, sizing, context);
        this.returner = new RangeReturner(store, this.stripe, context);
        this.current = none;
        this.incarnation = incarnation;
        this.lookedAt = context.nanoTime().getAsLong();
    }

    SequenceSpec spec() {
        return spec;
    }

    /** Returns the block that has no ids. */
    Block none() {
        return none;
    }

    /** Returns the block from which ids are drawn now. */
    Block current() {
        return current;
    }

    /** Returns the monotonic time at which a caller that begins to wait now gives up. */
    long deadline() {
        return context.nanoTime().getAsLong() + context.claimTimeout().toNanos();
    }

    /** A caller may have joined a claim shortly before the claim failed; then the caller's own time is not up yet. */
    boolean mayTryAgain(Throwable failure, long deadline) {
        return failure instanceof SequenceException.Unavailable
                && context.nanoTime().getAsLong() - deadline < 0;
    }

    /** Waits until there may be ids in the current block. */
    void awaitMore() {
        awaitMore(deadline());
    }

    /** @param deadline by the monotonic clock, after which it fails with {@link SequenceException.Unavailable} */
    void awaitMore(long deadline) {
        while (true) {
            CompletableFuture<Void> more = whenMore();
            try {
                more.get(deadline - context.nanoTime().getAsLong(), TimeUnit.NANOSECONDS);
                return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SequenceException.Unavailable(
                        "interrupted while waiting for an id of sequence " + spec.name(), e);
            } catch (TimeoutException e) {
                throw new SequenceException.Unavailable(
                        "no id of sequence " + spec.name() + " within " + context.claimTimeout() + " (claimTimeout): "
                                + whatIsAwaited(),
                        e);
            } catch (ExecutionException e) {
                Throwable cause = Stages.cause(e.getCause() == null ? e : e.getCause());
                if (!mayTryAgain(cause, deadline)) {
                    throw asSequenceException(cause);
                }
            }
        }
    }

    private String whatIsAwaited() {
        lock.lock();
        try {
            if (suspended != null) {
                return "beforeCheckpoint() was called, and afterRestore() was not";
            }
            return next != null && !mayServe(next)
                    ? "the claim has not stood for a sync period of the commit logs yet (freshClaims=wait)"
                    : "the claim is still under way";
        } finally {
            lock.unlock();
        }
    }

    RuntimeException asSequenceException(Throwable cause) {
        return cause instanceof SequenceException || cause instanceof ClosedException
                ? (RuntimeException) cause
                : new SequenceException.Unavailable(
                        "no id of sequence " + spec.name() + ": " + cause.getMessage(), cause);
    }

    /**
     * Returns a stage that ends when there may be ids in {@link #current}: at once if the next block is already there.
     */
    CompletableFuture<Void> whenMore() {
        lock.lock();
        try {
            if (closed) {
                return CompletableFuture.failedFuture(closedException());
            }
            if (suspended != null) {
                return suspended;
            }
            if (!current.isExhausted()) {
                return CompletableFuture.completedFuture(null);
            }
            if (next == null) {
                return claiming(true);
            }
            if (mayServe(next)) {
                publish(next);
                return CompletableFuture.completedFuture(null);
            }
            if (standing == null) {
                standing = new CompletableFuture<>();
            }
            return standing;
        } finally {
            lock.unlock();
        }
    }

    void prefetch() {
        lock.lock();
        try {
            if (!closed && suspended == null && next == null) {
                CompletableFuture<Void> unused = claiming(false);
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean mayServe(Block block) {
        return block.stood || context.safety().freshClaims() == FreshClaims.SERVE;
    }

    /** Each block is published once: it leaves {@link #next} as it becomes current. */
    @GuardedBy("lock")
    private void publish(Block block) {
        next = null;
        fresh += block.stood ? 0 : 1;
        retire(current);
        current = block;
    }

    @GuardedBy("lock")
    private void retire(Block block) {
        if (block == none) {
            return;
        }
        ended(block, block.close());
        retired.add(block);
        // A thread that ended without using its ids would keep the claim for ever; so the oldest blocks are revoked.
        retired.stream().limit(Math.max(0, retired.size() - MOST_RETIRED)).forEach(Block::revoke);
    }

    @GuardedBy("lock")
    private void ended(Block block, long drawn) {
        issuedSinceClaim += drawn;
        drawnOfRetired += drawn;
        block.drawnAtEnd = drawn;
        issuedUpTo = Math.max(issuedUpTo, block.claim.span().lo() + drawn);
    }

    /** Returns the claims from which nothing will be issued any more. */
    @GuardedBy("lock")
    private List<Block> spent() {
        return retired.stream().filter(block -> !block.hasChunks()).toList();
    }

    /** Returns the claim under way, starting one if there is none. */
    @GuardedBy("lock")
    private CompletableFuture<Void> claiming(boolean starved) {
        if (claiming != null) {
            starvedMeanwhile |= starved;
            // Ids of a claim that is given back when it ends serve no caller; after it there may be another claim.
            return claiming.late == null ? claiming.done : claiming.late;
        }
        if (setBack != null) {
            return CompletableFuture.failedFuture(new SequenceException.Conflict(setBack));
        }
        List<Block> forget = spent();
        if (!claimFailed) {
            // After a failure the same size again: callers waited for Cassandra, not because the block was too small.
            boolean dry = starved || starvedMeanwhile;
            long size = sizing.next(issuedSinceClaim, context.nanoTime().getAsLong(), dry);
            // An allocator that has run dry needs a block now and the next one right after it: one statement claims
            // both, as far as the space allows.
            wanted = dry && !firstClaim ? size * 2 : size;
            firstClaim = false;
            issuedSinceClaim = 0;
        }
        starvedMeanwhile = false;
        Claiming begun = new Claiming();
        claiming = begun;
        startClaim(forget).whenComplete((won, failure) -> claimed(begun, won, failure, forget));
        return begun.done;
    }

    /** One claim under way, and what is to happen to its ids. Guarded by the lock of {@link Blocks}. */
    private static final class Claiming {

        /** Completes for the callers that wait for ids. */
        final CompletableFuture<Void> done = new CompletableFuture<>();

        /** Not null if the ids are not to be served but given back; completes when they were given back. */
        @Nullable
        CompletableFuture<Void> late;

        /** Whether another copy of this process may serve the ids; if so, this process does not touch them. */
        boolean disowned;
    }

    @GuardedBy("lock")
    private CompletionStage<RangeClaimer.Won> startClaim(List<Block> forget) {
        try {
            // Whatever the order: otherwise a thread or cursor that had ids of the last block would go back with a
            // lower tail.
            return claimer.claim(wanted, servedUpTo, claims(forget), incarnation);
        } catch (RuntimeException e) {
            // A closed session, for example, throws at once. The failure ends this claim, and must not keep the next
            // one from starting. It is not Unavailable, so no caller tries again in a tight loop until its time is up.
            return CompletableFuture.failedFuture(e);
        }
    }

    private static List<Claim> claims(List<Block> blocks) {
        return blocks.stream().map(block -> block.claim).toList();
    }

    private void claimed(
            Claiming begun, RangeClaimer.@Nullable Won won, @Nullable Throwable failure, List<Block> forgotten) {
        Runnable outcome;
        lock.lock();
        try {
            if (begun.disowned) {
                return;
            }
            claiming = claiming == begun ? null : claiming;
            outcome = begun.late == null ? accept(won, failure, forgotten, begun.done) : returnLate(won, begun.late);
        } finally {
            lock.unlock();
        }
        // Outside the lock: it runs whatever callers have attached.
        outcome.run();
    }

    /** No caller waits for the claim any more: the allocator was closed or suspended. */
    @GuardedBy("lock")
    private Runnable returnLate(RangeClaimer.@Nullable Won won, CompletableFuture<Void> returned) {
        return () -> {
            CompletionStage<Void> told = won == null
                    ? CompletableFuture.completedFuture(null)
                    : giveBack(List.of(
                            new RangeReturner.Ended(won.claim(), won.claim().span())));
            told.whenComplete((done, never) -> returned.complete(null));
        };
    }

    @GuardedBy("lock")
    private Runnable accept(
            RangeClaimer.@Nullable Won won,
            @Nullable Throwable failure,
            List<Block> forgotten,
            CompletableFuture<Void> done) {
        if (won == null) {
            Throwable cause = Stages.cause(Objects.requireNonNull(failure));
            LOG.debug("sequence {} got no block", spec.name(), cause);
            claimFailed = true;
            return () -> done.completeExceptionally(cause);
        }
        claimFailed = false;
        claims++;
        retired.removeAll(forgotten);
        forgotten.forEach(block -> block.remember(issued));
        Claim claim = won.claim();
        if (claim.incarnation() < incarnation) {
            // The sequence was reseeded while this claim was under way; its ids belong to the old incarnation.
            leftovers.forget(claim);
            return () -> done.complete(null);
        }
        if (claim.incarnation() > incarnation) {
            dropBlocks();
            incarnation = claim.incarnation();
        }
        if (won.fresh() && claim.span().lo() < claimedUpTo) {
            // The store gave again what it had given before: nothing of it may be issued. The row must be removed,
            // since it would hold up the raise that the message asks for.
            leftovers.forget(claim);
            String refusal = "sequence " + spec.name() + " was set back: the ids from "
                    + spec.idAt(claim.span().lo()) + " were claimed a second time. A backup was restored or rows were"
                    + " deleted. Nothing more is issued here until it is seeded above every id that was issued";
            setBack = refusal;
            loseAll();
            return () -> done.completeExceptionally(new SequenceException.Conflict(refusal));
        }
        Duration period = context.safety().standing();
        Block block = new Block(spec, claim, prefetchAt(claim.span().size(), period));
        // Ordinals of a forgotten claim that were issued here may be claimed again: they are passed over.
        block.passOver(won.fresh() ? Math.max(0, servedUpTo - claim.span().lo()) : 0);
        servedUpTo = Math.max(servedUpTo, claim.span().hi());
        if (period.isZero()) {
            hasStood(claim, won);
        } else {
            block.stood = false;
            long deadline = won.proposedAt() + period.plus(SOONEST_RESTART).toNanos();
            lookWhetherItStood(block, won, period, new Trial(period, deadline));
        }
        if (current.isExhausted() && mayServe(block)) {
            publish(block);
        } else {
            next = block;
        }
        return () -> done.complete(null);
    }

    /** Whether the sequence of these blocks was not dropped and created again since an incarnation, or before it. */
    boolean isOfGeneration(int other) {
        lock.lock();
        try {
            return Incarnations.sameGeneration(other, incarnation);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void hasStood(Claim claim, RangeClaimer.Won won) {
        if (won.fresh()) {
            claimedUpTo = Math.max(claimedUpTo, claim.span().hi());
        }
    }

    /** Early enough that the next block will have stood when this one is used up, judging by the rate so far. */
    private long prefetchAt(long count, Duration period) {
        long atThreshold = (long) (count * context.prefetchThreshold());
        return period.isZero()
                ? atThreshold
                : Math.max(0, Math.min(atThreshold, count - sizing.usedIn(period.multipliedBy(2))));
    }

    private void lookWhetherItStood(Block block, RangeClaimer.Won won, Duration delay, Trial trial) {
        context.timer()
                .schedule(
                        () -> {
                            if (isInHand(block)) {
                                claimer.standing(won, trial.period())
                                        .whenComplete((verdict, failure) ->
                                                judged(block, won, failure == null ? verdict : null, trial));
                            }
                        },
                        delay);
    }

    /**
     * @param deadline until when a read proves something: by then, a process that claimed from a replica that had
     *     forgotten our claim cannot have both served its claim and given it up
     */
    private record Trial(Duration period, long deadline) {}

    /** A row is removed only when its block is neither current nor next: no look takes a removed row for a lost one. */
    private boolean isInHand(Block block) {
        lock.lock();
        try {
            return !closed && (block == current || block == next);
        } finally {
            lock.unlock();
        }
    }

    private void judged(Block block, RangeClaimer.Won won, Standing.@Nullable Verdict verdict, Trial trial) {
        CompletableFuture<Void> waiting = null;
        lock.lock();
        try {
            if (!isInHand(block)) {
                return;
            }
            boolean late = context.nanoTime().getAsLong() - trial.deadline() >= 0;
            boolean unknown = verdict == null || verdict == Standing.Verdict.UNCLEAR;
            if (unknown && !late) {
                lookWhetherItStood(block, won, LOOK_AGAIN, trial);
                return;
            }
            if (verdict == Standing.Verdict.LOST) {
                loseInHand(block);
            } else if (block == next && (late || verdict != Standing.Verdict.STOOD)) {
                giveUpNext();
            } else {
                block.stood = verdict == Standing.Verdict.STOOD && !late;
            }
            if (verdict == Standing.Verdict.STOOD) {
                hasStood(block.claim, won);
            }
            waiting = standing;
            standing = null;
        } finally {
            lock.unlock();
        }
        // Outside the lock: it runs whatever callers have attached. They look again.
        if (waiting != null) {
            waiting.complete(null);
        }
    }

    /** Cassandra has forgotten the claim, or other processes have claimed ids of it. */
    @GuardedBy("lock")
    private void loseInHand(Block block) {
        Span span = block.claim.span();
        long drawn = block == current ? block.drawn() : 0;
        lost++;
        LOG.warn(
                "sequence {}: Cassandra has forgotten that this process claimed the ids from {} to {}: a node was killed"
                        + " before its commit log was on its disk. {}",
                spec.name(),
                spec.idAt(span.lo()),
                spec.idAt(span.hi() - 1),
                drawn == 0
                        ? "None of them was issued here"
                        : "The first " + drawn + " of them were issued here, and may be issued again by others");
        if (block == next) {
            giveUpNext();
        } else {
            current.lost = true;
            current.revoke();
            retire(current);
            current = none;
            // The next block lies above this one, and will be served.
            servedUpTo = next == null ? issuedUpTo : servedUpTo;
        }
    }

    /**
     * The store was set back: others may have claimed any of the ids that it gave here before, issued or not. So nothing of
     * them is issued any more after this returns, and nothing of them is ever given back.
     */
    @GuardedBy("lock")
    private void loseAll() {
        retire(current);
        current = none;
        retired.forEach(block -> {
            block.lost = true;
            block.revoke();
        });
        issued.clear();
    }

    /** Nothing was or will be served from it: its ids are a gap, or belong to other processes. */
    @GuardedBy("lock")
    private void giveUpNext() {
        Block unserved = Objects.requireNonNull(next);
        next = null;
        servedUpTo = Math.max(
                issuedUpTo,
                current == none
                        ? Math.min(servedUpTo, unserved.claim.span().lo())
                        : current.claim.span().hi());
        leftovers.forget(unserved.claim);
    }

    /**
     * Drops every block of an incarnation older than {@code newIncarnation}, and acknowledges by removing their claims.
     * No id of an older incarnation is drawn after this returns.
     *
     * @return false if the sequence was dropped and created again: then this allocator issues nothing any more
     */
    boolean reseeded(int newIncarnation) {
        lock.lock();
        try {
            boolean same = Incarnations.sameGeneration(newIncarnation, incarnation);
            if (newIncarnation > incarnation) {
                LOG.info("sequence {} was reseeded or dropped; its cached ids are dropped", spec.name());
                dropBlocks();
                // If it was created again, the incarnation stays: this allocator has the old specification, and nothing
                // may be claimed with it.
                incarnation = same ? newIncarnation : incarnation;
            }
            return same;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the newest incarnation that this process knows of; 0 before the first claim. */
    int incarnation() {
        lock.lock();
        try {
            return incarnation;
        } finally {
            lock.unlock();
        }
    }

    /** Returns what this allocator has done so far; cheap, but not for every id. */
    AllocatorFigures figures() {
        lock.lock();
        try {
            return new AllocatorFigures(drawnOfRetired + current.drawn(), held(), claims, fresh, lost);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private long held() {
        return current.count() - current.drawn() + (next == null ? 0 : next.count());
    }

    /** See {@link BlockAllocator#hasIssued}. */
    boolean hasIssued(long id) {
        long ordinal = ordinalOf(id);
        if (ordinal < 0) {
            return false;
        }
        lock.lock();
        try {
            if (hasIssued(current, ordinal) || issued.contains(ordinal)) {
                return true;
            }
            for (Block block : retired) {
                if (hasIssued(block, ordinal)) {
                    return true;
                }
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    private static boolean hasIssued(Block block, long ordinal) {
        Span span = block.claim.span();
        return span.lo() <= ordinal && ordinal < span.hi() && block.hasIssued(ordinal - span.lo());
    }

    /** Returns the ordinal of an id; negative if the sequence never issues it. */
    private long ordinalOf(long id) {
        long start = spec.start();
        long difference = id - start;
        if (((id ^ start) & (id ^ difference)) >= 0 && difference != Long.MIN_VALUE) {
            // It did not overflow: the usual case.
            return difference % spec.increment() == 0 ? difference / spec.increment() : -1;
        }
        BigInteger distance = BigInteger.valueOf(id).subtract(BigInteger.valueOf(start));
        BigInteger[] parts = distance.divideAndRemainder(BigInteger.valueOf(spec.increment()));
        return parts[1].signum() == 0 && parts[0].bitLength() < Long.SIZE ? parts[0].longValue() : -1;
    }

    /** Returns what was issued from blocks that are not in hand any more, for those that take this one's place. */
    IssuedSpans issued() {
        return issued;
    }

    /** Whether this process holds, or is about to hold, ids of the sequence. */
    boolean isLive() {
        lock.lock();
        try {
            return !closed && (claiming != null || next != null || current != none || !retired.isEmpty());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives back what an idle or slowed-down process would hold for long: more than {@value #KEPT} ids, and more than
     * would last for {@value #LONGEST_HOLD_SECONDS} s at the rate of the last minute. To be called every now and then.
     */
    void giveBackIdle() {
        List<RangeReturner.Ended> ended = List.of();
        lock.lock();
        try {
            long now = context.nanoTime().getAsLong();
            double seconds = (now - lookedAt) / 1e9;
            if (closed || claiming != null || seconds < LOOK_SECONDS) {
                return;
            }
            long drawn = drawnOfRetired + current.drawn();
            double rate = (drawn - drawnAtLook) / seconds;
            long held = held();
            lookedAt = now;
            drawnAtLook = drawn;
            if (held > KEPT && held > rate * LONGEST_HOLD_SECONDS) {
                LOG.debug("sequence {}: {} idle ids are given back", spec.name(), held);
                ended = endBlocks();
                sizing.restart();
                firstClaim = true;
            }
        } finally {
            lock.unlock();
        }
        if (!ended.isEmpty()) {
            giveBack(ended);
        }
    }

    /**
     * Removes rows of older incarnations that an earlier try left behind: they would keep the datacenter from
     * acknowledging for as long as this process runs. To be called every now and then; usually there is nothing to do.
     */
    void removeLeftovers() {
        // Once closed, it serves no claim that may still turn out to be its own, and no longer looks for raises.
        leftovers.remove(isClosed() ? Integer.MAX_VALUE : incarnation()).whenComplete((done, failure) -> {
            if (failure != null) {
                LOG.debug("sequence {}: rows of older incarnations stay behind for now", spec.name(), failure);
            }
        });
    }

    /** See {@link BlockAllocator#sequenceChanged}. */
    void sequenceChanged() {
        leftovers.sequenceChanged();
    }

    /** Whether it was closed and has no more rows for {@link #removeLeftovers}. */
    boolean hasLeftNothing() {
        return left.isDone() && leftovers.isEmpty();
    }

    /** No id of any block is issued after this returns. Returns what the blocks held, and what is unused. */
    @GuardedBy("lock")
    private List<RangeReturner.Ended> endBlocks() {
        List<RangeReturner.Ended> ended = new ArrayList<>();
        for (Block block : retired) {
            block.revoke();
            block.remember(issued);
            ended.add(new RangeReturner.Ended(block.claim, Span.EMPTY));
        }
        retired.clear();
        if (next != null) {
            // The order matters: the block that was published last lies above all that was issued. If this block
            // replaces a forgotten claim, its draw has already passed over what was issued of that claim.
            Span span = next.claim.span();
            ended.add(new RangeReturner.Ended(next.claim, new Span(span.lo() + next.close(), span.hi())));
            next = null;
        }
        if (standing != null) {
            CompletableFuture<Void> waiting = standing;
            standing = null;
            // Not here: it runs whatever callers have attached. They look again.
            context.timer().schedule(() -> waiting.complete(null), Duration.ZERO);
        }
        if (current != none) {
            current.revoke();
            long drawn = current.close();
            ended(current, drawn);
            current.remember(issued);
            Span span = current.claim.span();
            servedUpTo = issuedUpTo;
            ended.add(new RangeReturner.Ended(current.claim, new Span(span.lo() + drawn, span.hi())));
            current = none;
        }
        return ended;
    }

    /** Returns a stage that ends when other processes may take the ids, or the ids are a gap. It never fails. */
    private CompletionStage<Void> giveBack(List<RangeReturner.Ended> ended) {
        return returner.giveBack(ended).exceptionally(failure -> {
            LOG.debug("sequence {}: what was not used is a gap: {}", spec.name(), ended, failure);
            ended.forEach(each -> leftovers.add(each.claim()));
            return null;
        });
    }

    /** Ends every block, because the sequence was reseeded: its ids belong to nobody any more. */
    @GuardedBy("lock")
    private void dropBlocks() {
        // Ended before the claims are forgotten: a claim's removal says that nothing more will be issued of it.
        List<RangeReturner.Ended> ended = endBlocks();
        claimedUpTo = 0;
        servedUpTo = 0;
        issuedUpTo = 0;
        setBack = null;
        ended.forEach(each -> leftovers.forget(each.claim()));
    }

    /**
     * Ends every block and gives back what is unused. Nothing is issued or claimed after this returns. The stage ends
     * when the unused ids were given back, or could not be. It never fails, and takes no longer than a claim.
     */
    CompletionStage<Void> closeAsync() {
        CompletableFuture<Void> waiting;
        Ending ending;
        lock.lock();
        try {
            if (closed) {
                return CompletableFuture.completedFuture(null);
            }
            closed = true;
            waiting = suspended;
            claimer.close();
            ending = end();
        } finally {
            lock.unlock();
        }
        // Outside the lock: it runs whatever callers have attached.
        CompletionStage<Void> returned = giveBack(ending).whenComplete((done, never) -> left.complete(null));
        ending.waiting().completeExceptionally(closedException());
        if (waiting != null) {
            waiting.completeExceptionally(closedException());
        }
        return returned;
    }

    /**
     * Gives everything back, and issues nothing until {@link #resume}; callers wait as long as they would wait for a
     * claim. The stage ends when the unused ids were given back, or could not be. It never fails, and takes no longer
     * than a claim. A no-op if it is suspended.
     */
    CompletionStage<Void> suspendAsync() {
        Ending ending;
        lock.lock();
        try {
            if (closed || suspended != null) {
                return CompletableFuture.completedFuture(null);
            }
            suspended = new CompletableFuture<>();
            ending = end();
        } finally {
            lock.unlock();
        }
        CompletionStage<Void> returned = giveBack(ending);
        // They look again, and wait.
        ending.waiting().complete(null);
        return returned;
    }

    /**
     * For a process that was copied: issues nothing more of what it holds, of what it is about to claim, or of a claim
     * in doubt. It neither gives these back nor removes their rows, because another copy may go on with them. Nothing
     * is issued until {@link #resume}; before that, the store must get another holder's name and the context another
     * source of tokens.
     */
    void disown() {
        CompletableFuture<Void> waiting = null;
        lock.lock();
        try {
            if (closed) {
                issued.clear();
                return;
            }
            if (suspended == null) {
                suspended = new CompletableFuture<>();
            }
            endBlocks();
            // The process that was copied knows it too, and may have given it to a caller who has not used it yet.
            issued.clear();
            // What is to be given back had ended in every copy: its token lets one of them give it back, and none of
            // them serves it.
            if (claiming != null && claiming.late == null) {
                claiming.disowned = true;
                waiting = claiming.done;
            }
            claiming = null;
            claimFailed = false;
            firstClaim = true;
            sizing.restart();
            claimer.disown();
            leftovers = new Leftovers(store, stripe);
            claimer = new RangeClaimer(store, stripe, leftovers, sizing, context);
        } finally {
            lock.unlock();
        }
        if (waiting != null) {
            waiting.complete(null);
        }
    }

    /** Issues ids again, from new claims; a no-op if it is not suspended. */
    void resume() {
        CompletableFuture<Void> waiting;
        lock.lock();
        try {
            waiting = suspended;
            suspended = null;
        } finally {
            lock.unlock();
        }
        if (waiting != null) {
            waiting.complete(null);
        }
    }

    /**
     * @param blocks what they held, and what is unused
     * @param waiting for those who wait for the claim under way; to be completed outside the lock
     * @param late completes when the claim under way was given back
     */
    private record Ending(
            List<RangeReturner.Ended> blocks, CompletableFuture<Void> waiting, CompletableFuture<Void> late) {}

    /** No id is issued after this returns, neither of a block nor of the claim under way. */
    @GuardedBy("lock")
    private Ending end() {
        CompletableFuture<Void> waiting = new CompletableFuture<>();
        CompletableFuture<Void> late = CompletableFuture.completedFuture(null);
        if (claiming != null) {
            waiting = claiming.done;
            late = claiming.late == null ? new CompletableFuture<>() : claiming.late;
            claiming.late = late;
        }
        return new Ending(endBlocks(), waiting, late);
    }

    private CompletionStage<Void> giveBack(Ending ending) {
        CompletionStage<Void> told =
                ending.blocks().isEmpty() ? CompletableFuture.completedFuture(null) : giveBack(ending.blocks());
        return told.thenCombine(ending.late(), (given, returned) -> null);
    }

    /** Whether the allocator was closed. */
    boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    private ClosedException closedException() {
        return new ClosedException("the allocator of sequence " + spec.name() + " is closed");
    }

    /** A type of its own, to tell it from what a store may throw: this one is the caller's own doing. */
    private static final class ClosedException extends IllegalStateException {
        private static final long serialVersionUID = 1;

        ClosedException(String message) {
            super(message);
        }
    }
}
