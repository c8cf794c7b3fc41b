package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.sequence.cassandra.Sequences;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "move",
        description =
                "Gives a table to another installation of Cassidy on the cluster, with its identity, defaults, write"
                        + " mode and columns. Neither installation writes to the table meanwhile. Shows what would be moved and"
                        + " asks; a command that has failed is repeated.")
final class MoveCommand implements Callable<Integer> {

    @Mixin
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    @Option(names = "--keyspace", paramLabel = "NAME", description = "The table's keyspace, if --table names none.")
    private @Nullable String keyspace;

    @Option(
            names = "--table",
            required = true,
            paramLabel = "NAME",
            description = "[keyspace.]table in Cassandra; in double quotes where case matters.")
    private String table = "";

    @Option(
            names = "--to",
            required = true,
            paramLabel = "NAME",
            description = "The global keyspace of the installation that gets the table; --global-keyspace names the one"
                    + " that has it.")
    private String to = "";

    @Option(names = "--yes", description = "Does not ask.")
    private boolean yes;

    private final Shell shell;

    MoveCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        TargetTable target =
                TargetTable.parse(table, keyspace == null ? null : TargetTable.keyspace(keyspace), "", "--table");
        try (Target opened = cassandra.open(shell);
                Sequences other = cassandra.openOther(opened, to)) {
            opened.requireOfApplication(target);
            output.write(shell, move(opened.sequences(), other, target));
        }
        return ExitCode.OK.code();
    }

    private MoveReport move(Sequences from, Sequences other, TargetTable target) {
        TableMove move = TableMove.of(from, other, target.keyspace(), target.table(), shell::progress);
        if (!move.isComplete()) {
            move.shown().forEach(shell::progress);
            shell.confirm(
                    yes,
                    (move.isBegun() ? "Continue to move " : "Move ") + target.sequence() + "?",
                    "read what is shown above");
        }
        List<MoveReport.Sequence> sequences = move.isComplete() ? List.of() : move.run();
        return new MoveReport(
                "move",
                ExitCode.OK.code(),
                target.keyspace(),
                target.table(),
                move.kind().toString(),
                from.config().globalKeyspace(),
                other.config().globalKeyspace(),
                sequences,
                move.isComplete() ? "unchanged" : "moved");
    }
}
