package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What happens to the rows of claims that ended in doubt. */
class LeftoversTest {

    private final OneDatacenter there =
            new OneDatacenter(new SequenceSpec("left", IdentityType.INT, 1, 1, 1, Integer.MAX_VALUE)
                    .withBlock(10, 10)
                    .withReserve(200, 200));
    private final RangeStore other = there.store();

    /** The outcome of the first claim stays unknown, and the test decides when it lands. All later claims fail. */
    private static final class Doubt extends DefectiveStore {
        private @Nullable Runnable late;

        Doubt(RangeStore store) {
            super(store);
        }

        @Override
        public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
            if (late != null) {
                return unavailable();
            }
            late = () -> store.claim(stripe, seen, wanted, spent);
            return CompletableFuture.completedFuture(new ClaimOutcome.Unknown(new IllegalStateException("time-out")));
        }

        @Override
        public CompletionStage<Optional<Claim>> claimAt(Stripe stripe, int incarnation, long lo) {
            return unavailable();
        }

        private static <T> CompletionStage<T> unavailable() {
            return CompletableFuture.failedFuture(new IllegalStateException("unavailable"));
        }

        void land() {
            late.run();
        }
    }

    private Reserve reserve() {
        return there.await(other.reserve(there.stripe)).orElseThrow();
    }

    /** Moves the reserve, as another process does after it has noticed the raise. */
    private void moveReserveTo(int incarnation) {
        there.await(other.adopt(there.stripe, reserve(), incarnation, 0));
    }

    private void removeLeftovers(BlockAllocator allocator) {
        allocator.removeLeftovers();
        there.pass(Duration.ofSeconds(1));
    }

    private BlockAllocator inDoubt(Doubt[] doubt) {
        BlockAllocator allocator = there.allocator(store -> doubt[0] = new Doubt(store));
        assertThat(there.end(allocator.nextLongAsync())).isCompletedExceptionally();
        return allocator;
    }

    @Test
    void shouldRemoveTheRowOfAClaimInDoubtThatLandedBeforeTheReserveMoved() {
        Doubt[] doubt = new Doubt[1];
        BlockAllocator allocator = inDoubt(doubt);
        doubt[0].land();
        there.pass(Duration.ofSeconds(1));
        assertThat(there.row().claims).hasSize(1);
        moveReserveTo(2);
        allocator.reseeded(2);

        removeLeftovers(allocator);

        assertThat(there.row().claims).as("rows in the way of the raise").isEmpty();
    }

    @Test
    void shouldGiveUpNoClaimInDoubtForAsLongAsItMayLand() {
        Doubt[] doubt = new Doubt[1];
        BlockAllocator allocator = inDoubt(doubt);
        allocator.reseeded(2);
        removeLeftovers(allocator);
        doubt[0].land();
        there.pass(Duration.ofSeconds(1));
        assertThat(there.row().claims).as("landed before the reserve moved").hasSize(1);
        moveReserveTo(2);

        removeLeftovers(allocator);

        assertThat(there.row().claims).as("rows in the way of the raise").isEmpty();
    }

    /** Otherwise a raise would count as complete while ids of such a claim are still issued. */
    @Test
    void shouldKeepTheRowOfAClaimThatWasInDoubtAndIsServed() {
        int[] hiddenUpTo = new int[1];
        BlockAllocator allocator = there.allocator(store -> new DefectiveStore(store) {
            @Override
            public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
                boolean hide = hiddenUpTo[0] < wanted.incarnation();
                hiddenUpTo[0] = wanted.incarnation();
                return super.claim(stripe, seen, wanted, spent)
                        .thenApply(outcome ->
                                hide ? new ClaimOutcome.Unknown(new IllegalStateException("time-out")) : outcome);
            }
        });
        there.await(allocator.nextLongAsync());
        removeLeftovers(allocator);
        assertThat(there.row().claims).as("served in the first incarnation").hasSize(1);
        there.await(there.raises().recallPast("left", 100));
        allocator.reseeded(2);
        there.await(allocator.nextLongAsync());

        removeLeftovers(allocator);

        assertThat(there.row().claims.values())
                .extracting(held -> held.claim().incarnation())
                .as("served in the second one")
                .containsExactly(2);
    }
}
