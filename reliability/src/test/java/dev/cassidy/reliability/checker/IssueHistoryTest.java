package dev.cassidy.reliability.checker;

import static org.assertj.core.api.Assertions.assertThat;

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
    void shouldFindAnIdFromBeforeAnAcknowledgedReseed() {
        history.issued("one", 5);
        history.reseeded(50);
        history.issued("two", 49);

        assertThat(history.violations()).singleElement().asString().contains("49", "50");
    }
}
