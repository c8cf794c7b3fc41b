package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.rows.ChangeFeed;
import dev.cassidy.migration.rows.CopySettings;
import dev.cassidy.migration.rows.DeltaCopier;
import dev.cassidy.migration.rows.Journal;
import dev.cassidy.migration.rows.RowRefused;
import dev.cassidy.migration.rows.RowTable;
import dev.cassidy.migration.rows.RowVerifier;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceTable;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of {@code verify} that are about copied rows. */
final class CopiedRows {

    @Option(
            names = "--state",
            paramLabel = "FILE",
            description =
                    "The state file of a copy, whose rows are verified too: by SQL Server's Change Tracking, or with"
                            + " --rows.")
    private @Nullable Path state;

    @Option(names = "--rows", description = "Reads the rows of the source again, and compares them with Cassandra's.")
    private boolean reread;

    @Option(
            names = "--strict",
            description =
                    "Exit code 3 also where it is not known whether rows changed after they were copied, or where no row"
                            + " could be compared.")
    private boolean strict;

    /**
     * What is known of a copied table.
     *
     * @param rangesLeft how many ranges of rows the copy of the state file has not copied
     * @param differed whether the comparison at the end of the copy found rows that differ, which were not repaired since
     * @param changedAfterCopy how many rows of the source changed after they were copied; null if that is not known
     * @param comparison of {@code --rows}; null without
     */
    record Row(
            String table,
            String target,
            int rangesLeft,
            boolean differed,
            @Nullable Long changedAfterCopy,
            RowVerifier.@Nullable Comparison comparison) {

        /** What --rows compares includes the rows that were not copied, or came by other means. */
        boolean incomplete() {
            return comparison == null && (rangesLeft > 0 || differed);
        }

        String text() {
            return table + " -> " + target + ": rows changed after copy: "
                    + (changedAfterCopy == null ? "unknown" : changedAfterCopy) + "\n"
                    + (incomplete() && rangesLeft > 0
                            ? "  not copied: " + rangesLeft
                                    + " ranges; run cassidy migrate copy again, or compare with --rows\n"
                            : "")
                    + (incomplete() && differed
                            ? "  the copy found rows that differ; run cassidy migrate copy --repair, or compare"
                                    + " with --rows\n"
                            : "")
                    + (comparison == null ? "" : CopyReport.compared(comparison));
        }
    }

    /** Returns what is known of the copied tables; none without a state file. */
    List<Row> check(Shell shell, Source source, Target target) {
        Path file = state;
        if (file == null) {
            if (reread || strict) {
                throw new MigrationException(
                        ExitCode.USAGE,
                        (reread ? "--rows" : "--strict")
                                + " is about copied rows: give the state file of their copy with" + " --state");
            }
            return List.of();
        }
        if (!Files.exists(file)) {
            throw new MigrationException(ExitCode.USAGE, "does not exist: --state " + file);
        }
        try (Journal journal = Journal.open(file)) {
            Optional<ZoneId> zone = journal.header().map(Journal.Header::zone).map(ZoneId::of);
            List<Row> rows = new ArrayList<>();
            for (Journal.Copied copied : journal.tables()) {
                RowTable table = table(source, target, journal, copied, zone);
                shell.progress("verifying " + copied.table());
                rows.add(reread ? compared(source, target, journal, table) : tracked(source, target, journal, table));
            }
            return rows;
        } catch (RowRefused e) {
            throw new MigrationException(ExitCode.RISK, String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            throw new MigrationException(ExitCode.INTERRUPTED, "interrupted; nothing was changed", e);
        }
    }

    /** Returns a table that was copied, which has to be what it was then. */
    static RowTable table(Source source, Target target, Journal journal, Journal.Copied copied, Optional<ZoneId> zone) {
        List<SourceTable> from = source.tables(copied.table()::equals);
        Optional<TableMetadata> to = target.table(new TargetTable(copied.keyspace(), copied.name(), ""));
        if (from.isEmpty() || to.isEmpty()) {
            throw new MigrationException(
                    ExitCode.RISK,
                    "was copied and is gone: "
                            + (from.isEmpty()
                                    ? copied.table() + " of the source"
                                    : copied.keyspace() + "." + copied.name() + " of Cassandra"));
        }
        TargetTable name = new TargetTable(copied.keyspace(), copied.name(), "");
        RowTable table =
                RowTable.of(source, from.get(0), to.get(), KeyTwins.of(target, name, to.get()), copied.leftOut(), zone);
        journal.requireSame(table);
        return table;
    }

    private static Row compared(Source source, Target target, Journal journal, RowTable table)
            throws InterruptedException {
        RowVerifier.Comparison found = new RowVerifier(
                        source, target.session(), journal, CopySettings.defaults(), System::nanoTime)
                .compare(table, true);
        return new Row(
                table.name(),
                table.target(),
                journal.rangesLeft(table.name()),
                journal.differs(table.name()),
                found.comparedNothing()
                        ? null
                        : Long.valueOf(found.missing() + found.different() + found.extra() + found.wrongKeys()),
                found);
    }

    private static Row tracked(Source source, Target target, Journal journal, RowTable table) {
        Optional<ChangeFeed> feed = ChangeFeed.of(source.engine());
        OptionalLong pending = feed.isEmpty()
                ? OptionalLong.empty()
                : new DeltaCopier(
                                source,
                                feed.get(),
                                target.session(),
                                journal,
                                CopySettings.defaults(),
                                System::nanoTime,
                                () -> 0)
                        .pending(table);
        return new Row(
                table.name(),
                table.target(),
                journal.rangesLeft(table.name()),
                journal.differs(table.name()),
                pending.isPresent() ? pending.getAsLong() : null,
                null);
    }

    /** Returns whether these rows make {@code verify} fail. */
    boolean fails(List<Row> rows) {
        return rows.stream()
                .anyMatch(row ->
                        row.incomplete() || (row.changedAfterCopy() == null ? strict : row.changedAfterCopy() > 0));
    }
}
