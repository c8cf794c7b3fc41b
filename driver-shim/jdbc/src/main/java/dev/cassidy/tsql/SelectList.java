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
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The list of a SELECT. T-SQL names a column in five ways, {@code a x}, {@code a AS x}, {@code a AS 'x'}, {@code x = a}
 * and {@code 'x' = a}; CQL in one. T-SQL has literals, CQL only literals with a type.
 */
final class SelectList {

    /**
     * One item.
     *
     * @param column the internal name of the column that it is; null if it is anything else
     * @param label the name that it is given; null if there is none
     * @param calculated whether the driver calculates it
     * @param shown the name that SQL Server shows: the alias, or the column, as it is written; empty for what has no name; null if
     *     only Cassandra knows it
     */
    record Item(
            @Nullable String column,
            @Nullable String label,
            boolean calculated,
            @Nullable String shown) {}

    /** T-SQL gives them no name; what only CQL has is called as Cassandra calls it. */
    private static final Set<String> AGGREGATES = Set.of("avg", "count", "count_big", "max", "min", "sum");

    private final Tokens tokens;
    private final Normaliser normaliser;
    private final Schema schema;
    private final TableName name;
    private final CalculatedItems calculated;
    private final List<Item> items = new ArrayList<>();
    private boolean calls;
    private boolean aggregates;

    private boolean json;

    /** Whether {@code *} stands for columns that only the server knows. */
    private boolean open;

    SelectList(Tokens tokens, Normaliser normaliser, Schema schema, TableName table) {
        this.tokens = tokens;
        this.normaliser = normaliser;
        this.schema = schema;
        this.name = table;
        this.calculated = new CalculatedItems(tokens, normaliser, table, table(tokens, table, schema));
    }

    /** Returns the items in their order. */
    List<Item> items() {
        return items;
    }

    /** Returns what the result's columns are, as far as the statement tells; null if it does not. */
    TsqlStep.@Nullable Selection selection(CqlInsert.@Nullable Table table) {
        return table == null || json || open
                ? null
                : new TsqlStep.Selection(
                        table,
                        items.stream()
                                .map(item -> new TsqlStep.Selection.Item(item.column(), item.shown()))
                                .toList());
    }

    /** Returns whether the driver calculates any item. */
    boolean calculates() {
        return calculated.any();
    }

    /**
     * Returns what the driver calculates.
     *
     * @param from the statement's FROM with its table
     */
    Calculation calculation(CqlInsert.Table table, String from) {
        if (json) {
            throw new UnsupportedSqlException(
                    "SELECT JSON with calculated columns", "select the columns, and calculate in the application");
        }
        return calculated.calculation(table, from);
    }

    /** Returns whether a function is called: an aggregate returns a row even if none is found. */
    boolean calls() {
        return calls;
    }

    /**
     * Marks what has to change in a list.
     *
     * @param from the first token after SELECT and its DISTINCT and TOP
     * @param table the table that is read; null for none
     */
    void rewrite(int from, int to, CqlInsert.@Nullable Table table) {
        int first = from;
        if (tokens.isWord(first, "all") && isItem(first + 1)) {
            normaliser.drop(first, first + 1);
            first++;
        }
        // CQL's own SELECT JSON.
        json = tokens.isWord(first, "json") && isItem(first + 1);
        first += json ? 1 : 0;
        first += tokens.isWord(first, "distinct") && isItem(first + 1) ? 1 : 0;
        if (isDistinctInBrackets(first, to)) {
            normaliser.drop(first + 1, first + 2);
            normaliser.drop(first + 3, first + 4);
            item(first + 2, first + 3, table);
            return;
        }
        int depth = 0;
        int start = first;
        for (int token = first; token <= to; token++) {
            if (token == to || (depth == 0 && tokens.isSymbol(token, ','))) {
                if (start < token) {
                    item(start, token, table);
                }
                start = token + 1;
            } else if (tokens.opens(token) && tokens.isWord(token + 1, "select")) {
                // It has aggregates of its own.
                token = tokens.afterClosing(token) - 1;
            } else {
                depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
                calls |= tokens.kind(token).isName() && tokens.isSymbol(token + 1, '(');
                aggregates |= isAggregate(token);
            }
        }
    }

    private boolean isAggregate(int token) {
        return tokens.kind(token) == Kind.WORD
                && tokens.isSymbol(token + 1, '(')
                && AGGREGATES.contains(tokens.text(token).toLowerCase(Locale.ROOT))
                && !tokens.isWord(tokens.afterClosing(token + 1), "over");
    }

    /** Refuses columns beside an aggregate, of a SELECT that groups no rows: Cassandra would give them the values of any row. */
    void refuseUngrouped(CqlInsert.@Nullable Table table) {
        if (!aggregates || json) {
            return;
        }
        String column = calculated.column();
        for (Item item : items) {
            column = column == null ? item.column() : column;
        }
        if (column != null && table != null) {
            throw UnsupportedSqlException.asSqlServer(
                    8120,
                    "Column '" + table.name() + "." + column
                            + "' is invalid in the select list because it is not contained"
                            + " in either an aggregate function or the GROUP BY clause. Leave it out, or add GROUP BY "
                            + column + ", which Cassandra serves of the first columns of the key");
        }
    }

    /** {@code DISTINCT(a)}, which is no function. */
    private boolean isDistinctInBrackets(int first, int to) {
        return tokens.isWord(first, "distinct")
                && tokens.isSymbol(first + 1, '(')
                && tokens.kind(first + 2).isName()
                && tokens.isSymbol(first + 3, ')')
                && first + 4 == to;
    }

    /** Returns whether an item may begin there: then the word before is no column. */
    private boolean isItem(int token) {
        return tokens.isSymbol(token, '*') || (tokens.kind(token).isName() && !tokens.isAnyWord(token, "as", "from"));
    }

    private void item(int from, int to, CqlInsert.@Nullable Table table) {
        if (tokens.isSymbol(to - 1, '*') && (to - from == 1 || tokens.isSymbol(to - 2, '.'))) {
            all(from, to, table);
            return;
        }
        int first = from;
        int last = to;
        int alias = -1;
        String label = null;
        if (to - from > 2 && isLabel(from) && tokens.isSymbol(from + 1, '=')) {
            alias = from;
            label = label(from);
            first += 2;
        } else if (to - from > 2 && isLabel(to - 1) && tokens.isWord(to - 2, "as")) {
            alias = to - 1;
            label = label(to - 1);
            last -= 2;
        } else if (to - from > 1 && isLabel(to - 1) && endsTerm(from, to - 2) && !isTypeHint(from, to - 1)) {
            alias = to - 1;
            label = label(to - 1);
            last -= 1;
        }
        refuseCase(first, last);
        String name = label == null ? null : Identifiers.toInternal(label);
        if (calculated.item(from, to, first, last, name)) {
            items.add(new Item(null, name, true, alias < 0 ? "" : tokens.content(alias)));
            return;
        }
        if (first > from) {
            normaliser.drop(from, first);
            normaliser.add(to - 1, " AS " + label);
        } else if (last == to - 2 && !tokens.kind(to - 1).isName()) {
            normaliser.replace(to - 1, String.valueOf(label));
        } else if (last == to - 1) {
            normaliser.replace(to - 1, "AS " + label);
        }
        if (!literal(first, last)) {
            boolean now = last - first == 1 && tokens.isWord(first, "current_timestamp");
            if (now && (table == null || !schema.isColumn(table, "current_timestamp"))) {
                normaliser.replace(first, Normaliser.NOW);
            }
        }
        String column = column(first, last);
        items.add(new Item(column, name, false, alias < 0 ? shown(column, first, last) : tokens.content(alias)));
    }

    private @Nullable String shown(@Nullable String column, int first, int last) {
        if (column != null) {
            return tokens.content(last - 1);
        }
        return isAggregate(first) && tokens.afterClosing(first + 1) == last ? "" : null;
    }

    /** Names the columns in the order of CREATE TABLE: the server's own order is another one. */
    private void all(int from, int to, CqlInsert.@Nullable Table table) {
        boolean own = to - from == 1 || (to - from == 3 && name.isQualifier(tokens, from));
        List<Schema.Selected> columns = table == null || json || !own ? List.of() : schema.selectedColumns(table);
        if (columns.isEmpty()) {
            open = true;
            calculated.item(from, to, from, to, null);
            items.add(new Item(null, null, false, null));
            return;
        }
        normaliser.replace(
                to - 1,
                columns.stream()
                        .map(column -> Identifiers.toCql(column.column()))
                        .collect(Collectors.joining(", ")));
        calculated.serve(columns.size());
        columns.forEach(column -> items.add(new Item(column.column(), null, false, column.label())));
    }

    /** Returns whether a term ends at a token; {@code *} is a sign of arithmetic unless it is all there is. */
    private boolean endsTerm(int from, int token) {
        boolean product = tokens.isSymbol(token, '*') && token > from && !tokens.isSymbol(token - 1, '.');
        return !product && Words.endsTerm(tokens, token);
    }

    /** Returns whether the span is a type in brackets, as CQL has it in front of a term. */
    private boolean isTypeHint(int from, int to) {
        if (!tokens.isSymbol(from, '(') || tokens.afterClosing(from) != to) {
            return false;
        }
        for (int token = from + 1; token < to - 1; token++) {
            boolean part = tokens.kind(token).isName()
                    || tokens.isSymbol(token, '<')
                    || tokens.isSymbol(token, '>')
                    || tokens.isSymbol(token, ',')
                    || tokens.isSymbol(token, '.');
            if (!part) {
                return false;
            }
        }
        return true;
    }

    private boolean isLabel(int token) {
        Kind kind = tokens.kind(token);
        return kind.isName() || kind == Kind.STRING || kind == Kind.NATIONAL;
    }

    /** A text keeps its case. */
    private String label(int token) {
        return tokens.kind(token).isName() ? Words.cqlName(tokens, token) : Identifiers.toCql(tokens.content(token));
    }

    private void refuseCase(int from, int to) {
        if (tokens.isWord(from, "case") && tokens.kind(from + 1) != Kind.SYMBOL && to - from > 2) {
            throw new UnsupportedSqlException("CASE", "read the columns, and decide in the application");
        }
    }

    private boolean literal(int from, int to) {
        LiteralCast cast = LiteralCast.read(tokens, from);
        if (cast != null && cast.end() == to) {
            if (cast.cqlType() == null) {
                // Cassandra would read it in the server's time zone.
                throw new UnsupportedSqlException(
                        "a date or time as a literal in the list of a SELECT", "compute it in the application");
            }
            replace(from, to, "(" + cast.cqlType() + ")" + cast.literal());
            return true;
        }
        LiteralTerm literal = LiteralTerm.read(tokens, from, to);
        if (literal == null) {
            return false;
        }
        for (int token = from; token < to; token++) {
            if (tokens.isSymbol(token, '$')) {
                LiteralTerm.refuseCommaInMoney(tokens, to - 1);
            }
        }
        replace(from, to, literal.typed());
        return true;
    }

    private void replace(int from, int to, String cql) {
        normaliser.replace(from, cql);
        normaliser.drop(from + 1, to);
    }

    private @Nullable String column(int from, int to) {
        for (int token = from; token < to; token++) {
            boolean name = (token - from) % 2 == 0;
            if (name ? !tokens.kind(token).isName() : !tokens.isSymbol(token, '.')) {
                return null;
            }
        }
        return (to - from) % 2 == 1 ? Identifiers.toInternal(tokens.cqlName(to - 1)) : null;
    }

    /** Returns the internal name of a table, as the schema has it; null for none. */
    static CqlInsert.@Nullable Table table(Tokens tokens, TableName table, Schema schema) {
        return table.first() < 0 ? null : exact(TableName.internal(tokens, table.first()), schema);
    }

    /** Returns the name as the schema has it, which may differ in case. */
    static CqlInsert.Table exact(CqlInsert.Table table, Schema schema) {
        return new CqlInsert.Table(table.keyspace(), schema.tableLike(table.keyspace(), table.name()));
    }
}
