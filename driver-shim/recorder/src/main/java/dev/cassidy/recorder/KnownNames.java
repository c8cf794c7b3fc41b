package dev.cassidy.recorder;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The words that a record may show: those of SQL, and the names of the database. A statement may hold a value in any other place
 * too: in double quotes, where QUOTED_IDENTIFIER is off, in an alias in brackets, or without quotes, as an argument of a
 * procedure or by an injection. So {@link StatementScanner} writes {@code n1}, {@code n2} and so on for any other word. Safe for
 * use by many threads.
 */
public final class KnownNames {

    /** More than a database of one application has. */
    private static final int MAX_NAMES = 200_000;

    /** Those of databases are shorter. */
    private static final int MAX_LENGTH = 128;

    /** The words of T-SQL and CQL, of their types and of their functions. */
    private static final Set<String> WORDS = words();

    private final Set<String> names = ConcurrentHashMap.newKeySet();
    private final boolean everyWord;

    /** @param names of the database's schemas, tables, columns, procedures, functions and sequences, in any case */
    public KnownNames(Collection<String> names) {
        this(names, false);
    }

    private KnownNames(Collection<String> names, boolean everyWord) {
        this.everyWord = everyWord;
        names.forEach(this::add);
    }

    /** Takes every word for a name: for statements of which nothing is known, and whose reader has their values too. */
    public static KnownNames ofEveryWord() {
        return new KnownNames(Collections.emptySet(), true);
    }

    private static Set<String> words() {
        Set<String> words = new HashSet<>();
        try (InputStream in = KnownNames.class.getResourceAsStream("words.txt")) {
            if (in == null) {
                throw new IllegalStateException("words.txt is missing beside " + KnownNames.class.getName());
            }
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Collections.addAll(words, line.trim().split("\\s+", -1));
            }
        } catch (IOException e) {
            throw new IllegalStateException("words.txt cannot be read", e);
        }
        return words;
    }

    /** Adds a name, unless there are too many. */
    public void add(String name) {
        if (names.size() < MAX_NAMES && name.length() <= MAX_LENGTH) {
            names.add(small(name));
        }
    }

    boolean isKnown(String word) {
        String small = small(word);
        return everyWord || WORDS.contains(small) || names.contains(small);
    }

    private static String small(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
