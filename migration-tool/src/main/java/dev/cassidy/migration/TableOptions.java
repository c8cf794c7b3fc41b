package dev.cassidy.migration;

import dev.cassidy.migration.plan.Selection;
import dev.cassidy.migration.target.TargetTable;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Options that choose tables and say where they go. */
final class TableOptions {

    @Option(names = "--keyspace", required = true, paramLabel = "NAME", description = "Keyspace of the target tables.")
    private String keyspace = "";

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

    Selection selection(boolean acceptEmpty) {
        return new Selection(
                TargetTable.keyspace(keyspace),
                includes,
                excludes,
                Selection.pairs(maps, "--map"),
                Selection.integers(floors, "--floor"),
                acceptEmpty);
    }
}
