package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.DriverException;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.target.OpenTransactions;
import dev.cassidy.migration.target.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "list",
        description =
                "Lists transactions of several partitions that are under way, or that a process left behind, the oldest"
                        + " first. Changes nothing.")
final class ListTransactionsCommand implements Callable<Integer> {

    /** What people call the home of tables whose writes all datacenters order. */
    static final String ALL = "all";

    @Mixin
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    @Option(
            names = "--home",
            paramLabel = "DC",
            description = "Those of tables at home in one datacenter only; 'all' for those of tables whose writes all"
                    + " datacenters order. Default: all of them.")
    private @Nullable String home;

    @Option(
            names = "--older",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "Only those that began longer ago, 30s, 5m or 1h; exit code 3 if there are any.")
    private @Nullable Duration older;

    private final Shell shell;

    ListTransactionsCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        TransactionsReport report;
        try (Target target = cassandra.open(shell)) {
            report = list(target.transactions());
        }
        output.write(shell, report);
        return report.exitCode();
    }

    private TransactionsReport list(OpenTransactions transactions) {
        List<TransactionsReport.Entry> entries = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        Instant now = shell.clock().instant();
        for (String each : homes(transactions)) {
            try {
                transactions.list(each).stream()
                        .map(found -> TransactionsReport.Entry.of(each, found, now))
                        .filter(entry -> isOlder(entry, older))
                        .forEach(entries::add);
            } catch (DriverException e) {
                notes.add(unread(each, e));
            }
        }
        entries.sort(TransactionsReport.OLDEST_FIRST);
        ExitCode code = older != null && !entries.isEmpty() ? ExitCode.UNDECIDED : ExitCode.OK;
        // What was not read may be anything.
        return new TransactionsReport("list", (notes.isEmpty() ? code : ExitCode.CASSANDRA).code(), entries, notes);
    }

    /** Whether a transaction began longer ago; also one of which it is not known. */
    static boolean isOlder(TransactionsReport.Entry entry, @Nullable Duration older) {
        Long age = entry.ageSeconds();
        return older == null || age == null || age >= older.toSeconds();
    }

    /** Says that the transactions of a home are not known. */
    static String unread(String home, DriverException cause) {
        return "the transactions of " + TransactionsReport.homeText(TransactionsReport.homeOf(home))
                + " could not be read: " + cause.getMessage();
    }

    private List<String> homes(OpenTransactions transactions) {
        if (home == null) {
            return transactions.homes();
        }
        String wanted = home.equals(ALL) ? OpenTransactions.EVERYWHERE : home;
        if (!transactions.homes().contains(wanted)) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "must be "
                            + transactions.homes().stream()
                                    .map(each -> TransactionsReport.homeText(TransactionsReport.homeOf(each)))
                                    .collect(Collectors.joining(" or "))
                            + ": --home " + home);
        }
        return List.of(wanted);
    }
}
