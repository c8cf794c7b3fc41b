package dev.cassidy.migration.rows;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What became of a run.
 *
 * @param rows how many rows this run did completely
 * @param stopped why the run ended before it had tried everything; null if it did not
 */
public record CopyResult(
        List<Table> tables, long rows, long nanos, @Nullable String stopped) {

    private static final double NANOS_A_SECOND = 1e9;

    public CopyResult {
        tables = List.copyOf(tables);
    }

    /**
     * What became of a table.
     *
     * @param rows how many are done, by this run and by those before
     * @param ranges how many ranges there are
     * @param done how many of them are done
     * @param failures why ranges are not done, by their condition in SQL
     */
    public record Table(String table, String target, long rows, int ranges, int done, Map<String, String> failures) {

        public Table {
            failures = new LinkedHashMap<>(failures);
        }

        public boolean complete() {
            return ranges == done;
        }
    }

    public boolean complete() {
        return tables.stream().allMatch(Table::complete);
    }

    public long rowsASecond() {
        return nanos == 0 ? 0 : Math.round(rows / (nanos / NANOS_A_SECOND));
    }
}
