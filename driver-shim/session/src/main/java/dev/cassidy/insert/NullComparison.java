package dev.cassidy.insert;

import java.util.ArrayList;
import java.util.List;

/**
 * What WHERE compares with a single value by =, &lt;, &lt;=, &gt; or &gt;=. In SQL such a comparison with NULL is never true, so
 * that the statement finds no row; Cassandra refuses it. Immutable.
 *
 * @param markers the indexes, from 0, of the {@code ?} that are compared
 * @param literal whether NULL itself is compared
 */
public record NullComparison(List<Integer> markers, boolean literal) {

    private static final NullComparison NONE = new NullComparison(List.of(), false);

    public NullComparison {
        markers = List.copyOf(markers);
    }

    /**
     * Finds the comparisons of a SELECT, UPDATE or DELETE. There are none in other statements, in writes with an IF, and in
     * SELECTs that call functions: an aggregate has a row of its own even if no row is found.
     */
    public static NullComparison of(String cql) {
        try {
            Tokens tokens = new Tokens(cql);
            if (tokens.isWord(0, "select")) {
                return calls(tokens)
                        ? NONE
                        : CqlSelect.of(cql).map(select -> of(select.where())).orElse(NONE);
            }
            WriteClauses clauses = WriteClauses.of(tokens);
            return clauses == null ? NONE : of(CqlSelect.restrictions(tokens, clauses.where() + 1, clauses.end()));
        } catch (UnsupportedSqlException e) {
            return NONE;
        }
    }

    static boolean calls(Tokens tokens) {
        for (int token = 1; !tokens.isEnd(token) && !tokens.isWord(token, "from"); token++) {
            if (tokens.isSymbol(token, '(')) {
                return true;
            }
        }
        return false;
    }

    private static NullComparison of(List<CqlSelect.Restriction> where) {
        List<Integer> markers = new ArrayList<>();
        boolean literal = false;
        for (CqlSelect.Restriction restriction : where) {
            boolean single = restriction.columns().size() == 1
                    && !restriction.token()
                    && (restriction.by() == CqlSelect.By.EQUAL || restriction.by() == CqlSelect.By.RANGE);
            if (!single) {
                continue;
            }
            Tokens tokens = new Tokens(restriction.text());
            int value = 2;
            while (tokens.isSymbol(value, '=')) {
                value++;
            }
            if (!tokens.isEnd(value + 1)) {
                continue;
            }
            if (tokens.kind(value) == Kind.MARKER) {
                markers.addAll(restriction.markers());
            }
            literal |= tokens.isWord(value, "null");
        }
        return new NullComparison(markers, literal);
    }
}
