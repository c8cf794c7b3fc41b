package dev.cassidy.sequence.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How colliding claims are spread over time. */
class BackoffTest {

    private static final Duration QUICK = Duration.ofMillis(5);
    private static final Duration SLOW = Duration.ofMillis(200);

    private static final Duration LONG = Duration.ofSeconds(15);

    private final List<Duration> delays = new ArrayList<>();

    private Backoff backoff(int seed) {
        return new Backoff((task, delay) -> delays.add(delay), new SplittableRandom(seed));
    }

    /** Returns the waits of many processes, each with its own random numbers. */
    private LongSummaryStatistics waits(Consumer<Backoff> step) {
        delays.clear();
        for (int seed = 0; seed < 1_000; seed++) {
            step.accept(backoff(seed));
        }
        return delays.stream().mapToLong(Duration::toMillis).summaryStatistics();
    }

    private static Consumer<Backoff> refused(int times, Duration took, Duration left) {
        return backoff -> {
            for (int i = 0; i < times; i++) {
                backoff.afterRefusal(took, left);
            }
        };
    }

    /** Returns only the last wait of each process. */
    private LongSummaryStatistics lastWaits(int of, Consumer<Backoff> step) {
        waits(step);
        return IntStream.range(0, delays.size())
                .filter(i -> i % of == of - 1)
                .mapToLong(i -> delays.get(i).toMillis())
                .summaryStatistics();
    }

    @Test
    void shouldTryOnceMoreImmediatelyAfterAQuickRefusal() {
        Backoff backoff = backoff(1);
        assertThat(backoff.goesOnAtOnce(QUICK)).isTrue();
        assertThat(backoff.goesOnAtOnce(QUICK)).isFalse();
        backoff.afterRefusal(QUICK, LONG);
        assertThat(backoff.goesOnAtOnce(QUICK)).as("two tries after each wait").isTrue();
    }

    @Test
    void shouldNotTryImmediatelyAfterASlowRefusal() {
        assertThat(backoff(1).goesOnAtOnce(SLOW)).isFalse();
    }

    @Test
    void shouldSpreadTheNextTryOverADoublingMultipleOfTheLastDuration() {
        LongSummaryStatistics spread = waits(refused(1, QUICK, LONG));
        assertThat(spread.getAverage()).isBetween(35.0, 45.0);
        assertThat(spread.getMax()).isBetween(75L, 80L);
        assertThat(lastWaits(2, refused(2, QUICK, LONG)).getMax()).isBetween(150L, 160L);
        assertThat(lastWaits(3, refused(3, QUICK, LONG)).getMax()).isBetween(310L, 320L);
        assertThat(lastWaits(9, refused(9, QUICK, LONG)).getMax())
                .as("400 times at most")
                .isBetween(1_950L, 2_000L);
    }

    /** Processes that remain after most others have their ids need not wait as long as before. */
    @Test
    void shouldNarrowTheSpreadInSteps() {
        LongSummaryStatistics after = lastWaits(4, backoff -> {
            refused(3, Duration.ofMillis(20), LONG).accept(backoff);
            refused(1, Duration.ZERO, LONG).accept(backoff);
        });
        assertThat(after.getMax()).as("a quarter of 64 x 20 ms").isBetween(310L, 320L);
    }

    /** Otherwise, of many processes that start at the same time, none would have an id before the claim time-out. */
    @Test
    void shouldSpreadNoTryBeyondTheTimeOfTheClaim() {
        assertThat(lastWaits(9, refused(9, Duration.ofMillis(29), Duration.ofSeconds(4)))
                        .getMax())
                .as("quick tries: half of it")
                .isBetween(1_950L, 2_000L);
        assertThat(lastWaits(9, refused(9, SLOW, Duration.ofSeconds(4))).getMax())
                .as("slow ones do not hurry")
                .isBetween(3_100L, 3_200L);
        assertThat(lastWaits(9, refused(9, SLOW, Duration.ofHours(1))).getMax()).isBetween(5_900L, 6_000L);
    }

    @Test
    void shouldSpreadTriesAfterAnUnknownOutcomeOverAtMostFiveSeconds() {
        assertThat(waits(backoff -> backoff.afterUnknown(SLOW, LONG)).getMax()).isBetween(3_100L, 3_200L);
        assertThat(waits(backoff -> backoff.afterUnknown(Duration.ofSeconds(10), Duration.ofMinutes(1)))
                        .getMax())
                .isBetween(4_900L, 5_000L);
    }

    @Test
    void shouldSpreadTheFirstTriesOnlyIfEvenAReadTakesLong() {
        assertThat(backoff(1).spreadOut(Duration.ofMillis(99), LONG).toCompletableFuture())
                .isCompleted();
        assertThat(delays).isEmpty();
        LongSummaryStatistics spread = waits(backoff -> backoff.spreadOut(SLOW, LONG));
        assertThat(spread.getCount()).isEqualTo(1_000);
        assertThat(spread.getAverage()).isBetween(1_100.0, 1_300.0);
        assertThat(spread.getMax()).isBetween(2_300L, 2_400L);
    }

    /** After the first refusal, the crowd is still there. */
    @Test
    void shouldSpreadWidelyAfterTheFirstRefusalOfACrowd() {
        LongSummaryStatistics spread = lastWaits(2, backoff -> {
            backoff.spreadOut(Duration.ofSeconds(1), LONG);
            backoff.afterRefusal(Duration.ofMillis(20), LONG);
        });
        assertThat(spread.getMax()).isBetween(5_900L, 6_000L);
    }

    /** A process's first read may be slow without a crowd. */
    @Test
    void shouldNotAssumeALargeCrowdAfterASomewhatSlowFirstRead() {
        LongSummaryStatistics spread = lastWaits(2, backoff -> {
            backoff.spreadOut(Duration.ofMillis(100), LONG);
            backoff.afterRefusal(Duration.ofMillis(20), LONG);
        });
        assertThat(spread.getMax()).as("40 x 20 ms").isBetween(780L, 800L);
    }

    @Test
    void shouldLeaveTimeForATryWhateverItWaitsFor() {
        Duration left = Duration.ofSeconds(1);
        assertThat(waits(backoff -> backoff.spreadOut(SLOW, left)).getMax()).isLessThan(300L);
        assertThat(waits(refused(1, SLOW, left)).getMax()).isLessThan(600L);
        assertThat(waits(backoff -> backoff.afterUnknown(SLOW, left)).getMax()).isLessThanOrEqualTo(600L);
        assertThat(waits(backoff -> backoff.spreadOut(Duration.ofSeconds(2), left))
                        .getMax())
                .isZero();
        assertThat(waits(refused(1, SLOW, Duration.ofSeconds(-1))).getMax()).isZero();
    }

    /** A server that quickly reports overload must not be asked again and again. */
    @Test
    void shouldWaitLongerAfterEachUnknownOutcomeHoweverQuickItCame() {
        List<Duration> first = new ArrayList<>();
        List<Duration> fifth = new ArrayList<>();
        for (int seed = 0; seed < 1_000; seed++) {
            delays.clear();
            Backoff backoff = backoff(seed);
            for (int i = 0; i < 5; i++) {
                backoff.afterUnknown(QUICK, LONG);
            }
            first.add(delays.get(0));
            fifth.add(delays.get(4));
        }
        assertThat(first).allMatch(wait -> wait.toMillis() >= 20);
        assertThat(fifth.stream().mapToLong(Duration::toMillis).average().orElseThrow())
                .isGreaterThan(4
                        * first.stream().mapToLong(Duration::toMillis).average().orElseThrow());
    }
}
