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
        name = "adopt",
        description =
                "Declares of which kind the counters of a table are that was made by CQL. Reads its columns, and its"
                        + " rows if they could be of another kind. What no row tells, you must know: whether numbers that another"
                        + " program wrote are increments (FOLDED) or totals (VERSIONED). May be repeated.")
final class AdoptCountersCommand implements Callable<Integer> {

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

    private final Shell shell;

    AdoptCountersCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        CountersConfig config = config();
        try (CqlSession session = cassandra.connect(shell)) {
            Counters.adopt(session, config);
        } catch (CounterException e) {
            throw new MigrationException(
                    e instanceof CounterException.Unavailable ? ExitCode.CASSANDRA : ExitCode.REFUSED,
                    String.valueOf(e.getMessage()),
                    e);
        }
        output.write(shell, new Report.AdoptedCounters("adopt", ExitCode.OK.code(), table, kind.name()));
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
