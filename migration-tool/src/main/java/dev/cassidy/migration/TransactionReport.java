package dev.cassidy.migration;

import dev.cassidy.transaction.RowChange;
import dev.cassidy.transaction.TransactionRecord;
import dev.cassidy.transaction.TransactionRecord.State;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@code transactions status}.
 *
 * @param state null if there is no record
 * @param home the datacenter that decides; null if all do, and without a record
 * @param created by the clock of the process that began it; null without a record
 * @param ageSeconds by the clock of this machine; null without a record
 * @param holder the process that began it; null without a record
 * @param rows how many rows it writes or checks; null without a record
 * @param tables their tables
 * @param meaning what the state means
 */
record TransactionReport(
        String command,
        int exitCode,
        String id,
        @Nullable String state,
        @Nullable String home,
        @Nullable String created,
        @Nullable Long ageSeconds,
        @Nullable String holder,
        @Nullable Integer rows,
        List<Table> tables,
        String meaning)
        implements Report {

    /** A table, and how many of its rows a transaction writes or checks. */
    record Table(String table, int rows) {}

    TransactionReport {
        tables = List.copyOf(tables);
    }

    static TransactionReport of(int exitCode, TransactionRecord record, Instant now) {
        Map<String, Integer> rows = new TreeMap<>();
        for (RowChange row : record.changes()) {
            rows.merge(row.table().name(), 1, Integer::sum);
        }
        return new TransactionReport(
                "status",
                exitCode,
                record.id().toString(),
                record.state().name(),
                TransactionsReport.homeOf(record.home()),
                record.created().toString(),
                TransactionsReport.ageSeconds(record.created(), now),
                record.holder(),
                record.changes().size(),
                rows.entrySet().stream()
                        .map(each -> new Table(each.getKey(), each.getValue()))
                        .toList(),
                meaning(record.state(), record.id().toString()));
    }

    /** The result for an id without a record. */
    static TransactionReport none(int exitCode, String id) {
        return new TransactionReport(
                "status", exitCode, id, null, null, null, null, null, null, List.of(), meaning(null, id));
    }

    /** Says what a state means to those who were not told how the transaction ended. */
    static String meaning(@Nullable State state, String id) {
        if (state == null) {
            return "There is no record of it. If an error said that its outcome is not known, it is committed, and all its rows"
                    + " are written: a record is removed only then, or when its process has told its caller that it is"
                    + " rolled back, or by --process-gone.";
        }
        return switch (state) {
            case PENDING ->
                "That is no outcome: it may still be committed. Its process decides it, or whoever writes one of its rows,"
                        + " or now: cassidy transactions resolve " + id;
            case COMMITTED ->
                "Its values count. Rows that are not written yet are written by whoever meets one of them, or now: cassidy"
                        + " transactions resolve " + id;
            case ABORTED -> "Nothing of it was written, and nothing will be.";
        };
    }

    @Override
    public String text() {
        StringBuilder text =
                new StringBuilder("transaction " + id + ": " + (state == null ? "no record" : state) + "\n");
        if (state != null) {
            text.append("  home   ").append(TransactionsReport.homeText(home)).append('\n');
            text.append("  began  ")
                    .append(created)
                    .append(", ")
                    .append(TransactionsReport.ageText(ageSeconds))
                    .append(" ago, by ")
                    .append(holder)
                    .append('\n');
            text.append("  rows   ")
                    .append(tables.stream()
                            .map(each -> each.rows() + " of " + each.table())
                            .collect(Collectors.joining(", ")))
                    .append('\n');
        }
        return text.append(meaning).append('\n').toString();
    }
}
