package dev.cassidy.collation;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The pinned data of characters, read once from a resource. What is in version 1 never changes: keys of rows are made by it. Other
 * data is a further version, and a resource of its own.
 *
 * <p>A line of the resource is a kind and what it says of characters, as code units in hexadecimal digits: {@code L 0041-005A
 * 0061} for letters that follow each other as their targets do, {@code L 0100-012E/2 0101} for every second one, and {@code D 00C0
 * 0041 0300} for a character that becomes several.
 */
final class FoldingTable {

    /** What a line says of characters. */
    enum Kind {
        /** The canonical decomposition. */
        DECOMPOSED('D'),

        /** The letters that a ligature or the form of a letter stands for. */
        EXPANDED('E'),

        /** The small letter. */
        LOWER('L'),

        /** The digit or sign that is above or below the line. */
        RAISED('R'),

        /** The usual width. */
        WIDTH('W'),

        /** The hiragana of a katakana. */
        KANA('K'),

        /** The letter without its stroke or hook, which no decomposition has. */
        BASE('B'),

        /** Characters without a weight. */
        IGNORED('I'),

        /** Variation selectors, which have a weight by collations with {@code _VSS} alone. */
        SELECTOR('V'),

        /** Marks that count where accents are ignored. */
        COUNTED('S');

        private final char letter;

        Kind(char letter) {
            this.letter = letter;
        }
    }

    /** The version that new tables are made by. */
    static final int NEWEST = 1;

    private static final FoldingTable FIRST = new FoldingTable("folding-1.txt");

    private final Map<Kind, Map<Character, String>> characters = new EnumMap<>(Kind.class);

    private final byte[] markClasses = new byte[Character.MAX_VALUE + 1];

    private FoldingTable(String resource) {
        for (Kind kind : Kind.values()) {
            characters.put(kind, new HashMap<>());
        }
        try (InputStream stream = FoldingTable.class.getResourceAsStream(resource);
                BufferedReader lines = new BufferedReader(
                        new InputStreamReader(Objects.requireNonNull(stream, resource), StandardCharsets.US_ASCII))) {
            lines.lines().filter(line -> !line.startsWith("#")).forEach(this::add);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot be read: resource=" + resource, e);
        }
    }

    /** @throws IllegalArgumentException if this release does not have that version */
    static FoldingTable ofVersion(int version) {
        if (version != NEWEST) {
            throw new IllegalArgumentException("must be 1, the version of collations that this release knows: version="
                    + version + ". Use the release of Cassidy that declared the table, or a later one");
        }
        return FIRST;
    }

    private void add(String line) {
        String[] words = line.split(" ", -1);
        if (words[0].equals("C")) {
            each(words[1], (c, offset) -> markClasses[c] = (byte) Integer.parseInt(words[2]));
            return;
        }
        Map<Character, String> to = characters(kind(words[0]));
        StringBuilder target = new StringBuilder();
        for (int i = 2; i < words.length; i++) {
            target.append(code(words[i]));
        }
        each(
                words[1],
                (c, offset) -> to.put(
                        c,
                        target.length() == 1 ? String.valueOf((char) (target.charAt(0) + offset)) : target.toString()));
    }

    private Map<Character, String> characters(Kind kind) {
        return Objects.requireNonNull(characters.get(kind), kind.name());
    }

    private static Kind kind(String word) {
        for (Kind kind : Kind.values()) {
            if (word.length() == 1 && word.charAt(0) == kind.letter) {
                return kind;
            }
        }
        throw new IllegalStateException("must be a kind of the folding table: " + word);
    }

    private static char code(String hex) {
        return (char) Integer.parseInt(hex, 16);
    }

    /** Takes a character of a range and its distance from the first one. */
    private interface Member {
        void take(char c, int offset);
    }

    private static void each(String range, Member member) {
        int slash = range.indexOf('/');
        int step = slash < 0 ? 1 : Integer.parseInt(range.substring(slash + 1));
        String[] ends = (slash < 0 ? range : range.substring(0, slash)).split("-", -1);
        char first = code(ends[0]);
        char last = code(ends[ends.length - 1]);
        for (int c = first; c <= last; c += step) {
            member.take((char) c, c - first);
        }
    }

    /** Returns what a character becomes by rules of that kind; null if they leave it as it is. */
    @Nullable
    String of(Kind kind, char c) {
        return characters(kind).get(c);
    }

    Iterable<Character> ofKind(Kind kind) {
        return characters(kind).keySet();
    }

    /** Returns the canonical combining class; 0 of characters that are no marks. */
    int markClass(char c) {
        return markClasses[c] & 0xff;
    }
}
