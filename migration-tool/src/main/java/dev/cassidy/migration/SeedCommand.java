package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.plan.Expectations;
import dev.cassidy.migration.plan.Fences;
import dev.cassidy.migration.plan.PlanFile;
import dev.cassidy.migration.plan.PlannedTable;
import dev.cassidy.migration.plan.Seeder;
import dev.cassidy.migration.plan.Selection;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.target.Target;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "seed",
        description = "Creates and raises the sequences, so that Cassandra continues where the source stopped. Never"
                + " lowers one. May be repeated, and two may run at the same time.")
final class SeedCommand implements Callable<Integer> {

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
    private final PlanOption planned = new PlanOption();

    @Mixin
    private final ReportOption report = new ReportOption();

    @Option(
            names = "--offline",
            description = "The source has stopped: nothing inserts there any more. It is read twice before the first"
                    + " write, and once after the last; it must not have changed. Without this option every column"
                    + " needs a fence.")
    private boolean offline;

    @Option(
            names = "--require-fence",
            description = "Every column must have a fence, see cassidy migrate fence. Always so without --offline.")
    private boolean requireFence;

    @Option(names = "--accept-empty", description = "Takes empty tables as never used: they start at their seed.")
    private boolean acceptEmpty;

    @Option(names = "--dry-run", description = "Shows what would be done and writes nothing.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Does not ask before it writes.")
    private boolean yes;

    private final Shell shell;

    SeedCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        PlanFile plan = planned.read().orElse(null);
        if (plan != null) {
            tables.requireNone(acceptEmpty);
            reading.requireNoLimit();
            plan.requireSource(source.url());
        }
        Selection selection = plan == null
                ? tables.selection(acceptEmpty).withMaxScan(reading.limit())
                : plan.choice().selection();
        Expectations expectations = reading.expectations();
        boolean fenced = requireFence || !offline;
        report.prepare();
        try (Source opened = source.open(shell)) {
            if (fenced) {
                // Before Cassandra is asked: what is missing here is missing anyway.
                Fences.read(opened, selection, true);
            }
            try (Target target = cassandra.open(shell)) {
                return seed(plan, selection, expectations, opened, target, fenced);
            }
        }
    }

    private int seed(
            @Nullable PlanFile plan,
            Selection selection,
            Expectations expectations,
            Source opened,
            Target target,
            boolean fenced) {
        String hash = plan == null ? null : plan.hash();
        Runs runs = new Runs(shell, target, "seed", source.url().toString(), hash);
        Seeder seeder = new Seeder(
                selection,
                opened,
                target,
                fenced,
                shell::progress,
                changes -> confirm(changes, runs),
                cassandra.parallelism());
        Seeder.Result seeded = runs.record(() -> seeder.seed(dryRun, now -> {
            expectations.require(now);
            requireAgreed(plan, now);
        }));
        Report.Tables result =
                new Report.Tables("seed", seeded.exitCode().code(), source.url().toString(), seeded.tables());
        report.write(
                result,
                new RunFacts(shell, result.source())
                        .add("Cassandra", cassandra.text())
                        .add("plan", hash)
                        .list());
        output.write(shell, result);
        return result.exitCode();
    }

    private static void requireAgreed(@Nullable PlanFile plan, List<PlannedTable> now) {
        List<String> differences = plan == null ? List.of() : plan.differences(now);
        if (!differences.isEmpty()) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "the source has changed since the plan was made; nothing was written. Make the plan again: "
                            + String.join("; ", differences));
        }
    }

    private void confirm(long changes, Runs runs) {
        shell.confirm(yes, "Seed " + changes + " sequences?", "run cassidy migrate seed --dry-run first");
        runs.begin(changes);
    }
}
