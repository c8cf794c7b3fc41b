package dev.cassidy.snowflake.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;

class LogicalClockTest {

    private long ofDay = 1_000_000;
    private long nanos = -5_000_000;
    private final LogicalClock clock =
            new LogicalClock((InstantSource) () -> Instant.ofEpochMilli(ofDay), () -> nanos, 400_000);

    private void pass(long millis) {
        ofDay += millis;
        nanos += millis * 1_000_000;
    }

    @Test
    void shouldFollowTheMonotonicClockBetweenLooks() {
        assertThat(clock.now()).isEqualTo(600_000);
        pass(250);
        ofDay += 3_600_000;
        assertThat(clock.now()).isEqualTo(600_250);
        assertThat(clock.timeOfDay()).isEqualTo(4_200_250);
    }

    @Test
    void shouldFollowTheTimeOfDayAhead() {
        ofDay += 5_000;
        clock.follow(0);

        assertThat(clock.now()).isEqualTo(605_000);
    }

    @Test
    void shouldRunAtHalfSpeedUntilAClockThatWentBackHasCaughtUp() {
        ofDay -= 1_000;
        clock.follow(0);

        assertThat(clock.now()).isEqualTo(600_000);
        pass(1_000);
        assertThat(clock.now()).isEqualTo(600_500);
        clock.follow(0);
        assertThat(clock.now()).isEqualTo(600_500);
        pass(1_000);
        assertThat(clock.now()).isEqualTo(601_000);
        pass(1_000);
        assertThat(clock.now()).isEqualTo(602_000).isEqualTo(clock.timeOfDay());
    }

    @Test
    void shouldBeginAtTheGivenTime() {
        clock.follow(608_000);

        assertThat(clock.now()).isEqualTo(608_000);
        pass(2);
        assertThat(clock.now()).isEqualTo(608_001);
    }

    @Test
    void shouldNeverGoBack() {
        long before = clock.now();
        for (int i = 0; i < 2_000; i++) {
            pass(i % 7);
            ofDay += (i * 7919 % 4_001) - 2_000;
            if (i % 3 == 0) {
                clock.follow(i % 5 == 0 ? before + 3 : 0);
            }
            assertThat(clock.now()).isGreaterThanOrEqualTo(before);
            before = clock.now();
        }
    }

    @Test
    void shouldReturnTheTimeUntilTheNextMillisecond() {
        assertThat(clock.nanosToNextMilli()).isEqualTo(1_000_000);
        nanos += 300_000;
        assertThat(clock.nanosToNextMilli()).isEqualTo(700_000);
    }
}
