package dev.cassidy.benchmarks.sequences;

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
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * A reserve in memory that never runs low: what {@code IdSegmentDistributor.Mock} is to CosId. Each step takes the time
 * that the mock takes, on the executor's thread. The global level is never asked, since nothing needs refilling.
 */
final class InMemoryStore implements RangeStore {

    @Override
    public String holder() {
        return "1@test";
    }

    private final Executor executor;
    private final long nanosEachStep;
    private final Map<Long, Claim> claims = new HashMap<>();
    private long next;
    private Tails tails = Tails.NONE;

    InMemoryStore(Executor executor, long nanosEachStep) {
        this.executor = executor;
        this.nanosEachStep = nanosEachStep;
    }

    /** Returns how many ids were claimed and not given back. */
    synchronized long given() {
        return next - tails.size();
    }

    @Override
    public CompletionStage<Optional<Reserve>> reserve(Stripe stripe) {
        return step(() -> Optional.of(now()));
    }

    @Override
    public CompletionStage<Optional<Reserve>> glance(Stripe stripe) {
        return reserve(stripe);
    }

    private Reserve now() {
        return new Reserve(1, new Span(next, Long.MAX_VALUE), null, 1, tails, Usage.NONE, Numbering.NONE);
    }

    @Override
    public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
        return step(() -> {
            if (!seen.equals(now())) {
                return new ClaimOutcome.Lost();
            }
            next = wanted.span().hi();
            claims.put(wanted.span().lo(), wanted);
            spent.forEach(claim -> claims.remove(claim.span().lo()));
            return new ClaimOutcome.Claimed();
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> claimTail(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
        return step(() -> {
            if (!seen.tails().equals(tails)) {
                return new ClaimOutcome.Lost();
            }
            tails = tails.minus(wanted.span());
            claims.put(wanted.span().lo(), wanted);
            spent.forEach(claim -> claims.remove(claim.span().lo()));
            return new ClaimOutcome.Claimed();
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> giveBack(
            Stripe stripe, Reserve seen, List<Claim> ended, Tails after, List<Claim> spent) {
        return step(() -> {
            if (!seen.tails().equals(tails) || !claims.values().containsAll(ended)) {
                return new ClaimOutcome.Lost();
            }
            tails = after;
            claims.values().removeAll(ended);
            claims.values().removeAll(spent);
            return new ClaimOutcome.Claimed();
        });
    }

    @Override
    public CompletionStage<Standing> standing(Stripe stripe, Claim claim, int most, boolean repair) {
        throw new UnsupportedOperationException("nothing is forgotten here");
    }

    @Override
    public CompletionStage<Optional<Claim>> claimAt(Stripe stripe, int incarnation, long lo) {
        return step(() -> Optional.ofNullable(claims.get(lo)));
    }

    @Override
    public CompletionStage<ClaimOutcome> forget(Stripe stripe, Claim claim) {
        return step(
                () -> claims.remove(claim.span().lo(), claim) ? new ClaimOutcome.Claimed() : new ClaimOutcome.Lost());
    }

    @Override
    public CompletionStage<ClaimOutcome> absorb(Stripe stripe, Reserve seen, Grant grant, Numbering numbering) {
        throw neverLow();
    }

    @Override
    public CompletionStage<ClaimOutcome> withdraw(Stripe stripe, Reserve seen, Span absorbed) {
        throw neverLow();
    }

    @Override
    public CompletionStage<GrantStanding> standing(Stripe stripe, Grant grant, boolean repair) {
        throw neverLow();
    }

    @Override
    public CompletionStage<ClaimOutcome> adopt(Stripe stripe, Reserve seen, int incarnation, int grantNumber) {
        throw neverLow();
    }

    @Override
    public CompletionStage<ClaimOutcome> forgetLost(Stripe stripe, Claim lost) {
        throw neverLow();
    }

    @Override
    public CompletionStage<ClaimOutcome> establish(Stripe stripe, int incarnation, int grantNumber, List<Claim> lost) {
        throw neverLow();
    }

    @Override
    public CompletionStage<Integer> highestGrant(Stripe stripe, int incarnation) {
        throw neverLow();
    }

    @Override
    public CompletionStage<Optional<Ledger>> ledger(String sequence) {
        throw neverLow();
    }

    @Override
    public CompletionStage<Optional<Grant>> grantAt(Stripe stripe, int incarnation, int number) {
        throw neverLow();
    }

    @Override
    public CompletionStage<ClaimOutcome> grant(Stripe stripe, Ledger seen, Grant wanted, UUID token) {
        throw neverLow();
    }

    private static IllegalStateException neverLow() {
        return new IllegalStateException("a reserve of 2^63-1 ordinals was said to run low");
    }

    private <T> CompletionStage<T> step(Supplier<T> step) {
        return CompletableFuture.supplyAsync(
                () -> {
                    if (nanosEachStep > 0) {
                        LockSupport.parkNanos(nanosEachStep);
                    }
                    synchronized (this) {
                        return step.get();
                    }
                },
                executor);
    }
}
