package dev.cassidy.jdbc.error;

/** Texts for messages, which end up in logs: a value with a line break could forge a line of the log. */
public final class Lines {

    private Lines() {}

    /** Returns the text in one line: what ends a line, and other control characters, are escaped as in Java. */
    public static String escaped(String text) {
        int first = 0;
        while (first < text.length() && !breaks(text.charAt(first))) {
            first++;
        }
        if (first == text.length()) {
            return text;
        }
        StringBuilder escaped = new StringBuilder(text.length() + 16).append(text, 0, first);
        for (int i = first; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!breaks(c)) {
                escaped.append(c);
            } else if (c == '\n') {
                escaped.append("\\n");
            } else if (c == '\r') {
                escaped.append("\\r");
            } else if (c == '\t') {
                escaped.append("\\t");
            } else {
                escaped.append(String.format("\\u%04x", (int) c));
            }
        }
        return escaped.toString();
    }

    private static boolean breaks(char c) {
        return Character.isISOControl(c) || c == '\u2028' || c == '\u2029';
    }
}
