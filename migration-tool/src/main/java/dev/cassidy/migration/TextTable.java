package dev.cassidy.migration;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Lays results out in columns. */
final class TextTable {

    private static final String GAP = "  ";

    private final List<String> headings;
    private final List<Boolean> numeric;
    private final List<List<String>> rows = new ArrayList<>();

    private TextTable(List<String> headings, List<Boolean> numeric) {
        this.headings = headings;
        this.numeric = numeric;
    }

    static String of(Report.Tables report) {
        boolean done = report.tables().stream().anyMatch(table -> table.result() != null);
        TextTable text = new TextTable(
                List.of(
                        "table",
                        "type",
                        "furthest",
                        "last value",
                        "decided by",
                        "next id",
                        "left %",
                        "target",
                        done ? "result" : "action"),
                List.of(false, false, true, true, false, true, true, false, false));
        for (TableReport table : report.tables()) {
            text.add(
                    table.table() + "." + table.column(),
                    table.type(),
                    table.furthest(),
                    table.lastValue(),
                    table.basis(),
                    table.next(),
                    table.percentLeft(),
                    table.target() == null
                            ? null
                            : table.target().sequence() + ":" + table.target().column(),
                    done ? table.result() : table.action());
        }
        StringBuilder out = new StringBuilder(text.toString());
        for (TableReport table : report.tables()) {
            for (TableReport.FindingReport finding : table.findings()) {
                String about = finding.message().startsWith(table.table()) ? "" : table.table() + ": ";
                out.append(finding.level())
                        .append(": ")
                        .append(about)
                        .append(finding.message())
                        .append('\n');
            }
        }
        return out.toString();
    }

    private void add(@Nullable Object... cells) {
        List<String> row = new ArrayList<>();
        for (Object cell : cells) {
            row.add(Objects.toString(cell, "-"));
        }
        rows.add(row);
    }

    @Override
    public String toString() {
        List<List<String>> lines = new ArrayList<>();
        lines.add(headings);
        lines.addAll(rows);
        StringBuilder out = new StringBuilder();
        for (List<String> line : lines) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < line.size(); i++) {
                String cell = line.get(i);
                String padding = " ".repeat(width(lines, i) - cell.length());
                text.append(i == 0 ? "" : GAP).append(numeric.get(i) ? padding + cell : cell + padding);
            }
            out.append(text.toString().stripTrailing()).append('\n');
        }
        return out.toString();
    }

    private static int width(List<List<String>> lines, int column) {
        return lines.stream().mapToInt(line -> line.get(column).length()).max().orElse(0);
    }
}
