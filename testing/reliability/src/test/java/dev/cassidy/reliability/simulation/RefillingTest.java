package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.AllocatorContext;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.Ledger;
import dev.cassidy.sequence.store.Numbering;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The reserve runs low, and the global level answers late, with an unknown outcome, or not at all. */
class RefillingTest {

    private static final Duration CLAIM_TIMEOUT = Duration.ofSeconds(15);
    private static final Stripe STRIPE = new Stripe("refilled", 0);
    private static final SequenceSpec SPEC = new SequenceSpec("refilled", IdentityType.INT, 1, 1, 1, Integer.MAX_VALUE)
            .withBlock(10, 10)
            .withReserve(200, 200);

    private final VirtualTime time = new VirtualTime();
    private final SplittableRandom random = new SplittableRandom(1);
    private final SimulatedCluster cluster = new SimulatedCluster();
    private final SimulatedCluster.Datacenter datacenter = new SimulatedCluster.Datacenter("dc1");

    @BeforeEach
    void create() {
        cluster.write(SequenceEntry.fresh(SPEC, 1, true));
        datacenter.partitions.put(STRIPE, new SimulatedCluster.Partition(1, 0));
    }

    private RangeStore store() {
        SimulatedLink.Weather fair = new SimulatedLink.Weather(SimulatedLink.Faults.NONE, Set.of());
        SimulatedLink link = new SimulatedLink(datacenter, time, random, fair, () -> true);
        return new SimulatedStore(cluster, datacenter, datacenter.partitions, 1, "1@test", link, () -> 500_000);
    }

    private BlockAllocator allocator(UnaryOperator<RangeStore> around) {
        AllocatorContext context = new AllocatorContext(
                CLAIM_TIMEOUT,
                0.5,
                Duration.ofHours(24),
                0.5,
                time,
                time::nanoTime,
                random,
                () -> new UUID(random.nextLong(), random.nextLong()));
        return new BlockAllocator(SPEC, 1, around.apply(store()), context);
    }

    private <T> T await(CompletionStage<T> stage) {
        while (!stage.toCompletableFuture().isDone() && time.step()) {}
        return stage.toCompletableFuture().join();
    }

    private void draw(BlockAllocator allocator, int ids) {
        for (int i = 0; i < ids; i++) {
            await(allocator.nextLongAsync());
        }
    }

    private void pass(Duration duration) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        time.schedule(() -> over.complete(null), duration);
        await(over);
    }

    /** The other datacenter's Paxos round superseded that of the grant, and completed it. */
    @Test
    void shouldAbsorbAGrantOfUnknownOutcomeWithoutAnyFurtherClaim() {
        BlockAllocator allocator = allocator(store -> new DefectiveStore(store) {
            private boolean hidden;

            @Override
            public CompletionStage<ClaimOutcome> grant(Stripe stripe, Ledger seen, Grant wanted, UUID token) {
                boolean hide = wanted.number() == 2 && !hidden;
                hidden |= hide;
                return super.grant(stripe, seen, wanted, token)
                        .thenApply(outcome ->
                                hide ? new ClaimOutcome.Unknown(new IllegalStateException("superseded")) : outcome);
            }
        });
        draw(allocator, 110);
        pass(Duration.ofSeconds(1));
        assertThat(cluster.grants()).as("asked for ahead of need").hasSize(2);

        pass(Duration.ofSeconds(10));

        assertThat(datacenter.row(STRIPE).grantNumber).isEqualTo(2);
    }

    @Test
    void shouldSeeRefillsOfOthersWhileItsOwnRefillHangs() {
        int[] claims = new int[1];
        BlockAllocator allocator = allocator(store -> new DefectiveStore(store) {
            @Override
            public CompletionStage<Optional<Ledger>> ledger(String sequence) {
                return cluster.grants().isEmpty() ? super.ledger(sequence) : new CompletableFuture<>();
            }

            @Override
            public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
                claims[0]++;
                return super.claim(stripe, seen, wanted, spent);
            }
        });
        draw(allocator, 150);
        RangeStore other = store();
        Grant theirs = new Grant(1, 2, new dev.cassidy.sequence.store.Span(200, 400));
        Ledger ledger = await(other.ledger("refilled")).orElseThrow();
        await(other.grant(STRIPE, ledger, theirs, new UUID(1, 1)));
        await(other.absorb(STRIPE, await(other.reserve(STRIPE)).orElseThrow(), theirs, Numbering.of(SPEC)));
        claims[0] = 0;

        long before = time.nanoTime();
        draw(allocator, 150);

        assertThat(claims[0]).as("claims for 150 ids").isLessThan(25);
        assertThat(Duration.ofNanos(time.nanoTime() - before)).isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void shouldReadAUsedUpReserveAtMostOncePerSecondHoweverManyWait() {
        Set<Long> seconds = new HashSet<>();
        int[] looks = new int[1];
        boolean[] cut = new boolean[1];
        BlockAllocator allocator = allocator(store -> new DefectiveStore(store) {
            @Override
            public CompletionStage<Optional<Reserve>> reserve(Stripe stripe) {
                looks[0]++;
                seconds.add(time.nanoTime() / 1_000_000_000);
                return super.reserve(stripe);
            }

            @Override
            public CompletionStage<Optional<Ledger>> ledger(String sequence) {
                return cut[0]
                        ? CompletableFuture.failedFuture(new IllegalStateException("unavailable"))
                        : super.ledger(sequence);
            }
        });
        draw(allocator, 1);
        cut[0] = true;
        draw(allocator, 199);
        looks[0] = 0;
        seconds.clear();

        long begin = time.nanoTime();
        for (int i = 0; i < 100; i++) {
            for (int caller = 0; caller < 10; caller++) {
                allocator.nextLongAsync();
            }
            pass(Duration.ofSeconds(1));
        }
        Duration lasted = Duration.ofNanos(time.nanoTime() - begin);

        assertThat(lasted).isGreaterThanOrEqualTo(Duration.ofSeconds(100));
        assertThat(looks[0]).as("looks in 100 s").isBetween(100 / 10 - 1, 30);

        cut[0] = false;
        long healed = time.nanoTime();
        await(allocator.nextLongAsync());
        assertThat(Duration.ofNanos(time.nanoTime() - healed)).isLessThan(CLAIM_TIMEOUT);
    }

    @Test
    void shouldFailWithinTheClaimTimeoutWhileTheGlobalLevelIsSilent() {
        boolean[] cut = new boolean[1];
        BlockAllocator allocator = allocator(store -> new DefectiveStore(store) {
            @Override
            public CompletionStage<Optional<Ledger>> ledger(String sequence) {
                return cut[0] ? new CompletableFuture<>() : super.ledger(sequence);
            }
        });
        draw(allocator, 1);
        cut[0] = true;
        draw(allocator, 199);

        long begin = time.nanoTime();
        CompletionStage<Long> next = allocator.nextLongAsync();
        while (!next.toCompletableFuture().isDone() && time.step()) {}

        assertThat(Duration.ofNanos(time.nanoTime() - begin)).isLessThanOrEqualTo(CLAIM_TIMEOUT.plusSeconds(1));
        assertThat(next.toCompletableFuture())
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                .withCauseInstanceOf(SequenceException.Unavailable.class);
    }

    /** A reserve as a backup left it: its first grant is used up, and it knows no other grant. */
    private static SimulatedCluster.Partition usedUpAtTheFirstGrant() {
        SimulatedCluster.Partition row = new SimulatedCluster.Partition(1, 1);
        row.next = 200;
        row.hi = 200;
        return row;
    }

    /**
     * A process that has not claimed before cannot detect this by its own ids. A grant with a higher number shows it.
     */
    @Test
    void shouldAbsorbNothingIfTheReserveIsTwoGrantsBehind() {
        draw(allocator(UnaryOperator.identity()), 450);
        assertThat(cluster.grants()).hasSizeGreaterThanOrEqualTo(3);
        datacenter.partitions.put(STRIPE, usedUpAtTheFirstGrant());
        BlockAllocator newcomer = allocator(UnaryOperator.identity());

        CompletionStage<Long> next = newcomer.nextLongAsync();
        while (!next.toCompletableFuture().isDone() && time.step()) {}

        assertThat(next.toCompletableFuture())
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                .withCauseInstanceOf(SequenceException.Conflict.class)
                .withMessageContaining("its reserve stands at grant 1, but grant 3 was made");
        assertThat(datacenter.row(STRIPE).grantNumber).isEqualTo(1);
    }

    @Test
    void shouldContinueIfOthersAbsorbedTwoGrantsAfterItsRead() {
        draw(allocator(UnaryOperator.identity()), 450);
        boolean[] looked = new boolean[1];
        BlockAllocator slow = allocator(store -> new DefectiveStore(store) {
            @Override
            public CompletionStage<Optional<Reserve>> reserve(Stripe stripe) {
                boolean first = !looked[0];
                looked[0] = true;
                return first
                        ? CompletableFuture.completedFuture(
                                Optional.of(usedUpAtTheFirstGrant().reserve()))
                        : super.reserve(stripe);
            }
        });

        assertThat(await(slow.nextLongAsync())).isGreaterThan(450);
    }

    /** The reserve returns to its earlier state, and a claim that was given up lands after all. */
    @Test
    void shouldRemoveTheRowOfATailsClaimThatLandsAfterItWasGivenUp() {
        RangeStore other = store();
        BlockAllocator filler = allocator(UnaryOperator.identity());
        draw(filler, 1);
        await(filler.closeAsync());
        Reserve withTail = await(other.reserve(STRIPE)).orElseThrow();
        assertThat(withTail.tails().spans()).hasSize(1);
        Runnable[] late = new Runnable[1];
        Claim theirs = new Claim(1, withTail.tails().spans().get(0), new UUID(7, 7));
        BlockAllocator allocator = allocator(store -> new DefectiveStore(store) {
            @Override
            public CompletionStage<ClaimOutcome> claimTail(
                    Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
                if (late[0] == null) {
                    late[0] = () -> await(store.claimTail(stripe, seen, wanted, spent));
                    // Another process takes the tail first.
                    return store.claimTail(stripe, seen, theirs, spent)
                            .thenApply(taken -> new ClaimOutcome.Unknown(new IllegalStateException("time-out")));
                }
                return super.claimTail(stripe, seen, wanted, spent);
            }

            @Override
            public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
                return CompletableFuture.failedFuture(new IllegalStateException("unavailable"));
            }
        });
        CompletionStage<Long> failed = allocator.nextLongAsync();
        while (!failed.toCompletableFuture().isDone() && time.step()) {}
        assertThat(failed.toCompletableFuture()).isCompletedExceptionally();
        // The other process gives the tail back unchanged, so the condition of the late claim holds again.
        Reserve now = await(other.reserve(STRIPE)).orElseThrow();
        await(other.giveBack(STRIPE, now, List.of(theirs), withTail.tails(), List.of()));
        late[0].run();
        assertThat(datacenter.row(STRIPE).claims).hasSize(1);

        allocator.removeLeftovers();
        pass(Duration.ofSeconds(1));

        assertThat(datacenter.row(STRIPE).claims).isEmpty();
    }
}
