package dev.cassidy.insert;

import dev.cassidy.definition.RowMark;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An UPDATE or DELETE of a table whose rows have {@link RowMark}, made conditional: IF begins with the condition on the mark, and
 * what WHERE compares apart from the key follows. If the statement is of several rows, the caller reads their keys, and sends it
 * for each. {@code SET n = n - ?} becomes {@code SET n = ? ... IF ... n = ?}: the caller reads the row, computes the new value, and
 * starts over if n has changed meanwhile. What WHERE compares with such a column is the caller's to check. So is what it compares with a
 * column whose strings are equal by a collation: {@code a = 'x'} becomes {@code IF ... a = ?}, which takes what the caller has read.
 * Immutable.
 *
 * @param text the conditional statement
 * @param markers for each {@code ?} of the statement where its value comes from
 * @param compared what is compared with each column behind IF, several for IN: if all of them are NULL, no row is found
 * @param changes the columns that are computed from their own value
 * @param checks what WHERE compares with those
 * @param matches what WHERE compares by a collation
 * @param keys the query of the keys of the rows; empty if the statement names one row
 * @param keyMarkers for each {@code ?} of that query where its value comes from
 * @param row the query of a whole row, by key
 * @param rowMarkers for each {@code ?} of that query where its value comes from
 */
public record ConditionalWrite(
        String text,
        List<Source> markers,
        List<List<Operand>> compared,
        List<Change> changes,
        List<Check> checks,
        List<Match> matches,
        String keys,
        List<Source> keyMarkers,
        String row,
        List<Source> rowMarkers) {

    /** The value of a marker. */
    public sealed interface Source {

        /** A {@code ?} of the original, from 0. */
        record Given(int marker) implements Source {}

        /** The value of a changed column before. */
        record Old(int change) implements Source {}

        /** The value of a changed column afterwards. */
        record New(int change) implements Source {}

        /** The value that a column has which is compared by a collation. */
        record Stood(String column) implements Source {}

        /** The value of a column of the key, in the order in which {@link #of} was given them, of one of several rows. */
        record Key(int column) implements Source {}
    }

    /**
     * A value of the statement.
     *
     * @param marker which {@code ?} of the original it is; -1 for a literal
     * @param literal as it is written; null for a marker, and for NULL
     */
    public record Operand(int marker, @Nullable String literal) {}

    /**
     * {@code n = n + ?}.
     *
     * @param column its internal name
     * @param minus whether the value is subtracted
     */
    public record Change(String column, boolean minus, Operand value) {}

    /**
     * A comparison with the value of a changed column before.
     *
     * @param change the index of the column among the changes
     * @param operator =, !=, &lt;, &lt;=, &gt;, &gt;= or {@link #IS_NOT_NULL}, which has the value NULL
     */
    public record Check(int change, String operator, Operand value) {

        public static final String IS_NOT_NULL = "IS NOT NULL";
    }

    /**
     * A comparison of a column whose strings are equal by a collation.
     *
     * @param column its internal name
     * @param operator =, != or IN
     * @param values one, or of IN several
     */
    public record Match(String column, String operator, List<Operand> values) {
        public Match {
            values = List.copyOf(values);
        }
    }

    public ConditionalWrite {
        markers = List.copyOf(markers);
        compared = compared.stream().map(List::copyOf).toList();
        changes = List.copyOf(changes);
        checks = List.copyOf(checks);
        matches = List.copyOf(matches);
        keyMarkers = List.copyOf(keyMarkers);
        rowMarkers = List.copyOf(rowMarkers);
    }

    /** Returns whether the statement cannot be served without a condition. */
    public boolean needsCondition() {
        return !text.endsWith(RowMark.IS_FREE);
    }

    /** Returns whether what is sent depends on what the row has. */
    public boolean dependsOnRow() {
        return !changes.isEmpty() || !matches.isEmpty();
    }

    /**
     * As {@link #of(String, Set, Set, Set, Set)}, of a table whose strings compare by their bytes.
     *
     * @throws UnsupportedSqlException naming what cannot be a condition
     */
    public static Optional<ConditionalWrite> of(String cql, Set<String> key, Set<String> numbers, Set<Integer> nulls) {
        return of(cql, key, numbers, Set.of(), nulls);
    }

    /**
     * Makes a write conditional; empty if it is no UPDATE or DELETE, or has its own IF. In SQL, IN finds what equals one of its
     * values, and nothing equals NULL; in CQL, {@code IF c IN (null)} finds a row whose c is null. So what is known to be NULL is
     * left out.
     *
     * @param cql one CQL statement
     * @param key the columns of the primary key, internal names
     * @param numbers the columns of exact numbers, internal names
     * @param collated the columns whose strings compare by a collation, internal names
     * @param nulls which {@code ?} of the original are NULL
     * @throws UnsupportedSqlException naming what cannot be a condition
     */
    public static Optional<ConditionalWrite> of(
            String cql, Set<String> key, Set<String> numbers, Set<String> collated, Set<Integer> nulls) {
        Tokens tokens = new Tokens(cql);
        WriteClauses clauses = WriteClauses.of(tokens);
        return clauses == null
                ? Optional.empty()
                : Optional.of(new Walk(tokens, clauses, key, numbers, collated, nulls).write());
    }

    /**
     * Puts the condition on the mark before what a write says itself behind IF, in place of EXISTS; empty if it is no UPDATE or
     * DELETE. The statement means what it means in CQL: nothing is calculated, and WHERE names the row by its whole key. Its
     * markers stay in their order, and may have names.
     *
     * @param cql one CQL statement
     * @param key the columns of the primary key, internal names
     * @throws UnsupportedSqlException if it names no row, or several, or compares another column in WHERE
     */
    public static Optional<ConditionalWrite> ofRow(String cql, Set<String> key) {
        Tokens tokens = new Tokens(cql, Scanner.Language.CQL);
        WriteClauses clauses = WriteClauses.ofAny(tokens);
        return clauses == null
                ? Optional.empty()
                : Optional.of(new Walk(tokens, clauses, key, Set.of(), Set.of(), Set.of()).ofOneRow());
    }

    private static final class Walk {

        private final Tokens tokens;
        private final Set<String> key;
        private final Set<String> numbers;
        private final Set<String> collated;
        private final StringBuilder text = new StringBuilder();
        private final List<Source> markers = new ArrayList<>();
        private final Set<Integer> nulls;
        private final List<List<Operand>> compared = new ArrayList<>();
        private final List<Change> changes = new ArrayList<>();
        private final List<Check> checks = new ArrayList<>();
        private final List<Match> matches = new ArrayList<>();

        /** The conditions of WHERE: of the key, and of other columns. */
        private final List<WriteClauses.Condition> ofKey = new ArrayList<>();

        private final List<WriteClauses.Condition> others = new ArrayList<>();

        /** Whether the statement is sent for each of several rows. */
        private boolean several;

        private final WriteClauses clauses;
        private final int set;
        private final int where;

        private Walk(
                Tokens tokens,
                WriteClauses clauses,
                Set<String> key,
                Set<String> numbers,
                Set<String> collated,
                Set<Integer> nulls) {
            this.tokens = tokens;
            this.clauses = clauses;
            this.key = key;
            this.numbers = numbers;
            this.collated = collated;
            this.nulls = nulls;
            this.set = clauses.set();
            this.where = clauses.where();
            clauses.conditions(tokens).forEach(this::condition);
        }

        private ConditionalWrite ofOneRow() {
            if (!others.isEmpty()) {
                throw refused(others.get(0), "put it behind IF: WHERE names the row by its key");
            }
            if (!namesOneRow()) {
                throw new UnsupportedSqlException(
                        tokens.text(0).toUpperCase(Locale.ROOT) + " of rows that are not named by their whole key",
                        "name one row in WHERE, by = of each of " + String.join(", ", key));
            }
            return write();
        }

        private ConditionalWrite write() {
            if (ofKey.isEmpty()) {
                throw new UnsupportedSqlException(
                        tokens.text(0).toUpperCase(Locale.ROOT) + " without the key of its row",
                        "name the row by its primary key in WHERE: " + String.join(", ", key));
            }
            several = !namesOneRow();
            copy(0, set >= 0 ? set + 1 : where);
            if (set >= 0) {
                assignments();
            }
            where(text, markers);
            conditionsOfOthers();
            List<Source> keyMarkers = new ArrayList<>();
            String keys = several ? keys(keyMarkers) : "";
            List<Source> rowMarkers = new ArrayList<>();
            String row = row(rowMarkers);
            return new ConditionalWrite(
                    text.toString(), markers, compared, changes, checks, matches, keys, keyMarkers, row, rowMarkers);
        }

        private boolean namesOneRow() {
            Set<String> given = new HashSet<>();
            for (WriteClauses.Condition condition : ofKey) {
                if (tokens.kind(condition.from()).isName() && tokens.isSymbol(condition.from() + 1, '=')) {
                    given.add(column(condition.from()));
                }
            }
            return given.containsAll(key);
        }

        private void condition(WriteClauses.Condition condition) {
            boolean other = tokens.kind(condition.from()).isName()
                    && !tokens.isSymbol(condition.from() + 1, '(')
                    && !key.contains(column(condition.from()));
            (other ? others : ofKey).add(condition);
        }

        private String column(int token) {
            return Identifiers.toInternal(tokens.cqlName(token));
        }

        // ---- SET

        private void assignments() {
            int depth = 0;
            int start = set + 1;
            for (int token = set + 1; token <= where; token++) {
                if (token == where || (depth == 0 && tokens.isSymbol(token, ','))) {
                    assignment(start, token);
                    if (token < where) {
                        text.append(',');
                    }
                    start = token + 1;
                } else {
                    depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
                }
            }
        }

        private void assignment(int from, int to) {
            boolean adds = (tokens.isSymbol(from + 1, '+') || tokens.isSymbol(from + 1, '-'))
                    && tokens.isSymbol(from + 2, '=')
                    && tokens.end(from + 1) == tokens.start(from + 2)
                    && tokens.kind(from).isName()
                    && numbers.contains(column(from));
            Change change = adds ? added(from, to) : isOfItself(from, to) ? change(from, to) : null;
            if (change == null) {
                copy(from, to);
                return;
            }
            if (indexOfChange(change.column) >= 0) {
                throw new UnsupportedSqlException(
                        "SET of column " + change.column + " twice", "a statement sets a column once");
            }
            copy(from, from + 1);
            text.append(" = ?");
            markers.add(new Source.New(changes.size()));
            changes.add(change);
        }

        private boolean isOfItself(int from, int to) {
            return tokens.kind(from).isName()
                    && tokens.isSymbol(from + 1, '=')
                    && numbers.contains(column(from))
                    && names(from + 2, to, column(from));
        }

        /** {@code n += ?} */
        private Change added(int from, int to) {
            int value = from + 3;
            if (to != value + 1 || !isAmount(value)) {
                throw new UnsupportedSqlException(
                        "SET " + tokens.text.substring(tokens.start(from), tokens.end(to - 1)),
                        "write " + column(from) + " + ? or " + column(from)
                                + " - ?, or read the row and give the new value");
            }
            return new Change(column(from), tokens.isSymbol(from + 1, '-'), operand(value, value + 1));
        }

        private boolean isAmount(int token) {
            return tokens.kind(token) == Kind.MARKER
                    || (tokens.kind(token) == Kind.NUMBER && tokens.text(token).matches("[0-9]+(\\.[0-9]+)?"));
        }

        private boolean names(int from, int to, String column) {
            for (int token = from; token < to; token++) {
                if (tokens.kind(token).isName() && column(token).equals(column)) {
                    return true;
                }
            }
            return false;
        }

        private Change change(int from, int to) {
            String column = column(from);
            int expression = from + 2;
            boolean minus = tokens.isSymbol(expression + 1, '-');
            boolean first =
                    tokens.kind(expression).isName() && column(expression).equals(column);
            boolean last = tokens.kind(to - 1).isName() && column(to - 1).equals(column);
            boolean sum = to - expression == 3
                    && (minus || tokens.isSymbol(expression + 1, '+'))
                    && first != last
                    && (first || !minus);
            int value = first ? expression + 2 : expression;
            boolean known = isAmount(value);
            if (!sum || !known) {
                throw new UnsupportedSqlException(
                        "SET " + tokens.text.substring(tokens.start(from), tokens.end(to - 1)),
                        "write " + column + " + ? or " + column + " - ?, or read the row and give the new value");
            }
            return new Change(column, minus, operand(value, value + 1));
        }

        // ---- WHERE and IF

        private void where(StringBuilder out, List<Source> sources) {
            if (!several) {
                whereGiven(out, sources);
                return;
            }
            String separator = " WHERE ";
            int index = 0;
            for (String column : key) {
                out.append(separator).append(Identifiers.toCql(column)).append(" = ?");
                sources.add(new Source.Key(index++));
                separator = " AND ";
            }
        }

        private void whereGiven(StringBuilder out, List<Source> sources) {
            out.append(" WHERE ");
            for (int i = 0; i < ofKey.size(); i++) {
                WriteClauses.Condition condition = ofKey.get(i);
                out.append(i == 0 ? "" : " AND ")
                        .append(tokens.text, tokens.start(condition.from()), tokens.end(condition.to() - 1));
                for (int token = condition.from(); token < condition.to(); token++) {
                    if (tokens.kind(token) == Kind.MARKER) {
                        sources.add(new Source.Given(tokens.markerIndex(token)));
                    }
                }
            }
        }

        private void conditionsOfOthers() {
            if (namesMark()) {
                text.append(" IF");
                copy(clauses.own() + 1, clauses.after());
                return;
            }
            text.append(" IF ").append(RowMark.IS_FREE);
            if (clauses.own() >= 0 && !tokens.isWord(clauses.own() + 1, "exists")) {
                text.append(" AND");
                copy(clauses.own() + 1, clauses.after());
            }
            for (int i = 0; i < changes.size(); i++) {
                text.append(" AND ")
                        .append(Identifiers.toCql(changes.get(i).column))
                        .append(" = ?");
                markers.add(new Source.Old(i));
            }
            for (WriteClauses.Condition condition : others) {
                if (isNotNull(condition)) {
                    int changed = indexOfChange(column(condition.from()));
                    if (changed >= 0) {
                        checks.add(new Check(changed, Check.IS_NOT_NULL, new Operand(-1, null)));
                        continue;
                    }
                    text.append(" AND ")
                            .append(tokens.cqlName(condition.from()))
                            .append(" != null");
                    continue;
                }
                String operator = operator(condition);
                int change = indexOfChange(column(condition.from()));
                int value = condition.from() + 1 + (operator.equals("IN") ? 1 : operator.length());
                if (change >= 0) {
                    if (operator.equals("IN")) {
                        throw refused(condition, "compare " + column(condition.from()) + " by =, <>, <, <=, > or >=");
                    }
                    checks.add(new Check(change, operator, operand(value, condition.to())));
                    continue;
                }
                if (collated.contains(column(condition.from()))
                        && Set.of("=", "!=", "IN").contains(operator)) {
                    match(operator, value, condition);
                    continue;
                }
                text.append(" AND ");
                condition(operator, value, condition);
                if (operator.equals("!=")) {
                    // In CQL, a column that is null differs from any value, and so do all of a row that is missing.
                    text.append(" AND ")
                            .append(tokens.cqlName(condition.from()))
                            .append(" != null");
                }
            }
        }

        /** Whether the statement itself has a condition on the mark. */
        private boolean namesMark() {
            for (int token = clauses.own() + 1; clauses.own() >= 0 && token < clauses.after(); token++) {
                if (tokens.kind(token).isName() && column(token).equals(RowMark.COLUMN)) {
                    return true;
                }
            }
            return false;
        }

        private int indexOfChange(String column) {
            for (int i = 0; i < changes.size(); i++) {
                if (changes.get(i).column.equals(column)) {
                    return i;
                }
            }
            return -1;
        }

        private boolean isNotNull(WriteClauses.Condition condition) {
            int at = condition.from() + 1;
            return condition.to() == at + 3
                    && tokens.isWord(at, "is")
                    && tokens.isWord(at + 1, "not")
                    && tokens.isWord(at + 2, "null");
        }

        private String operator(WriteClauses.Condition condition) {
            int at = condition.from() + 1;
            if (tokens.isWord(at, "in")
                    && tokens.isSymbol(at + 1, '(')
                    && tokens.afterClosing(at + 1) == condition.to()) {
                return "IN";
            }
            StringBuilder operator = new StringBuilder();
            while (operator.length() < 2
                    && (tokens.isSymbol(at, '=')
                            || tokens.isSymbol(at, '<')
                            || tokens.isSymbol(at, '>')
                            || tokens.isSymbol(at, '!'))) {
                operator.append(tokens.text(at++));
            }
            String found = operator.toString();
            if (!Set.of("=", "!=", "<", "<=", ">", ">=").contains(found) || !isValue(at, condition.to())) {
                throw refused(
                        condition,
                        "compare a column by =, <>, <, <=, > or >= with a value, by IN with values, or by IS NOT NULL");
            }
            return found;
        }

        /** Whether the values match is the caller's to say; the row has to stay as he has read it. */
        private void match(String operator, int value, WriteClauses.Condition condition) {
            String column = column(condition.from());
            List<Operand> values = operator.equals("IN")
                    ? listed(value, condition).stream()
                            .map(each -> operand(each[0], each[1]))
                            .toList()
                    : List.of(operand(value, condition.to()));
            compared.add(values);
            if (matches.stream().noneMatch(each -> each.column().equals(column))) {
                text.append(" AND ").append(tokens.cqlName(condition.from())).append(" = ?");
                markers.add(new Source.Stood(column));
            }
            matches.add(new Match(column, operator, values));
        }

        private void condition(String operator, int value, WriteClauses.Condition condition) {
            if (!operator.equals("IN")) {
                compared.add(List.of(operand(value, condition.to())));
                copy(condition.from(), condition.to());
                return;
            }
            List<int[]> values = listed(value, condition);
            compared.add(values.stream().map(each -> operand(each[0], each[1])).toList());
            List<int[]> kept = values.stream()
                    .filter(each -> !isNull(operand(each[0], each[1])))
                    .toList();
            copy(condition.from(), value + 1);
            String separator = "";
            // Of nothing but NULLs, the statement is never sent.
            for (int[] each : kept.isEmpty() ? values : kept) {
                text.append(separator);
                copy(each[0], each[1]);
                separator = ",";
            }
            text.append(')');
        }

        /** Returns where each of the values of an IN begins and ends. */
        private List<int[]> listed(int value, WriteClauses.Condition condition) {
            List<int[]> values = new ArrayList<>();
            int start = value + 1;
            for (int token = value + 1; token < condition.to(); token++) {
                if (tokens.isSymbol(token, ',') || token == condition.to() - 1) {
                    if (!isValue(start, token)) {
                        throw refused(condition, "give the values of IN as parameters or literals");
                    }
                    values.add(new int[] {start, token});
                    start = token + 1;
                }
            }
            return values;
        }

        private boolean isNull(Operand operand) {
            return operand.marker() < 0 ? operand.literal() == null : nulls.contains(operand.marker());
        }

        private boolean isValue(int from, int to) {
            int value = tokens.isSymbol(from, '-') ? from + 1 : from;
            Kind kind = tokens.kind(value);
            return value == to - 1
                    && (kind == Kind.NUMBER
                            || (value == from
                                    && (kind == Kind.MARKER
                                            || kind == Kind.STRING
                                            || tokens.isAnyWord(value, "null", "true", "false"))));
        }

        private Operand operand(int from, int to) {
            if (tokens.kind(from) == Kind.MARKER) {
                return new Operand(tokens.markerIndex(from), null);
            }
            return new Operand(
                    -1,
                    tokens.isWord(from, "null") ? null : tokens.text.substring(tokens.start(from), tokens.end(to - 1)));
        }

        private UnsupportedSqlException refused(WriteClauses.Condition condition, String workaround) {
            return new UnsupportedSqlException(
                    "'" + tokens.text.substring(tokens.start(condition.from()), tokens.end(condition.to() - 1))
                            + "' as the condition of a write",
                    workaround);
        }

        // ---- queries

        private String row(List<Source> sources) {
            StringBuilder query = select("*");
            where(query, sources);
            return query.toString();
        }

        private String keys(List<Source> sources) {
            StringBuilder query = select(key.stream().map(Identifiers::toCql).collect(Collectors.joining(", ")));
            whereGiven(query, sources);
            return query.toString();
        }

        private StringBuilder select(String list) {
            int first = 1;
            int after = set >= 0 ? set : where;
            for (int token = 1; token < after; token++) {
                if (set < 0 && tokens.isWord(token, "from")) {
                    first = token + 1;
                }
                if (tokens.isWord(token, "using")) {
                    after = token;
                    break;
                }
            }
            return new StringBuilder("SELECT ")
                    .append(list)
                    .append(" FROM ")
                    .append(tokens.text, tokens.start(first), tokens.end(after - 1));
        }

        /** Copies tokens and the text between them. */
        private void copy(int from, int to) {
            if (from >= to) {
                return;
            }
            int length = text.length();
            if (length > 0 && text.charAt(length - 1) != '(' && !Character.isWhitespace(text.charAt(length - 1))) {
                text.append(' ');
            }
            text.append(tokens.text, tokens.start(from), tokens.end(to - 1));
            for (int token = from; token < to; token++) {
                if (tokens.kind(token) == Kind.MARKER) {
                    markers.add(new Source.Given(tokens.markerIndex(token)));
                }
            }
        }
    }
}
