package dev.cassidy.insert;

import dev.cassidy.definition.Twin;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes twins in place of their columns where a SELECT, UPDATE or DELETE means the primary key: in WHERE, GROUP BY and ORDER BY.
 * What a statement shows, and demands behind IF, stays the column's. The values that it compares stay as well: whoever binds
 * them gives a twin's marker the twin's value. So each must be a marker, or a literal in place of which one is sent. Of columns whose
 * twins stand beside them, a SELECT that compares one by = or IN means the twin, and a write that sets one sets both.
 */
public final class TwinNames {

    private final Tokens tokens;
    private final Set<String> key;
    private final Set<String> beside;
    private final StringBuilder text = new StringBuilder();
    private int copied;

    private TwinNames(Tokens tokens, Set<String> key, Set<String> beside) {
        this.tokens = tokens;
        this.key = key;
        this.beside = beside;
    }

    /**
     * A statement by the twins of columns.
     *
     * @param markers for each {@code ?} of the text which one of the original it is, from 0; null if each is what it was
     */
    public record Named(String text, @Nullable List<Integer> markers) {

        /** A statement whose markers stay what they are. */
        public static Named of(String text) {
            return new Named(text, null);
        }
    }

    /**
     * Returns a SELECT by the twins of columns.
     *
     * @param cql one SELECT of CQL
     * @param key the columns of the primary key that have a twin, internal names
     * @param beside the columns by whose twins beside them rows are found, internal names
     * @throws UnsupportedSqlException naming a condition whose value is known to the server alone
     */
    public static Named ofSelect(String cql, Set<String> key, Set<String> beside) {
        return key.isEmpty() && beside.isEmpty()
                ? Named.of(cql)
                : new TwinNames(new Tokens(cql, Scanner.Language.CQL), key, beside).select();
    }

    /**
     * Returns an UPDATE or DELETE by the twins of columns.
     *
     * @param cql one UPDATE or DELETE of CQL
     * @param key the columns of the primary key that have a twin, internal names
     * @param beside the columns that have twins beside them, internal names
     * @throws UnsupportedSqlException naming a condition or an assignment whose value is known to the server alone
     */
    public static Named ofWrite(String cql, Set<String> key, Set<String> beside) {
        return key.isEmpty() && beside.isEmpty()
                ? Named.of(cql)
                : new TwinNames(new Tokens(cql, Scanner.Language.CQL), key, beside).change();
    }

    private Named select() {
        return Named.of(write(true));
    }

    private String write(boolean selects) {
        for (int token = 0; !tokens.isEnd(token); token = tokens.afterClosing(token)) {
            if (tokens.isWord(token, "where")) {
                token = conditions(token + 1, selects) - 1;
            } else if (selects && tokens.isAnyWord(token, "order", "group") && tokens.isWord(token + 1, "by")) {
                token = names(token + 2) - 1;
            }
        }
        return text.append(tokens.text.substring(copied)).toString();
    }

    // ---- what a write sets

    private Named change() {
        Assignments assignments = beside.isEmpty()
                ? null
                : Assignments.of(tokens.text)
                        .filter(written -> !written.insert())
                        .orElse(null);
        List<Integer> markers = new ArrayList<>();
        int given = 0;
        for (Assignments.Assignment each :
                assignments == null ? List.<Assignments.Assignment>of() : assignments.all()) {
            int value = each.value() instanceof CqlInsert.Value.Marker marker ? marker.index() : -1;
            if (beside.contains(each.column())) {
                requireKnown(each);
                text.append(tokens.text, copied, each.end())
                        .append(", ")
                        .append(Identifiers.toCql(Twin.nameOf(each.column())));
                if (tokens.isWord(0, "update")) {
                    text.append(" = ").append(tokens.text, each.start(), each.end());
                }
                copied = each.end();
                for (; value >= 0 && given <= value; given++) {
                    markers.add(given);
                }
                if (value >= 0) {
                    markers.add(value);
                }
            }
        }
        String written = write(false);
        for (int all = Assignments.markers(tokens, 0, tokens.size()); given < all; given++) {
            markers.add(given);
        }
        return new Named(written, markers);
    }

    private static void requireKnown(Assignments.Assignment each) {
        CqlInsert.Value value = each.value();
        boolean known = !each.ofItself()
                && !(value instanceof CqlInsert.Value.Marker marker && marker.name() != null)
                && !(value instanceof CqlInsert.Value.Term term && CqlLiteral.read(term.text()) == null);
        if (!known) {
            String shown = value instanceof CqlInsert.Value.Term term ? term.text() : ":" + each.column();
            throw new UnsupportedSqlException(
                    "SET " + each.column() + " = " + shown,
                    "the column has an index by which rows are compared by its collation: give it a string or a parameter");
        }
    }

    // ---- what a statement compares

    /** Returns the token after the last condition. */
    private int conditions(int from, boolean selects) {
        int start = from;
        while (true) {
            int end = start;
            while (!endsCondition(end, start, selects)) {
                end = tokens.afterClosing(end);
            }
            condition(start, end);
            if (!tokens.isWord(end, "and")) {
                return end;
            }
            start = end + 1;
        }
    }

    private boolean endsCondition(int token, int start, boolean selects) {
        if (tokens.isEnd(token) || tokens.isSymbol(token, ';')) {
            return true;
        }
        // Behind the column, whose name these may be.
        return token > start
                && (tokens.isWord(token, "and")
                        || (selects
                                ? tokens.isAnyWord(token, "group", "order", "limit", "per", "allow")
                                : tokens.isWord(token, "if")));
    }

    private void condition(int from, int end) {
        boolean token = tokens.isWord(from, "token") && tokens.isSymbol(from + 1, '(');
        int bracket = token ? from + 1 : from;
        int operator = tokens.isSymbol(bracket, '(') ? tokens.afterClosing(bracket) : from + 1;
        boolean any = false;
        for (int name = from; name < operator; name++) {
            any |= name(name);
        }
        if (!any) {
            beside(from, end);
            return;
        }
        if (!token && tokens.isSymbol(bracket, '(') && isOneValue(operator)) {
            throw refusal(from, end, "give each of the columns a value of its own: (a, b) IN ((?, ?))");
        }
        if (!isKnown(operator, end)) {
            throw refusal(from, end, "compare it with a string or a parameter");
        }
    }

    /** Returns whether an operator and what follows it are known before they are sent. */
    private boolean isKnown(int operator, int end) {
        for (int value = operator; value < end; value++) {
            // A name is that of a function or of a type; of 'a' + ?, the server knows the result.
            boolean known = tokens.kind(value) != Kind.QUOTED
                    && (tokens.kind(value) != Kind.WORD
                            || tokens.isWord(value, "null")
                            || (value == operator && tokens.isAnyWord(value, "in", "like", "contains")))
                    && !tokens.isSymbol(value, '+')
                    && !tokens.isSymbol(value, '[')
                    && !tokens.isSymbol(value, '{');
            if (!known) {
                return false;
            }
        }
        return true;
    }

    /** Writes the twin beside a column in its place. A condition that it does not serve stays the column's, which has no index. */
    private void beside(int from, int end) {
        boolean selects = tokens.isWord(0, "select");
        boolean equals = tokens.isSymbol(from + 1, '=') || tokens.isWord(from + 1, "in");
        if (selects && equals && isOneOf(beside, from) && isKnown(from + 1, end)) {
            replace(from);
        }
    }

    /** Returns whether several columns are compared with a marker for all: nobody would know which of its values is a twin's. */
    private boolean isOneValue(int operator) {
        if (tokens.isWord(operator, "in")) {
            return !tokens.isSymbol(operator + 1, '(') || !tokens.isSymbol(operator + 2, '(');
        }
        int value = operator;
        while (tokens.isSymbol(value, '=') || tokens.isSymbol(value, '<') || tokens.isSymbol(value, '>')) {
            value++;
        }
        return !tokens.isSymbol(value, '(');
    }

    private UnsupportedSqlException refusal(int from, int end, String instead) {
        return new UnsupportedSqlException(
                tokens.text.substring(tokens.start(from), tokens.end(end - 1)),
                "the column is in the primary key, which is compared by its collation: " + instead);
    }

    /** Returns the token after a list of columns. */
    private int names(int from) {
        int token = from;
        while (!tokens.isEnd(token) && !tokens.isSymbol(token, ';')) {
            boolean begins = token == from || tokens.isSymbol(token - 1, ',');
            if (!begins && tokens.isAnyWord(token, "order", "limit", "per", "allow")) {
                return token;
            }
            if (begins) {
                name(token);
            }
            token = tokens.afterClosing(token);
        }
        return token;
    }

    /** Returns whether the column at a token has a twin, and writes that. */
    private boolean name(int token) {
        if (!isOneOf(key, token)) {
            return false;
        }
        replace(token);
        return true;
    }

    private boolean isOneOf(Set<String> columns, int token) {
        return tokens.kind(token).isName()
                && !tokens.isSymbol(token + 1, '(')
                && columns.contains(Identifiers.toInternal(tokens.cqlName(token)));
    }

    private void replace(int token) {
        String column = Identifiers.toInternal(tokens.cqlName(token));
        text.append(tokens.text, copied, tokens.start(token)).append(Identifiers.toCql(Twin.nameOf(column)));
        copied = tokens.end(token);
    }
}
