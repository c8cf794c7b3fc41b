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
 * Claims of which this process issues nothing more, but whose rows may still stand or land: the outcome of the claim or
 * of its removal is not known. While the incarnation stays, such a claim is a gap and nothing worse. In a raise, its
 * row says that older ids may still be issued, and nobody may release it while the process runs: so the process itself
 * removes it.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class Leftovers {

    /** Calls of {@link #remove} between two reads of a reserve that does not change. */
    private static final int MAX_SKIPPED = 31;

    private final RangeStore store;
    private final Stripe stripe;
    private final Set<Claim> claims = ConcurrentHashMap.newKeySet();

    /** Those of {@link #claims} that were given up, and whose rows have not been looked for since. */
    private final Set<Claim> abandoned = ConcurrentHashMap.newKeySet();

    private final Looks looks = new Looks();

    Leftovers(RangeStore store, Stripe stripe) {
        this.store = store;
        this.stripe = stripe;
    }

    /** Returns one without claims, for a copy of the process. */
    Leftovers forCopy() {
        return new Leftovers(store, stripe);
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
     * A claim of unknown outcome is not served. But it may land for as long as the incarnation stays, whenever the
     * reserve returns to the state in which it was proposed.
     */
    void abandoned(Claim claim) {
        add(claim);
        abandoned.add(claim);
    }

    /**
     * Removes the rows of incarnations that the datacenter has left, and, once, those of claims that were given up. To
     * be called at regular intervals. At first it reads the reserve on every call, and less often the longer the
     * reserve does not change. Only one read runs at a time, so that reads do not pile up at a store that does not
     * answer.
     *
     * @param incarnation from this one on, claims may still turn out to be ours, and be served
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
            // Before the reserve has moved, a claim whose row is not there may still land, and must not be given up.
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

    /** Removes the row of a claim that was served and has ended; if the outcome is unknown, {@link #remove} does it. */
    CompletionStage<Void> forget(Claim claim) {
        add(claim);
        return store.forget(stripe, claim).thenAccept(outcome -> {
            // A refusal is as good: the row is gone, perhaps by an earlier try whose outcome was unknown.
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

        /** Whether the caller should read now; if so, it must call {@link #end}. */
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
            pause = Math.min(2 * pause + 1, MAX_SKIPPED);
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
