package dev.cassidy.migration.assess;

import java.util.List;

/** Makes one page of a report that needs no other file. It holds no script: it can be read wherever it is sent. */
public final class AssessmentPage {

    private static final String STYLE = """
            :root { --ink: #1d2733; --soft: #5b6b7c; --line: #dfe5ec; --paper: #f5f7fa; --card: #fff; --code: #f0f3f7;
              --served: #1a7f4b; --rewritten: #1f6fb2; --assisted: #6b4fb3; --unknown: #8a6d1a; --refused: #b3362c; }
            @media (prefers-color-scheme: dark) { :root { --ink: #e4eaf1; --soft: #9bacbd; --line: #34404d; --paper: #151b22;
              --card: #1d252e; --code: #26303b; --served: #4cc38a; --rewritten: #6cb4ee; --assisted: #a892e8; --unknown: #d9b44a; --refused: #f07f74; } }
            * { box-sizing: border-box; }
            body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.55 system-ui, sans-serif; }
            main { max-width: 1040px; margin: 0 auto; padding: 32px 20px 80px; }
            h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 19px; margin: 40px 0 12px; }
            p { margin: 0 0 10px; } .soft { color: var(--soft); }
            .tiles { display: flex; flex-wrap: wrap; gap: 12px; margin: 24px 0 8px; }
            .tile { flex: 1 1 150px; background: var(--card); border: 1px solid var(--line); border-top: 4px solid var(--soft);
              border-radius: 8px; padding: 12px 16px; }
            .tile b { display: block; font-size: 28px; line-height: 1.2; }
            .bar { display: flex; height: 10px; border-radius: 5px; overflow: hidden; background: var(--line); margin: 16px 0; }
            .bar i { display: block; }
            .served { border-top-color: var(--served); } .rewritten { border-top-color: var(--rewritten); }
            .assisted { border-top-color: var(--assisted); }
            .unknown { border-top-color: var(--unknown); } .refused { border-top-color: var(--refused); }
            .bar .served { background: var(--served); } .bar .rewritten { background: var(--rewritten); }
            .bar .assisted { background: var(--assisted); }
            .bar .unknown { background: var(--unknown); } .bar .refused { background: var(--refused); }
            .card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 14px 18px; margin: 0 0 12px; }
            pre { background: var(--code); border-radius: 6px; padding: 10px 12px; margin: 8px 0; overflow-x: auto;
              white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.5 ui-monospace, Consolas, monospace; }
            .mark { display: inline-block; border-radius: 4px; padding: 1px 8px; font-size: 12px; font-weight: 600; color: #fff;
              margin-right: 6px; }
            .mark.served { background: var(--served); } .mark.rewritten { background: var(--rewritten); }
            .mark.assisted { background: var(--assisted); }
            .mark.unknown { background: var(--unknown); } .mark.refused { background: var(--refused); }
            .mark.way { background: var(--soft); }
            @media (prefers-color-scheme: dark) { .mark { color: #10161d; } }
            ul { margin: 6px 0; padding-left: 20px; } li { margin: 3px 0; }
            summary { cursor: pointer; } details > summary { margin: 0 0 10px; }
            table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: 4px 12px 4px 0;
              border-bottom: 1px solid var(--line); vertical-align: top; }
            """;

    private final Assessment report;
    private final Plan plan;
    private final StringBuilder out = new StringBuilder();

    public AssessmentPage(Assessment report) {
        this.report = report;
        this.plan = Plan.of(report);
    }

    public String page() {
        out.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
                .append("<title>Cassidy's assessment</title>\n<style>\n")
                .append(STYLE)
                .append("</style>\n</head>\n<body>\n<main>\n");
        head();
        plan();
        statements(
                "Needs attention",
                report.statements().stream()
                        .filter(Assessment.Seen::needsAttention)
                        .toList(),
                true);
        calls();
        statements(
                "Served",
                report.statements().stream()
                        .filter(seen -> !seen.needsAttention())
                        .toList(),
                false);
        return out.append("</main>\n</body>\n</html>\n").toString();
    }

    private void head() {
        out.append("<h1>Cassidy's assessment</h1>\n<p class=\"soft\">of an application on ")
                .append(escaped(report.database()))
                .append("</p>\n<div class=\"tiles\">\n");
        for (Verdict verdict : Verdict.values()) {
            if ((verdict != Verdict.UNKNOWN && verdict != Verdict.NOT_JUDGED) || report.count(verdict) > 0) {
                tile(css(verdict), report.count(verdict), words(verdict));
            }
        }
        tile(report.calls().isEmpty() ? "" : "refused", report.calls().size(), "JDBC methods refused");
        out.append("</div>\n<div class=\"bar\">");
        for (Verdict verdict : Verdict.values()) {
            out.append("<i class=\"")
                    .append(css(verdict))
                    .append("\" style=\"flex:")
                    .append(report.count(verdict))
                    .append("\"></i>");
        }
        out.append("</div>\n<p>")
                .append(escaped(AssessmentPrinter.counts(report)))
                .append(".</p>\n<p>");
        out.append(escaped(AssessmentPrinter.judgedBy(report)));
        out.append("</p>\n");
        report.inputs().forEach(input -> out.append("<p class=\"soft\">")
                .append(escaped(AssessmentPrinter.read(input)))
                .append("</p>\n"));
        if (report.dropped() > 0) {
            out.append("<p>")
                    .append(report.dropped())
                    .append(" executions were of more statements than there is room for, and were not judged.</p>\n");
        }
        OpenTables open = OpenTables.of(report);
        if (!open.tables().isEmpty()) {
            out.append("<h2>What decides about the unknown statements</h2>\n<p>")
                    .append(escaped(open.given()))
                    .append(".</p>\n");
            list(open.lines(), "");
        }
    }

    private void tile(String css, long count, String words) {
        out.append("<div class=\"tile ")
                .append(css)
                .append("\"><b>")
                .append(count)
                .append("</b>")
                .append(escaped(words))
                .append("</div>\n");
    }

    private static String words(Verdict verdict) {
        return switch (verdict) {
            case SERVED -> "served as they are";
            case REWRITTEN -> "rewritten";
            case ASSISTED -> "evaluated in the client";
            case NOT_JUDGED -> "not judged";
            case UNKNOWN -> "unknown without a target";
            case REFUSED -> "refused";
        };
    }

    private static String css(Verdict verdict) {
        return switch (verdict) {
            case SERVED -> "served";
            case REWRITTEN -> "rewritten";
            case ASSISTED -> "assisted";
            case UNKNOWN, NOT_JUDGED -> "unknown";
            case REFUSED -> "refused";
        };
    }

    private void plan() {
        if (plan.isEmpty()) {
            return;
        }
        out.append("<h2>Plan</h2>\n");
        steps("Tables by the keys that statements give. Fill each from its table, and write both.", plan.tables());
        steps("Indexes, where nodes are few enough to ask them all.", plan.indexes());
        steps("Commands", plan.commands());
    }

    private void steps(String title, List<Plan.Step> steps) {
        if (steps.isEmpty()) {
            return;
        }
        out.append("<p>").append(escaped(title)).append("</p>\n");
        for (Plan.Step step : steps) {
            out.append("<div class=\"card\">");
            pre(step.text());
            out.append("<span class=\"soft\">serves what ran ")
                    .append(step.executions())
                    .append(step.executions() == 1 ? " time:" : " times:")
                    .append("</span>\n<ul>");
            step.serves()
                    .forEach(seen ->
                            out.append("<li><code>").append(escaped(seen.sql())).append("</code></li>"));
            out.append("</ul>");
            callers(step.calledBy());
            out.append("</div>\n");
        }
    }

    private void statements(String title, List<Assessment.Seen> statements, boolean open) {
        if (statements.isEmpty()) {
            return;
        }
        out.append("<h2>")
                .append(title)
                .append("</h2>\n<details")
                .append(open ? " open" : "")
                .append("><summary>")
                .append(statements.size())
                .append(statements.size() == 1 ? " statement" : " statements")
                .append("</summary>\n");
        statements.forEach(this::statement);
        out.append("</details>\n");
    }

    private void statement(Assessment.Seen seen) {
        out.append("<div class=\"card\"><span class=\"mark ")
                .append(css(seen.verdict()))
                .append("\">")
                .append(escaped(seen.verdict() == Verdict.SERVED ? "served" : words(seen.verdict())))
                .append("</span>");
        seen.accesses().stream()
                // The verdict says it already.
                .filter(access -> access.kind() != Access.Kind.UNKNOWN)
                .map(access -> access.kind() == Access.Kind.REFUSED
                        ? "no key, no index"
                        : access.kind().toString())
                .distinct()
                .forEach(kind -> out.append("<span class=\"mark way\">")
                        .append(escaped(kind))
                        .append("</span>"));
        out.append("<span class=\"soft\">")
                .append(seen.executions())
                .append(seen.executions() == 1 ? " time" : " times")
                .append("</span>\n");
        pre(seen.sql());
        list(seen.reasons(), "");
        list(
                seen.accesses().stream()
                        .filter(access ->
                                access.refusal().isEmpty() && !access.cost().isEmpty())
                        .map(Access::cost)
                        .toList(),
                "costs: ");
        list(seen.differences(), "differs: ");
        if (!seen.cql().isEmpty()) {
            out.append("<span class=\"soft\">is sent as</span>");
            pre(String.join("\n", seen.cql()));
        }
        callers(seen.calledBy());
        out.append("</div>\n");
    }

    private void list(List<String> texts, String before) {
        if (!texts.isEmpty()) {
            out.append("<ul>");
            texts.forEach(text ->
                    out.append("<li>").append(before).append(escaped(text)).append("</li>"));
            out.append("</ul>\n");
        }
    }

    private void callers(List<String> calledBy) {
        if (!calledBy.isEmpty()) {
            out.append("<span class=\"soft\">by ")
                    .append(escaped(String.join(", ", calledBy)))
                    .append("</span>");
        }
    }

    private void calls() {
        if (report.calls().isEmpty()) {
            return;
        }
        out.append("<h2>JDBC methods that are refused</h2>\n<div class=\"card\"><table>\n");
        for (Assessment.Call call : report.calls()) {
            out.append("<tr><td><code>")
                    .append(escaped(call.method()))
                    .append("</code></td><td>")
                    .append(escaped(call.reason()))
                    .append("<br>");
            callers(call.calledBy());
            out.append("</td><td>").append(call.times()).append("</td></tr>\n");
        }
        out.append("</table></div>\n");
    }

    private void pre(String text) {
        out.append("<pre>").append(escaped(text)).append("</pre>");
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
