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
    private @Nullable Rows rows;
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

    /** Returns the rows that an OR names by their whole keys; null if none does. */
    @Nullable
    Rows rows() {
        return rows;
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
        if (split(from, to, "or").size() > 1) {
            if (anyOf(from, to)) {
                normaliser.add(to - 1, ")");
            }
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

    /** Handles one condition, or several in brackets, which say nothing then; returns whether it is left. */
    private boolean one(int from, int to, int depth) {
        if (depth > MAX_BRACKETS || !isInBrackets(from, to)) {
            return simple(from, to);
        }
        normaliser.drop(from, from + 1);
        normaliser.drop(to - 1, to);
        return all(from + 1, to - 1, depth + 1);
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

    /** The values of which a column must have one: {@code a = 1}, {@code 1 = a} and {@code a IN (1, 2)}. */
    private record Values(int column, Span values) {}

    /**
     * One side of ORs, without brackets.
     *
     * @param or the token of the OR before it; -1 for the first
     */
    private record Side(Span span, int or) {}

    /**
     * The rows of which a statement wants all that exist, each by its whole key: {@code (a = 1 AND b = 2) OR (a = 1 AND b = 3)}.
     * CQL cannot say it.
     *
     * @param from the first token of the OR, {@code to} exclusive
     * @param each the conditions of each row
     */
    record Rows(int from, int to, List<Span> each) {}

    /**
     * Writes {@code a = 1 OR a = 2} as {@code a IN (1, 2}, without the bracket that closes; false if the sides are {@link Rows},
     * which stay.
     */
    private boolean anyOf(int from, int to) {
        List<Side> sides = new ArrayList<>(4);
        refuseCollation(from, to);
        sides(new Span(from, to), -1, 0, sides);
        if (areRows(sides)) {
            rows = new Rows(from, to, sides.stream().map(Side::span).toList());
            return false;
        }
        String column = null;
        for (Side each : sides) {
            Span side = each.span;
            Values values = values(side.from, side.to);
            if (values != null) {
                compares(values.column, side.from, side.to);
            }
            if (values == null || (column != null && !column.equals(name(values.column)))) {
                throw or();
            }
            column = name(values.column);
            if (each.or < 0) {
                begin(side.from, written(values.column) + " IN (");
            } else {
                normaliser.replace(each.or, ",");
            }
            normaliser.drop(side.from, values.values.from);
            normaliser.drop(values.values.to, side.to);
        }
        return true;
    }

    /** Adds the sides of ORs, and of those within their brackets. */
    private void sides(Span of, int or, int depth, List<Side> all) {
        Span span = withoutBrackets(of);
        List<Span> parts = depth > MAX_BRACKETS ? List.of(span) : split(span.from, span.to, "or");
        if (parts.size() == 1) {
            all.add(new Side(span, or));
            return;
        }
        for (Span part : parts) {
            sides(part, part.from == span.from ? or : part.from - 1, depth + 1, all);
        }
    }

    private boolean areRows(List<Side> sides) {
        List<String> key = table == null || writes || rows != null ? List.of() : schema.namedKey(table);
        if (key.size() < 2 || sides.size() > Guard.Rows.MAX_READS) {
            return false;
        }
        List<String> first = List.of();
        for (Side side : sides) {
            List<String> columns = new ArrayList<>(key.size());
            boolean equal = areEqual(side.span, 0, columns);
            first = first.isEmpty() ? columns : first;
            // In one order: two of them with the same values are one row.
            if (!equal || columns.size() != key.size() || !columns.equals(first) || !columns.containsAll(key)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether columns equal one term each, and adds them; leaves the brackets out. */
    private boolean areEqual(Span of, int depth, List<String> columns) {
        Span span = withoutBrackets(of);
        List<Span> parts = split(span.from, span.to, "and");
        if (parts.size() == 1) {
            Subject subject = subject(span.from, span.to);
            if (subject == null || !tokens.isSymbol(subject.operator, '=') || !isTerm(subject.operator + 1, span.to)) {
                return false;
            }
            columns.add(name(subject.column));
            return true;
        }
        boolean equal = depth <= MAX_BRACKETS;
        for (int i = 0; i < parts.size() && equal; i++) {
            equal = areEqual(parts.get(i), depth + 1, columns);
        }
        return equal;
    }

    private Span withoutBrackets(Span side) {
        int from = side.from;
        int to = side.to;
        for (int depth = 0; depth < MAX_BRACKETS && isInBrackets(from, to); depth++) {
            normaliser.drop(from, from + 1);
            normaliser.drop(to - 1, to);
            from++;
            to--;
        }
        return new Span(from, to);
    }

    private @Nullable Values values(int from, int to) {
        Subject subject = subject(from, to);
        if (subject != null) {
            int operator = subject.operator;
            boolean in = tokens.isWord(operator, "in")
                    && tokens.isSymbol(operator + 1, '(')
                    && tokens.afterClosing(operator + 1) == to;
            if (in) {
                return new Values(subject.column, new Span(operator + 2, to - 1));
            }
            return tokens.isSymbol(operator, '=') && isTerm(operator + 1, to)
                    ? new Values(subject.column, new Span(operator + 1, to))
                    : null;
        }
        Subject turned = turned(from, to);
        return turned != null && tokens.isSymbol(turned.operator, '=') && isTerm(from, turned.operator)
                ? new Values(turned.column, new Span(from, turned.operator))
                : null;
    }

    static UnsupportedSqlException or() {
        return new UnsupportedSqlException(
                "OR",
                "only values of one column can be joined by it, as id = 1 OR id = 2, and in a SELECT whole keys of"
                        + " rows: run one statement for each side, and leave out the rows that both return");
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
        refuseCollation(from, to);
        if (tokens.isWord(from, "not") && to - from > 1) {
            throw new UnsupportedSqlException("NOT in WHERE", ONE_BY_ONE);
        }
        if (comparesParameters(from, to)) {
            return false;
        }
        Boolean constant = constant(from, to);
        if (constant != null) {
            neverTrue |= !constant;
            return false;
        }
        Subject subject = subject(from, to);
        if (subject == null) {
            if (!tuple(from, to)) {
                turn(from, to);
            }
            return true;
        }
        int column = subject.column;
        int operator = subject.operator;
        compares(column, from, to);
        if (tokens.isSymbol(operator, '(')) {
            if (!turn(from, to) && !tokens.isAnyWord(column, "token", "exists")) {
                throw new UnsupportedSqlException(
                        tokens.text(column).toUpperCase(Locale.ROOT) + "(...) in WHERE",
                        "Cassandra compares what a column contains: keep the result in a column of its own, and"
                                + " compare that");
            }
            return true;
        }
        if (isComparison(operator)
                && (operator(operator).equals("<>") || operator(operator).equals("!="))) {
            normaliser.replace(operator, unequal());
            normaliser.drop(operator + 1, operator + 2);
            return true;
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
            between(column, operator, to);
        } else if (tokens.isWord(operator, "like")) {
            like(column, operator, to);
        } else if (tokens.isSymbol(operator, '=')) {
            equal.putIfAbsent(name(column), new Span(operator + 1, to));
        }
        return true;
    }

    /** Refuses COLLATE where a column stands that Cassandra compares by the collation of its key alone. */
    void refuseCollation(int from, int to) {
        int collate = from;
        while (collate < to && !isCollation(collate)) {
            collate++;
        }
        for (int token = from; token < to && collate < to && table != null; token++) {
            if (!tokens.kind(token).isName() || token == collate) {
                continue;
            }
            String column = tokens.kind(token) == Kind.BRACKETED ? schema.columnLike(table, name(token)) : name(token);
            if (schema.hasTwin(table, column)) {
                throw new UnsupportedSqlException(
                        "COLLATE " + tokens.text(collate + 1) + " for column " + tokens.text(token)
                                + ", which is in the primary key",
                        "a key is compared and ordered by the collation of its column: leave COLLATE out, and compare the"
                                + " value that is read");
            }
        }
    }

    /** The tokens of a column's name, without what qualifies it, and of the operator that compares it. */
    private record Subject(int column, int operator) {}

    /**
     * Returns the column that a condition begins with; null if it begins with anything else. Leaves out a binary collation, and
     * brackets around the two.
     */
    private @Nullable Subject subject(int from, int to) {
        boolean opens = tokens.isSymbol(from, '(');
        int name = opens ? from + 1 : from;
        int after = afterName(name, to);
        boolean collated = after > name && isCollation(after);
        if (after == name || (opens && !(collated && tokens.isSymbol(after + 2, ')')))) {
            return null;
        }
        int operator = (collated ? after + 2 : after) + (opens ? 1 : 0);
        if (operator >= to) {
            return null;
        }
        if (collated) {
            normaliser.collation(after);
        }
        if (opens) {
            normaliser.drop(from, name);
            normaliser.drop(operator - 1, operator);
        }
        return new Subject(after - 1, operator);
    }

    /** Remembers a column that a condition compares by a collation of its own: it is binary, or refused. */
    private void compares(int column, int from, int to) {
        for (int token = from; token < to; token++) {
            if (isCollation(token)) {
                guards.add(new Guard.ByBytes(Identifiers.toInternal(written(column))));
                return;
            }
        }
    }

    private boolean isCollation(int token) {
        return tokens.isWord(token, "collate") && tokens.kind(token + 1).isName();
    }

    /** Returns what {@code 5 = id} compares, which has the column last; null if the condition has another form. */
    private @Nullable Subject turned(int from, int to) {
        int end = to - from > 3 && isCollation(to - 2) ? to - 2 : to;
        int depth = 0;
        for (int token = from; token < to; token++) {
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            if (depth == 0 && isComparison(token)) {
                if (token == from || !isColumn(token + operator(token).length(), end)) {
                    return null;
                }
                if (end < to) {
                    normaliser.collation(end);
                }
                return new Subject(end - 1, token);
            }
        }
        return null;
    }

    private boolean isComparison(int token) {
        return tokens.isSymbol(token, '=')
                || tokens.isSymbol(token, '<')
                || tokens.isSymbol(token, '>')
                || tokens.isSymbol(token, '!');
    }

    /** Returns the comparison that begins at a token; each of its characters is a token. */
    private String operator(int token) {
        String first = tokens.text(token);
        boolean more = tokens.isSymbol(token + 1, '=') || (first.equals("<") && tokens.isSymbol(token + 1, '>'));
        return first.equals("=") || !more ? first : first + tokens.text(token + 1);
    }

    private boolean isColumn(int from, int to) {
        for (int token = from; token < to; token++) {
            boolean name = (token - from) % 2 == 0;
            if (name ? !tokens.kind(token).isName() : !tokens.isSymbol(token, '.')) {
                return false;
            }
        }
        return (to - from) % 2 == 1 && !tokens.isAnyWord(from, "null", "true", "false", "current_timestamp", "default");
    }

    /** Writes {@code 5 = id} as {@code id = 5}, and {@code 5 < id} as {@code id > 5}: CQL has the column first. */
    private boolean turn(int from, int to) {
        Subject subject = turned(from, to);
        if (subject == null) {
            return false;
        }
        int column = subject.column;
        int operator = subject.operator;
        compares(column, from, to);
        String written = operator(operator);
        String turned =
                switch (written) {
                    case "<" -> ">";
                    case ">" -> "<";
                    case "<=" -> ">=";
                    case ">=" -> "<=";
                    case "<>", "!=" -> unequal();
                    default -> written;
                };
        begin(from, written(column) + " " + turned);
        normaliser.drop(operator, to);
        if (written.equals("=")) {
            equal.putIfAbsent(name(column), new Span(from, operator));
        }
        return true;
    }

    /**
     * Writes {@code (a, b) = (1, 2)} as {@code a = 1 AND b = 2} where the key begins with one of them, because CQL compares
     * tuples of clustering columns alone; IN of several whole keys becomes {@link Rows}. False for anything else.
     */
    private boolean tuple(int from, int to) {
        int operator = tokens.isSymbol(from, '(') ? tokens.afterClosing(from) : to;
        boolean in = tokens.isWord(operator, "in") && tokens.isSymbol(operator + 2, '(');
        boolean compares = (in || tokens.isSymbol(operator, '='))
                && tokens.isSymbol(operator + 1, '(')
                && tokens.afterClosing(operator + 1) == to;
        List<String> key = table == null || !compares ? List.of() : schema.namedKey(table);
        List<Span> columns = split(from + 1, Math.max(operator - 1, from + 1), ',');
        List<String> names = new ArrayList<>();
        for (Span column : columns) {
            if (key.isEmpty() || !isColumn(column.from, column.to)) {
                return false;
            }
            names.add(name(column.to - 1));
        }
        if (!names.contains(key.get(0))) {
            return false;
        }
        List<Span> values = in ? split(operator + 2, to - 1, ',') : List.of(new Span(operator + 1, to));
        boolean whole = key.size() == names.size() && names.containsAll(key) && !writes && rows == null;
        if (values.size() > (whole ? Guard.Rows.MAX_READS : 1)) {
            return false;
        }
        for (Span each : values) {
            boolean fits = tokens.isSymbol(each.from, '(')
                    && tokens.afterClosing(each.from) == each.to
                    && split(each.from + 1, each.to - 1, ',').size() == names.size();
            if (!fits) {
                return false;
            }
        }
        values.forEach(each -> equal(each, columns));
        if (values.size() > 1) {
            rows = new Rows(from, to, values);
        } else {
            normaliser.drop(from, values.get(0).from);
            normaliser.drop(values.get(0).to, to);
        }
        return true;
    }

    /** Writes the column in front of each value of a tuple. */
    private void equal(Span tuple, List<Span> columns) {
        List<Span> values = split(tuple.from + 1, tuple.to - 1, ',');
        for (int i = 0; i < values.size(); i++) {
            String equal = written(columns.get(i).to - 1) + " = ";
            normaliser.replace(values.get(i).from - 1, i == 0 ? equal : " AND " + equal);
        }
        normaliser.drop(tuple.to - 1, tuple.to);
    }

    /** Adds text in front of a condition. */
    private void begin(int from, String cql) {
        boolean opens = tokens.opens(from - 1) && !normaliser.isDropped(from - 1);
        normaliser.add(from - 1, opens ? cql : " " + cql);
    }

    /** Cassandra takes it as a condition of a write to a table whose writes are exact. */
    private String unequal() {
        if (!writes) {
            throw new UnsupportedSqlException("<> in WHERE", ONE_BY_ONE);
        }
        return "!=";
    }

    /** Returns a column's name as CQL writes it, in the case that the table has it in. */
    private String written(int column) {
        String name = name(column);
        return Identifiers.toCql(
                table == null || tokens.kind(column) != Kind.BRACKETED ? name : schema.columnLike(table, name));
    }

    /** {@code c BETWEEN a AND b} includes both, as {@code c >= a AND c <= b} does. */
    private void between(int column, int between, int to) {
        List<Span> bounds = split(between + 1, to, "and");
        // The first AND after BETWEEN is no AND of conditions.
        if (bounds.size() == 2 && isTerm(bounds.get(0).from, bounds.get(0).to)) {
            normaliser.replace(between, ">=");
            int and = bounds.get(0).to;
            normaliser.replace(and, tokens.text(and) + " " + Identifiers.toCql(name(column)) + " <=");
        }
    }

    private void like(int compared, int like, int to) {
        String column = name(compared);
        if (table != null && schema.servesLike(table, column)) {
            return;
        }
        if (to != like + 2) {
            throw new UnsupportedSqlException(
                    tokens.isWord(to - 2, "escape") ? "LIKE ... ESCAPE" : "LIKE of an expression", ONE_BY_ONE);
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

    /** Reads {@code ? = ?} and {@code ? <> ?}: the parameters decide. */
    private boolean comparesParameters(int from, int to) {
        int last = to - 1;
        String operator = last - from > 1 && isComparison(from + 1) ? operator(from + 1) : "";
        boolean equal = operator.equals("=");
        if (tokens.kind(from) != Kind.MARKER
                || tokens.kind(last) != Kind.MARKER
                || last != from + 1 + operator.length()
                || !(equal || operator.equals("<>") || operator.equals("!="))) {
            return false;
        }
        guards.add(new Guard.Compared(tokens.markerIndex(from), tokens.markerIndex(last), equal));
        return true;
    }

    /** Returns the value of a comparison of two literals; null if it is none. */
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
                LiteralTerm other = LiteralTerm.read(tokens, right, to);
                return other == null ? null : compared(left, operator, other);
            }
        }
        return null;
    }

    private static boolean compared(LiteralTerm left, String operator, LiteralTerm right) {
        if (left.type() == LiteralTerm.Type.NULL || right.type() == LiteralTerm.Type.NULL) {
            return false;
        }
        int order;
        if (left.isNumber() && right.isNumber()) {
            BigDecimal number = left.number();
            order = number.compareTo(right.number());
        } else if (left.type() == right.type() && left.text().equals(right.text())) {
            order = 0;
        } else {
            throw new UnsupportedSqlException(
                    left.text() + " " + operator + " " + right.text() + " in WHERE",
                    "SQL Server decides it by a collation or a conversion: decide it in the application, and leave the"
                            + " condition out, or write 1 = 1 or 1 = 0 in its place");
        }
        return switch (operator) {
            case "=" -> order == 0;
            case "<>", "!=" -> order != 0;
            case "<" -> order < 0;
            case ">" -> order > 0;
            case "<=", "!>" -> order <= 0;
            case ">=", "!<" -> order >= 0;
            default ->
                throw UnsupportedSqlException.asSqlServer(
                        102, "Incorrect syntax near '" + operator + "': compare by =, <>, <, >, <= or >=");
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
