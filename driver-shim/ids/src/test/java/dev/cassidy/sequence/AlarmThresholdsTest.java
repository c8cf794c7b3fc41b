package dev.cassidy.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.protocol.Isolation;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class AlarmThresholdsTest {

    @Test
    void shouldRefuseThresholdsThatAreNoShareOrOutOfOrder() {
        assertThatThrownBy(() -> new AlarmThresholds(List.of(0), 1))
                .hasMessage("must be from 1 to 100 and ascending: usedPercent=[0]");
        assertThatThrownBy(() -> new AlarmThresholds(List.of(50, 101), 1))
                .hasMessage("must be from 1 to 100 and ascending: usedPercent=[50, 101]");
        assertThatThrownBy(() -> new AlarmThresholds(List.of(70, 50), 1))
                .hasMessage("must be from 1 to 100 and ascending: usedPercent=[70, 50]");
        assertThatThrownBy(() -> new AlarmThresholds(List.of(), -1)).hasMessage("must be >= 0: daysLeft=-1");
    }

    @Test
    void shouldShortenTheIsolationAsTheSpaceRunsOut() {
        Duration day = Duration.ofHours(24);

        assertThat(Isolation.of(day, 100, 1_000)).isEqualTo(day);
        assertThat(Isolation.of(day, 99, 1_000)).isEqualTo(Duration.ofHours(6));
        assertThat(Isolation.of(day, 19, 1_000)).isEqualTo(Duration.ofHours(1));
        assertThat(Isolation.of(Duration.ofMinutes(5), 19, 1_000)).isEqualTo(Duration.ofMinutes(5));
    }
}
