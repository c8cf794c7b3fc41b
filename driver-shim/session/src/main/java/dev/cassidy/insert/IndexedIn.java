package dev.cassidy.insert;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A SELECT with IN that Cassandra refuses, as on a column with an index, which answers an equality and not IN: each value
 * is read by a statement of its own, and no row has two values.
 *
 * @param reads a query for each value, without values that come twice; all queries are the same if the values are markers
 * @param markers which of the original statement's {@code ?} each marker of these queries is, by its index from 0; of the first
 *     query if the values are markers
 * @param values the indexes of the {@code ?} that are the values; empty if the values are literals
 * @param valueMarker which of the statement's markers is the value; -1 for literals
 * @param limit LIMIT's value as it is written; {@code ?} for a marker, empty without LIMIT
 * @param limitMarker which of the original statement's {@code ?} LIMIT's value is; -1 if it is none
 */
public record IndexedIn(
        List<String> reads,
        List<Integer> markers,
        List<Integer> values,
        int valueMarker,
        String limit,
        int limitMarker) {

    /** More values are refused: each is a read of its own, and asks many nodes. */
    public static final int MAX_VALUES = 100;

    private static final Pattern REFUSAL =
            Pattern.compile("(IN (predicates|restrictions) |Select on indexed columns and with"
                    + " IN clause |Cannot execute this query as it might involve data filtering).*");

    public IndexedIn {
        reads = List.copyOf(reads);
        markers = List.copyOf(markers);
        values = List.copyOf(values);
    }

    /** Returns whether an IN may be why the server refused a statement. */
    public static boolean mayBeWhy(String refusal) {
        return REFUSAL.matcher(refusal).matches();
    }

    /**
     * Recognises a SELECT of one table, with one IN, that may be read in parts.
     *
     * @return empty if the parts cannot simply be put together: for aggregates, functions, DISTINCT and an order
     */
    public static Optional<IndexedIn> of(String cql) {
        try {
            return new Reader(new Tokens(cql)).read();
        } catch (UnsupportedSqlException e) {
            return Optional.empty();
        }
    }

    private static final class Reader {
        private final Tokens tokens;
        private final List<int[]> spans = new ArrayList<>();

        Reader(Tokens tokens) {
            this.tokens = tokens;
        }

        Optional<IndexedIn> read() {
            if (!tokens.isWord(0, "select")) {
                return Optional.empty();
            }
            int name = -1;
            int limit = -1;
            boolean where = false;
            boolean list = true;
            for (int at = 1; !tokens.isEnd(at); at++) {
                if ((list && tokens.isSymbol(at, '('))
                        || tokens.isAnyWord(at, "distinct", "json", "group", "order", "per")) {
                    return Optional.empty();
                }
                list &= !tokens.isWord(at, "from");
                where |= tokens.isWord(at, "where");
                if (where && isIn(at)) {
                    if (name >= 0) {
                        return Optional.empty();
                    }
                    name = at;
                    at = tokens.afterClosing(at + 2) - 1;
                } else if (tokens.isWord(at, "limit")) {
                    limit = at + 1;
                }
            }
            return name < 0 || !isPlain(limit) || !split(name + 3, tokens.afterClosing(name + 2) - 1)
                    ? Optional.empty()
                    : parts(name, limit);
        }

        private boolean isIn(int at) {
            return tokens.kind(at).isName() && tokens.isWord(at + 1, "in") && tokens.isSymbol(at + 2, '(');
        }

        private boolean isPlain(int limit) {
            return limit < 0 || tokens.kind(limit) == Kind.NUMBER || tokens.kind(limit) == Kind.MARKER;
        }

        /** Finds the values; false if one is neither a marker nor a simple literal. */
        private boolean split(int from, int to) {
            int start = from;
            for (int at = from; at <= to; at++) {
                if (at == to || tokens.isSymbol(at, ',')) {
                    boolean negative = tokens.isSymbol(start, '-') && at == start + 2;
                    Kind kind = tokens.kind(negative ? start + 1 : start);
                    boolean simple =
                            at == start + 1 && (kind == Kind.MARKER || kind == Kind.NUMBER || kind == Kind.STRING);
                    if (!simple && !(negative && kind == Kind.NUMBER)) {
                        return false;
                    }
                    spans.add(new int[] {start, at});
                    start = at + 1;
                }
            }
            return spans.size() <= MAX_VALUES;
        }

        private Optional<IndexedIn> parts(int name, int limit) {
            boolean marked = tokens.kind(spans.get(0)[0]) == Kind.MARKER;
            int open = name + 2;
            int close = tokens.afterClosing(open) - 1;
            List<String> reads = new ArrayList<>();
            List<Integer> values = new ArrayList<>();
            Set<Object> seen = new HashSet<>();
            for (int[] span : spans) {
                if (marked != (tokens.kind(span[0]) == Kind.MARKER)) {
                    return Optional.empty();
                }
                if (marked) {
                    values.add(tokens.markerIndex(span[0]));
                } else {
                    Object value = value(span);
                    if (!seen.isEmpty() && seen.iterator().next().getClass() != value.getClass()) {
                        return Optional.empty();
                    }
                    if (!seen.add(value)) {
                        continue;
                    }
                }
                if (!marked || reads.isEmpty()) {
                    reads.add(tokens.text.substring(0, tokens.start(name + 1)) + "= "
                            + tokens.text.substring(tokens.start(span[0]), tokens.end(span[1] - 1))
                            + tokens.text.substring(tokens.end(close)));
                }
            }
            List<Integer> markers = new ArrayList<>();
            int valueMarker = -1;
            for (int index = 0; index < tokens.markers(); index++) {
                if (marked && index == values.get(0)) {
                    valueMarker = markers.size();
                }
                if (!values.contains(index) || index == values.get(0)) {
                    markers.add(index);
                }
            }
            boolean limitMarked = limit >= 0 && tokens.kind(limit) == Kind.MARKER;
            return Optional.of(new IndexedIn(
                    reads,
                    markers,
                    values,
                    valueMarker,
                    limit < 0 ? "" : tokens.text(limit),
                    limitMarked ? tokens.markerIndex(limit) : -1));
        }

        /** Two literals with one value are equal. */
        private Object value(int[] span) {
            if (tokens.kind(span[0]) == Kind.STRING) {
                return tokens.content(span[0]);
            }
            String number = tokens.text.substring(tokens.start(span[0]), tokens.end(span[1] - 1));
            try {
                return new BigDecimal(number.replaceAll("\\s", "").toLowerCase(Locale.ROOT)).stripTrailingZeros();
            } catch (NumberFormatException e) {
                throw new UnsupportedSqlException("'" + number + "' in IN", "pass it as a parameter");
            }
        }
    }
}
