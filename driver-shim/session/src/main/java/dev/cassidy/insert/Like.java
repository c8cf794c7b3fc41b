package dev.cassidy.insert;

import dev.cassidy.collation.Collation;
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
    private final Collation collation;

    /** The first element that is a character of which it is not known how many of a value it is; or how many elements there are. */
    private final int usual;

    /** How many characters a value has that matches. */
    private final int shortest;

    private Like(List<Element> elements, Collation collation, int usual) {
        this.elements = elements.toArray(Element[]::new);
        this.collation = collation;
        this.usual = usual;
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
        int usual = Integer.MAX_VALUE;
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (!isUsual(c, collation)) {
                usual = Math.min(usual, elements.size());
            }
            if (c == '[') {
                int close = pattern.indexOf(']', i);
                Element set = close < 0 ? null : set(pattern.substring(i + 1, close), collation);
                boolean empty = close == i + 1 || pattern.startsWith("[^]", i);
                // Of []abc] and [^]] it is not known which bracket closes.
                if (set == null || (empty && pattern.indexOf(']', close + 1) >= 0)) {
                    return Optional.empty();
                }
                if (pattern.substring(i, close).chars().anyMatch(each -> !isUsual((char) each, collation))) {
                    usual = Math.min(usual, elements.size());
                }
                elements.add(set);
                i = close;
            } else if (c == '%') {
                // Many of them are one, or each value would be compared with each of them.
                if (elements.isEmpty() || elements.get(elements.size() - 1) != ANY_TEXT) {
                    elements.add(ANY_TEXT);
                }
            } else {
                elements.add(c == '_' ? (any, lenient) -> true : one(c, collation));
            }
        }
        return Optional.of(new Like(elements, collation, Math.min(usual, elements.size())));
    }

    /** Takes a character, and those that the collation takes for equal to it. */
    private static Element one(char c, Collation collation) {
        if (collation.isBinary()) {
            return (given, lenient) -> given == c;
        }
        String form = form(c, collation);
        char swapped = swapped(c);
        char other = form(swapped, collation).equals(form) ? swapped : c;
        return (given, lenient) -> given == c
                || given == other
                || ((given > 127 || c > 127)
                        && !form.isEmpty()
                        && form(given, collation).equals(form));
    }

    private static char swapped(char c) {
        if (c >= 'a' && c <= 'z') {
            return (char) (c - 'a' + 'A');
        }
        return c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
    }

    private static String form(char c, Collation collation) {
        return c == ' ' ? " " : collation.fold(String.valueOf(c));
    }

    /** Returns whether a character is one by itself, whatever stands beside it. */
    private static boolean isUsual(char c, Collation collation) {
        return letters(c, collation) == 1;
    }

    /** Returns whether a character may be a part of the one before it, or nothing. */
    private static boolean joins(char c, Collation collation) {
        return letters(c, collation) == 0;
    }

    /** Returns how many characters one is to a collation, without marks: two if it is a ligature. */
    private static long letters(char c, Collation collation) {
        return c < 128 || collation.isBinary() || Character.isSurrogate(c)
                ? 1
                : form(c, collation).chars().filter(each -> !isMark(each)).count();
    }

    private static boolean isMark(int c) {
        return switch (Character.getType(c)) {
            case Character.NON_SPACING_MARK, Character.COMBINING_SPACING_MARK, Character.ENCLOSING_MARK -> true;
            default -> false;
        };
    }

    /** Reads what is between brackets; nothing there matches nothing. Null if it is not known what it matches. */
    private static @Nullable Element set(String text, Collation collation) {
        boolean negated = text.startsWith("^");
        List<Element> members = new ArrayList<>();
        for (int i = negated ? 1 : 0; i < text.length(); i++) {
            char from = text.charAt(i);
            if (i + 2 < text.length() && text.charAt(i + 1) == '-') {
                char to = text.charAt(i + 2);
                if (!collation.isBinary() && !(isPlain(from) && isPlain(to))) {
                    return null;
                }
                members.add((c, lenient) -> isWithin(c, from, to, collation, lenient));
                i += 2;
            } else {
                members.add(one(from, collation));
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
        if (collation.isBinary()) {
            return from <= c && c <= to;
        }
        char first = small(from);
        char last = small(to);
        if (!isPlain(c)) {
            // Dictionaries have ASCII's other characters before digits, and letters behind them; an e with an accent is
            // in [a-z].
            return lenient && c > 127 && first <= last && !(Character.isLetter(c) && last <= '9');
        }
        char folded = small(c);
        // Which case comes first is not known.
        boolean decided = collation.ignoresCase() || lenient;
        return (folded > first || (folded == first && (decided || c == from)))
                && (folded < last || (folded == last && (decided || c == to)));
    }

    private static char small(char c) {
        return c >= 'A' && c <= 'Z' ? swapped(c) : c;
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
            boolean all = elements.length == 1 && elements[0] == ANY_TEXT;
            boolean joined = !all && value.chars().anyMatch(c -> joins((char) c, collation));
            return joined ? null : true;
        }
        if (matches(value, end, true)) {
            return null;
        }
        boolean known = differs(value)
                || (usual == elements.length && value.chars().allMatch(c -> isUsual((char) c, collation)));
        return known ? false : null;
    }

    /** Returns whether the value begins with other characters than the pattern, each of which is one by itself. */
    private boolean differs(String value) {
        int end = 0;
        while (end < value.length() && isUsual(value.charAt(end), collation)) {
            end++;
        }
        // What follows may be a part of the last one.
        int known = end < value.length() ? end - 1 : end;
        for (int i = 0; i < known && i < usual && elements[i] != ANY_TEXT; i++) {
            if (!elements[i].takes(value.charAt(i), true)) {
                return true;
            }
        }
        return false;
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
