package dev.cassidy.assist.tree;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.OutputSpan;
import dev.cassidy.insert.Tokens;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A MERGE, cut into its parts.
 *
 * @param tokens of the whole statement, whose tokens the spans count
 * @param with common table expressions before it; null without them
 * @param target the table that is written
 * @param alias the name by which the statement names the target's columns, as it is written
 * @param source what USING names, with its alias
 * @param on the condition of ON
 * @param clauses what is done, in order
 */
public record MergeText(
        Tokens tokens,
        @Nullable Span with,
        @Nullable Top top,
        Span target,
        String alias,
        Source source,
        Span on,
        List<Clause> clauses,
        String output)
        implements WriteText {

    public MergeText {
        clauses = List.copyOf(clauses);
    }

    /** Tokens of the statement, {@code to} exclusive. */
    public record Span(int from, int to) {}

    /**
     * What USING names.
     *
     * @param names of its columns, as they are written behind its alias; null if they are not
     * @param values whether it is VALUES and no SELECT or table
     * @param rows of one that reads no table, the expressions of each row; empty for any other
     * @param columns the names of these expressions, as far as they have one; as they are written
     */
    public record Source(
            Span all,
            String alias,
            @Nullable List<String> names,
            boolean values,
            List<List<Span>> rows,
            List<@Nullable String> columns) {
        public Source {
            rows = List.copyOf(rows);
        }
    }

    /** Of what rows a clause is. */
    public enum Match {
        MATCHED,
        NOT_MATCHED,
        NOT_MATCHED_BY_SOURCE
    }

    /**
     * A WHEN.
     *
     * @param condition behind AND; null without one
     */
    public record Clause(Match match, @Nullable Span condition, Action action) {}

    /** What a WHEN does. */
    public sealed interface Action {

        /** UPDATE SET. */
        record Update(List<Assignment> assignments) implements Action {
            public Update {
                assignments = List.copyOf(assignments);
            }
        }

        /** DELETE. */
        record Delete() implements Action {}

        /**
         * INSERT.
         *
         * @param columns as they are written; empty if none is named
         */
        record Insert(List<String> columns, List<Span> values) implements Action {
            public Insert {
                columns = List.copyOf(columns);
                values = List.copyOf(values);
            }
        }
    }

    /**
     * A value of SET.
     *
     * @param table before the column; null without one
     * @param column as it is written, without the table's name
     */
    public record Assignment(@Nullable String table, String column, Span value) {}

    /** Returns the plain names of the common table expressions. */
    public Set<String> expressions() {
        Set<String> names = new HashSet<>();
        int at = with == null ? 0 : with.from() + 1;
        while (with != null && at < with.to()) {
            names.add(SqlNames.plain(tokens.text(at)));
            // Its columns, AS, its SELECT and a comma.
            while (at < with.to() && !tokens.isSymbol(at, ',')) {
                at = tokens.opens(at) ? tokens.afterClosing(at) : at + 1;
            }
            at++;
        }
        return names;
    }

    @Override
    public String written() {
        return tokens.text;
    }

    /** Returns the parts of a text that is one MERGE, to its end; empty if it has a clause that is not known. */
    static Optional<MergeText> of(Tokens tokens) {
        return Optional.ofNullable(new Reader(tokens).read());
    }

    private static final class Reader {

        private final Tokens tokens;
        private int end;

        Reader(Tokens tokens) {
            this.tokens = tokens;
            this.end = tokens.size() - 1;
        }

        @Nullable
        MergeText read() {
            int merge = WriteText.verb(tokens);
            if (merge < 0 || !tokens.isWord(merge, "merge")) {
                return null;
            }
            int at = merge + 1;
            Top top = null;
            if (Top.begins(tokens, at)) {
                top = Top.at(tokens, at);
                if (top == null) {
                    return null;
                }
                at = Top.end(tokens, at);
            }
            at = tokens.isWord(at, "into") ? at + 1 : at;
            int afterTarget = afterName(at);
            if (afterTarget < 0) {
                return null;
            }
            Span target = new Span(at, afterTarget);
            int using = tokens.isWord(afterTarget, "as") ? afterTarget + 1 : afterTarget;
            int alias = afterTarget - 1;
            if (!tokens.isWord(using, "using")) {
                alias = using++;
            }
            if (!tokens.isWord(using, "using") || !tokens.kind(alias).isName()) {
                return null;
            }
            int when = next(using + 1, "when");
            int on = -1;
            for (int each = next(using + 1, "on"); each < when; each = next(each + 1, "on")) {
                on = each;
            }
            if (when == end || on < 0) {
                return null;
            }
            Source source = source(using + 1, on);
            int option = next(when, "option");
            end = option < end && tokens.isSymbol(option + 1, '(') && tokens.afterClosing(option + 1) == end
                    ? option
                    : end;
            OutputSpan span = OutputSpan.find(tokens, when, end);
            if (span != null && (span.isInto(tokens) || span.to() != end || hasMarker(span))) {
                return null;
            }
            String output =
                    span == null ? "" : tokens.text.substring(tokens.end(span.from()), tokens.end(span.to() - 1));
            end = span == null ? end : span.from();
            List<Clause> clauses = clauses(when);
            return source == null || clauses == null
                    ? null
                    : new MergeText(
                            tokens,
                            merge == 0 ? null : new Span(0, merge),
                            top,
                            target,
                            tokens.text(alias),
                            source,
                            new Span(on + 1, when),
                            clauses,
                            output);
        }

        private boolean hasMarker(OutputSpan span) {
            for (int at = span.from(); at < span.to(); at++) {
                if (tokens.kind(at) == Kind.MARKER) {
                    return true;
                }
            }
            return false;
        }

        /** Returns the token after {@code a.b.c}; -1 if no name stands there. */
        private int afterName(int first) {
            int at = first;
            while (tokens.kind(at).isName()) {
                if (!tokens.isSymbol(at + 1, '.')) {
                    return at + 1;
                }
                at += tokens.isSymbol(at + 2, '.') ? 3 : 2;
            }
            return -1;
        }

        /** Returns the next token that is a word, outside of brackets and of CASE; the end without one. */
        private int next(int from, String... words) {
            return next(from, end, words);
        }

        private int next(int from, int to, String... words) {
            int cases = 0;
            int at = from;
            while (at < to) {
                if (cases == 0 && tokens.isAnyWord(at, words)) {
                    return at;
                }
                cases += tokens.isWord(at, "case") ? 1 : cases > 0 && tokens.isWord(at, "end") ? -1 : 0;
                at = tokens.opens(at) ? tokens.afterClosing(at) : at + 1;
            }
            return to;
        }

        /** Returns the parts between commas outside of brackets. */
        private List<Span> listed(int from, int to) {
            List<Span> parts = new ArrayList<>();
            int start = from;
            int at = from;
            while (at < to) {
                if (tokens.isSymbol(at, ',')) {
                    parts.add(new Span(start, at));
                    start = at + 1;
                }
                at = tokens.opens(at) ? tokens.afterClosing(at) : at + 1;
            }
            parts.add(new Span(start, to));
            return parts;
        }

        // ---- WHEN

        private @Nullable List<Clause> clauses(int when) {
            List<Clause> clauses = new ArrayList<>();
            int at = when;
            while (at < end) {
                int behind = at + 1;
                boolean not = tokens.isWord(behind, "not");
                behind += not ? 1 : 0;
                if (!tokens.isWord(at, "when") || !tokens.isWord(behind, "matched")) {
                    return null;
                }
                behind++;
                boolean bySource = tokens.isWord(behind, "by") && tokens.isWord(behind + 1, "source");
                boolean byTarget = tokens.isWord(behind, "by") && tokens.isWord(behind + 1, "target");
                if ((bySource || byTarget) && !not) {
                    return null;
                }
                behind += bySource || byTarget ? 2 : 0;
                int then = next(behind, "then");
                Span condition = tokens.isWord(behind, "and") ? new Span(behind + 1, then) : null;
                if (then == end || (condition == null ? then != behind : then == behind + 1)) {
                    return null;
                }
                int after = next(then + 1, "when");
                Action action = action(then + 1, after);
                if (action == null || (action instanceof Action.Insert) != (not && !bySource)) {
                    return null;
                }
                clauses.add(new Clause(
                        bySource ? Match.NOT_MATCHED_BY_SOURCE : not ? Match.NOT_MATCHED : Match.MATCHED,
                        condition,
                        action));
                at = after;
            }
            return clauses;
        }

        private @Nullable Action action(int from, int to) {
            if (tokens.isWord(from, "delete")) {
                return to == from + 1 ? new Action.Delete() : null;
            }
            if (tokens.isWord(from, "update") && tokens.isWord(from + 1, "set")) {
                return update(from + 2, to);
            }
            return tokens.isWord(from, "insert") ? insert(from + 1, to) : null;
        }

        private @Nullable Action update(int from, int to) {
            List<Assignment> assignments = new ArrayList<>();
            for (Span each : listed(from, to)) {
                int after = afterName(each.from());
                if (after < 0 || !tokens.isSymbol(after, '=') || after + 1 >= each.to()) {
                    return null;
                }
                // Of a.b.c it is b.
                int table = tokens.isSymbol(after - 2, '.') ? after - 3 : -1;
                assignments.add(new Assignment(
                        table < each.from() ? null : tokens.text(table),
                        tokens.text(after - 1),
                        new Span(after + 1, each.to())));
            }
            return new Action.Update(assignments);
        }

        private @Nullable Action insert(int from, int to) {
            List<String> columns = new ArrayList<>();
            int values = from;
            if (tokens.isSymbol(from, '(')) {
                values = tokens.afterClosing(from);
                for (Span each : listed(from + 1, values - 1)) {
                    if (afterName(each.from()) != each.to()) {
                        return null;
                    }
                    columns.add(tokens.text(each.to() - 1));
                }
            }
            boolean whole = tokens.isWord(values, "values")
                    && tokens.isSymbol(values + 1, '(')
                    && tokens.afterClosing(values + 1) == to;
            if (!whole) {
                return null;
            }
            List<Span> given = listed(values + 2, to - 1);
            boolean complete = given.stream().allMatch(each -> each.from() < each.to())
                    && (columns.isEmpty() || columns.size() == given.size());
            return complete ? new Action.Insert(columns, given) : null;
        }

        // ---- USING

        private @Nullable Source source(int from, int to) {
            int alias = to - 1;
            List<String> names = null;
            if (tokens.isSymbol(alias, ')')) {
                int open = from;
                while (tokens.afterClosing(open) < to) {
                    open = tokens.afterClosing(open);
                }
                if (open == from) {
                    return null;
                }
                names = new ArrayList<>();
                for (Span each : listed(open + 1, alias)) {
                    if (each.to() != each.from() + 1
                            || !tokens.kind(each.from()).isName()) {
                        return null;
                    }
                    names.add(tokens.text(each.from()));
                }
                alias = open - 1;
            }
            if (alias < from || !tokens.kind(alias).isName()) {
                return null;
            }
            Span all = new Span(from, to);
            String name = tokens.text(alias);
            int body = tokens.isWord(alias - 1, "as") ? alias - 1 : alias;
            boolean bracket = tokens.isSymbol(from, '(') && tokens.afterClosing(from) == body;
            if (bracket && tokens.isWord(from + 1, "values")) {
                return values(all, name, names, from + 2, body - 1);
            }
            return bracket && tokens.isWord(from + 1, "select")
                    ? selected(all, name, names, from + 1, body - 1)
                    : new Source(all, name, names, false, List.of(), List.of());
        }

        private @Nullable Source values(Span all, String alias, @Nullable List<String> names, int from, int to) {
            List<List<Span>> rows = new ArrayList<>();
            for (Span row : listed(from, to)) {
                if (!tokens.isSymbol(row.from(), '(') || tokens.afterClosing(row.from()) != row.to()) {
                    return null;
                }
                rows.add(listed(row.from() + 1, row.to() - 1));
            }
            if (names == null) {
                return null;
            }
            int columns = names.size();
            return rows.stream().allMatch(row -> row.size() == columns)
                    ? new Source(all, alias, names, true, rows, List.copyOf(names))
                    : null;
        }

        /** Reads SELECTs that read no table, with UNION ALL between them. */
        private Source selected(Span all, String alias, @Nullable List<String> names, int from, int to) {
            Source other = new Source(all, alias, names, false, List.of(), List.of());
            boolean reads =
                    next(from, to, "from", "where", "top", "distinct", "order", "group", "except", "intersect") < to;
            if (reads) {
                return other;
            }
            List<List<Span>> rows = new ArrayList<>();
            List<@Nullable String> columns = new ArrayList<>();
            int at = from;
            while (at < to) {
                int union = next(at, to, "union");
                if (!tokens.isWord(at, "select") || (union < to && !tokens.isWord(union + 1, "all"))) {
                    return other;
                }
                List<Span> row = new ArrayList<>();
                for (Span item : listed(at + 1, union)) {
                    Span value = value(item);
                    row.add(value);
                    if (rows.isEmpty()) {
                        columns.add(names == null ? label(item, value) : null);
                    }
                }
                rows.add(row);
                at = union + 2;
            }
            int count = rows.get(0).size();
            if (names != null) {
                if (names.size() != count) {
                    return other;
                }
                columns = new ArrayList<>(names);
            }
            return rows.stream().allMatch(row -> row.size() == count)
                    ? new Source(all, alias, names, false, rows, columns)
                    : other;
        }

        /** Returns an item of a SELECT without its alias. */
        private Span value(Span item) {
            if (tokens.kind(item.from()).isName() && tokens.isSymbol(item.from() + 1, '=')) {
                return new Span(item.from() + 2, item.to());
            }
            int last = item.to() - 1;
            boolean as = last - 1 > item.from() && tokens.isWord(last - 1, "as");
            boolean named = last > item.from()
                    && tokens.kind(last).isName()
                    && !tokens.isWord(last, "end")
                    && (tokens.kind(last - 1) != Kind.SYMBOL || tokens.closes(last - 1));
            return as ? new Span(item.from(), last - 1) : named ? new Span(item.from(), last) : item;
        }

        private @Nullable String label(Span item, Span value) {
            return value.equals(item) ? null : tokens.text(value.from() > item.from() ? item.from() : item.to() - 1);
        }
    }
}
