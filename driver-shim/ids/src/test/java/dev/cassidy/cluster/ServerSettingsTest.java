package dev.cassidy.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.cluster.ServerSettings.Unreadable;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerSettingsTest {

    private static Optional<Duration> forgets(Map<String, String> values) {
        return new ServerSettings(values, Unreadable.NOT, "").forgets();
    }

    /** All units that cassandra.yaml accepts. */
    @ParameterizedTest
    @CsvSource({
        "2d, PT48H",
        "1h, PT1H",
        "3m, PT3M",
        "10s, PT10S",
        "10000ms, PT10S",
        "5us, PT0.000005S",
        "5µs, PT0.000005S",
        "7ns, PT0.000000007S",
        "10000, PT10S"
    })
    void shouldReadThePeriod(String period, Duration duration) {
        assertThat(forgets(Map.of("commitlog_sync", "periodic", "commitlog_sync_period", period)))
                .contains(duration);
    }

    @Test
    void shouldReadThePeriodOfOldServers() {
        assertThat(forgets(Map.of("commitlog_sync", "periodic", "commitlog_sync_period_in_ms", "10000")))
                .contains(Duration.ofSeconds(10));
    }

    @Test
    void shouldForgetNothingIfTheSyncPrecedesTheAnswer() {
        assertThat(forgets(Map.of("commitlog_sync", "batch", "commitlog_sync_period", "10s")))
                .contains(Duration.ZERO);
        assertThat(forgets(Map.of("commitlog_sync", "group"))).contains(Duration.ZERO);
    }

    @Test
    void shouldNotKnowAMissingOrInvalidSetting() {
        assertThat(forgets(Map.of())).isEmpty();
        assertThat(forgets(Map.of("commitlog_sync", "periodic"))).isEmpty();
        assertThat(forgets(Map.of("commitlog_sync", "periodic", "commitlog_sync_period", "soon")))
                .isEmpty();
    }
}
