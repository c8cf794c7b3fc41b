package dev.cassidy.sequence.protocol;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Stripe;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Claims of which this process issues nothing any more, but whose rows may stand or land yet: the claim or its removal ended
 * unknown. While the incarnation stays, each is a gap and no more. In a raise its row says that somebody may still issue
 * older ids, and as the process runs, nobody may release it: so the process itself removes it.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class Leftovers {

    /** Calls of {@link #remove} between two reads of a reserve that does not change. */
    private static final int MOST_SKIPPED = 31;

    private final RangeStore store;
    private final Stripe stripe;
    private final Set<Claim> claims = ConcurrentHashMap.newKeySet();

    /** Of {@link #claims}, those that were given up, and whose rows were not looked for since. */
    private final Set<Claim> abandoned = ConcurrentHashMap.newKeySet();

    private final Looks looks = new Looks();

    Leftovers(RangeStore store, Stripe stripe) {
        this.store = store;
        this.stripe = stripe;
    }

    boolean isEmpty() {
        return claims.isEmpty();
    }

    void add(Claim claim) {
        claims.add(claim);
        looks.isDue();
    }

    /** The sequence has changed, so the reserve may have moved: the next call of {@link #remove} reads it. */
    void sequenceChanged() {
        looks.isDue();
    }

    /**
     * A claim of unknown outcome is not served, but may land for as long as the incarnation stays, whenever the reserve is
     * again what it was.
     */
    void abandoned(Claim claim) {
        add(claim);
        abandoned.add(claim);
    }

    /**
     * Removes the rows of incarnations that the datacenter has left, and once those of claims that were given up. To be
     * called at regular intervals. It reads the reserve on every call at first, and less often the longer the reserve stays
     * as it is; one read at a time, so that a store that does not answer is not sent more and more of them.
     *
     * @param incarnation from which on claims may yet turn out to be ours, and be served
     */
    CompletionStage<Void> remove(int incarnation) {
        List<Claim> given = List.copyOf(abandoned);
        abandoned.removeAll(given);
        CompletionStage<Void> landed = CompletableFuture.allOf(given.stream()
                .map(claim -> store.forget(stripe, claim).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new));
        return removeOlder(incarnation).thenCombine(landed, (older, rest) -> null);
    }

    private CompletionStage<Void> removeOlder(int incarnation) {
        boolean nothing = claims.stream().noneMatch(claim -> claim.incarnation() < incarnation);
        if (nothing || !looks.begin()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletionStage<Void> removed;
        try {
            // Before the reserve has moved, a claim that is not there may land yet, and must not be given up.
            removed = store.reserve(stripe)
                    .thenCompose(found -> found.isEmpty()
                            ? CompletableFuture.completedFuture(null)
                            : removeBefore(Math.min(incarnation, found.get().incarnation())));
        } catch (RuntimeException e) {
            removed = CompletableFuture.failedFuture(e);
        }
        return removed.whenComplete((done, failure) -> looks.end());
    }

    private CompletionStage<Void> removeBefore(int incarnation) {
        return CompletableFuture.allOf(claims.stream()
                .filter(claim -> claim.incarnation() < incarnation)
                .map(claim -> forget(claim).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new));
    }

    /** Removes the row of a claim that was served and has ended; where that is in doubt, it is left to {@link #remove}. */
    CompletionStage<Void> forget(Claim claim) {
        add(claim);
        return store.forget(stripe, claim).thenAccept(outcome -> {
            // Refused is as good: the row is gone, by an earlier try perhaps that ended unknown.
            if (!(outcome instanceof ClaimOutcome.Unknown)) {
                claims.remove(claim);
            }
        });
    }

    /** When the reserve is read. Safe for use by many threads. */
    private static final class Looks {

        @GuardedBy("this")
        private boolean underWay;

        /** Calls to be skipped before the next read. */
        @GuardedBy("this")
        private int skipped;

        /** Calls to be skipped after the next read. */
        @GuardedBy("this")
        private int pause;

        /** Whether the caller is to read now; then it must call {@link #end}. */
        synchronized boolean begin() {
            if (underWay) {
                return false;
            }
            if (skipped > 0) {
                skipped--;
                return false;
            }
            underWay = true;
            skipped = pause;
            pause = Math.min(2 * pause + 1, MOST_SKIPPED);
            return true;
        }

        synchronized void end() {
            underWay = false;
        }

        synchronized void isDue() {
            skipped = 0;
            pause = 0;
        }
    }
}
