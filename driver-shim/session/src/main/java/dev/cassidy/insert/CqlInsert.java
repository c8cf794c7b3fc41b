package dev.cassidy.insert;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One CQL insert, recognised by its tokens: {@code INSERT INTO [ks.]table (columns) VALUES (terms) [IF NOT EXISTS]
 * [USING ...][;]}, or {@code INSERT INTO [ks.]table JSON ...}. An empty pair of column and value lists, which CQL itself
 * does not know, stands for T-SQL's {@code DEFAULT VALUES}.
 *
 * <p>The statement is not parsed further and not rewritten: a {@link Rewrite} splices into it. Immutable.
 */
public final class CqlInsert {

    /** The value that an insert gives a column. */
    public sealed interface Value {
        /**
         * A bind marker.
         *
         * @param index counted from 0 among all markers of the statement
         * @param name null for {@code ?}, else the internal form of {@code :name}
         */
        record Marker(int index, @Nullable String name) implements Value {}

        /** An integer literal. */
        record IntegerLiteral(BigInteger value) implements Value {}

        /** The literal {@code NULL}. */
        record Null() implements Value {}

        /** Any other term, which is not evaluated here. */
        public record Term(String text) implements Value {}
    }

    /**
     * A table as a statement names it, in internal names.
     *
     * @param keyspace null if the statement names none
     */
    public record Table(@Nullable String keyspace, String name) {}

    /** The span of one value, and how many markers come before it. */
    public record Term(int start, int end, int markersBefore) {}

    private final String text;
    private final @Nullable String keyspace;
    private final String table;
    private final List<String> columns;
    private final List<Term> terms;
    private final int columnsEnd;
    private final int valuesEnd;
    private final int markersInValues;
    private final int markerCount;
    private final List<String> markerNames;
    private final boolean json;
    private final boolean conditional;

    public CqlInsert(CqlInsertScanner scanned) {
        this.text = scanned.text;
        this.keyspace = scanned.keyspace;
        this.table = scanned.table;
        this.columns = List.copyOf(scanned.columns);
        this.terms = List.copyOf(scanned.terms);
        this.columnsEnd = scanned.columnsEnd;
        this.valuesEnd = scanned.valuesEnd;
        this.markersInValues = scanned.markersInValues;
        this.markerCount = scanned.markers;
        this.markerNames = List.copyOf(scanned.markerNames);
        this.json = scanned.json;
        this.conditional = scanned.conditional;
    }

    /** Of one row, without a named marker, and with nothing after its values. */
    public CqlInsert(
            String text,
            @Nullable String keyspace,
            String table,
            List<String> columns,
            List<Term> terms,
            int columnsEnd,
            int valuesEnd,
            int markers) {
        this.text = text;
        this.keyspace = keyspace;
        this.table = table;
        this.columns = List.copyOf(columns);
        this.terms = List.copyOf(terms);
        this.columnsEnd = columnsEnd;
        this.valuesEnd = valuesEnd;
        this.markersInValues = markers;
        this.markerCount = markers;
        this.markerNames = List.of();
        this.json = false;
        this.conditional = false;
    }

    /** Recognises an insert; empty for any other statement, several statements and what is not CQL. */
    public static Optional<CqlInsert> recognise(String cql) {
        CqlInsertScanner scanner = new CqlInsertScanner(cql);
        return scanner.scan() ? Optional.of(new CqlInsert(scanner)) : Optional.empty();
    }

    /**
     * Returns the tables that the inserts of a {@code BEGIN BATCH ... APPLY BATCH} write to; empty for any other
     * statement.
     */
    public static List<Table> tablesOfBatch(String cql) {
        return CqlInsertScanner.tablesOfBatch(cql);
    }

    /** Returns the statement as it was given. */
    public String text() {
        return text;
    }

    /** Returns the keyspace's internal name, if the statement names one. */
    public Optional<String> keyspace() {
        return Optional.ofNullable(keyspace);
    }

    /** Returns the table's internal name. */
    public String table() {
        return table;
    }

    /** Returns the columns' internal names in the statement's order; empty for JSON and for no columns at all. */
    public List<String> columns() {
        return columns;
    }

    public boolean isJson() {
        return json;
    }

    /** Returns whether the statement holds {@code IF NOT EXISTS}. */
    public boolean isConditional() {
        return conditional;
    }

    /** Returns how many bind markers the statement holds, those of {@code USING} included. */
    public int markerCount() {
        return markerCount;
    }

    /** Returns whether the statement holds {@code :name} more than once. */
    public boolean repeats(String markerName) {
        return markerNames.indexOf(markerName) != markerNames.lastIndexOf(markerName);
    }

    /** Returns what the statement gives the column; empty when it does not name it. */
    public Optional<Value> value(String column) {
        int index = columns.indexOf(column);
        return index < 0 ? Optional.empty() : Optional.of(value(terms.get(index)));
    }

    /** Returns the places of the values, in the order of the columns. */
    List<Term> terms() {
        return terms;
    }

    /** Returns the terms that are, whole, what {@link CurrentTimes} looks for. */
    List<CurrentTimes.Place> times() {
        List<CurrentTimes.Place> found = new ArrayList<>();
        for (int i = 0; i < terms.size(); i++) {
            Term term = terms.get(i);
            if (term.end - term.start == CurrentTimes.NOW.length() && text.startsWith(CurrentTimes.NOW, term.start)) {
                found.add(new CurrentTimes.Place(columns.get(i), term.start, term.end));
            }
        }
        return found;
    }

    /**
     * A column that an insert does not name, and what it shall give it.
     *
     * @param column its internal name
     * @param term as CQL writes it; {@code ?} for a marker
     */
    public record Added(String column, String term) {}

    /**
     * Returns the same insert of further columns, behind its own.
     *
     * @throws IllegalStateException for INSERT JSON
     */
    public CqlInsert with(List<Added> added) {
        if (json) {
            throw new IllegalStateException("INSERT JSON: " + text);
        }
        StringBuilder names = new StringBuilder();
        StringBuilder values = new StringBuilder();
        String separator = columns.isEmpty() ? "" : ", ";
        for (Added each : added) {
            names.append(separator).append(Identifiers.toCql(each.column));
            values.append(separator).append(each.term);
            separator = ", ";
        }
        return recognise(text.substring(0, columnsEnd)
                        + names
                        + text.substring(columnsEnd, valuesEnd)
                        + values
                        + text.substring(valuesEnd))
                .orElseThrow();
    }

    /**
     * Returns an insert that gives NULL to those of a table's columns that it does not name. One of the same key that failed may have
     * left values on a replica that is down now: without a later NULL they would show up in this row. INSERT JSON, which gives
     * NULL itself, stays as it is.
     *
     * @param columns the internal names of the table's columns
     * @param filled those that get their values otherwise: defaults, what is drawn, and static ones
     */
    public CqlInsert withNulls(Collection<String> columns, Collection<String> filled) {
        List<Added> missing = columns.stream()
                .filter(column -> !this.columns.contains(column) && !filled.contains(column))
                .sorted()
                .map(column -> new Added(column, "null"))
                .toList();
        return missing.isEmpty() || json ? this : with(missing);
    }

    /** Returns whether a value calls a function, so that the server may give another one each time. */
    public boolean callsFunctions() {
        for (Term term : terms) {
            int bracket = text.indexOf('(', term.start);
            if (bracket < 0 || bracket >= term.end) {
                continue;
            }
            Tokens tokens = new Tokens(text.substring(term.start, term.end), Scanner.Language.CQL);
            for (int token = 0; !tokens.isEnd(token); token++) {
                if (tokens.kind(token).isName() && tokens.isSymbol(token + 1, '(')) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * The same insert with markers in place of values.
     *
     * @param markers the index of each new marker among all of the statement, in order
     * @param terms the values that they replace
     */
    public record Marked(CqlInsert insert, List<Integer> markers, List<String> terms) {
        public Marked {
            markers = List.copyOf(markers);
            terms = List.copyOf(terms);
        }
    }

    /** Returns the same insert with a marker in place of each value that is one of some terms, as it is written. */
    public Marked marked(Set<String> replaced) {
        StringBuilder cql = new StringBuilder();
        List<Integer> markers = new ArrayList<>();
        List<String> found = new ArrayList<>();
        int copied = 0;
        for (Term term : terms) {
            String value = text.substring(term.start, term.end);
            if (replaced.contains(value)) {
                cql.append(text, copied, term.start).append('?');
                copied = term.end;
                markers.add(term.markersBefore + found.size());
                found.add(value);
            }
        }
        return found.isEmpty()
                ? new Marked(this, markers, found)
                : new Marked(
                        recognise(cql.append(text, copied, text.length()).toString())
                                .orElseThrow(),
                        markers,
                        found);
    }

    /** Returns how many markers stand within VALUES: the index of the first that {@link #with} adds. */
    public int markersInValues() {
        return markersInValues;
    }

    /** Returns the statement with the table's keyspace, whether it names one or not. */
    public String textIn(String ofTable) {
        CqlInsertScanner scanner = new CqlInsertScanner(text);
        scanner.scan();
        return keyspace != null
                ? text
                : text.substring(0, scanner.targetStart)
                        + Identifiers.toCql(ofTable)
                        + "."
                        + text.substring(scanner.targetStart);
    }

    /**
     * Returns the same insert with {@code IF NOT EXISTS}.
     *
     * @throws IllegalStateException for INSERT JSON
     */
    public CqlInsert ifNotExists() {
        if (json) {
            throw new IllegalStateException("INSERT JSON: " + text);
        }
        int after = valuesEnd + 1;
        return conditional
                ? this
                : recognise(text.substring(0, after) + " IF NOT EXISTS" + text.substring(after))
                        .orElseThrow();
    }

    private Value value(Term term) {
        String value = unbracketed(text.substring(term.start, term.end));
        Scanner scanner = new Scanner(value, Scanner.Language.CQL);
        Kind first = scanner.next();
        boolean negative = scanner.isSymbol('-');
        if (negative) {
            first = scanner.next();
        }
        int from = scanner.start();
        if (scanner.end() != value.length()) {
            return new Value.Term(value);
        }
        if (first == Kind.NUMBER && value.chars().skip(from).allMatch(c -> c >= '0' && c <= '9')) {
            BigInteger integer = new BigInteger(value.substring(from));
            return new Value.IntegerLiteral(negative ? integer.negate() : integer);
        }
        if (negative) {
            return new Value.Term(value);
        }
        if (first == Kind.MARKER) {
            return new Value.Marker(term.markersBefore, null);
        }
        if (first == Kind.NAMED_MARKER) {
            return new Value.Marker(term.markersBefore, scanner.markerName());
        }
        return scanner.isWord("null") ? new Value.Null() : new Value.Term(value);
    }

    private static String unbracketed(String value) {
        if (!value.startsWith("(")) {
            return value;
        }
        Tokens tokens = new Tokens(value, Scanner.Language.CQL);
        int end = 0;
        while (!tokens.isEnd(end)) {
            end++;
        }
        Brackets.Content content = Brackets.content(tokens, 0, end);
        return value.substring(tokens.start(content.from()), tokens.end(content.end() - 1));
    }

    /**
     * Returns the splice that gives {@code column} an id: appended as the last column when the statement does not name
     * it, in place of the value it gives otherwise.
     *
     * @param column the column's internal name
     * @throws IllegalStateException for INSERT JSON
     */
    public Rewrite rewrite(String column) {
        if (json) {
            throw new IllegalStateException("INSERT JSON names no columns: " + text);
        }
        int index = columns.indexOf(column);
        if (index >= 0) {
            Term term = terms.get(index);
            return new Rewrite(text.substring(0, term.start), text.substring(term.end), term.markersBefore);
        }
        String separator = columns.isEmpty() ? "" : ", ";
        String before = text.substring(0, columnsEnd)
                + separator
                + Identifiers.toCql(column)
                + text.substring(columnsEnd, valuesEnd)
                + separator;
        return new Rewrite(before, text.substring(valuesEnd), markersInValues);
    }
}
