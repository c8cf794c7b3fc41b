package dev.cassidy.tsql;

import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.ReservedWords;
import dev.cassidy.insert.Tokens;

/** What a bare word is at its place in a statement: a keyword, or a name that only looks like one. */
final class Words {

    private static final String[] OPERATORS = {
        "select",
        "distinct",
        "all",
        "top",
        "from",
        "where",
        "and",
        "or",
        "not",
        "in",
        "like",
        "between",
        "is",
        "set",
        "by",
        "as",
        "on",
        "into",
        "values",
        "update",
        "delete",
        "insert",
        "union",
        "except",
        "intersect",
        "for",
        "contains",
        "limit",
        "table",
        "join",
        "using",
        "then",
        "else",
        "when",
        "case"
    };

    private Words() {}

    /** Returns whether a term may end with the token: then a word after it cannot continue that term. */
    static boolean endsTerm(Tokens tokens, int token) {
        if (token < 0) {
            return false;
        }
        return switch (tokens.kind(token)) {
            case WORD -> !isOperator(tokens, token);
            case QUOTED, BRACKETED, STRING, NATIONAL, NUMBER, MARKER, VARIABLE -> true;
            case SYMBOL -> tokens.closes(token) || tokens.isSymbol(token, '*');
            default -> false;
        };
    }

    /**
     * Returns whether a term must begin at a token, so that a sign there is no operator. Only after words that CQL
     * reserves: {@code top + 1} may add 1 to a column of that name.
     */
    static boolean beginsTerm(Tokens tokens, int token) {
        int before = token - 1;
        return tokens.kind(before) == Kind.SYMBOL
                ? !tokens.closes(before)
                : tokens.isAnyWord(before, "select", "where", "and", "or", "in", "set", "by");
    }

    /** Words after which a term, a name or the rest of a clause must follow. */
    static boolean isOperator(Tokens tokens, int token) {
        return tokens.isAnyWord(token, OPERATORS);
    }

    /** Returns whether the word is a name that CQL reserves and T-SQL does not, in the place of a name. */
    static boolean isReservedName(Tokens tokens, int token) {
        if (!ReservedWords.isReservedByCqlAlone(tokens.text, tokens.start(token), tokens.end(token))) {
            return false;
        }
        int before = token - 1;
        int after = token + 1;
        if (tokens.isSymbol(after, '(')) {
            // A function, as token(id), unless a table must stand here.
            return tokens.isSymbol(before, '.')
                    || tokens.isAnyWord(before, "into", "insert", "update", "table", "on", "references");
        }
        if (tokens.isWord(token, "allow")) {
            return !tokens.isWord(after, "filtering");
        }
        if (tokens.isWord(token, "apply")) {
            return !tokens.isWord(after, "batch") && !tokens.isAnyWord(before, "cross", "outer");
        }
        if (tokens.isWord(token, "batch")) {
            return !tokens.isAnyWord(before, "begin", "unlogged", "logged", "counter", "apply");
        }
        if (tokens.isWord(token, "limit")) {
            return tokens.kind(after) != Kind.NUMBER && tokens.kind(after) != Kind.MARKER;
        }
        if (tokens.isWord(token, "using")) {
            return tokens.kind(after) != Kind.STRING && !tokens.isAnyWord(after, "ttl", "timestamp", "timeout");
        }
        if (tokens.isWord(token, "unset")) {
            return !tokens.isWord(before, "default");
        }
        if (tokens.isAnyWord(token, "keyspace", "columnfamily")) {
            return !tokens.isAnyWord(before, "create", "alter", "drop", "truncate", "on");
        }
        if (tokens.isWord(token, "materialized")) {
            return !tokens.isWord(after, "view");
        }
        if (tokens.isWord(token, "rename")) {
            // ALTER TABLE t RENAME a TO b.
            return !tokens.kind(after).isName() || !tokens.kind(before).isName();
        }
        return !(tokens.isWord(token, "replace") && tokens.isWord(before, "or"));
    }

    /** Returns the name as CQL writes it: in quotes if CQL reserves the word. */
    static String cqlName(Tokens tokens, int token) {
        return tokens.kind(token) == Kind.WORD && isReservedName(tokens, token)
                ? Identifiers.toCql(Identifiers.toInternal(tokens.text(token)))
                : tokens.cqlName(token);
    }
}
