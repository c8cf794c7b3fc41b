package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.plan.Expectations;
import dev.cassidy.migration.plan.Fences;
import dev.cassidy.migration.plan.Leases;
import dev.cassidy.migration.plan.PlannedTable;
import dev.cassidy.migration.plan.Planner;
import dev.cassidy.migration.plan.Probe;
import dev.cassidy.migration.plan.Selection;
import dev.cassidy.migration.plan.TableReport;
import dev.cassidy.migration.source.Reading;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceColumn;
import dev.cassidy.migration.target.Target;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "verify",
        description = "Compares the source with Cassandra: no id that the source used may be issued again. Changes"
                + " nothing, but --probe uses up ids.")
final class VerifyCommand implements Callable<Integer> {

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

    @Mixin
    private final CopiedRows copied = new CopiedRows();

    @Option(
            names = "--require-fence",
            description = "The source still inserts: exit code 3 also for a column that has no fence.")
    private boolean requireFence;

    @Option(
            names = "--probe",
            description =
                    "Draws one id of each sequence that is in order, as an application in this datacenter would. The id"
                            + " is used up. Exit code 3 if none can be drawn, or if the source used it.")
    private boolean probe;

    private final Shell shell;

    VerifyCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        // An empty table holds no id that could collide; seeding asks whether it was right to accept it.
        Selection selection = tables.selection(true).withMaxScan(reading.limit());
        Expectations expectations = reading.expectations();
        report.prepare();
        try (Source opened = source.open(shell);
                Target target = cassandra.open(shell)) {
            List<TableReport> reports = new ArrayList<>();
            boolean ok = true;
            List<Reading> readings = Fences.read(opened, selection, false);
            Map<SourceColumn, Finding> unfenced = Fences.missing(
                    opened, readings.stream().map(Reading::column).toList(), requireFence);
            List<PlannedTable> plan = new Planner(selection, target, cassandra.parallelism()).plan(readings);
            Map<PlannedTable, Finding> held = Leases.held(target, plan, cassandra.parallelism());
            expectations.require(plan);
            Map<PlannedTable, List<Finding>> more = new LinkedHashMap<>();
            Map<PlannedTable, String> results = new LinkedHashMap<>();
            for (PlannedTable table : plan) {
                List<Finding> findings = new ArrayList<>();
                String result = worse(
                        result(table), "unfenced", unfenced.get(table.reading().column()), findings);
                results.put(table, worse(result, "held", held.get(table), findings));
                more.put(table, findings);
            }
            // What is not in order is not used up as well.
            Map<PlannedTable, Probe> probes = probe
                    ? Probe.draw(
                            target,
                            plan.stream()
                                    .filter(table -> "ok".equals(results.get(table)))
                                    .toList(),
                            cassandra.parallelism())
                    : Map.of();
            for (PlannedTable table : plan) {
                List<Finding> findings = more.getOrDefault(table, List.of());
                String result = results.getOrDefault(table, "refused");
                Probe drawn = probes.get(table);
                if (drawn != null) {
                    findings.add(drawn.finding());
                    if (drawn.finding().level() == Finding.Level.RISK) {
                        result = drawn.id() == null ? "not_issued" : "collision";
                    }
                }
                ok &= result.equals("ok");
                reports.add(TableReport.of(table.with(findings), result, drawn == null ? null : drawn.id()));
            }
            List<CopiedRows.Row> rows = copied.check(shell, opened, target);
            ExitCode code = ok && !copied.fails(rows) ? ExitCode.OK : ExitCode.RISK;
            Report.Tables result =
                    new Report.Tables("verify", code.code(), source.url().toString(), reports, rows);
            report.write(
                    result,
                    new RunFacts(shell, result.source())
                            .add("Cassandra", cassandra.text())
                            .list());
            output.write(shell, result);
            return code.code();
        }
    }

    private static String worse(String result, String other, @Nullable Finding finding, List<Finding> findings) {
        if (finding == null) {
            return result;
        }
        findings.add(finding);
        return result.equals("ok") ? other : result;
    }

    private static String result(PlannedTable table) {
        if (table.has(Finding.Level.REFUSED)) {
            return "refused";
        }
        if (table.has(Finding.Level.RISK)) {
            return "collision";
        }
        return switch (table.action()) {
            case CREATE -> "missing";
            case SEED -> "unready";
            case RAISE -> "behind";
            case REGISTER -> "unregistered";
            default -> "ok";
        };
    }
}
