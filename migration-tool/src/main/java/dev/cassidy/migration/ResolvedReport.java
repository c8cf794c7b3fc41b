package dev.cassidy.migration;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@code transactions resolve}.
 *
 * @param transactions in the order in which they were resolved
 * @param notes what was left out
 */
record ResolvedReport(String command, int exitCode, List<Entry> transactions, List<String> notes) implements Report {

    /**
     * A transaction.
     *
     * @param home the datacenter that decides; null if all do, or if there is no record
     * @param found the state in which it was found; null if there is no record
     * @param outcome {@code COMMITTED} or {@code ABORTED}; null if that is not known, and without a record
     * @param recordLeft whether there is still a record of it
     * @param failed whether something is left to be done: the command is run again
     * @param message what was done, or why it was not
     */
    record Entry(
            String id,
            @Nullable String home,
            @Nullable String found,
            @Nullable String outcome,
            boolean recordLeft,
            boolean failed,
            String message) {}

    ResolvedReport {
        transactions = List.copyOf(transactions);
        notes = List.copyOf(notes);
    }

    @Override
    public String text() {
        String entries = transactions.stream()
                .map(each -> each.id() + ": "
                        + (each.found() == null ? "" : "was " + each.found().toLowerCase(Locale.ROOT) + "; ")
                        + each.message() + "\n")
                .collect(Collectors.joining());
        long failed = transactions.stream().filter(Entry::failed).count();
        return entries
                + (transactions.size() - failed) + " resolved" + (failed > 0 ? ", " + failed + " not" : "") + "\n"
                + notes.stream().map(note -> "note: " + note + "\n").collect(Collectors.joining());
    }
}
