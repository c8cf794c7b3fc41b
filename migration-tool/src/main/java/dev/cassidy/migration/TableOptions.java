package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.plan.Selection;
import dev.cassidy.migration.target.TargetTable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that choose tables and say where they go. */
final class TableOptions {

    @Option(names = "--keyspace", paramLabel = "NAME", description = "Keyspace of the target tables. Required.")
    private @Nullable String keyspace;

    @Option(
            names = "--include",
            paramLabel = "GLOB",
            split = ",",
            description = "Only tables like this, for example 'dbo.*'. May be repeated.")
    private List<String> includes = new ArrayList<>();

    @Option(
            names = "--exclude",
            paramLabel = "GLOB",
            split = ",",
            description = "No tables like this. May be repeated.")
    private List<String> excludes = new ArrayList<>();

    @Option(
            names = "--map",
            paramLabel = "SOURCE=TARGET",
            description = "schema.table=[keyspace.]table[:column] if the lower-cased names are not right. May be"
                    + " repeated.")
    private List<String> maps = new ArrayList<>();

    @Option(
            names = "--floor",
            paramLabel = "TABLE=N",
            description = "schema.table=n: ids up to n were used, whatever the source remembers. May be repeated.")
    private List<String> floors = new ArrayList<>();

    /** Refuses options that {@code --plan} fixes. */
    void requireNone(boolean acceptEmpty) {
        if (keyspace != null
                || acceptEmpty
                || !(includes.isEmpty() && excludes.isEmpty() && maps.isEmpty() && floors.isEmpty())) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "--plan fixes the tables and where they go: leave out --keyspace, --include, --exclude, --map, --floor"
                            + " and --accept-empty, or make another plan with them");
        }
    }

    Selection selection(boolean acceptEmpty) {
        String given = keyspace;
        if (given == null) {
            throw new MigrationException(
                    ExitCode.USAGE, "Missing required option: '--keyspace=NAME', the keyspace of the target tables");
        }
        return selection(given, acceptEmpty);
    }

    /** Returns the choice of tables alone, for a command that does not ask where they go. */
    Selection sourceTables() {
        return selection(keyspace == null ? "source" : keyspace, true);
    }

    private Selection selection(String target, boolean acceptEmpty) {
        return new Selection(
                TargetTable.keyspace(target),
                includes,
                excludes,
                Selection.pairs(maps, "--map"),
                Selection.integers(floors, "--floor"),
                acceptEmpty);
    }
}
