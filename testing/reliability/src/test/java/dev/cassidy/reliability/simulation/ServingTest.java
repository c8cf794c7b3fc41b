package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdCursor;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.AllocatorFigures;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.protocol.Raises;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What an allocator does with its blocks between claims. */
class ServingTest {

    private static final Duration LOOK = Duration.ofSeconds(61);

    private OneDatacenter there = blocksOf(10);

    private static OneDatacenter blocksOf(long size) {
        return new OneDatacenter(new SequenceSpec("served", IdentityType.INT, 1, 1, 1, Integer.MAX_VALUE)
                .withBlock(size, size)
                .withReserve(20_000, 20_000));
    }

    private BlockAllocator allocator() {
        return there.allocator(UnaryOperator.identity());
    }

    private void draw(BlockAllocator allocator, int ids) {
        for (int i = 0; i < ids; i++) {
            there.await(allocator.nextLongAsync());
        }
    }

    private void pass() {
        there.pass(Duration.ofSeconds(1));
    }

    @Test
    void shouldCountDrawnAndHeldIds() {
        BlockAllocator allocator = allocator();
        assertThat(allocator.figures()).isEqualTo(new AllocatorFigures(0, 0, 0, 0, 0));
        draw(allocator, 3);
        assertThat(allocator.figures()).isEqualTo(new AllocatorFigures(3, 7, 1, 0, 0));

        draw(allocator, 22);
        pass();

        assertThat(allocator.figures().drawn()).isEqualTo(25);
        there.await(allocator.closeAsync());
        assertThat(allocator.figures().drawn()).isEqualTo(25);
        assertThat(allocator.figures().held()).isZero();
    }

    @Test
    void shouldBeLiveFromItsFirstClaimUntilItIsClosed() {
        BlockAllocator allocator = allocator();
        assertThat(allocator.isLive()).isFalse();
        CompletionStage<Long> first = allocator.nextLongAsync();
        assertThat(allocator.isLive()).as("while it claims").isTrue();
        there.await(first);
        assertThat(allocator.isLive()).isTrue();

        there.await(allocator.closeAsync());

        assertThat(allocator.isLive()).isFalse();
        assertThat(allocator.isClosed()).isTrue();
    }

    @Test
    void shouldFetchTheNextBlockAheadWhicheverWayIdsAreDrawn() {
        BlockAllocator one = allocator();
        draw(one, 1);
        for (int i = 0; i < 4; i++) {
            one.nextLong();
        }
        pass();
        assertThat(one.figures().claims()).as("before the threshold").isEqualTo(1);
        one.nextLong();
        pass();
        assertThat(one.figures().claims()).isEqualTo(2);

        BlockAllocator many = allocator();
        draw(many, 1);
        IdRange range = many.nextRange(7);
        assertThat(range.count()).isEqualTo(7);
        pass();
        assertThat(many.figures().claims()).isEqualTo(2);
        assertThat(many.nextRange(100).count()).as("no more than the block has").isEqualTo(2);
    }

    @Test
    void shouldRefuseToDrawNothing() {
        BlockAllocator allocator = allocator();

        assertThatThrownBy(() -> allocator.nextRange(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> allocator.nextRangeAsync(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldGiveBackIdleBlocksAndKeepUsedOnes() {
        there = blocksOf(200);
        BlockAllocator allocator = allocator();
        draw(allocator, 10);
        there.pass(Duration.ofSeconds(50));
        allocator.giveBackIdle();
        pass();
        assertThat(allocator.figures().held()).as("before it is time to look").isEqualTo(190);

        there.pass(LOOK);
        allocator.giveBackIdle();
        pass();
        assertThat(allocator.figures().held())
                .as("10 a minute last less than an hour")
                .isEqualTo(190);

        draw(allocator, 1);
        there.pass(LOOK);
        allocator.giveBackIdle();
        pass();
        assertThat(allocator.figures().held()).as("1 a minute").isZero();
        assertThat(there.row().tails.spans()).containsExactly(new Span(11, 200));
        assertThat(there.row().claims).isEmpty();
        assertThat(allocator.isLive()).isFalse();
        assertThat(there.await(allocator.nextLongAsync())).isEqualTo(12);
    }

    @Test
    void shouldKeepTheFewIdsThatAnyProcessMayHold() {
        there = blocksOf(65);
        BlockAllocator allocator = allocator();
        draw(allocator, 1);
        there.pass(LOOK);
        allocator.giveBackIdle();
        there.pass(LOOK);

        allocator.giveBackIdle();

        pass();
        assertThat(allocator.figures().held()).isEqualTo(64);
    }

    @Test
    void shouldGiveBackAClaimThatEndsAfterItWasClosed() {
        BlockAllocator allocator = allocator();
        CompletableFuture<Long> waiting = allocator.nextLongAsync().toCompletableFuture();

        there.await(allocator.closeAsync());

        assertThatThrownBy(waiting::join).hasMessageContaining("is closed");
        assertThat(there.row().claims).isEmpty();
        assertThat(there.row().tails.spans()).containsExactly(new Span(0, 10));
        assertThat(allocator.closeAsync()).as("again").isCompleted();
    }

    @Test
    void shouldCloseAlthoughTheClaimInProgressFails() {
        BlockAllocator allocator = there.allocator(around -> new DefectiveStore(around) {
            @Override
            public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
                return CompletableFuture.failedFuture(new SequenceException.Conflict("refused"));
            }
        });
        CompletableFuture<Long> waiting = allocator.nextLongAsync().toCompletableFuture();

        there.await(allocator.closeAsync());

        assertThat(waiting).isCompletedExceptionally();
        assertThat(there.row().tails.spans()).isEmpty();
    }

    /** While a cursor holds ids of a block, the row must stay: it says that this process may issue them. */
    @Test
    void shouldKeepTheRowOfABlockWhileACursorHasIdsOfIt() {
        there = blocksOf(1_000);
        BlockAllocator allocator = allocator();
        draw(allocator, 1);
        IdCursor cursor = allocator.cursor();
        long first = cursor.nextLong();
        there.await(allocator.nextRangeAsync(1_000));
        draw(allocator, 1);
        there.await(allocator.nextRangeAsync(1_000));
        draw(allocator, 1);
        pass();
        assertThat(there.row().claims.values())
                .extracting(held -> held.claim().span().lo())
                .contains(0L);
        assertThat(cursor.nextLong()).isEqualTo(first + 1);

        cursor.close();
        there.await(allocator.nextRangeAsync(1_000));
        draw(allocator, 1);
        there.await(allocator.nextRangeAsync(1_000));
        draw(allocator, 1);
        pass();

        assertThat(there.row().claims.values())
                .extracting(held -> held.claim().span().lo())
                .doesNotContain(0L);
    }

    @Test
    void shouldIssueNoIdsThatACursorHoldsAfterTheyAreRecalled() {
        there = blocksOf(1_000);
        BlockAllocator allocator = allocator();
        draw(allocator, 1);
        IdCursor cursor = allocator.cursor();
        IdCursor behind = allocator.cursor();
        cursor.nextLong();
        behind.nextLong();
        Raises raises = there.raises();
        there.await(raises.recallPast("served", 1));
        allocator.reseeded(2);
        pass();
        assertThat(there.row().claims).isEmpty();
        draw(allocator, 1);

        assertThat(cursor.nextLong()).isGreaterThan(20_000);
        assertThat(behind.nextLong()).isGreaterThan(20_000);
    }

    @Test
    void shouldIssueNoIdsThatACursorHoldsAfterClose() {
        there = blocksOf(1_000);
        BlockAllocator allocator = allocator();
        draw(allocator, 1);
        IdCursor cursor = allocator.cursor();
        cursor.nextLong();

        there.await(allocator.closeAsync());

        assertThatThrownBy(cursor::nextLong).hasMessageContaining("is closed");
    }

    @Test
    void shouldServeNothingOfAClaimThatWasRecalledWhileInProgress() {
        Raises raises = there.raises();
        BlockAllocator[] allocator = new BlockAllocator[1];
        allocator[0] = there.allocator(around -> new DefectiveStore(around) {
            @Override
            public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
                CompletionStage<ClaimOutcome> claimed = super.claim(stripe, seen, wanted, spent);
                return wanted.incarnation() > 1
                        ? claimed
                        : claimed.thenCompose(
                                outcome -> raises.recallPast("served", 1).thenApply(raised -> {
                                    allocator[0].reseeded(2);
                                    return outcome;
                                }));
            }
        });

        assertThat(there.await(allocator[0].nextLongAsync())).isGreaterThan(20_000);

        pass();
        assertThat(there.row().claims.values())
                .extracting(held -> held.claim().incarnation())
                .containsExactly(2);
    }

    @Test
    void shouldRefuseAReserveThatGivesTheSameIdsAgain() {
        BlockAllocator allocator = allocator();
        draw(allocator, 3);
        there.row().next = 0;
        there.row().claims.clear();

        CompletableFuture<IdRange> rest = there.end(allocator.nextRangeAsync(100));
        assertThat(rest.join().count()).isEqualTo(7);
        CompletableFuture<Long> refused = there.end(allocator.nextLongAsync());

        assertThatThrownBy(refused::join)
                .hasCauseInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("the ids from 1 were claimed a second time");
        pass();
        assertThat(there.row().claims).as("in the way of the raise").isEmpty();
    }

    @Test
    void shouldGiveBackTheNextBlockWhole() {
        BlockAllocator allocator = allocator();
        draw(allocator, 7);
        pass();
        assertThat(allocator.figures().held()).isEqualTo(13);

        there.await(allocator.closeAsync());

        assertThat(there.row().tails.spans()).containsExactly(new Span(7, 20));
        assertThat(there.row().claims).isEmpty();
    }
}
