package dev.cassidy.sequence;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims ranges for one process, and refills the datacenter's reserve from the global level when it runs low.
 *
 * <p>What holds, whatever fails: a range is returned only if the claim was acknowledged, or if a linearizable read found
 * the claim's own row, with its own token, in the store. Everything else is abandoned: leaked, never reused. The next
 * position alone proves nothing, since a later claimant moves it too.
 *
 * <p>Between the two levels a crash loses and doubles nothing: grant <i>k+1</i> is made only if there is none, and
 * absorbed only by a reserve whose last grant was <i>k</i>; whoever comes next finds it and absorbs it.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class RangeClaimer {

    private static final Logger LOG = LoggerFactory.getLogger(RangeClaimer.class);

    private final RangeStore store;
    private final Stripe stripe;
    private final Leftovers leftovers;
    private final Duration timeout;
    private final Timer timer;
    private final LongSupplier nanoTime;
    private final RandomGenerator random;
    private final Supplier<UUID> tokens;

    /**
     * The reserve as it was seen last, or as our own claim left it: saves the read before a claim. It may be stale; then
     * the claim's condition refuses it.
     */
    private volatile @Nullable Reserve remembered;

    /** One is enough: while the other datacenters are silent, each keeps a thread of the server waiting. */
    private final AtomicBoolean refillingAhead = new AtomicBoolean();

    /** @param leftovers learns of claims that are given up in doubt */
    RangeClaimer(RangeStore store, Stripe stripe, Leftovers leftovers, AllocatorContext context) {
        this.store = store;
        this.stripe = stripe;
        this.leftovers = leftovers;
        this.timeout = context.claimTimeout();
        this.timer = context.timer();
        this.nanoTime = context.nanoTime();
        this.random = context.random();
        this.tokens = context.tokens();
    }

    /**
     * A range that is ours.
     *
     * @param fresh whether it comes from the reserve, above everything that was ever claimed from it; else it is a tail
     */
    record Won(Claim claim, boolean fresh) {}

    /**
     * A claim of which nothing more will be issued.
     *
     * @param unused the end of it that was never issued; may be empty
     */
    record Ended(Claim claim, Span unused) {}

    /**
     * Claims a range.
     *
     * @param wanted the size that the rate asks for
     * @param above where a tail must not begin before
     * @param sizing bounds it by the space
     * @param spent claims of which every id has been issued; forgotten in passing
     * @param incarnation the newest that the process knows of; nothing is claimed of an older one
     * @return a stage that fails with a {@link SequenceException}, at the claim time-out at the latest
     */
    CompletionStage<Won> claim(long wanted, long above, Sizing sizing, List<Claim> spent, int incarnation) {
        Attempt attempt = new Attempt(wanted, above, sizing, spent, incarnation);
        Reserve known = remembered;
        return known == null ? attempt.readThenClaim() : attempt.claimFrom(known);
    }

    /**
     * Gives back what ended claims have left, and removes them. Whatever the outcome, the caller must never use it again.
     *
     * @return a stage that fails when it is not known whether the store was told; then it is a gap at worst
     */
    CompletionStage<Void> giveBack(List<Ended> ended) {
        return new Return(ended).readThenReturn();
    }

    /**
     * One return, through all its tries. That a try ended unknown is no reason not to try again: the claims' tokens let
     * only one of them take effect.
     */
    private final class Return {

        private final List<Claim> claims;
        private final List<Claim> partly;
        private final List<Claim> spent;
        private final List<Span> unused;
        private final long deadline = nanoTime.getAsLong() + timeout.toNanos();
        private final Backoff backoff = new Backoff(timer, random);
        private @Nullable Reserve refused;

        Return(List<Ended> ended) {
            this.claims = ended.stream().map(Ended::claim).toList();
            this.partly = ended.stream()
                    .filter(each -> !each.unused().isEmpty())
                    .map(Ended::claim)
                    .toList();
            this.spent =
                    claims.stream().filter(claim -> !partly.contains(claim)).toList();
            this.unused = ended.stream().map(Ended::unused).toList();
        }

        CompletionStage<Void> readThenReturn() {
            return store.reserve(stripe)
                    .handle((found, thrown) -> thrown == null ? returnTo(found) : again(thrown))
                    .thenCompose(stage -> stage);
        }

        private CompletionStage<Void> returnTo(Optional<Reserve> found) {
            if (found.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            Reserve reserve = found.get();
            boolean reseeded = claims.stream().anyMatch(claim -> claim.incarnation() != reserve.incarnation());
            if (reseeded) {
                return forgetAll();
            }
            boolean sameTails = refused != null
                    && refused.incarnation() == reserve.incarnation()
                    && refused.tails().equals(reserve.tails());
            // A refusal although the tails are the same: the claims are gone, or the tails were others and came back.
            return sameTails
                    ? stillOurs()
                            .handle((ours, thrown) ->
                                    thrown != null ? again(thrown) : ours ? giveBackTo(reserve) : forgetAll())
                            .thenCompose(stage -> stage)
                    : giveBackTo(reserve);
        }

        private CompletionStage<Boolean> stillOurs() {
            CompletionStage<Boolean> all = CompletableFuture.completedFuture(true);
            for (Claim claim : partly) {
                all = all.thenCombine(
                        store.claimAt(stripe, claim.incarnation(), claim.span().lo()),
                        (ours, found) -> ours
                                && found.filter(row -> row.token().equals(claim.token()))
                                        .isPresent());
            }
            return all;
        }

        private CompletionStage<Void> giveBackTo(Reserve reserve) {
            return store.giveBack(stripe, reserve, partly, reserve.tails().plus(unused), spent)
                    .handle((outcome, thrown) -> {
                        if (thrown != null) {
                            return again(thrown);
                        }
                        if (outcome instanceof ClaimOutcome.Claimed) {
                            return CompletableFuture.<Void>completedFuture(null);
                        }
                        if (outcome instanceof ClaimOutcome.Unknown unknown) {
                            return again(unknown.cause());
                        }
                        refused = reserve;
                        return again(new SequenceException.Unavailable(
                                "other processes' returns to sequence " + stripe + " were always first"));
                    })
                    .thenCompose(stage -> stage);
        }

        private CompletionStage<Void> again(Throwable cause) {
            return nanoTime.getAsLong() - deadline >= 0
                    ? CompletableFuture.failedFuture(unwrap(cause))
                    : backoff.pause().thenCompose(waited -> readThenReturn());
        }

        private static void requireKnown(ClaimOutcome outcome) {
            if (outcome instanceof ClaimOutcome.Unknown unknown) {
                throw new CompletionException(unknown.cause());
            }
        }

        /** The ids are nobody's any more, or the claims were released by hand: nothing may come back. */
        private CompletionStage<Void> forgetAll() {
            return CompletableFuture.allOf(claims.stream()
                            .map(claim -> store.forget(stripe, claim)
                                    .thenAccept(Return::requireKnown)
                                    .toCompletableFuture())
                            .toArray(CompletableFuture<?>[]::new))
                    .handle((done, thrown) ->
                            thrown == null ? CompletableFuture.<Void>completedFuture(null) : again(thrown))
                    .thenCompose(stage -> stage);
        }
    }

    /** One wanted range, through all its tries. Its steps follow one another; no two run at a time. */
    private final class Attempt {

        private final long wanted;
        private final long above;
        private final Sizing sizing;
        private final List<Claim> spent;
        private final int incarnation;
        private final long deadline = nanoTime.getAsLong() + timeout.toNanos();
        private final Backoff backoff = new Backoff(timer, random);
        private @Nullable Throwable lastFailure;
        private boolean usedUp;

        Attempt(long wanted, long above, Sizing sizing, List<Claim> spent, int incarnation) {
            this.wanted = wanted;
            this.above = above;
            this.sizing = sizing;
            this.spent = spent;
            this.incarnation = incarnation;
        }

        CompletionStage<Won> readThenClaim() {
            return orRetry(store.reserve(stripe), this::claimFrom, this::readThenClaim);
        }

        private CompletionStage<Won> claimFrom(Optional<Reserve> found) {
            if (found.isEmpty()) {
                return CompletableFuture.failedFuture(new SequenceException.Conflict("sequence " + stripe
                        + " has no reserve in this datacenter although it was joined: its row was deleted, truncated or"
                        + " not restored. Nothing is issued until Sequences.join(\"" + stripe.sequence()
                        + "\") has made a new one above every grant"));
            }
            return claimFrom(found.get());
        }

        CompletionStage<Won> claimFrom(Reserve reserve) {
            remembered = reserve;
            if (reserve.incarnation() < incarnation) {
                return orRetry(
                        adopt(reserve, incarnation),
                        outcome -> outcome instanceof ClaimOutcome.Claimed ? readThenClaim() : startOver(),
                        this::readThenClaim);
            }
            if (!Incarnations.sameGeneration(reserve.incarnation(), incarnation)) {
                // Its ordinals may mean other ids than the allocator's specification makes of them.
                return CompletableFuture.failedFuture(
                        new SequenceException.Dropped(
                                "sequence " + stripe
                                        + " was dropped and created anew since this allocator was opened; ask for its allocator again"));
            }
            Optional<Span> tail = reserve.tails().choose(wanted, above);
            if (tail.isPresent()) {
                return propose(reserve, new Won(claimOf(reserve, tail.get()), false), false);
            }
            Span claimable = reserve.claimable();
            usedUp = claimable.isEmpty();
            if (usedUp) {
                return orRetry(
                        refill(reserve),
                        outcome -> outcome instanceof ClaimOutcome.Claimed ? readThenClaim() : startOver(),
                        this::readThenClaim);
            }
            long size = sizing.withinSpace(wanted, reserve);
            return propose(reserve, new Won(claimOf(reserve, claimable.first(size)), true), false);
        }

        private Claim claimOf(Reserve reserve, Span span) {
            return new Claim(reserve.incarnation(), span, tokens.get());
        }

        /** @param doubtful whether an earlier try of this very claim ended unknown and may have taken effect */
        private CompletionStage<Won> propose(Reserve seen, Won wish, boolean doubtful) {
            return orRetry(
                    wish.fresh()
                            ? store.claim(stripe, seen, wish.claim(), spent)
                            : store.claimTail(stripe, seen, wish.claim(), spent),
                    outcome -> {
                        if (outcome instanceof ClaimOutcome.Claimed claimed) {
                            return won(wish, claimed.after());
                        }
                        if (outcome instanceof ClaimOutcome.Unknown unknown) {
                            remembered = null;
                            lastFailure = unknown.cause();
                            leftovers.add(wish.claim());
                            return expired()
                                    ? fail()
                                    : backoff.jitter().thenCompose(waited -> prove(seen, wish, false));
                        }
                        // A refusal may be our own success met again: then its row is there, with our token.
                        return doubtful ? prove(seen, wish, true) : startOver(((ClaimOutcome.Lost) outcome).now());
                    },
                    () -> doubtful ? prove(seen, wish, false) : readThenClaim());
        }

        /** @param passed whether the position is known to have moved, so that an absent row can not be ours any more */
        private CompletionStage<Won> prove(Reserve seen, Won wish, boolean passed) {
            Claim claim = wish.claim();
            return orRetry(
                    store.claimAt(stripe, claim.incarnation(), claim.span().lo()),
                    row -> {
                        if (row.isEmpty() && !passed) {
                            // Not there yet, but it may come: the same position and token, so that it can land only
                            // once.
                            return propose(seen, wish, true);
                        }
                        leftovers.settled(claim);
                        // The row's own end, not the one we remember.
                        return row.isPresent() && row.get().token().equals(claim.token())
                                ? won(new Won(row.get(), wish.fresh()), null)
                                : startOver();
                    },
                    () -> prove(seen, wish, passed));
        }

        private CompletionStage<Won> startOver() {
            return startOver(null);
        }

        private CompletionStage<Won> startOver(@Nullable Reserve now) {
            remembered = now;
            if (expired()) {
                return fail();
            }
            return backoff.pause().thenCompose(waited -> now == null ? readThenClaim() : claimFrom(now));
        }

        private CompletionStage<Won> won(Won won, @Nullable Reserve after) {
            remembered = after;
            leftovers.settled(won.claim());
            if (won.fresh()
                    && after != null
                    && sizing.wantsGrant(wanted, after)
                    && refillingAhead.compareAndSet(false, true)) {
                refillAhead(after);
            }
            return CompletableFuture.completedFuture(won);
        }

        private void refillAhead(Reserve low) {
            refill(low).whenComplete((done, failure) -> {
                refillingAhead.set(false);
                // By whomever it was filled: what is remembered does not have it, and would ask for it again and again.
                remembered = null;
                if (failure != null) {
                    // Nobody waits for it, and the next claim tries again; the reserve still lasts.
                    LOG.debug("sequence {} was not refilled ahead of need", stripe, failure);
                }
            });
        }

        private CompletionStage<ClaimOutcome> adopt(Reserve reserve, int newer) {
            return store.highestGrant(stripe, newer).thenCompose(grant -> store.adopt(stripe, reserve, newer, grant));
        }

        /** Absorbs the next grant, making it first if nobody has. The reserve must be read again afterwards. */
        private CompletionStage<ClaimOutcome> refill(Reserve reserve) {
            int number = reserve.grantNumber() + 1;
            return requireKnown(reserve)
                    .thenCompose(known -> store.grantAt(stripe, reserve.incarnation(), number))
                    .thenCompose(grant -> grant.isPresent()
                            ? requireLast(reserve).thenCompose(last -> store.absorb(stripe, reserve, grant.get()))
                            : store.ledger(stripe.sequence()).thenCompose(ledger -> grant(reserve, number, ledger)));
        }

        /** The grant that the reserve absorbed last must be there: else the global level was set back behind it. */
        private CompletionStage<Void> requireKnown(Reserve reserve) {
            if (reserve.grantNumber() == 0) {
                return CompletableFuture.completedFuture(null);
            }
            return store.grantAt(stripe, reserve.incarnation(), reserve.grantNumber())
                    .thenAccept(known -> {
                        if (known.isEmpty()) {
                            throw setBack("its grant " + reserve.grantNumber() + " is gone from the global keyspace");
                        }
                    });
        }

        /**
         * A grant is made only once the one before it was absorbed: where the reserve stands two behind, it was set
         * back, and would issue a second time what it absorbs a second time.
         */
        private CompletionStage<Void> requireLast(Reserve reserve) {
            return store.grantAt(stripe, reserve.incarnation(), reserve.grantNumber() + 2)
                    .thenCompose(beyond -> beyond.isEmpty()
                            ? CompletableFuture.<Void>completedFuture(null)
                            : store.reserve(stripe).thenAccept(now -> {
                                if (now.isPresent()
                                        && now.get().incarnation() == reserve.incarnation()
                                        && now.get().grantNumber() == reserve.grantNumber()) {
                                    throw setBack("its reserve stands at grant " + reserve.grantNumber()
                                            + ", but grant " + (reserve.grantNumber() + 2) + " was made");
                                }
                            }));
        }

        private SequenceException setBack(String evidence) {
            return new SequenceException.Conflict("sequence " + stripe + " was set back: " + evidence
                    + ". A backup was restored or rows were deleted; nothing more is claimed until it is seeded above"
                    + " every id that was issued");
        }

        private CompletionStage<ClaimOutcome> grant(Reserve reserve, int number, Optional<Ledger> found) {
            if (found.isEmpty()) {
                return CompletableFuture.failedFuture(new SequenceException.Conflict("sequence " + stripe
                        + " is known in this datacenter but its global row is gone. Nothing is granted: restore it, never"
                        + " create it anew"));
            }
            Ledger ledger = found.get();
            if (ledger.incarnation() > reserve.incarnation()) {
                return adopt(reserve, ledger.incarnation());
            }
            if (ledger.incarnation() < reserve.incarnation()) {
                return CompletableFuture.failedFuture(setBack("its global incarnation is " + ledger.incarnation()
                        + ", this datacenter has seen " + reserve.incarnation()));
            }
            if (!ledger.ready()) {
                return CompletableFuture.failedFuture(new SequenceException.NotReady(
                        "sequence " + stripe + " awaits its seed: run the migration tool's seed, or register, for it"));
            }
            if (ledger.free().lo() < reserve.highest()) {
                return CompletableFuture.failedFuture(setBack("its global next is "
                        + ledger.free().lo() + ", this datacenter holds ordinals up to " + reserve.highest()));
            }
            if (ledger.free().isEmpty()) {
                return exhausted(reserve, ledger);
            }
            Span span = ledger.free().first(sizing.grant(wanted, reserve, ledger));
            Grant grant = new Grant(reserve.incarnation(), number, span);
            return store.grant(stripe, ledger, grant, tokens.get()).thenCompose(outcome -> {
                if (outcome instanceof ClaimOutcome.Claimed) {
                    return store.absorb(stripe, reserve, grant);
                }
                // Lost or unknown: whatever became of it, the next look finds grant `number` or makes it.
                return CompletableFuture.completedFuture(outcome);
            });
        }

        private CompletionStage<ClaimOutcome> exhausted(Reserve seen, Ledger ledger) {
            // The last grant may have been absorbed between our two reads; then there is something to claim after all.
            return store.reserve(stripe).thenApply(now -> {
                if (now.isPresent() && !now.get().equals(seen)) {
                    return new ClaimOutcome.Lost();
                }
                throw new SequenceException.Exhausted("sequence " + stripe + " exhausted: next="
                        + ledger.free().lo() + " endExclusive=" + ledger.free().hi()
                        + " (ordinals) scope=GLOBAL, and this datacenter's reserve is used up");
            });
        }

        /** Goes on with {@code next}; when the step could not be executed, waits and does {@code again} until the deadline. */
        private <T> CompletionStage<Won> orRetry(
                CompletionStage<T> step, Function<T, CompletionStage<Won>> next, Supplier<CompletionStage<Won>> again) {
            return step.<CompletionStage<Won>>handle((value, thrown) -> {
                        if (thrown == null) {
                            return next.apply(value);
                        }
                        Throwable cause = unwrap(thrown);
                        if (cause instanceof SequenceException) {
                            return CompletableFuture.failedFuture(cause);
                        }
                        lastFailure = cause;
                        return expired() ? fail() : backoff.jitter().thenCompose(waited -> again.get());
                    })
                    .thenCompose(stage -> stage);
        }

        private boolean expired() {
            return nanoTime.getAsLong() - deadline >= 0;
        }

        private CompletionStage<Won> fail() {
            String message = "no id of sequence " + stripe + " could be claimed within " + timeout
                    + (usedUp ? ": this datacenter's reserve is used up, and the global level grants no more now" : "");
            return CompletableFuture.failedFuture(
                    lastFailure == null
                            ? new SequenceException.Unavailable(message + ": other claims were always first")
                            : new SequenceException.Unavailable(
                                    message + ": " + lastFailure.getMessage(), lastFailure));
        }
    }

    static Throwable unwrap(Throwable thrown) {
        Throwable cause = thrown;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
