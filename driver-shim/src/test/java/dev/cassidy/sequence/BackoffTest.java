package dev.cassidy.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** How claims that collide are spread. */
class BackoffTest {

    private static final Duration QUICK = Duration.ofMillis(5);
    private static final Duration SLOW = Duration.ofMillis(200);

    private final List<Duration> delays = new ArrayList<>();

    private Backoff backoff(int seed) {
        return new Backoff((task, delay) -> delays.add(delay), new SplittableRandom(seed));
    }

    /** Of many processes, each with its own random numbers. */
    private LongSummaryStatistics waits(Consumer<Backoff> step) {
        delays.clear();
        for (int seed = 0; seed < 1_000; seed++) {
            step.accept(backoff(seed));
        }
        return delays.stream().mapToLong(Duration::toMillis).summaryStatistics();
    }

    @Test
    void shouldTryOnceMoreAtOnceAfterAQuickRefusal() {
        Backoff backoff = backoff(1);
        assertThat(backoff.goesOnAtOnce(QUICK)).isTrue();
        assertThat(backoff.goesOnAtOnce(QUICK)).isFalse();
        backoff.jitter(QUICK);
        assertThat(backoff.goesOnAtOnce(QUICK)).as("two tries after each wait").isTrue();
    }

    @Test
    void shouldNotTryAtOnceAfterARefusalThatTookLong() {
        assertThat(backoff(1).goesOnAtOnce(SLOW)).isFalse();
    }

    @Test
    void shouldSpreadTheNextTryOverAMultipleOfWhatTheLastOneTook() {
        assertThat(waits(backoff -> backoff.jitter(QUICK)).getMax()).isLessThanOrEqualTo(60);
        LongSummaryStatistics spread = waits(backoff -> backoff.jitter(SLOW));
        assertThat(spread.getMin()).isLessThan(100);
        assertThat(spread.getAverage()).isBetween(1_400.0, 1_800.0);
        assertThat(spread.getMax()).isBetween(3_000L, 3_200L);
    }

    /** Else none of those who start at once would have an id before the claim time-out. */
    @Test
    void shouldSpreadNoTryOverMoreThanFiveSeconds() {
        assertThat(waits(backoff -> backoff.jitter(Duration.ofSeconds(10))).getMax())
                .isBetween(4_900L, 5_000L);
    }

    @Test
    void shouldSpreadTheFirstTriesOnlyWhereEvenAReadTakesLong() {
        assertThat(backoff(1).spreadOut(Duration.ofMillis(99)).toCompletableFuture())
                .isCompleted();
        assertThat(delays).isEmpty();
        LongSummaryStatistics spread = waits(backoff -> backoff.spreadOut(SLOW));
        assertThat(spread.getCount()).isEqualTo(1_000);
        assertThat(spread.getAverage()).isBetween(700.0, 900.0);
        assertThat(spread.getMax()).isBetween(1_500L, 1_600L);
    }
}
