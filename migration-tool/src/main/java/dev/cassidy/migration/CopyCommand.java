package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.rows.ChangeFeed;
import dev.cassidy.migration.rows.Copier;
import dev.cassidy.migration.rows.CopyResult;
import dev.cassidy.migration.rows.CopySettings;
import dev.cassidy.migration.rows.DeltaCopier;
import dev.cassidy.migration.rows.Journal;
import dev.cassidy.migration.rows.RangeProgress;
import dev.cassidy.migration.rows.RowRefused;
import dev.cassidy.migration.rows.RowTable;
import dev.cassidy.migration.rows.RowVerifier;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceTable;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.table.TableContract;
import dev.cassidy.table.TableRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "copy",
        description =
                "Copies the rows of tables, with their ids, and compares them. After any end, the same command goes"
                        + " on where it stopped. It never overwrites what an application has written to Cassandra.")
final class CopyCommand implements Callable<Integer> {

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

    @Option(
            names = "--state",
            paramLabel = "FILE",
            description = "Remembers what is copied. Default: copy-KEYSPACE.state in the current folder.")
    private @Nullable Path state;

    @Option(
            names = "--timestamp",
            paramLabel = "TIME",
            description = "The write timestamp of the rows: microseconds since 1970, or an instant such as"
                    + " 2024-01-31T00:00:00Z. It must be before anything that an application writes. Default: one of"
                    + " January 1970 that grows from copy to copy.")
    private @Nullable String timestamp;

    @Option(names = "--dry-run", description = "Checks the tables and shows their ranges; writes no row.")
    private boolean dryRun;

    @Option(names = "--no-verify", description = "Does not compare the rows after they are copied.")
    private boolean noVerify;

    @Option(
            names = "--delta",
            description = "Copies what was inserted, updated and deleted in the source since the copy, by SQL Server's"
                    + " Change Tracking, which must have been on when the copy began.")
    private boolean delta;

    @Option(
            names = "--repair",
            description =
                    "Reads the source again, and brings rows that differ to what the source has now, also those that"
                            + " were deleted there. Rows that an application has written to stay.")
    private boolean repair;

    @Option(
            names = "--accept-late",
            description = "Continues, repairs or follows changes also if the table's copy began longer ago than its"
                    + " gc_grace_seconds. Rows that an application has deleted since may come back.")
    private boolean acceptLate;

    private final Shell shell;

    CopyCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        try (Source opened = source.open(shell);
                Target target = cassandra.openToWrite(shell);
                Journal journal = Journal.open(stateFile())) {
            List<ChosenTables.Choice> choices = tables.choose(opened);
            List<SourceTable> chosen =
                    choices.stream().map(ChosenTables.Choice::table).toList();
            CopySettings settings = options.settings(rows.acceptedLosses(chosen));
            List<RowTable> matched = rows.match(opened, target, choices);
            requireNothingReserved(target, choices);
            RowOptions.tellFinerKeys(shell, matched);
            begin(journal, opened);
            CopyReport report = run(opened, target.session(), journal, settings, matched);
            output.write(shell, report);
            return report.exitCode();
        } catch (RowRefused e) {
            // Of the comparison, after rows were written.
            throw new MigrationException(ExitCode.PARTIAL, String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            throw new MigrationException(
                    ExitCode.INTERRUPTED, "interrupted; the same command continues where it stopped", e);
        }
    }

    /**
     * Rows are copied past those who keep UNIQUE and what indexes compare: the values of a copied row would have no reservation, and
     * another could take them; and nobody would find it by the index.
     */
    private static void requireNothingReserved(Target target, List<ChosenTables.Choice> choices) {
        if (target.missing().isPresent()) {
            return;
        }
        TableRegistry registry = InternalAccess.tables(target.sequences());
        for (ChosenTables.Choice each : choices) {
            TargetTable to = each.target();
            TableContract contract = registry.contract(to.keyspace(), to.table());
            TableDefinition definition = contract.definition();
            boolean present = definition != null
                    && target.table(to)
                            .flatMap(TableMetadata::getId)
                            .filter(definition::isOf)
                            .isPresent();
            if (contract.writes() != null
                    && definition != null
                    && present
                    && !definition.twinsBeside().isEmpty()) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        "table " + to.sequence() + " has indexes by which the collations of "
                                + String.join(", ", definition.twinsBeside().keySet())
                                + " compare, by forms that rows which are copied do not get: create it without the indexes,"
                                + " copy, and then give each column its form by cassidy tables add-twin, and its index by"
                                + " CREATE INDEX");
            }
            List<KeptUnique> kept =
                    contract.writes() == null || definition == null || !present ? List.of() : KeptUnique.of(definition);
            if (!kept.isEmpty()) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        "table " + to.sequence() + " keeps "
                                + kept.stream().map(KeptUnique::written).collect(Collectors.joining(" and "))
                                + " by reservations, which rows that are copied do not get: drop it by JDBC, by ALTER TABLE"
                                + " DROP CONSTRAINT or DROP INDEX, copy, and add it by cassidy tables add-unique, which finds"
                                + " rows with the same values");
            }
        }
    }

    private Path stateFile() {
        return Objects.requireNonNullElseGet(state, () -> Path.of("copy-" + tables.keyspace() + ".state"));
    }

    /** Begins a copy, or goes on with one that was begun with the same source, keyspace, zone and timestamp. */
    private void begin(Journal journal, Source opened) throws IOException {
        String zone = rows.zone().map(ZoneId::getId).orElse(null);
        Journal.Header before = journal.header().orElse(null);
        if (before == null) {
            if (delta || repair) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        "nothing was copied yet with the state file " + stateFile()
                                + ": run cassidy migrate copy without " + (delta ? "--delta" : "--repair")
                                + " first, or name its file with --state");
            }
            long micros = timestamp == null ? now() : micros(timestamp);
            try {
                journal.begin(new Journal.Header(opened.url().toString(), tables.keyspace(), micros, zone));
            } catch (IOException e) {
                throw new MigrationException(ExitCode.REFUSED, e.getMessage() + "; no row was written", e);
            }
            return;
        }
        requireSame("--source-url", before.source(), opened.url().toString());
        requireSame("--keyspace", before.keyspace(), tables.keyspace());
        requireSame("--zone", String.valueOf(before.zone()), String.valueOf(zone));
        if (timestamp != null) {
            requireSame("--timestamp", before.timestamp() + " us", micros(timestamp) + " us");
        }
    }

    private void requireSame(String option, String before, String now) {
        if (!before.equals(now)) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "the copy of the state file " + stateFile() + " was begun with " + option + " " + before + ", not "
                            + now + ": give the same, or begin another copy with another --state");
        }
    }

    /**
     * Returns a timestamp of January 1970: the milliseconds since 1970, taken for microseconds. It is later for each later copy,
     * and a thousandth of what any clock gives an application's write or a ballot.
     */
    private static long now() {
        return System.currentTimeMillis();
    }

    private static long micros(String text) {
        if (text.matches("[0-9]{1,18}")) {
            return Long.parseLong(text);
        }
        try {
            return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(text));
        } catch (DateTimeException e) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "must be microseconds since 1970, or an instant such as 2024-01-31T00:00:00Z: --timestamp '" + text
                            + "'",
                    e);
        }
    }

    /**
     * A deleted row is gone for Cassandra once gc_grace_seconds have passed: what is written with an old timestamp then stays. Of a
     * copy that began before, every delete of an application is still known.
     */
    private void requireDeletesKept(Journal journal, List<RowTable> matched, Instant now) {
        for (RowTable table : matched) {
            Instant begun = journal.begun(table.name());
            boolean writes = repair || delta || journal.rangesLeft(table.name()) > 0;
            if (writes && begun.isBefore(now) && !now.isBefore(begun.plus(table.deletesKept()))) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        "the copy of " + table.name() + " began at " + begun.truncatedTo(ChronoUnit.SECONDS)
                                + ", longer ago than the gc_grace_seconds of " + table.target() + " ("
                                + table.deletesKept().toSeconds()
                                + "): Cassandra may have forgotten which rows an application deleted, and they would come"
                                + " back. If no application has deleted rows or set columns to NULL there, give --accept-late");
            }
        }
    }

    private CopyReport run(
            Source opened, CqlSession session, Journal journal, CopySettings settings, List<RowTable> matched)
            throws IOException, InterruptedException {
        RowVerifier verifier = new RowVerifier(opened, session, journal, settings, System::nanoTime);
        try (Progress.Bar bar = shell.bars().start("copying", Progress.UNKNOWN, "rows")) {
            Copier copier = new Copier(opened, session, journal, settings, progress(bar), System::nanoTime);
            Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
            copier.plan(matched, ChangeFeed.of(opened.engine()), now);
            if (!dryRun && !acceptLate) {
                requireDeletesKept(journal, matched, now);
            }
            // Before the first row is written: one of two would be written over the other.
            DeltaCopier follower = delta && !repair && !dryRun ? follower(opened, session, journal, settings) : null;
            RowOptions.requireApart(
                    shell,
                    opened,
                    matched.stream()
                            .filter(table -> follower == null
                                    ? repair || dryRun || journal.rangesLeft(table.name()) > 0
                                    : follower.pending(table).orElse(1) > 0)
                            .toList());
            if (dryRun) {
                return dryRun(journal, copier, matched);
            }
            if (repair || delta) {
                return change(journal, verifier, follower, matched);
            }
            CopyResult result = copier.copy(matched);
            List<CopyReport.Table> shown = new ArrayList<>();
            boolean equal = true;
            for (CopyResult.Table table : result.tables()) {
                CopyReport.Table report = CopyReport.Table.of(table);
                if (table.complete() && !noVerify && result.stopped() == null) {
                    shell.progress("comparing " + table.table());
                    RowVerifier.Comparison found = verifier.compare(named(matched, table.table()), false);
                    journal.compared(table.table(), found.equal());
                    equal &= found.equal();
                    report = report.with(found);
                }
                shown.add(report);
            }
            ExitCode code = !result.complete() ? ExitCode.PARTIAL : equal ? ExitCode.OK : ExitCode.RISK;
            if (code == ExitCode.PARTIAL) {
                shell.progress("some ranges are not copied; the same command copies them");
            }
            return report(journal, code, result, shown);
        }
    }

    static RangeProgress progress(Progress.Bar bar) {
        return new RangeProgress() {
            @Override
            public void ranges(int ranges, int done) {
                // How many rows they have is not known: a count would read the whole table.
            }

            @Override
            public void done(String table, long rows) {
                bar.step(rows);
            }
        };
    }

    private static RowTable named(List<RowTable> tables, String name) {
        return tables.stream()
                .filter(table -> table.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private CopyReport dryRun(Journal journal, Copier copier, List<RowTable> matched) {
        List<CopyReport.Table> shown = new ArrayList<>();
        for (RowTable table : matched) {
            List<String> conditions = copier.conditions(table);
            shown.add(CopyReport.Table.of(
                            new CopyResult.Table(table.name(), table.target(), 0, conditions.size(), 0, Map.of()))
                    .with(conditions));
        }
        return report(journal, ExitCode.OK, new CopyResult(List.of(), 0, 0, null), shown);
    }

    private CopyReport change(
            Journal journal, RowVerifier verifier, @Nullable DeltaCopier follower, List<RowTable> matched)
            throws IOException, InterruptedException {
        List<CopyReport.Table> shown = new ArrayList<>();
        long begun = System.nanoTime();
        long changed = 0;
        ExitCode code = ExitCode.OK;
        if (follower != null) {
            // All of them, before the first row is written.
            matched.forEach(follower::check);
        }
        for (RowTable table : matched) {
            CopyReport.Table report =
                    CopyReport.Table.of(new CopyResult.Table(table.name(), table.target(), 0, 0, 0, Map.of()));
            try {
                if (follower == null) {
                    shell.progress("repairing " + table.name());
                    RowVerifier.Comparison found = verifier.repair(table, now());
                    changed += found.missing() + found.different() + found.extra();
                    journal.compared(table.name(), true);
                    shown.add(report.with(found));
                } else {
                    DeltaCopier.Round round = follower.follow(table);
                    changed += round.written() + round.deleted();
                    shown.add(report.with(round));
                    if (journal.rangesLeft(table.name()) > 0) {
                        code = ExitCode.PARTIAL;
                        shell.progress(journal.rangesLeft(table.name()) + " ranges of " + table.name()
                                + " are not copied; copy without --delta copies them");
                    }
                }
            } catch (RowRefused e) {
                // Other rows of it, and of other tables, may be written.
                code = ExitCode.PARTIAL;
                shown.add(report.with(repair ? "--repair" : "--delta", String.valueOf(e.getMessage())));
            }
        }
        return report(journal, code, new CopyResult(List.of(), changed, System.nanoTime() - begun, null), shown);
    }

    private static DeltaCopier follower(Source opened, CqlSession session, Journal journal, CopySettings settings) {
        ChangeFeed feed = ChangeFeed.of(opened.engine())
                .orElseThrow(() -> new MigrationException(
                        ExitCode.REFUSED,
                        "--delta needs SQL Server's Change Tracking, which " + opened.engine()
                                + " does not have: run cassidy migrate copy --repair"));
        return new DeltaCopier(opened, feed, session, journal, settings, System::nanoTime, CopyCommand::now);
    }

    private CopyReport report(Journal journal, ExitCode code, CopyResult result, List<CopyReport.Table> shown) {
        return new CopyReport(
                "copy",
                code.code(),
                source.url().toString(),
                stateFile().toString(),
                journal.header().orElseThrow().timestamp(),
                result.rows(),
                CopyReport.seconds(result.nanos()),
                result.rowsASecond(),
                result.stopped(),
                shown);
    }
}
