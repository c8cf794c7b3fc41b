package dev.cassidy.insert;

import dev.cassidy.insert.CqlInsert.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A SELECT whose result is known once the rows are: it names columns, or counts rows, of one table. Immutable.
 *
 * @param table as the statement names it
 * @param items what it shows, in order
 * @param order by what it orders
 * @param limit how many rows it shows at the most; null for all
 * @param from the statement from FROM to the end of ORDER BY
 * @param filters whether it says ALLOW FILTERING
 * @param markersBefore how many {@code ?} stand before LIMIT
 */
public record RowQuery(
        CqlInsert.Table table,
        List<Item> items,
        List<Order> order,
        @Nullable Value limit,
        String from,
        boolean filters,
        int markersBefore) {

    /**
     * What a column of the result shows.
     *
     * @param column internal name; null for the number of rows
     * @param label the internal name that the result gives it; null for its own
     */
    public record Item(@Nullable String column, @Nullable String label) {}

    /** A column of ORDER BY. */
    public record Order(String column, boolean descending) {}

    public RowQuery {
        items = List.copyOf(items);
        order = List.copyOf(order);
    }

    /** Reads a statement; empty if it shows anything else, such as SUM, a function, or DISTINCT, and for every other statement. */
    public static Optional<RowQuery> of(String cql) {
        try {
            Tokens tokens = new Tokens(cql, Scanner.Language.CQL);
            return tokens.isWord(0, "select") ? Optional.ofNullable(new Reader(tokens).read()) : Optional.empty();
        } catch (UnsupportedSqlException e) {
            // No statement that the server could read.
            return Optional.empty();
        }
    }

    /** Returns whether it counts its rows, and shows nothing else. */
    public boolean counts() {
        return items.stream().allMatch(item -> item.column() == null);
    }

    /**
     * Returns a SELECT of other columns of the same rows, in the same order.
     *
     * @param columns internal names
     * @param rows how many rows at the most; negative for all
     */
    public String selecting(List<String> columns, long rows) {
        return "SELECT " + columns.stream().map(Identifiers::toCql).collect(Collectors.joining(", ")) + " " + from
                + (rows < 0 ? "" : " LIMIT " + rows) + (filters ? " ALLOW FILTERING" : "");
    }

    private static final class Reader {

        private final Tokens tokens;

        Reader(Tokens tokens) {
            this.tokens = tokens;
        }

        @Nullable
        RowQuery read() {
            int from = find(1, "from");
            List<Item> items = items(from);
            if (items == null || tokens.isEnd(from) || !tokens.kind(from + 1).isName()) {
                return null;
            }
            // "t AS a" is no CQL.
            int after = TableName.read(tokens, from + 1).end();
            int clause = after;
            if (tokens.isWord(clause, "where")) {
                clause = next(clause + 2);
            }
            List<Order> order = new ArrayList<>();
            if (tokens.isWord(clause, "order") && tokens.isWord(clause + 1, "by")) {
                int end = next(clause + 3);
                if (!order(clause + 2, end, order)) {
                    return null;
                }
                clause = end;
            }
            int rows = clause;
            Value limit = null;
            if (tokens.isWord(clause, "limit")) {
                limit = Assignments.value(tokens, clause + 1, clause + 2, tokens.markerIndex(clause + 1));
                clause += 2;
            }
            boolean filters = tokens.isWord(clause, "allow") && tokens.isWord(clause + 1, "filtering");
            clause += filters ? 2 : 0;
            while (tokens.isSymbol(clause, ';')) {
                clause++;
            }
            return tokens.isEnd(clause)
                    ? new RowQuery(
                            TableName.internal(tokens, from + 1),
                            items,
                            order,
                            limit,
                            tokens.text.substring(tokens.start(from), tokens.end(rows - 1)),
                            filters,
                            tokens.markerIndex(rows))
                    : null;
        }

        private int find(int start, String word) {
            int token = start;
            while (!tokens.isEnd(token) && !tokens.isWord(token, word)) {
                token = tokens.afterClosing(token);
            }
            return token;
        }

        /** Returns where the next clause begins. */
        private int next(int start) {
            int token = start;
            while (!tokens.isEnd(token)
                    && !tokens.isSymbol(token, ';')
                    && !tokens.isAnyWord(token, "group", "order", "limit", "per", "allow")) {
                token = tokens.afterClosing(token);
            }
            return token;
        }

        private @Nullable List<Item> items(int from) {
            List<Item> items = new ArrayList<>();
            int start = 1;
            for (int token = 1; token <= from; ) {
                if (token == from || tokens.isSymbol(token, ',')) {
                    Item item = item(start, token);
                    if (item == null) {
                        return null;
                    }
                    items.add(item);
                    start = token + 1;
                    token++;
                } else {
                    token = tokens.afterClosing(token);
                }
            }
            return items;
        }

        private @Nullable Item item(int start, int end) {
            boolean named = end - start > 2
                    && tokens.isWord(end - 2, "as")
                    && tokens.kind(end - 1).isName();
            String label = named ? Identifiers.toInternal(tokens.cqlName(end - 1)) : null;
            int to = named ? end - 2 : end;
            if (to == start + 1 && tokens.kind(start).isName()) {
                return new Item(Identifiers.toInternal(tokens.cqlName(start)), label);
            }
            boolean count = to == start + 4
                    && tokens.isWord(start, "count")
                    && tokens.isSymbol(start + 1, '(')
                    && (tokens.isSymbol(start + 2, '*')
                            || tokens.text(start + 2).equals("1"));
            return count ? new Item(null, label) : null;
        }

        private boolean order(int from, int end, List<Order> order) {
            for (int token = from; token < end; token++) {
                if (!tokens.kind(token).isName()) {
                    return false;
                }
                boolean descending = tokens.isWord(token + 1, "desc");
                order.add(new Order(Identifiers.toInternal(tokens.cqlName(token)), descending));
                token += descending || tokens.isWord(token + 1, "asc") ? 2 : 1;
                if (token < end && !tokens.isSymbol(token, ',')) {
                    return false;
                }
            }
            return true;
        }
    }
}
