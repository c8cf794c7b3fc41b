package dev.cassidy.tsql;

import dev.cassidy.definition.CountMark;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads an UPDATE of columns that count: what is added to each, which rows are meant, and what else of them is set.
 *
 * <p>The rows are found by a SELECT with the UPDATE's own FROM and WHERE, so that they are found as any rows are.
 */
final class CountParser {

    private final Tokens tokens;
    private final Schema schema;
    private final CqlInsert.Table table;
    private final Set<String> counted;

    private CountParser(Tokens tokens, Schema schema, CqlInsert.Table table, Set<String> counted) {
        this.tokens = tokens;
        this.schema = schema;
        this.table = table;
        this.counted = counted;
    }

    /**
     * Reads one.
     *
     * @param target the table behind UPDATE
     * @param source the table as FROM names it, with its alias, which is the target; the target itself without FROM
     * @param set the token SET
     * @param from the token FROM; {@code where} if there is none
     * @param where the token WHERE; {@code end} if there is none
     * @return null if the statement sets no column that counts
     * @throws UnsupportedSqlException if it sets one to anything but itself and something more or less
     */
    static TsqlStep.@Nullable Count read(
            Tokens tokens, Schema schema, TableName target, TableName source, int set, int from, int where, int end) {
        CqlInsert.Table table = SelectList.table(tokens, source, schema);
        Set<String> counted = table == null ? Set.of() : schema.countedColumns(table);
        return table == null || counted.isEmpty()
                ? null
                : new CountParser(tokens, schema, table, counted).read(target, source, set, from, where, end);
    }

    private TsqlStep.@Nullable Count read(TableName target, TableName source, int set, int from, int where, int end) {
        List<TsqlStep.Count.Increment> increments = new ArrayList<>();
        List<Part> others = new ArrayList<>();
        int depth = 0;
        int start = set + 1;
        for (int token = start; token <= from; token++) {
            if (token == from || (depth == 0 && tokens.isSymbol(token, ','))) {
                String column = column(start, token);
                if (column == null || !counted.contains(column)) {
                    others.add(new Part(start, token));
                } else if (increments.stream().anyMatch(each -> each.column().equals(column))) {
                    throw UnsupportedSqlException.asSqlServer(
                            264, "The column name '" + column + "' is specified more than once in the SET clause");
                } else {
                    increments.add(increment(column, start, token));
                }
                start = token + 1;
            } else {
                depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            }
        }
        if (increments.isEmpty()) {
            return null;
        }
        String rows =
                " FROM " + text(source.equals(target) ? new Part(target.first(), target.end()) : fromOf(from, where));
        Part condition = new Part(where, end);
        String behind = where < end ? " " + text(condition) : "";
        List<Integer> markers = markers(condition);
        return new TsqlStep.Count(
                table,
                increments,
                written(
                        "SELECT "
                                + schema.namedKey(table).stream()
                                        .map(Identifiers::toCql)
                                        .collect(Collectors.joining(", "))
                                + rows + behind,
                        markers),
                where < end ? written("SELECT " + CountMark.COLUMN + rows + behind, markers) : null,
                others.isEmpty() ? null : update(others, set, from, end));
    }

    /** Tokens from one up to another. */
    private record Part(int from, int to) {}

    private Part fromOf(int from, int where) {
        return new Part(from + 1, where);
    }

    private String text(Part part) {
        return part.from() < part.to()
                ? tokens.text.substring(tokens.start(part.from()), tokens.end(part.to() - 1))
                : "";
    }

    private List<Integer> markers(Part part) {
        List<Integer> markers = new ArrayList<>();
        for (int at = part.from(); at < part.to(); at++) {
            if (tokens.kind(at) == Kind.VARIABLE) {
                throw refused(
                        "A variable (" + tokens.text(at) + ") in an UPDATE of a column that counts",
                        "pass it as a" + " parameter");
            }
            if (tokens.kind(at) == Kind.MARKER) {
                markers.add(tokens.markerIndex(at));
            }
        }
        return markers;
    }

    private static TsqlStep.Written written(String text, List<Integer> markers) {
        return new TsqlStep.Written(text, markers);
    }

    /** The statement without what it adds. */
    private TsqlStep.Written update(List<Part> others, int set, int from, int end) {
        List<Integer> markers = new ArrayList<>();
        others.forEach(each -> markers.addAll(markers(each)));
        markers.addAll(markers(new Part(from, end)));
        int verb = set;
        while (!tokens.isWord(verb, "update")) {
            verb--;
        }
        return written(
                text(new Part(verb, set + 1)) + " "
                        + others.stream().map(this::text).collect(Collectors.joining(", "))
                        + (from < end ? " " + text(new Part(from, end)) : ""),
                markers);
    }

    /** Returns the column to which an assignment gives a value, as the schema has it; null if it begins with none. */
    private @Nullable String column(int from, int to) {
        int name = from;
        while (tokens.isSymbol(name + 1, '.') && name + 2 < to) {
            name += 2;
        }
        return name < to && tokens.kind(name).isName()
                ? schema.columnLike(table, Identifiers.toInternal(tokens.cqlName(name)))
                : null;
    }

    private TsqlStep.Count.Increment increment(String column, int from, int to) {
        int operator = from;
        while (operator < to && !isOperator(operator)) {
            operator++;
        }
        if ((tokens.isSymbol(operator, '+') || tokens.isSymbol(operator, '-')) && tokens.isSymbol(operator + 1, '=')) {
            return of(column, tokens.isSymbol(operator, '-'), operator + 2, to, from, to);
        }
        int first = operator + 1;
        int last = to;
        while (tokens.isSymbol(first, '(') && tokens.afterClosing(first) == last) {
            first++;
            last--;
        }
        int sum = first;
        int depth = 0;
        while (sum < last && !(depth == 0 && sum > first && (tokens.isSymbol(sum, '+') || tokens.isSymbol(sum, '-')))) {
            depth += tokens.opens(sum) ? 1 : tokens.closes(sum) ? -1 : 0;
            sum++;
        }
        if (sum >= last) {
            throw refused(column, from, to);
        }
        if (isItself(column, first, sum)) {
            return of(column, tokens.isSymbol(sum, '-'), sum + 1, last, from, to);
        }
        if (tokens.isSymbol(sum, '+') && isItself(column, sum + 1, last)) {
            return of(column, false, first, sum, from, to);
        }
        throw refused(column, from, to);
    }

    private boolean isOperator(int token) {
        return tokens.isSymbol(token, '=') || tokens.isSymbol(token, '+') || tokens.isSymbol(token, '-');
    }

    private boolean isItself(String column, int from, int to) {
        return column.equals(column(from, to)) && nameEnd(from, to) == to;
    }

    private int nameEnd(int from, int to) {
        int name = from;
        while (tokens.isSymbol(name + 1, '.') && name + 2 < to) {
            name += 2;
        }
        return name + 1;
    }

    private TsqlStep.Count.Increment of(String column, boolean less, int from, int to, int start, int end) {
        int first = from;
        int last = to;
        while (tokens.isSymbol(first, '(') && tokens.afterClosing(first) == last) {
            first++;
            last--;
        }
        boolean negative = less;
        while (first < last - 1 && (tokens.isSymbol(first, '-') || tokens.isSymbol(first, '+'))) {
            negative ^= tokens.isSymbol(first, '-');
            first++;
        }
        if (last - first == 1 && tokens.kind(first) == Kind.MARKER) {
            return new TsqlStep.Count.Increment(column, negative, tokens.markerIndex(first), BigInteger.ZERO);
        }
        if (last - first == 1
                && tokens.kind(first) == Kind.NUMBER
                && tokens.text(first).matches("[0-9]{1,19}")) {
            return new TsqlStep.Count.Increment(column, negative, -1, new BigInteger(tokens.text(first)));
        }
        throw refused(column, start, end);
    }

    private UnsupportedSqlException refused(String column, int from, int to) {
        return refused(
                "SET " + text(new Part(from, to)) + ", of the column " + column + ", which counts,",
                "statements may add to it, SET " + column + " = " + column
                        + " + 1, or + ?, - 1, - ?, += ?, and set it to"
                        + " nothing: two that set it at the same time would not know of what others have added. Add the"
                        + " difference, or delete the row and insert it again");
    }

    private static UnsupportedSqlException refused(String construct, String workaround) {
        return new UnsupportedSqlException(construct, workaround);
    }
}
