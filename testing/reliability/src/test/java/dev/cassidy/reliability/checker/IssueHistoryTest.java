package dev.cassidy.reliability.checker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.reliability.checker.IssueHistory.Gap;
import org.junit.jupiter.api.Test;

class IssueHistoryTest {

    private final IssueHistory history = new IssueHistory(1, 1, 100);

    @Test
    void shouldFindNothingWrongWithDistinctIds() {
        history.issued("one", 1);
        history.issued("two", 2);
        history.issued("one", 3);

        assertThat(history.violations()).isEmpty();
        assertThat(history.distinct()).isEqualTo(3);
    }

    @Test
    void shouldNameBothIssuersOfAnId() {
        history.issued("one", 7);
        history.issued("two", 7);

        assertThat(history.violations()).singleElement().asString().contains("7", "one", "two");
    }

    @Test
    void shouldFindAnIdOutsideItsBounds() {
        history.issued("one", 101);

        assertThat(history.violations()).singleElement().asString().contains("101");
    }

    @Test
    void shouldFindAnIdOffTheGrid() {
        IssueHistory byFive = new IssueHistory(0, -5, -100);
        byFive.issued("one", -7);

        assertThat(byFive.violations()).singleElement().asString().contains("-7");
    }

    @Test
    void shouldFindAnIdThatGoesBackWithinItsProcess() {
        history.issued("one", 5);
        history.issued("two", 3);
        history.issued("one", 4);

        assertThat(history.violations()).singleElement().asString().contains("4 follows 5");
    }

    @Test
    void shouldFindAnIdBelowAnAcknowledgedReseed() {
        history.issued("one", 5);
        history.reseeded(50);
        history.issued("two", 49);

        assertThat(history.violations()).singleElement().asString().contains("49", "50");
    }

    /** A page has the bits of 4,096 positions. */
    @Test
    void shouldFindTheGapsBetweenRunsWithinAPageAndAcrossPages() {
        IssueHistory runs = new IssueHistory(0, 1, 100_000);
        runs.issued("one", 10, 1, 5);
        runs.issued("one", 20, 1, 5_000);
        runs.issued("one", 8_192);

        assertThat(runs.gapsWithin(0, 9_000))
                .containsExactly(new Gap(0, 10), new Gap(15, 20), new Gap(5_020, 8_192), new Gap(8_193, 9_000));
        assertThat(runs.gapsWithin(12, 22)).containsExactly(new Gap(15, 20));
        assertThat(runs.gapsWithin(20, 5_020)).isEmpty();
        assertThat(runs.gapsWithin(13, 14)).isEmpty();
    }
}
