package dev.cassidy.insert;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * Brackets around a term, and a type before it: {@code ((1))} is 1, also for Cassandra, and {@code (1, 2)} is a tuple. {@code (int)1}
 * is 1 too: Cassandra reads the literal, or the marker, as the type of its column, and requires only that the other type fits.
 */
final class Brackets {

    private Brackets() {}

    /** The tokens within the brackets. */
    record Content(int from, int end) {}

    /**
     * Returns what stands within the brackets around a term, and behind its types; the term itself if there are none, or if the brackets
     * make it something else.
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
        while (last - first > 1 && tokens.isSymbol(first, '(')) {
            int close = closing[first - from];
            if (close == last && !separated.contains(first)) {
                first++;
                last--;
            } else if (close > first && close < last && isType(tokens, first + 1, close) && isTerm(tokens, close + 1)) {
                first = close + 1;
            } else {
                break;
            }
        }
        return new Content(first, last + 1);
    }

    /** Returns whether what stands within brackets is a type, as {@code text}, {@code k.t}, {@code list<int>}, or a class in quotes. */
    private static boolean isType(Tokens tokens, int from, int end) {
        boolean named = tokens.kind(from).isName() || tokens.kind(from) == Kind.STRING;
        return named
                && !tokens.isAnyWord(from, "null", "nan", "infinity", "true", "false")
                && (end == from + 1
                        || tokens.isSymbol(from + 1, '.')
                        || (tokens.isSymbol(from + 1, '<') && tokens.isSymbol(end - 1, '>')));
    }

    /** Returns whether a term begins at a token, and not what goes on with the one before. */
    private static boolean isTerm(Tokens tokens, int token) {
        return tokens.kind(token) != Kind.SYMBOL || tokens.opens(token) || tokens.isSymbol(token, '-');
    }
}
