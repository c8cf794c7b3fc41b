package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import dev.cassidy.definition.CountMark;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.rows.BackCopier;
import dev.cassidy.migration.rows.Journal;
import dev.cassidy.migration.rows.RowRefused;
import dev.cassidy.migration.rows.RowTable;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceColumn;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "copy-back",
        description =
                "Writes the rows that Cassandra took since the copy back to the source, with their ids, and compares"
                        + " all rows: a step of the way back, see cassidy migrate rollback-plan. Stop every"
                        + " writer of both first. After any end,"
                        + " the same command continues where it stopped.")
final class CopyBackCommand implements Callable<Integer> {

    @Mixin
    private final SourceOptions source = new SourceOptions();

    @Mixin
    private final CopyOptions options = new CopyOptions();

    @Mixin
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    @Option(
            names = "--state",
            required = true,
            paramLabel = "FILE",
            description = "The state file of the copy: its tables go back, and its timestamp tells what an application"
                    + " wrote since. If the tables began empty in Cassandra, cassidy migrate copy"
                    + " --dry-run writes one.")
    private Path state = Path.of("");

    @Option(names = "--dry-run", description = "Compares, shows how many rows would be written, and writes nothing.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Does not ask before it writes to the source.")
    private boolean yes;

    private final Shell shell;

    CopyBackCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() throws IOException {
        if (!Files.exists(state)) {
            throw new MigrationException(ExitCode.USAGE, "does not exist: --state " + state);
        }
        try (Source opened = source.open(shell);
                Target target = cassandra.open(shell);
                Journal journal = Journal.open(state)) {
            Journal.Header header = journal.header()
                    .orElseThrow(() -> new MigrationException(
                            ExitCode.REFUSED, "nothing was copied with the state file: --state " + state));
            if (!header.source().equals(opened.url().toString())) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        "the copy of the state file " + state + " was made of " + header.source()
                                + ", and --source-url is " + opened.url()
                                + ": rows go back to where the others came from");
            }
            Optional<ZoneId> zone = Optional.ofNullable(header.zone()).map(ZoneId::of);
            List<RowTable> tables = new ArrayList<>();
            for (Journal.Copied copied : journal.tables()) {
                requireUncounted(target, copied);
                tables.add(CopiedRows.table(opened, target, journal, copied, zone));
            }
            requireNoFence(opened, tables);
            // Of two that are one in Cassandra, its row would go to the one that is read first.
            RowOptions.requireApart(shell, opened, tables);
            if (!dryRun) {
                shell.confirm(
                        yes,
                        "Write to " + tables.size() + " tables of " + opened.url() + "?",
                        "run cassidy migrate copy-back --dry-run first");
            }
            BackReport report = run(opened, target, journal.lastTimestamp(), BackCopier.parentsFirst(tables));
            output.write(shell, report);
            return report.exitCode();
        } catch (RowRefused e) {
            throw new MigrationException(ExitCode.RISK, String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            throw new MigrationException(
                    ExitCode.INTERRUPTED, "interrupted; the same command continues where it stopped", e);
        }
    }

    /** A fence would refuse exactly the rows that go back. */
    private static void requireNoFence(Source opened, List<RowTable> tables) {
        List<SourceColumn> columns = new ArrayList<>();
        opened.read(all -> {
            all.stream()
                    .filter(column ->
                            tables.stream().anyMatch(table -> table.name().equals(column.qualifiedTable())))
                    .forEach(columns::add);
            return List.of();
        });
        List<String> fenced = opened.fences(columns).keySet().stream()
                .map(SourceColumn::qualifiedTable)
                .toList();
        if (!fenced.isEmpty()) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "the source refuses rows beyond the fences of " + fenced
                            + ": run cassidy migrate rollback-plan and its script first, then cassidy migrate"
                            + " fence --remove --apply");
        }
    }

    private BackReport run(Source opened, Target target, long copied, List<RowTable> tables)
            throws InterruptedException {
        List<BackCopier.Result> results = new ArrayList<>();
        try (Progress.Bar bar = shell.bars().start("copying back", Progress.UNKNOWN, "rows")) {
            BackCopier copier = new BackCopier(
                    opened, target.session(), copied, options.settings(Set.of()), bar::step, System::nanoTime);
            for (RowTable table : tables) {
                shell.progress((dryRun ? "comparing " : "copying back ") + table.name());
                results.add(copier.copyBack(table, dryRun));
            }
        }
        boolean refused = results.stream().anyMatch(result -> !result.refusals().isEmpty() && result.left() > 0);
        boolean equal = results.stream().allMatch(BackCopier.Result::equal);
        ExitCode code = refused ? ExitCode.PARTIAL : equal ? ExitCode.OK : ExitCode.RISK;
        return new BackReport("copy-back", code.code(), opened.url().toString(), state.toString(), !dryRun, results);
    }

    /** Cassandra's table has what such a column began with: to write that back would lose what was counted. */
    private static void requireUncounted(Target target, Journal.Copied copied) {
        target.table(new TargetTable(copied.keyspace(), copied.name(), ""))
                .filter(found -> found.getColumn(CqlIdentifier.fromInternal(CountMark.COLUMN))
                        .isPresent())
                .ifPresent(found -> {
                    throw new MigrationException(
                            ExitCode.REFUSED,
                            copied.keyspace() + "." + copied.name()
                                    + " has columns that count, and this command would write back what their rows began with:"
                                    + " read the rows by JDBC, which shows the sums, and write them by a program of your own");
                });
    }
}
