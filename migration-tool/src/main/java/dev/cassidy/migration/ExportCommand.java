package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.rows.CopyResult;
import dev.cassidy.migration.rows.CopySettings;
import dev.cassidy.migration.rows.Exporter;
import dev.cassidy.migration.rows.Journal;
import dev.cassidy.migration.rows.RowRefused;
import dev.cassidy.migration.rows.RowTable;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceTable;
import dev.cassidy.migration.target.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "export",
        description =
                "Writes the rows of tables to files that DSBulk loads. Cassandra's tables must exist, and give the"
                        + " types; nothing is written there. After any end, the same command continues where it"
                        + " stopped.")
final class ExportCommand implements Callable<Integer> {

    @Mixin
    private final SourceOptions source = new SourceOptions();

    @Mixin
    private final ChosenTables tables = new ChosenTables();

    @Mixin
    private final RowOptions rows = new RowOptions();

    @Mixin
    private final CopyOptions options = new CopyOptions();

    @Mixin
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    @Option(names = "--format", paramLabel = "FORM", defaultValue = "csv", description = "csv or json. Default: csv.")
    private Exporter.Format format = Exporter.Format.CSV;

    @Option(
            names = "--folder",
            required = true,
            paramLabel = "FOLDER",
            description = "Takes a folder for each table, with a file for each range of ids, and the state file.")
    private Path folder = Path.of("");

    private final Shell shell;

    ExportCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() throws IOException {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new MigrationException(ExitCode.REFUSED, "cannot create --folder " + folder + ": " + e, e);
        }
        Path state = folder.resolve("export-" + format.name().toLowerCase(Locale.ROOT) + ".state");
        try (Source opened = source.open(shell);
                Target target = cassandra.open(shell);
                Journal journal = Journal.open(state);
                Progress.Bar bar = shell.bars().start("exporting", Progress.UNKNOWN, "rows")) {
            List<ChosenTables.Choice> choices = tables.choose(opened);
            List<SourceTable> chosen =
                    choices.stream().map(ChosenTables.Choice::table).toList();
            CopySettings settings = options.settings(rows.acceptedLosses(chosen));
            List<RowTable> matched = rows.match(opened, target, choices);
            String zone = rows.zone().map(ZoneId::getId).orElse(null);
            Journal.Header wanted =
                    new Journal.Header(opened.url().toString(), tables.keyspace(), System.currentTimeMillis(), zone);
            Journal.Header before = journal.header().orElse(null);
            if (before == null) {
                journal.begin(wanted);
            } else if (!before.equals(wanted.withTimestamp(before.timestamp()))) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        "the folder " + folder + " has an export of another source, keyspace or zone: " + before
                                + "; name another --folder");
            }
            RowOptions.requireApart(shell, opened, matched);
            CopyResult result = new Exporter(
                            opened, journal, settings, folder, format, CopyCommand.progress(bar), System::nanoTime)
                    .export(matched, Instant.now());
            ExitCode code = result.complete() ? ExitCode.OK : ExitCode.PARTIAL;
            output.write(
                    shell,
                    new CopyReport(
                            "export",
                            code.code(),
                            source.url().toString(),
                            state.toString(),
                            journal.header().orElseThrow().timestamp(),
                            result.rows(),
                            CopyReport.seconds(result.nanos()),
                            result.rowsASecond(),
                            result.stopped(),
                            result.tables().stream().map(CopyReport.Table::of).toList()));
            return code.code();
        } catch (RowRefused e) {
            throw new MigrationException(ExitCode.REFUSED, String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            throw new MigrationException(
                    ExitCode.INTERRUPTED, "interrupted; the same command continues where it stopped", e);
        }
    }
}
