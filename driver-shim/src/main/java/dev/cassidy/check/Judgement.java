package dev.cassidy.check;

import java.util.List;

/**
 * A verdict and its reasons.
 *
 * @param cql what is sent, where that is another text
 * @param reason for REFUSED what is refused and the way out; else empty
 */
record Judgement(Verdict verdict, List<String> cql, String reason) {
    Judgement {
        cql = List.copyOf(cql);
    }

    static Judgement refused(String reason) {
        return new Judgement(Verdict.REFUSED, List.of(), reason);
    }
}
