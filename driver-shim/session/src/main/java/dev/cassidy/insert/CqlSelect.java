package dev.cassidy.insert;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * One CQL SELECT of a table, as far as its cost depends on it: the table, and which columns its WHERE restricts how.
 * Immutable.
 *
 * @param text the statement
 * @param table as the statement names it
 * @param where its restrictions, in order
 * @param filters whether it says ALLOW FILTERING
 * @param end where the statement ends in {@code text}: before a semicolon
 */
public record CqlSelect(String text, CqlInsert.Table table, List<Restriction> where, boolean filters, int end) {

    /** How a restriction compares. */
    public enum By {
        EQUAL,
        IN,
        /** Less or greater; BETWEEN. */
        RANGE,
        /** CONTAINS, LIKE, an element of a collection, ... */
        OTHER
    }

    /**
     * One of the restrictions that AND joins.
     *
     * @param columns by internal name; several for {@code (a, b) = (1, 2)}
     * @param token whether it restricts the token of the columns
     * @param text the restriction
     * @param markers the indexes, from 0, of its {@code ?} among those of the statement
     */
    public record Restriction(List<String> columns, By by, boolean token, String text, List<Integer> markers) {
        public Restriction {
            columns = List.copyOf(columns);
            markers = List.copyOf(markers);
        }

        /** Returns whether it allows one value for each of its columns, or a list of them. */
        public boolean isDirect() {
            return !token && (by == By.EQUAL || by == By.IN);
        }
    }

    private static final Set<String> CLAUSES = Set.of("group", "order", "limit", "per", "allow");

    public CqlSelect {
        where = List.copyOf(where);
    }

    /** Recognises a SELECT; empty for any other statement. */
    public static Optional<CqlSelect> of(String cql) {
        try {
            return new Reader(new Tokens(cql)).read();
        } catch (UnsupportedSqlException e) {
            return Optional.empty();
        }
    }

    /** Returns the statement with ALLOW FILTERING, which it must not have. */
    public String filtering() {
        // A new line, because what comes before may be a comment.
        return text.substring(0, end) + "\nALLOW FILTERING";
    }

    /** Returns what AND joins between two tokens. */
    static List<Restriction> restrictions(Tokens tokens, int start, int end) {
        return new Reader(tokens).restrictions(start, end);
    }

    private static final class Reader {
        private final Tokens tokens;

        Reader(Tokens tokens) {
            this.tokens = tokens;
        }

        Optional<CqlSelect> read() {
            if (!tokens.isWord(0, "select")) {
                return Optional.empty();
            }
            int last = tokens.size() - 1;
            while (tokens.isSymbol(last - 1, ';')) {
                last--;
            }
            int from = find(1, last, "from");
            if (from == last || !tokens.kind(from + 1).isName()) {
                return Optional.empty();
            }
            int after = TableName.read(tokens, from + 1).end();
            boolean filters = last - after >= 2 && tokens.isWord(last - 2, "allow");
            List<Restriction> where =
                    tokens.isWord(after, "where") ? restrictions(after + 1, clauseEnd(after + 1, last)) : List.of();
            return Optional.of(new CqlSelect(
                    tokens.text, TableName.internal(tokens, from + 1), where, filters, tokens.end(last - 1)));
        }

        private int find(int start, int end, String word) {
            int depth = 0;
            for (int token = start; token < end; token++) {
                depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
                if (depth == 0 && tokens.isWord(token, word)) {
                    return token;
                }
            }
            return end;
        }

        private int clauseEnd(int start, int end) {
            int depth = 0;
            for (int token = start; token < end; token++) {
                depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
                // Columns may have the names of those that CQL does not reserve; behind a value they are clauses.
                boolean clause = tokens.kind(token) == Kind.WORD
                        && CLAUSES.contains(tokens.text(token).toLowerCase(Locale.ROOT))
                        && !tokens.isWord(token - 1, "and")
                        && token > start;
                if (depth == 0 && clause) {
                    return token;
                }
            }
            return end;
        }

        private List<Restriction> restrictions(int start, int end) {
            List<Restriction> found = new ArrayList<>();
            int from = start;
            boolean between = false;
            int depth = 0;
            for (int token = start; token <= end; token++) {
                depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
                between |= depth == 0 && tokens.isWord(token, "between");
                boolean and = depth == 0 && tokens.isWord(token, "and");
                if (and && between) {
                    between = false;
                } else if (token == end || and) {
                    found.add(restriction(from, token));
                    from = token + 1;
                }
            }
            return found;
        }

        private Restriction restriction(int from, int to) {
            boolean token = tokens.isWord(from, "token") && tokens.isSymbol(from + 1, '(');
            int bracket = token ? from + 1 : from;
            List<String> columns = new ArrayList<>();
            int operator;
            if (tokens.isSymbol(bracket, '(')) {
                operator = tokens.afterClosing(bracket);
                for (int at = bracket + 1; at < operator - 1; at++) {
                    if (tokens.kind(at).isName()) {
                        columns.add(name(at));
                    }
                }
            } else {
                operator = from + 1;
                if (tokens.kind(from).isName()) {
                    columns.add(name(from));
                }
            }
            List<Integer> markers = new ArrayList<>();
            for (int at = from; at < to; at++) {
                if (tokens.kind(at) == Kind.MARKER) {
                    markers.add(tokens.markerIndex(at));
                }
            }
            String text = from < to ? tokens.text.substring(tokens.start(from), tokens.end(to - 1)) : "";
            return new Restriction(columns, by(operator), token, text, markers);
        }

        private By by(int operator) {
            if (tokens.isSymbol(operator, '=')) {
                return By.EQUAL;
            }
            if (tokens.isWord(operator, "in")) {
                return By.IN;
            }
            boolean range = tokens.isSymbol(operator, '<')
                    || tokens.isSymbol(operator, '>')
                    || tokens.isWord(operator, "between");
            return range ? By.RANGE : By.OTHER;
        }

        private String name(int token) {
            return Identifiers.toInternal(tokens.cqlName(token));
        }
    }
}
