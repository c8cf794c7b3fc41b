package dev.cassidy.sequence.protocol;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.cassidy.async.Stages;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.Incarnations;
import dev.cassidy.sequence.store.Numbering;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.SequenceGlimpse;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Standing;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The block to come: it is claimed, waits until its claim has stood where nodes may forget it, and then takes the place of the
 * current one. It decides how much is claimed and of which incarnation, which claim may be served, and what happens when the
 * store has forgotten a claim or was set back. Therefore it also ends blocks, those in {@link CurrentBlock} included, and
 * tells {@link Returns} which claims are to be removed. It knows nothing of callers, nor whether the allocator is closed or
 * suspended: {@link Blocks} asks it for nothing then. All fields are guarded by the lock of {@link CurrentBlock}; outcomes
 * of the store arrive without it, take it, and complete the stages of callers after they have released it.
 */
final class NextBlock {

    private static final Logger LOG = LoggerFactory.getLogger(NextBlock.class);

    /** The pause after a look at a claim that gave no answer. */
    private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

    /** A node that was killed serves again no sooner than this. */
    private static final Duration SOONEST_RESTART = Duration.ofSeconds(2);

    final CurrentBlock current;

    private final SequenceSpec spec;
    private final AllocatorContext context;
    private final Sizing sizing;
    private final Returns returns;

    /** What each copy of a process has for itself; written under the lock. */
    private volatile RangeClaimer claimer;

    @GuardedBy("current.lock")
    private @Nullable Block next;

    @GuardedBy("current.lock")
    private @Nullable Claiming claiming;
    /** Completes when the fate of {@link #next} is known, for callers that may not be served from it before. */
    @GuardedBy("current.lock")
    private @Nullable CompletableFuture<Void> standing;

    @GuardedBy("current.lock")
    private boolean starvedMeanwhile;

    @GuardedBy("current.lock")
    private long wanted;

    @GuardedBy("current.lock")
    private boolean claimFailed;

    @GuardedBy("current.lock")
    private boolean firstClaim = true;
    /**
     * The end of what was claimed from the reserve and has stood: no replica forgets it, so the store never gives a
     * range that begins before it.
     */
    @GuardedBy("current.lock")
    private long claimedUpTo;
    /** The end of the positions that were issued or may be: tails before it would break the order. */
    @GuardedBy("current.lock")
    private long servedUpTo;

    @GuardedBy("current.lock")
    private int incarnation;
    /** Why nothing more is claimed of this incarnation; null if all is well. */
    @GuardedBy("current.lock")
    private @Nullable String setBack;

    @GuardedBy("current.lock")
    private long claims;

    @GuardedBy("current.lock")
    private long fresh;

    @GuardedBy("current.lock")
    private long lost;

    /** @param incarnation that the datacenter has adopted; nothing is claimed of an older one */
    NextBlock(
            SequenceSpec spec,
            Stripe stripe,
            int incarnation,
            RangeStore store,
            AllocatorContext context,
            CurrentBlock current,
            Returns returns) {
        this.spec = spec;
        this.incarnation = incarnation;
        this.context = context;
        this.current = current;
        this.returns = returns;
        this.sizing = new Sizing(spec, context.isolation(), context.reserveThreshold());
        this.claimer = new RangeClaimer(store, spec, stripe, returns.leftovers(), sizing, context);
    }

    /** Returns a stage that ends when there may be ids in the current block: at once if this one can take its place. */
    @GuardedBy("current.lock")
    CompletableFuture<Void> whenMore() {
        if (!current.block().isExhausted()) {
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
    }

    /** Claims the block if it is not there and not being claimed. */
    @GuardedBy("current.lock")
    void prefetch() {
        if (next == null) {
            CompletableFuture<Void> unused = claiming(false);
        }
    }

    /** Whether the block is there, but may not be served before its claim has stood. */
    @GuardedBy("current.lock")
    boolean isOnTrial() {
        return next != null && !mayServe(next);
    }

    private boolean mayServe(Block block) {
        return block.stood || context.safety().freshClaims() == FreshClaims.SERVE;
    }

    /** Each block is published once: it leaves {@link #next} as it becomes current. */
    @GuardedBy("current.lock")
    private void publish(Block block) {
        next = null;
        fresh += block.stood ? 0 : 1;
        current.replace(block);
    }

    /** Returns the claim under way, starting one if there is none. */
    @GuardedBy("current.lock")
    private CompletableFuture<Void> claiming(boolean starved) {
        if (claiming != null) {
            starvedMeanwhile |= starved;
            // Ids of a claim that is given back when it ends serve no caller; after it there may be another claim.
            return claiming.late == null ? claiming.done : claiming.late;
        }
        if (setBack != null) {
            return CompletableFuture.failedFuture(new SequenceException.Conflict(setBack));
        }
        List<Block> forget = current.spent();
        if (!claimFailed) {
            // After a failure the same size again: callers waited for Cassandra, not because the block was too small.
            boolean dry = starved || starvedMeanwhile;
            long size = sizing.next(
                    current.takeIssuedSinceClaim(), context.nanoTime().getAsLong(), dry);
            // An allocator that has run dry needs a block now and the next one right after it: one statement claims
            // both, as far as the space allows.
            wanted = dry && !firstClaim ? size * 2 : size;
            firstClaim = false;
        }
        starvedMeanwhile = false;
        Claiming begun = new Claiming();
        claiming = begun;
        startClaim(forget).whenComplete((won, failure) -> claimed(begun, won, failure, forget));
        return begun.done;
    }

    /** One claim under way, and what is to happen to its ids. Guarded by the lock of {@link CurrentBlock}. */
    private static final class Claiming {

        /** Completes for the callers that wait for ids. */
        final CompletableFuture<Void> done = new CompletableFuture<>();

        /** Not null if the ids are not to be served but given back; completes when they were given back. */
        @Nullable
        CompletableFuture<Void> late;

        /** Whether another copy of this process may serve the ids; if so, this process does not touch them. */
        boolean disowned;
    }

    @GuardedBy("current.lock")
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
        current.lock.lock();
        try {
            if (begun.disowned) {
                return;
            }
            claiming = claiming == begun ? null : claiming;
            outcome = begun.late == null ? accept(won, failure, forgotten, begun.done) : returnLate(won, begun.late);
        } finally {
            current.lock.unlock();
        }
        // Outside the lock: it runs whatever callers have attached.
        outcome.run();
    }

    /** No caller waits for the claim any more: the allocator was closed or suspended. */
    private Runnable returnLate(RangeClaimer.@Nullable Won won, CompletableFuture<Void> returned) {
        return () -> {
            CompletionStage<Void> told = won == null
                    ? CompletableFuture.completedFuture(null)
                    : returns.giveBack(List.of(
                            new RangeReturner.Ended(won.claim(), won.claim().span())));
            told.whenComplete((done, never) -> returned.complete(null));
        };
    }

    @GuardedBy("current.lock")
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
        current.forget(forgotten);
        Claim claim = won.claim();
        if (claim.incarnation() < incarnation) {
            // The sequence was reseeded while this claim was under way; its ids belong to the old incarnation.
            returns.forget(claim);
            return () -> done.complete(null);
        }
        if (claim.incarnation() > incarnation) {
            dropBlocks();
            incarnation = claim.incarnation();
        }
        if (won.fresh() && claim.span().lo() < claimedUpTo) {
            // The store gave again what it had given before: nothing of it may be issued. The row must be removed,
            // since it would hold up the raise that the message asks for.
            returns.forget(claim);
            String refusal = "sequence " + spec.name() + " was set back: the ids from "
                    + spec.idAt(claim.span().lo()) + " were claimed a second time. A backup was restored or rows were"
                    + " deleted. Nothing more is issued here until it is seeded above every id that was issued";
            setBack = refusal;
            current.loseAll();
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
        if (current.block().isExhausted() && mayServe(block)) {
            publish(block);
        } else {
            next = block;
        }
        return () -> done.complete(null);
    }

    @GuardedBy("current.lock")
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
        current.lock.lock();
        try {
            return block == current.block() || block == next;
        } finally {
            current.lock.unlock();
        }
    }

    private void judged(Block block, RangeClaimer.Won won, Standing.@Nullable Verdict verdict, Trial trial) {
        CompletableFuture<Void> waiting = null;
        current.lock.lock();
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
            current.lock.unlock();
        }
        // Outside the lock: it runs whatever callers have attached. They look again.
        if (waiting != null) {
            waiting.complete(null);
        }
    }

    /** Cassandra has forgotten the claim, or other processes have claimed ids of it. */
    @GuardedBy("current.lock")
    private void loseInHand(Block block) {
        Span span = block.claim.span();
        long drawn = block == current.block() ? block.drawn() : 0;
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
            current.lose();
            // The next block lies above this one, and will be served.
            servedUpTo = next == null ? current.issuedUpTo() : servedUpTo;
        }
    }

    /** Nothing was or will be served from it: its ids are a gap, or belong to other processes. */
    @GuardedBy("current.lock")
    private void giveUpNext() {
        Block unserved = Objects.requireNonNull(next);
        next = null;
        servedUpTo = Math.max(
                current.issuedUpTo(),
                current.isPresent()
                        ? current.block().claim.span().hi()
                        : Math.min(servedUpTo, unserved.claim.span().lo()));
        returns.forget(unserved.claim);
    }

    /** See {@link Blocks#reseeded}. */
    @GuardedBy("current.lock")
    boolean reseeded(int newIncarnation) {
        boolean same = Incarnations.sameGeneration(newIncarnation, incarnation);
        if (newIncarnation > incarnation) {
            LOG.info("sequence {} was reseeded or dropped; its cached ids are dropped", spec.name());
            dropBlocks();
            // If it was created again, the incarnation stays: this allocator has the old specification, and nothing
            // may be claimed with it.
            incarnation = same ? newIncarnation : incarnation;
        }
        return same;
    }

    /** See {@link Blocks#isReplacedBy}. */
    @GuardedBy("current.lock")
    boolean isReplacedBy(SequenceGlimpse copy) {
        boolean replaced =
                copy.incarnation() == incarnation && !copy.numbering().equals(Numbering.of(spec));
        if (replaced) {
            LOG.info(
                    "sequence {} was created again with another start or increment; its cached ids are dropped",
                    spec.name());
            dropBlocks();
        }
        return replaced;
    }

    /** Ends every block, because the sequence was reseeded: its ids belong to nobody any more. */
    @GuardedBy("current.lock")
    private void dropBlocks() {
        // Ended before the claims are forgotten: a claim's removal says that nothing more will be issued of it.
        List<RangeReturner.Ended> ended = endBlocks();
        claimedUpTo = 0;
        servedUpTo = 0;
        current.reseeded();
        setBack = null;
        ended.forEach(each -> returns.forget(each.claim()));
    }

    /** No id of any block is issued after this returns. Returns what the blocks held, and what is unused. */
    @GuardedBy("current.lock")
    private List<RangeReturner.Ended> endBlocks() {
        List<RangeReturner.Ended> ended = current.endRetired();
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
        if (current.isPresent()) {
            ended.add(current.end());
            servedUpTo = current.issuedUpTo();
        }
        return ended;
    }

    /** Ends every block of an idle process, as {@link #end} does; the next claim begins with the smallest size. */
    @GuardedBy("current.lock")
    List<RangeReturner.Ended> endIdle() {
        List<RangeReturner.Ended> ended = endBlocks();
        sizing.restart();
        firstClaim = true;
        return ended;
    }

    /**
     * @param blocks what they held, and what is unused
     * @param waiting for those who wait for the claim under way; to be completed outside the lock
     * @param late completes when the claim under way was given back
     */
    record Ending(List<RangeReturner.Ended> blocks, CompletableFuture<Void> waiting, CompletableFuture<Void> late) {}

    /** No id is issued after this returns, neither of a block nor of the claim under way. */
    @GuardedBy("current.lock")
    Ending end() {
        CompletableFuture<Void> waiting = new CompletableFuture<>();
        CompletableFuture<Void> late = CompletableFuture.completedFuture(null);
        if (claiming != null) {
            waiting = claiming.done;
            late = claiming.late == null ? new CompletableFuture<>() : claiming.late;
            claiming.late = late;
        }
        return new Ending(endBlocks(), waiting, late);
    }

    /** As {@link #end}. Nothing is claimed or refilled any more, but what has begun may still complete. */
    @GuardedBy("current.lock")
    Ending close() {
        claimer.close();
        return end();
    }

    /**
     * For a process that was copied; see {@link Blocks#disown}. Returns what those wait for who wait for the claim under
     * way, to be completed outside the lock; null if there is none.
     */
    @GuardedBy("current.lock")
    @Nullable
    CompletableFuture<Void> disown() {
        CompletableFuture<Void> waiting = null;
        endBlocks();
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
        returns.disown();
        claimer = claimer.forCopy(returns.leftovers());
        return waiting;
    }

    /** Returns the newest incarnation that this process knows of; 0 before the first claim. */
    @GuardedBy("current.lock")
    int incarnation() {
        return incarnation;
    }

    @GuardedBy("current.lock")
    boolean isClaiming() {
        return claiming != null;
    }

    /** Whether this process holds, or is about to hold, ids of the sequence. */
    @GuardedBy("current.lock")
    boolean isLive() {
        return claiming != null || next != null || current.hasClaims();
    }

    /** Returns how many ids the current block and this one still have. */
    @GuardedBy("current.lock")
    long held() {
        return current.left() + (next == null ? 0 : next.count());
    }

    @GuardedBy("current.lock")
    AllocatorFigures figures() {
        return new AllocatorFigures(current.drawn(), held(), claims, fresh, lost);
    }
}
