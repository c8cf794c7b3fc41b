package dev.cassidy.migration;

import dev.cassidy.migration.target.OpenTransactions;
import dev.cassidy.transaction.cassandra.TransactionSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@code transactions list}.
 *
 * @param transactions the oldest first
 * @param notes which homes did not answer
 */
record TransactionsReport(String command, int exitCode, List<Entry> transactions, List<String> notes)
        implements Report {

    /** The oldest first; one whose age is not known may be the oldest. */
    static final Comparator<Entry> OLDEST_FIRST = Comparator.comparing(
                    Entry::created, Comparator.nullsFirst(Comparator.comparing(Instant::parse)))
            .thenComparing(Entry::id);

    /**
     * A record.
     *
     * @param home the datacenter that decides; null if all do
     * @param created by the clock of the process that began it; null if that is not recorded
     * @param ageSeconds by the clock of this machine; null if it is not known when it began
     * @param holder the process that began it
     * @param rows how many rows it writes
     */
    record Entry(
            String id,
            @Nullable String home,
            String state,
            @Nullable String created,
            @Nullable Long ageSeconds,
            @Nullable String holder,
            int rows) {

        static Entry of(String home, TransactionSummary found, Instant now) {
            Instant created = found.created();
            return new Entry(
                    found.id().toString(),
                    homeOf(home),
                    found.state().name(),
                    created == null ? null : created.toString(),
                    created == null ? null : TransactionsReport.ageSeconds(created, now),
                    found.holder(),
                    found.rows());
        }
    }

    TransactionsReport {
        transactions = List.copyOf(transactions);
        notes = List.copyOf(notes);
    }

    /** Returns a home as results have it. */
    static @Nullable String homeOf(String home) {
        return home.equals(OpenTransactions.EVERYWHERE) ? null : home;
    }

    /** Returns a home for people. */
    static String homeText(@Nullable String home) {
        return home == null ? ListTransactionsCommand.ALL : home;
    }

    /** Clocks differ: a transaction that began in the future is new. */
    static long ageSeconds(Instant created, Instant now) {
        return Math.max(0, Duration.between(created, now).toSeconds());
    }

    static String ageText(@Nullable Long seconds) {
        if (seconds == null) {
            return "-";
        }
        Duration age = Duration.ofSeconds(seconds);
        if (age.toDays() > 1) {
            return age.toDays() + "d";
        }
        return age.toHours() > 1
                ? age.toHours() + "h"
                : age.toMinutes() > 1 ? age.toMinutes() + "m" : age.toSeconds() + "s";
    }

    @Override
    public String text() {
        StringBuilder text = new StringBuilder(transactions.isEmpty() ? "" : TextTable.of(this));
        long pending = transactions.stream()
                .filter(each -> each.state().equals("PENDING"))
                .count();
        text.append(transactions.size())
                .append(transactions.size() == 1 ? " transaction" : " transactions")
                .append(transactions.isEmpty() ? "" : ", " + pending + " of them pending")
                .append('\n');
        return text + notes.stream().map(note -> "note: " + note + "\n").collect(Collectors.joining());
    }
}
