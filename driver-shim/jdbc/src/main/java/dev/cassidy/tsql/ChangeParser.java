package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The clauses SET and WHERE of an UPDATE or DELETE. */
final class ChangeParser {

    /** Terms that are a bare word. */
    private static final Set<String> WORDS_OF_TERMS =
            Set.of("null", "true", "false", "default", "current_timestamp", "nan", "infinity");

    private final Tokens tokens;
    private final Normaliser normaliser;
    private final CqlInsert.@Nullable Table table;
    private final int verb;
    private final int end;
    private final boolean defined;
    private final List<Guard> guards = new ArrayList<>();

    /** @param defined whether a definition stands before it in the script: the table may be another one when it is reached */
    ChangeParser(Tokens tokens, Normaliser normaliser, TableName table, int verb, int end, boolean defined) {
        this.tokens = tokens;
        this.normaliser = normaliser;
        this.table = SelectList.table(tokens, table, normaliser.schema());
        this.verb = verb;
        this.end = end;
        this.defined = defined;
    }

    /** Marks what has to change, and returns what has to be checked before the statement is sent. */
    List<Guard> rewrite() {
        int where = find("where", verb + 1);
        int set = tokens.isWord(verb, "update") ? find("set", verb + 2) : end;
        if (where == end) {
            if (table != null && (set < end || tokens.isWord(verb, "delete"))) {
                throw withoutWhere();
            }
            return guards;
        }
        Conditions conditions = new Conditions(tokens, normaliser, normaliser.schema(), table, true);
        conditions.rewrite(where, find("if", where + 1));
        guards.addAll(conditions.guards());
        if (conditions.areNeverTrue()) {
            guards.add(new Guard.NoRows());
        } else if (conditions.areNone()) {
            throw withoutWhere();
        }
        // FROM with the table once more, of which nothing is sent.
        int setEnd = Math.min(where, find("from", set + 1));
        if (table != null && set < where) {
            assignments(set + 1, setEnd, table, conditions.equal());
        }
        arithmetic(set, setEnd, where);
        return guards;
    }

    /** Calculates constants, also behind IF. */
    private void arithmetic(int set, int setEnd, int where) {
        ConstantFolder folder = new ConstantFolder(tokens, normaliser);
        folder.fold(where + 1, end);
        int depth = 0;
        int start = set + 1;
        for (int token = start; token <= setEnd; token++) {
            if (token == setEnd || (depth == 0 && tokens.isSymbol(token, ','))) {
                defaulted(start, token);
                refuseColumn(start, token);
                folder.assignment(start, withoutBrackets(start, token));
                start = token + 1;
            } else {
                depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            }
        }
    }

    /** {@code SET c = (c + 1)} is {@code c = c + 1}; a tuple in brackets has no arithmetic. Returns the end of the assignment. */
    private int withoutBrackets(int from, int to) {
        int open = from;
        while (open < to && !tokens.isSymbol(open, '=')) {
            open++;
        }
        open++;
        boolean calculates = tokens.isSymbol(open, '(')
                && tokens.afterClosing(open) == to
                && tokens.kind(open + 1).isName()
                && ConstantFolder.mayConcern(tokens, open + 2, to - 1);
        if (!calculates) {
            return to;
        }
        normaliser.drop(open, open + 1);
        normaliser.drop(to - 1, to);
        return to - 1;
    }

    /** {@code SET c = DEFAULT} sets the column to its default, or to NULL if it has none. */
    private void defaulted(int from, int to) {
        int last = to - 1;
        if (table == null
                || last - 2 < from
                || !tokens.isWord(last, "default")
                || !tokens.isSymbol(last - 1, '=')
                || !tokens.kind(last - 2).isName()) {
            return;
        }
        if (defined) {
            throw new UnsupportedSqlException(
                    "SET ... = DEFAULT behind a definition in its script",
                    "write the value, or send the UPDATE by itself");
        }
        String column = normaliser.schema().columnLike(table, Identifiers.toInternal(tokens.cqlName(last - 2)));
        normaliser.replace(last, normaliser.schema().defaultOf(table, column));
    }

    /** {@code SET a = b}: Cassandra sets a column to a value, or to its own value with something added. */
    private void refuseColumn(int from, int to) {
        int operator = from;
        while (operator < to && !tokens.isSymbol(operator, '=')) {
            operator++;
        }
        int column = to - 1;
        boolean qualified = column - operator == 3 && tokens.isSymbol(column - 1, '.');
        if (table == null
                || !tokens.kind(column).isName()
                || !(column - operator == 1
                        || (qualified && tokens.kind(column - 2).isName()))
                || (!qualified && tokens.kind(column) == Kind.WORD && WORDS_OF_TERMS.contains(word(column)))) {
            return;
        }
        throw new UnsupportedSqlException(
                "SET " + tokens.text.substring(tokens.start(from), tokens.end(column)),
                "Cassandra sets a column to a value, and not to another column: read " + tokens.text(column)
                        + " by a SELECT of the row, and pass it as a parameter");
    }

    private String word(int token) {
        return tokens.text(token).toLowerCase(Locale.ROOT);
    }

    private UnsupportedSqlException withoutWhere() {
        boolean update = tokens.isWord(verb, "update");
        return new UnsupportedSqlException(
                (update ? "UPDATE" : "DELETE") + " without WHERE",
                "a write needs the key of its rows: name it in WHERE"
                        + (update ? "" : "; TRUNCATE TABLE empties a table"));
    }

    /** Returns the first such word outside of brackets, or the end; of a word that CQL reserves. */
    private int find(String word, int from) {
        int depth = 0;
        for (int token = from; token < end; token++) {
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            if (depth == 0 && tokens.isWord(token, word)) {
                return token;
            }
        }
        return end;
    }

    /** Leaves out columns of the key that are set to the value that they have. CQL refuses to set them. */
    private void assignments(int from, int to, CqlInsert.Table of, Map<String, Conditions.Span> equal) {
        List<Conditions.Span> left = new ArrayList<>();
        List<Conditions.Span> all = new ArrayList<>();
        int depth = 0;
        int start = from;
        for (int token = from; token <= to; token++) {
            if (token == to || (depth == 0 && tokens.isSymbol(token, ','))) {
                Conditions.Span assignment = new Conditions.Span(start, token);
                all.add(assignment);
                String same = sameKey(assignment, of, equal);
                // What its collation takes for equal may be written otherwise.
                if (same == null || normaliser.schema().hasTwin(of, same)) {
                    left.add(assignment);
                }
                start = token + 1;
            } else {
                depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            }
        }
        if (left.size() == all.size()) {
            return;
        }
        if (left.isEmpty()) {
            throw new UnsupportedSqlException(
                    "UPDATE of nothing but the key",
                    "the key is the place of a row: insert the new row, and delete the old one");
        }
        boolean kept = false;
        for (Conditions.Span assignment : all) {
            boolean keeps = left.contains(assignment);
            if (!keeps) {
                normaliser.drop(assignment.from(), assignment.to());
            }
            if (assignment.from() > from && !(keeps && kept)) {
                normaliser.drop(assignment.from() - 1, assignment.from());
            }
            kept |= keeps;
        }
    }

    /** Returns the column of the key that is set to the value that it has; null if it is none. */
    private @Nullable String sameKey(
            Conditions.Span assignment, CqlInsert.Table of, Map<String, Conditions.Span> equal) {
        int operator = assignment.from() + 1;
        while (tokens.isSymbol(operator, '.') && tokens.kind(operator + 1).isName()) {
            operator += 2;
        }
        if (operator >= assignment.to()
                || !tokens.isSymbol(operator, '=')
                || !tokens.kind(operator - 1).isName()) {
            return null;
        }
        String column = Identifiers.toInternal(tokens.cqlName(operator - 1));
        Conditions.Span where = equal.get(column);
        if (where == null || !normaliser.schema().namedKey(of).contains(column)) {
            return null;
        }
        Guard.Operand assigned = operand(operator + 1, assignment.to());
        Guard.Operand key = operand(where.from(), where.to());
        if (assigned == null || key == null) {
            throw new UnsupportedSqlException(
                    "SET of column " + column + ", which is part of the primary key",
                    "the key is the place of a row: insert the new row, and delete the old one");
        }
        guards.add(new Guard.SameKey(of, column, assigned, key));
        return column;
    }

    private Guard.@Nullable Operand operand(int from, int to) {
        if (to - from == 1 && tokens.kind(from) == Kind.MARKER) {
            return new Guard.Operand(tokens.markerIndex(from), null);
        }
        LiteralTerm literal = LiteralTerm.read(tokens, from, to);
        if (literal == null) {
            return null;
        }
        return new Guard.Operand(-1, literal.type() == LiteralTerm.Type.NULL ? null : literal.content());
    }
}
