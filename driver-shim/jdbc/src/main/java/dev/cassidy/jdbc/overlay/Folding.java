package dev.cassidy.jdbc.overlay;

import java.util.Locale;

/** Texts as they compare in a collation. */
final class Folding {

    private Folding() {}

    static String of(String collation, String text) {
        String upper = collation.toUpperCase(Locale.ROOT);
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == ' ') {
            end--;
        }
        String trimmed = text.substring(0, end);
        return upper.endsWith("_BIN") || upper.endsWith("_BIN2") || upper.contains("_CS_")
                ? trimmed
                : trimmed.toLowerCase(Locale.ROOT);
    }
}
