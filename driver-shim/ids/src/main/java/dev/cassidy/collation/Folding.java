package dev.cassidy.collation;

import dev.cassidy.collation.FoldingTable.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Folds texts by fixed rules. Immutable. */
final class Folding {

    private static final int PAGE = 256;

    /** Texts of ASCII up to this length are folded without garbage. */
    private static final int SCRATCH = 128;

    /** A text has no way around one copy, the array from which it is made; this one is used again. */
    private static final ThreadLocal<byte[]> SCRATCHES = ThreadLocal.withInitial(() -> new byte[SCRATCH]);

    private final FoldingTable table;
    private final FoldingRules rules;

    /** By the upper byte of a character and then by the lower one: what it becomes; null if it stays. */
    private final @Nullable String[] @Nullable [] pages = new String[PAGE][];

    /** Letters of the language's own, by the base letter in the upper half and the mark in the lower one. */
    private final Map<Integer, Character> composed = new HashMap<>();

    Folding(FoldingTable table, FoldingRules rules) {
        this.table = table;
        this.rules = rules;
        for (Kind kind : Kind.values()) {
            for (char c : table.ofKind(kind)) {
                put(c);
            }
        }
        for (int i = 0; i < rules.own().length(); i++) {
            char letter = rules.own().charAt(i);
            String parts = table.of(Kind.DECOMPOSED, letter);
            if (parts != null) {
                composed.put(pair(single(parts.charAt(0)), parts.charAt(1)), single(letter));
            }
        }
    }

    private void put(char c) {
        String folded = settled(c);
        if (folded.length() == 1 && folded.charAt(0) == c) {
            return;
        }
        int page = c / PAGE;
        String[] entries = pages[page];
        if (entries == null) {
            entries = new String[PAGE];
            pages[page] = entries;
        }
        entries[c % PAGE] = folded;
    }

    private char single(char letter) {
        return settled(letter).charAt(0);
    }

    private static int pair(char base, char mark) {
        return base << Character.SIZE | mark;
    }

    /** Returns what a character becomes after all rules, those for what it became by others included. */
    private String settled(char c) {
        String next = next(c);
        if (next == null) {
            return String.valueOf(c);
        }
        StringBuilder settled = new StringBuilder();
        for (int i = 0; i < next.length(); i++) {
            settled.append(settled(next.charAt(i)));
        }
        return settled.toString();
    }

    /** Returns what a character becomes by the first rule that changes it; null if none does. */
    private @Nullable String next(char c) {
        if (table.of(Kind.IGNORED, c) != null || (rules.ignoresSelectors() && table.of(Kind.SELECTOR, c) != null)) {
            return "";
        }
        if (rules.turkish() && rules.ignoresCase() && (c == 'I' || c == 'İ')) {
            return c == 'I' ? "ı" : "i";
        }
        boolean own = rules.own().indexOf(c) >= 0;
        String next = rules.ignoresWidth() ? table.of(Kind.WIDTH, c) : null;
        if (next == null && !own) {
            next = table.of(Kind.DECOMPOSED, c);
        }
        if (next == null && !own) {
            next = table.of(Kind.EXPANDED, c);
        }
        if (next == null && rules.ignoresCase()) {
            next = table.of(Kind.RAISED, c);
        }
        if (next == null && rules.ignoresCase()) {
            next = table.of(Kind.LOWER, c);
        }
        if (next == null && rules.ignoresKana()) {
            next = table.of(Kind.KANA, c);
        }
        if (next == null && rules.ignoresAccents() && !own) {
            next = table.of(Kind.BASE, c);
        }
        return next;
    }

    String fold(String text) {
        int length = withoutBlanks(text);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c == 0 || c >= 0x80 || (rules.turkish() && c == 'I')) {
                return foldAny(text);
            }
        }
        return rules.ignoresCase() ? foldAscii(text, length) : text.substring(0, length);
    }

    /** Returns the length without the blanks at the end. */
    static int withoutBlanks(CharSequence text) {
        int length = text.length();
        while (length > 0 && text.charAt(length - 1) == ' ') {
            length--;
        }
        return length;
    }

    private static String foldAscii(String text, int length) {
        int upper = 0;
        while (upper < length && !isUpper(text.charAt(upper))) {
            upper++;
        }
        if (upper == length) {
            return text.substring(0, length);
        }
        byte[] folded = length <= SCRATCH ? SCRATCHES.get() : new byte[length];
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            folded[i] = (byte) (isUpper(c) ? c + ('a' - 'A') : c);
        }
        return new String(folded, 0, length, StandardCharsets.ISO_8859_1);
    }

    private static boolean isUpper(char c) {
        return c >= 'A' && c <= 'Z';
    }

    private String foldAny(String text) {
        StringBuilder folded = new StringBuilder(text.length() + 8);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                if (!rules.ignoresSupplementary()) {
                    folded.append(c);
                }
                continue;
            }
            String[] page = pages[c / PAGE];
            String to = page == null ? null : page[c % PAGE];
            if (to == null) {
                folded.append(c);
            } else {
                folded.append(to);
            }
        }
        settleMarks(folded);
        folded.setLength(withoutBlanks(folded));
        return folded.toString();
    }

    /** Puts the marks behind each letter in their canonical order, and leaves out those that do not count. */
    private void settleMarks(StringBuilder text) {
        int settled = 0;
        int next = 0;
        while (next < text.length()) {
            int to = next;
            while (to < text.length() && table.markClass(text.charAt(to)) != 0) {
                to++;
            }
            if (to == next) {
                text.setCharAt(settled++, text.charAt(next++));
            } else {
                sort(text, next, to);
                settled = settleRun(text, settled, next, to);
                next = to;
            }
        }
        text.setLength(settled);
    }

    /** Sorts by classes; marks of one class keep their order, because they stand above each other. */
    private void sort(StringBuilder text, int from, int to) {
        boolean sorted = true;
        for (int i = from + 1; i < to; i++) {
            sorted &= table.markClass(text.charAt(i - 1)) <= table.markClass(text.charAt(i));
        }
        if (sorted) {
            return;
        }
        // The place in the middle makes the sort stable.
        long[] marks = new long[to - from];
        for (int i = from; i < to; i++) {
            marks[i - from] = (long) table.markClass(text.charAt(i)) << 48 | (long) (i - from) << 16 | text.charAt(i);
        }
        Arrays.sort(marks);
        for (int i = from; i < to; i++) {
            text.setCharAt(i, (char) marks[i - from]);
        }
    }

    /** Moves a run of marks to where the settled text ends; returns where it ends then. */
    private int settleRun(StringBuilder text, int end, int from, int to) {
        int settled = end;
        int before = 0;
        for (int i = from; i < to; i++) {
            char mark = text.charAt(i);
            int markClass = table.markClass(mark);
            // A mark belongs to the letter only if none of its class stands between.
            Character letter = end > 0 && markClass != before ? composed.get(pair(text.charAt(end - 1), mark)) : null;
            if (letter != null) {
                text.setCharAt(end - 1, letter);
            } else {
                before = markClass;
                if (!rules.ignoresAccents() || table.of(Kind.COUNTED, mark) != null) {
                    text.setCharAt(settled++, mark);
                }
            }
        }
        return settled;
    }
}
