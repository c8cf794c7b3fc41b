package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class CounterNamesTest {

    @Test
    void shouldTakeWhatCassandraCanStore() {
        for (String name :
                List.of("IBM", " ", "\0", "müller", "\uD83D\uDE00", "a".repeat(65_000), "ü".repeat(32_500))) {
            assertThat(CounterNames.require(name)).isSameAs(name);
        }
    }

    @Test
    void shouldRefuseTheRestByName() {
        refused("", "must not be empty: type");
        refused("~cassidy", "Cassidy's own row in each table: type='~cassidy'");
        refused("a\uD83D", "single surrogate \\ud83d at index 1");
        refused("\uDE00\uD83D", "single surrogate \\ude00 at index 0");
        refused("a".repeat(65_001), "65001");
        refused("ü".repeat(32_501), "65002");
        refused("\uD83D\uDE00".repeat(16_251), "65004");
    }

    private static void refused(String name, String why) {
        assertThatThrownBy(() -> CounterNames.require(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why)
                .hasMessageMatching("(?s).{1,200}");
    }

    /** A longer one would overflow the monotonic clock, at the first increment. */
    @Test
    void shouldRefuseATimeoutThatNobodyWaitsFor() {
        CountersConfig config = CountersConfig.of("shop.traded");
        assertThat(config.withIncrementTimeout(Duration.ofDays(1)).incrementTimeout())
                .isEqualTo(Duration.ofDays(1));
        for (Duration timeout : List.of(Duration.ofDays(300 * 365), Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> config.withIncrementTimeout(timeout))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("must be at most PT24H: incrementTimeout=" + timeout);
        }
    }
}
