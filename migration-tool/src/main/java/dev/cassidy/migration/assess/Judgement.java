package dev.cassidy.migration.assess;

import java.util.List;

/**
 * A verdict and its reasons.
 *
 * @param cql the statement that is sent, if it is another one
 * @param reasons for REFUSED what is refused and what to do, for UNKNOWN on what it depends, for NOT_JUDGED why; otherwise empty
 * @param accesses by which ways the statement reaches its rows, as far as that is known
 * @param differences what it would do differently on Cassandra, as far as the statement and the tables tell
 */
record Judgement(
        Verdict verdict, List<String> cql, List<String> reasons, List<Access> accesses, List<String> differences) {
    Judgement {
        cql = List.copyOf(cql);
        reasons = List.copyOf(reasons);
        accesses = List.copyOf(accesses);
        differences = List.copyOf(differences);
    }

    static Judgement notJudged(String why) {
        return new Judgement(Verdict.NOT_JUDGED, List.of(), List.of("not judged: " + why), List.of(), List.of());
    }

    static Judgement refused(List<String> reasons, List<Access> accesses) {
        return new Judgement(Verdict.REFUSED, List.of(), reasons, accesses, List.of());
    }
}
