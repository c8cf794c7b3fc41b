package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.plan.Seeder;
import dev.cassidy.migration.plan.Selection;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.target.Target;
import java.util.concurrent.Callable;
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
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    @Option(
            names = "--offline",
            description = "The source has stopped: nothing inserts there any more. It is read twice before the first"
                    + " write, and once after the last; it must not have changed.")
    private boolean offline;

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
        if (!offline) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "seed needs --offline: while the source still inserts, it would go on to use the ids that Cassandra"
                            + " issues. Stop its writers, then run seed --offline");
        }
        Selection selection = tables.selection(acceptEmpty);
        try (Source opened = source.open(shell);
                Target target = cassandra.open(shell)) {
            Seeder.Result result = new Seeder(selection, opened, target, shell::progress, this::confirm).seed(dryRun);
            output.write(
                    shell,
                    new Report.Tables(
                            "seed", result.exitCode().code(), source.url().toString(), result.tables()));
            return result.exitCode().code();
        }
    }

    private void confirm(long changes) {
        shell.confirm(yes, "Seed " + changes + " sequences?", "seed");
    }
}
