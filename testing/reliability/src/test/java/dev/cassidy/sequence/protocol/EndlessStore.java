package dev.cassidy.sequence.protocol;

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
import dev.cassidy.sequence.store.Usage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A reserve that never ends and answers immediately on the caller's thread, so that a test explores only the tiers
 * above it.
 */
final class EndlessStore implements RangeStore {

    @Override
    public String holder() {
        return "1@test";
    }

    private final Map<Long, Claim> claims = new HashMap<>();
    private Reserve reserve = new Reserve(1, new Span(0, 1L << 40), null, 1, Tails.NONE, Usage.NONE, Numbering.NONE);

    @Override
    public synchronized CompletionStage<Optional<Reserve>> reserve(Stripe stripe) {
        return CompletableFuture.completedFuture(Optional.of(reserve));
    }

    @Override
    public CompletionStage<Optional<Reserve>> glance(Stripe stripe) {
        return reserve(stripe);
    }

    @Override
    public synchronized CompletionStage<ClaimOutcome> claim(
            Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
        if (reserve.incarnation() != wanted.incarnation() || !reserve.current().equals(seen.current())) {
            return CompletableFuture.completedFuture(new ClaimOutcome.Lost(reserve));
        }
        reserve = reserve.without(wanted.span(), 0);
        return taken(wanted, spent);
    }

    @Override
    public synchronized CompletionStage<ClaimOutcome> claimTail(
            Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
        if (reserve.incarnation() != wanted.incarnation() || !reserve.tails().equals(seen.tails())) {
            return CompletableFuture.completedFuture(new ClaimOutcome.Lost(reserve));
        }
        setTails(seen.tails().minus(wanted.span()));
        return taken(wanted, spent);
    }

    private CompletionStage<ClaimOutcome> taken(Claim wanted, List<Claim> spent) {
        claims.put(wanted.span().lo(), wanted);
        spent.forEach(claim -> claims.remove(claim.span().lo()));
        return CompletableFuture.completedFuture(new ClaimOutcome.Claimed(reserve));
    }

    @Override
    public synchronized CompletionStage<ClaimOutcome> giveBack(
            Stripe stripe, Reserve seen, List<Claim> ended, Tails after, List<Claim> spent) {
        boolean ours = ended.stream()
                .allMatch(claim -> Objects.equals(claims.get(claim.span().lo()), claim));
        if (reserve.incarnation() != seen.incarnation() || !reserve.tails().equals(seen.tails()) || !ours) {
            return CompletableFuture.completedFuture(new ClaimOutcome.Lost(reserve));
        }
        setTails(after);
        ended.forEach(claim -> claims.remove(claim.span().lo()));
        spent.forEach(claim -> claims.remove(claim.span().lo()));
        return CompletableFuture.completedFuture(new ClaimOutcome.Claimed());
    }

    private void setTails(Tails tails) {
        reserve = new Reserve(
                reserve.incarnation(),
                reserve.current(),
                reserve.upcoming(),
                reserve.grantNumber(),
                tails,
                reserve.usage(),
                reserve.numbering());
    }

    @Override
    public CompletionStage<Standing> standing(Stripe stripe, Claim claim, int most, boolean repair) {
        throw new UnsupportedOperationException("nothing is forgotten here");
    }

    @Override
    public synchronized CompletionStage<Optional<Claim>> claimAt(Stripe stripe, int incarnation, long lo) {
        return CompletableFuture.completedFuture(Optional.ofNullable(claims.get(lo)));
    }

    @Override
    public synchronized CompletionStage<ClaimOutcome> forget(Stripe stripe, Claim claim) {
        claims.remove(claim.span().lo());
        return CompletableFuture.completedFuture(new ClaimOutcome.Claimed());
    }

    @Override
    public CompletionStage<ClaimOutcome> absorb(Stripe stripe, Reserve seen, Grant grant, Numbering numbering) {
        throw new AssertionError("never low");
    }

    @Override
    public CompletionStage<ClaimOutcome> withdraw(Stripe stripe, Reserve seen, Span absorbed) {
        throw new AssertionError("never low");
    }

    @Override
    public CompletionStage<GrantStanding> standing(Stripe stripe, Grant grant, boolean repair) {
        throw new AssertionError("never low");
    }

    @Override
    public CompletionStage<ClaimOutcome> adopt(Stripe stripe, Reserve seen, int incarnation, int grantNumber) {
        throw new AssertionError("never reseeded in the store");
    }

    @Override
    public CompletionStage<ClaimOutcome> establish(Stripe stripe, int incarnation, int grantNumber, List<Claim> lost) {
        throw new AssertionError("there from the beginning");
    }

    @Override
    public CompletionStage<ClaimOutcome> forgetLost(Stripe stripe, Claim lost) {
        throw new AssertionError("never lost");
    }

    @Override
    public CompletionStage<Integer> highestGrant(Stripe stripe, int incarnation) {
        throw new AssertionError("never low");
    }

    @Override
    public CompletionStage<Optional<Ledger>> ledger(String sequence) {
        throw new AssertionError("never low");
    }

    @Override
    public CompletionStage<Optional<Grant>> grantAt(Stripe stripe, int incarnation, int number) {
        throw new AssertionError("never low");
    }

    @Override
    public CompletionStage<ClaimOutcome> grant(Stripe stripe, Ledger seen, Grant wanted, UUID token) {
        throw new AssertionError("never low");
    }
}
