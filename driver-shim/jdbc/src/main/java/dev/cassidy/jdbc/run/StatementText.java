package dev.cassidy.jdbc.run;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
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
        for (int token = 0; !tokens.isEnd(token); token++) {
            boolean value = isValue(tokens, token);
            if (value && tokens.isSymbol(token - 1, ',') && isValue(tokens, token - 2)) {
                // It is one of a list, of which the first stands for all.
                text.setLength(text.length() - 1);
                continue;
            }
            boolean apart = token > 0 && tokens.start(token) > tokens.end(token - 1);
            if (apart && !text.isEmpty() && text.charAt(text.length() - 1) != ' ') {
                text.append(' ');
            }
            text.append(value ? "?" : tokens.text(token));
        }
        return new StatementText(text.toString());
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
