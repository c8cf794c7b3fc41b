package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

    /** The first token of the list of columns. */
    private int list;

    private boolean topZero;
    private final List<Guard> guards = new ArrayList<>();
    private @Nullable Calculation calculation;
    private TsqlStep.@Nullable Selection selection;
    private Conditions.@Nullable Rows rows;

    SelectParser(Tokens tokens, Normaliser normaliser, int select, int end) {
        this.tokens = tokens;
        this.normaliser = normaliser;
        this.select = select;
        this.end = end;
        this.fromClause = end;
        this.list = select + 1;
    }

    /** Returns what has to be checked before the statement is sent. */
    List<Guard> guards() {
        return guards;
    }

    /** Returns what the driver calculates of the result; null if that is nothing. */
    @Nullable
    Calculation calculation() {
        return calculation;
    }

    /** Returns what the result's columns are, as far as the statement tells; null if it does not. */
    TsqlStep.@Nullable Selection selection() {
        return selection;
    }

    void write(CqlBuilder out) {
        top();
        TableName table = table();
        refuseWhatNeedsMoreThanOneTable(table.end());
        fetch();
        SelectList columns = clauses(table);
        normaliser.normalise(select, end, table);
        if (columns.calculates()) {
            calculation(columns, table);
        }
        if (fromClause == end) {
            withoutTable(out);
            return;
        }
        if (rows != null) {
            rows(out, rows);
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

    /** Writes a statement for each row; the first one stands for all of them. */
    private void rows(CqlBuilder out, Conditions.Rows of) {
        List<Guard.Read> reads = new ArrayList<>();
        for (Conditions.Span each : of.each()) {
            CqlBuilder read = reads.isEmpty() ? out : new CqlBuilder();
            normaliser.copy(read, select, of.from());
            read.append(" ");
            normaliser.copy(read, each.from(), each.to());
            if (!isDropped(of.to())) {
                read.append(" ");
                normaliser.copy(read, of.to(), end);
            }
            reads.add(new Guard.Read(read.toString(), read.parameters()));
        }
        Guard.@Nullable Operand limit = limitValue < 0
                ? null
                : tokens.kind(limitValue) == Kind.MARKER
                        ? new Guard.Operand(tokens.markerIndex(limitValue), null)
                        : new Guard.Operand(-1, tokens.text(limitValue));
        guards.add(new Guard.Rows(reads, limit));
    }

    /** SELECT 1, SELECT GETDATE(): pools use them to test the connection. CQL requires a table. */
    private void withoutTable(CqlBuilder out) {
        normaliser.copy(out, select, end);
        out.append(" FROM system.local");
    }

    private void calculation(SelectList columns, TableName table) {
        if (tokens.isWord(select + 1, "distinct")) {
            throw new UnsupportedSqlException(
                    "SELECT DISTINCT with calculated columns", "select the columns, and calculate in the application");
        }
        CqlInsert.Table exact = SelectList.table(tokens, table, normaliser.schema());
        calculation = exact == null
                ? columns.calculation(new CqlInsert.Table("system", "local"), "FROM system.local")
                : columns.calculation(exact, from(table));
    }

    /** Returns the FROM clause with the table alone. */
    private String from(TableName table) {
        CqlBuilder from = new CqlBuilder();
        normaliser.copy(from, fromClause, Math.max(table.end(), fromClause));
        return from.toString();
    }

    private SelectList clauses(TableName name) {
        Schema schema = normaliser.schema();
        CqlInsert.Table table = SelectList.table(tokens, name, schema);
        SelectList columns = new SelectList(tokens, normaliser, schema, name);
        refuseDistinctWithin();
        columns.rewrite(list, fromClause, table);
        if (find("group", fromClause) == end) {
            columns.refuseUngrouped(table);
        }
        List<String> key = table == null ? List.of() : schema.namedKey(table);
        distinct(columns.items(), key, table);
        Conditions conditions = new Conditions(tokens, normaliser, schema, table, false);
        int where = find("where", fromClause);
        if (where < end) {
            int conditionsEnd = clauseEnd(where + 1);
            conditions.rewrite(where, conditionsEnd);
            new ConstantFolder(tokens, normaliser).fold(where + 1, conditionsEnd);
        }
        guards.addAll(conditions.guards());
        boolean mayFindNone = conditions.areNeverTrue() || guards.stream().anyMatch(Guard.Compared.class::isInstance);
        if (mayFindNone && columns.calls() && find("group", fromClause) == end) {
            throw new UnsupportedSqlException(
                    "a function over no row",
                    "an aggregate returns a row for them: leave the condition out, or the function");
        }
        if (topZero || conditions.areNeverTrue()) {
            guards.add(new Guard.NoRows());
        }
        if (limitValue >= 0 && tokens.kind(limitValue) == Kind.MARKER) {
            guards.add(new Guard.Limit(tokens.markerIndex(limitValue)));
        }
        selection = columns.selection(table);
        orderBy(columns.items(), conditions.equal().keySet(), key, conditions);
        rows = conditions.rows();
        if (rows != null && (columns.calls() || columns.calculates() || !isPlainBehind(clauseEnd(where + 1)))) {
            throw Conditions.or();
        }
        return columns;
    }

    /** Returns whether the rows of several statements are simply those of one. */
    private boolean isPlainBehind(int conditionsEnd) {
        return isDropped(conditionsEnd)
                && !(tokens.isAnyWord(select + 1, "distinct", "json") && !normaliser.isDropped(select + 1));
    }

    /** Returns whether nothing of the statement is left from a token on. */
    private boolean isDropped(int from) {
        for (int token = from; token < end; token++) {
            if (!normaliser.isDropped(token)) {
                return false;
            }
        }
        return true;
    }

    /** Leaves DISTINCT out where the list has the whole key: no two rows are equal. CQL has it of partition keys alone. */
    private void distinct(List<SelectList.Item> items, List<String> key, CqlInsert.@Nullable Table table) {
        List<@Nullable String> columns = new ArrayList<>();
        items.forEach(item -> columns.add(item.column()));
        if (tokens.isWord(select + 1, "distinct") && !key.isEmpty() && columns.containsAll(key)) {
            normaliser.drop(select + 1, select + 2);
        } else if (tokens.isWord(select + 1, "distinct") && table != null) {
            for (@Nullable String column : columns) {
                if (column != null && normaliser.schema().hasTwin(table, column)) {
                    throw new UnsupportedSqlException(
                            "SELECT DISTINCT of column " + column
                                    + ", which is in the primary key and compared by its collation",
                            "select the whole key, or without DISTINCT, and take each value once in the application");
                }
            }
        }
    }

    private void refuseDistinctWithin() {
        for (int token = list; token < fromClause; token++) {
            if (tokens.isWord(token, "distinct") && tokens.isSymbol(token - 1, '(')) {
                throw new UnsupportedSqlException(
                        tokens.text(token - 2).toUpperCase(Locale.ROOT) + "(DISTINCT ...)",
                        "Cassandra knows no different values but those of the partition key: select the column, and take"
                                + " each value once in the application");
            }
        }
    }

    /** Returns the first such word outside of brackets that is a keyword there, or the end. */
    private int find(String word, int from) {
        int depth = 0;
        for (int token = from; token < end; token++) {
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            // CQL reserves WHERE and ORDER, and has columns named group.
            boolean keyword = tokens.isWord(token, word) && (!word.equals("group") || tokens.isWord(token + 1, "by"));
            if (depth == 0 && keyword) {
                return token;
            }
        }
        return end;
    }

    /** Returns the token of the next clause. */
    private int clauseEnd(int from) {
        int depth = 0;
        for (int token = from; token < end; token++) {
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            if (depth == 0 && beginsClause(token)) {
                return token;
            }
        }
        return end;
    }

    /** By the word after it too: CQL does not reserve all of these words, so columns may have such names. */
    private boolean beginsClause(int token) {
        int after = token + 1;
        boolean number = tokens.kind(after) == Kind.NUMBER || tokens.kind(after) == Kind.MARKER;
        return (tokens.isAnyWord(token, "order", "group") && tokens.isWord(after, "by"))
                || (tokens.isAnyWord(token, "limit", "offset") && number)
                || (tokens.isWord(token, "per") && tokens.isWord(after, "partition"))
                || (tokens.isWord(token, "allow") && tokens.isWord(after, "filtering"))
                || (tokens.isWord(token, "fetch") && tokens.isAnyWord(after, "first", "next"))
                || (tokens.isAnyWord(token, "with", "option") && tokens.isSymbol(after, '('))
                || (tokens.isWord(token, "for") && tokens.isAnyWord(after, "update", "browse", "xml", "json", "read"));
    }

    /**
     * Leaves out of ORDER BY what orders nothing, because all rows have one value there; CQL would refuse it. Writes the
     * columns in place of their aliases and of their places in the list.
     */
    private void orderBy(List<SelectList.Item> items, Set<String> equal, List<String> key, Conditions conditions) {
        int order = find("order", fromClause);
        if (!tokens.isWord(order + 1, "by") || order + 2 >= end) {
            return;
        }
        int to = clauseEnd(order + 2);
        conditions.refuseCollation(order + 2, to);
        Map<String, SelectList.Item> labelled = new HashMap<>();
        for (SelectList.Item item : items) {
            if (item.label() != null && (item.calculated() || item.column() != null)) {
                labelled.putIfAbsent(item.label(), item);
            }
        }
        boolean oneRow = !key.isEmpty() && equal.containsAll(key);
        int depth = 0;
        int start = order + 2;
        boolean kept = false;
        for (int token = order + 2; token <= to; token++) {
            if (token == to || (depth == 0 && tokens.isSymbol(token, ','))) {
                boolean keeps = start < token
                        && !oneRow
                        && !isConstant(start, token)
                        && !equal.contains(ordered(start, token, items, labelled));
                if (!keeps) {
                    normaliser.drop(start, token);
                }
                if (start > order + 2 && !(keeps && kept)) {
                    normaliser.drop(start - 1, start);
                }
                kept |= keeps;
                start = token + 1;
            } else {
                depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            }
        }
        if (!kept) {
            normaliser.drop(order, to);
        }
    }

    /**
     * Returns whether an item of ORDER BY is {@code (SELECT NULL)}, or a number of rows in that order: OFFSET needs an ORDER BY, and
     * this one orders nothing.
     */
    private boolean isConstant(int from, int to) {
        boolean numbers = tokens.isWord(from, "row_number")
                && tokens.isSymbol(from + 1, '(')
                && tokens.isSymbol(from + 2, ')')
                && tokens.isWord(from + 3, "over")
                && tokens.isSymbol(from + 4, '(')
                && tokens.isWord(from + 5, "order")
                && tokens.isWord(from + 6, "by");
        if (numbers) {
            return isConstant(from + 7, to - 1);
        }
        return to - from == 4
                && tokens.isSymbol(from, '(')
                && tokens.isWord(from + 1, "select")
                && (tokens.isWord(from + 2, "null") || tokens.kind(from + 2) == Kind.NUMBER);
    }

    /** Returns the column by which an item of ORDER BY orders, by its internal name; empty if it is none. */
    private String ordered(int from, int to, List<SelectList.Item> items, Map<String, SelectList.Item> labelled) {
        int last = tokens.isAnyWord(to - 1, "asc", "desc") && to - from > 1 ? to - 1 : to;
        if (last - from == 1
                && tokens.kind(from) == Kind.NUMBER
                && tokens.text(from).matches("[0-9]{1,4}")) {
            int place = Integer.parseInt(tokens.text(from));
            SelectList.Item placed = place > 0 && place <= items.size() ? items.get(place - 1) : null;
            refuseCalculated(placed);
            if (placed != null && placed.column() != null) {
                normaliser.replace(from, Identifiers.toCql(placed.column()));
                return placed.column();
            }
            return "";
        }
        if (!tokens.kind(last - 1).isName() || !(last - from == 1 || tokens.isSymbol(last - 2, '.'))) {
            return "";
        }
        String name = Identifiers.toInternal(tokens.cqlName(last - 1));
        SelectList.Item item = last - from == 1 ? labelled.get(name) : null;
        refuseCalculated(item);
        if (item != null && item.column() != null) {
            normaliser.replace(from, Identifiers.toCql(item.column()));
            return item.column();
        }
        return name;
    }

    /** The server would take its label for a column of that name. */
    private static void refuseCalculated(SelectList.@Nullable Item item) {
        if (item != null && item.calculated()) {
            throw new UnsupportedSqlException(
                    "ORDER BY of a calculated column", "sort in the application, or by the columns that it is made of");
        }
    }

    private void top() {
        int token = select + 1;
        if (tokens.isAnyWord(token, "distinct", "all")) {
            token++;
        }
        if (!tokens.isWord(token, "top")) {
            return;
        }
        boolean all = tokens.isWord(token - 1, "all");
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
        list = after;
        normaliser.drop(all ? token - 1 : token, after);
        if (tokens.kind(value) == Kind.NUMBER && tokens.text(value).equals("0")) {
            topZero = true;
        } else {
            limitValue = value;
        }
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
        int token = normaliser.dropHints(table.end(), end);
        boolean as = tokens.isWord(token, "as");
        int alias = as ? token + 1 : token;
        if (token > table.end() && (alias >= end || !tokens.kind(alias).isName() || isClause(alias))) {
            return new TableName(table.first(), token, table.keyspace(), table.table(), null);
        }
        if (alias >= end || !tokens.kind(alias).isName() || (!as && isClause(alias)) || isJoin(alias)) {
            return table;
        }
        normaliser.drop(token, alias + 1);
        return table.withAlias(tokens.content(alias), normaliser.dropHints(alias + 1, end));
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
            if (tokens.opens(token) && tokens.isWord(token + 1, "select")) {
                // It has an OFFSET of its own.
                token = tokens.afterClosing(token) - 1;
                continue;
            }
            boolean offset = tokens.isWord(token, "offset") && tokens.isAnyWord(token + 2, "row", "rows");
            if (tokens.isWord(token, "offset") && tokens.isWord(token - 2, "limit")) {
                throw new UnsupportedSqlException(
                        "LIMIT " + tokens.text(token - 1) + " OFFSET " + tokens.text(token + 1),
                        "SELECT TOP (n) gives the first rows, and no clause skips rows: " + Guard.NoOffset.INSTEAD);
            }
            if (offset && (topZero || limitValue >= 0)) {
                throw UnsupportedSqlException.asSqlServer(
                        10741,
                        "A TOP can not be used in the same query or sub-query as a OFFSET. Leave TOP out, and write"
                                + " OFFSET 0 ROWS FETCH NEXT n ROWS ONLY");
            }
            if (offset && tokens.kind(token + 1) == Kind.MARKER) {
                guards.add(new Guard.NoOffset(tokens.markerIndex(token + 1)));
            } else if (offset && !tokens.text(token + 1).equals("0")) {
                throw new UnsupportedSqlException("OFFSET " + tokens.text(token + 1), Guard.NoOffset.INSTEAD);
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
