package dev.cassidy.insert;

import org.jspecify.annotations.Nullable;

/**
 * The OUTPUT of an UPDATE, DELETE, MERGE or INSERT ... SELECT of T-SQL, which stands outside of all brackets.
 *
 * @param from the word OUTPUT
 * @param to the token after what is shown: INTO, the rest of the statement, or its end
 */
public record OutputSpan(int from, int to) {

    /** What OUTPUT ends before. */
    private static final String[] ENDS = {"from", "where", "into", "option", "select", "values", "with", "default"};

    /** Behind these, a word is the name of a column. */
    private static final String[] BEFORE_NAMES = {
        "set",
        "where",
        "and",
        "or",
        "not",
        "on",
        "by",
        "select",
        "distinct",
        "when",
        "then",
        "else",
        "from",
        "join",
        "update",
        "into",
        "as",
        "in",
        "like",
        "between"
    };

    /** Returns the OUTPUT within {@code from} and {@code to}, of which the first token is within no bracket; null without one. */
    public static @Nullable OutputSpan find(Tokens tokens, int from, int to) {
        int at = from;
        while (at < to && !tokens.isEnd(at)) {
            if (tokens.isWord(at, "output") && isClause(tokens, at)) {
                return new OutputSpan(at, end(tokens, at + 1, to));
            }
            at = tokens.opens(at) ? tokens.afterClosing(at) : at + 1;
        }
        return null;
    }

    /** Returns whether its rows go into a table or a variable. */
    public boolean isInto(Tokens tokens) {
        return tokens.isWord(to, "into");
    }

    private static boolean isClause(Tokens tokens, int at) {
        boolean behindTerm =
                switch (tokens.kind(at - 1)) {
                    case WORD -> !tokens.isAnyWord(at - 1, BEFORE_NAMES);
                    case SYMBOL -> tokens.closes(at - 1);
                    case END -> false;
                    default -> true;
                };
        boolean beforeTerm =
                switch (tokens.kind(at + 1)) {
                    case WORD -> !tokens.isAnyWord(at + 1, ENDS) && !tokens.isAnyWord(at + 1, "set", "as", "using");
                    case SYMBOL -> tokens.isSymbol(at + 1, '$') || tokens.isSymbol(at + 1, '(');
                    case END -> false;
                    default -> true;
                };
        return behindTerm && beforeTerm;
    }

    private static int end(Tokens tokens, int first, int to) {
        int at = first;
        while (at < to && !tokens.isEnd(at) && !tokens.isSymbol(at, ';') && !tokens.isAnyWord(at, ENDS)) {
            at = tokens.opens(at) ? tokens.afterClosing(at) : at + 1;
        }
        return at;
    }
}
