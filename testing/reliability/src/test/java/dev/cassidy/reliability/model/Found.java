package dev.cassidy.reliability.model;

import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What TLC found.
 *
 * @param exitCode TLC's own
 * @param states how many different states there are, if all were explored and every property holds; else 0
 * @param violated the invariant that is violated; else empty
 * @param account TLC's own words, or where the result is recorded; not part of what was found
 */
record Found(int exitCode, long states, String violated, String account) {

    /** All states were explored, and every property holds. */
    static final int HOLDS = 0;

    static final int INVARIANT_BROKEN = 12;

    static final int TEMPORAL_PROPERTY_BROKEN = 13;

    private static final Pattern DISTINCT = Pattern.compile("([0-9,]+) distinct states found");
    private static final Pattern VIOLATED = Pattern.compile("Invariant (\\w+) is violated");

    static Found of(int exitCode, String output) {
        long states = DISTINCT.matcher(output)
                .results()
                .map(MatchResult::group)
                .map(count -> Long.parseLong(count.replaceAll("[^0-9]", "")))
                .reduce(0L, (earlier, later) -> later);
        Matcher violated = VIOLATED.matcher(output);
        return new Found(exitCode, exitCode == HOLDS ? states : 0, violated.find() ? violated.group(1) : "", output);
    }

    Found withAccount(String text) {
        return new Found(exitCode, states, violated, text);
    }
}
