package dev.cassidy.migration;

import dev.cassidy.migration.plan.TableReport;
import java.math.BigDecimal;
import java.math.RoundingMode;
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
                    table.column().isEmpty() ? table.table() : table.table() + "." + table.column(),
                    table.type(),
                    table.furthest(),
                    table.lastValue(),
                    table.basis(),
                    table.next(),
                    table.percentLeft(),
                    table.target() == null
                            ? null
                            : table.target().column().isEmpty()
                                    ? table.target().sequence()
                                    : table.target().sequence() + ":"
                                            + table.target().column(),
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
        report.findings().forEach(finding -> out.append(finding.level())
                .append(": ")
                .append(finding.message())
                .append('\n'));
        return out.toString();
    }

    /** One row per datacenter; values of the whole sequence are in the first row. */
    static String of(StatusReport report) {
        TextTable text = new TextTable(
                List.of(
                        "sequence",
                        "left %",
                        "next id",
                        "dc",
                        "reserved %",
                        "issued %",
                        "ids/h",
                        "peak/h",
                        "blocks",
                        "tails",
                        "ends"),
                List.of(false, true, true, false, true, true, true, true, true, true, false));
        StringBuilder notes = new StringBuilder();
        for (StatusReport.SequenceReport sequence : report.sequences()) {
            List<StatusReport.DatacenterReport> datacenters = sequence.datacenters();
            if (datacenters.isEmpty()) {
                text.add(
                        sequence.sequence(),
                        tenths(sequence.headroomPercent()),
                        sequence.next(),
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        ends(sequence));
            }
            for (int i = 0; i < datacenters.size(); i++) {
                StatusReport.DatacenterReport datacenter = datacenters.get(i);
                text.add(
                        i > 0 ? "" : sequence.sequence(),
                        i > 0 ? "" : tenths(sequence.headroomPercent()),
                        i > 0 ? "" : sequence.next() == null ? "none" : sequence.next(),
                        datacenter.datacenter(),
                        share(datacenter.reservedPercent()),
                        share(datacenter.issuedPercent()),
                        datacenter.claimedThisHour(),
                        datacenter.busiestHour(),
                        datacenter.blocks(),
                        datacenter.tails(),
                        i > 0 ? "" : ends(sequence));
                note(notes, sequence.sequence() + ": datacenter " + datacenter.datacenter(), datacenter.note());
            }
            note(notes, sequence.sequence(), sequence.note());
            if (sequence.low()) {
                notes.append("low: ")
                        .append(sequence.sequence())
                        .append(": ")
                        .append(tenths(sequence.headroomPercent()))
                        .append(" % left, below --min-headroom ")
                        .append(report.minHeadroom())
                        .append('\n');
            }
        }
        return text.toString() + notes;
    }

    static String of(TransactionsReport report) {
        TextTable text = new TextTable(
                List.of("id", "home", "state", "age", "rows", "holder"),
                List.of(false, false, false, true, true, false));
        for (TransactionsReport.Entry each : report.transactions()) {
            text.add(
                    each.id(),
                    TransactionsReport.homeText(each.home()),
                    each.state(),
                    TransactionsReport.ageText(each.ageSeconds()),
                    each.rows(),
                    each.holder());
        }
        return text.toString();
    }

    private static void note(StringBuilder notes, String about, @Nullable String note) {
        if (note != null) {
            notes.append("note: ").append(about).append(": ").append(note).append('\n');
        }
    }

    private static String ends(StatusReport.SequenceReport sequence) {
        if (!sequence.ready()) {
            return "awaits its seed";
        }
        return sequence.ends() == null
                ? Objects.toString(sequence.endsNote(), "-")
                : sequence.ends().substring(0, "2026-01-01".length());
    }

    /** Rounded down: 99.99 % left is not all of it. */
    private static String tenths(double percent) {
        return BigDecimal.valueOf(percent).setScale(1, RoundingMode.FLOOR).toPlainString();
    }

    private static @Nullable String share(@Nullable Double percent) {
        if (percent == null) {
            return null;
        }
        return percent > 0 && percent < 0.1 ? "<0.1" : tenths(percent);
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
