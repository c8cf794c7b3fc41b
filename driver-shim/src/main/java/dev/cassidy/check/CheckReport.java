package dev.cassidy.check;

import java.util.Comparator;
import java.util.List;

/**
 * What an application did on its old database, and how Cassidy's JDBC driver would handle it. Immutable.
 *
 * @param database product and version of the old database
 * @param verified whether a target cluster judged the statements too; otherwise tables, types and keys were not checked
 * @param statements each distinct statement, refused ones first
 * @param calls calls of the JDBC API that Cassidy refuses, with what to do instead
 * @param dropped how many executions were of statements that the report has no room for
 */
public record CheckReport(String database, boolean verified, List<Seen> statements, List<Call> calls, long dropped) {

    /**
     * One statement, whatever its values.
     *
     * @param sql the statement with {@code ?} for its values
     * @param cql what would be sent, with {@code ?} for its values, if it is another text
     * @param reason why it is refused, and the way out; empty if it is not refused
     * @param differences what the statement did that it would do differently on Cassandra
     * @param executions how often it ran; an entry of a batch counts as one
     * @param calledBy a few of the places in the application that called it
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
     * @param method the method, such as {@code Connection.setSavepoint}
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

    /** Returns whether nothing that the application did would be refused, or behave differently. */
    public boolean isClean() {
        return calls.isEmpty()
                && dropped == 0
                && statements.stream()
                        .allMatch(seen -> seen.verdict() != Verdict.REFUSED
                                && seen.differences().isEmpty());
    }
}
