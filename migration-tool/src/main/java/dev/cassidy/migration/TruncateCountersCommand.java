package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.counter.CounterException;
import dev.cassidy.counter.CounterKind;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "truncate",
        description =
                "Empties a table of counters: all of them are 0 again, and nothing that was counted before comes back."
                        + " Processes may have the table open; what they count after this counts. All nodes must be up. May"
                        + " be repeated; if it fails, it must be, because counters are refused until it has succeeded.")
final class TruncateCountersCommand implements Callable<Integer> {

    @Mixin
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    @Option(
            names = "--table",
            required = true,
            paramLabel = "KEYSPACE.TABLE",
            description = "The table of counters; in double quotes where case matters.")
    private String table = "";

    @Option(names = "--kind", required = true, paramLabel = "KIND", description = "One of ${COMPLETION-CANDIDATES}.")
    private CounterKind kind = CounterKind.FOLDED;

    @Option(names = "--yes", description = "Does not ask before it empties the table.")
    private boolean yes;

    private final Shell shell;

    TruncateCountersCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        CountersConfig config = config();
        shell.confirm(yes, "Delete all counts of " + table + "?", "give --yes");
        try (CqlSession session = cassandra.connect(shell)) {
            Counters.truncate(session, config);
        } catch (CounterException e) {
            throw new MigrationException(
                    e instanceof CounterException.Unavailable ? ExitCode.CASSANDRA : ExitCode.REFUSED,
                    String.valueOf(e.getMessage()),
                    e);
        }
        output.write(shell, new Report.EmptiedCounters("truncate", ExitCode.OK.code(), table, kind.name()));
        return ExitCode.OK.code();
    }

    private CountersConfig config() {
        try {
            return CountersConfig.of(table)
                    .withKind(kind)
                    .withGlobalKeyspace(cassandra.config().globalKeyspace())
                    .withServerChecks(cassandra.config().serverChecks())
                    .withRequestTimeout(Duration.ofSeconds(30));
        } catch (IllegalArgumentException e) {
            throw new MigrationException(ExitCode.USAGE, "--table " + e.getMessage(), e);
        }
    }
}
