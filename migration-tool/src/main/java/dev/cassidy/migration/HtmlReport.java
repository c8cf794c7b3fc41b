package dev.cassidy.migration;

import com.samskivert.mustache.Mustache;
import dev.cassidy.migration.plan.Sample;
import dev.cassidy.migration.plan.TableReport;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A result as one page for a DBA, who reads, prints and signs it. It needs no other file, no script and no network. */
final class HtmlReport {

    private static final int WIDTH = 600;
    private static final BigDecimal LITTLE = BigDecimal.TEN;

    private static final Map<String, String> RULES = Map.of(
            "last_value", "the last value that the source remembers, plus the increment",
            "maximum", "the furthest id in the table, plus the increment: the last value is behind it",
            "elsewhere", "the furthest id in a table that refers to this one, plus the increment",
            "fence", "the last id that the fence lets the source use, plus the increment",
            "floor", "the floor that was given, plus the increment",
            "seed", "the seed: no id was ever generated",
            "wrapped", "the last value plus the increment, up to the next existing id: the ids have wrapped");

    private HtmlReport() {}

    /** One line of a list of facts. */
    record Fact(String name, String value) {}

    static String of(Report.Tables report, List<Fact> facts) {
        List<Map<String, Object>> tables = new ArrayList<>();
        for (TableReport table : report.tables()) {
            tables.add(table(tables.size(), table));
        }
        Map<String, Object> page = Map.ofEntries(
                Map.entry("command", report.command()),
                Map.entry("source", report.source()),
                Map.entry("verdict", verdict(report)),
                Map.entry("verdictClass", report.exitCode() == 0 ? "ok" : report.exitCode() == 10 ? "warning" : "risk"),
                Map.entry("facts", facts),
                Map.entry("tableCount", tables.size()),
                Map.entry(
                        "resultName",
                        report.tables().stream().anyMatch(table -> table.result() != null) ? "result" : "action"),
                Map.entry("tables", tables),
                Map.entry("hasDatabase", !report.findings().isEmpty()),
                Map.entry("database", report.findings()),
                Map.entry("hasCopied", !report.rows().isEmpty()),
                Map.entry(
                        "copied",
                        report.rows().stream().map(CopiedRows.Row::text).toList()),
                Map.entry("notes", notes()));
        try (Reader template = template()) {
            return Mustache.compiler().escapeHTML(true).compile(template).execute(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Reader template() {
        InputStream found = Objects.requireNonNull(
                HtmlReport.class.getResourceAsStream("/dev/cassidy/migration/report.mustache"), "report.mustache");
        return new InputStreamReader(found, StandardCharsets.UTF_8);
    }

    private static List<String> notes() {
        return List.of("Bars: grey is used or cannot be used any more; the coloured part is left from the next id on."
                + " Values before are those that were read before the command changed anything.");
    }

    private static String verdict(Report.Tables report) {
        return switch (report.exitCode()) {
            case 0 -> "Exit code 0: done, or nothing to do.";
            case 3 ->
                "Exit code 3: source and Cassandra disagree, the source is not at rest, or a check failed. Ids may"
                        + " collide. See the findings.";
            case 4 -> "Exit code 4: refused; nothing was changed. See the findings.";
            case 5 -> "Exit code 5: some sequences were written and some were not. Run the command again.";
            case 10 -> "Exit code 10: changes are pending.";
            default -> "Exit code " + report.exitCode() + ".";
        };
    }

    private static Map<String, Object> table(int index, TableReport table) {
        String result = table.result() == null ? table.action() : table.result();
        BigDecimal left = table.percentLeft();
        double used = left == null ? WIDTH : WIDTH * (100 - left.doubleValue()) / 100;
        return Map.ofEntries(
                Map.entry("index", index),
                Map.entry("name", table.table() + "." + table.column()),
                Map.entry("type", table.type()),
                Map.entry("next", text(table.next())),
                Map.entry("basis", text(table.basis())),
                Map.entry("left", left == null ? "-" : left + " %"),
                Map.entry("result", result),
                Map.entry("resultClass", resultClass(result)),
                Map.entry("worst", worst(table)),
                Map.entry("findingSummary", summary(table)),
                Map.entry("hasHeadroom", left != null),
                Map.entry("usedWidth", String.valueOf(Math.round(used))),
                Map.entry("leftWidth", String.valueOf(WIDTH - Math.round(used))),
                Map.entry("leftColour", left != null && left.compareTo(LITTLE) < 0 ? "#c0392b" : "#4c9a5f"),
                Map.entry("picture", picture(table)),
                Map.entry("rows", rows(table)),
                Map.entry("hasFindings", !table.findings().isEmpty()),
                Map.entry("findings", table.findings()));
    }

    private static String picture(TableReport table) {
        return table.percentLeft() == null
                ? "No next id is given, so nothing is known of what is left."
                : table.percentLeft() + " % of the ids are left from " + table.next() + " on.";
    }

    private static List<Fact> rows(TableReport table) {
        List<Fact> rows = new ArrayList<>();
        rows.add(new Fact("seed, increment", table.seed() + ", " + table.increment()));
        rows.add(new Fact(
                table.increment().signum() < 0 ? "MIN in the table" : "MAX in the table", text(table.furthest())));
        rows.add(new Fact("last value of the source", text(table.lastValue())));
        Sample sample = table.sample();
        if (sample != null) {
            rows.add(new Fact(
                    "use of ids",
                    sample.used() + " in " + sample.seconds() + " s, " + sample.perHour() + " in an hour"));
        }
        rows.add(new Fact(
                "deciding rule",
                table.basis() == null ? "none: see the findings" : RULES.getOrDefault(table.basis(), table.basis())));
        rows.add(new Fact("next id", text(table.next())));
        TableReport.TargetReport target = table.target();
        if (target != null) {
            rows.add(new Fact("target", target.sequence() + ":" + target.column() + " (" + text(target.type()) + ")"));
            rows.add(new Fact("sequence before", before(target)));
            TableReport.AfterReport after = table.after();
            if (after != null) {
                rows.add(new Fact("sequence after", state(after.ready(), after.next(), after.floor())));
            }
        }
        if (table.probe() != null) {
            rows.add(new Fact("probe", "Cassandra issued " + table.probe()));
        }
        rows.add(new Fact(
                table.result() == null ? "seed would" : "result",
                table.result() == null ? table.action() : table.result()));
        return rows;
    }

    private static String before(TableReport.TargetReport target) {
        return target.ready() == null
                ? "none, or Cassandra was not asked"
                : state(target.ready(), target.next(), target.floor());
    }

    private static String state(boolean ready, @Nullable Long next, @Nullable Long floor) {
        return (ready ? "ready" : "awaits its seed") + ", next id " + text(next) + ", floor " + text(floor);
    }

    private static String resultClass(String result) {
        return switch (result) {
            case "ok", "none", "unchanged", "seeded", "raised", "registered" -> "ok";
            case "create", "seed", "raise", "register", "unknown" -> "info";
            default -> "risk";
        };
    }

    private static String worst(TableReport table) {
        List<String> levels =
                table.findings().stream().map(TableReport.FindingReport::level).toList();
        return List.of("refused", "risk", "warning", "info").stream()
                .filter(levels::contains)
                .findFirst()
                .orElse("ok");
    }

    private static String summary(TableReport table) {
        return table.findings().isEmpty() ? "none" : table.findings().size() + ", worst: " + worst(table);
    }

    private static String text(@Nullable Object value) {
        return value == null ? "-" : String.valueOf(value);
    }
}
