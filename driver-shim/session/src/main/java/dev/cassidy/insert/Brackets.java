package dev.cassidy.insert;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/** Brackets around a term: {@code ((1))} is 1, also for Cassandra, and {@code (1, 2)} is a tuple. */
final class Brackets {

    private Brackets() {}

    /** The tokens within the brackets. */
    record Content(int from, int end) {}

    /**
     * Returns what stands within the brackets around a term; the term itself if there are none, or if they make it something else.
     *
     * @param from its first token
     * @param end the token after it
     */
    static Content content(Tokens tokens, int from, int end) {
        if (!tokens.isSymbol(from, '(')) {
            return new Content(from, end);
        }
        int[] closing = new int[end - from];
        Set<Integer> separated = new HashSet<>();
        Deque<Integer> open = new ArrayDeque<>();
        for (int token = from; token < end; token++) {
            if (tokens.opens(token)) {
                open.push(token);
            } else if (tokens.closes(token) && !open.isEmpty()) {
                closing[open.pop() - from] = token;
            } else if (tokens.isSymbol(token, ',') && !open.isEmpty()) {
                separated.add(open.peek());
            }
        }
        int first = from;
        int last = end - 1;
        while (last - first > 1
                && tokens.isSymbol(first, '(')
                && closing[first - from] == last
                && !separated.contains(first)) {
            first++;
            last--;
        }
        return new Content(first, last + 1);
    }
}
