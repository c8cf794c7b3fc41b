package dev.cassidy.migration.plan;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.source.Fence;
import dev.cassidy.migration.source.Reading;
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
        Map<SourceColumn, Fence> before = new LinkedHashMap<>();
        List<Reading> readings = source.read(all -> {
            List<SourceColumn> chosen = choose.apply(all);
            before.putAll(source.fences(chosen));
            return chosen;
        });
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

    private static @Nullable BigInteger beyond(Reading reading, Fence fence) {
        BigInteger furthest = reading.furthestRow(null);
        return furthest != null && reading.column().beyond(furthest, fence.last()) ? furthest : null;
    }

    private static MigrationException refusal(SourceColumn column, @Nullable Fence fence, @Nullable BigInteger beyond) {
        if (column.isSequence()) {
            return new MigrationException(
                    ExitCode.REFUSED,
                    "sequence " + column.qualifiedTable() + " cannot be fenced, because any statement may draw from it:"
                            + " stop its users and run seed --offline, or --exclude " + column.qualifiedTable());
        }
        if (beyond != null && fence != null) {
            return new MigrationException(
                    ExitCode.RISK,
                    column.name() + " has id " + beyond + " beyond its fence " + fence.last()
                            + ", inserted before the fence or past it (bulk loads skip checks). Nothing was written."
                            + " Remove the fence with fence --remove, and fence again");
        }
        return new MigrationException(
                ExitCode.REFUSED,
                column.name()
                        + (fence == null ? " has no fence" : " has a fence that is disabled or changed meanwhile")
                        + ": while the source still inserts, it would go on to use the ids that Cassandra issues. Run fence"
                        + " --apply, or stop the writers and run seed --offline");
    }
}
