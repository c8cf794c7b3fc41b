package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.plan.Expectations;
import dev.cassidy.migration.plan.Fences;
import dev.cassidy.migration.plan.PlanFile;
import dev.cassidy.migration.plan.PlannedTable;
import dev.cassidy.migration.plan.Planner;
import dev.cassidy.migration.plan.Selection;
import dev.cassidy.migration.plan.TableReport;
import dev.cassidy.migration.source.Reading;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceColumn;
import dev.cassidy.migration.target.Target;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "plan", description = "Shows where each sequence would continue, and why. Changes nothing.")
final class PlanCommand implements Callable<Integer> {

    @Mixin
    private final SourceOptions source = new SourceOptions();

    @Mixin
    private final TableOptions tables = new TableOptions();

    @Mixin
    private final ReadOptions reading = new ReadOptions();

    @Mixin
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    @Mixin
    private final ReportOption report = new ReportOption();

    @Option(
            names = "--plan",
            paramLabel = "FILE",
            description = "Writes the plan to a file, which has a hash, for cassidy migrate seed --plan. An existing"
                    + " file is replaced.")
    private @Nullable Path file;

    @Option(names = "--accept-empty", description = "Takes empty tables as never used: they start at their seed.")
    private boolean acceptEmpty;

    @Option(
            names = "--sample",
            paramLabel = "TIME",
            converter = Durations.class,
            description =
                    "Measures the use of ids for this long: 60s, 5m. Shows it for an hour, and how long the ids of"
                            + " Cassandra would last. Reads only the catalogue.")
    private @Nullable Duration sample;

    @Option(
            names = "--detailed-exitcode",
            description = "Exit code 10 when seed would change something, or when Cassandra was not asked.")
    private boolean detailedExitCode;

    private final Shell shell;

    PlanCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        Selection selection = tables.selection(acceptEmpty).withMaxScan(reading.limit());
        Expectations expectations = reading.expectations();
        report.prepare();
        try (Source opened = source.open(shell);
                Target target = cassandra.given() ? cassandra.open(shell) : null) {
            return plan(selection, expectations, opened, target);
        }
    }

    private Integer plan(Selection selection, Expectations expectations, Source opened, @Nullable Target target) {
        if (target == null) {
            shell.progress("Cassandra is not asked: no --contact-points");
        } else {
            target.missing()
                    .ifPresent(why -> shell.progress("Cassidy's keyspaces are missing: " + why.problem()
                            + ". Run cassidy init before cassidy migrate seed"));
        }
        UnaryOperator<List<PlannedTable>> sampled = sample(opened);
        List<Reading> readings = Fences.read(opened, selection, false);
        List<PlannedTable> found =
                sampled.apply(new Planner(selection, target, cassandra.parallelism()).plan(readings));
        Expectations.Differences differences = expectations.differences(found);
        List<PlannedTable> plan = differences.refusedIn(found);
        ExitCode code = differences.isEmpty() ? exitCode(plan) : ExitCode.REFUSED;
        List<Finding> whole = new ArrayList<>(differences.whole());
        whole.addAll(opened.findings(readings.stream().map(Reading::column).toList()));
        Report.Tables result = new Report.Tables(
                "plan",
                code.code(),
                source.url().toString(),
                plan.stream().map(table -> TableReport.of(table, null)).toList(),
                List.of(),
                whole.stream().map(TableReport.FindingReport::of).toList());
        if (file != null && !differences.isEmpty()) {
            shell.progress("no plan is written to " + file + ", because the source is not as expected");
        }
        String hash = differences.isEmpty() ? write(selection, result.tables()) : null;
        report.write(
                result,
                new RunFacts(shell, result.source())
                        .add("Cassandra", cassandra.text())
                        .add("plan", hash)
                        .list());
        output.write(shell, result);
        return code.code();
    }

    /** Measures, and returns what adds the measurement to a plan; nothing without {@code --sample}. */
    private UnaryOperator<List<PlannedTable>> sample(Source opened) {
        Duration time = sample;
        if (time == null) {
            return plan -> plan;
        }
        Map<SourceColumn, Optional<BigInteger>> before = opened.lastValues();
        shell.measure(time);
        Map<SourceColumn, Optional<BigInteger>> after = opened.lastValues();
        return plan ->
                plan.stream().map(table -> table.sampled(before, after, time)).toList();
    }

    /** Writes the plan's file and returns its hash; null without {@code --plan}. */
    private @Nullable String write(Selection selection, List<TableReport> planned) {
        if (file == null) {
            return null;
        }
        PlanFile written = PlanFile.of(
                shell.clock().instant().toString(),
                MigrationTool.version(),
                source.url().toString(),
                selection,
                planned);
        written.write(file);
        shell.progress("plan " + file + " has the hash " + written.hash());
        return written.hash();
    }

    private ExitCode exitCode(List<PlannedTable> plan) {
        if (plan.stream().anyMatch(table -> table.has(Finding.Level.REFUSED))) {
            return ExitCode.REFUSED;
        }
        if (plan.stream().anyMatch(table -> table.has(Finding.Level.RISK))) {
            return ExitCode.RISK;
        }
        return detailedExitCode && plan.stream().anyMatch(PlannedTable::pending) ? ExitCode.PENDING : ExitCode.OK;
    }
}
