package dev.cassidy.check;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;

/** Makes the texts of a report. */
final class CheckReportPrinter {

    private final CheckReport report;

    CheckReportPrinter(CheckReport report) {
        this.report = report;
    }

    /** Returns the text for people. */
    String summary() {
        StringBuilder text = new StringBuilder();
        text.append("Cassidy's check of an application on ")
                .append(report.database())
                .append('\n');
        text.append(report.statements().size()).append(" distinct statements: ");
        text.append(report.count(Verdict.SERVED)).append(" served as they are, ");
        text.append(report.count(Verdict.REWRITTEN)).append(" rewritten, ");
        text.append(report.count(Verdict.REFUSED)).append(" refused; ");
        text.append(report.calls().size()).append(" JDBC methods refused\n");
        if (!report.verified()) {
            text.append("Judged by their text alone. To check tables, columns, types and keys too, name a cluster")
                    .append(" that has the tables: cassidy.check.target=jdbc:cassidy://...\n");
        }
        if (report.dropped() > 0) {
            text.append(report.dropped())
                    .append(" executions were of more statements than a report holds and were not judged\n");
        }
        for (CheckReport.Seen seen : report.statements()) {
            if (seen.verdict() == Verdict.REFUSED || !seen.differences().isEmpty()) {
                text.append('\n')
                        .append(seen.verdict())
                        .append("  ")
                        .append(seen.sql())
                        .append('\n');
                if (!seen.reason().isEmpty()) {
                    text.append("  why: ").append(seen.reason()).append('\n');
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
        return text.toString();
    }

    private static void appendUse(StringBuilder text, long times, List<String> calledBy) {
        text.append("  seen: ").append(times).append(times == 1 ? " time" : " times");
        if (!calledBy.isEmpty()) {
            text.append(", by ").append(String.join(", ", calledBy));
        }
        text.append('\n');
    }

    /** Returns the whole report as JSON: database, verified, counts, statements, calls, dropped. */
    String json() {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            json.writeStringField("database", report.database());
            json.writeBooleanField("verified", report.verified());
            json.writeNumberField("served", report.count(Verdict.SERVED));
            json.writeNumberField("rewritten", report.count(Verdict.REWRITTEN));
            json.writeNumberField("refused", report.count(Verdict.REFUSED));
            json.writeNumberField("dropped", report.dropped());
            json.writeArrayFieldStart("statements");
            for (CheckReport.Seen seen : report.statements()) {
                json.writeStartObject();
                json.writeStringField("sql", seen.sql());
                json.writeStringField("verdict", seen.verdict().name());
                write(json, "cql", seen.cql());
                json.writeStringField("reason", seen.reason());
                write(json, "differences", seen.differences());
                json.writeNumberField("executions", seen.executions());
                write(json, "calledBy", seen.calledBy());
                json.writeEndObject();
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
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("a text in memory cannot be written", e);
        }
        return text + "\n";
    }

    private static void write(JsonGenerator json, String field, List<String> texts) throws IOException {
        json.writeArrayFieldStart(field);
        for (String text : texts) {
            json.writeString(text);
        }
        json.writeEndArray();
    }
}
