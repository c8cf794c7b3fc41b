package dev.cassidy.check;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;

/** Makes the texts of a report: for people, and for programs. */
final class CheckReportPrinter {

    /** Of the JSON: raised when a key changes its meaning or goes. */
    private static final int VERSION = 2;

    private final CheckReport report;
    private final Plan plan;

    CheckReportPrinter(CheckReport report) {
        this.report = report;
        this.plan = Plan.of(report);
    }

    /** Returns the text for people. */
    String summary() {
        StringBuilder text = new StringBuilder();
        text.append("Cassidy's check of an application on ")
                .append(report.database())
                .append('\n');
        text.append(counts(report)).append('\n');
        if (report.verified()) {
            text.append(ways(report)).append('\n');
        } else {
            text.append("Judged by their text alone. To check tables, columns, types and keys too, name a cluster")
                    .append(" that has the tables: cassidy.check.target=jdbc:cassidy://...\n");
        }
        if (report.dropped() > 0) {
            text.append(report.dropped())
                    .append(" executions were of more statements than a report holds and were not judged\n");
        }
        for (CheckReport.Seen seen : report.statements()) {
            if (seen.needsAttention()) {
                text.append('\n')
                        .append(seen.verdict())
                        .append("  ")
                        .append(seen.sql())
                        .append('\n');
                seen.reasons()
                        .forEach(reason -> text.append("  why: ").append(reason).append('\n'));
                for (Access access : seen.accesses()) {
                    if (access.refusal().isEmpty() && !access.cost().isEmpty()) {
                        text.append("  costs: ").append(access.cost()).append('\n');
                    }
                }
                seen.differences()
                        .forEach(difference ->
                                text.append("  differs: ").append(difference).append('\n'));
                appendUse(text, seen.executions(), seen.calledBy());
            }
        }
        for (CheckReport.Call call : report.calls()) {
            text.append('\n').append("REFUSED  ").append(call.method()).append('\n');
            text.append("  why: ").append(call.reason()).append('\n');
            appendUse(text, call.times(), call.calledBy());
        }
        if (!plan.isEmpty()) {
            text.append("\nPlan");
            appendPlan(
                    text,
                    "Tables by the keys that statements give; fill each, and write it beside the other",
                    plan.tables());
            appendPlan(text, "Indexes", plan.indexes());
            appendPlan(text, "Commands", plan.commands());
        }
        return text.toString();
    }

    /** Returns how many statements there are of each verdict. */
    static String counts(CheckReport report) {
        String open =
                report.count(Verdict.UNKNOWN) > 0 ? report.count(Verdict.UNKNOWN) + " unknown without a target, " : "";
        return report.statements().size() + " distinct statements: " + report.count(Verdict.SERVED)
                + " served as they are, " + report.count(Verdict.REWRITTEN) + " rewritten, " + open
                + report.count(Verdict.REFUSED) + " refused; " + report.calls().size() + " JDBC methods refused";
    }

    /** Returns how many statements reach their rows in which way. */
    static String ways(CheckReport report) {
        return "They reach their rows by the key " + report.count(Access.Kind.KEY) + ", by a partition "
                + report.count(Access.Kind.PARTITION) + ", by a fan-out " + report.count(Access.Kind.FAN_OUT)
                + ", by no way " + report.count(Access.Kind.REFUSED)
                + (report.nodes() > 0
                        ? "; judged for a datacenter of " + report.nodes() + (report.nodes() == 1 ? " node" : " nodes")
                        : "");
    }

    private static void appendPlan(StringBuilder text, String title, List<Plan.Step> steps) {
        if (steps.isEmpty()) {
            return;
        }
        text.append('\n').append(title).append(":\n");
        for (Plan.Step step : steps) {
            text.append(step.text()).append('\n');
            step.serves()
                    .forEach(
                            seen -> text.append("  serves: ").append(seen.sql()).append('\n'));
            appendUse(text, step.executions(), step.calledBy());
        }
    }

    private static void appendUse(StringBuilder text, long times, List<String> calledBy) {
        text.append("  seen: ").append(times).append(times == 1 ? " time" : " times");
        if (!calledBy.isEmpty()) {
            text.append(", by ").append(String.join(", ", calledBy));
        }
        text.append('\n');
    }

    /** Returns the whole report as JSON: version, database, verified, nodes, counts, statements, calls, dropped, plan. */
    String json() {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            json.writeNumberField("version", VERSION);
            json.writeStringField("database", report.database());
            json.writeBooleanField("verified", report.verified());
            json.writeNumberField("nodes", report.nodes());
            json.writeNumberField("served", report.count(Verdict.SERVED));
            json.writeNumberField("rewritten", report.count(Verdict.REWRITTEN));
            json.writeNumberField("unknown", report.count(Verdict.UNKNOWN));
            json.writeNumberField("refused", report.count(Verdict.REFUSED));
            json.writeNumberField("dropped", report.dropped());
            json.writeArrayFieldStart("statements");
            for (CheckReport.Seen seen : report.statements()) {
                write(json, seen);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("calls");
            for (CheckReport.Call call : report.calls()) {
                json.writeStartObject();
                json.writeStringField("method", call.method());
                json.writeStringField("reason", call.reason());
                json.writeNumberField("times", call.times());
                write(json, "calledBy", call.calledBy());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeObjectFieldStart("plan");
            writePlan(json, "tables", plan.tables());
            writePlan(json, "indexes", plan.indexes());
            writePlan(json, "commands", plan.commands());
            json.writeEndObject();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("a text in memory cannot be written", e);
        }
        return text + "\n";
    }

    private static void write(JsonGenerator json, CheckReport.Seen seen) throws IOException {
        json.writeStartObject();
        json.writeStringField("sql", seen.sql());
        json.writeStringField("verdict", seen.verdict().name());
        write(json, "cql", seen.cql());
        json.writeStringField("reason", String.join("; ", seen.reasons()));
        write(json, "reasons", seen.reasons());
        json.writeArrayFieldStart("accesses");
        for (Access access : seen.accesses()) {
            json.writeStartObject();
            json.writeStringField("table", access.table());
            json.writeStringField("kind", access.kind().toString());
            json.writeNumberField("nodes", access.nodes());
            json.writeStringField("cost", access.cost());
            json.writeEndObject();
        }
        json.writeEndArray();
        write(json, "differences", seen.differences());
        json.writeNumberField("executions", seen.executions());
        write(json, "calledBy", seen.calledBy());
        json.writeEndObject();
    }

    private static void writePlan(JsonGenerator json, String field, List<Plan.Step> steps) throws IOException {
        json.writeArrayFieldStart(field);
        for (Plan.Step step : steps) {
            json.writeStartObject();
            json.writeStringField("text", step.text());
            write(
                    json,
                    "serves",
                    step.serves().stream().map(CheckReport.Seen::sql).toList());
            json.writeNumberField("executions", step.executions());
            write(json, "calledBy", step.calledBy());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void write(JsonGenerator json, String field, List<String> texts) throws IOException {
        json.writeArrayFieldStart(field);
        for (String text : texts) {
            json.writeString(text);
        }
        json.writeEndArray();
    }
}
