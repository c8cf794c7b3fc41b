package dev.cassidy.migration;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@code tables rebuild}.
 *
 * @param uniques of each UNIQUE that is kept
 * @param forms of the forms by which indexes compare strings; null if the table has none
 */
record RebuildReport(
        String command,
        int exitCode,
        String keyspace,
        String table,
        List<Entry> uniques,
        @Nullable Forms forms) implements Report {

    /**
     * What was done for forms by which indexes compare strings.
     *
     * @param columns of which they are
     * @param rows how many were read
     * @param given how many lacked one, or had a wrong one
     * @param broken which rows did not get them
     */
    record Forms(List<String> columns, long rows, long given, List<String> broken) {

        Forms {
            columns = List.copyOf(columns);
            broken = List.copyOf(broken);
        }

        private void text(String table, StringBuilder text) {
            text.append(table + ": what indexes on " + String.join(", ", columns) + " compare: " + given
                    + (given == 1 ? " row" : " rows") + " mended; " + rows + " rows were read\n");
            broken.forEach(line -> text.append("warning: ").append(line).append('\n'));
        }
    }

    /**
     * What was done for a UNIQUE.
     *
     * @param unique as T-SQL writes it
     * @param reservations the table that has them
     * @param rows how many were read
     * @param reserved how many reservations were read
     * @param added how many were missing
     * @param moved how many named a row that does not have the value, and name the one now that does
     * @param removed how many were of no row
     * @param broken what only who owns the rows can correct
     */
    record Entry(
            String unique,
            String reservations,
            long rows,
            long reserved,
            long added,
            long moved,
            long removed,
            List<String> broken) {

        Entry {
            broken = List.copyOf(broken);
        }
    }

    RebuildReport {
        uniques = List.copyOf(uniques);
    }

    @Override
    public String text() {
        if (uniques.isEmpty() && forms == null) {
            return keyspace + "." + table + ": no UNIQUE of it is kept by reservations\n";
        }
        StringBuilder text = new StringBuilder();
        for (Entry each : uniques) {
            text.append(keyspace + "." + table + ": " + each.unique() + ": " + each.added() + " added, " + each.moved()
                    + " moved, " + each.removed() + " removed; " + each.rows() + " rows and " + each.reserved()
                    + " reservations were read\n");
            each.broken().forEach(line -> text.append("warning: ").append(line).append('\n'));
        }
        if (forms != null) {
            forms.text(keyspace + "." + table, text);
        }
        return text.toString();
    }
}
