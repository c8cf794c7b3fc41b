package dev.cassidy.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cassidy.sequence.Projection.Dated;
import dev.cassidy.sequence.Projection.Stream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class ProjectionTest {

    private static final Instant NOW = Instant.parse("2026-03-01T00:00:00Z");
    private static final Offset<Double> EXACTLY = within(1e-6);

    private static Dated granted(double daysAgo, long count) {
        return new Dated(NOW.minus(Duration.ofMinutes((long) (daysAgo * 24 * 60))), count);
    }

    private static Projection project(long free, long unclaimed, Dated... grants) {
        return Projection.of(List.of(new Stream(List.of(grants), unclaimed)), free, NOW);
    }

    private static Instant in(long days) {
        return NOW.plus(Duration.ofDays(days));
    }

    @Test
    void shouldProjectNothingBeforeTheFirstGrant() {
        Projection projection = Projection.of(List.of(), 1_000, NOW);

        assertThat(projection.end()).isEmpty();
        assertThat(projection.note()).isEqualTo("never granted");
    }

    @Test
    void shouldProjectNothingFromLessThanADay() {
        Projection projection = project(1_000, 0, granted(0.9, 500));

        assertThat(projection.end()).isEmpty();
        assertThat(projection.note()).isEqualTo("less than a day old");
    }

    @Test
    void shouldUseTheAgeIfItIsShorterThanTheWindow() {
        Projection projection = project(10_000, 0, granted(2, 1_000), granted(1, 1_000));

        assertThat(projection.perDay7()).isEqualTo(1_000, EXACTLY);
        assertThat(projection.perDay28()).isEqualTo(1_000, EXACTLY);
        assertThat(projection.end()).contains(in(10));
    }

    @Test
    void shouldUseTheSteeperSlope() {
        Projection slower =
                project(1_000, 0, granted(100, 50), granted(25, 500), granted(15, 200), granted(6, 35), granted(3, 35));
        assertThat(slower.perDay7()).isEqualTo(10, EXACTLY);
        assertThat(slower.perDay28()).isEqualTo(770 / 28.0, EXACTLY);
        assertThat(slower.end().orElseThrow()).isBetween(in(36), in(37));

        Projection faster = project(1_000, 0, granted(100, 50), granted(20, 70), granted(6, 350), granted(3, 350));
        assertThat(faster.perDay7()).isEqualTo(100, EXACTLY);
        assertThat(faster.end()).contains(in(10));
    }

    @Test
    void shouldNotCountTheFirstReserveAsUse() {
        // Ten ids of a smallint are used. If the whole first grant counted as use, the end would be in four months.
        Projection projection = project(31_129, 1_638 - 10, granted(6, 1_638));

        assertThat(projection.perDay7()).isEqualTo(10 / 6.0, EXACTLY);
        assertThat(projection.daysLeft(NOW).orElseThrow()).isGreaterThan(18_000);
    }

    @Test
    void shouldNotCountAGrantThatLastsForWeeksAsTheUseOfAWeek() {
        Projection projection = project(20_000, 900, granted(120, 1_100), granted(60, 1_050), granted(2, 1_000));

        assertThat(projection.perDay7()).isEqualTo(100 / 7.0, EXACTLY);
        assertThat(projection.perDay28()).isEqualTo(100 / 28.0, EXACTLY);
    }

    @Test
    void shouldCountGrantsInFullIfThereWasAReserveBefore() {
        // A grant of 700 every three and a half days is 200 a day, however much of the last grant is left.
        List<Dated> grants = new ArrayList<>();
        for (double day = 41; day > 0; day -= 3.5) {
            grants.add(granted(day, 700));
        }
        for (long unclaimed : new long[] {0, 350, 700}) {
            Projection projection = Projection.of(List.of(new Stream(grants, unclaimed)), 20_000, NOW);

            assertThat(projection.perDay28()).isEqualTo(200, EXACTLY);
            assertThat(projection.end()).contains(in(100));
        }
    }

    @Test
    void shouldAddUpStripesAndDatacenters() {
        Projection projection = Projection.of(
                List.of(
                        new Stream(List.of(granted(4, 500)), 100),
                        new Stream(List.of(granted(2, 500)), 500),
                        new Stream(List.of(), 0)),
                1_000,
                NOW);

        assertThat(projection.perDay7()).isEqualTo(100, EXACTLY);
        assertThat(projection.end()).contains(in(10));
    }

    @Test
    void shouldProjectNothingWhenNothingWasUsedLately() {
        Projection projection = project(1_000, 10, granted(90, 500), granted(60, 500));

        assertThat(projection.end()).isEmpty();
        assertThat(projection.note()).isEqualTo("not used in 28 days");
    }

    @Test
    void shouldProjectNoDateInTheFarFuture() {
        Projection projection = project(Long.MAX_VALUE, 0, granted(3, 10_000));

        assertThat(projection.end()).isEmpty();
        assertThat(projection.note()).isEqualTo("past 100 years");
    }

    @Test
    void shouldReportTheEndWhenNothingIsLeft() {
        Projection projection = project(0, 50, granted(0.1, 100));

        assertThat(projection.end()).contains(NOW);
        assertThat(projection.daysLeft(NOW)).hasValue(0);
    }
}
