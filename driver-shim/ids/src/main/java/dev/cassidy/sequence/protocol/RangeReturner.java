package dev.cassidy.sequence.protocol;

import dev.cassidy.async.Stages;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Stripe;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Gives the unused ends of one process's claims back to the datacenter's reserve.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class RangeReturner {

    private final RangeStore store;
    private final Stripe stripe;
    private final AllocatorContext context;

    RangeReturner(RangeStore store, Stripe stripe, AllocatorContext context) {
        this.store = store;
        this.stripe = stripe;
        this.context = context;
    }

    /**
     * A claim from which nothing more will be issued.
     *
     * @param unused the end of it that was never issued; may be empty
     */
    record Ended(Claim claim, Span unused) {}

    /**
     * Gives back the unused ids of ended claims, and removes the claims. Whatever the outcome, the caller must never
     * use them again.
     *
     * @return a stage that fails if it is not known whether the store received them; at worst they are a gap
     */
    CompletionStage<Void> giveBack(List<Ended> ended) {
        return new Return(ended).readThenReturn();
    }

    /**
     * One return, through all its tries. It is tried again even after an unknown outcome: because of the claims'
     * tokens, only one try can take effect.
     */
    private final class Return {

        private final List<Claim> claims;
        private final List<Claim> partly;
        private final List<Claim> spent;
        private final List<Span> unused;
        private final long deadline =
                context.nanoTime().getAsLong() + context.claimTimeout().toNanos();
        private final Backoff backoff = new Backoff(context.timer(), context.random());

        Return(List<Ended> ended) {
            this.claims = ended.stream().map(Ended::claim).toList();
            this.partly = ended.stream()
                    .filter(each -> !each.unused().isEmpty())
                    .map(Ended::claim)
                    .toList();
            this.spent = new ArrayList<>(
                    claims.stream().filter(claim -> !partly.contains(claim)).toList());
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
            return reseeded ? forgetAll() : giveBackTo(reserve);
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
                        List<Claim> gone = ((ClaimOutcome.Lost) outcome).gone();
                        if (partly.stream().anyMatch(gone::contains)) {
                            // Released by an operator, or given back by an earlier try: nothing may come back a second
                            // time.
                            return forgetAll();
                        }
                        spent.removeAll(gone);
                        Reserve now = ((ClaimOutcome.Lost) outcome).now();
                        Throwable cause = new SequenceException.Unavailable(
                                "other processes' claims and returns of sequence " + stripe + " always came first");
                        return now == null || isOver()
                                ? again(cause)
                                : backoff.pause().thenCompose(waited -> returnTo(Optional.of(now)));
                    })
                    .thenCompose(stage -> stage);
        }

        private boolean isOver() {
            return context.nanoTime().getAsLong() - deadline >= 0;
        }

        private CompletionStage<Void> again(Throwable cause) {
            return isOver()
                    ? CompletableFuture.failedFuture(Stages.cause(cause))
                    : backoff.pause().thenCompose(waited -> readThenReturn());
        }

        private static void requireKnown(ClaimOutcome outcome) {
            if (outcome instanceof ClaimOutcome.Unknown unknown) {
                throw new CompletionException(unknown.cause());
            }
        }

        /** The ids belong to nobody any more, or an operator released the claims: nothing may come back. */
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
}
