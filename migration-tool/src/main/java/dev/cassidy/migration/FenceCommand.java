package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.plan.Selection;
import dev.cassidy.migration.source.Fence;
import dev.cassidy.migration.source.Reading;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceColumn;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "fence",
        description = "Makes the source refuse ids beyond a limit, so that Cassandra may issue those while the source"
                + " still inserts. Prints the statements; --apply executes them.")
final class FenceCommand implements Callable<Integer> {

    @Mixin
    private final SourceOptions source = new SourceOptions();

    @Mixin
    private final TableOptions tables = new TableOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    @Option(
            names = "--margin",
            paramLabel = "N",
            description =
                    "How many ids beyond its furthest one the source may still use; auto, the default, is the more"
                            + " of what the source skips at a restart, and twice the use of --sample during --window. A number"
                            + " also replaces a fence by a stricter one.")
    private String margin = "auto";

    @Option(
            names = "--sample",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "Measures the use of ids for this long, for --margin auto: 60s, 5m.")
    private @Nullable Duration sample;

    @Option(
            names = "--window",
            paramLabel = "TIME",
            defaultValue = "1h",
            converter = Durations.class,
            description = "How long the source will continue to insert, for --margin auto with --sample. Default: 1h.")
    private Duration window = Duration.ofHours(1);

    @Option(names = "--apply", description = "Executes the statements.")
    private boolean apply;

    @Option(
            names = "--remove",
            description =
                    "Removes the fences, with --apply; without it prints how. Only when Cassandra issues no ids of"
                            + " these tables, or when nothing inserts into the source any more.")
    private boolean remove;

    @Option(
            names = "--lock-timeout",
            paramLabel = "TIME",
            defaultValue = "2s",
            converter = Durations.class,
            description = "How long one try waits for the lock on a table, and others behind it. Default: 2s.")
    private Duration lockTimeout = Duration.ofSeconds(2);

    @Option(
            names = "--tries",
            paramLabel = "N",
            defaultValue = "30",
            description = "How often a statement is tried if the table is locked. Default: 30.")
    private int tries = 30;

    @Option(names = "--yes", description = "Does not ask before it changes the source.")
    private boolean yes;

    private final Shell shell;

    FenceCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        if (!margin.equals("auto") && !margin.matches("[0-9]{1,18}")) {
            throw new MigrationException(ExitCode.USAGE, "must be auto or a number >= 0: --margin '" + margin + "'");
        }
        if (tries < 1) {
            throw new MigrationException(ExitCode.USAGE, "must be >= 1: --tries " + tries);
        }
        Selection selection = tables.sourceTables();
        try (Source opened = source.open(shell)) {
            List<FenceReport.Table> planned = remove ? removals(opened, selection) : additions(opened, selection);
            boolean refused = planned.stream().anyMatch(table -> table.action().equals("refuse"));
            List<FenceReport.Table> done = planned;
            ExitCode code = refused ? ExitCode.REFUSED : ExitCode.OK;
            if (apply && !refused) {
                done = apply(opened, selection, planned);
                code = done.stream().allMatch(table -> List.of("fenced", "kept", "removed")
                                .contains(String.valueOf(table.result())))
                        ? ExitCode.OK
                        : ExitCode.RISK;
            }
            output.write(
                    shell,
                    new FenceReport(
                            "fence",
                            code.code(),
                            opened.url().toString(),
                            apply && !refused,
                            opened.fenceNote(),
                            done));
            return code.code();
        }
    }

    private List<Reading> read(Source opened, Selection selection) {
        return opened.read(all -> selection.choose(all).stream()
                .filter(column -> !column.isSequence())
                .toList());
    }

    private List<FenceReport.Table> additions(Source opened, Selection selection) {
        List<FenceReport.Table> planned = new ArrayList<>();
        List<Reading> readings = opened.read(all -> {
            List<SourceColumn> chosen = selection.choose(all);
            chosen.stream().filter(SourceColumn::isSequence).forEach(sequence -> planned.add(unfenceable(sequence)));
            return chosen.stream().filter(column -> !column.isSequence()).toList();
        });
        Map<SourceColumn, BigInteger> used = used(opened, selection, readings);
        List<SourceColumn> columns = readings.stream().map(Reading::column).toList();
        Map<SourceColumn, Fence> fences = opened.fences(columns);
        for (Reading reading : readings) {
            SourceColumn column = reading.column();
            BigInteger floor = selection.floor(column, columns);
            BigInteger highWater = highWater(reading, fences.get(column));
            if (floor != null && (highWater == null || column.beyond(floor, highWater))) {
                highWater = floor;
            }
            if (highWater == null) {
                highWater = column.seed().subtract(column.increment());
            }
            planned.add(addition(
                    opened,
                    reading,
                    highWater.add(margin(column, used.get(column)).multiply(column.increment())),
                    fences.get(column)));
        }
        return planned;
    }

    /** A limit of its values would bind nobody who inserts a value of his own, and would be lost with the original one. */
    private static FenceReport.Table unfenceable(SourceColumn sequence) {
        return row(
                sequence,
                null,
                List.of(),
                "refuse",
                "is a SEQUENCE object, which cannot be fenced, because any statement may draw from it. Nothing was fenced:"
                        + " add --exclude " + sequence.qualifiedTable()
                        + ", and seed it with --offline when its users have stopped");
    }

    /** Failed inserts use up ids beyond a fence that no row can have: the last value counts up to it only. */
    private static @Nullable BigInteger highWater(Reading reading, @Nullable Fence fence) {
        BigInteger highWater = reading.highWater();
        if (highWater == null || fence == null || !fence.enabled()) {
            return highWater;
        }
        BigInteger row = reading.furthestRow(null);
        boolean passed = row != null && reading.column().beyond(row, fence.last());
        return !passed && reading.column().beyond(highWater, fence.last()) ? fence.last() : highWater;
    }

    private FenceReport.Table addition(Source opened, Reading reading, BigInteger last, @Nullable Fence fence) {
        SourceColumn column = reading.column();
        if (fence == null) {
            return row(column, last, opened.addFence(column, last), "add", "");
        }
        BigInteger furthest = reading.furthestRow(null);
        if (fence.enabled() && furthest != null && column.beyond(furthest, fence.last())) {
            return row(
                    column,
                    fence.last(),
                    List.of(),
                    "refuse",
                    "has id " + furthest + " beyond its fence " + fence.last()
                            + ": if Cassandra was seeded, search for ids"
                            + " that stand for two rows. Run cassidy migrate fence --remove --apply, then"
                            + " cassidy migrate fence again");
        }
        if (!fence.enabled() && furthest != null && column.beyond(furthest, fence.last())) {
            return row(
                    column,
                    fence.last(),
                    List.of(),
                    "refuse",
                    "has id " + furthest + " beyond its fence " + fence.last()
                            + ", which is disabled or incomplete: if it"
                            + " were restored, every insert of a new id would fail. If no sequence was seeded from this"
                            + " fence, run cassidy migrate fence --remove --apply, then cassidy migrate fence"
                            + " again. If Cassandra was seeded, stop what"
                            + " inserts in the source, search for ids that stand for two rows, and fence and seed again"
                            + " before Cassandra issues more ids");
        }
        // One that is disabled is where Cassandra began nevertheless: it is restored there, or within.
        BigInteger moved = margin.equals("auto") ? fence.last() : last;
        if (column.beyond(moved, fence.last())) {
            return row(
                    column,
                    fence.last(),
                    List.of(),
                    "refuse",
                    "has a fence at " + fence.last()
                            + ", and Cassandra may issue the ids beyond it: it is not moved to " + moved
                            + (fence.enabled() ? "" : ". It is disabled; without --margin it is restored where it was")
                            + ". If no sequence was seeded yet, run cassidy migrate fence --remove --apply first");
        }
        if (!fence.enabled()) {
            return row(column, moved, opened.replaceFence(column, fence, moved), "restore", disabled(reading, fence));
        }
        return fence.last().equals(moved)
                ? row(column, moved, List.of(), "keep", "")
                : row(column, moved, opened.replaceFence(column, fence, moved), "tighten", "");
    }

    private static String disabled(Reading reading, Fence fence) {
        BigInteger highWater = reading.highWater();
        return "was disabled or incomplete"
                + (highWater != null && reading.column().beyond(highWater, fence.last())
                        ? ", and the source has reached " + highWater + ": if Cassandra was seeded, search for ids"
                                + " beyond the fence that stand for two rows"
                        : "");
    }

    private List<FenceReport.Table> removals(Source opened, Selection selection) {
        List<SourceColumn> columns =
                read(opened, selection).stream().map(Reading::column).toList();
        List<FenceReport.Table> planned = new ArrayList<>();
        opened.fences(columns)
                .forEach((column, fence) ->
                        planned.add(row(column, fence.last(), opened.dropFence(column, fence), "remove", "")));
        return planned;
    }

    private static FenceReport.Table row(
            SourceColumn column, @Nullable BigInteger last, List<String> statements, String action, String message) {
        return new FenceReport.Table(column.qualifiedTable(), column.column(), last, statements, action, null, message);
    }

    /** Returns how many ids each column used in a second; empty without a sample. */
    private Map<SourceColumn, BigInteger> used(Source opened, Selection selection, List<Reading> before) {
        Map<SourceColumn, BigInteger> used = new LinkedHashMap<>();
        Duration time = sample;
        if (time == null || !margin.equals("auto")) {
            return used;
        }
        shell.measure(time);
        Map<SourceColumn, Reading> earlier = new LinkedHashMap<>();
        before.forEach(reading -> earlier.put(reading.column(), reading));
        for (Reading now : read(opened, selection)) {
            Reading then = earlier.get(now.column());
            BigInteger to = now.highWater();
            BigInteger from = then == null ? null : then.highWater();
            if (to != null && from != null) {
                BigInteger ids = to.subtract(from).divide(now.column().increment());
                used.put(
                        now.column(),
                        ids.multiply(BigInteger.valueOf(2 * window.toSeconds()))
                                .divide(BigInteger.valueOf(time.toSeconds())));
            }
        }
        return used;
    }

    private BigInteger margin(SourceColumn column, @Nullable BigInteger used) {
        if (!margin.equals("auto")) {
            return new BigInteger(margin);
        }
        // What SQL Server's identity cache skips when the server is restarted.
        BigInteger skipped = BigInteger.valueOf(
                switch (column.type()) {
                    case "tinyint" -> 10;
                    case "smallint" -> 100;
                    case "int", "mediumint" -> 1_000;
                    default -> 10_000;
                });
        return used == null ? skipped : skipped.max(used);
    }

    private List<FenceReport.Table> apply(Source opened, Selection selection, List<FenceReport.Table> planned) {
        long changes =
                planned.stream().filter(table -> !table.statements().isEmpty()).count();
        if (changes > 0) {
            shell.progress(opened.fenceNote());
            shell.confirm(
                    yes,
                    (remove ? "Remove " : "Add ") + changes + " fences?",
                    "run cassidy migrate fence without --apply first");
        }
        Map<String, SourceColumn> columns = new LinkedHashMap<>();
        read(opened, selection).forEach(reading -> columns.put(reading.column().qualifiedTable(), reading.column()));
        List<FenceReport.Table> done = new ArrayList<>();
        for (FenceReport.Table table : planned) {
            SourceColumn column = columns.get(table.table());
            if (column == null) {
                done.add(table.with("failed", "was dropped meanwhile"));
                continue;
            }
            try {
                done.add(apply(opened, column, table));
            } catch (MigrationException e) {
                if (e.exitCode() == ExitCode.INTERRUPTED) {
                    throw e;
                }
                // The others are fenced all the same: a fence alone harms nothing.
                done.add(table.with("failed", String.valueOf(e.getMessage())));
            }
        }
        return remove ? done : witnessed(opened, selection, done);
    }

    private FenceReport.Table apply(Source opened, SourceColumn column, FenceReport.Table table) {
        List<String> statements = table.statements();
        BigInteger last = Objects.requireNonNull(table.last());
        // The statements that remove the old fence are the last.
        int removing = table.action().equals("tighten")
                ? opened.dropFence(column, new Fence("", last, true)).size()
                : 0;
        int first = statements.size() - removing;
        change(opened, column, statements.subList(0, first));
        if (first < statements.size()) {
            BigInteger furthest = opened.read(all -> List.of(column)).get(0).furthestRow(null);
            if (furthest != null && column.beyond(furthest, last)) {
                // Inserted since the limit was chosen. The old fence holds the line that Cassandra relies on.
                Fence added = opened.fences(List.of(column)).get(column);
                if (added != null && added.last().equals(last)) {
                    change(opened, column, opened.dropFence(column, added));
                }
                return table.with(
                        "passed",
                        "id " + furthest + " was inserted beyond " + last + " while that fence was added: it is"
                                + " removed again, and the old one stands. Stop what inserts, or give a larger --margin,"
                                + " and run again");
            }
            change(opened, column, statements.subList(first, statements.size()));
        }
        return table.with(remove ? "removed" : statements.isEmpty() ? "kept" : "fenced", table.message());
    }

    private void change(Source opened, SourceColumn column, List<String> statements) {
        for (String statement : statements) {
            shell.progress(statement);
            opened.change(column, statement, lockTimeout, tries, shell::progress);
        }
    }

    /** What counts is what the source holds now: the fence stands, and no row lies beyond it. */
    private List<FenceReport.Table> witnessed(Source opened, Selection selection, List<FenceReport.Table> done) {
        Map<String, Fence> fences = new LinkedHashMap<>();
        Map<String, Reading> readings = new LinkedHashMap<>();
        List<Reading> now = opened.read(all -> {
            List<SourceColumn> chosen = selection.choose(all).stream()
                    .filter(column -> !column.isSequence())
                    .toList();
            opened.fences(chosen).forEach((column, fence) -> fences.put(column.qualifiedTable(), fence));
            return chosen;
        });
        now.forEach(reading -> readings.put(reading.column().qualifiedTable(), reading));
        List<FenceReport.Table> seen = new ArrayList<>();
        for (FenceReport.Table table : done) {
            Fence fence = fences.get(table.table());
            Reading reading = readings.get(table.table());
            BigInteger furthest = reading == null ? null : reading.furthestRow(null);
            BigInteger last = Objects.requireNonNull(table.last());
            boolean stands = fence != null && fence.enabled() && fence.last().equals(last);
            // What failed because another run was faster has succeeded.
            if (("failed".equals(table.result()) && !stands) || "passed".equals(table.result())) {
                seen.add(table);
            } else if (!stands) {
                seen.add(table.with("missing", "the fence does not stand: " + fence));
            } else if (reading != null && furthest != null && reading.column().beyond(furthest, last)) {
                seen.add(table.with(
                        "passed",
                        "id " + furthest
                                + " lies beyond the fence; it was inserted before the fence stood, or past it."
                                + " Run cassidy migrate fence --remove --apply, then cassidy migrate"
                                + " fence with a larger --margin"));
            } else {
                seen.add("failed".equals(table.result()) ? table.with("fenced", "") : table);
            }
        }
        return seen;
    }
}
