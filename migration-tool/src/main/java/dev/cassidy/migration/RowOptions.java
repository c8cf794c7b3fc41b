package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.rows.FoldedKeys;
import dev.cassidy.migration.rows.LossMeasure;
import dev.cassidy.migration.rows.MovedColumn;
import dev.cassidy.migration.rows.RowTable;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceTable;
import dev.cassidy.migration.target.Target;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say how values become Cassandra's. */
final class RowOptions {

    @Option(
            names = "--zone",
            paramLabel = "ZONE",
            description =
                    "The zone of dates and times that have none, for example UTC or Europe/Berlin: that of the JVMs"
                            + " that show them. Needed if a chosen table has such a column.")
    private @Nullable String zone;

    @Option(
            names = "--accept-loss",
            paramLabel = "SCHEMA.TABLE.COLUMN",
            description = "Values of this column may change as schema shows. May be repeated.")
    private List<String> acceptedLosses = new ArrayList<>();

    @Option(
            names = "--leave-out",
            paramLabel = "SCHEMA.TABLE.COLUMN",
            description = "This column stays behind. May be repeated.")
    private List<String> leftOut = new ArrayList<>();

    Optional<ZoneId> zone() {
        if (zone == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(ZoneId.of(zone));
        } catch (DateTimeException e) {
            throw new MigrationException(
                    ExitCode.USAGE, "must be a zone, such as UTC or Europe/Berlin: --zone '" + zone + "'", e);
        }
    }

    Set<String> acceptedLosses(List<SourceTable> tables) {
        return columns(acceptedLosses, tables, "--accept-loss");
    }

    Set<String> leftOut(List<SourceTable> tables) {
        return columns(leftOut, tables, "--leave-out");
    }

    /** Returns the full names of columns, as the source writes them. */
    static Set<String> columns(List<String> given, List<SourceTable> tables, String option) {
        Set<String> names = new TreeSet<>();
        for (String name : given) {
            List<String> alike = tables.stream()
                    .flatMap(table ->
                            table.columns().stream().map(column -> table.qualifiedName() + "." + column.name()))
                    .filter(name::equalsIgnoreCase)
                    .toList();
            if (alike.isEmpty()) {
                throw new MigrationException(
                        ExitCode.USAGE,
                        "names no column of a chosen table, as schema.table.column: " + option + " '" + name + "'");
            }
            names.addAll(alike.contains(name) ? List.of(name) : alike);
        }
        return names;
    }

    /**
     * Matches the chosen tables with those of Cassandra.
     *
     * @throws MigrationException {@link ExitCode#REFUSED} naming everything that does not fit
     */
    List<RowTable> match(Source source, Target target, List<ChosenTables.Choice> choices) {
        List<String> problems = new ArrayList<>();
        List<RowTable> tables = new ArrayList<>();
        Set<String> left =
                leftOut(choices.stream().map(ChosenTables.Choice::table).toList());
        for (ChosenTables.Choice choice : choices) {
            Optional<TableMetadata> there = target.table(choice.target());
            if (there.isEmpty()) {
                problems.add("table " + choice.target().sequence() + " does not exist in Cassandra: schema prints and"
                        + " creates it, for " + choice.table().qualifiedName());
                continue;
            }
            try {
                RowTable table = RowTable.of(
                        source,
                        choice.table(),
                        there.get(),
                        KeyTwins.of(target, choice.target(), there.get()),
                        left,
                        zone());
                duplicates(source, choice.table(), table).ifPresent(problems::add);
                tables.add(table);
            } catch (MigrationException e) {
                problems.add(String.valueOf(e.getMessage()));
            }
        }
        if (!problems.isEmpty()) {
            throw new MigrationException(ExitCode.REFUSED, String.join("\n", problems));
        }
        return tables;
    }

    /**
     * Reads the keys of tables that a collation compares in Cassandra.
     *
     * @throws MigrationException {@link ExitCode#REFUSED} naming rows that would be one there
     */
    static void requireApart(Shell shell, Source source, List<RowTable> tables) {
        List<String> problems = new ArrayList<>();
        for (RowTable table : tables) {
            apart(shell, FoldedKeys.of(source, table), table.name()).ifPresent(problems::add);
        }
        if (!problems.isEmpty()) {
            throw new MigrationException(ExitCode.REFUSED, String.join("\n", problems));
        }
    }

    /** Tells of strings that are one key in the source, and several in Cassandra. */
    static void tellFinerKeys(Shell shell, List<RowTable> tables) {
        for (RowTable table : tables) {
            table.keyColumns().stream()
                    .filter(MovedColumn::isFinerThanSource)
                    .forEach(column -> shell.progress("warning: " + column.qualifiedName()
                            + " is part of the key of " + table.target()
                            + ", which tells strings apart that the source takes for equal, such as 'Admin' and 'admin': an"
                            + " application finds and inserts another row by another spelling. cassidy migrate schema --apply"
                            + " makes a table whose key is compared by a collation, if this one does not exist"));
        }
    }

    /** Returns what is wrong with rows that would be one in Cassandra. */
    static Optional<String> apart(Shell shell, FoldedKeys keys, String table) {
        if (!keys.areAny()) {
            return Optional.empty();
        }
        shell.progress("reading the keys of " + table);
        return keys.alike(Runtime.getRuntime().maxMemory() / 2);
    }

    private static Optional<String> duplicates(Source source, SourceTable from, RowTable table) {
        if (table.keyIsUnique()) {
            return Optional.empty();
        }
        List<String> key = table.columns().stream()
                .filter(MovedColumn::key)
                .map(column -> column.from().name())
                .collect(Collectors.toList());
        long duplicates = LossMeasure.duplicates(source, from, key);
        return duplicates == 0
                ? Optional.empty()
                : Optional.of(duplicates + " keys " + key + " of " + table.name()
                        + " are those of several rows, which would be"
                        + " one row in " + table.target() + ": give it a key that has the source's primary key "
                        + from.primaryKey());
    }
}
