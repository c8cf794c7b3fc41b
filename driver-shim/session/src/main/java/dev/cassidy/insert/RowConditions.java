package dev.cassidy.insert;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one SELECT, UPDATE or DELETE demands of a row, in WHERE and behind IF, if each demand compares one column with values, so that
 * it can be decided with the row alone. Immutable.
 *
 * @param where what WHERE demands
 * @param conditions what IF demands
 */
public record RowConditions(List<Condition> where, List<Condition> conditions) {

    /** How a column is compared. */
    public enum Operator {
        EQUAL,
        NOT_EQUAL,
        LESS,
        AT_MOST,
        GREATER,
        AT_LEAST,
        /** With one of several values. */
        IN,
        IS_NOT_NULL
    }

    /**
     * One of the demands that AND joins.
     *
     * @param column internal name
     * @param values several for IN, none for IS NOT NULL, otherwise one
     * @param list whether the only value is a list of those that are compared: IN ?
     */
    public record Condition(String column, Operator operator, List<CqlInsert.Value> values, boolean list) {
        public Condition {
            values = List.copyOf(values);
        }
    }

    public RowConditions {
        where = List.copyOf(where);
        conditions = List.copyOf(conditions);
    }

    /** Reads a statement; empty if it has other demands, such as LIKE, a token or a tuple, and for every other statement. */
    public static Optional<RowConditions> of(String cql) {
        try {
            Tokens tokens = new Tokens(cql, Scanner.Language.CQL);
            return tokens.isAnyWord(0, "select", "update", "delete")
                    ? Optional.ofNullable(new Reader(tokens).read())
                    : Optional.empty();
        } catch (UnsupportedSqlException e) {
            // No statement that the server could read.
            return Optional.empty();
        }
    }

    private static final class Reader {

        private final Tokens tokens;

        Reader(Tokens tokens) {
            this.tokens = tokens;
        }

        @Nullable
        RowConditions read() {
            int where = find("where", 1);
            int conditions = find("if", tokens.isEnd(where) ? 1 : where);
            List<Condition> ofWhere = tokens.isEnd(where) ? List.of() : all(where + 1);
            List<Condition> ofIf = tokens.isEnd(conditions) ? List.of() : all(conditions + 1);
            return ofWhere == null || ofIf == null ? null : new RowConditions(ofWhere, ofIf);
        }

        private int find(String word, int from) {
            int token = from;
            while (!tokens.isEnd(token) && !tokens.isWord(token, word)) {
                token = tokens.afterClosing(token);
            }
            return token;
        }

        private @Nullable List<Condition> all(int from) {
            List<Condition> all = new ArrayList<>();
            int start = from;
            while (true) {
                int end = start;
                while (!endsCondition(end, start)) {
                    end = tokens.afterClosing(end);
                }
                Condition condition = condition(start, end);
                if (condition == null) {
                    return null;
                }
                all.add(condition);
                if (!tokens.isWord(end, "and")) {
                    return all;
                }
                start = end + 1;
            }
        }

        private boolean endsCondition(int token, int start) {
            return tokens.isEnd(token)
                    || tokens.isSymbol(token, ';')
                    // Behind the column, whose name these may be.
                    || (token > start
                            && tokens.isAnyWord(token, "and", "if", "group", "order", "limit", "per", "allow"));
        }

        private @Nullable Condition condition(int from, int to) {
            if (to - from < 3 || !tokens.kind(from).isName() || tokens.opens(from + 1)) {
                return null;
            }
            String column = Identifiers.toInternal(tokens.cqlName(from));
            if (to == from + 4
                    && tokens.isWord(from + 1, "is")
                    && tokens.isWord(from + 2, "not")
                    && tokens.isWord(from + 3, "null")) {
                return new Condition(column, Operator.IS_NOT_NULL, List.of(), false);
            }
            if (tokens.isWord(from + 1, "in")) {
                return in(column, from + 2, to);
            }
            boolean equals = tokens.isSymbol(from + 2, '=');
            Operator operator = tokens.isSymbol(from + 1, '=')
                    ? Operator.EQUAL
                    : tokens.isSymbol(from + 1, '<')
                            ? equals ? Operator.AT_MOST : Operator.LESS
                            : tokens.isSymbol(from + 1, '>')
                                    ? equals ? Operator.AT_LEAST : Operator.GREATER
                                    : tokens.isSymbol(from + 1, '!') && equals ? Operator.NOT_EQUAL : null;
            if (operator == null) {
                return null;
            }
            int value = operator == Operator.EQUAL || !equals ? from + 2 : from + 3;
            return value < to ? new Condition(column, operator, List.of(value(value, to)), false) : null;
        }

        private @Nullable Condition in(String column, int from, int to) {
            if (to == from + 1 && tokens.kind(from) == Kind.MARKER) {
                return new Condition(column, Operator.IN, List.of(value(from, to)), true);
            }
            if (!tokens.isSymbol(from, '(') || tokens.afterClosing(from) != to) {
                return null;
            }
            List<CqlInsert.Value> values = new ArrayList<>();
            int start = from + 1;
            for (int token = start; token < to; ) {
                if (tokens.isSymbol(token, ',') || token == to - 1) {
                    if (token == start) {
                        return null;
                    }
                    values.add(value(start, token));
                    start = token + 1;
                    token++;
                } else {
                    token = tokens.afterClosing(token);
                }
            }
            return new Condition(column, Operator.IN, values, false);
        }

        private CqlInsert.Value value(int from, int to) {
            return Assignments.value(tokens, from, to, tokens.markerIndex(from));
        }
    }
}
