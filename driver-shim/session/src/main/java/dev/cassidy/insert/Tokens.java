package dev.cassidy.insert;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * All tokens of a T-SQL statement, for looking ahead. The last one is END. A token takes twelve bytes, or sixteen once a bracket's
 * end was asked for, and their number is limited, so that no statement takes more memory than a few times its own size. Not safe
 * for use by many threads.
 */
public final class Tokens {

    /** More than any statement that Cassandra takes: its batches end at 50 KB, its messages at 16 MB. */
    private static final int MAX_TOKENS = 1_000_000;

    /** How deep brackets may be nested; each level takes its part of the stack where they are read by recursive descent. */
    static final int MAX_NESTED = 200;

    private static final int SHORT_TEXT = 4_096;

    public final String text;
    private Kind[] kinds;
    private int[] starts;
    private int[] ends;
    /** The tokens that are {@code ?}, in order. */
    private int[] markerTokens = {};

    /** For each {@code ?} the index of its parameter; null if that is its own. */
    private int @Nullable [] parameters;

    /** For each bracket that opens, the token after the one that closes it, or 0; null until one of them is asked for. */
    private int @Nullable [] afterClosings;

    private int markers;
    private int size;

    public Tokens(String text) {
        this(text, Scanner.Language.TSQL);
    }

    /** Cuts a statement as T-SQL or as CQL; CQL may have markers with names. */
    public Tokens(String text, Scanner.Language language) {
        this.text = text;
        // Counted first, because growing would take several times the memory.
        int expected = text.length() <= SHORT_TEXT ? 8 + Math.min(text.length() / 4, 56) : count(text, language);
        kinds = new Kind[expected];
        starts = new int[expected];
        ends = new int[expected];
        Scanner scanner = new Scanner(text, language);
        Kind kind;
        int nested = 0;
        do {
            kind = scanner.next();
            if (kind == Kind.SYMBOL) {
                nested = nested(nested, text.charAt(scanner.start()));
            }
            if (kind == Kind.UNTERMINATED) {
                throw new UnsupportedSqlException(
                        "an incomplete statement", "close what opens at character " + (scanner.start() + 1));
            }
            if (kind == Kind.NAMED_MARKER && language == Scanner.Language.TSQL) {
                // The server counts it among the others: every parameter after it would go to the wrong column.
                throw new UnsupportedSqlException(
                        text.substring(scanner.start(), scanner.end()),
                        "write ? for every parameter; JDBC counts those alone");
            }
            add(kind, scanner.start(), scanner.end());
        } while (kind != Kind.END);
    }

    private static int nested(int nested, char symbol) {
        switch (symbol) {
            case '(', '[', '{' -> {
                if (nested == MAX_NESTED) {
                    throw UnsupportedSqlException.asSqlServer(
                            191,
                            "Some part of your SQL statement is nested too deeply: brackets may be nested " + MAX_NESTED
                                    + " deep. Leave out those that are not needed, or divide the statement");
                }
                return nested + 1;
            }
            case ')', ']', '}' -> {
                return Math.max(0, nested - 1);
            }
            default -> {
                return nested;
            }
        }
    }

    private static int count(String text, Scanner.Language language) {
        Scanner scanner = new Scanner(text, language);
        int count = 1;
        while (scanner.next() != Kind.END) {
            if (++count > MAX_TOKENS) {
                throw new UnsupportedSqlException(
                        "a statement of more than " + MAX_TOKENS + " tokens", "send it in parts");
            }
        }
        return count;
    }

    private void add(Kind kind, int start, int end) {
        if (size == kinds.length) {
            kinds = Arrays.copyOf(kinds, size * 2);
            starts = Arrays.copyOf(starts, size * 2);
            ends = Arrays.copyOf(ends, size * 2);
        }
        if (kind == Kind.MARKER) {
            if (markers == markerTokens.length) {
                markerTokens = Arrays.copyOf(markerTokens, Math.max(4, markers * 2));
            }
            markerTokens[markers++] = size;
        }
        kinds[size] = kind;
        starts[size] = start;
        ends[size++] = end;
    }

    public Kind kind(int token) {
        return token >= 0 && token < size ? kinds[token] : Kind.END;
    }

    public int start(int token) {
        return token < size ? starts[token] : text.length();
    }

    public int end(int token) {
        return token < size ? ends[token] : text.length();
    }

    public int size() {
        return size;
    }

    /** Returns how many {@code ?} the statement holds. */
    public int markers() {
        return markers;
    }

    /**
     * Says which parameters the {@code ?} take, in their order: several may take one.
     *
     * @param indexes an index for each {@code ?}
     */
    public void takeParameters(int[] indexes) {
        if (indexes.length != markers) {
            throw new IllegalArgumentException("must be one for each ?: indexes=" + indexes.length + " ?=" + markers);
        }
        parameters = indexes.clone();
    }

    /** Returns the index of the parameter that the token takes, which is a {@code ?}, or that the first one after it takes. */
    public int markerIndex(int token) {
        int found = Arrays.binarySearch(markerTokens, 0, markers, token);
        int marker = found >= 0 ? found : -found - 1;
        return parameters == null || marker == markers ? marker : parameters[marker];
    }

    public boolean isEnd(int token) {
        return kind(token) == Kind.END;
    }

    public boolean isWord(int token, String word) {
        return kind(token) == Kind.WORD
                && end(token) - start(token) == word.length()
                && Scanner.is(text, start(token), word);
    }

    public boolean isAnyWord(int token, String... words) {
        for (String word : words) {
            if (isWord(token, word)) {
                return true;
            }
        }
        return false;
    }

    public boolean isSymbol(int token, char symbol) {
        return kind(token) == Kind.SYMBOL && text.charAt(start(token)) == symbol;
    }

    public boolean opens(int token) {
        return isSymbol(token, '(') || isSymbol(token, '[') || isSymbol(token, '{');
    }

    public boolean closes(int token) {
        return isSymbol(token, ')') || isSymbol(token, ']') || isSymbol(token, '}');
    }

    /** Returns the token as it is written. */
    public String text(int token) {
        return text.substring(start(token), end(token));
    }

    /** Returns the content of a name or string: without its quotes or brackets. */
    public String content(int token) {
        String written = text(token);
        return switch (kind(token)) {
            case QUOTED -> Identifiers.toInternal(written);
            case BRACKETED -> written.substring(1, written.length() - 1).replace("]]", "]");
            case NATIONAL -> written.substring(2, written.length() - 1).replace("''", "'");
            case STRING ->
                written.startsWith("$$")
                        ? written.substring(2, written.length() - 2)
                        : written.substring(1, written.length() - 1).replace("''", "'");
            default -> written;
        };
    }

    /** Returns a name as CQL writes it; a bare or double-quoted one stays as it is. */
    public String cqlName(int token) {
        return kind(token) == Kind.BRACKETED ? Identifiers.bracketedToCql(content(token)) : text(token);
    }

    /** As {@link #cqlName}, of the name of a table, keyspace or sequence, which have fewer characters. */
    public String cqlTable(int token) {
        return kind(token) == Kind.BRACKETED ? Identifiers.bracketedTableToCql(content(token)) : text(token);
    }

    /** Returns the token after the bracket that closes the one that {@code token} opens; the next token if it opens none. */
    public int afterClosing(int token) {
        if (!opens(token) && !isEnd(token)) {
            return token + 1;
        }
        // All at once: each reader asks for many of them, and most of the brackets are within others.
        if (afterClosings == null) {
            afterClosings = pairs();
        }
        int after = isEnd(token) ? 0 : afterClosings[token];
        if (after == 0) {
            throw new UnsupportedSqlException(
                    "an incomplete statement", "close the '" + text(token) + "' at character " + (start(token) + 1));
        }
        return after;
    }

    private int[] pairs() {
        int[] after = new int[size];
        int[] open = new int[MAX_NESTED];
        int nested = 0;
        for (int token = 0; token < size; token++) {
            if (opens(token)) {
                open[nested++] = token;
            } else if (nested > 0 && closes(token)) {
                after[open[--nested]] = token + 1;
            }
        }
        return after;
    }
}
