package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.ReservedWords;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Reads T-SQL's CREATE INDEX and DROP INDEX. An index of several columns becomes an index on the first of them, and what
 * is left out is noted. CQL's own forms are not read: without a name, by IF NOT EXISTS, CUSTOM or USING, and on keys(c)
 * and the like.
 */
final class IndexParser extends TokenReader {

    private static final TsqlStep.Refusal FILTERED = new TsqlStep.Refusal(
            "CREATE INDEX ... WHERE",
            "leave WHERE out, or connect with constraints=warn; the index is then on all rows");

    private final List<TsqlStep> steps = new ArrayList<>();

    IndexParser(Tokens tokens) {
        super(tokens, 0);
    }

    /** Returns the steps of what was read. */
    List<TsqlStep> steps() {
        return steps;
    }

    /** Returns the token after what was read. */
    int end() {
        return token;
    }

    /** Returns whether a CREATE at a token makes an index. */
    static boolean isCreate(Tokens tokens, int create) {
        int at = tokens.isWord(create + 1, "unique") ? create + 2 : create + 1;
        at = tokens.isAnyWord(at, "clustered", "nonclustered") ? at + 1 : at;
        return tokens.isWord(at, "index");
    }

    /** Reads {@code CREATE [UNIQUE] [CLUSTERED | NONCLUSTERED] INDEX}; returns false for a form of CQL's own. */
    boolean create(int create) {
        token = create + 1;
        boolean unique = word("unique");
        boolean clustered = tokens.isWord(token, "clustered");
        boolean kind = word("clustered") || word("nonclustered");
        word("index");
        int name = token;
        if (!tokens.kind(name).isName() || !tokens.isWord(name + 1, "on")) {
            return false;
        }
        TableName table = TableName.read(tokens, name + 2);
        int open = table.end();
        if (table.first() < 0 || !tokens.isSymbol(open, '(') || tokens.isSymbol(open + 2, '(')) {
            return false;
        }
        int close = tokens.afterClosing(open);
        if (tokens.isWord(close, "using")) {
            return false;
        }
        boolean plain = !unique
                && !kind
                && close == open + 3
                && (tokens.isEnd(close) || tokens.isSymbol(close, ';'))
                && isCql(name, close);
        String text = plain ? tokens.text.substring(tokens.start(create), tokens.end(close - 1)) : "";
        token = open;
        definition(TableName.internal(tokens, name + 2), name, unique, clustered, text, false);
        return true;
    }

    private boolean isCql(int from, int to) {
        for (int at = from; at < to; at++) {
            boolean reserved = tokens.kind(at) == Kind.WORD
                    && ReservedWords.isReservedByCqlAlone(tokens.text, tokens.start(at), tokens.end(at));
            if (reserved
                    || tokens.kind(at) == Kind.BRACKETED
                    || (tokens.isWord(at, "dbo") && tokens.isSymbol(at + 1, '.'))
                    || (tokens.isSymbol(at, '.') && tokens.isSymbol(at + 1, '.'))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Reads {@code INDEX name (...)} within CREATE TABLE.
     *
     * @param index the token of INDEX
     * @param ifNotExists whether an index that is there already is left alone
     */
    void inline(CqlInsert.Table table, int index, boolean ifNotExists) {
        token = index + 2;
        boolean unique = word("unique");
        boolean clustered = tokens.isWord(token, "clustered");
        if (!word("clustered")) {
            word("nonclustered");
        }
        definition(table, index + 1, unique, clustered, "", ifNotExists);
    }

    /** Reads from the bracket in front of the columns on. */
    private void definition(
            CqlInsert.Table table, int name, boolean unique, boolean clustered, String plain, boolean ifNotExists) {
        String shown = tokens.content(name);
        if (clustered) {
            steps.add(new TsqlStep.LeftOut("CLUSTERED of index " + shown));
        }
        if (!tokens.isSymbol(token, '(')) {
            throw new UnsupportedSqlException("an index " + shown + " without columns", "name the column in brackets");
        }
        int close = tokens.afterClosing(token) - 1;
        int first = token + 1;
        if (!tokens.kind(first).isName()) {
            throw new UnsupportedSqlException(
                    "'" + tokens.text(first) + "' in the columns of index " + shown, "name the column");
        }
        int behind = first + 1;
        if (tokens.isWord(behind, "desc")) {
            steps.add(new TsqlStep.LeftOut("DESC of index " + shown));
        }
        behind += tokens.isAnyWord(behind, "asc", "desc") ? 1 : 0;
        if (behind < close && !tokens.isSymbol(behind, ',')) {
            throw new UnsupportedSqlException(
                    "'" + tokens.text(behind) + "' in the columns of index " + shown, "name columns alone");
        }
        if (behind < close && !unique) {
            steps.add(new TsqlStep.LeftOut("the columns " + text(behind + 1, close) + " of index " + shown
                    + ", which is on " + tokens.content(first) + " alone"));
        }
        List<String> columns = unique ? columns(first, close, shown) : List.of();
        token = close + 1;
        include(shown);
        boolean filtered = unique && isFiltered(shown, columns);
        rest(shown);
        TsqlStep.CreateIndex.Unique kept = unique ? new TsqlStep.CreateIndex.Unique(shown, columns, filtered) : null;
        steps.add(new TsqlStep.CreateIndex(table, internal(name), internal(first), kept, plain, ifNotExists));
    }

    private List<String> columns(int first, int close, String shown) {
        List<String> columns = new ArrayList<>();
        for (int at = first; at < close; at++) {
            if (!tokens.kind(at).isName()) {
                throw new UnsupportedSqlException(
                        "'" + tokens.text(at) + "' in the columns of index " + shown, "name columns alone");
            }
            columns.add(internal(at));
            at += tokens.isAnyWord(at + 1, "asc", "desc") ? 2 : 1;
            if (at < close && !tokens.isSymbol(at, ',')) {
                throw new UnsupportedSqlException(
                        "'" + tokens.text(at) + "' in the columns of index " + shown, "name columns alone");
            }
        }
        return columns;
    }

    /**
     * Reads {@code WHERE a IS NOT NULL AND b IS NOT NULL} of all columns of the index, which leaves rows with a NULL out. What is
     * unique among some other rows is refused: the constraint is kept of all.
     */
    private boolean isFiltered(String shown, List<String> columns) {
        if (!word("where")) {
            return false;
        }
        int brackets = 0;
        List<String> named = new ArrayList<>();
        do {
            while (symbol('(')) {
                brackets++;
            }
            boolean notNull = tokens.kind(token).isName()
                    && tokens.isWord(token + 1, "is")
                    && tokens.isWord(token + 2, "not")
                    && tokens.isWord(token + 3, "null");
            if (!notNull) {
                throw filtered(shown);
            }
            named.add(internal(token));
            token += 4;
            while (brackets > 0 && symbol(')')) {
                brackets--;
            }
        } while (word("and"));
        if (brackets > 0 || !Set.copyOf(named).equals(Set.copyOf(columns)) || !endsCondition(token)) {
            throw filtered(shown);
        }
        return true;
    }

    private static UnsupportedSqlException filtered(String shown) {
        return new UnsupportedSqlException(
                "CREATE UNIQUE INDEX " + shown + " ... WHERE",
                "say IS NOT NULL of each column of the index, or leave WHERE out, if no two rows have the same values");
    }

    private void include(String shown) {
        if (tokens.isWord(token, "include") && tokens.isSymbol(token + 1, '(')) {
            int after = tokens.afterClosing(token + 1);
            steps.add(new TsqlStep.LeftOut(text(token, after) + " of index " + shown));
            token = after;
        }
    }

    /** Reads WHERE and how SQL Server stores it. */
    private void rest(String shown) {
        if (tokens.isWord(token, "where")) {
            int from = token;
            while (!endsCondition(token)) {
                token = tokens.opens(token) ? tokens.afterClosing(token) : token + 1;
            }
            steps.add(new TsqlStep.LeftOut(text(from, token) + " of index " + shown, FILTERED));
        }
        if (tokens.isWord(token, "with") && tokens.isSymbol(token + 1, '(')) {
            token = tokens.afterClosing(token + 1);
        }
        while (tokens.isAnyWord(token, "on", "filestream_on")
                && tokens.kind(token + 1).isName()) {
            token += 2;
            token = tokens.isSymbol(token, '(') ? tokens.afterClosing(token) : token;
        }
    }

    private boolean endsCondition(int at) {
        return tokens.isEnd(at)
                || tokens.isSymbol(at, ';')
                || tokens.isSymbol(at, ',')
                || tokens.closes(at)
                || tokens.isAnyWord(
                        at, "with", "on", "create", "alter", "drop", "insert", "update", "delete", "select", "go",
                        "end", "if", "exec", "print");
    }

    /**
     * Reads {@code DROP INDEX [IF EXISTS] name ON table, ...} and the older {@code DROP INDEX [schema.]table.name, ...}; returns
     * false for CQL's form, {@code keyspace.name}.
     */
    boolean drop(int drop, Schema schema) {
        token = drop + 2;
        boolean ifExists = tokens.isWord(token, "if") && tokens.isWord(token + 1, "exists");
        token += ifExists ? 2 : 0;
        do {
            int name = token;
            if (dropOfTable(name, schema, ifExists)) {
                continue;
            }
            if (!tokens.kind(name).isName() || !tokens.isWord(name + 1, "on")) {
                if (steps.isEmpty()) {
                    return false;
                }
                throw new UnsupportedSqlException("DROP INDEX ... " + tokens.text(name), "say ON which table it is");
            }
            CqlInsert.Table table = TableName.internal(tokens, name + 2);
            steps.add(new TsqlStep.DropIndex(table, internal(name), ifExists));
            token = TableName.read(tokens, name + 2).end();
            if (tokens.isWord(token, "with") && tokens.isSymbol(token + 1, '(')) {
                token = tokens.afterClosing(token + 1);
            }
        } while (symbol(','));
        return true;
    }

    /** Reads {@code schema.table.name}, or {@code table.name} if there is such a table. */
    private boolean dropOfTable(int first, Schema schema, boolean ifExists) {
        int parts = 0;
        int end = first;
        while (tokens.kind(end).isName() && (parts == 0 || tokens.isSymbol(end - 1, '.'))) {
            parts++;
            end += tokens.isSymbol(end + 1, '.') ? 2 : 1;
        }
        if (parts < 2 || parts > 3 || tokens.isWord(end, "on")) {
            return false;
        }
        CqlInsert.Table table = parts == 3
                ? TableName.internal(tokens, first, first + 3)
                : new CqlInsert.Table(null, Identifiers.toInternal(tokens.cqlTable(first)));
        if (parts == 2 && schema.namedKey(table).isEmpty()) {
            return false;
        }
        steps.add(new TsqlStep.DropIndex(table, internal(end - 1), ifExists));
        token = end;
        return true;
    }

    private String internal(int name) {
        return Identifiers.toInternal(tokens.cqlName(name));
    }

    private String text(int from, int to) {
        return tokens.text.substring(tokens.start(from), tokens.end(to - 1));
    }
}
