package dev.cassidy.sequence.protocol;

import dev.cassidy.async.Stages;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.Incarnations;
import dev.cassidy.sequence.store.Numbering;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Standing;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims ranges for one process, from the datacenter's reserve.
 *
 * <p>Whatever fails: a range is returned only if the claim was acknowledged, or if a linearizable read found the
 * claim's own row, with its own token, in the store. Every other range is abandoned: leaked, never reused. The next
 * position alone proves nothing, since a later claimant moves it too.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class RangeClaimer {

    private static final Logger LOG = LoggerFactory.getLogger(RangeClaimer.class);

    /** Usually the first row below a claim is old enough to decide. */
    private static final int FEW_ROWS = 20;

    private static final int MANY_ROWS = 5_000;

    private final RangeStore store;
    private final SequenceSpec spec;
    private final Stripe stripe;
    private final Leftovers leftovers;
    private final Sizing sizing;
    private final Refiller refiller;
    private final UsedUpReserve looks;
    private final AllocatorContext context;

    /**
     * The reserve as it was seen last, or as our own claim left it: saves the read before a claim. It may be stale; then
     * the claim's condition refuses it.
     */
    private final AtomicReference<@Nullable Reserve> remembered = new AtomicReference<>();

    /** Whether a look at a low reserve is under way: other processes may have refilled it. */
    private final AtomicBoolean lookingAhead = new AtomicBoolean();

    private volatile boolean disowned;

    /**
     * @param leftovers learns of claims that are given up in doubt
     * @param sizing bounds claims by the space
     */
    RangeClaimer(
            RangeStore store,
            SequenceSpec spec,
            Stripe stripe,
            Leftovers leftovers,
            Sizing sizing,
            AllocatorContext context) {
        this.store = store;
        this.spec = spec;
        this.stripe = stripe;
        this.leftovers = leftovers;
        this.sizing = sizing;
        this.refiller = new Refiller(store, spec, stripe, sizing, context);
        this.looks = new UsedUpReserve(context.nanoTime(), context.claimTimeout());
        this.context = context;
    }

    /**
     * A range that is ours.
     *
     * @param fresh whether it comes from the reserve, above everything that was ever claimed from it; otherwise it is a
     *     tail
     * @param grantNumber of the reserve from which it was claimed
     * @param proposedAt when it was first sent, by the monotonic clock
     */
    record Won(Claim claim, boolean fresh, int grantNumber, long proposedAt) {}

    /**
     * Claims a range.
     *
     * @param wanted the size that the rate asks for
     * @param above a tail must not begin before this
     * @param spent claims of which every id has been issued; forgotten in passing
     * @param incarnation the newest that the process knows of; nothing is claimed of an older one
     * @return a stage that fails with a {@link SequenceException}, at the latest when the claim time-out ends
     */
    CompletionStage<Won> claim(long wanted, long above, List<Claim> spent, int incarnation) {
        Optional<SequenceException> refusal = context.safety().refusal();
        if (refusal.isPresent()) {
            return CompletableFuture.failedFuture(refusal.get());
        }
        Attempt attempt = new Attempt(wanted, above, spent, incarnation);
        Reserve known = remembered.get();
        return known == null ? attempt.begin() : attempt.claimFromMemory(known);
    }

    /**
     * Looks whether a claim has stood. First a majority is made to agree on it, so that no other majority can be
     * without it; a linearizable read does not do so. Then it is read in serial order: a plain read does not see what
     * another process has proposed without knowing of the claim and has not committed yet. Both reads must find the
     * claim, in this order.
     *
     * @param period how long ago a replica may have received what it now forgets
     */
    CompletionStage<Standing.Verdict> standing(Won won, Duration period) {
        return standing(won, period, FEW_ROWS, true)
                .thenCompose(agreed -> agreed == Standing.Verdict.STOOD
                        ? standing(won, period, FEW_ROWS, false)
                        : CompletableFuture.completedFuture(agreed));
    }

    private CompletionStage<Standing.Verdict> standing(Won won, Duration period, int most, boolean repair) {
        return store.standing(stripe, won.claim(), most, repair).thenCompose(found -> {
            Standing.Verdict verdict = found.of(won.claim(), won.grantNumber(), period);
            return verdict == Standing.Verdict.UNCLEAR && most < MANY_ROWS
                    ? standing(won, period, MANY_ROWS, repair)
                    : CompletableFuture.completedFuture(verdict);
        });
    }

    /** Nothing is claimed or refilled any more, but what has begun may still complete. */
    void close() {
        refiller.close();
    }

    /** No claim is proposed any more, not even one that was begun: another copy of this process may go on with it. */
    void disown() {
        disowned = true;
        refiller.close();
    }

    /** Returns a claimer for a copy of the process. */
    RangeClaimer forCopy(Leftovers own) {
        return new RangeClaimer(store, spec, stripe, own, sizing, context);
    }

    /** One wanted range, through all its tries. Its steps follow one another; no two run at a time. */
    private final class Attempt {

        private final long wanted;
        private final long above;
        private final List<Claim> spent;
        private final int incarnation;
        private final Backoff backoff = new Backoff(context.timer(), context.random());
        private final Retries retries =
                new Retries(context.nanoTime(), context.longestWait(), backoff::jitter, this::timeUp);
        private boolean usedUp;
        /** Whether the next try is based on memory: a refusal then shows that it was old, not that claims collide. */
        private boolean fromMemory;

        Attempt(long wanted, long above, List<Claim> spent, int incarnation) {
            this.wanted = wanted;
            this.above = above;
            this.spent = new ArrayList<>(spent);
            this.incarnation = incarnation;
        }

        /** Many may begin at the same time: then even a plain read takes long, and each waits for its own while. */
        CompletionStage<Won> begin() {
            long asked = context.nanoTime().getAsLong();
            return retries.orAgain(
                    store.glance(stripe),
                    seen -> {
                        Duration took = since(asked);
                        CompletionStage<Void> over = backoff.spreadOut(took, left());
                        return over.toCompletableFuture().isDone()
                                ? claimFromGlance(seen)
                                : over.thenCompose(waited -> glanceThenClaim());
                    },
                    this::begin);
        }

        CompletionStage<Won> claimFromMemory(Reserve known) {
            fromMemory = true;
            return claimFrom(known, false);
        }

        /** What others claim meanwhile is refused; a serial read would compete with their claims. */
        private CompletionStage<Won> glanceThenClaim() {
            return retries.orAgain(store.glance(stripe), this::claimFromGlance, this::glanceThenClaim);
        }

        private CompletionStage<Won> claimFromGlance(Optional<Reserve> seen) {
            return seen.isPresent() && offers(seen.get()) ? claimFrom(seen.get(), false) : readThenClaim();
        }

        /** Whether a claim can be proposed from this reserve. It may be old, so nothing else in it is relied on. */
        private boolean offers(Reserve reserve) {
            return reserve.incarnation() >= incarnation
                    && Incarnations.sameGeneration(reserve.incarnation(), incarnation)
                    && (!reserve.claimable().isEmpty()
                            || reserve.tails().choose(wanted, above).isPresent());
        }

        private Duration since(long nanos) {
            return Duration.ofNanos(context.nanoTime().getAsLong() - nanos);
        }

        private Duration left() {
            return retries.left();
        }

        CompletionStage<Won> readThenClaim() {
            return retries.orAgain(store.reserve(stripe), this::claimFrom, this::readThenClaim);
        }

        private CompletionStage<Won> claimFrom(Optional<Reserve> found) {
            if (found.isEmpty()) {
                return CompletableFuture.failedFuture(new SequenceException.Conflict("sequence " + stripe
                        + " has no reserve in this datacenter although it was joined: its row was deleted, truncated or"
                        + " not restored. Nothing is issued until sequences.admin().join(\"" + stripe.sequence()
                        + "\") has made a new one above every grant"));
            }
            return claimFrom(found.get(), true);
        }

        /** @param read whether it was read just now; otherwise it is what is remembered, and may be old */
        CompletionStage<Won> claimFrom(Reserve reserve, boolean read) {
            remembered.set(reserve);
            if (reserve.incarnation() < incarnation) {
                return retries.orAgain(
                        refiller.adopt(reserve, incarnation),
                        outcome -> outcome instanceof ClaimOutcome.Claimed ? readThenClaim() : startOver(),
                        this::readThenClaim);
            }
            if (!Incarnations.sameGeneration(reserve.incarnation(), incarnation)) {
                // Its ordinals may mean other ids than they do under the allocator's specification.
                return CompletableFuture.failedFuture(new SequenceException.Dropped("sequence " + stripe
                        + " was dropped and created again since this allocator was opened;"
                        + " ask for its allocator again"));
            }
            if (!reserve.isNumberedAs(Numbering.of(spec))) {
                return CompletableFuture.failedFuture(refiller.renumbered());
            }
            Optional<Span> tail = reserve.tails().choose(wanted, above);
            if (tail.isPresent()) {
                return propose(reserve, wish(reserve, tail.get(), false), false);
            }
            Span claimable = reserve.claimable();
            if (!claimable.isEmpty()) {
                usedUp = false;
                looks.refilled();
                long size = sizing.withinSpace(wanted, reserve);
                return propose(reserve, wish(reserve, claimable.first(size), true), false);
            }
            // The local level first: others may have refilled it, and the global level may not answer.
            return read ? refillOrLookAgain(reserve) : look();
        }

        private Won wish(Reserve reserve, Span span, boolean fresh) {
            Claim claim =
                    new Claim(reserve.incarnation(), span, context.tokens().get());
            return new Won(
                    claim, fresh, reserve.grantNumber(), context.nanoTime().getAsLong());
        }

        /** Reads the reserve when it is time to. */
        private CompletionStage<Won> look() {
            if (expired()) {
                return retries.fail();
            }
            Duration wait = looks.untilNext();
            return wait.isZero() ? readThenClaim() : pause(wait).thenCompose(waited -> look());
        }

        /** A refill may hang while other processes absorb theirs, so looking at the reserve does not wait for it. */
        private CompletionStage<Won> refillOrLookAgain(Reserve reserve) {
            boolean first = !usedUp;
            usedUp = true;
            looks.looked();
            if (expired()) {
                return retries.fail();
            }
            CompletableFuture<Supplier<CompletionStage<Won>>> next = new CompletableFuture<>();
            refiller.refill(reserve, wanted).whenComplete((outcome, thrown) -> {
                if (outcome instanceof ClaimOutcome.Claimed) {
                    next.complete(this::readThenClaim);
                } else if (outcome instanceof ClaimOutcome.Lost) {
                    // Another process has changed something: worth a look.
                    next.complete(() -> first ? readThenClaim() : startOver());
                } else if (outcome instanceof ClaimOutcome.Unknown unknown) {
                    retries.failed(unknown.cause());
                } else if (thrown != null) {
                    Throwable cause = Stages.cause(thrown);
                    if (cause instanceof SequenceException) {
                        next.completeExceptionally(cause);
                    } else {
                        retries.failed(cause);
                    }
                }
            });
            pause(looks.untilNext()).thenAccept(waited -> next.complete(this::look));
            return next.thenCompose(Supplier::get);
        }

        /** Until the deadline at most. */
        private CompletionStage<Void> pause(Duration delay) {
            Duration left = retries.left();
            CompletableFuture<Void> over = new CompletableFuture<>();
            context.timer().schedule(() -> over.complete(null), left.compareTo(delay) < 0 ? left : delay);
            return over;
        }

        /** @param doubtful whether an earlier try of this claim had an unknown outcome and may have taken effect */
        private CompletionStage<Won> propose(Reserve seen, Won wish, boolean doubtful) {
            if (disowned) {
                return CompletableFuture.failedFuture(
                        new SequenceException.Unavailable("the process was copied while it claimed ids of " + stripe));
            }
            long sent = context.nanoTime().getAsLong();
            return retries.orAgain(
                    wish.fresh()
                            ? store.claim(stripe, seen, wish.claim(), spent)
                            : store.claimTail(stripe, seen, wish.claim(), spent),
                    outcome -> {
                        if (outcome instanceof ClaimOutcome.Claimed claimed) {
                            return won(wish, claimed.after());
                        }
                        if (outcome instanceof ClaimOutcome.Unknown unknown) {
                            remembered.set(null);
                            retries.failed(unknown.cause());
                            leftovers.add(wish.claim());
                            return expired()
                                    ? retries.fail()
                                    : backoff.afterUnknown(since(sent), left())
                                            .thenCompose(waited -> prove(seen, wish, false));
                        }
                        ClaimOutcome.Lost lost = (ClaimOutcome.Lost) outcome;
                        // Gone for good, by a claim of ours that was given up in doubt and landed, or by an operator: a
                        // claim that demands their removal can no longer land.
                        boolean freed = spent.removeAll(lost.gone());
                        // A refusal may be due to our own earlier success: then its row is there, with our token.
                        if (doubtful) {
                            return prove(seen, wish, true);
                        }
                        return freed && lost.now() != null && !expired()
                                ? claimFrom(lost.now(), true)
                                : startOverRefused(lost.now(), since(sent));
                    },
                    () -> doubtful ? prove(seen, wish, false) : readThenClaim());
        }

        /** @param refused whether the last try was refused: then what is there now is another's, or will be */
        private CompletionStage<Won> prove(Reserve seen, Won wish, boolean refused) {
            Claim claim = wish.claim();
            return retries.orAgain(
                    store.claimAt(stripe, claim.incarnation(), claim.span().lo()),
                    row -> {
                        boolean ours = row.isPresent() && row.get().token().equals(claim.token());
                        if (ours) {
                            // The row's own end, not the one we remember.
                            return won(new Won(row.get(), wish.fresh(), wish.grantNumber(), wish.proposedAt()), null);
                        }
                        if (row.isEmpty() && !refused) {
                            // Not there yet, but it may come. Try again with the same position and token, so that it
                            // can land only once.
                            return propose(seen, wish, true);
                        }
                        // The reserve may return to the state that was seen: then the claim lands after all.
                        leftovers.abandoned(claim);
                        return startOver();
                    },
                    () -> prove(seen, wish, refused));
        }

        private CompletionStage<Won> startOver() {
            remembered.set(null);
            return retries.again(this::readThenClaim);
        }

        /** @param took how long the refused try took */
        private CompletionStage<Won> startOverRefused(@Nullable Reserve now, Duration took) {
            remembered.set(now);
            if (expired()) {
                return retries.fail();
            }
            boolean old = fromMemory;
            fromMemory = false;
            boolean quick = backoff.goesOnAtOnce(took);
            if (now != null && (old || quick)) {
                return claimFrom(now, true);
            }
            return backoff.afterRefusal(took, left())
                    .thenCompose(waited -> now == null ? readThenClaim() : glanceThenClaim());
        }

        private CompletionStage<Won> won(Won won, @Nullable Reserve after) {
            // A look meanwhile may have found what other processes absorbed.
            remembered.updateAndGet(known -> after == null || known == null ? after : after.and(known));
            if (won.fresh() && after != null && sizing.wantsGrant(wanted, after)) {
                lookAhead(after);
            }
            return CompletableFuture.completedFuture(won);
        }

        /** Other processes may have refilled a reserve that is low while a refill of ours hangs. */
        private void lookAhead(Reserve low) {
            if (!lookingAhead.compareAndSet(false, true)) {
                return;
            }
            store.reserve(stripe).whenComplete((found, failure) -> {
                lookingAhead.set(false);
                if (failure != null) {
                    LOG.debug("sequence {}: its low reserve could not be looked at", stripe, failure);
                } else if (found.isPresent()) {
                    Reserve now = found.get();
                    remembered.updateAndGet(known -> known == null ? now : known.and(now));
                    if (now.incarnation() == low.incarnation() && sizing.wantsGrant(wanted, now)) {
                        refiller.refillAhead(now, wanted);
                    }
                }
            });
        }

        private boolean expired() {
            return retries.isTimeUp();
        }

        private SequenceException timeUp(Duration within, @Nullable Throwable lastFailure) {
            return Retries.unavailable(
                    "no id of sequence " + stripe + " could be claimed within " + within
                            + (usedUp
                                    ? ": this datacenter's reserve is used up, and "
                                            + (refiller.isOnTrial()
                                                    ? "what it was granted has to stand first (durability=wait)"
                                                    : "the global level grants no more now")
                                    : ""),
                    ": other claims always came first",
                    lastFailure);
        }
    }
}
