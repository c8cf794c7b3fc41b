package dev.cassidy.benchmarks.sequences;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.benchmarks.sequences.Frugality.Simulated;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FrugalityTest {

    @Test
    void shouldCountClaimedIdsThatAreNotIssued() {
        assertThat(new Simulated().mostHeld(Duration.ofHours(1), 1))
                .isPositive()
                .isLessThan(64);
    }

    @Test
    void shouldMeasureThatASlowProcessHoldsAtMostSixtyFour() {
        assertThat(new Simulated().mostHeld(Duration.ofSeconds(10), 10_000)).isLessThanOrEqualTo(64);
        assertThat(new Simulated().mostHeld(Duration.ofMinutes(1), 2_000)).isLessThanOrEqualTo(64);
    }

    @Test
    void shouldMeasureTheIdsThatAnIdleProcessGivesBack() {
        Simulated busy = new Simulated();

        assertThat(busy.mostHeld(Duration.ofMillis(1), 100_000)).isGreaterThan(10_000);
        busy.idle(Duration.ofMinutes(10));
        assertThat(busy.held()).isLessThanOrEqualTo(64);
    }
}
