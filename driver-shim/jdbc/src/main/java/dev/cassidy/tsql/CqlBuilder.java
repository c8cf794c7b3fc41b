package dev.cassidy.tsql;

import java.util.ArrayList;
import java.util.List;

/** CQL under construction, and which of the script's {@code ?} it contains. */
final class CqlBuilder {

    private final StringBuilder text = new StringBuilder(64);
    private final List<Integer> parameters = new ArrayList<>(4);

    /** Appends a token, with a blank if it follows a word: {@code [a]FROM} has no blank between the two. */
    CqlBuilder token(String source, int from, int to) {
        int length = text.length();
        if (length > 0 && from < to && isWordPart(text.charAt(length - 1)) && isWordPart(source.charAt(from))) {
            text.append(' ');
        }
        return append(source, from, to);
    }

    private static boolean isWordPart(char c) {
        return c == '_' || Character.isLetterOrDigit(c);
    }

    CqlBuilder append(String piece) {
        text.append(piece);
        return this;
    }

    CqlBuilder append(String source, int from, int to) {
        text.append(source, from, to);
        return this;
    }

    void parameter(int index) {
        parameters.add(index);
    }

    List<Integer> parameters() {
        return parameters;
    }

    boolean is(String other) {
        return other.contentEquals(text);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
