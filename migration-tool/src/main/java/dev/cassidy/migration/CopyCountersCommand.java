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
        name = "copy",
        description =
                "Copies the totals of actors that another program writes, out of a table whose numbers have 32 bits, into"
                        + " one of Cassidy's counters, which is created if it is not there. The other program may go on"
                        + " meanwhile. May be repeated; run it once more when the other program has ended.")
final class CopyCountersCommand implements Callable<Integer> {

    @Mixin
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    @Option(
            names = "--from",
            required = true,
            paramLabel = "KEYSPACE.TABLE",
            description = "The table of the other program: primary key (type, actor), or (type, actor, version).")
    private String from = "";

    @Option(
            names = "--table",
            required = true,
            paramLabel = "KEYSPACE.TABLE",
            description = "The table of counters; in double quotes where case matters.")
    private String table = "";

    @Option(names = "--kind", required = true, paramLabel = "KIND", description = "CUMULATIVE or VERSIONED.")
    private CounterKind kind = CounterKind.FOLDED;

    private final Shell shell;

    CopyCountersCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        CountersConfig config = config();
        long totals;
        try (CqlSession session = cassandra.connect(shell)) {
            Counters.create(session, config);
            totals = Counters.copyTotals(session, from, config);
        } catch (CounterException e) {
            throw new MigrationException(
                    e instanceof CounterException.Unavailable ? ExitCode.CASSANDRA : ExitCode.REFUSED,
                    String.valueOf(e.getMessage()),
                    e);
        }
        output.write(shell, new Report.CopiedCounters("copy", ExitCode.OK.code(), from, table, kind.name(), totals));
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
