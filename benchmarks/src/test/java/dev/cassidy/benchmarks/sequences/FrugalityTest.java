package dev.cassidy.benchmarks.sequences;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class FrugalityTest {

    @Test
    void shouldCountWhatIsClaimedAndNotIssued() {
        int afterOne = Frugality.mostHeld(Duration.ofHours(1), 1);
        int busy = Frugality.mostHeld(Duration.ofMillis(1), 100_000);

        assertThat(afterOne).isPositive().isLessThan(64);
        assertThat(busy).isGreaterThan(10_000);
    }
}
