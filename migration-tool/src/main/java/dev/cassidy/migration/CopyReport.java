package dev.cassidy.migration;

import dev.cassidy.migration.rows.CopyResult;
import dev.cassidy.migration.rows.DeltaCopier;
import dev.cassidy.migration.rows.RowVerifier;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Of {@code copy} and {@code export}.
 *
 * @param state the state file
 * @param timestamp of the rows, in microseconds since 1970
 * @param rows how many rows this run did
 * @param seconds how long that took
 * @param stopped why not everything was tried; null if it was
 */
record CopyReport(
        String command,
        int exitCode,
        String source,
        String state,
        long timestamp,
        long rows,
        double seconds,
        long rowsPerSecond,
        @Nullable String stopped,
        List<Table> tables)
        implements Report {

    private static final double NANOS_A_SECOND = 1e9;

    CopyReport {
        tables = List.copyOf(tables);
    }

    /**
     * A table.
     *
     * @param rows how many are done, by this run and by those before
     * @param done how many of the ranges are done
     * @param conditions the ranges in SQL, of {@code --dry-run} alone
     * @param comparison with Cassandra; null if there was none
     * @param delta what was followed; null without {@code --delta}
     */
    record Table(
            String table,
            String target,
            long rows,
            int ranges,
            int done,
            Map<String, String> failures,
            List<String> conditions,
            RowVerifier.@Nullable Comparison comparison,
            DeltaCopier.@Nullable Round delta) {

        static Table of(CopyResult.Table result) {
            return new Table(
                    result.table(),
                    result.target(),
                    result.rows(),
                    result.ranges(),
                    result.done(),
                    result.failures(),
                    List.of(),
                    null,
                    null);
        }

        Table with(String what, String why) {
            return new Table(table, target, rows, ranges, done, Map.of(what, why), conditions, comparison, delta);
        }

        Table with(RowVerifier.Comparison found) {
            return new Table(table, target, rows, ranges, done, failures, conditions, found, delta);
        }

        Table with(DeltaCopier.Round round) {
            return new Table(table, target, rows, ranges, done, failures, conditions, comparison, round);
        }

        Table with(List<String> sql) {
            return new Table(table, target, rows, ranges, done, failures, sql, comparison, delta);
        }
    }

    static double seconds(long nanos) {
        return nanos / NANOS_A_SECOND;
    }

    @Override
    public String text() {
        StringBuilder text = new StringBuilder();
        for (Table table : tables) {
            text.append(table.table())
                    .append(" -> ")
                    .append(table.target())
                    .append(": ")
                    .append(table.rows())
                    .append(" rows, ")
                    .append(table.done())
                    .append(" of ")
                    .append(table.ranges())
                    .append(" ranges\n");
            table.conditions().forEach(condition -> text.append("  range: ")
                    .append(condition.isEmpty() ? "all rows" : condition)
                    .append('\n'));
            table.failures().forEach((range, why) -> text.append("  not done: ")
                    .append(range)
                    .append(": ")
                    .append(why)
                    .append('\n'));
            if (table.delta() != null) {
                DeltaCopier.Round round = table.delta();
                text.append("  changes of versions ")
                        .append(round.from())
                        .append(" to ")
                        .append(round.to())
                        .append(": ")
                        .append(round.written())
                        .append(" rows written, ")
                        .append(round.deleted())
                        .append(" deleted\n");
            }
            if (table.comparison() != null) {
                text.append(compared(table.comparison()));
            }
        }
        text.append(rows).append(" rows in this run");
        if (rows > 0) {
            text.append(", ").append(rowsPerSecond).append(" rows/s");
        }
        text.append("; state file ").append(state).append('\n');
        if (stopped != null) {
            text.append("stopped: ").append(stopped).append('\n');
        }
        return text.toString();
    }

    static String compared(RowVerifier.Comparison found) {
        StringBuilder text = new StringBuilder("  ")
                .append(found.reread() ? "compared with the source as it is now: " : "compared with what was read: ")
                .append(found.rows())
                .append(" rows");
        if (found.comparedNothing()) {
            text.append("; all rows are younger than the copy: were they loaded without its timestamp?");
        } else if (found.equal()) {
            text.append(", all equal");
        } else {
            text.append("; missing in Cassandra ")
                    .append(found.missing())
                    .append(", different ")
                    .append(found.different())
                    .append(", not in the source ")
                    .append(found.extra());
        }
        if (found.wrongKeys() > 0) {
            text.append("; with a key that is not that of its value: ").append(found.wrongKeys());
        }
        if (found.younger() > 0) {
            text.append("; not compared, because an application wrote to them since the copy: ")
                    .append(found.younger());
        }
        text.append('\n');
        found.examples().forEach(example -> text.append("    ").append(example).append('\n'));
        return text.toString();
    }
}
