package dev.cassidy.insert;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one CQL SELECT, UPDATE or DELETE of a table compares columns with, in WHERE and behind IF: by =, !=, &lt;, &gt; and IN, one
 * column or several in brackets. LIKE, CONTAINS, tokens, elements of collections, and a tuple that is one parameter, are left out.
 * Immutable.
 *
 * @param keyspace internal name; null if the statement names none
 * @param table internal name
 * @param reads whether it is a SELECT
 */
public record Comparisons(@Nullable String keyspace, String table, boolean reads, List<Comparison> all) {

    /**
     * One value that a column is compared with.
     *
     * @param column internal name
     * @param list whether the value is a list of those that are compared: IN ?
     * @param start where the term begins in the statement
     * @param end behind its last character
     */
    public record Comparison(String column, CqlInsert.Value value, boolean list, int start, int end) {}

    public Comparisons {
        all = List.copyOf(all);
    }

    /** Reads a statement; empty if it compares nothing, and for every other statement. */
    public static Optional<Comparisons> of(String cql) {
        try {
            return new Reader(new Tokens(cql, Scanner.Language.CQL)).read();
        } catch (UnsupportedSqlException e) {
            // No statement that the server could read.
            return Optional.empty();
        }
    }

    private static final class Reader {

        private final Tokens tokens;
        private final List<Comparison> all = new ArrayList<>();

        /** How many markers come before {@link #counted}. */
        private int markers;

        private int counted;

        Reader(Tokens tokens) {
            this.tokens = tokens;
        }

        Optional<Comparisons> read() {
            if (!tokens.isAnyWord(0, "select", "update", "delete")) {
                return Optional.empty();
            }
            int name = tokens.isWord(0, "update") ? 1 : find("from", 1) + 1;
            int where = find("where", name);
            if (tokens.isEnd(where) || !tokens.kind(name).isName()) {
                return Optional.empty();
            }
            CqlInsert.Table table = TableName.internal(tokens, name);
            for (int token = where; !tokens.isEnd(token) && !tokens.isSymbol(token, ';'); token++) {
                if (tokens.opens(token)) {
                    token = tokens.afterClosing(token) - 1;
                } else if (tokens.isAnyWord(token, "where", "and", "if")) {
                    token = condition(token + 1) - 1;
                }
            }
            return all.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Comparisons(table.keyspace(), table.name(), tokens.isWord(0, "select"), all));
        }

        /** Returns the first such word outside of brackets, or the end. */
        private int find(String word, int from) {
            int token = from;
            while (!tokens.isEnd(token) && !tokens.isWord(token, word)) {
                token = tokens.opens(token) ? tokens.afterClosing(token) : token + 1;
            }
            return token;
        }

        /** Reads the condition that begins at a token, if it is a comparison; returns the token from which to go on. */
        private int condition(int from) {
            List<String> columns = new ArrayList<>();
            int token = from;
            boolean several = tokens.isSymbol(from, '(');
            if (several) {
                int close = tokens.afterClosing(from) - 1;
                for (token = from + 1; token < close; token += 2) {
                    if (!column(token, columns) || !(token + 1 == close || tokens.isSymbol(token + 1, ','))) {
                        return from;
                    }
                }
                token = close + 1;
            } else if (column(token, columns)) {
                token++;
            } else {
                return from;
            }
            boolean in = tokens.isWord(token, "in");
            int value = in ? token + 1 : afterOperator(token);
            if (value == token) {
                return from;
            }
            int end = termEnd(value);
            if (!in) {
                values(columns, several, value, end);
            } else if (!tokens.isSymbol(value, '(')) {
                if (!several) {
                    value(columns.get(0), value, end, true);
                }
            } else {
                for (int term = value + 1; term < end - 1; ) {
                    int after = termEnd(term);
                    values(columns, several, term, after);
                    term = after + 1;
                }
            }
            return end;
        }

        private boolean column(int token, List<String> columns) {
            boolean name = tokens.kind(token).isName();
            if (name) {
                columns.add(Identifiers.toInternal(tokens.cqlName(token)));
            }
            return name;
        }

        private int afterOperator(int from) {
            int token = from;
            while (tokens.isSymbol(token, '=')
                    || tokens.isSymbol(token, '<')
                    || tokens.isSymbol(token, '>')
                    || tokens.isSymbol(token, '!')) {
                token++;
            }
            return token;
        }

        private int termEnd(int from) {
            int token = from;
            while (!tokens.isEnd(token)
                    && !tokens.isSymbol(token, ';')
                    && !tokens.isSymbol(token, ',')
                    && !tokens.closes(token)
                    && !tokens.isAnyWord(token, "and", "if", "group", "order", "limit", "per", "allow")) {
                token = tokens.opens(token) ? tokens.afterClosing(token) : token + 1;
            }
            return token;
        }

        /** Reads one value of a column, or a tuple with one of each. */
        private void values(List<String> columns, boolean several, int from, int end) {
            if (!several) {
                value(columns.get(0), from, end, false);
                return;
            }
            if (!tokens.isSymbol(from, '(')) {
                return;
            }
            int term = from + 1;
            for (String column : columns) {
                int after = termEnd(term);
                value(column, term, after, false);
                term = after + 1;
            }
        }

        private void value(String column, int from, int end, boolean list) {
            if (from >= end) {
                // The server refuses the statement.
                return;
            }
            markers += Assignments.markers(tokens, counted, from);
            counted = from;
            all.add(new Comparison(
                    column,
                    Assignments.value(tokens, from, end, markers),
                    list,
                    tokens.start(from),
                    tokens.end(end - 1)));
        }
    }
}
