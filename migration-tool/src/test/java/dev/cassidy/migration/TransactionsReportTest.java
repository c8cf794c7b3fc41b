package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.transaction.TransactionRecord.State;
import dev.cassidy.transaction.cassandra.TransactionSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TransactionsReportTest {

    private static final Instant NOW = Instant.parse("2026-12-01T02:00:00Z");

    private static TransactionsReport.Entry entry(String home, int id, State state, Instant created) {
        return TransactionsReport.Entry.of(
                home, new TransactionSummary(new UUID(0, id), state, "7@web/a", created, 3), NOW);
    }

    @ParameterizedTest
    @CsvSource({"0, 0s", "119, 119s", "120, 2m", "7199, 119m", "7200, 2h", "172799, 47h", "172800, 2d"})
    void shouldTellAnAgeInOneUnit(long seconds, String text) {
        assertThat(TransactionsReport.ageText(seconds)).isEqualTo(text);
    }

    @Test
    void shouldListTheOldestFirst() {
        List<TransactionsReport.Entry> sorted = Stream.of(
                        entry("dc1", 1, State.PENDING, NOW.minusSeconds(5)),
                        entry("", 2, State.COMMITTED, NOW.minus(Duration.ofHours(3))),
                        // By a clock that is ahead of this one.
                        entry("dc2", 3, State.ABORTED, NOW.plusSeconds(60)),
                        entry("dc2", 4, State.PENDING, null))
                .sorted(TransactionsReport.OLDEST_FIRST)
                .toList();

        assertThat(new TransactionsReport("list", 7, sorted, List.of("the transactions of dc3 could not be read: x"))
                        .text())
                .isEqualTo("""
                        id                                    home  state      age  rows  holder
                        00000000-0000-0000-0000-000000000004  dc2   PENDING      -     3  7@web/a
                        00000000-0000-0000-0000-000000000002  all   COMMITTED   3h     3  7@web/a
                        00000000-0000-0000-0000-000000000001  dc1   PENDING     5s     3  7@web/a
                        00000000-0000-0000-0000-000000000003  dc2   ABORTED     0s     3  7@web/a
                        4 transactions, 2 of them pending
                        note: the transactions of dc3 could not be read: x
                        """);
    }

    /** Times with and without fractions of a second are not in the order of their texts. */
    @Test
    void shouldCompareTimesAndNotTexts() {
        assertThat(Stream.of(
                                entry("dc1", 1, State.PENDING, Instant.parse("2026-12-01T01:00:00.500Z")),
                                entry("dc1", 2, State.PENDING, Instant.parse("2026-12-01T01:00:00Z")))
                        .sorted(TransactionsReport.OLDEST_FIRST)
                        .map(TransactionsReport.Entry::id))
                .first()
                .isEqualTo(new UUID(0, 2).toString());
    }

    @Test
    void shouldTakeATransactionOfUnknownAgeForOld() {
        assertThat(ListTransactionsCommand.isOlder(entry("dc1", 1, State.PENDING, null), Duration.ofHours(1)))
                .isTrue();
        assertThat(ListTransactionsCommand.isOlder(
                        entry("dc1", 1, State.PENDING, NOW.minusSeconds(59)), Duration.ofMinutes(1)))
                .isFalse();
        assertThat(ListTransactionsCommand.isOlder(
                        entry("dc1", 1, State.PENDING, NOW.minusSeconds(60)), Duration.ofMinutes(1)))
                .isTrue();
    }
}
