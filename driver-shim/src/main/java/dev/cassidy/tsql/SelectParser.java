package dev.cassidy.tsql;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.Locale;
import java.util.Set;

/**
 * Writes a SELECT as CQL: TOP and OFFSET 0 FETCH become LIMIT, the only table's alias and qualifiers are removed, and a
 * SELECT without a table reads one row of a system table.
 */
final class SelectParser {

    private static final Set<String> CLAUSES =
            Set.of("where", "group", "order", "limit", "per", "allow", "with", "offset", "fetch", "for", "option");

    private final Tokens tokens;
    private final Normaliser normaliser;
    private final int select;
    private final int end;

    private int limitValue = -1;
    private int fromClause;

    SelectParser(Tokens tokens, Normaliser normaliser, int select, int end) {
        this.tokens = tokens;
        this.normaliser = normaliser;
        this.select = select;
        this.end = end;
        this.fromClause = end;
    }

    void write(CqlText out) {
        top();
        TableName table = table();
        refuseWhatNeedsMoreThanOneTable(table.end());
        fetch();
        normaliser.normalise(select, end, table);
        if (fromClause == end) {
            withoutTable(out);
            return;
        }
        if (limitValue < 0) {
            normaliser.copy(out, select, end);
            return;
        }
        int limit = allowFiltering();
        normaliser.copy(out, select, limit);
        out.append(" LIMIT ");
        if (tokens.kind(limitValue) == Kind.MARKER) {
            out.append("?").parameter(tokens.markerIndex(limitValue));
        } else {
            out.append(tokens.text(limitValue));
        }
        if (limit < end) {
            out.append(" ");
            normaliser.copy(out, limit, end);
        }
    }

    /** SELECT 1, SELECT GETDATE(): pools use them to test the connection. CQL requires a table and typed constants. */
    private void withoutTable(CqlText out) {
        for (int token = select + 1; token < end; token++) {
            boolean begins = token == select + 1 || tokens.isSymbol(token - 1, ',');
            boolean whole = token + 1 == end || tokens.isSymbol(token + 1, ',') || tokens.isWord(token + 1, "as");
            if (begins && whole && tokens.kind(token) == Kind.NUMBER) {
                normaliser.replace(token, "(int)" + tokens.text(token));
            } else if (begins && whole && tokens.kind(token) == Kind.STRING) {
                normaliser.replace(token, "(text)" + tokens.text(token));
            }
        }
        normaliser.copy(out, select, end);
        out.append(" FROM system.local");
    }

    private void top() {
        int token = select + 1;
        if (tokens.isAnyWord(token, "distinct", "all")) {
            token++;
        }
        if (!tokens.isWord(token, "top")) {
            return;
        }
        boolean bracket = tokens.isSymbol(token + 1, '(');
        int value = bracket ? token + 2 : token + 1;
        int after = bracket ? token + 4 : token + 2;
        boolean limit = tokens.kind(value) == Kind.NUMBER || tokens.kind(value) == Kind.MARKER;
        if (!limit || (bracket && !tokens.isSymbol(token + 3, ')'))) {
            return;
        }
        if (tokens.isWord(after, "percent") || (tokens.isWord(after, "with") && tokens.isWord(after + 1, "ties"))) {
            throw new UnsupportedSqlException("TOP ... PERCENT or WITH TIES", "give a number of rows");
        }
        limitValue = value;
        normaliser.drop(token, after);
    }

    private TableName table() {
        int depth = 0;
        for (int token = select; token < end; token++) {
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            if (depth == 0 && tokens.isWord(token, "from")) {
                fromClause = token;
                return withAlias(TableName.read(tokens, token + 1));
            }
            if (depth == 0 && tokens.isWord(token, "into")) {
                throw new UnsupportedSqlException("SELECT ... INTO", "create the table and insert into it");
            }
        }
        return TableName.NONE;
    }

    private TableName withAlias(TableName table) {
        if (table.first() < 0) {
            return table;
        }
        int token = table.end();
        boolean as = tokens.isWord(token, "as");
        int alias = as ? token + 1 : token;
        if (alias >= end || !tokens.kind(alias).isName() || (!as && isClause(alias)) || isJoin(alias)) {
            return table;
        }
        normaliser.drop(token, alias + 1);
        return table.withAlias(tokens.content(alias), alias + 1);
    }

    private boolean isClause(int token) {
        return tokens.kind(token) == Kind.WORD
                && CLAUSES.contains(tokens.text(token).toLowerCase(Locale.ROOT));
    }

    private boolean isJoin(int token) {
        return tokens.isAnyWord(
                token,
                "join",
                "inner",
                "left",
                "right",
                "full",
                "cross",
                "outer",
                "union",
                "except",
                "intersect",
                "having",
                "pivot",
                "unpivot");
    }

    private void refuseWhatNeedsMoreThanOneTable(int afterTable) {
        if (fromClause == end) {
            return;
        }
        if (afterTable >= 0 && tokens.isSymbol(afterTable, ',')) {
            throw join();
        }
        for (int token = Math.max(afterTable, fromClause); token < end; token++) {
            boolean clause = tokens.kind(token + 1).isName() || tokens.isSymbol(token + 1, '(');
            if (!clause || token + 1 >= end) {
                continue;
            }
            if (tokens.isAnyWord(token, "join", "apply")) {
                throw join();
            }
            if (tokens.isAnyWord(token, "union", "except", "intersect", "having")) {
                throw new UnsupportedSqlException(
                        tokens.text(token).toUpperCase(Locale.ROOT), "combine the rows in the application");
            }
        }
    }

    private static UnsupportedSqlException join() {
        return new UnsupportedSqlException(
                "a join", "read one table a statement, or keep the joined rows in a table of their own");
    }

    /** {@code [OFFSET 0 ROWS] FETCH NEXT n ROWS ONLY}. */
    private void fetch() {
        for (int token = fromClause; token < end; token++) {
            boolean offset = tokens.isWord(token, "offset") && tokens.isAnyWord(token + 2, "row", "rows");
            if (offset && !tokens.text(token + 1).equals("0")) {
                throw new UnsupportedSqlException(
                        "OFFSET " + tokens.text(token + 1), "page by the key of the last row, or with setFetchSize");
            }
            int fetch = offset ? token + 3 : token;
            if (tokens.isWord(fetch, "fetch")
                    && tokens.isAnyWord(fetch + 1, "first", "next")
                    && tokens.isAnyWord(fetch + 3, "row", "rows")
                    && tokens.isWord(fetch + 4, "only")) {
                limitValue = fetch + 2;
                normaliser.drop(token, fetch + 5);
                return;
            }
            if (offset) {
                normaliser.drop(token, token + 3);
                return;
            }
        }
    }

    /** Returns where LIMIT has to go: before ALLOW FILTERING, which must be last in CQL. */
    private int allowFiltering() {
        return end - 2 > select && tokens.isWord(end - 2, "allow") && tokens.isWord(end - 1, "filtering")
                ? end - 2
                : end;
    }
}
