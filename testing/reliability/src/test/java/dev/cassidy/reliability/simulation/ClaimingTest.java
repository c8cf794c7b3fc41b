package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What is served of a claim with an unknown outcome. */
class ClaimingTest {

    private final OneDatacenter there =
            new OneDatacenter(new SequenceSpec("claimed", IdentityType.INT, 1, 1, 1, Integer.MAX_VALUE)
                    .withBlock(10, 10)
                    .withReserve(200, 200));
    private final List<Claim> proposed = new ArrayList<>();

    /** One try to claim. Returns the outcome that is reported to the claimer. */
    @FunctionalInterface
    private interface Try {
        CompletionStage<ClaimOutcome> claim(RangeStore store, Stripe stripe, Reserve seen, Claim wanted);
    }

    private static ClaimOutcome unknown() {
        return new ClaimOutcome.Unknown(new IllegalStateException("time-out"));
    }

    /** Proposes the first claims as the tries say, and all later ones unchanged. */
    private BlockAllocator allocator(Try... tries) {
        return there.allocator(around -> new DefectiveStore(around) {
            @Override
            public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
                proposed.add(wanted);
                return proposed.size() <= tries.length
                        ? tries[proposed.size() - 1].claim(store, stripe, seen, wanted)
                        : super.claim(stripe, seen, wanted, spent);
            }
        });
    }

    private long next(BlockAllocator allocator) {
        return there.await(allocator.nextLongAsync());
    }

    @Test
    void shouldServeAClaimThatLandedWithAnUnknownOutcome() {
        BlockAllocator allocator = allocator((store, stripe, seen, wanted) ->
                store.claim(stripe, seen, wanted, List.of()).thenApply(done -> unknown()));

        assertThat(next(allocator)).isEqualTo(1);

        assertThat(proposed).hasSize(1);
        assertThat(there.row().claims).hasSize(1);
    }

    /** The token must be the same, so that the claim can land only once. */
    @Test
    void shouldProposeTheSameClaimAgainIfItDidNotLand() {
        Try lost = (store, stripe, seen, wanted) -> CompletableFuture.completedFuture(unknown());
        BlockAllocator allocator = allocator(lost, lost);

        assertThat(next(allocator)).isEqualTo(1);

        assertThat(proposed).hasSize(3).containsOnly(proposed.get(0));
    }

    @Test
    void shouldServeItsOwnClaimThatCausedARefusal() {
        BlockAllocator allocator = allocator(
                (store, stripe, seen, wanted) -> CompletableFuture.completedFuture(unknown()),
                (store, stripe, seen, wanted) -> store.claim(stripe, seen, wanted, List.of())
                        .thenApply(done -> new ClaimOutcome.Lost(seen, List.of())));

        assertThat(next(allocator)).isEqualTo(1);

        assertThat(there.row().claims).hasSize(1);
    }

    /** Proof that a later try was not executed says nothing about an earlier try. */
    @Test
    void shouldLookForAnEarlierTryIfALaterOneFails() {
        BlockAllocator allocator = allocator(
                (store, stripe, seen, wanted) -> CompletableFuture.completedFuture(unknown()),
                (store, stripe, seen, wanted) -> store.claim(stripe, seen, wanted, List.of())
                        .thenApply(late -> {
                            throw new IllegalStateException("unavailable");
                        }));

        assertThat(next(allocator)).isEqualTo(1);

        assertThat(proposed).hasSize(2);
        assertThat(there.row().claims).hasSize(1);
    }

    /** Neither another process's row at the same position nor a moved reserve is a proof. */
    @Test
    void shouldNotServeIdsThatOthersClaimedMeanwhile() {
        Claim[] theirs = new Claim[1];
        BlockAllocator allocator = allocator((store, stripe, seen, wanted) -> {
            theirs[0] = new Claim(1, wanted.span(), new UUID(7, 7));
            return store.claim(stripe, seen, theirs[0], List.of()).thenApply(done -> unknown());
        });

        assertThat(next(allocator)).isEqualTo(11);

        assertThat(proposed).hasSize(2);
        assertThat(there.row().claims.values())
                .extracting(SimulatedCluster.Held::claim)
                .contains(theirs[0])
                .hasSize(2);
    }

    @Test
    void shouldStartOverIfOthersHaveMovedOnAndLeftNoRow() {
        BlockAllocator allocator = allocator((store, stripe, seen, wanted) -> {
            Claim theirs = new Claim(1, wanted.span(), new UUID(7, 7));
            return store.claim(stripe, seen, theirs, List.of())
                    .thenCompose(done -> store.forget(stripe, theirs))
                    .thenApply(done -> unknown());
        });

        assertThat(next(allocator)).isEqualTo(11);

        assertThat(proposed.get(1)).as("again, in vain").isEqualTo(proposed.get(0));
        assertThat(proposed).hasSize(3);
        assertThat(there.row().claims).hasSize(1);
    }

    /** For example, because it was released by hand. */
    @Test
    void shouldContinueIfARowToRemoveIsGone() {
        BlockAllocator allocator = allocator();
        there.await(allocator.nextRangeAsync(10));
        there.await(allocator.nextRangeAsync(10));
        there.pass(Duration.ofSeconds(1));
        there.row().claims.clear();

        long begin = there.time.nanoTime();
        for (int i = 0; i < 5; i++) {
            there.await(allocator.nextRangeAsync(10));
        }

        assertThat(Duration.ofNanos(there.time.nanoTime() - begin)).isLessThan(Duration.ofSeconds(2));
    }

    /** If others have claimed since the last read, this is not a collision, however long each statement takes. */
    @Test
    void shouldTryAgainImmediatelyIfItsKnowledgeIsStale() {
        Duration slow = Duration.ofMillis(80);
        List<Long> sent = new ArrayList<>();
        BlockAllocator allocator = there.allocator(around -> new DefectiveStore(around) {
            @Override
            public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
                sent.add(there.time.nanoTime());
                CompletableFuture<Void> over = new CompletableFuture<>();
                there.time.schedule(() -> over.complete(null), slow);
                return over.thenCompose(waited -> super.claim(stripe, seen, wanted, spent));
            }
        });
        there.await(allocator.nextRangeAsync(10));
        there.pass(Duration.ofSeconds(1));
        there.await(allocator().nextRangeAsync(10));
        sent.clear();

        there.await(allocator.nextRangeAsync(10));
        there.await(allocator.nextRangeAsync(10));

        assertThat(Duration.ofNanos(sent.get(1) - sent.get(0))).isBetween(slow, slow.multipliedBy(2));
    }

    @Test
    void shouldTryAgainUntilTheTimeIsUpAndNoLonger() {
        for (Try every : List.<Try>of(
                (store, stripe, seen, wanted) -> CompletableFuture.completedFuture(unknown()),
                (store, stripe, seen, wanted) ->
                        CompletableFuture.failedFuture(new IllegalStateException("unavailable")),
                (store, stripe, seen, wanted) ->
                        CompletableFuture.completedFuture(new ClaimOutcome.Lost(seen, List.of())))) {
            ClaimingTest fresh = new ClaimingTest();
            Try[] always = new Try[10_000];
            Arrays.fill(always, every);
            BlockAllocator allocator = fresh.allocator(always);
            long begin = fresh.there.time.nanoTime();

            CompletableFuture<Long> failed = fresh.there.end(allocator.nextLongAsync());

            assertThatThrownBy(failed::join)
                    .hasCauseInstanceOf(SequenceException.Unavailable.class)
                    .hasMessageContaining("within PT15S");
            assertThat(Duration.ofNanos(fresh.there.time.nanoTime() - begin))
                    .isBetween(OneDatacenter.CLAIM_TIMEOUT, OneDatacenter.CLAIM_TIMEOUT.plusSeconds(5));
            assertThat(fresh.proposed).hasSizeGreaterThan(3);
        }
    }

    @Test
    void shouldClaimNothingIfTheReserveIsLost() {
        BlockAllocator allocator = allocator();
        there.datacenter.partitions.clear();

        CompletableFuture<Long> refused = there.end(allocator.nextLongAsync());

        assertThatThrownBy(refused::join)
                .hasCauseInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("has no reserve");
    }

    @Test
    void shouldMoveTheReserveToTheIncarnationThatItKnows() {
        BlockAllocator allocator = allocator();
        next(allocator);
        there.cluster.write(there.await(there.raises().recallPast("claimed", 1)));
        Reserve moved = there.await(there.store().reserve(there.stripe)).orElseThrow();
        assertThat(moved.incarnation()).isEqualTo(2);
        there.row().reset(1, 1);
        allocator.reseeded(2);

        assertThat(next(allocator)).isGreaterThan(200);

        assertThat(there.row().incarnation).isEqualTo(2);
    }

    /** Its ordinals may stand for other ids than in the allocator's specification. */
    @Test
    void shouldClaimNothingOfAnotherGeneration() {
        BlockAllocator allocator = allocator();
        there.row().reset(1 << 20, 0);

        CompletableFuture<Long> refused = there.end(allocator.nextLongAsync());

        assertThatThrownBy(refused::join).hasCauseInstanceOf(SequenceException.Dropped.class);
        assertThat(proposed).isEmpty();
        assertThat(there.row().claims).isEmpty();
    }
}
