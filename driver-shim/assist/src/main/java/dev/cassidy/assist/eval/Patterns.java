package dev.cassidy.assist.eval;

import dev.cassidy.collation.Collation;
import dev.cassidy.insert.Like;
import dev.cassidy.jdbc.assist.EvaluationException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Searches of strings within strings, by the collation of the evaluation. What is not known is refused rather than guessed. */
final class Patterns {

    private static final Collation BINARY = Collation.of("Latin1_General_BIN2");

    private Patterns() {}

    static boolean matches(String value, String pattern, String escape, boolean unicode) {
        if (escape.length() > 1) {
            throw EvaluationException.rule(
                    506, "The invalid escape character \"" + escape + "\" was specified in LIKE");
        }
        Collation own = Running.current().collation();
        String plain = escape.isEmpty() ? pattern : unescaped(pattern, escape.charAt(0));
        Optional<Like> like = Like.parse(plain, own == null ? BINARY : own);
        Boolean matches = like.isEmpty() ? null : like.get().matches(value, unicode);
        if (matches == null) {
            throw new NotEvaluatedException(
                    "LIKE '" + pattern + "'",
                    "it is not known whether SQL Server takes '" + value + "' for a match",
                    "Write the pattern with letters and digits of ASCII, and without an open bracket");
        }
        return matches;
    }

    /** Returns the pattern without an escape character: what it protects stands in brackets. */
    private static String unescaped(String pattern, char escape) {
        StringBuilder plain = new StringBuilder();
        boolean within = false;
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (c == escape && i + 1 < pattern.length()) {
                char next = pattern.charAt(++i);
                if (within) {
                    throw new NotEvaluatedException(
                            "LIKE with an escape character in brackets",
                            "it is not known here",
                            "Write it without ESCAPE");
                }
                plain.append("%_[".indexOf(next) >= 0 ? "[" + next + "]" : String.valueOf(next));
            } else {
                within = within ? c != ']' : c == '[';
                plain.append(c);
            }
        }
        return plain.toString();
    }

    /** Returns where a string begins that equals the sought one, at a position or after it; -1 if nowhere. */
    static int find(String text, String sought, int from) {
        Collation collation = Running.current().collation();
        if (collation == null || collation.isBinary()) {
            return text.indexOf(sought, from);
        }
        checkUsual(text, collation);
        checkUsual(sought, collation);
        String form = form(sought, collation);
        char[] first = {sought.charAt(0), sought.charAt(0)};
        first[0] = Character.toLowerCase(first[0]);
        first[1] = Character.toUpperCase(first[1]);
        for (int i = from; i + sought.length() <= text.length(); i++) {
            char c = text.charAt(i);
            // Folding each window takes long, and most of them begin with another letter of ASCII.
            boolean possible = c > 127 || sought.charAt(0) > 127 || c == first[0] || c == first[1];
            if (possible
                    && form(text.substring(i, i + sought.length()), collation).equals(form)) {
                return i;
            }
        }
        return -1;
    }

    /** Blanks at the end count in a search. */
    private static String form(String text, Collation collation) {
        return collation.fold(text + "|");
    }

    /** Refuses characters that are several letters, or none: what equals them may have another length. */
    private static void checkUsual(String text, @Nullable Collation collation) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c > 127 && collation != null && !Character.isSurrogate(c) && letters(c, collation) != 1) {
                throw new NotEvaluatedException(
                        "CHARINDEX or REPLACE with the character '" + c + "'",
                        "it stands for several letters or none in " + collation.name(),
                        "Search in the application");
            }
        }
    }

    private static long letters(char c, Collation collation) {
        return Character.getType(c) == Character.NON_SPACING_MARK
                ? 0
                : collation
                        .fold(String.valueOf(c))
                        .chars()
                        .filter(each -> Character.getType(each) != Character.NON_SPACING_MARK)
                        .count();
    }
}
