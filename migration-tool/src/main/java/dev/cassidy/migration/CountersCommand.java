package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.counter.CounterException;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "counters",
        description = "Moves the values of Cassandra's native counters into a table of Cassidy's counters. The native"
                + " table stays as it is. May be repeated.")
final class CountersCommand implements Callable<Integer> {

    @Mixin
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    @Option(
            names = "--from",
            required = true,
            paramLabel = "KEYSPACE.TABLE",
            description =
                    "The table of native counters. A counter's name is its primary key; several columns are joined"
                            + " by '/'.")
    private String from = "";

    @Option(names = "--column", paramLabel = "NAME", description = "The counter column. Default: the table's only one.")
    private @Nullable String column;

    @Option(
            names = "--to",
            required = true,
            paramLabel = "KEYSPACE.TABLE",
            description = "The table of Cassidy's counters; it must exist, see docs/counters.md.")
    private String to = "";

    @Option(
            names = "--offline",
            description = "Nothing increments the native counters any more. They are read twice before the first write,"
                    + " and once after the last; they must not have changed.")
    private boolean offline;

    @Option(names = "--dry-run", description = "Reads the native counters and writes nothing.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Does not ask before it writes.")
    private boolean yes;

    private final Shell shell;

    CountersCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        if (!offline) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "cassidy migrate counters needs --offline: what is added to a native counter after it was"
                            + " read would be lost, or"
                            + " counted twice. Stop its writers, then run cassidy migrate counters --offline");
        }
        try (CqlSession session = cassandra.connect(shell);
                Counters counters = Counters.open(session, config())) {
            NativeCounters source = NativeCounters.of(session, from, column);
            CounterMover.Result result =
                    new CounterMover(source, counters, shell::progress, this::confirm).move(dryRun);
            output.write(
                    shell,
                    new Report.MovedCounters(
                            "counters",
                            result.exitCode().code(),
                            source.name(),
                            to,
                            result.counters(),
                            result.total(),
                            result.moved(),
                            result.findings()));
            return result.exitCode().code();
        } catch (CounterException e) {
            throw new MigrationException(
                    e instanceof CounterException.Unavailable ? ExitCode.CASSANDRA : ExitCode.REFUSED,
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    private CountersConfig config() {
        try {
            return CountersConfig.of(to)
                    .withGlobalKeyspace(cassandra.config().globalKeyspace())
                    .withServerChecks(cassandra.config().serverChecks())
                    .withRequestTimeout(Duration.ofSeconds(30));
        } catch (IllegalArgumentException e) {
            throw new MigrationException(ExitCode.USAGE, "--to " + e.getMessage(), e);
        }
    }

    private void confirm(long counters) {
        shell.confirm(yes, "Move " + counters + " counters?", "run cassidy migrate counters --dry-run first");
    }
}
