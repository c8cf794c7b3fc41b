package dev.cassidy.migration.assess;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;

/** Makes the texts of a report: for people, and for programs. */
public final class AssessmentPrinter {

    /** Of the JSON: raised when a key changes its meaning or goes. */
    private static final int VERSION = 4;

    private final Assessment report;
    private final Plan plan;
    private final OpenTables open;

    public AssessmentPrinter(Assessment report) {
        this.report = report;
        this.plan = Plan.of(report);
        this.open = OpenTables.of(report);
    }

    /** Returns the text for people. */
    public String summary() {
        StringBuilder text = new StringBuilder();
        text.append("Cassidy's assessment of an application on ")
                .append(report.database())
                .append('\n');
        text.append(counts(report)).append('\n');
        report.inputs().forEach(input -> text.append(read(input)).append('\n'));
        text.append(judgedBy(report)).append('\n');
        if (!open.tables().isEmpty()) {
            text.append("\nWhat decides about the unknown statements: ")
                    .append(open.given())
                    .append('\n');
            open.lines().forEach(line -> text.append("  ").append(line).append('\n'));
        }
        if (report.dropped() > 0) {
            text.append(report.dropped())
                    .append(" executions were of more statements than there is room for, and were not judged\n");
        }
        for (Assessment.Seen seen : report.statements()) {
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
        for (Assessment.Call call : report.calls()) {
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
            appendPlan(text, "Indexes; make them by Cassidy's driver", plan.indexes());
            appendPlan(text, "Commands", plan.commands());
        }
        return text.toString();
    }

    /** Returns how many statements there are of each verdict. */
    static String counts(Assessment report) {
        String open =
                report.count(Verdict.UNKNOWN) > 0 ? report.count(Verdict.UNKNOWN) + " unknown without a target, " : "";
        String unjudged =
                report.count(Verdict.NOT_JUDGED) > 0 ? report.count(Verdict.NOT_JUDGED) + " not judged, " : "";
        return report.statements().size() + " distinct statements: " + report.count(Verdict.SERVED)
                + " served as they are, " + report.count(Verdict.REWRITTEN) + " rewritten, "
                + report.count(Verdict.ASSISTED) + " evaluated in the client, " + open + unjudged
                + report.count(Verdict.REFUSED) + " refused; " + report.calls().size() + " JDBC methods refused";
    }

    /** Returns what an input held. */
    static String read(Observation.Input input) {
        StringBuilder text = new StringBuilder("read: ")
                .append(input.what())
                .append(": ")
                .append(input.executions())
                .append(input.executions() == 1 ? " execution" : " executions");
        if (input.skipped() > 0) {
            text.append(", ").append(input.skipped()).append(" lines without a statement");
        }
        if (input.unread() > 0) {
            text.append(", ").append(input.unread()).append(" lines that could not be read");
        }
        input.notes().stream().sorted().forEach(note -> text.append("; ").append(note));
        return text.toString();
    }

    /** Returns what judged the statements, and how many reach their rows by which plan, as far as that tells. */
    static String judgedBy(Assessment report) {
        if (report.verified()) {
            return plans(report);
        }
        return report.byOldKeys()
                ? "Judged by their text, on exact tables with keys as in the old database and no index. "
                        + plans(report)
                        + ". To check tables, columns and types too, name a cluster that has the tables: --target"
                        + " jdbc:cassidy://..."
                : "Judged by their text alone. To check tables, columns, types and keys too, name a cluster that has the"
                        + " tables: --target jdbc:cassidy://...";
    }

    /** Returns how many statements reach their rows by which plan. */
    private static String plans(Assessment report) {
        return "They reach their rows by the key " + report.count(Access.Kind.KEY) + ", by a partition "
                + report.count(Access.Kind.PARTITION) + ", by a fan-out " + report.count(Access.Kind.FAN_OUT)
                + ", by no plan " + report.count(Access.Kind.REFUSED)
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

    /**
     * Returns the whole report as JSON: command, exitCode, version, database, verified, byOldKeys, nodes, counts, open, inputs,
     * statements, calls, plan.
     */
    public String json(int exitCode) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            json.writeStringField("command", "assess");
            json.writeNumberField("exitCode", exitCode);
            json.writeNumberField("version", VERSION);
            json.writeStringField("database", report.database());
            json.writeBooleanField("verified", report.verified());
            json.writeBooleanField("byOldKeys", report.byOldKeys());
            json.writeNumberField("nodes", report.nodes());
            json.writeNumberField("served", report.count(Verdict.SERVED));
            json.writeNumberField("rewritten", report.count(Verdict.REWRITTEN));
            json.writeNumberField("assisted", report.count(Verdict.ASSISTED));
            json.writeNumberField("unknown", report.count(Verdict.UNKNOWN));
            json.writeNumberField("notJudged", report.count(Verdict.NOT_JUDGED));
            json.writeNumberField("refused", report.count(Verdict.REFUSED));
            json.writeNumberField("dropped", report.dropped());
            writeOpen(json);
            json.writeArrayFieldStart("inputs");
            for (Observation.Input input : report.inputs()) {
                json.writeStartObject();
                json.writeStringField("what", input.what());
                json.writeNumberField("executions", input.executions());
                json.writeNumberField("skipped", input.skipped());
                json.writeNumberField("unread", input.unread());
                write(json, "notes", input.notes().stream().sorted().toList());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeArrayFieldStart("statements");
            for (Assessment.Seen seen : report.statements()) {
                write(json, seen);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("calls");
            for (Assessment.Call call : report.calls()) {
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

    private void writeOpen(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("open");
        json.writeArrayFieldStart("tables");
        for (OpenTables.Table table : open.tables()) {
            json.writeStartObject();
            json.writeStringField("table", table.name());
            json.writeNumberField("statements", table.statements());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeNumberField("furtherTables", open.further());
        json.writeNumberField("furtherStatements", open.furtherStatements());
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, Assessment.Seen seen) throws IOException {
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
                    step.serves().stream().map(Assessment.Seen::sql).toList());
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
