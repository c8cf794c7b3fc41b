package dev.cassidy.reliability.simulation;

import dev.cassidy.sequence.Claim;
import dev.cassidy.sequence.ClaimOutcome;
import dev.cassidy.sequence.Grant;
import dev.cassidy.sequence.Ledger;
import dev.cassidy.sequence.RangeStore;
import dev.cassidy.sequence.Reserve;
import dev.cassidy.sequence.Span;
import dev.cassidy.sequence.Stripe;
import dev.cassidy.sequence.Tails;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * One datacenter's view of a simulated cluster. Every step is linearizable, takes a while, and may end in any way that
 * Cassandra allows: certainly not executed; unknown and applied, not applied, or applied later; and now and then the
 * datacenter is cut off from the others.
 */
final class SimulatedStore implements RangeStore {

    /** What all datacenters share: the table {@code seq}. */
    static final class Global {
        int incarnation = 1;
        long next;
        final long max;
        private final Map<GrantKey, Grant> grants = new HashMap<>();

        Global(long max) {
            this.max = max;
        }
    }

    /** What the processes of one datacenter share: the table {@code reserve}. */
    static final class Local {
        final String datacenter;
        Reserve reserve = Reserve.empty(1, 0);
        private final Map<ClaimKey, Claim> claims = new HashMap<>();
        boolean cutOff;

        Local(String datacenter) {
            this.datacenter = datacenter;
        }

        boolean hasTailsOf(Reserve seen) {
            return reserve.incarnation() == seen.incarnation()
                    && reserve.tails().equals(seen.tails());
        }

        void setTails(Tails tails) {
            reserve = new Reserve(
                    reserve.incarnation(),
                    reserve.current(),
                    reserve.upcoming(),
                    reserve.grantNumber(),
                    tails,
                    reserve.usage());
        }

        boolean holds(Claim claim) {
            Claim found =
                    claims.get(new ClaimKey(claim.incarnation(), claim.span().lo()));
            return found != null && found.token().equals(claim.token());
        }

        void remove(Claim claim) {
            claims.remove(new ClaimKey(claim.incarnation(), claim.span().lo()));
        }

        /** As the registry joins a datacenter to a newer incarnation. */
        void join(int incarnation) {
            if (reserve.incarnation() < incarnation) {
                reserve = Reserve.empty(incarnation, 0);
            }
        }
    }

    /** Checks its condition and writes if it holds; says whether it did. */
    @FunctionalInterface
    private interface CompareAndSet {
        boolean applied();
    }

    private record GrantKey(String datacenter, int incarnation, int number) {}

    private record ClaimKey(int incarnation, long lo) {}

    /** How often things go wrong, each a probability. */
    record Faults(double notExecuted, double unknown, double late) {}

    private final Global global;
    private final Local local;
    private final VirtualTime time;
    private final RandomGenerator random;
    private final Faults faults;
    private final Supplier<Boolean> alive;
    private long faultsFired;

    /** @param alive whether the process that uses this view still runs; the dead get no answers */
    SimulatedStore(
            Global global,
            Local local,
            VirtualTime time,
            RandomGenerator random,
            Faults faults,
            Supplier<Boolean> alive) {
        this.global = global;
        this.local = local;
        this.time = time;
        this.random = random;
        this.faults = faults;
        this.alive = alive;
    }

    long faultsFired() {
        return faultsFired;
    }

    @Override
    public CompletionStage<Optional<Reserve>> reserve(Stripe stripe) {
        return read(false, () -> Optional.of(local.reserve));
    }

    @Override
    public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
        long hour = time.nanoTime() / 3_600_000_000_000L;
        CompletionStage<ClaimOutcome> step = write(false, () -> {
            Reserve now = local.reserve;
            ClaimKey key = new ClaimKey(wanted.incarnation(), wanted.span().lo());
            boolean rollOver = seen.current().isEmpty();
            boolean same = now.incarnation() == wanted.incarnation()
                    && now.current().equals(seen.current())
                    && !local.claims.containsKey(key)
                    && (!rollOver || Objects.equals(seen.upcoming(), now.upcoming()));
            if (!same || seen.claimable().isEmpty()) {
                return false;
            }
            local.reserve = now.without(wanted.span(), hour);
            local.claims.put(key, wanted);
            spent.forEach(local::remove);
            return true;
        });
        return step.thenApply(outcome -> {
            if (outcome instanceof ClaimOutcome.Claimed) {
                return new ClaimOutcome.Claimed(seen.without(wanted.span(), hour));
            }
            return outcome instanceof ClaimOutcome.Lost ? new ClaimOutcome.Lost(local.reserve) : outcome;
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> claimTail(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
        return write(false, () -> {
            if (!local.hasTailsOf(seen)) {
                return false;
            }
            local.setTails(seen.tails().minus(wanted.span()));
            local.claims.put(new ClaimKey(wanted.incarnation(), wanted.span().lo()), wanted);
            spent.forEach(local::remove);
            return true;
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> giveBack(
            Stripe stripe, Reserve seen, List<Claim> ended, Tails after, List<Claim> spent) {
        return write(false, () -> {
            if (!local.hasTailsOf(seen) || !ended.stream().allMatch(local::holds)) {
                return false;
            }
            local.setTails(after);
            ended.forEach(local::remove);
            spent.forEach(local::remove);
            return true;
        });
    }

    @Override
    public CompletionStage<Optional<Claim>> claimAt(Stripe stripe, int incarnation, long lo) {
        return read(false, () -> Optional.ofNullable(local.claims.get(new ClaimKey(incarnation, lo))));
    }

    @Override
    public CompletionStage<ClaimOutcome> forget(Stripe stripe, Claim claim) {
        return write(false, () -> {
            boolean ours = local.holds(claim);
            if (ours) {
                local.remove(claim);
            }
            return ours;
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> absorb(Stripe stripe, Reserve seen, Grant grant) {
        return write(false, () -> {
            Reserve now = local.reserve;
            if (now.incarnation() != grant.incarnation()
                    || now.grantNumber() != grant.number() - 1
                    || now.upcoming() != null) {
                return false;
            }
            local.reserve = new Reserve(
                    now.incarnation(), now.current(), grant.span(), grant.number(), now.tails(), now.usage());
            return true;
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> adopt(Stripe stripe, Reserve seen, int incarnation, int grantNumber) {
        return write(false, () -> {
            if (local.reserve.incarnation() != seen.incarnation()) {
                return false;
            }
            local.reserve = Reserve.empty(incarnation, grantNumber);
            return true;
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> establish(Stripe stripe, int incarnation, int grantNumber, List<Claim> lost) {
        // Every datacenter begins with its reserve.
        return write(false, () -> false);
    }

    @Override
    public CompletionStage<Integer> highestGrant(Stripe stripe, int incarnation) {
        return read(true, () -> global.grants.keySet().stream()
                .filter(key ->
                        key.incarnation() == incarnation && key.datacenter().equals(local.datacenter))
                .mapToInt(GrantKey::number)
                .max()
                .orElse(0));
    }

    @Override
    public CompletionStage<Optional<Ledger>> ledger(String sequence) {
        return read(
                true, () -> Optional.of(new Ledger(global.incarnation, new Span(global.next, global.max), true, 3)));
    }

    @Override
    public CompletionStage<Optional<Grant>> grantAt(Stripe stripe, int incarnation, int number) {
        return read(
                true,
                () -> Optional.ofNullable(global.grants.get(new GrantKey(local.datacenter, incarnation, number))));
    }

    @Override
    public CompletionStage<ClaimOutcome> grant(Stripe stripe, Ledger seen, Grant wanted, UUID token) {
        return write(true, () -> {
            GrantKey key = new GrantKey(local.datacenter, wanted.incarnation(), wanted.number());
            if (global.incarnation != seen.incarnation()
                    || global.next != seen.free().lo()
                    || global.grants.containsKey(key)) {
                return false;
            }
            global.next = wanted.span().hi();
            global.grants.put(key, wanted);
            return true;
        });
    }

    private <T> CompletionStage<T> read(boolean acrossDatacenters, Supplier<T> look) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        after(() -> {
            if ((acrossDatacenters && local.cutOff) || chance(faults.notExecuted())) {
                faultsFired++;
                answerLater(() -> answer.completeExceptionally(new IllegalStateException("simulated: no answer")));
            } else {
                T seen = look.get();
                answerLater(() -> answer.complete(seen));
            }
        });
        return answer;
    }

    private CompletionStage<ClaimOutcome> write(boolean acrossDatacenters, CompareAndSet step) {
        CompletableFuture<ClaimOutcome> answer = new CompletableFuture<>();
        after(() -> {
            if ((acrossDatacenters && local.cutOff) || chance(faults.notExecuted())) {
                faultsFired++;
                answerLater(() -> answer.completeExceptionally(new IllegalStateException("simulated: unavailable")));
            } else if (chance(faults.unknown())) {
                faultsFired++;
                if (random.nextBoolean()) {
                    step.applied();
                } else if (chance(faults.late())) {
                    // It is still queued at its coordinator, and takes effect when the client has long moved on.
                    time.schedule(step::applied, Duration.ofMillis(random.nextLong(1, 20_000)));
                }
                answerLater(() ->
                        answer.complete(new ClaimOutcome.Unknown(new IllegalStateException("simulated: time-out"))));
            } else {
                ClaimOutcome outcome = step.applied() ? new ClaimOutcome.Claimed() : new ClaimOutcome.Lost();
                answerLater(() -> answer.complete(outcome));
            }
        });
        return answer;
    }

    private void after(Runnable step) {
        time.schedule(
                () -> {
                    // What was sent is executed even if its sender dies; what was not, is not. Here it was not yet.
                    if (alive.get()) {
                        step.run();
                    }
                },
                Duration.ofMillis(random.nextLong(0, 30)));
    }

    private void answerLater(Runnable answer) {
        time.schedule(
                () -> {
                    if (alive.get()) {
                        answer.run();
                    }
                },
                Duration.ofMillis(random.nextLong(0, 30)));
    }

    private boolean chance(double probability) {
        return random.nextDouble() < probability;
    }
}
