package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of a WHERE clause. Those that are always true are left out, {@code id = 1 OR id = 2} becomes {@code id IN
 * (1, 2)}, BETWEEN becomes {@code >=} and {@code <=}, LIKE without a wildcard {@code =}; what no form of CQL says is refused by name.
 */
final class Conditions {

    /** Deeper brackets stay as they are, so that the time to read them is in proportion to the length of the statement. */
    private static final int MAX_BRACKETS = 30;

    private static final String ONE_BY_ONE = "Cassandra finds rows by equal values and ranges of the key: read the rows"
            + " by their key, and leave out the others in the application";

    /** Tokens, {@code to} exclusive. */
    record Span(int from, int to) {}

    private final Tokens tokens;
    private final Normaliser normaliser;
    private final Schema schema;
    private final CqlInsert.@Nullable Table table;

    /** The columns that must equal one term each, and the term. */
    private final Map<String, Span> equal = new LinkedHashMap<>();

    private final List<Guard> guards = new ArrayList<>();
    private final boolean writes;
    private boolean neverTrue;
    private boolean none = true;

    /** @param writes whether the statement is an UPDATE or DELETE */
    Conditions(Tokens tokens, Normaliser normaliser, Schema schema, CqlInsert.@Nullable Table table, boolean writes) {
        this.tokens = tokens;
        this.normaliser = normaliser;
        this.schema = schema;
        this.table = table;
        this.writes = writes;
    }

    /** Returns the columns, by internal name, that must equal one term each, and the term. */
    Map<String, Span> equal() {
        return equal;
    }

    /** Returns what has to be checked when the parameters are known. */
    List<Guard> guards() {
        return guards;
    }

    /** Returns whether a condition holds for no row, whatever the table contains. */
    boolean areNeverTrue() {
        return neverTrue;
    }

    /** Returns whether no condition is left. */
    boolean areNone() {
        return none;
    }

    /**
     * Marks what has to change.
     *
     * @param where the token of WHERE
     * @param to the token after the last condition
     */
    void rewrite(int where, int to) {
        if (to == where + 1) {
            throw UnsupportedSqlException.asSqlServer(
                    102,
                    "Incorrect syntax near '" + tokens.text(where) + "': WHERE needs a condition; add it, or leave"
                            + " WHERE out");
        }
        none = !all(where + 1, to, 0);
        if (none) {
            normaliser.drop(where, to);
        }
    }

    /** Handles conditions that must all hold; returns whether any of them is left. */
    private boolean all(int from, int to, int depth) {
        List<Span> sides = split(from, to, "or");
        if (sides.size() > 1) {
            anyOf(sides);
            normaliser.add(to - 1, ")");
            return true;
        }
        boolean kept = false;
        for (Span part : split(from, to, "and")) {
            boolean keeps = one(part.from, part.to, depth);
            if (!keeps) {
                normaliser.drop(part.from, part.to);
            }
            // One AND between each two that are left.
            if (part.from > from && !(keeps && kept)) {
                normaliser.drop(part.from - 1, part.from);
            }
            kept |= keeps;
        }
        return kept;
    }

    /** Handles one condition, or several in brackets; returns whether it is left. */
    private boolean one(int from, int to, int depth) {
        if (depth > MAX_BRACKETS || !isInBrackets(from, to)) {
            return simple(from, to);
        }
        List<Span> sides = split(from + 1, to - 1, "or");
        if (sides.size() > 1) {
            // The bracket that closes becomes that of IN.
            normaliser.drop(from, from + 1);
            anyOf(sides);
            return true;
        }
        if (holdSeveral(from + 1, to - 1)) {
            normaliser.drop(from, from + 1);
            normaliser.drop(to - 1, to);
            return all(from + 1, to - 1, depth + 1);
        }
        return one(from + 1, to - 1, depth + 1);
    }

    /** Returns whether several conditions stand there, in any number of brackets. CQL has brackets around one alone. */
    private boolean holdSeveral(int from, int to) {
        int first = from;
        int end = to;
        for (int depth = 0; depth < MAX_BRACKETS && isInBrackets(first, end); depth++) {
            first++;
            end--;
        }
        return split(first, end, "and").size() > 1;
    }

    /** Returns whether the span is one bracket around conditions, and not a list of columns or terms. */
    private boolean isInBrackets(int from, int to) {
        return tokens.isSymbol(from, '(')
                && to - from > 4
                && tokens.afterClosing(from) == to
                && !tokens.isWord(from + 1, "select")
                && split(from + 1, to - 1, ',').size() == 1;
    }

    // ---- OR

    /** Writes {@code a = 1 OR a = 2} as {@code a IN (1, 2}, without the bracket that closes. */
    private void anyOf(List<Span> sides) {
        String column = null;
        for (int i = 0; i < sides.size(); i++) {
            Span side = sides.get(i);
            int from = side.from;
            int to = side.to;
            for (int depth = 0; depth < MAX_BRACKETS && isInBrackets(from, to); depth++) {
                normaliser.drop(from, from + 1);
                normaliser.drop(to - 1, to);
                from++;
                to--;
            }
            int operator = afterName(from, to);
            boolean in = tokens.isWord(operator, "in")
                    && tokens.isSymbol(operator + 1, '(')
                    && tokens.afterClosing(operator + 1) == to;
            boolean is = tokens.isSymbol(operator, '=') && isTerm(operator + 1, to);
            String name = operator > from ? name(operator - 1) : null;
            if (name == null || !(in || is) || (column != null && !column.equals(name))) {
                throw or();
            }
            column = name;
            if (i > 0) {
                normaliser.replace(side.from - 1, ",");
                normaliser.drop(from, operator);
            }
            operator(operator, to, in, i == 0);
        }
    }

    private void operator(int operator, int to, boolean in, boolean first) {
        if (in) {
            normaliser.drop(to - 1, to);
            if (!first) {
                normaliser.drop(operator, operator + 2);
            }
        } else if (first) {
            normaliser.replace(operator, " IN (");
        } else {
            normaliser.drop(operator, operator + 1);
        }
    }

    private static UnsupportedSqlException or() {
        return new UnsupportedSqlException(
                "OR",
                "only values of one column can be joined by it, as id = 1 OR id = 2: run one statement for"
                        + " each side, and leave out the rows that both return");
    }

    /** Returns whether one term, and no further condition, stands there. */
    private boolean isTerm(int from, int to) {
        if (from >= to || tokens.isWord(from, "null")) {
            return false;
        }
        int depth = 0;
        for (int token = from; token < to; token++) {
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            boolean goesOn = tokens.isSymbol(token, '=')
                    || tokens.isSymbol(token, '<')
                    || tokens.isSymbol(token, '>')
                    || tokens.isSymbol(token, ',')
                    || tokens.isAnyWord(token, "not", "in", "like", "between", "is");
            if (depth == 0 && goesOn) {
                return false;
            }
        }
        return true;
    }

    // ---- one condition

    private boolean simple(int from, int to) {
        if (tokens.isWord(from, "not") && to - from > 1) {
            throw new UnsupportedSqlException("NOT in WHERE", ONE_BY_ONE);
        }
        Boolean constant = constant(from, to);
        if (constant != null) {
            neverTrue |= !constant;
            return false;
        }
        int operator = afterName(from, to);
        if (operator == from) {
            turn(from, to);
            return true;
        }
        boolean unequal = (tokens.isSymbol(operator, '<') && tokens.isSymbol(operator + 1, '>'))
                || (tokens.isSymbol(operator, '!') && tokens.isSymbol(operator + 1, '='));
        if (unequal && writes) {
            // A condition of a table that is written under conditions, where Cassandra takes it.
            normaliser.replace(operator, "!=");
            normaliser.drop(operator + 1, operator + 2);
            return true;
        }
        if (unequal) {
            throw new UnsupportedSqlException("<> in WHERE", ONE_BY_ONE);
        }
        if (tokens.isWord(operator, "is") && !(writes && tokens.isWord(operator + 1, "not"))) {
            throw new UnsupportedSqlException(
                    tokens.isWord(operator + 1, "not") ? "IS NOT NULL in WHERE" : "IS NULL in WHERE",
                    "a value that is missing is in no index: read the rows by their key, and check the value in the"
                            + " application");
        }
        if (tokens.isWord(operator, "not") && tokens.isAnyWord(operator + 1, "in", "like", "between")) {
            throw new UnsupportedSqlException(
                    "NOT " + tokens.text(operator + 1).toUpperCase(Locale.ROOT) + " in WHERE", ONE_BY_ONE);
        }
        if (tokens.isWord(operator, "between")) {
            between(operator, to);
        } else if (tokens.isWord(operator, "like")) {
            like(operator, to);
        } else if (tokens.isSymbol(operator, '=')) {
            equal.putIfAbsent(name(operator - 1), new Span(operator + 1, to));
        }
        return true;
    }

    /** Writes {@code 5 = id} as {@code id = 5}, and {@code 5 < id} as {@code id > 5}: CQL has the column first. */
    private void turn(int from, int to) {
        boolean term = tokens.kind(from) == Kind.MARKER
                || tokens.kind(from) == Kind.NUMBER
                || tokens.kind(from) == Kind.STRING
                || tokens.kind(from) == Kind.NATIONAL;
        int operator = from + 1;
        boolean equals = tokens.isSymbol(operator, '=');
        if (!term || !(equals || tokens.isSymbol(operator, '<') || tokens.isSymbol(operator, '>'))) {
            return;
        }
        int column = operator + (tokens.isSymbol(operator + 1, '=') && !equals ? 2 : 1);
        int last = to - 1;
        // Only the chain of a name reaches past the last token.
        boolean name =
                column <= last && tokens.kind(last).isName() && (column == last || afterName(column, to + 1) == to);
        if (!name) {
            return;
        }
        String internal = table == null ? name(last) : schema.columnLike(table, name(last));
        normaliser.replace(from, Identifiers.toCql(internal));
        if (!equals) {
            normaliser.replace(operator, tokens.isSymbol(operator, '<') ? ">" : "<");
        }
        normaliser.drop(column, last);
        if (tokens.kind(from) == Kind.MARKER) {
            normaliser.replaceByMarker(last, to, tokens.markerIndex(from));
        } else {
            normaliser.replace(last, tokens.text(from).substring(tokens.kind(from) == Kind.NATIONAL ? 1 : 0));
        }
        if (equals) {
            equal.putIfAbsent(internal, new Span(from, from + 1));
        }
    }

    /** {@code c BETWEEN a AND b} includes both, as {@code c >= a AND c <= b} does. */
    private void between(int between, int to) {
        List<Span> bounds = split(between + 1, to, "and");
        // The first AND after BETWEEN is no AND of conditions.
        if (bounds.size() == 2 && isTerm(bounds.get(0).from, bounds.get(0).to)) {
            normaliser.replace(between, ">=");
            int and = bounds.get(0).to;
            normaliser.replace(and, tokens.text(and) + " " + Identifiers.toCql(name(between - 1)) + " <=");
        }
    }

    private void like(int like, int to) {
        String column = name(like - 1);
        if (to != like + 2 || (table != null && schema.servesLike(table, column))) {
            return;
        }
        int pattern = like + 1;
        if (tokens.kind(pattern) == Kind.MARKER) {
            normaliser.replace(like, "=");
            guards.add(new Guard.NoWildcard(tokens.markerIndex(pattern), column));
            return;
        }
        boolean text = tokens.kind(pattern) == Kind.STRING || tokens.kind(pattern) == Kind.NATIONAL;
        if (text && !Guard.NoWildcard.isIn(tokens.content(pattern))) {
            normaliser.replace(like, "=");
            equal.putIfAbsent(column, new Span(pattern, to));
        }
    }

    /** Returns the value of a comparison of two literals; null if it is none, or SQL Server's collation decides. */
    private @Nullable Boolean constant(int from, int to) {
        for (int token = from + 1; token < to - 1; token++) {
            boolean compares = tokens.isSymbol(token, '=')
                    || tokens.isSymbol(token, '<')
                    || tokens.isSymbol(token, '>')
                    || tokens.isSymbol(token, '!');
            if (compares) {
                // Of most conditions it is a column.
                LiteralTerm left = LiteralTerm.read(tokens, from, token);
                if (left == null) {
                    return null;
                }
                int right = token + 1;
                while (right < to && tokens.kind(right) == Kind.SYMBOL && "=<>".contains(tokens.text(right))) {
                    right++;
                }
                String operator = tokens.text
                        .substring(tokens.start(token), tokens.end(right - 1))
                        .replaceAll("\\s", "");
                return compared(left, operator, LiteralTerm.read(tokens, right, to));
            }
        }
        return null;
    }

    private static @Nullable Boolean compared(LiteralTerm left, String operator, @Nullable LiteralTerm right) {
        if (right == null) {
            return null;
        }
        int order;
        if (left.isNumber() && right.isNumber()) {
            BigDecimal number = left.number();
            order = number.compareTo(right.number());
        } else if (left.type() == LiteralTerm.Type.TEXT
                && right.type() == LiteralTerm.Type.TEXT
                && left.text().equals(right.text())) {
            order = 0;
        } else {
            return null;
        }
        return switch (operator) {
            case "=" -> order == 0;
            case "<>", "!=" -> order != 0;
            case "<" -> order < 0;
            case ">" -> order > 0;
            case "<=" -> order <= 0;
            case ">=" -> order >= 0;
            default -> null;
        };
    }

    /** Returns the token after a column's name, with what qualifies it; {@code from} if none stands there. */
    private int afterName(int from, int to) {
        if (from >= to || !tokens.kind(from).isName()) {
            return from;
        }
        int token = from + 1;
        while (token + 1 < to
                && tokens.isSymbol(token, '.')
                && tokens.kind(token + 1).isName()) {
            token += 2;
        }
        return token < to ? token : from;
    }

    private String name(int token) {
        return Identifiers.toInternal(tokens.cqlName(token));
    }

    private List<Span> split(int from, int to, String word) {
        List<Span> parts = new ArrayList<>(4);
        int depth = 0;
        int start = from;
        boolean between = false;
        for (int token = from; token < to; token++) {
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            if (depth != 0 || tokens.kind(token) != Kind.WORD) {
                continue;
            }
            if (tokens.isWord(token, "between")) {
                between = true;
            } else if (between && tokens.isWord(token, "and")) {
                between = false;
            } else if (tokens.isWord(token, word) && start < token && token + 1 < to) {
                parts.add(new Span(start, token));
                start = token + 1;
            }
        }
        parts.add(new Span(start, to));
        return parts;
    }

    private List<Span> split(int from, int to, char symbol) {
        List<Span> parts = new ArrayList<>(4);
        int depth = 0;
        int start = from;
        for (int token = from; token < to; token++) {
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            if (depth == 0 && tokens.isSymbol(token, symbol)) {
                parts.add(new Span(start, token));
                start = token + 1;
            }
        }
        parts.add(new Span(start, to));
        return parts;
    }
}
