package dev.cassidy.check;

import java.util.List;

/**
 * A verdict and its reasons.
 *
 * @param cql the text that is sent, if it is another one
 * @param reason for REFUSED what is refused and the way out; otherwise empty
 */
record Judgement(Verdict verdict, List<String> cql, String reason) {
    Judgement {
        cql = List.copyOf(cql);
    }

    static Judgement refused(String reason) {
        return new Judgement(Verdict.REFUSED, List.of(), reason);
    }
}
