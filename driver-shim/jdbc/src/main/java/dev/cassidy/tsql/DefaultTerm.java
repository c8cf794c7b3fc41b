package dev.cassidy.tsql;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import org.jspecify.annotations.Nullable;

/**
 * What follows DEFAULT in T-SQL, as parsed: a literal, GETDATE() and its kin, NEWID() or NEXT VALUE FOR, in any number of
 * brackets. Nothing is evaluated here.
 *
 * @param end the token after it
 * @param value null for NULL, which is what a column without a default gets
 */
public record DefaultTerm(int end, DeclaredDefault.@Nullable Value value) {

    /** Reads the term at a token. */
    static DefaultTerm read(Tokens tokens, int token) {
        int end = end(tokens, token);
        int from = token;
        int to = end;
        while (tokens.isSymbol(from, '(') && tokens.afterClosing(from) == to) {
            from++;
            to--;
        }
        String written = from < to ? tokens.text.substring(tokens.start(token), tokens.end(end - 1)) : "()";
        return new DefaultTerm(end, value(tokens, from, to, written));
    }

    /**
     * Reads a string that is one such term and nothing else; null for NULL.
     *
     * @throws UnsupportedSqlException naming what cannot be a default
     */
    public static DeclaredDefault.@Nullable Value read(String expression) {
        Tokens tokens = new Tokens(expression);
        DefaultTerm term = read(tokens, 0);
        if (!tokens.isEnd(term.end)) {
            throw refused(expression);
        }
        return term.value;
    }

    private static int end(Tokens tokens, int token) {
        if (tokens.isSymbol(token, '(')) {
            return tokens.afterClosing(token);
        }
        if (tokens.isWord(token, "next") && tokens.isWord(token + 1, "value") && tokens.isWord(token + 2, "for")) {
            return Math.max(token + 1, TableName.read(tokens, token + 3).end());
        }
        int at = token;
        while (tokens.isSymbol(at, '-') || tokens.isSymbol(at, '+') || tokens.isSymbol(at, '$')) {
            at++;
        }
        if (tokens.isSymbol(at, '.') && tokens.kind(at + 1) == Kind.NUMBER) {
            return at + 2;
        }
        return tokens.kind(at) == Kind.WORD && tokens.isSymbol(at + 1, '(') ? tokens.afterClosing(at + 1) : at + 1;
    }

    private static DeclaredDefault.@Nullable Value value(Tokens tokens, int from, int to, String written) {
        if (isCall(tokens, from, to, "getdate", "sysdatetime", "getutcdate", "sysutcdatetime", "sysdatetimeoffset")
                || (to == from + 1 && tokens.isWord(from, "current_timestamp"))) {
            return new DeclaredDefault.Value(DeclaredDefault.Value.Source.NOW, null, null, written);
        }
        if (isCall(tokens, from, to, "newid", "newsequentialid")) {
            return new DeclaredDefault.Value(DeclaredDefault.Value.Source.NEW_ID, null, null, written);
        }
        if (tokens.isWord(from, "next")
                && tokens.isWord(from + 1, "value")
                && tokens.isWord(from + 2, "for")
                && TableName.read(tokens, from + 3).end() == to) {
            return new DeclaredDefault.Value(
                    DeclaredDefault.Value.Source.NEXT_VALUE, null, TableName.internal(tokens, from + 3), written);
        }
        LiteralTerm literal = literal(tokens, from, to);
        if (literal == null) {
            throw refused(written);
        }
        return literal.type() == LiteralTerm.Type.NULL
                ? null
                : new DeclaredDefault.Value(DeclaredDefault.Value.Source.CONSTANT, literal.value(), null, written);
    }

    private static boolean isCall(Tokens tokens, int from, int to, String... names) {
        return to == from + 3 && tokens.isAnyWord(from, names) && tokens.isSymbol(from + 1, '(');
    }

    /** Reads a literal, also in brackets behind its sign, and a cast of one. */
    private static @Nullable LiteralTerm literal(Tokens tokens, int from, int to) {
        LiteralTerm plain = LiteralTerm.read(tokens, from, to);
        if (plain != null) {
            return plain;
        }
        if (tokens.isSymbol(from, '-') && tokens.isSymbol(from + 1, '(') && tokens.afterClosing(from + 1) == to) {
            Tokens signed = new Tokens("-" + tokens.text.substring(tokens.start(from + 2), tokens.end(to - 2)));
            return LiteralTerm.read(signed, 0, signed.size() - 1);
        }
        if (!tokens.isAnyWord(from, "cast", "convert") || from >= to) {
            return null;
        }
        Tokens bare = new Tokens(withoutBracketsOfLiterals(tokens, from, to));
        LiteralCast cast = LiteralCast.read(bare, 0);
        if (cast == null || !bare.isEnd(cast.end())) {
            return null;
        }
        Tokens result = new Tokens(cast.literal());
        // What a cast to BIT gives.
        if (result.isAnyWord(0, "true", "false")) {
            return new LiteralTerm(LiteralTerm.Type.INT, result.isWord(0, "true") ? "1" : "0");
        }
        return LiteralTerm.read(result, 0, result.size() - 1);
    }

    /** Reads {@code CONVERT([bit],(0))}, as SQL Server's tools write it, as {@code CONVERT([bit], 0)}. */
    private static String withoutBracketsOfLiterals(Tokens tokens, int from, int to) {
        StringBuilder bare = new StringBuilder();
        int copied = tokens.start(from);
        for (int open = from + 1; open < to; open++) {
            boolean begins =
                    tokens.isSymbol(open, '(') && (tokens.isSymbol(open - 1, ',') || tokens.isSymbol(open - 1, '('));
            int close = begins ? tokens.afterClosing(open) - 1 : open;
            if (LiteralTerm.read(tokens, open + 1, close) != null) {
                bare.append(tokens.text, copied, tokens.start(open)).append(' ');
                bare.append(tokens.text, tokens.start(open + 1), tokens.end(close - 1));
                copied = tokens.end(close);
                open = close;
            }
        }
        return bare.append(tokens.text, copied, tokens.end(to - 1)).toString();
    }

    private static UnsupportedSqlException refused(String written) {
        return new UnsupportedSqlException(
                "DEFAULT " + written,
                "give a literal, GETDATE() or its kin, NEWID() or NEXT VALUE FOR; or leave the default out, and give the"
                        + " value in every INSERT");
    }
}
