package dev.cassidy.migration.plan;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.source.Fence;
import dev.cassidy.migration.source.Reading;
import dev.cassidy.migration.source.ScanLimit;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceColumn;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Readings of a source that may still insert, behind its fences. A fence is read before MAX: a row that MAX shows was then
 * accepted with the fence in place, or lies within it. It is read again after that, because it must still stand.
 */
public final class Fences {

    private Fences() {}

    /**
     * Reads the chosen columns; one with a fence reads as if all ids up to the fence were used.
     *
     * @param required whether a column without a fence is refused; otherwise it is read as it is
     * @throws MigrationException {@link ExitCode#REFUSED} without a fence, {@link ExitCode#RISK} if rows lie beyond it
     */
    public static List<Reading> read(Source source, UnaryOperator<List<SourceColumn>> choose, boolean required) {
        return read(source, choose, ScanLimit.ALWAYS, required);
    }

    /**
     * Reads the columns of {@code selection}, within its limit of what is read for a maximum.
     *
     * @param required as in {@link #read(Source, UnaryOperator, boolean)}
     */
    public static List<Reading> read(Source source, Selection selection, boolean required) {
        return read(source, selection::choose, selection.maxScan(), required);
    }

    private static List<Reading> read(
            Source source, UnaryOperator<List<SourceColumn>> choose, ScanLimit limit, boolean required) {
        Map<SourceColumn, Fence> before = new LinkedHashMap<>();
        List<Reading> readings = source.read(
                all -> {
                    List<SourceColumn> chosen = choose.apply(all);
                    before.putAll(source.fences(chosen));
                    return chosen;
                },
                limit);
        Map<SourceColumn, Fence> after =
                source.fences(readings.stream().map(Reading::column).toList());
        List<Reading> fenced = new ArrayList<>();
        for (Reading reading : readings) {
            Fence fence = before.get(reading.column());
            BigInteger beyond = null;
            if (fence != null && fence.enabled() && fence.equals(after.get(reading.column()))) {
                beyond = beyond(reading, fence);
                if (beyond == null) {
                    fenced.add(reading.fencedAt(fence.last()));
                    continue;
                }
            }
            if (required) {
                throw refusal(reading.column(), fence, beyond);
            }
            fenced.add(reading);
        }
        return fenced;
    }

    /**
     * Returns the columns that nothing holds back any more, with what that means: their fence is not enabled, or they have
     * none and {@code required} says that they need one. The fences are read again.
     */
    public static Map<SourceColumn, Finding> missing(Source source, List<SourceColumn> columns, boolean required) {
        Map<SourceColumn, Fence> fences = source.fences(columns);
        Map<SourceColumn, Finding> missing = new LinkedHashMap<>();
        for (SourceColumn column : columns) {
            Fence fence = fences.get(column);
            if (fence != null && !fence.enabled()) {
                missing.put(
                        column,
                        Finding.risk("the fence of " + column.name() + " at " + fence.last()
                                + " is disabled or incomplete: a source that still inserts passes it, and uses ids that"
                                + " Cassandra issues. Run cassidy migrate fence --apply and then cassidy migrate"
                                + " seed, or, if nothing inserts there any more,"
                                + " cassidy migrate fence --remove --apply"));
            } else if (fence == null && required) {
                missing.put(column, Finding.risk(lack(column, null)));
            }
        }
        return missing;
    }

    private static String lack(SourceColumn column, @Nullable Fence fence) {
        if (column.isSequence()) {
            return "sequence " + column.qualifiedTable() + " cannot be fenced, because any statement may draw from it:"
                    + " stop its users and run cassidy migrate seed --offline, or --exclude " + column.qualifiedTable();
        }
        return column.name()
                + (fence == null ? " has no fence" : " has a fence that is disabled or changed meanwhile")
                + ": while the source still inserts, it would continue to use the ids that Cassandra issues. Run"
                + " cassidy"
                + " migrate fence --apply, or stop the writers and run cassidy migrate seed --offline";
    }

    private static @Nullable BigInteger beyond(Reading reading, Fence fence) {
        BigInteger furthest = reading.furthestRow(null);
        return furthest != null && reading.column().beyond(furthest, fence.last()) ? furthest : null;
    }

    private static MigrationException refusal(SourceColumn column, @Nullable Fence fence, @Nullable BigInteger beyond) {
        if (!column.isSequence() && beyond != null && fence != null) {
            return new MigrationException(
                    ExitCode.RISK,
                    column.name() + " has id " + beyond + " beyond its fence " + fence.last()
                            + ", inserted before the fence or past it (bulk loads skip checks). Remove the"
                            + " fence with cassidy migrate fence --remove --apply, and fence again");
        }
        return new MigrationException(ExitCode.REFUSED, lack(column, fence));
    }
}
