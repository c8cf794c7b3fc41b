package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdCursor;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a copied process issues after {@code disown}. Its origin continues with everything that was claimed or proposed
 * before the copy was made. The copy must issue nothing of this.
 */
class CopiedProcessTest {

    private static final SequenceSpec SPEC = new SequenceSpec("copied", IdentityType.INT, 1, 1, 1, Integer.MAX_VALUE)
            .withBlock(10, 10)
            .withReserve(2_000, 2_000);

    private final OneDatacenter there = new OneDatacenter(SPEC);
    private final List<Claim> proposed = new ArrayList<>();

    private BlockAllocator allocator() {
        return there.allocator(store -> store);
    }

    private long next(BlockAllocator allocator) {
        return there.await(allocator.nextLongAsync());
    }

    private static void copied(BlockAllocator allocator) {
        allocator.disown();
        allocator.resume();
    }

    @Test
    void shouldLeaveItsBlocksToItsOrigin() {
        BlockAllocator allocator = allocator();
        for (int id = 1; id <= 7; id++) {
            assertThat(next(allocator)).isEqualTo(id);
        }
        there.pass(Duration.ofSeconds(1));
        Set<Span> held = new HashSet<>();
        there.row().claims.values().forEach(each -> held.add(each.claim().span()));
        // The block in use, and the next block, which was claimed ahead of need.
        assertThat(held).hasSize(2);

        copied(allocator);

        long first = next(allocator);
        assertThat(held).noneMatch(span -> span.lo() < first && first <= span.hi());
        assertThat(there.row().claims.values().stream().map(each -> each.claim().span()))
                .as("the rows of the process that it was copied from")
                .containsAll(held);
        assertThat(there.row().tails.isEmpty()).as("nothing was given back").isTrue();
    }

    @Test
    void shouldIssueNothingOfAChunkThatAThreadHolds() {
        OneDatacenter large = new OneDatacenter(SPEC.withBlock(1_000, 1_000));
        BlockAllocator allocator = large.allocator(store -> store);
        large.await(allocator.nextLongAsync());
        try (IdCursor cursor = allocator.cursor()) {
            cursor.nextLong();
            Span held = large.row().claims.values().iterator().next().claim().span();
            copied(allocator);
            large.await(allocator.nextLongAsync());
            assertThat(cursor.nextLong()).isGreaterThan(held.hi());
        }
    }

    @Test
    void shouldNotServeAClaimThatWasInProgress() {
        BlockAllocator allocator = allocator();
        CompletionStage<Long> waiting = allocator.nextLongAsync();
        while (there.row().claims.isEmpty()) {
            there.time.step();
        }

        allocator.disown();
        there.pass(Duration.ofSeconds(1));
        assertThat(waiting.toCompletableFuture()).isNotDone();
        allocator.resume();

        assertThat(there.await(waiting)).isEqualTo(11);
        assertThat(there.row().claims).hasSize(2);
    }

    /** The origin may propose it again, and must find it free. */
    @Test
    void shouldNeitherProposeNorProveAClaimInDoubtAgain() {
        BlockAllocator allocator = there.allocator(around -> new DefectiveStore(around) {
            @Override
            public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
                proposed.add(wanted);
                return proposed.size() == 1
                        ? CompletableFuture.completedFuture(
                                new ClaimOutcome.Unknown(new IllegalStateException("time-out")))
                        : super.claim(stripe, seen, wanted, spent);
            }
        });
        CompletionStage<Long> waiting = allocator.nextLongAsync();
        while (proposed.isEmpty()) {
            there.time.step();
        }

        copied(allocator);

        there.await(waiting);
        there.pass(Duration.ofMinutes(1));
        assertThat(proposed.stream().map(Claim::token)).doesNotHaveDuplicates();
    }

    /** A row from which the copy issues nothing may be one from which the origin issues. */
    @Test
    void shouldNotRemoveRowsOfItsOriginWhenTheSequenceIsRaised() {
        BlockAllocator allocator = allocator();
        next(allocator);
        Claim others = there.row().claims.values().iterator().next().claim();

        copied(allocator);
        assertThat(allocator.reseeded(2)).isTrue();
        allocator.removeLeftovers();
        there.pass(Duration.ofMinutes(1));

        assertThat(there.row().claims.values().stream().map(SimulatedCluster.Held::claim))
                .contains(others);
    }

    @Test
    void shouldGiveEverythingBackBeforeACheckpoint() {
        BlockAllocator allocator = allocator();
        next(allocator);

        there.await(allocator.suspendAsync());

        assertThat(there.row().claims).isEmpty();
        CompletionStage<Long> waiting = allocator.nextLongAsync();
        there.pass(Duration.ofSeconds(1));
        assertThat(waiting.toCompletableFuture())
                .as("nothing is issued meanwhile")
                .isNotDone();
        copied(allocator);
        assertThat(there.await(waiting)).isEqualTo(2);
    }

    @Test
    void shouldGiveBackIdsThatAreClaimedDuringTheSuspension() {
        BlockAllocator allocator = allocator();
        CompletionStage<Long> waiting = allocator.nextLongAsync();

        there.await(allocator.suspendAsync());

        assertThat(there.row().claims).isEmpty();
        assertThat(waiting.toCompletableFuture()).isNotDone();
        copied(allocator);
        assertThat(there.await(waiting)).isEqualTo(1);
    }

    @Test
    void shouldFailWaitingCallersWhenItIsClosed() {
        BlockAllocator allocator = allocator();
        there.await(allocator.suspendAsync());
        CompletionStage<Long> waiting = allocator.nextLongAsync();

        there.await(allocator.closeAsync());

        assertThatThrownBy(() -> there.await(waiting)).hasRootCauseInstanceOf(IllegalStateException.class);
        assertThat(there.end(allocator.nextLongAsync())).isCompletedExceptionally();
    }

    /** With any faults, at any moment, one copy after another. */
    @ParameterizedTest
    @ValueSource(longs = {0, 250, 500, 750})
    void shouldNeverIssueIdsThatWereClaimedOrProposedBefore(long seeds) {
        long copies = 0;
        long inDoubt = 0;
        for (long seed = seeds; seed < seeds + 250; seed++) {
            Copying schedule = new Copying(seed);
            schedule.run();
            copies += schedule.copies;
            inDoubt += schedule.inProgress;
        }
        assertThat(copies).isGreaterThan(1_000);
        assertThat(inDoubt).as("copies made while a claim was under way").isGreaterThan(100);
    }

    /** One process that is copied again and again. The test follows the copy, not its origin. */
    private static final class Copying {

        private final OneDatacenter there;
        private final Map<UUID, Integer> drawnBy = new HashMap<>();
        private final List<Claim> proposed = new ArrayList<>();
        private int copies;
        private int inProgress;

        Copying(long seed) {
            there = new OneDatacenter(SPEC, true, seed);
        }

        private UUID token() {
            UUID token = new UUID(there.random.nextLong(), there.random.nextLong());
            drawnBy.put(token, copies);
            return token;
        }

        private RangeStore recorded(RangeStore around) {
            return new DefectiveStore(around) {
                @Override
                public CompletionStage<ClaimOutcome> claim(
                        Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
                    proposed(wanted);
                    return super.claim(stripe, seen, wanted, spent);
                }

                @Override
                public CompletionStage<ClaimOutcome> claimTail(
                        Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
                    proposed(wanted);
                    return super.claimTail(stripe, seen, wanted, spent);
                }
            };
        }

        private void proposed(Claim wanted) {
            assertThat(drawnBy.get(wanted.token()))
                    .as("the copy that proposes " + wanted)
                    .isEqualTo(copies);
            proposed.add(wanted);
        }

        void run() {
            double unknown = there.random.nextDouble(0.4);
            there.weather.faults =
                    new SimulatedLink.Faults(there.random.nextDouble(0.1), unknown, there.random.nextDouble(), 0);
            Supplier<UUID> tokens = this::token;
            BlockAllocator allocator = there.allocator(this::recorded, tokens);
            Set<Long> issued = new HashSet<>();
            for (int step = 0; step < 200; step++) {
                CompletionStage<Long> drawn = allocator.nextLongAsync();
                boolean before = false;
                boolean waits = !drawn.toCompletableFuture().isDone();
                if (there.random.nextInt(waits ? 3 : 30) == 0) {
                    int some = there.random.nextInt(20);
                    for (int event = 0;
                            event < some && !drawn.toCompletableFuture().isDone();
                            event++) {
                        there.time.step();
                    }
                    if (there.random.nextInt(3) == 0) {
                        allocator.suspendAsync();
                        there.time.step();
                    }
                    // An id that was drawn before has already been returned to a caller, in every copy.
                    before = drawn.toCompletableFuture().isDone();
                    inProgress += before ? 0 : 1;
                    allocator.disown();
                    copies++;
                    allocator.resume();
                }
                CompletableFuture<Long> ended = there.end(drawn);
                if (!ended.isCompletedExceptionally()) {
                    long id = ended.join();
                    assertThat(issued.add(id))
                            .as("id " + id + " for the first time")
                            .isTrue();
                    assertThat(before || proposed.stream().anyMatch(claim -> isOurs(claim, id)))
                            .as("id " + id + " is of a claim of copy " + copies)
                            .isTrue();
                }
            }
        }

        private boolean isOurs(Claim claim, long id) {
            return drawnBy.get(claim.token()) == copies
                    && claim.span().lo() < id
                    && id <= claim.span().hi();
        }
    }
}
