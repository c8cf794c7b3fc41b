package dev.cassidy.migration.assess;

import java.util.Comparator;
import java.util.List;

/**
 * What an application did on its old database, and how Cassidy's JDBC driver would handle it. Immutable.
 *
 * @param database product and version of the old database
 * @param verified whether a target cluster judged the statements too; otherwise tables, types and keys were not checked
 * @param byOldKeys whether the keys of the old database judged instead, as if the new tables had them
 * @param nodes the size of the datacenter for which costs were judged; 0 if none is known
 * @param inputs what was read
 * @param statements each distinct statement, refused ones first
 * @param calls calls of the JDBC API that Cassidy refuses, with what to do instead
 * @param dropped how many executions were of statements for which a record or the report has no room
 */
public record Assessment(
        String database,
        boolean verified,
        boolean byOldKeys,
        int nodes,
        List<Observation.Input> inputs,
        List<Seen> statements,
        List<Call> calls,
        long dropped) {

    /**
     * One statement, whatever its values.
     *
     * @param sql the statement with {@code ?} for its values
     * @param cql what would be sent, with {@code ?} for its values, if it is another statement
     * @param reasons why it is refused, and what to do, or on what it depends; empty if it is served
     * @param accesses by which ways it reaches its rows
     * @param differences what the statement did that it would do differently on Cassandra
     * @param executions how often it ran; an entry of a batch counts as one
     * @param calledBy a few of the places in the application that called it
     */
    public record Seen(
            String sql,
            Verdict verdict,
            List<String> cql,
            List<String> reasons,
            List<Access> accesses,
            List<String> differences,
            long executions,
            List<String> calledBy) {
        public Seen {
            cql = List.copyOf(cql);
            reasons = List.copyOf(reasons);
            accesses = List.copyOf(accesses);
            differences = List.copyOf(differences);
            calledBy = List.copyOf(calledBy);
        }

        /** Returns whether a person has to look at it. */
        boolean needsAttention() {
            return verdict == Verdict.REFUSED
                    || verdict == Verdict.NOT_JUDGED
                    || verdict == Verdict.UNKNOWN
                    || !differences.isEmpty()
                    || accesses.stream().anyMatch(access -> access.kind() == Access.Kind.FAN_OUT);
        }
    }

    /**
     * A use of the JDBC API.
     *
     * @param method the method, such as {@code Connection.prepareCall}
     */
    public record Call(String method, String reason, long times, List<String> calledBy) {
        public Call {
            calledBy = List.copyOf(calledBy);
        }
    }

    public Assessment {
        inputs = List.copyOf(inputs);
        statements = statements.stream()
                .sorted(Comparator.comparing(Seen::verdict).reversed().thenComparing(Seen::sql))
                .toList();
        calls = calls.stream().sorted(Comparator.comparing(Call::method)).toList();
    }

    /** Returns how many of the statements have the verdict. */
    public long count(Verdict verdict) {
        return statements.stream().filter(seen -> seen.verdict() == verdict).count();
    }

    /** Returns how many of the statements reach their rows in this way, the dearest of each counting. */
    long count(Access.Kind kind) {
        return statements.stream()
                .filter(seen -> seen.accesses().stream()
                        .map(Access::kind)
                        .max(Comparator.naturalOrder())
                        .filter(kind::equals)
                        .isPresent())
                .count();
    }

    /** Returns how many executions the inputs tell of. */
    public long executionsIn() {
        return inputs.stream().mapToLong(Observation.Input::executions).sum();
    }

    /** Returns how many executions are of statements of this report, or dropped; the same as {@link #executionsIn}. */
    public long executionsOut() {
        return dropped + statements.stream().mapToLong(Seen::executions).sum();
    }

    /** Returns whether it did something, and nothing of that would be refused, stay open, or behave differently. */
    public boolean isClean() {
        return !statements.isEmpty()
                && calls.isEmpty()
                && dropped == 0
                && inputs.stream().allMatch(input -> input.unread() == 0)
                && statements.stream()
                        .allMatch(seen -> seen.verdict() != Verdict.REFUSED
                                && seen.verdict() != Verdict.NOT_JUDGED
                                && seen.verdict() != Verdict.UNKNOWN
                                && seen.differences().isEmpty());
    }
}
