package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.DriverException;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.target.OpenTransactions;
import dev.cassidy.migration.target.Target;
import dev.cassidy.transaction.TransactionRecord;
import dev.cassidy.transaction.TransactionRecord.State;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "resolve",
        description =
                "Ends transactions as whoever meets their rows would: aborts a pending one, writes all rows of a committed"
                        + " one and removes its record, and releases the rows of an aborted one. It may be repeated.")
final class ResolveCommand implements Callable<Integer> {

    @Mixin
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    @Parameters(arity = "0..1", paramLabel = "ID", description = "The transaction's id.")
    private @Nullable UUID id;

    @Option(
            names = "--older",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "All that began longer ago, 30s, 5m or 1h.")
    private @Nullable Duration older;

    @Option(
            names = "--process-gone",
            description =
                    "Also removes the records of those that are aborted. States that the processes that began them have ended,"
                            + " and that nobody will ask how they ended: without a record the answer is committed.")
    private boolean processGone;

    private final Shell shell;

    ResolveCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        if ((id == null) == (older == null)) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    id == null
                            ? "give the ID of a transaction, or --older for all that are older"
                            : "give either an ID or --older");
        }
        ResolvedReport report;
        try (Target target = cassandra.open(shell)) {
            report = resolve(target.transactions());
        }
        output.write(shell, report);
        return report.exitCode();
    }

    private ResolvedReport resolve(OpenTransactions transactions) {
        List<ResolvedReport.Entry> entries = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        boolean read = true;
        UUID asked = id;
        if (asked != null) {
            Optional<TransactionRecord> found = TransactionStatusCommand.find(transactions, asked);
            found.ifPresent(record -> requireDecidedHere(transactions, record));
            entries.add(found.map(record -> resolve(transactions, record.home(), record.id(), record.state()))
                    .orElseGet(() -> none(asked)));
        } else {
            read = all(transactions, entries, notes);
        }
        boolean failed = !read || entries.stream().anyMatch(ResolvedReport.Entry::failed);
        boolean some = entries.stream().anyMatch(entry -> !entry.failed());
        ExitCode code = !failed ? ExitCode.OK : some ? ExitCode.PARTIAL : ExitCode.CASSANDRA;
        return new ResolvedReport("resolve", code.code(), entries, notes);
    }

    private static void requireDecidedHere(OpenTransactions transactions, TransactionRecord record) {
        if (!transactions.isDecidedHere(record.home())) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "transaction " + record.id() + " is " + record.state() + ", and its rows are written by nodes of "
                            + record.home() + ": run it with --local-dc " + record.home()
                            + " and --contact-points of that datacenter");
        }
    }

    /** Returns whether the transactions of all homes could be read. */
    private boolean all(OpenTransactions transactions, List<ResolvedReport.Entry> entries, List<String> notes) {
        boolean read = true;
        Instant now = shell.clock().instant();
        for (String home : transactions.homes()) {
            List<TransactionsReport.Entry> found;
            try {
                found = transactions.list(home).stream()
                        .map(each -> TransactionsReport.Entry.of(home, each, now))
                        .filter(entry -> ListTransactionsCommand.isOlder(entry, older))
                        .sorted(TransactionsReport.OLDEST_FIRST)
                        .toList();
            } catch (DriverException e) {
                notes.add(ListTransactionsCommand.unread(home, e));
                read = false;
                continue;
            }
            if (transactions.isDecidedHere(home)) {
                for (TransactionsReport.Entry each : found) {
                    MigrationException.throwIfInterrupted();
                    entries.add(resolve(transactions, home, UUID.fromString(each.id()), State.valueOf(each.state())));
                }
            } else if (!found.isEmpty()) {
                notes.add(found.size() + " of " + home
                        + " are resolved by nodes of that datacenter: run it with --local-dc " + home
                        + " and --contact-points there");
            }
        }
        return read;
    }

    private ResolvedReport.Entry resolve(OpenTransactions transactions, String home, UUID transaction, State found) {
        try {
            State outcome = transactions.resolve(home, transaction).orElse(null);
            boolean removed = outcome == State.ABORTED && processGone && transactions.forget(home, transaction);
            boolean left = !removed && transactions.find(home, transaction).isPresent();
            return entry(home, transaction, found, outcome, left);
        } catch (DriverException e) {
            // Others may be resolved.
            return new ResolvedReport.Entry(
                    transaction.toString(),
                    TransactionsReport.homeOf(home),
                    found.name(),
                    null,
                    true,
                    true,
                    "failed, run it again: " + e.getMessage());
        }
    }

    private ResolvedReport.Entry entry(
            String home, UUID transaction, State found, @Nullable State outcome, boolean left) {
        boolean failed = false;
        String message;
        if (outcome == State.COMMITTED) {
            failed = left;
            message = "committed: all its rows are written"
                    + (left ? ", and its record could not be removed: run it again" : ", and its record is removed");
        } else if (outcome == State.ABORTED) {
            failed = left && processGone;
            message = "aborted: nothing of it is written"
                    + (failed
                            ? ", and it is not known whether all its rows are released: run it again"
                            : left
                                    ? ". Its record stays for its process; --process-gone removes it"
                                    : ", and its record is removed");
        } else if (left) {
            failed = true;
            message = "not decided: it is not known whether it was aborted; run it again";
        } else {
            message = "its process has ended it meanwhile, and its record is removed";
        }
        return new ResolvedReport.Entry(
                transaction.toString(),
                TransactionsReport.homeOf(home),
                found.name(),
                outcome == null ? null : outcome.name(),
                left,
                failed,
                message);
    }

    private static ResolvedReport.Entry none(UUID transaction) {
        return new ResolvedReport.Entry(
                transaction.toString(),
                null,
                null,
                null,
                false,
                false,
                "nothing to do. " + TransactionReport.meaning(null, transaction.toString()));
    }
}
