package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdCursor;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.AllocatorFigures;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.protocol.FreshClaims;
import dev.cassidy.sequence.protocol.Raises;
import dev.cassidy.sequence.protocol.Safety;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Standing;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What happens to a block whose claim has stood, is lost, or cannot be read. */
class StandingTest {

    private static final Duration PERIOD = Duration.ofSeconds(10);

    private OneDatacenter there = blocksOf(10);

    /** With a grant that has stood: {@link StandingGrantsTest} is about others. */
    private static OneDatacenter blocksOf(long size) {
        OneDatacenter made =
                new OneDatacenter(new SequenceSpec("standing", IdentityType.INT, 1, 1, 1, Integer.MAX_VALUE)
                        .withBlock(size, size)
                        .withReserve(size * 20, size * 20));
        Grant grant = new Grant(1, 1, new Span(0, size * 20));
        made.cluster.put("dc1", 0, grant);
        made.cluster.moveNext(grant.span().hi());
        Reserve empty = made.row().reserve();
        made.row()
                .become(new Reserve(
                        1, grant.span(), null, grant.number(), empty.tails(), empty.usage(), empty.numbering()));
        return made;
    }

    private enum Look {
        STOOD,
        /** More claims than are read lie below it. */
        CROWDED,
        LOST,
        UNCLEAR,
        UNREADABLE
    }

    private Look look = Look.STOOD;
    private Duration slow = Duration.ZERO;
    private int looks;

    private record Sync(Duration standing, FreshClaims freshClaims, Optional<SequenceException> refusal)
            implements Safety {}

    private BlockAllocator allocator(FreshClaims freshClaims) {
        return there.allocator(
                around -> new DefectiveStore(around) {
                    @Override
                    public CompletionStage<Standing> standing(Stripe stripe, Claim claim, int most, boolean repair) {
                        looks++;
                        CompletableFuture<Void> later = new CompletableFuture<>();
                        there.time.schedule(() -> later.complete(null), slow);
                        return later.thenCompose(waited -> switch (look) {
                            case STOOD -> super.standing(stripe, claim, most, repair);
                            case CROWDED ->
                                super.standing(stripe, claim, most, repair)
                                        .thenApply(
                                                found -> new Standing(found.reserve(), found.claims(), most >= 5_000));
                            case LOST -> CompletableFuture.completedFuture(new Standing(null, List.of(), true));
                            case UNCLEAR ->
                                CompletableFuture.completedFuture(new Standing(
                                        there.row().reserve(), List.of(new Standing.Written(claim, 0)), false));
                            case UNREADABLE -> CompletableFuture.failedFuture(new IllegalStateException("unavailable"));
                        });
                    }
                },
                new Sync(PERIOD, freshClaims, Optional.empty()));
    }

    private long next(BlockAllocator allocator) {
        return there.await(allocator.nextLongAsync());
    }

    private Duration now() {
        return Duration.ofNanos(there.time.nanoTime());
    }

    /** As a node that was killed before its commit log was written to disk. */
    private void forgetEverything() {
        there.row().claims.clear();
        there.row().next = 0;
    }

    @Test
    void shouldWaitUntilTheClaimHasStood() {
        BlockAllocator allocator = allocator(FreshClaims.WAIT);

        assertThat(next(allocator)).isEqualTo(1);

        assertThat(now()).isBetween(PERIOD, PERIOD.plusSeconds(1));
        assertThat(looks).as("made to agree, and read in order").isEqualTo(2);
        assertThat(allocator.figures()).isEqualTo(new AllocatorFigures(1, 9, 1, 0, 0));
    }

    @Test
    void shouldReadMoreRowsIfFewAreNotEnough() {
        BlockAllocator allocator = allocator(FreshClaims.WAIT);
        look = Look.CROWDED;

        assertThat(next(allocator)).isEqualTo(1);

        assertThat(now()).isBetween(PERIOD, PERIOD.plusMillis(500));
        assertThat(looks).isEqualTo(4);
    }

    @Test
    void shouldServeFreshClaimsIfAllowed() {
        BlockAllocator allocator = allocator(FreshClaims.SERVE);

        assertThat(next(allocator)).isEqualTo(1);

        assertThat(now()).isLessThan(Duration.ofSeconds(1));
        assertThat(allocator.figures()).isEqualTo(new AllocatorFigures(1, 9, 1, 1, 0));
        there.pass(PERIOD.plusSeconds(1));
        assertThat(next(allocator)).isEqualTo(2);
        assertThat(looks).isEqualTo(2);
    }

    /** Issued ids of the block are not issued again here. The store gives its other ids again. */
    @Test
    void shouldSkipTheIssuedIdsOfALostBlock() {
        BlockAllocator allocator = allocator(FreshClaims.SERVE);
        for (int i = 0; i < 3; i++) {
            next(allocator);
        }
        forgetEverything();
        look = Look.LOST;
        there.pass(PERIOD.plusSeconds(1));
        look = Look.STOOD;
        assertThat(allocator.figures()).isEqualTo(new AllocatorFigures(3, 0, 1, 1, 1));

        assertThat(next(allocator)).isEqualTo(4);
        assertThat(next(allocator)).isEqualTo(5);
    }

    /** Others may be given the ids that a cursor holds. */
    @Test
    void shouldIssueNoIdsThatACursorHoldsOfALostBlock() {
        there = blocksOf(1_000);
        BlockAllocator allocator = allocator(FreshClaims.SERVE);
        next(allocator);
        IdCursor cursor = allocator.cursor();
        cursor.nextLong();
        look = Look.LOST;
        there.pass(PERIOD.plusSeconds(1));
        look = Look.STOOD;
        next(allocator);

        assertThat(cursor.nextLong()).isGreaterThan(1_000);
    }

    @Test
    void shouldServeNothingOfALostNextBlock() {
        BlockAllocator allocator = allocator(FreshClaims.WAIT);
        look = Look.LOST;
        CompletionStage<Long> first = allocator.nextLongAsync();
        there.pass(Duration.ofSeconds(1));
        there.row().next = 0;
        there.pass(PERIOD);
        look = Look.STOOD;

        assertThat(there.await(first)).as("claimed again, not a second time").isEqualTo(1);

        assertThat(now()).isGreaterThan(PERIOD.multipliedBy(2));
        assertThat(allocator.figures()).isEqualTo(new AllocatorFigures(1, 19, 2, 0, 1));
        assertThat(there.row().claims).as("the first one's is removed").hasSize(1);
    }

    @Test
    void shouldKeepTheCurrentBlockWhenTheNextIsLost() {
        BlockAllocator allocator = allocator(FreshClaims.SERVE);
        next(allocator);
        there.pass(PERIOD.plusSeconds(1));
        for (int i = 0; i < 6; i++) {
            next(allocator);
        }
        there.pass(Duration.ofSeconds(1));
        assertThat(allocator.figures().held()).as("3 and the next block").isEqualTo(13);
        look = Look.LOST;
        there.row().next = 10;
        there.pass(PERIOD);
        look = Look.STOOD;
        assertThat(allocator.figures().held()).isEqualTo(3);

        for (int id = 8; id <= 12; id++) {
            assertThat(next(allocator)).isEqualTo(id);
        }
        assertThat(allocator.figures().lost()).isEqualTo(1);
    }

    @Test
    void shouldKeepTheNextBlockWhenTheCurrentIsLost() {
        BlockAllocator allocator = allocator(FreshClaims.SERVE);
        for (int i = 0; i < 7; i++) {
            next(allocator);
        }
        there.pass(Duration.ofSeconds(1));
        look = Look.LOST;
        there.time.schedule(() -> look = Look.STOOD, PERIOD.minusMillis(960));
        there.pass(PERIOD.plusSeconds(1));

        assertThat(next(allocator)).isGreaterThan(7);
    }

    @Test
    void shouldCheckAgainIfNothingWasLearned() {
        for (Look inconclusive : List.of(Look.UNCLEAR, Look.UNREADABLE)) {
            StandingTest fresh = new StandingTest();
            fresh.look = inconclusive;
            BlockAllocator allocator = fresh.allocator(FreshClaims.WAIT);
            fresh.there.time.schedule(() -> fresh.look = Look.STOOD, PERIOD.plusMillis(700));

            assertThat(fresh.next(allocator)).isEqualTo(1);

            assertThat(fresh.now()).isBetween(PERIOD.plusMillis(700), PERIOD.plusSeconds(2));
            assertThat(allocator.figures().claims()).isEqualTo(1);
        }
    }

    /**
     * By then, another process may have claimed the same from a node that had forgotten the claim, served it, and let
     * go of it.
     */
    @Test
    void shouldGiveUpANextBlockThatCannotBeCheckedInTime() {
        for (Look inconclusive : List.of(Look.UNCLEAR, Look.UNREADABLE)) {
            StandingTest fresh = new StandingTest();
            fresh.look = inconclusive;
            BlockAllocator allocator = fresh.allocator(FreshClaims.WAIT);
            CompletionStage<Long> first = allocator.nextLongAsync();
            fresh.there.pass(PERIOD.plusSeconds(3));
            fresh.look = Look.STOOD;

            assertThat(fresh.there.await(first)).isEqualTo(11);

            assertThat(allocator.figures()).isEqualTo(new AllocatorFigures(1, 19, 2, 0, 0));
        }
    }

    /** No backup was restored: the cluster forgot a claim of which nothing was issued. */
    @Test
    void shouldNotTakeAForgottenClaimForAReserveThatWasSetBack() {
        look = Look.UNREADABLE;
        BlockAllocator allocator = allocator(FreshClaims.WAIT);
        CompletionStage<Long> first = allocator.nextLongAsync();
        there.pass(Duration.ofSeconds(1));
        forgetEverything();
        there.pass(PERIOD.plusSeconds(2));
        look = Look.STOOD;

        assertThat(there.await(first)).isEqualTo(1);
    }

    /** The block was used up before it could be known that its claim was forgotten. */
    @Test
    void shouldIssueNoIdAgainOfABlockThatWasForgottenAfterItWasUsedUp() {
        BlockAllocator allocator = allocator(FreshClaims.SERVE);
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < 35; i++) {
            if (i == 15) {
                forgetEverything();
            }
            ids.add(next(allocator));
        }

        assertThat(ids).isSorted().doesNotHaveDuplicates();
    }

    /** The next block is above the lost one, and is served in the meantime. Its ids must not be issued again either. */
    @Test
    void shouldIssueNoIdAgainThatWasServedAboveALostBlock() {
        BlockAllocator allocator = allocator(FreshClaims.SERVE);
        List<Long> ids = drawFromALostBlockBelowTheNext(allocator);
        for (int i = 0; i < 35; i++) {
            ids.add(next(allocator));
        }

        assertThat(ids).isSorted().doesNotHaveDuplicates();
    }

    /** The block that replaces a forgotten one begins below the ids that were issued from it. */
    @Test
    void shouldGiveBackNoIssuedIdsOfALostBlock() {
        BlockAllocator allocator = allocator(FreshClaims.SERVE);
        drawFromALostBlockBelowTheNext(allocator);
        for (int i = 0; i < 7; i++) {
            next(allocator);
        }
        there.pass(Duration.ofSeconds(1));

        there.await(allocator.closeAsync());

        assertThat(there.row().tails.spans()).noneMatch(span -> span.lo() < 17);
    }

    private List<Long> drawFromALostBlockBelowTheNext(BlockAllocator allocator) {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            if (i == 5) {
                // The sixth id claims the next block, so the pause makes that block be judged later.
                there.pass(Duration.ofSeconds(1));
            }
            ids.add(next(allocator));
        }
        there.pass(Duration.ofSeconds(1));
        forgetEverything();
        look = Look.LOST;
        there.pass(PERIOD.minusMillis(1_500));
        look = Look.STOOD;
        assertThat(allocator.figures().lost()).isEqualTo(1);
        assertThat(ids).as("others may issue them").noneMatch(allocator::hasIssued);
        return ids;
    }

    @Test
    void shouldStayRefusedIfAClaimThatHadStoodIsGone() {
        BlockAllocator allocator = allocator(FreshClaims.WAIT);
        next(allocator);
        forgetEverything();
        for (int i = 0; i < 9; i++) {
            next(allocator);
        }

        for (int again = 0; again < 3; again++) {
            CompletableFuture<Long> refused = there.end(allocator.nextLongAsync());
            assertThatThrownBy(refused::join)
                    .hasCauseInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("was set back")
                    .hasMessageContaining("until it is seeded");
        }
        there.pass(Duration.ofSeconds(1));
        assertThat(there.row().claims).as("nothing holds up the raise").isEmpty();

        Raises raises = there.raises();
        SequenceEntry raised = there.await(raises.recallPast("standing", 100));
        assertThat(there.await(raises.acknowledge(raised))).isEmpty();
        allocator.reseeded(raised.incarnation());
        assertThat(next(allocator)).isGreaterThan(100);
    }

    /** A backup was restored: others may claim what was issued here, and also what was not. */
    @Test
    void shouldNeitherKnowNorIssueIdsOfASequenceThatWasSetBack() {
        there = blocksOf(1_000);
        BlockAllocator allocator = there.allocator(around -> around);
        List<Long> ids = new ArrayList<>();
        draw(allocator, 1_600, ids);
        IdCursor cursor = allocator.cursor();
        ids.add(cursor.nextLong());
        draw(allocator, 600, ids);
        IdCursor other = allocator.cursor();
        ids.add(other.nextLong());
        assertThat(ids).as("of three blocks").contains(1L, 1_001L, 2_001L).allMatch(allocator::hasIssued);
        assertThat(there.row().claims).as("of the cursors' blocks").hasSize(2);
        forgetEverything();

        for (int i = 0; i < 400; i++) {
            ids.add(next(allocator));
        }
        there.pass(Duration.ofSeconds(1));

        assertThat(ids).noneMatch(allocator::hasIssued);
        for (Callable<Long> next : List.<Callable<Long>>of(
                allocator::nextLong, cursor::nextLong, other::nextLong, () -> next(allocator))) {
            assertThatThrownBy(next::call).hasStackTraceContaining("was set back");
        }
        assertThat(allocator.figures().held()).isZero();
        there.await(allocator.closeAsync());
        assertThat(there.row().tails.spans()).as("others may have them").isEmpty();
        assertThat(ids).noneMatch(allocator::hasIssued);
    }

    /** Lets time pass, so that each claim ends long before its block is needed. */
    private void draw(BlockAllocator allocator, int count, List<Long> ids) {
        for (int i = 0; i < count; i++) {
            if (i % 100 == 0) {
                there.pass(Duration.ofSeconds(1));
            }
            ids.add(next(allocator));
        }
        there.pass(Duration.ofSeconds(1));
    }

    @Test
    void shouldIgnoreLateAnswers() {
        slow = Duration.ofSeconds(3);
        BlockAllocator allocator = allocator(FreshClaims.WAIT);
        CompletionStage<Long> first = allocator.nextLongAsync();
        there.pass(PERIOD.plusSeconds(7));
        slow = Duration.ZERO;

        assertThat(there.await(first)).isEqualTo(11);
    }

    @Test
    void shouldContinueToServeABlockThatCannotBeChecked() {
        BlockAllocator allocator = allocator(FreshClaims.SERVE);
        look = Look.UNCLEAR;
        next(allocator);
        there.pass(PERIOD.multipliedBy(2));
        int inTime = looks;
        there.pass(PERIOD.multipliedBy(2));

        assertThat(next(allocator)).isEqualTo(2);
        assertThat(looks).as("no more than in time").isEqualTo(inTime).isBetween(2, 12);
        assertThat(allocator.figures().lost()).isZero();
    }

    /** Its row is removed only after the block is no longer held, so a check would miss the row. */
    @Test
    void shouldCheckNoBlockAfterClose() {
        BlockAllocator allocator = allocator(FreshClaims.SERVE);
        next(allocator);
        there.await(allocator.closeAsync());
        there.pass(PERIOD.multipliedBy(2));

        assertThat(looks).isZero();
    }

    @Test
    void shouldCheckOnlyBlocksThatAreHeld() {
        BlockAllocator allocator = allocator(FreshClaims.SERVE);
        for (int i = 0; i < 25; i++) {
            next(allocator);
        }

        look = Look.LOST;
        there.pass(PERIOD.multipliedBy(2));

        assertThat(allocator.figures().lost())
                .as("of five at the most two in hand")
                .isBetween(1L, 2L);
    }

    @Test
    void shouldFailAWaitingCallerWhenItIsClosed() {
        BlockAllocator allocator = allocator(FreshClaims.WAIT);
        CompletableFuture<Long> waiting = allocator.nextLongAsync().toCompletableFuture();
        there.pass(Duration.ofSeconds(1));
        assertThat(waiting).isNotDone();

        there.await(allocator.closeAsync());
        there.pass(Duration.ofSeconds(1));

        assertThatThrownBy(waiting::join).hasMessageContaining("is closed");
        assertThat(there.row().claims).isEmpty();
    }

    @Test
    void shouldClaimNothingIfTheClusterIsRefused() {
        BlockAllocator allocator = there.allocator(
                around -> around,
                new Sync(
                        Duration.ZERO,
                        FreshClaims.SERVE,
                        Optional.of(new SequenceException.Conflict("refused for a reason"))));

        CompletableFuture<Long> refused = there.end(allocator.nextLongAsync());

        assertThatThrownBy(refused::join).hasMessageContaining("refused for a reason");
        assertThat(there.row().claims).isEmpty();
    }
}
