package dev.cassidy.insert;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one INSERT or UPDATE gives columns as a whole: not an element of a collection, and not the columns of WHERE and IF. INSERT
 * JSON gives none. A DELETE gives NULL to the columns that it names. Immutable.
 *
 * @param keyspace internal name; null if the statement names none
 * @param table internal name
 * @param insert whether it is an INSERT, which gives nothing to the columns that it does not name
 * @param creates whether it may create a row: not a DELETE, and not an UPDATE with an IF that a missing row never meets
 */
public record Assignments(
        @Nullable String keyspace, String table, boolean insert, boolean creates, List<Assignment> all) {

    /**
     * What one column is given.
     *
     * @param column internal name
     * @param start where the term begins in the statement
     * @param end behind its last character
     * @param ofItself whether the server computes it from what the column contains: {@code n = n + 1}, {@code n += 1}
     */
    public record Assignment(String column, CqlInsert.Value value, int start, int end, boolean ofItself) {}

    public Assignments {
        all = List.copyOf(all);
    }

    /** Reads a statement; empty for any other than INSERT with a list of columns, UPDATE, and DELETE of columns. */
    public static Optional<Assignments> of(String cql) {
        CqlInsert insert = CqlInsert.recognise(cql).orElse(null);
        if (insert == null) {
            return ofChange(cql);
        }
        return insert.isJson() ? Optional.empty() : Optional.of(ofInsert(insert));
    }

    /** Reads the UPDATEs, and the DELETEs of columns, of a {@code BEGIN BATCH ... APPLY BATCH}; none of any other statement. */
    public static List<Assignments> ofBatch(String cql) {
        Scanner first = new Scanner(cql, Scanner.Language.CQL);
        first.next();
        if (!first.isWord("begin")) {
            return List.of();
        }
        List<Assignments> all = new ArrayList<>();
        try {
            Tokens tokens = new Tokens(cql, Scanner.Language.CQL);
            int head = -1;
            for (int token = 0; token < tokens.size(); token++) {
                // These words are reserved: no column and no table has such a name without quotes.
                if (tokens.isEnd(token) || tokens.isAnyWord(token, "insert", "update", "delete", "apply")) {
                    if (head >= 0) {
                        ofChange(cql.substring(tokens.start(head), tokens.start(token)))
                                .ifPresent(all::add);
                    }
                    head = tokens.isAnyWord(token, "update", "delete") ? token : -1;
                }
            }
        } catch (UnsupportedSqlException e) {
            // No statement that the server could read.
        }
        return all;
    }

    private static Assignments ofInsert(CqlInsert insert) {
        List<Assignment> all = new ArrayList<>();
        for (int i = 0; i < insert.columns().size(); i++) {
            String column = insert.columns().get(i);
            CqlInsert.Term term = insert.terms().get(i);
            all.add(new Assignment(column, insert.value(column).orElseThrow(), term.start(), term.end(), false));
        }
        return new Assignments(insert.keyspace().orElse(null), insert.table(), true, true, all);
    }

    private static Optional<Assignments> ofChange(String cql) {
        Tokens tokens;
        try {
            tokens = new Tokens(cql, Scanner.Language.CQL);
        } catch (UnsupportedSqlException e) {
            // No statement that the server could read.
            return Optional.empty();
        }
        return tokens.isWord(0, "update")
                ? ofUpdate(tokens)
                : tokens.isWord(0, "delete") ? ofDelete(tokens) : Optional.empty();
    }

    /** Of {@code DELETE a, m['k'] FROM t}, it is the column {@code a} that is emptied as a whole. */
    private static Optional<Assignments> ofDelete(Tokens tokens) {
        List<Assignment> all = new ArrayList<>();
        int token = 1;
        for (; !tokens.isEnd(token) && !tokens.isWord(token, "from"); token++) {
            boolean first = token == 1 || tokens.isSymbol(token - 1, ',');
            boolean last = tokens.isSymbol(token + 1, ',') || tokens.isWord(token + 1, "from");
            if (tokens.opens(token)) {
                token = tokens.afterClosing(token) - 1;
            } else if (first && last && tokens.kind(token).isName()) {
                all.add(new Assignment(
                        Identifiers.toInternal(tokens.cqlName(token)),
                        new CqlInsert.Value.Null(),
                        tokens.start(token),
                        tokens.end(token),
                        false));
            }
        }
        if (all.isEmpty() || tokens.isEnd(token) || !tokens.kind(token + 1).isName()) {
            return Optional.empty();
        }
        CqlInsert.Table table = TableName.internal(tokens, token + 1);
        return Optional.of(new Assignments(table.keyspace(), table.name(), false, false, all));
    }

    private static Optional<Assignments> ofUpdate(Tokens tokens) {
        TableName name = TableName.read(tokens, 1);
        int token = name.end();
        while (token > 0 && !tokens.isEnd(token) && !tokens.isWord(token, "set")) {
            token++;
        }
        if (token < 0 || tokens.isEnd(token)) {
            return Optional.empty();
        }
        CqlInsert.Table table = TableName.internal(tokens, 1);
        List<Assignment> all = new ArrayList<>();
        int from = token + 1;
        int depth = 0;
        int markers = markers(tokens, 0, from);
        for (token = from; ; token++) {
            boolean end = tokens.isEnd(token) || (depth == 0 && tokens.isWord(token, "where"));
            if (end || (depth == 0 && tokens.isSymbol(token, ','))) {
                assignment(tokens, from, token, markers).ifPresent(all::add);
                markers += markers(tokens, from, token);
                from = token + 1;
            }
            if (end) {
                return Optional.of(
                        new Assignments(table.keyspace(), table.name(), false, mayCreate(tokens, token), all));
            }
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
        }
    }

    /** Of a missing row every column is NULL: IF meets it by = with NULL or a marker, by !=, and by IN. */
    private static boolean mayCreate(Tokens tokens, int where) {
        int token = where;
        while (!tokens.isEnd(token) && !tokens.isWord(token, "if")) {
            token++;
        }
        if (tokens.isEnd(token)) {
            return true;
        }
        for (; !tokens.isEnd(token); token++) {
            boolean equals =
                    tokens.isSymbol(token, '=') && !tokens.isSymbol(token - 1, '<') && !tokens.isSymbol(token - 1, '>');
            if (tokens.isSymbol(token, '!')
                    || tokens.isWord(token, "in")
                    || (equals
                            && (markers(tokens, token + 1, token + 2) > 0
                                    || tokens.isWord(token + 1, "null")
                                    // What stands within, or behind a type, may be either.
                                    || tokens.isSymbol(token + 1, '(')))) {
                return true;
            }
        }
        return false;
    }

    /** Counts the markers among tokens, with and without a name. */
    static int markers(Tokens tokens, int from, int end) {
        int markers = 0;
        for (int token = from; token < end; token++) {
            markers += tokens.kind(token) == Kind.MARKER || tokens.kind(token) == Kind.NAMED_MARKER ? 1 : 0;
        }
        return markers;
    }

    /** @param markers how many come before it */
    private static Optional<Assignment> assignment(Tokens tokens, int from, int end, int markers) {
        if (!tokens.kind(from).isName()) {
            return Optional.empty();
        }
        String column = Identifiers.toInternal(tokens.cqlName(from));
        boolean adds = (tokens.isSymbol(from + 1, '+') || tokens.isSymbol(from + 1, '-'))
                && tokens.isSymbol(from + 2, '=')
                && tokens.end(from + 1) == tokens.start(from + 2);
        int first = adds ? from + 3 : from + 2;
        if (first >= end || !(adds || tokens.isSymbol(from + 1, '='))) {
            return Optional.empty();
        }
        int start = tokens.start(first);
        int after = tokens.end(end - 1);
        if (adds) {
            // A marker in it is no value of the column.
            String computed = column + ' ' + tokens.text(from + 1) + ' ' + tokens.text.substring(start, after);
            return Optional.of(new Assignment(column, new CqlInsert.Value.Term(computed), start, after, true));
        }
        boolean function = tokens.opens(first + 1) || tokens.isSymbol(first + 1, '.');
        boolean ofItself = end - first > 1
                && ((isColumn(tokens, first, column) && !function) || isColumn(tokens, end - 1, column));
        return Optional.of(new Assignment(column, value(tokens, first, end, markers), start, after, ofItself));
    }

    private static boolean isColumn(Tokens tokens, int token, String column) {
        return tokens.kind(token).isName()
                && Identifiers.toInternal(tokens.cqlName(token)).equals(column);
    }

    static CqlInsert.Value value(Tokens tokens, int from, int after, int markers) {
        Brackets.Content content = Brackets.content(tokens, from, after);
        int token = content.from();
        int end = content.end();
        String text = tokens.text.substring(tokens.start(token), tokens.end(end - 1));
        if (end == token + 1) {
            if (tokens.kind(token) == Kind.MARKER) {
                return new CqlInsert.Value.Marker(markers, null);
            }
            if (tokens.kind(token) == Kind.NAMED_MARKER) {
                return new CqlInsert.Value.Marker(markers, Identifiers.toInternal(text.substring(1)));
            }
            if (tokens.isWord(token, "null")) {
                return new CqlInsert.Value.Null();
            }
        }
        return text.matches("-?[0-9]+")
                ? new CqlInsert.Value.IntegerLiteral(new BigInteger(text))
                : new CqlInsert.Value.Term(text);
    }
}
