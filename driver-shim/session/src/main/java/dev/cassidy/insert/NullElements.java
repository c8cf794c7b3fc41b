package dev.cassidy.insert;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * A statement without the NULLs that WHERE has in lists of IN. In SQL they equal nothing. Cassandra refuses them for a key; of any
 * other column it does not find the values that stand behind one. Immutable.
 *
 * @param text the statement that is left
 * @param markers which of the original statement's {@code ?} are left, by their indexes from 0
 * @param never whether nothing is left of a list, so that the statement finds no row; then the text is the original one
 */
public record NullElements(String text, List<Integer> markers, boolean never) {

    public NullElements {
        markers = List.copyOf(markers);
    }

    /**
     * Finds the NULLs of a SELECT, UPDATE or DELETE. There are none in writes with an IF: behind it, a value that is missing equals
     * NULL, and their result tells whether they were applied.
     *
     * @param isNull whether a {@code ?} is NULL, by its index from 0
     * @return empty if there are none, for other statements, and if nothing is left of a list in a SELECT that calls functions: an
     *     aggregate has a row of its own even if no row is found
     */
    public static Optional<NullElements> of(String cql, IntPredicate isNull) {
        try {
            return new Reader(new Tokens(cql), isNull).read();
        } catch (UnsupportedSqlException e) {
            return Optional.empty();
        }
    }

    private static final class Reader {

        private final Tokens tokens;
        private final IntPredicate isNull;
        private final StringBuilder text = new StringBuilder();
        private final List<Integer> markers = new ArrayList<>();

        /** Up to where the text is copied. */
        private int copied;

        private int marker;
        private boolean never;

        Reader(Tokens tokens, IntPredicate isNull) {
            this.tokens = tokens;
            this.isNull = isNull;
        }

        Optional<NullElements> read() {
            if (!tokens.isWord(0, "select") && WriteClauses.of(tokens) == null) {
                return Optional.empty();
            }
            boolean where = false;
            int token = 0;
            while (!tokens.isEnd(token)) {
                where |= tokens.isWord(token, "where");
                if (where && isIn(token)) {
                    token = list(token + 1);
                } else {
                    keep(token, token + 1);
                    token++;
                }
            }
            if (never) {
                return tokens.isWord(0, "select") && NullComparison.calls(tokens)
                        ? Optional.empty()
                        : Optional.of(new NullElements(tokens.text, List.of(), true));
            }
            return copied == 0
                    ? Optional.empty()
                    : Optional.of(new NullElements(
                            text.append(tokens.text.substring(copied)).toString(), markers, false));
        }

        private boolean isIn(int token) {
            return tokens.isWord(token, "in")
                    && tokens.isSymbol(token + 1, '(')
                    && (tokens.kind(token - 1).isName() || tokens.closes(token - 1));
        }

        private void keep(int from, int to) {
            for (int token = from; token < to; token++) {
                if (tokens.kind(token) == Kind.MARKER) {
                    markers.add(marker++);
                }
            }
        }

        /** Copies a list without its NULLs; returns the token of the bracket that closes it. */
        private int list(int open) {
            int close = tokens.afterClosing(open) - 1;
            List<String> left = new ArrayList<>();
            boolean whole = true;
            int from = open + 1;
            while (from < close) {
                int to = elementEnd(from, close);
                if (hasNull(from, to)) {
                    marker += count(from, to);
                    whole = false;
                } else {
                    keep(from, to);
                    left.add(tokens.text.substring(tokens.start(from), tokens.end(to - 1)));
                }
                from = to + 1;
            }
            if (!whole) {
                never |= left.isEmpty();
                text.append(tokens.text, copied, tokens.end(open)).append(String.join(", ", left));
                copied = tokens.start(close);
            }
            return close;
        }

        private int elementEnd(int from, int close) {
            int token = from;
            while (token < close && !tokens.isSymbol(token, ',')) {
                token = tokens.opens(token) ? tokens.afterClosing(token) : token + 1;
            }
            return token;
        }

        /** Also of several columns, {@code (a, b) IN ((1, NULL))}: a row of values with a NULL equals nothing. */
        private boolean hasNull(int from, int to) {
            if (to - from == 1) {
                return isNull(from, marker);
            }
            if (!tokens.isSymbol(from, '(') || tokens.afterClosing(from) != to) {
                return false;
            }
            int at = marker;
            for (int part = from + 1; part < to - 1; ) {
                int end = elementEnd(part, to - 1);
                if (end - part == 1 && isNull(part, at)) {
                    return true;
                }
                at += count(part, end);
                part = end + 1;
            }
            return false;
        }

        private boolean isNull(int token, int index) {
            return tokens.isWord(token, "null") || (tokens.kind(token) == Kind.MARKER && isNull.test(index));
        }

        private int count(int from, int to) {
            int count = 0;
            for (int token = from; token < to; token++) {
                count += tokens.kind(token) == Kind.MARKER ? 1 : 0;
            }
            return count;
        }
    }
}
