package dev.cassidy.sequence.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class UsageTest {

    private static final long HOUR = 480_000;

    @Test
    void shouldKnowTheBusiestHourOfSevenDays() {
        Usage usage = Usage.NONE.plus(100, HOUR).plus(50, HOUR).plus(10, HOUR + 1);
        assertThat(usage.peakHourly()).isEqualTo(150);
        assertThat(usage.plus(1, HOUR + 6 * 24).peakHourly()).isEqualTo(150);
        assertThat(usage.plus(1, HOUR + 8 * 24).peakHourly()).isEqualTo(1);
    }

    @Test
    void shouldContinueCountingWhenAClockIsAFewHoursBehind() {
        assertThat(Usage.NONE.plus(100, HOUR).plus(50, HOUR - 2).peakHourly()).isEqualTo(150);
    }

    @Test
    void shouldStartAgainAfterAClockThatWasDaysAhead() {
        Usage usage = Usage.NONE.plus(100, HOUR + 1_000).plus(50, HOUR).plus(60, HOUR);
        assertThat(usage.hour()).isEqualTo(HOUR);
        assertThat(usage.claimed()).isEqualTo(110);
    }

    @Test
    void shouldReadItsOwnFormat() {
        Usage usage = Usage.NONE.plus(100, HOUR).plus(50, HOUR + 30);
        assertThat(Usage.of(usage.toList())).isEqualTo(usage);
        assertThat(Usage.of(List.of())).isEqualTo(Usage.NONE);
    }
}
