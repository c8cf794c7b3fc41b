package dev.cassidy.reliability.simulation;

import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.GrantStanding;
import dev.cassidy.sequence.store.Ledger;
import dev.cassidy.sequence.store.Numbering;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Standing;
import dev.cassidy.sequence.store.Stripe;
import dev.cassidy.sequence.store.Tails;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The protocol, each time with one careless step. The simulation must find every one of them. */
abstract class DefectiveStore implements RangeStore {

    final RangeStore store;

    DefectiveStore(RangeStore store) {
        this.store = store;
    }

    @Override
    public String holder() {
        return store.holder();
    }

    /** Serves before there is a proof: a time-out counts as success. */
    static final class UnknownTakenForClaimed extends DefectiveStore {
        UnknownTakenForClaimed(RangeStore store) {
            super(store);
        }

        @Override
        public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
            return super.claim(stripe, seen, wanted, spent)
                    .thenApply(
                            outcome -> outcome instanceof ClaimOutcome.Unknown ? new ClaimOutcome.Claimed() : outcome);
        }
    }

    /** Ignores the answer. */
    static final class LostTakenForClaimed extends DefectiveStore {
        LostTakenForClaimed(RangeStore store) {
            super(store);
        }

        @Override
        public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
            return super.claim(stripe, seen, wanted, spent)
                    .thenApply(outcome -> outcome instanceof ClaimOutcome.Lost ? new ClaimOutcome.Claimed() : outcome);
        }
    }

    /** Takes a row at the wanted position for its own, whatever its token is. */
    static final class AnyClaimTakenForOurs extends DefectiveStore {
        private @Nullable Claim wanted;

        AnyClaimTakenForOurs(RangeStore store) {
            super(store);
        }

        @Override
        public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim claim, List<Claim> spent) {
            wanted = claim;
            return super.claim(stripe, seen, claim, spent);
        }

        @Override
        public CompletionStage<Optional<Claim>> claimAt(Stripe stripe, int incarnation, long lo) {
            return super.claimAt(stripe, incarnation, lo)
                    .thenApply(found -> found.map(
                            claim -> wanted == null ? claim : new Claim(incarnation, claim.span(), wanted.token())));
        }
    }

    /** Concludes from the position alone: it moved past the wanted ids, so the claim must have taken effect. */
    static final class ProofByPosition extends DefectiveStore {
        private @Nullable Claim wanted;

        ProofByPosition(RangeStore store) {
            super(store);
        }

        @Override
        public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim claim, List<Claim> spent) {
            wanted = claim;
            return super.claim(stripe, seen, claim, spent);
        }

        @Override
        public CompletionStage<Optional<Claim>> claimAt(Stripe stripe, int incarnation, long lo) {
            return reserve(stripe).thenApply(reserve -> reserve.filter(
                            now -> now.current().lo() >= wanted.span().hi())
                    .map(now -> wanted));
        }
    }

    /** Absorbs the previous grant again, under the next number. */
    static final class GrantAbsorbedTwice extends DefectiveStore {
        private @Nullable Span before;

        GrantAbsorbedTwice(RangeStore store) {
            super(store);
        }

        @Override
        public CompletionStage<ClaimOutcome> absorb(Stripe stripe, Reserve seen, Grant grant, Numbering numbering) {
            Span span = before == null ? grant.span() : before;
            before = grant.span();
            return super.absorb(stripe, seen, new Grant(grant.incarnation(), grant.number(), span), numbering);
        }
    }

    /** Hides that the sequence was reseeded: an old claim is passed off as one of the new incarnation. */
    static final class IncarnationIgnored extends DefectiveStore {
        IncarnationIgnored(RangeStore store) {
            super(store);
        }

        @Override
        public CompletionStage<ClaimOutcome> adopt(Stripe stripe, Reserve seen, int incarnation, int grantNumber) {
            return super.adopt(stripe, seen, incarnation, grantNumber)
                    .thenCompose(outcome -> seen.remaining() == 0
                            ? CompletableFuture.completedFuture(outcome)
                            : absorb(
                                    stripe,
                                    Reserve.empty(incarnation, 0),
                                    new Grant(incarnation, 1, seen.claimable()),
                                    seen.numbering()));
        }
    }

    /** Creates or joins a reserve at grant 0, whatever the datacenter was granted before. */
    static final class GrantsForgotten extends DefectiveStore {
        GrantsForgotten(RangeStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Integer> highestGrant(Stripe stripe, int incarnation) {
            return super.highestGrant(stripe, incarnation).thenApply(grant -> 0);
        }
    }

    /** Numbers the grants of each datacenter instead of each stripe. */
    static final class GrantsSharedByStripes extends DefectiveStore {
        GrantsSharedByStripes(RangeStore store) {
            super(store);
        }

        private static Stripe first(Stripe stripe) {
            return new Stripe(stripe.sequence(), 0);
        }

        @Override
        public CompletionStage<Integer> highestGrant(Stripe stripe, int incarnation) {
            return super.highestGrant(first(stripe), incarnation);
        }

        @Override
        public CompletionStage<Optional<Grant>> grantAt(Stripe stripe, int incarnation, int number) {
            return super.grantAt(first(stripe), incarnation, number);
        }

        @Override
        public CompletionStage<ClaimOutcome> grant(Stripe stripe, Ledger seen, Grant wanted, UUID token) {
            return super.grant(first(stripe), seen, wanted, token);
        }
    }

    /** Forgets claims that are not spent: the next claim removes the row of the oldest unspent claim. */
    static final class UnspentClaimForgotten extends DefectiveStore {
        private @Nullable Claim before;

        UnspentClaimForgotten(RangeStore store) {
            super(store);
        }

        @Override
        public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
            List<Claim> forgotten = before == null || before.equals(wanted) ? spent : List.of(before);
            before = wanted;
            return super.claim(stripe, seen, wanted, forgotten);
        }
    }

    /** Leaves the reserves unmoved; only the allocators move them. */
    static final class NothingMoved extends DefectiveStore {
        NothingMoved(RangeStore store) {
            super(store);
        }

        @Override
        public CompletionStage<ClaimOutcome> adopt(Stripe stripe, Reserve seen, int incarnation, int grantNumber) {
            return CompletableFuture.completedFuture(new ClaimOutcome.Claimed());
        }
    }

    /** Reclaims without checking whether the reserve still has the claim's incarnation. */
    static final class ReclaimedAcrossARaise extends DefectiveStore {
        private final Map<Reserve, Reserve> actual = new HashMap<>();
        private int incarnation;
        private boolean reclaiming;

        ReclaimedAcrossARaise(RangeStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Optional<Claim>> claimAt(Stripe stripe, int ofIncarnation, long lo) {
            // Of the registry's operations, only a reclaim reads a claim, and then the reserve.
            incarnation = ofIncarnation;
            reclaiming = true;
            return super.claimAt(stripe, ofIncarnation, lo);
        }

        @Override
        public CompletionStage<Optional<Reserve>> reserve(Stripe stripe) {
            if (!reclaiming) {
                return super.reserve(stripe);
            }
            reclaiming = false;
            int claimed = incarnation;
            return super.reserve(stripe).thenApply(found -> found.map(now -> as(claimed, now)));
        }

        private Reserve as(int claimed, Reserve now) {
            Reserve seen = new Reserve(
                    claimed,
                    now.current(),
                    now.upcoming(),
                    now.grantNumber(),
                    now.tails(),
                    now.usage(),
                    now.numbering());
            actual.put(seen, now);
            return seen;
        }

        @Override
        public CompletionStage<ClaimOutcome> giveBack(
                Stripe stripe, Reserve seen, List<Claim> ended, Tails after, List<Claim> spent) {
            return super.giveBack(stripe, actual.getOrDefault(seen, seen), ended, after, spent);
        }
    }

    /** Takes a return with an unknown outcome for successful, and removes the remaining rows. */
    static final class UnknownReturnTakenForDone extends DefectiveStore {
        UnknownReturnTakenForDone(RangeStore store) {
            super(store);
        }

        @Override
        public CompletionStage<ClaimOutcome> giveBack(
                Stripe stripe, Reserve seen, List<Claim> ended, Tails after, List<Claim> spent) {
            return super.giveBack(stripe, seen, ended, after, spent)
                    .thenApply(outcome ->
                            outcome instanceof ClaimOutcome.Unknown ? new ClaimOutcome.Lost(null, ended) : outcome);
        }
    }

    /** Creates a lost reserve again as if no process could hold ids of it. */
    static final class LostClaimsForgotten extends DefectiveStore {
        LostClaimsForgotten(RangeStore store) {
            super(store);
        }

        @Override
        public CompletionStage<ClaimOutcome> establish(
                Stripe stripe, int incarnation, int grantNumber, List<Claim> lost) {
            return super.establish(stripe, incarnation, grantNumber, List.of());
        }
    }

    @Override
    public CompletionStage<Optional<Reserve>> reserve(Stripe stripe) {
        return store.reserve(stripe);
    }

    @Override
    public CompletionStage<Optional<Reserve>> glance(Stripe stripe) {
        return store.glance(stripe);
    }

    @Override
    public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
        return store.claim(stripe, seen, wanted, spent);
    }

    @Override
    public CompletionStage<ClaimOutcome> claimTail(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
        return store.claimTail(stripe, seen, wanted, spent);
    }

    @Override
    public CompletionStage<ClaimOutcome> giveBack(
            Stripe stripe, Reserve seen, List<Claim> ended, Tails after, List<Claim> spent) {
        return store.giveBack(stripe, seen, ended, after, spent);
    }

    @Override
    public CompletionStage<Standing> standing(Stripe stripe, Claim claim, int most, boolean repair) {
        return store.standing(stripe, claim, most, repair);
    }

    @Override
    public CompletionStage<Optional<Claim>> claimAt(Stripe stripe, int incarnation, long lo) {
        return store.claimAt(stripe, incarnation, lo);
    }

    @Override
    public CompletionStage<ClaimOutcome> forget(Stripe stripe, Claim claim) {
        return store.forget(stripe, claim);
    }

    @Override
    public CompletionStage<ClaimOutcome> withdraw(Stripe stripe, Reserve seen, Span absorbed) {
        return store.withdraw(stripe, seen, absorbed);
    }

    @Override
    public CompletionStage<GrantStanding> standing(Stripe stripe, Grant grant, boolean repair) {
        return store.standing(stripe, grant, repair);
    }

    @Override
    public CompletionStage<ClaimOutcome> absorb(Stripe stripe, Reserve seen, Grant grant, Numbering numbering) {
        return store.absorb(stripe, seen, grant, numbering);
    }

    @Override
    public CompletionStage<ClaimOutcome> adopt(Stripe stripe, Reserve seen, int incarnation, int grantNumber) {
        return store.adopt(stripe, seen, incarnation, grantNumber);
    }

    @Override
    public CompletionStage<ClaimOutcome> establish(Stripe stripe, int incarnation, int grantNumber, List<Claim> lost) {
        return store.establish(stripe, incarnation, grantNumber, lost);
    }

    @Override
    public CompletionStage<ClaimOutcome> forgetLost(Stripe stripe, Claim lost) {
        return store.forgetLost(stripe, lost);
    }

    @Override
    public CompletionStage<Integer> highestGrant(Stripe stripe, int incarnation) {
        return store.highestGrant(stripe, incarnation);
    }

    @Override
    public CompletionStage<Optional<Ledger>> ledger(String sequence) {
        return store.ledger(sequence);
    }

    @Override
    public CompletionStage<Optional<Grant>> grantAt(Stripe stripe, int incarnation, int number) {
        return store.grantAt(stripe, incarnation, number);
    }

    @Override
    public CompletionStage<ClaimOutcome> grant(Stripe stripe, Ledger seen, Grant wanted, UUID token) {
        return store.grant(stripe, seen, wanted, token);
    }
}
