package dev.cassidy.sequence.protocol;

import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.HeldClaim;
import dev.cassidy.sequence.store.Incarnations;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Stripe;
import dev.cassidy.sequence.store.Tails;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/**
 * The claims that the processes of this datacenter hold, and what a caller who knows that a process is gone can do with
 * them: {@linkplain #release release} those of older incarnations, so that a raise can complete, and {@linkplain #reclaim
 * reclaim} the unused ids of current ones. Nothing here happens automatically, because a process that only paused would go
 * on to issue the same ids. Every removal of a row names the claim's token, so each may be run again.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class HeldClaims {

    /** A process that claimed more recently than this may be alive. */
    private static final Duration YOUNGEST_ABANDONED = Duration.ofHours(1);

    private final SequenceCatalog catalog;
    private final RangeStore store;
    private final ChangeRetries retries;

    /** @param store whose holder is never taken for gone */
    public HeldClaims(SequenceCatalog catalog, RangeStore store, AllocatorContext context) {
        this.catalog = catalog;
        this.store = store;
        this.retries = new ChangeRetries(context);
    }

    /** Returns the claims of this datacenter in older incarnations. */
    public CompletionStage<List<HeldClaim>> claimsBefore(SequenceEntry entry) {
        // Older generations have none: it was created again only after every datacenter had acknowledged the drop.
        int first = Incarnations.first(Incarnations.generation(entry.incarnation()));
        return claims(entry, first, entry.incarnation());
    }

    private CompletionStage<List<HeldClaim>> claims(SequenceEntry entry, int from, int before) {
        CompletionStage<List<HeldClaim>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (Stripe stripe : Stripe.of(entry.spec())) {
            all = all.thenCompose(found -> catalog.claims(stripe, from, before).thenApply(more -> {
                found.addAll(more);
                return found;
            }));
        }
        return all;
    }

    /** Returns the claims of this datacenter in the entry's incarnation. */
    public CompletionStage<List<HeldClaim>> claimsOf(SequenceEntry entry) {
        return claims(entry, entry.incarnation(), Math.addExact(entry.incarnation(), 1));
    }

    /**
     * The claims of a process that the caller says is gone.
     *
     * @param reclaimable the claims that may be given back, less what was used of them
     * @param tooOld the claims that must not: a replica that missed the removal of such an old row may have brought it back,
     *     and other processes may have had its ids since
     */
    public record Abandoned(List<HeldClaim> reclaimable, List<HeldClaim> tooOld) {}

    /**
     * Finds the claims of one holder in the entry's incarnation.
     *
     * @param asked the holder, as {@link HolderName#find} takes it
     * @return a stage that fails with {@link SequenceException.Conflict} if it claimed anything within the last hour, or if
     *     several holders or none are meant
     */
    public CompletionStage<Abandoned> abandonedBy(SequenceEntry entry, String asked) {
        return claimsOf(entry).thenCombine(catalog.forgottenFor(), (claims, forgottenFor) -> {
            String holder = anotherHolder(asked, claims)
                    .orElseThrow(() -> new SequenceException.Conflict("sequence " + entry.name()
                            + ": no process called '"
                            + asked + "' holds ids of it in this datacenter, so nothing is reclaimed. These do: "
                            + names(claims)));
            // Half of it, as a margin for the clocks of the servers, and for a setting that was lowered.
            Duration oldest = forgottenFor.dividedBy(2);
            List<HeldClaim> reclaimable = new ArrayList<>();
            List<HeldClaim> tooOld = new ArrayList<>();
            for (HeldClaim each : claims) {
                if (!each.holder().equals(holder)) {
                    continue;
                }
                if (each.age().compareTo(YOUNGEST_ABANDONED) < 0) {
                    throw new SequenceException.Conflict("sequence " + entry.name() + ": process " + each.holder()
                            + " claimed ids " + each.age() + " ago, and so may well be alive; nothing is reclaimed from"
                            + " a process that claimed any within " + YOUNGEST_ABANDONED);
                }
                (each.age().compareTo(oldest) < 0 ? reclaimable : tooOld).add(each);
            }
            return new Abandoned(reclaimable, tooOld);
        });
    }

    private Optional<String> anotherHolder(String asked, List<HeldClaim> held) {
        Optional<String> found =
                HolderName.find(asked, held.stream().map(HeldClaim::holder).collect(Collectors.toSet()));
        if (store.holder().equals(found.orElse(asked))) {
            throw new IllegalArgumentException("must be a process that is gone: process='" + asked + "' is this one, "
                    + store.holder() + "; it gives up its claims by itself");
        }
        return found;
    }

    private static List<String> names(List<HeldClaim> held) {
        return held.stream().map(HeldClaim::holder).distinct().sorted().toList();
    }

    /**
     * Ends a claim for a process that is gone, and turns what it did not use into tails.
     *
     * @param unused the unused ones of the claim's ordinals, in ascending order
     * @return whether this call did so; if not, the claim had ended before
     */
    public CompletionStage<Boolean> reclaim(HeldClaim abandoned, List<Span> unused) {
        Stripe stripe = abandoned.stripe();
        Claim claim = abandoned.claim();
        AtomicBoolean doubtful = new AtomicBoolean();
        return retries.run(again -> store.claimAt(
                        stripe, claim.incarnation(), claim.span().lo())
                .thenCombine(store.reserve(stripe), (row, reserve) -> {
                    boolean there = row.isPresent() && row.get().equals(claim);
                    boolean sameIncarnation =
                            reserve.isPresent() && reserve.get().incarnation() == claim.incarnation();
                    if (!there || !sameIncarnation) {
                        // If the row is gone after a try of ours with an unknown outcome, that try removed it.
                        return CompletableFuture.completedFuture(!there && doubtful.get());
                    }
                    // The condition names the claim's token: of all tries, of this process and of others, one takes
                    // effect.
                    return store.giveBack(stripe, reserve.get(), List.of(claim), plus(reserve.get(), unused), List.of())
                            .thenCompose(outcome -> {
                                if (outcome instanceof ClaimOutcome.Claimed) {
                                    return CompletableFuture.completedFuture(true);
                                }
                                doubtful.compareAndSet(false, outcome instanceof ClaimOutcome.Unknown);
                                return again.get();
                            });
                })
                .thenCompose(stage -> stage));
    }

    private static Tails plus(Reserve reserve, List<Span> unused) {
        try {
            return reserve.tails().plus(unused);
        } catch (IllegalArgumentException overlap) {
            throw new SequenceException.Conflict(
                    "its ids were given back before, so its row was removed and came back; nothing is reclaimed"
                            + " from it: " + overlap.getMessage());
        }
    }

    /**
     * Removes the claims of older incarnations for one holder of this datacenter that is gone.
     *
     * @param asked the holder, as {@link HolderName#find} takes it
     * @return a stage that fails with {@link SequenceException.Conflict} if several holders or none are meant
     */
    public CompletionStage<Void> release(SequenceEntry entry, String asked) {
        return claimsBefore(entry).thenCompose(held -> {
            Optional<String> holder = anotherHolder(asked, held);
            if (holder.isEmpty()) {
                return claimsOf(entry).thenAccept(newer -> {
                    throw new SequenceException.Conflict("sequence " + entry.name() + ": no process called '" + asked
                            + "' holds ids from before its last raise in this datacenter, so nothing is released. These"
                            + " do: " + names(held) + ". These hold ids of it, all from after the raise: "
                            + names(newer));
                });
            }
            CompletionStage<Void> all = done();
            for (HeldClaim each : held) {
                if (holder.get().equals(each.holder())) {
                    all = all.thenCompose(before -> forget(each));
                }
            }
            return all;
        });
    }

    /** The condition names the claim's token, so a repetition does no harm. */
    private CompletionStage<Void> forget(HeldClaim held) {
        return retries.run(again -> (held.lost()
                        ? store.forgetLost(held.stripe(), held.claim())
                        : store.forget(held.stripe(), held.claim()))
                .thenCompose(outcome -> outcome instanceof ClaimOutcome.Unknown ? again.get() : done()));
    }

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
