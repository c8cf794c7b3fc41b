package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.reliability.simulation.SimulatedCluster.GrantKey;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.protocol.FreshClaims;
import dev.cassidy.sequence.protocol.Safety;
import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What becomes of a grant that the nodes of the global keyspace may forget, or have forgotten. */
class StandingGrantsTest {

    private static final Duration PERIOD = Duration.ofSeconds(11);
    private static final long GRANTED = 200;
    private static final SequenceSpec SPEC = new SequenceSpec("granted", IdentityType.INT, 1, 1, 1, Integer.MAX_VALUE)
            .withBlock(10, 10)
            .withReserve(GRANTED, GRANTED);

    private final OneDatacenter there = new OneDatacenter(SPEC);

    private record Sync(Duration standing, FreshClaims freshClaims, Optional<SequenceException> refusal)
            implements Safety {}

    private BlockAllocator allocator(FreshClaims freshClaims) {
        return there.allocator(UnaryOperator.identity(), new Sync(PERIOD, freshClaims, Optional.empty()));
    }

    private void draw(BlockAllocator allocator, int ids) {
        for (int i = 0; i < ids; i++) {
            there.await(allocator.nextLongAsync());
        }
    }

    /** The nodes forget every grant, and how far ids were granted. */
    private void forgetGrants() {
        there.cluster.grants().clear();
        there.cluster.write(SequenceEntry.fresh(SPEC, 1, true));
    }

    private void grantToOthers(long lo, long hi) {
        there.cluster.put("dc2", 0, new Grant(1, 1, new Span(lo, hi)));
        there.cluster.moveNext(hi);
    }

    private Optional<Span> granted(int number) {
        return Optional.ofNullable(there.cluster.grants().get(new GrantKey("dc1", 0, 1, number)))
                .map(Grant::span);
    }

    @Test
    void shouldWaitForTheFirstGrantToStand() {
        BlockAllocator allocator = allocator(FreshClaims.WAIT);
        long before = there.time.nanoTime();

        there.await(allocator.nextLongAsync());

        // The grant, and then the claim.
        assertThat(Duration.ofNanos(there.time.nanoTime() - before))
                .isBetween(PERIOD.multipliedBy(2), PERIOD.multipliedBy(2).plusSeconds(2));
    }

    @Test
    void shouldMakeAnotherGrantWhenTheFirstWasForgotten() {
        BlockAllocator allocator = allocator(FreshClaims.WAIT);
        var drawn = allocator.nextRangeAsync(1);
        there.pass(Duration.ofSeconds(5));
        assertThat(granted(1)).contains(new Span(0, GRANTED));
        forgetGrants();
        grantToOthers(0, 50);

        assertThat(there.await(drawn).first()).isEqualTo(51);
        assertThat(granted(1)).contains(new Span(50, 50 + GRANTED));
    }

    @Test
    void shouldGiveUpAGrantOfWhichOthersWereGrantedIds() {
        BlockAllocator allocator = allocator(FreshClaims.WAIT);
        var drawn = allocator.nextRangeAsync(1);
        there.pass(Duration.ofSeconds(5));
        // It was forgotten, and came back with a node that remembers it.
        there.cluster.put("dc2", 0, new Grant(1, 1, new Span(GRANTED - 1, GRANTED + 100)));
        there.cluster.moveNext(GRANTED + 100);

        there.end(drawn);
        IdRange next = there.await(allocator.nextRangeAsync(1));

        assertThat(next.first()).isGreaterThan(GRANTED + 100);
        assertThat(there.row().grantNumber).isEqualTo(2);
    }

    @Test
    void shouldGiveUpAGrantThatTheGlobalLevelCountsAsFree() {
        BlockAllocator allocator = allocator(FreshClaims.WAIT);
        var drawn = allocator.nextRangeAsync(1);
        there.pass(Duration.ofSeconds(5));
        there.cluster.write(SequenceEntry.fresh(SPEC, 1, true).grantedTo(100));

        there.end(drawn);
        there.pass(Duration.ofSeconds(5));

        assertThat(there.row().grantNumber).isGreaterThanOrEqualTo(1);
        assertThat(there.row().hi).isNotEqualTo(GRANTED);
    }

    @Test
    void shouldNotWaitWhereNothingElseIsLeft() {
        BlockAllocator allocator = allocator(FreshClaims.SERVE);
        long before = there.time.nanoTime();

        assertThat(there.await(allocator.nextLongAsync())).isEqualTo(1);

        assertThat(Duration.ofNanos(there.time.nanoTime() - before)).isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void shouldLetAGrantStandThatIsMadeAheadOfNeed() {
        BlockAllocator allocator = allocator(FreshClaims.SERVE);
        draw(allocator, 110);
        there.pass(PERIOD.minusSeconds(1));
        assertThat(granted(2)).isPresent();
        assertThat(there.row().grantNumber).isEqualTo(1);

        there.pass(Duration.ofSeconds(4));

        assertThat(there.row().grantNumber).isEqualTo(2);
    }

    @Test
    void shouldMakeAGrantAgainThatWasForgottenAfterItWasUsed() {
        BlockAllocator allocator = allocator(FreshClaims.SERVE);
        draw(allocator, 1);
        forgetGrants();

        there.pass(PERIOD.plusSeconds(2));

        assertThat(granted(1)).contains(new Span(0, GRANTED));
        assertThat(there.cluster.entry().next()).isEqualTo(GRANTED);
    }

    @Test
    void shouldIssueNoFurtherIdsThatOthersWereGrantedSince() {
        BlockAllocator allocator = allocator(FreshClaims.SERVE);
        draw(allocator, 1);
        forgetGrants();
        grantToOthers(0, GRANTED);

        there.pass(PERIOD.plusSeconds(2));

        assertThat(there.row().reserve().remaining()).isZero();
        assertThat(there.row().reserve().tails().spans()).isEmpty();
        // What the process has is served; then it asks, and the global level has no such grant.
        assertThatThrownBy(() -> draw(allocator, (int) GRANTED)).hasCauseInstanceOf(SequenceException.class);
    }
}
