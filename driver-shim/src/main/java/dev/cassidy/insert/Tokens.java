package dev.cassidy.insert;

import java.util.Arrays;

/** All tokens of a T-SQL text, for looking ahead. The last one is END. Immutable once made. */
final class Tokens {

    final String text;
    private Kind[] kinds = new Kind[64];
    private int[] starts = new int[64];
    private int[] ends = new int[64];
    private int[] markersBefore = new int[64];
    private int markers;
    private int size;

    Tokens(String text) {
        this.text = text;
        Scanner scanner = new Scanner(text, Scanner.Language.TSQL);
        Kind kind;
        do {
            kind = scanner.next();
            if (kind == Kind.UNTERMINATED) {
                throw new UnsupportedSqlException(
                        "text without an end", "close what opens at character " + (scanner.start() + 1));
            }
            if (kind == Kind.NAMED_MARKER) {
                // The server counts it among the others: every parameter after it would go to the wrong column.
                throw new UnsupportedSqlException(
                        text.substring(scanner.start(), scanner.end()),
                        "write ? for every parameter; JDBC counts those alone");
            }
            add(kind, scanner.start(), scanner.end());
        } while (kind != Kind.END);
    }

    private void add(Kind kind, int start, int end) {
        if (size == kinds.length) {
            kinds = Arrays.copyOf(kinds, size * 2);
            starts = Arrays.copyOf(starts, size * 2);
            ends = Arrays.copyOf(ends, size * 2);
            markersBefore = Arrays.copyOf(markersBefore, size * 2);
        }
        kinds[size] = kind;
        starts[size] = start;
        markersBefore[size] = kind == Kind.MARKER ? markers++ : markers;
        ends[size++] = end;
    }

    Kind kind(int token) {
        return token < size ? kinds[token] : Kind.END;
    }

    int start(int token) {
        return token < size ? starts[token] : text.length();
    }

    int end(int token) {
        return token < size ? ends[token] : text.length();
    }

    int size() {
        return size;
    }

    /** Returns how many {@code ?} the text holds. */
    int markers() {
        return markers;
    }

    /** Returns the index of the {@code ?} that the token is, or of the first one after it. */
    int markerIndex(int token) {
        return token < size ? markersBefore[token] : markers;
    }

    boolean isEnd(int token) {
        return kind(token) == Kind.END;
    }

    boolean isWord(int token, String word) {
        return kind(token) == Kind.WORD
                && end(token) - start(token) == word.length()
                && text.regionMatches(true, start(token), word, 0, word.length());
    }

    boolean isAnyWord(int token, String... words) {
        for (String word : words) {
            if (isWord(token, word)) {
                return true;
            }
        }
        return false;
    }

    boolean isSymbol(int token, char symbol) {
        return kind(token) == Kind.SYMBOL && text.charAt(start(token)) == symbol;
    }

    boolean opens(int token) {
        return isSymbol(token, '(') || isSymbol(token, '[') || isSymbol(token, '{');
    }

    boolean closes(int token) {
        return isSymbol(token, ')') || isSymbol(token, ']') || isSymbol(token, '}');
    }

    /** Returns the token as it is written. */
    String text(int token) {
        return text.substring(start(token), end(token));
    }

    /** Returns what a name or string says: without its quotes or brackets. */
    String content(int token) {
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
    String cqlName(int token) {
        return kind(token) == Kind.BRACKETED ? Identifiers.bracketedToCql(content(token)) : text(token);
    }

    /** Returns the token after the bracket that closes the one that {@code token} opens. */
    int afterClosing(int token) {
        int depth = 0;
        int at = token;
        do {
            if (isEnd(at)) {
                throw new UnsupportedSqlException(
                        "text without an end", "close the '" + text(token) + "' at character " + (start(token) + 1));
            }
            depth += opens(at) ? 1 : closes(at) ? -1 : 0;
            at++;
        } while (depth > 0);
        return at;
    }
}
