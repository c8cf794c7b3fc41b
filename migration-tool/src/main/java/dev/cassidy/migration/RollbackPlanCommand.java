package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.plan.PlannedTable;
import dev.cassidy.migration.plan.Planner;
import dev.cassidy.migration.plan.Selection;
import dev.cassidy.migration.plan.WayBack;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceColumn;
import dev.cassidy.migration.target.Target;
import dev.cassidy.sequence.cassandra.Holder;
import dev.cassidy.sequence.cassandra.SequenceState;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "rollback-plan",
        description = "Prints the statements that make the old database continue after Cassandra: its identities are"
                + " reseeded past every id that Cassandra may have issued. Changes nothing.")
final class RollbackPlanCommand implements Callable<Integer> {

    @Mixin
    private final SourceOptions source = new SourceOptions();

    @Mixin
    private final TableOptions tables = new TableOptions();

    @Mixin
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    private final Shell shell;

    RollbackPlanCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        // An empty table has a way back too.
        Selection selection = tables.selection(true);
        try (Source opened = source.open(shell);
                Target target = cassandra.open(shell)) {
            target.sequences();
            List<PlannedTable> planned =
                    new Planner(selection, target, cassandra.parallelism()).plan(opened.read(selection::choose));
            List<SourceColumn> chosen =
                    planned.stream().map(table -> table.reading().column()).toList();
            List<RollbackReport.Column> columns = planned.stream()
                    .map(table -> column(
                            opened,
                            target,
                            table,
                            selection.floor(table.reading().column(), chosen)))
                    .toList();
            ExitCode code =
                    has(columns, "missing") ? ExitCode.RISK : has(columns, "refused") ? ExitCode.REFUSED : ExitCode.OK;
            output.write(
                    shell,
                    new RollbackReport(
                            "rollback-plan", code.code(), source.url().toString(), columns));
            return code.code();
        }
    }

    private static boolean has(List<RollbackReport.Column> columns, String result) {
        return columns.stream().anyMatch(each -> each.result().equals(result));
    }

    private static RollbackReport.Column column(
            Source opened, Target target, PlannedTable table, @Nullable BigInteger floor) {
        SourceColumn column = table.reading().column();
        SequenceState state = table.state();
        Optional<BigInteger> reseed = Optional.empty();
        String result;
        String note;
        try {
            reseed = WayBack.next(
                    table,
                    floor,
                    state == null
                            ? List.of()
                            : target.sequences().admin().takenIds(state.spec().name()));
            result = reseed.isPresent() ? "reseed" : "none";
            note = reseed.isPresent() ? holders(target, table) : "its sequence waits for its seed: nothing to do";
        } catch (MigrationException refused) {
            result = refused.exitCode() == ExitCode.RISK ? "missing" : "refused";
            note = refused.getMessage();
        }
        return new RollbackReport.Column(
                column.qualifiedTable(),
                column.column(),
                table.target() == null ? null : table.target().toString(),
                state == null ? null : state.floor(),
                state == null || state.next().isEmpty() ? null : state.next().getAsLong(),
                reseed.orElse(null),
                reseed.map(next -> opened.reseed(column, next)).orElse(null),
                result,
                note);
    }

    private static @Nullable String holders(Target target, PlannedTable table) {
        SequenceState state = table.state();
        List<Holder> holders = state == null
                ? List.of()
                : target.sequences().admin().holders(state.spec().name());
        return holders.isEmpty()
                ? null
                : "these processes of this datacenter hold ids of it and run, or crashed: "
                        + holders.stream().map(Holder::process).distinct().toList()
                        + ". While one runs it may be granted more: stop it, then print this again";
    }
}
