package dev.cassidy.insert;

import dev.cassidy.definition.RowMark;
import dev.cassidy.insert.CqlInsert.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A SELECT of one table, as far as it has to be known to read the mark of its rows with it. Immutable.
 *
 * @param kind what its rows are
 * @param counted of {@link Kind#AGGREGATES} the columns that they are of; null for {@code COUNT(*)}
 * @param alone whether its list has one item
 * @param text the statement
 * @param listEnd where its list ends in {@code text}
 * @param fromStart where FROM begins
 * @param fromEnd where its table's name ends
 * @param conditionsEnd where WHERE ends, or FROM if there is none
 * @param hasWhere whether there is one
 * @param beforeLimit where LIMIT would begin
 * @param limit how many rows it shows at the most; null for all
 * @param afterLimit what follows it
 * @param markersBeforeFrom how many {@code ?} stand before FROM
 * @param markersBeforeLimit how many {@code ?} stand before LIMIT
 */
public record MarkedSelect(
        Kind kind,
        List<@Nullable String> counted,
        CqlInsert.Table table,
        boolean alone,
        String text,
        int listEnd,
        int fromStart,
        int fromEnd,
        int conditionsEnd,
        boolean hasWhere,
        int beforeLimit,
        @Nullable Value limit,
        String afterLimit,
        int markersBeforeFrom,
        int markersBeforeLimit) {

    /** What the rows of a result are. */
    public enum Kind {
        /** Rows of the table: it shows columns, or functions of one row. */
        ROWS,
        /** Aggregates of all rows, or of groups, and nothing but these and columns of the key. */
        AGGREGATES,
        /** What is not known: DISTINCT, JSON, functions that may be anything. */
        OTHER
    }

    private static final Set<String> AGGREGATES = Set.of("count", "min", "max", "sum", "avg");

    /** Of one row each. */
    private static final Set<String> OF_A_ROW = Set.of(
            "cast",
            "writetime",
            "maxwritetime",
            "ttl",
            "token",
            "todate",
            "totimestamp",
            "tounixtimestamp",
            "to_date",
            "to_timestamp",
            "to_unix_timestamp",
            "abs",
            "round");

    /** Reads a statement; empty for any other. */
    public static Optional<MarkedSelect> of(String cql) {
        try {
            Tokens tokens = new Tokens(cql, Scanner.Language.CQL);
            return tokens.isWord(0, "select") ? Optional.ofNullable(new Reader(tokens).read()) : Optional.empty();
        } catch (UnsupportedSqlException e) {
            // No statement that the server could read.
            return Optional.empty();
        }
    }

    /** Returns the statement with a further list behind its own. */
    public String with(String list) {
        return text.substring(0, listEnd) + ", " + list + text.substring(listEnd);
    }

    /** Returns the same without LIMIT. */
    public String withoutLimit(String list) {
        return text.substring(0, listEnd) + ", " + list + text.substring(listEnd, beforeLimit) + ' ' + afterLimit;
    }

    /** Returns whether it shows one count of all rows, and nothing else. */
    public boolean isCountOfAll() {
        return kind == Kind.AGGREGATES && alone && counted.get(0) == null && conditionsEnd == beforeLimit;
    }

    /** Returns the same of all rows; it has the same columns. */
    public String ofAllRows() {
        return text.substring(0, fromEnd);
    }

    /** Returns a SELECT of the rows that it looks at. */
    public String rows(String list) {
        return "SELECT " + list + " " + text.substring(fromStart, conditionsEnd);
    }

    /** Returns a SELECT of the rows that it looks at and that transactions hold. */
    public String held(String list) {
        return "SELECT " + list + " " + text.substring(fromStart, conditionsEnd) + (hasWhere ? " AND " : " WHERE ")
                + RowMark.COLUMN + " < " + RowMark.FREE + " ALLOW FILTERING";
    }

    private static final class Reader {

        private final Tokens tokens;
        private final List<@Nullable String> counted = new ArrayList<>();

        Reader(Tokens tokens) {
            this.tokens = tokens;
        }

        @Nullable
        MarkedSelect read() {
            int from = next(1, "from");
            if (tokens.isEnd(from) || !tokens.kind(from + 1).isName()) {
                return null;
            }
            int after = TableName.read(tokens, from + 1).end();
            boolean where = tokens.isWord(after, "where");
            int conditions = where ? next(after + 2, "group", "order", "per", "limit", "allow") : after;
            int limit = next(conditions, "limit", "allow");
            boolean limited = tokens.isWord(limit, "limit");
            int rest = limited ? limit + 2 : limit;
            int end = rest;
            while (!tokens.isEnd(end) && !tokens.isSymbol(end, ';')) {
                end++;
            }
            boolean perPartition = tokens.isWord(next(conditions, "per", "limit", "allow"), "per");
            return new MarkedSelect(
                    perPartition ? Kind.OTHER : kind(from),
                    counted,
                    TableName.internal(tokens, from + 1),
                    isAlone(from),
                    tokens.text,
                    tokens.end(from - 1),
                    tokens.start(from),
                    tokens.end(after - 1),
                    tokens.end(conditions - 1),
                    where,
                    tokens.end(limit - 1),
                    limited ? Assignments.value(tokens, limit + 1, limit + 2, tokens.markerIndex(limit + 1)) : null,
                    end > rest ? tokens.text.substring(tokens.start(rest), tokens.end(end - 1)) : "",
                    tokens.markerIndex(from),
                    tokens.markerIndex(limit));
        }

        private int next(int start, String... words) {
            int token = start;
            while (!tokens.isEnd(token) && !tokens.isSymbol(token, ';') && !tokens.isAnyWord(token, words)) {
                token = tokens.afterClosing(token);
            }
            return token;
        }

        private boolean isAlone(int from) {
            for (int token = 1; token < from; token = tokens.afterClosing(token)) {
                if (tokens.isSymbol(token, ',')) {
                    return false;
                }
            }
            return true;
        }

        private Kind kind(int from) {
            if (tokens.isAnyWord(1, "distinct", "json") && !tokens.isSymbol(2, ',') && from > 2) {
                return Kind.OTHER;
            }
            boolean rows = true;
            boolean aggregates = true;
            boolean any = false;
            int start = 1;
            for (int token = 1; token <= from; ) {
                if (token < from && !tokens.isSymbol(token, ',')) {
                    token = tokens.afterClosing(token);
                    continue;
                }
                boolean column = isColumn(start, token);
                boolean aggregate = !column && isAggregate(start);
                rows &= column || isOfARow(start);
                aggregates &= column || aggregate;
                any |= aggregate;
                start = token + 1;
                token++;
            }
            return rows ? Kind.ROWS : aggregates && any ? Kind.AGGREGATES : Kind.OTHER;
        }

        private boolean isColumn(int start, int end) {
            return tokens.kind(start).isName()
                    && (end == start + 1 || (end == start + 3 && tokens.isWord(start + 1, "as")));
        }

        private boolean isOfARow(int start) {
            return tokens.isSymbol(start + 1, '(')
                    && OF_A_ROW.contains(tokens.text(start).toLowerCase(Locale.ROOT))
                    && !hasAggregate(start + 1);
        }

        private boolean hasAggregate(int open) {
            for (int token = open; token < tokens.afterClosing(open); token++) {
                if (tokens.isSymbol(token + 1, '(')
                        && tokens.kind(token) == dev.cassidy.insert.Kind.WORD
                        && !OF_A_ROW.contains(tokens.text(token).toLowerCase(Locale.ROOT))) {
                    return true;
                }
            }
            return false;
        }

        private boolean isAggregate(int start) {
            if (!tokens.isSymbol(start + 1, '(')
                    || !AGGREGATES.contains(tokens.text(start).toLowerCase(Locale.ROOT))) {
                return false;
            }
            int close = tokens.afterClosing(start + 1) - 1;
            if (close != start + 3) {
                return false;
            }
            boolean all =
                    tokens.isSymbol(start + 2, '*') || tokens.text(start + 2).equals("1");
            if (!all && !tokens.kind(start + 2).isName()) {
                return false;
            }
            counted.add(all ? null : Identifiers.toInternal(tokens.cqlName(start + 2)));
            return true;
        }
    }
}
