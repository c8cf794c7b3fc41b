package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Stripe;
import dev.cassidy.sequence.store.Tails;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * What a process gives back when it closes, whatever happens to the return. The tests check as soon as the close has
 * ended.
 */
class ReturningTest {

    private static final List<Span> UNUSED = List.of(new Span(3, 10));

    private final OneDatacenter there =
            new OneDatacenter(new SequenceSpec("returned", IdentityType.INT, 1, 1, 1, Integer.MAX_VALUE)
                    .withBlock(10, 10)
                    .withReserve(200, 200));

    private enum Fate {
        FAILS,
        UNKNOWN_AND_NOT_EXECUTED,
        UNKNOWN_AND_EXECUTED
    }

    /** The fate of the first return, or of all returns. */
    private static final class Mishap extends DefectiveStore {
        private final Fate fate;
        private boolean always;
        private int returns;
        private int removals;
        private int reads;
        private boolean unreadable;

        Mishap(RangeStore store, Fate fate, boolean always) {
            super(store);
            this.fate = fate;
            this.always = always;
        }

        void heals() {
            always = false;
        }

        private static ClaimOutcome unknown() {
            return new ClaimOutcome.Unknown(new IllegalStateException("time-out"));
        }

        private CompletionStage<ClaimOutcome> meetFate(boolean now, Supplier<CompletionStage<ClaimOutcome>> step) {
            if (!now) {
                return step.get();
            }
            return switch (fate) {
                case FAILS -> CompletableFuture.failedFuture(new IllegalStateException("unavailable"));
                case UNKNOWN_AND_NOT_EXECUTED -> CompletableFuture.completedFuture(unknown());
                case UNKNOWN_AND_EXECUTED -> step.get().thenApply(done -> unknown());
            };
        }

        @Override
        public CompletionStage<Optional<Reserve>> reserve(Stripe stripe) {
            reads++;
            return unreadable
                    ? CompletableFuture.failedFuture(new IllegalStateException("unavailable"))
                    : super.reserve(stripe);
        }

        @Override
        public CompletionStage<ClaimOutcome> giveBack(
                Stripe stripe, Reserve seen, List<Claim> ended, Tails after, List<Claim> spent) {
            return meetFate(returns++ == 0 || always, () -> super.giveBack(stripe, seen, ended, after, spent));
        }

        @Override
        public CompletionStage<ClaimOutcome> forget(Stripe stripe, Claim claim) {
            return meetFate(removals++ == 0 || always, () -> super.forget(stripe, claim));
        }
    }

    private BlockAllocator drawn(UnaryOperator<RangeStore> around) {
        BlockAllocator allocator = there.allocator(around);
        for (int i = 0; i < 3; i++) {
            there.await(allocator.nextLongAsync());
        }
        return allocator;
    }

    private void close(BlockAllocator allocator) {
        there.await(allocator.closeAsync());
    }

    private void assertEverythingIsGivenBack() {
        assertThat(there.row().tails.spans()).isEqualTo(UNUSED);
        assertThat(there.row().claims).isEmpty();
    }

    @Test
    void shouldGiveBackUnusedIds() {
        close(drawn(UnaryOperator.identity()));

        assertEverythingIsGivenBack();
    }

    @Test
    void shouldGiveBackWhateverHappenedToTheFirstTry() {
        for (Fate fate : Fate.values()) {
            ReturningTest fresh = new ReturningTest();
            fresh.close(fresh.drawn(store -> new Mishap(store, fate, false)));
            fresh.assertEverythingIsGivenBack();
        }
    }

    @Test
    void shouldRemoveTheRowOfABlockThatIsUsedUp() {
        BlockAllocator allocator = there.allocator(UnaryOperator.identity());
        there.await(allocator.nextRangeAsync(10));
        there.pass(Duration.ofSeconds(1));
        int claims = there.row().claims.size();

        close(allocator);

        assertThat(claims).isPositive();
        assertThat(there.row().claims).isEmpty();
    }

    @Test
    void shouldGiveBackToAReserveThatOthersHaveMovedMeanwhile() {
        RangeStore other = there.store();
        boolean[] moved = new boolean[1];
        BlockAllocator allocator = drawn(store -> new DefectiveStore(store) {
            @Override
            public CompletionStage<ClaimOutcome> giveBack(
                    Stripe stripe, Reserve seen, List<Claim> ended, Tails after, List<Claim> spent) {
                boolean first = !moved[0];
                moved[0] = true;
                Claim theirs = new Claim(1, seen.claimable().first(10), new UUID(7, 7));
                return first
                        ? other.claim(stripe, seen, theirs, List.of())
                                .thenCompose(claimed -> super.giveBack(stripe, seen, ended, after, spent))
                        : super.giveBack(stripe, seen, ended, after, spent);
            }
        });

        close(allocator);

        assertThat(there.row().tails.spans()).isEqualTo(UNUSED);
        assertThat(there.row().claims).as("the other's").hasSize(1);
    }

    /**
     * If it was reclaimed by hand, or a try with an unknown outcome took effect, nothing may be given back a second
     * time.
     */
    @Test
    void shouldGiveBackNothingOfAClaimThatIsGone() {
        BlockAllocator allocator = drawn(UnaryOperator.identity());
        there.row().claims.clear();

        close(allocator);

        assertThat(there.row().tails.spans()).isEmpty();
    }

    @Test
    void shouldRemoveTheOtherRowsIfOneIsGone() {
        BlockAllocator allocator = drawn(UnaryOperator.identity());
        there.await(allocator.nextRangeAsync(4));
        there.pass(Duration.ofSeconds(1));
        assertThat(there.row().claims).hasSize(2);
        there.row().claims.values().removeIf(held -> held.claim().span().lo() == 0);

        close(allocator);

        assertThat(there.row().claims).isEmpty();
        assertThat(there.row().tails.spans()).isEmpty();
    }

    @Test
    void shouldOnlyRemoveTheRowIfTheReserveHasMoved() {
        for (Fate fate : Fate.values()) {
            ReturningTest fresh = new ReturningTest();
            Mishap[] mishap = new Mishap[1];
            BlockAllocator allocator = fresh.drawn(store -> mishap[0] = new Mishap(store, fate, false));
            RangeStore other = fresh.there.store();
            Reserve seen = fresh.there.await(other.reserve(fresh.there.stripe)).orElseThrow();
            fresh.there.await(other.adopt(fresh.there.stripe, seen, 2, 0));

            fresh.close(allocator);

            assertThat(fresh.there.row().claims).as("in the way of the raise").isEmpty();
            assertThat(fresh.there.row().tails.spans()).isEmpty();
            assertThat(mishap[0].returns).as("older ids given back").isZero();
        }
    }

    @Test
    void shouldEndWithoutAReserve() {
        BlockAllocator allocator = drawn(UnaryOperator.identity());
        there.datacenter.partitions.clear();
        long begin = there.time.nanoTime();

        close(allocator);

        assertThat(Duration.ofNanos(there.time.nanoTime() - begin)).isLessThan(Duration.ofSeconds(1));
    }

    /** The allocator must be kept until then, because only this process may remove the row. */
    @Test
    void shouldHaveLeftNothingAfterItsRowsAreRemoved() {
        Mishap[] mishap = new Mishap[1];
        BlockAllocator allocator = drawn(store -> mishap[0] = new Mishap(store, Fate.FAILS, true));
        assertThat(allocator.hasLeftNothing()).as("before it is closed").isFalse();
        CompletionStage<Void> closing = allocator.closeAsync();
        assertThat(allocator.hasLeftNothing()).as("while it gives back").isFalse();
        there.await(closing);
        assertThat(allocator.hasLeftNothing()).as("in vain").isFalse();
        there.await(there.store().adopt(there.stripe, there.row().reserve(), 2, 0));
        allocator.removeLeftovers();
        there.pass(Duration.ofSeconds(1));
        assertThat(allocator.hasLeftNothing()).as("in vain again").isFalse();

        mishap[0].heals();
        allocator.removeLeftovers();
        there.pass(Duration.ofSeconds(1));

        assertThat(there.row().claims).isEmpty();
        assertThat(allocator.hasLeftNothing()).isTrue();
    }

    @Test
    void shouldTryUntilTheTimeIsUpAndNoLonger() {
        for (boolean unreadable : new boolean[] {false, true}) {
            ReturningTest fresh = new ReturningTest();
            Mishap[] mishap = new Mishap[1];
            BlockAllocator allocator = fresh.drawn(store -> mishap[0] = new Mishap(store, Fate.FAILS, true));
            mishap[0].unreadable = unreadable;
            mishap[0].reads = 0;
            long begin = fresh.there.time.nanoTime();

            fresh.close(allocator);

            assertThat(Duration.ofNanos(fresh.there.time.nanoTime() - begin))
                    .isBetween(OneDatacenter.CLAIM_TIMEOUT, OneDatacenter.CLAIM_TIMEOUT.plusSeconds(5));
            assertThat(mishap[0].reads).isGreaterThan(3);
        }
    }
}
