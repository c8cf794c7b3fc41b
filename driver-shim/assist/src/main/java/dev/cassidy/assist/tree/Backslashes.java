package dev.cassidy.assist.tree;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;

/**
 * Hides backslashes of strings from JSqlParser, which takes a quote behind one for a part of the string: T-SQL does not. In its trees
 * another character stands for them.
 */
public final class Backslashes {

    /** Of the private use area: T-SQL gives it no meaning. A text that contains it is not read. */
    private static final char STAND_IN = '\uE05C';

    private Backslashes() {}

    /** Returns whether a text can be hidden and shown again. */
    static boolean canHide(String text) {
        return text.indexOf(STAND_IN) < 0;
    }

    /** Returns the text up to {@code end}, with another character for each backslash of its strings. */
    static String hidden(Tokens tokens, int end) {
        String text = tokens.text.substring(0, end);
        if (text.indexOf('\\') < 0) {
            return text;
        }
        StringBuilder hidden = new StringBuilder(text);
        for (int token = 0; !tokens.isEnd(token) && tokens.end(token) <= end; token++) {
            if (tokens.kind(token) == Kind.STRING || tokens.kind(token) == Kind.NATIONAL) {
                for (int at = tokens.start(token); at < tokens.end(token); at++) {
                    if (text.charAt(at) == '\\') {
                        hidden.setCharAt(at, STAND_IN);
                    }
                }
            }
        }
        return hidden.toString();
    }

    /** Returns a string of a tree as the statement has it. */
    public static String shown(String string) {
        return string.replace(STAND_IN, '\\');
    }
}
