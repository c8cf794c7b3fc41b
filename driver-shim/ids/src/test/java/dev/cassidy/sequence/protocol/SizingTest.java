package dev.cassidy.sequence.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.Ledger;
import dev.cassidy.sequence.store.Numbering;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Tails;
import dev.cassidy.sequence.store.Usage;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SizingTest {

    private static final long INT_SPACE = Integer.MAX_VALUE;

    private final Sizing sizing = sizing(SequenceSpec.of("orders"));

    private static Sizing sizing(SequenceSpec spec) {
        return new Sizing(spec, Duration.ofHours(24), 0.5);
    }

    private static SequenceSpec of(long space) {
        return new SequenceSpec("orders", IdentityType.BIGINT, 1, 1, 1, space);
    }

    private static Reserve holding(Span current, Usage usage) {
        return new Reserve(1, current, null, 1, Tails.NONE, usage, Numbering.NONE);
    }

    private static Ledger ledger(Span free, int datacenters) {
        SequenceEntry entry = SequenceEntry.fresh(of(free.hi()), 1, true).grantedTo(free.lo());
        return new Ledger(entry, datacenters);
    }

    private long nanos;

    private long next(long issued, Duration elapsed, boolean starved) {
        nanos += elapsed.toNanos();
        return sizing.next(issued, nanos, starved);
    }

    @Test
    void shouldBeginSmall() {
        assertThat(next(0, Duration.ZERO, true)).isEqualTo(16);
    }

    @Test
    void shouldGrowAtMostFourfold() {
        long size = next(0, Duration.ZERO, true);
        for (int i = 0; i < 20; i++) {
            long grown = next(size, Duration.ofMillis(1), true);
            assertThat(grown).isBetween(size, size * 4);
            size = grown;
        }
        assertThat(size).isEqualTo(SequenceSpec.DEFAULT_BLOCK.largest());
    }

    @Test
    void shouldHoldNoMoreThanTheSmallestBlockForASlowSequence() {
        for (int i = 0; i < 50; i++) {
            assertThat(next(1, Duration.ofMinutes(5), true)).isLessThanOrEqualTo(32);
        }
    }

    @Test
    void shouldHoldNoMoreThanSixtyFourIdsInTwoBlocksAtAnIdEachTenSeconds() {
        long before = 0;
        for (int i = 0; i < 50; i++) {
            long size = next(before, Duration.ofSeconds(10 * before), false);
            assertThat(size + (before + 1) / 2).isLessThanOrEqualTo(64);
            before = size;
        }
    }

    @Test
    void shouldShrinkAtMostByHalf() {
        long size = 0;
        for (int i = 0; i < 12; i++) {
            size = next(1_000_000, Duration.ofSeconds(1), true);
        }
        long shrunk = next(0, Duration.ofHours(2), false);
        assertThat(shrunk).isEqualTo(size / 2);
    }

    @Test
    void shouldShrinkToOneIfTheSpaceIsSmall() {
        Reserve reserve = holding(new Span(0, 7), Usage.NONE);
        assertThat(sizing(of(100)).withinSpace(1_000, reserve)).isEqualTo(1);
    }

    @Test
    void shouldTakeAtMostATenThousandthOfTheSpace() {
        Reserve reserve = holding(new Span(0, 8_000_000), Usage.NONE);
        assertThat(sizing.withinSpace(1 << 20, reserve)).isLessThanOrEqualTo(INT_SPACE / 10_000);
    }

    @Test
    void shouldTakeAtMostAnEighthOfTheReserve() {
        Reserve little = holding(new Span(0, 800), Usage.NONE);
        assertThat(sizing.withinSpace(1 << 20, little)).isEqualTo(100);
    }

    @Test
    void shouldReserveAtMostATenthOfTheFreeIdsInAllDatacentersTogether() {
        Reserve nothing = holding(Span.EMPTY, Usage.NONE);
        assertThat(sizing.grant(16, nothing, ledger(new Span(0, INT_SPACE), 1))).isEqualTo(10_000);
        // Two ranges for each of two datacenters.
        assertThat(sizing.grant(1 << 20, nothing, ledger(new Span(0, 400_000), 2)))
                .isEqualTo(10_000);
        assertThat(sizing.grant(16, nothing, ledger(new Span(99, 100), 1))).isEqualTo(1);
    }

    @Test
    void shouldReserveTwiceTheUseOfAnIsolationAtTheBusiestHoursRate() {
        Reserve busy = holding(new Span(0, 100), Usage.NONE.plus(1_000, 480_000));
        assertThat(sizing.grant(16, busy, ledger(new Span(0, INT_SPACE), 1))).isEqualTo(48 * 1_000 - 100);
        assertThat(sizing.wantsGrant(16, holding(new Span(0, 23_999), busy.usage())))
                .isTrue();
        assertThat(sizing.wantsGrant(16, holding(new Span(0, 24_001), busy.usage())))
                .isFalse();
    }

    @Test
    void shouldShortenTheIsolationAsTheSpaceRunsOut() {
        assertThat(sizing.isolation(INT_SPACE / 2)).isEqualTo(Duration.ofHours(24));
        assertThat(sizing.isolation(INT_SPACE / 20)).isEqualTo(Duration.ofHours(6));
        assertThat(sizing.isolation(INT_SPACE / 100)).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void shouldClaimBatchesOfOneSizeIfTheBoundsAreEqual() {
        Sizing batches = sizing(SequenceSpec.of("orders").withBlock(100, 100));
        assertThat(batches.next(0, 0, true)).isEqualTo(100);
        assertThat(batches.next(100, 1_000_000, true)).isEqualTo(100);
        assertThat(batches.next(0, Duration.ofHours(1).toNanos(), false)).isEqualTo(100);
    }
}
