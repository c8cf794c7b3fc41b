package dev.cassidy.check;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Comparator;
import java.util.List;

/**
 * What an application was seen to do on its old database, and what Cassidy's JDBC driver would make of it. Immutable.
 *
 * @param database product and version of the old database
 * @param verified whether a target cluster judged the statements too; otherwise tables, types and keys were not looked at
 * @param statements each distinct statement, refused ones first
 * @param calls of the JDBC API that Cassidy refuses, with what to do instead
 * @param dropped how many executions were of statements beyond the most that a report holds
 */
public record CheckReport(String database, boolean verified, List<Seen> statements, List<Call> calls, long dropped) {

    /**
     * One statement, whatever its values.
     *
     * @param sql the statement with {@code ?} for its values
     * @param cql what would be sent, with {@code ?} for its values, where it is another text
     * @param reason why it is refused, and the way out; empty otherwise
     * @param differences what it was seen to do that it would do otherwise on Cassandra
     * @param executions how often it ran; an entry of a batch counts as one
     * @param calledBy places in the application, a few of them
     */
    public record Seen(
            String sql,
            Verdict verdict,
            List<String> cql,
            String reason,
            List<String> differences,
            long executions,
            List<String> calledBy) {
        public Seen {
            cql = List.copyOf(cql);
            differences = List.copyOf(differences);
            calledBy = List.copyOf(calledBy);
        }
    }

    /**
     * A use of the JDBC API.
     *
     * @param method such as {@code Connection.setSavepoint}
     */
    public record Call(String method, String reason, long times, List<String> calledBy) {
        public Call {
            calledBy = List.copyOf(calledBy);
        }
    }

    public CheckReport {
        statements = statements.stream()
                .sorted(Comparator.comparing(Seen::verdict).reversed().thenComparing(Seen::sql))
                .toList();
        calls = calls.stream().sorted(Comparator.comparing(Call::method)).toList();
    }

    /** Returns how many of the statements have the verdict. */
    public long count(Verdict verdict) {
        return statements.stream().filter(seen -> seen.verdict() == verdict).count();
    }

    /** Returns whether nothing that was seen would be refused, or behave otherwise. */
    public boolean isClean() {
        return calls.isEmpty()
                && dropped == 0
                && statements.stream()
                        .allMatch(seen -> seen.verdict() != Verdict.REFUSED
                                && seen.differences().isEmpty());
    }

    /** Returns the report for people. */
    public String summary() {
        StringBuilder text = new StringBuilder();
        text.append("Cassidy's check of an application on ").append(database).append('\n');
        text.append(statements.size()).append(" distinct statements: ");
        text.append(count(Verdict.SERVED)).append(" served as they are, ");
        text.append(count(Verdict.REWRITTEN)).append(" rewritten, ");
        text.append(count(Verdict.REFUSED)).append(" refused; ");
        text.append(calls.size()).append(" JDBC methods refused\n");
        if (!verified) {
            text.append(
                            "Judged by their text alone. Whether tables, columns, types and keys fit, a cluster with the tables")
                    .append(" knows: give cassidy.check.target=jdbc:cassidy://...\n");
        }
        if (dropped > 0) {
            text.append(dropped)
                    .append(" executions were of more statements than a report holds and were not judged\n");
        }
        for (Seen seen : statements) {
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
        for (Call call : calls) {
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
    public String toJson() {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            json.writeStringField("database", database);
            json.writeBooleanField("verified", verified);
            json.writeNumberField("served", count(Verdict.SERVED));
            json.writeNumberField("rewritten", count(Verdict.REWRITTEN));
            json.writeNumberField("refused", count(Verdict.REFUSED));
            json.writeNumberField("dropped", dropped);
            json.writeArrayFieldStart("statements");
            for (Seen seen : statements) {
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
            for (Call call : calls) {
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
