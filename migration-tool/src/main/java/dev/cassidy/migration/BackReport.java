package dev.cassidy.migration;

import dev.cassidy.migration.rows.BackCopier;
import java.util.List;

/**
 * Of {@code copy-back}.
 *
 * @param source the source's URL without secrets
 * @param state the state file of the copy
 * @param applied whether rows were written; false for a dry run
 */
record BackReport(
        String command, int exitCode, String source, String state, boolean applied, List<BackCopier.Result> tables)
        implements Report {

    BackReport {
        tables = List.copyOf(tables);
    }

    @Override
    public String text() {
        StringBuilder text = new StringBuilder();
        for (BackCopier.Result table : tables) {
            text.append(table.target())
                    .append(" -> ")
                    .append(table.table())
                    .append(": ")
                    .append(table.rows())
                    .append(" rows in Cassandra; ")
                    .append(applied ? "" : "would be ")
                    .append("inserted ")
                    .append(table.inserted())
                    .append(", updated ")
                    .append(table.updated());
            if (applied && table.equal()) {
                text.append("; all rows are equal now");
            }
            text.append('\n');
            line(text, table.left(), "rows of Cassandra that the source still does not have so");
            line(text, table.onlyInSource(), "rows only in the source: deleted in Cassandra, or never copied");
            line(
                    text,
                    table.changedInSource(),
                    "rows that differ, and that no application wrote a value to in Cassandra since the copy");
            line(text, table.deletedInSource(), "rows that were copied, and that the source does not have any more");
            if (!table.unmatched().isEmpty()) {
                text.append("  columns that stay behind, because the source has none of the name: ")
                        .append(String.join(", ", table.unmatched()))
                        .append('\n');
            }
            table.refusals().forEach((key, why) -> text.append("  refused: ")
                    .append(key)
                    .append(": ")
                    .append(why)
                    .append('\n'));
            table.examples()
                    .forEach(example -> text.append("    ").append(example).append('\n'));
        }
        return text.toString();
    }

    private static void line(StringBuilder text, long count, String what) {
        if (count > 0) {
            text.append("  ").append(count).append(' ').append(what).append('\n');
        }
    }
}
