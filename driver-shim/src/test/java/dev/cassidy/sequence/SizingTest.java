package dev.cassidy.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SizingTest {

    private static final long INT_SPACE = Integer.MAX_VALUE;

    private final Sizing sizing = new Sizing(INT_SPACE);
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
        assertThat(size).isEqualTo(Sizing.LARGEST);
    }

    @Test
    void shouldHoldNoMoreThanTheSmallestBlockForASlowSequence() {
        for (int i = 0; i < 50; i++) {
            assertThat(next(1, Duration.ofMinutes(5), true)).isLessThanOrEqualTo(Sizing.SMALLEST);
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
    void shouldGoDownToOneWhereTheSpaceIsSmall() {
        Reserve reserve = new Reserve(1, new Span(0, 7), null, 1);
        assertThat(new Sizing(100).withinSpace(1_000, reserve)).isEqualTo(1);
    }

    @Test
    void shouldTakeAtMostAnEighthOfTheReserveAndATenThousandthOfTheSpace() {
        Reserve reserve = new Reserve(1, new Span(0, 8_000_000), null, 1);
        assertThat(sizing.withinSpace(Sizing.LARGEST, reserve)).isLessThanOrEqualTo(INT_SPACE / 10_000);
        Reserve little = new Reserve(1, new Span(0, 800), null, 1);
        assertThat(sizing.withinSpace(Sizing.LARGEST, little)).isEqualTo(100);
    }

    @Test
    void shouldGrantAtMostATenthOfWhatIsFree() {
        assertThat(Sizing.grant(16, new Span(0, INT_SPACE))).isEqualTo(Sizing.SMALLEST_GRANT);
        assertThat(Sizing.grant(Sizing.LARGEST, new Span(0, 50_000))).isEqualTo(5_000);
        assertThat(Sizing.grant(16, new Span(99, 100))).isEqualTo(1);
    }
}
