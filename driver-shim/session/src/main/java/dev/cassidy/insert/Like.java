package dev.cassidy.insert;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A pattern of T-SQL's LIKE: any text for {@code %}, one character for {@code _}, and one of {@code [abc]}, {@code [a-c]} and
 * {@code [^a]}. Takes at most twice the square of the value's length in steps, however long the pattern is. Immutable.
 */
public final class Like {

    private static final Element ANY_TEXT = (c, lenient) -> false;

    private final Element[] elements;

    /** How many characters a value has that matches. */
    private final int shortest;

    private Like(List<Element> elements) {
        this.elements = elements.toArray(Element[]::new);
        this.shortest = Math.toIntExact(
                elements.stream().filter(each -> each != ANY_TEXT).count());
    }

    /** What one character may be. */
    private interface Element {
        /** @param lenient what to answer if it is not known */
        boolean takes(char c, boolean lenient);
    }

    /**
     * Reads a pattern.
     *
     * @return empty if it is not known what it matches: a bracket that nothing closes, and a range between other characters than
     *     ASCII's letters and digits, which the collation orders
     */
    public static Optional<Like> parse(String pattern, Collation collation) {
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (c == '[') {
                int close = pattern.indexOf(']', i);
                Element set = close < 0 ? null : set(pattern.substring(i + 1, close), collation);
                boolean empty = close == i + 1 || pattern.startsWith("[^]", i);
                // Of []abc] and [^]] it is not known which bracket closes.
                if (set == null || (empty && pattern.indexOf(']', close + 1) >= 0)) {
                    return Optional.empty();
                }
                elements.add(set);
                i = close;
            } else if (c == '%') {
                // Many of them are one, or each value would be compared with each of them.
                if (elements.isEmpty() || elements.get(elements.size() - 1) != ANY_TEXT) {
                    elements.add(ANY_TEXT);
                }
            } else {
                elements.add(c == '_' ? (any, lenient) -> true : (given, lenient) -> collation.equal(given, c));
            }
        }
        return Optional.of(new Like(elements));
    }

    /** Reads what is between brackets; nothing there matches nothing. Null if it is not known what it matches. */
    private static @Nullable Element set(String text, Collation collation) {
        boolean negated = text.startsWith("^");
        List<Element> members = new ArrayList<>();
        for (int i = negated ? 1 : 0; i < text.length(); i++) {
            char from = text.charAt(i);
            if (i + 2 < text.length() && text.charAt(i + 1) == '-') {
                char to = text.charAt(i + 2);
                if (collation != Collation.BINARY && !(isPlain(from) && isPlain(to))) {
                    return null;
                }
                members.add((c, lenient) -> isWithin(c, from, to, collation, lenient));
                i += 2;
            } else {
                members.add((c, lenient) -> collation.equal(c, from));
            }
        }
        // What is surely not in the set is what may not be, the other way round.
        return members.isEmpty()
                ? (c, lenient) -> false
                : (c, lenient) -> members.stream().anyMatch(each -> each.takes(c, lenient != negated)) != negated;
    }

    private static boolean isPlain(char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    private static boolean isWithin(char c, char from, char to, Collation collation, boolean lenient) {
        if (collation == Collation.BINARY) {
            return from <= c && c <= to;
        }
        char first = Collation.folded(from);
        char last = Collation.folded(to);
        if (!isPlain(c)) {
            // Dictionaries have ASCII's other characters before digits, and letters behind them; an e with an accent is
            // in [a-z].
            return lenient && c > 127 && first <= last && !(Character.isLetter(c) && last <= '9');
        }
        char folded = Collation.folded(c);
        // Which case comes first is not known.
        boolean decided = collation == Collation.IGNORES_CASE || lenient;
        return (folded > first || (folded == first && (decided || c == from)))
                && (folded < last || (folded == last && (decided || c == to)));
    }

    /**
     * Returns whether a value matches; null if that is not known.
     *
     * @param blanks whether blanks at the end of the value count, as they do in Unicode. Otherwise, it is not known if they make the
     *     difference
     */
    public @Nullable Boolean matches(String value, boolean blanks) {
        int end = blanks ? value.length() : lengthWithoutBlanks(value);
        boolean surely = matches(value.substring(0, end), end, false);
        if (surely) {
            return true;
        }
        return matches(value, end, true) ? null : false;
    }

    /**
     * Returns whether the pattern matches a beginning of the value.
     *
     * @param least what the beginning has at least
     */
    private boolean matches(String value, int least, boolean lenient) {
        if (shortest > value.length()) {
            return false;
        }
        int at = 0;
        int element = 0;
        // Where the last % is, and how far its text goes: an earlier one never has to take more.
        int any = -1;
        int taken = 0;
        while (true) {
            if (element == elements.length && at >= least) {
                return true;
            }
            if (element < elements.length && elements[element] == ANY_TEXT) {
                any = element++;
                taken = at;
            } else if (element < elements.length
                    && at < value.length()
                    && elements[element].takes(value.charAt(at), lenient)) {
                at++;
                element++;
            } else if (any >= 0 && taken < value.length()) {
                at = ++taken;
                element = any + 1;
            } else {
                return false;
            }
        }
    }

    static int lengthWithoutBlanks(String text) {
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == ' ') {
            end--;
        }
        return end;
    }
}
