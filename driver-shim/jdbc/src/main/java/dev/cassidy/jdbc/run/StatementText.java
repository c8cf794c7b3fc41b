package dev.cassidy.jdbc.run;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;

/**
 * A statement as operators know it: without values, whether these are written or parameters, however many a list has, and however it is
 * broken into lines.
 *
 * @param text in one line
 */
record StatementText(String text) {

    private static final int BYTES_OF_HASH = 6;

    private static final int LONGEST_SHOWN = 300;

    /** Reads a statement that could be read before. */
    static StatementText of(String sql) {
        Tokens tokens = new Tokens(sql);
        StringBuilder text = new StringBuilder();
        int token = 0;
        while (!tokens.isEnd(token)) {
            boolean apart = token > 0 && tokens.start(token) > tokens.end(token - 1);
            if (apart && !text.isEmpty() && text.charAt(text.length() - 1) != ' ') {
                text.append(' ');
            }
            int value = afterValue(tokens, token);
            if (value > token) {
                text.append('?');
                token = value;
            } else if (tokens.isWord(token - 1, "in") && values(tokens, token) > 0) {
                text.append("(?)");
                token = tokens.afterClosing(token);
            } else if (tokens.isWord(token - 1, "values") && values(tokens, token) > 0) {
                text.append("(" + String.join(", ", Collections.nCopies(values(tokens, token), "?")) + ")");
                token = afterRows(tokens, token);
            } else {
                text.append(tokens.text(token));
                token++;
            }
        }
        return new StatementText(text.toString());
    }

    /** Returns the token after a row of values and all those behind it that have as many. */
    private static int afterRows(Tokens tokens, int open) {
        int count = values(tokens, open);
        int at = tokens.afterClosing(open);
        while (tokens.isSymbol(at, ',') && values(tokens, at + 1) == count) {
            at = tokens.afterClosing(at + 1);
        }
        return at;
    }

    /** Returns how many values stand between brackets; 0 if anything else does. */
    private static int values(Tokens tokens, int open) {
        if (!tokens.isSymbol(open, '(')) {
            return 0;
        }
        int count = 0;
        int at = open;
        do {
            int after = afterValue(tokens, at + 1);
            if (after == at + 1) {
                return 0;
            }
            count++;
            at = after;
        } while (tokens.isSymbol(at, ','));
        return tokens.isSymbol(at, ')') ? count : 0;
    }

    /** Returns the token after a value and its sign; the same one if none stands there. */
    private static int afterValue(Tokens tokens, int token) {
        if (isValue(tokens, token)) {
            return token + 1;
        }
        boolean sign = (tokens.isSymbol(token, '-') || tokens.isSymbol(token, '+'))
                && tokens.kind(token + 1) == Kind.NUMBER
                && !isOperand(tokens, token - 1);
        return sign ? token + 2 : token;
    }

    /** Returns whether what stands before a sign makes an operator of it. */
    private static boolean isOperand(Tokens tokens, int token) {
        return isValue(tokens, token)
                || tokens.isSymbol(token, ')')
                || (tokens.kind(token).isName()
                        && !tokens.isAnyWord(
                                token, "select", "when", "then", "else", "and", "or", "not", "between", "case", "where",
                                "return", "on", "by", "having"));
    }

    private static boolean isValue(Tokens tokens, int token) {
        Kind kind = tokens.kind(token);
        return kind == Kind.STRING || kind == Kind.NATIONAL || kind == Kind.NUMBER || kind == Kind.MARKER;
    }

    /** Returns by what operators name it: twelve hexadecimal digits. */
    String hash() {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(Arrays.copyOf(digest, BYTES_OF_HASH));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    /** Returns its beginning, for people. */
    String shown() {
        return text.length() <= LONGEST_SHOWN ? text : text.substring(0, LONGEST_SHOWN) + "...";
    }
}
