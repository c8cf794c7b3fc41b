package dev.cassidy.migration;

import dev.cassidy.jdbc.run.TableDeclarations;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.plan.Selection;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceTable;
import dev.cassidy.migration.target.TargetTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that choose tables, with and without an identity column, and say where they go. */
final class ChosenTables {

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
            description = "schema.table=[keyspace.]table if the lower-cased name is not right. May be repeated.")
    private List<String> maps = new ArrayList<>();

    /** A chosen table and where it goes; the target's column is empty. */
    record Choice(SourceTable table, TargetTable target) {}

    String keyspace() {
        return TargetTable.keyspace(keyspace);
    }

    /**
     * Returns the chosen tables.
     *
     * @throws MigrationException {@link ExitCode#REFUSED} if a name that was given matches none, or if two go to one table
     */
    List<Choice> choose(Source source) {
        Map<String, String> targets = Selection.pairs(maps, "--map");
        Predicate<String> included = includes.isEmpty() ? name -> true : Selection.anyOf(includes);
        List<SourceTable> tables =
                source.tables(included.and(Selection.anyOf(excludes).negate()));
        for (String glob : includes) {
            if (tables.stream().noneMatch(table -> Selection.glob(glob).test(table.qualifiedName()))) {
                throw Selection.unseen("--include " + glob + " matches no chosen table");
            }
        }
        if (tables.isEmpty()) {
            throw Selection.unseen("no table is chosen");
        }
        List<Choice> choices = new ArrayList<>();
        for (SourceTable table : tables) {
            String given = named(targets, table);
            choices.add(new Choice(
                    table,
                    given == null
                            ? new TargetTable(keyspace(), TableDeclarations.tableName(table.name()), "")
                            : TargetTable.parse(given, keyspace(), "", "--map " + table.qualifiedName())));
        }
        requireKnown(targets.keySet().stream().toList(), tables, "--map");
        Map<String, String> taken = new HashMap<>();
        for (Choice choice : choices) {
            String before = taken.put(choice.target().sequence(), choice.table().qualifiedName());
            if (before != null) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        before + " and " + choice.table().qualifiedName() + " both go to "
                                + choice.target().sequence() + ": give one of them another table with --map");
            }
        }
        return choices;
    }

    /** Returns what was given for a table, by its exact name or otherwise by its name in another case; null for nothing. */
    static <V> @Nullable V named(Map<String, V> given, SourceTable table) {
        V exact = given.get(table.qualifiedName());
        if (exact != null) {
            return exact;
        }
        return given.entrySet().stream()
                .filter(entry -> entry.getKey().equalsIgnoreCase(table.qualifiedName()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }

    /** Throws if a name matches none of the tables. */
    static void requireKnown(List<String> names, List<SourceTable> tables, String option) {
        for (String name : names) {
            if (tables.stream().noneMatch(table -> table.qualifiedName().equalsIgnoreCase(name))) {
                throw Selection.unseen(option + " " + name + " names no chosen table");
            }
        }
    }
}
