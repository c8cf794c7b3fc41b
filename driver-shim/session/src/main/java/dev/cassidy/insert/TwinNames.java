package dev.cassidy.insert;

import dev.cassidy.definition.Twin;
import java.util.Set;

/**
 * Writes twins in place of their columns where a SELECT, UPDATE or DELETE means the primary key: in WHERE, GROUP BY and ORDER BY.
 * What a statement shows, sets, and demands behind IF stays the column's. The values that it compares stay as well: whoever binds
 * them gives a twin's marker the twin's value. So each must be a marker, or a literal in place of which one is sent.
 */
public final class TwinNames {

    private final Tokens tokens;
    private final Set<String> columns;
    private final StringBuilder text = new StringBuilder();
    private int copied;

    private TwinNames(Tokens tokens, Set<String> columns) {
        this.tokens = tokens;
        this.columns = columns;
    }

    /**
     * Returns a statement by the twins of columns.
     *
     * @param cql one SELECT, UPDATE or DELETE of CQL
     * @param columns those that have a twin, internal names
     * @throws UnsupportedSqlException naming a condition whose value is known to the server alone
     */
    public static String in(String cql, Set<String> columns) {
        return new TwinNames(new Tokens(cql, Scanner.Language.CQL), columns).write();
    }

    private String write() {
        boolean selects = tokens.isWord(0, "select");
        for (int token = 0; !tokens.isEnd(token); token = tokens.afterClosing(token)) {
            if (tokens.isWord(token, "where")) {
                token = conditions(token + 1, selects) - 1;
            } else if (selects && tokens.isAnyWord(token, "order", "group") && tokens.isWord(token + 1, "by")) {
                token = names(token + 2) - 1;
            }
        }
        return text.append(tokens.text.substring(copied)).toString();
    }

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
            return;
        }
        if (!token && tokens.isSymbol(bracket, '(') && isOneValue(operator)) {
            throw refusal(from, end, "give each of the columns a value of its own: (a, b) IN ((?, ?))");
        }
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
                throw refusal(from, end, "compare it with a string or a parameter");
            }
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
        if (!tokens.kind(token).isName() || tokens.isSymbol(token + 1, '(')) {
            return false;
        }
        String column = Identifiers.toInternal(tokens.cqlName(token));
        if (!columns.contains(column)) {
            return false;
        }
        text.append(tokens.text, copied, tokens.start(token)).append(Identifiers.toCql(Twin.nameOf(column)));
        copied = tokens.end(token);
        return true;
    }
}
