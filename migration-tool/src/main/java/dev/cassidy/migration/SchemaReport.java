package dev.cassidy.migration;

import dev.cassidy.migration.error.Finding;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Of {@code schema}. As a text it is a script for cqlsh.
 *
 * @param applied whether the tables were created and registered, and not just printed
 */
record SchemaReport(String command, int exitCode, String source, boolean applied, List<Table> tables)
        implements Report {

    SchemaReport {
        tables = List.copyOf(tables);
    }

    /**
     * A table.
     *
     * @param cql the statement that creates it; null if that is refused
     * @param sequence of its identity column; null without one
     * @param indexes statements of the indexes that the source's own suggest
     * @param uniques the command lines that keep the source's unique constraints and indexes, to be run when the rows are copied
     * @param result {@code created}, {@code exists} or null if nothing was applied
     */
    record Table(
            String table,
            String target,
            @Nullable String cql,
            @Nullable String sequence,
            List<Report.DeclaredDefault> defaults,
            @Nullable String writes,
            List<String> indexes,
            List<String> uniques,
            List<Loss> losses,
            List<Finding> findings,
            @Nullable String result) {

        Table {
            defaults = List.copyOf(defaults);
            indexes = List.copyOf(indexes);
            uniques = List.copyOf(uniques);
            losses = List.copyOf(losses);
            findings = List.copyOf(findings);
        }

        Table with(String done) {
            return new Table(table, target, cql, sequence, defaults, writes, indexes, uniques, losses, findings, done);
        }

        boolean refused() {
            return findings.stream().anyMatch(finding -> finding.level() == Finding.Level.REFUSED);
        }
    }

    /**
     * A column whose values Cassandra cannot all keep.
     *
     * @param column {@code schema.table.column}
     * @param values how many would change; null if they were not counted
     */
    record Loss(String column, String meaning, @Nullable Long values, String example, boolean accepted) {}

    @Override
    public String text() {
        StringBuilder text = new StringBuilder();
        for (Table table : tables) {
            line(text, table.table() + " -> " + table.target() + (table.result() == null ? "" : ": " + table.result()));
            table.losses()
                    .forEach(loss -> line(
                            text,
                            "loss: " + loss.column() + ": " + loss.meaning() + ": "
                                    + (loss.values() == null ? "not counted" : loss.values() + " values")
                                    + (loss.example().isEmpty() ? "" : ", such as " + loss.example())
                                    + (loss.accepted() ? " (accepted)" : "")));
            table.findings()
                    .forEach(finding ->
                            line(text, finding.level().name().toLowerCase(Locale.ROOT) + ": " + finding.message()));
            if (table.sequence() != null) {
                line(text, "sequence: " + table.sequence() + ", registered without an id to issue before seed");
            }
            table.defaults().forEach(each -> line(text, "default: " + each.column() + " = " + each.expression()));
            if (table.writes() != null) {
                line(text, "writes: " + table.writes());
            }
            if (table.cql() != null) {
                text.append(table.cql()).append(";\n");
            }
            table.indexes().forEach(index -> line(text, "proposed: " + index + ";"));
            table.uniques().forEach(each -> line(text, "after copy: " + each));
            text.append('\n');
        }
        return text.toString();
    }

    /** A message of several lines stays a comment. */
    private static void line(StringBuilder text, String message) {
        text.append("-- ").append(message.replace("\n", "\n-- ")).append('\n');
    }
}
