package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Splits one INSERT of T-SQL or CQL into CQL inserts of one row each. */
final class InsertParser {

    /** A span of tokens, {@code to} exclusive. */
    private record Span(int from, int to) {}

    private static final Span NOTHING = new Span(0, 0);
    private static final long MAX_REPEATED = 16_000_000;

    /** All NEXT VALUE FOR one sequence in one row have one value, as in SQL Server. */
    private record Draw(int row, CqlInsert.Table sequence) {}

    private final Tokens tokens;
    private final Normaliser normaliser;
    private final TableVariables tables;
    private final VariableText variables;
    private final int insert;
    private final boolean defined;
    private int token;

    private final List<Span> columns = new ArrayList<>();
    private final List<TsqlStep.Output> output = new ArrayList<>();
    private final List<List<Span>> rows = new ArrayList<>();
    private final List<Span> rowSpans = new ArrayList<>();
    /** Each draw, and its place among them. */
    private final Map<Draw, Integer> draws = new LinkedHashMap<>();

    private int columnsOpen = -1;
    private boolean outputKept;

    /** The columns of an INSERT that lists none, by internal name; null if it lists them. */
    private @Nullable List<String> unlisted;

    private int target;
    private int values;
    private Span tail = NOTHING;

    /** @param defined whether a definition stands before it in the script: the table may be another one when it is reached */
    InsertParser(
            Tokens tokens,
            Normaliser normaliser,
            TableVariables tables,
            VariableText variables,
            int insert,
            boolean defined) {
        this.tokens = tokens;
        this.normaliser = normaliser;
        this.tables = tables;
        this.variables = variables;
        this.insert = insert;
        this.defined = defined;
    }

    /** Returns the token after the statement. */
    int end() {
        return token;
    }

    TsqlStep parse() {
        target();
        if (tokens.isWord(token, "json")) {
            return json();
        }
        if (tokens.isSymbol(token, '(') && !tokens.isWord(token + 1, "select")) {
            columns();
        }
        output();
        if (tokens.isWord(token, "default") && tokens.isWord(token + 1, "values")) {
            return defaultValues();
        }
        refuseOtherSources();
        boolean later = columnsOpen < 0 && defined;
        if (columnsOpen < 0 && !later) {
            unlisted = columnsOfTheTable();
        }
        values();
        tail();
        if (later) {
            return later();
        }
        requireMeasure();
        normaliser.namesOf(TableName.read(tokens, target));
        normaliser.normalise(insert, token);
        List<TsqlStep.Row> result = new ArrayList<>();
        TsqlStep.Row last = null;
        for (int row = 0; row < rows.size(); row++) {
            last = row(row, last);
            result.add(last);
        }
        return insert(result);
    }

    private TsqlStep.Later later() {
        if (outputKept) {
            throw new UnsupportedSqlException(
                    "OUTPUT ... INTO of an INSERT without a column list, behind a definition in its script",
                    "name the columns");
        }
        if (variables.isUsed(tokens, insert, token)) {
            throw new UnsupportedSqlException(
                    "a variable in an INSERT without a column list, behind a definition in its script",
                    "name the columns");
        }
        return new TsqlStep.Later(
                tokens.text.substring(tokens.start(insert), tokens.end(token - 1)),
                tokens.markerIndex(insert),
                output.isEmpty() ? TsqlStep.Outcome.COUNT : TsqlStep.Outcome.ROWS,
                List.of());
    }

    private TsqlStep.Insert insert(List<TsqlStep.Row> result) {
        List<CqlInsert.Table> sequences =
                draws.keySet().stream().map(Draw::sequence).toList();
        return new TsqlStep.Insert(result, output, false, sequences);
    }

    /** Each row repeats what is around the rows: short rows could turn a long head into any amount of CQL. */
    private void requireMeasure() {
        long head = (long) tokens.start(values) - tokens.start(insert);
        long repeated = head + tokens.end(tail.to - 1) - tokens.end(tail.from - 1);
        if ((rows.size() - 1L) * repeated > MAX_REPEATED) {
            throw new UnsupportedSqlException(
                    "an INSERT of " + rows.size() + " rows, whose statements would repeat " + repeated
                            + " characters each",
                    "insert fewer rows at a time");
        }
    }

    private void target() {
        token = insert + 1;
        if (tokens.isWord(token, "top") && !tokens.kind(token + 1).isName() && !tokens.isSymbol(token + 1, '.')) {
            throw new UnsupportedSqlException("INSERT TOP", "give the rows that are to be inserted");
        }
        if (tokens.isWord(token, "into")) {
            token++;
        } else {
            normaliser.replace(insert, tokens.text(insert) + " INTO");
        }
        target = token;
        TableName table = TableName.read(tokens, token);
        if (table.first() < 0) {
            boolean temporary = tokens.isSymbol(token, '#') || tokens.kind(token) == Kind.VARIABLE;
            throw new UnsupportedSqlException(
                    temporary ? "INSERT into a temporary table or variable" : "INSERT without a table",
                    "name a table of the keyspace");
        }
        token = table.end();
        if (tokens.isWord(token, "with") && tokens.isSymbol(token + 1, '(')) {
            int after = tokens.afterClosing(token + 1);
            normaliser.normalise(token, after);
            token = after;
        }
    }

    private TsqlStep json() {
        int end = token;
        while (!tokens.isEnd(end) && !tokens.isSymbol(end, ';')) {
            end++;
        }
        token = end;
        normaliser.normalise(insert, end);
        CqlBuilder out = new CqlBuilder();
        normaliser.copy(out, insert, end);
        return new TsqlStep.Cql(out.toString(), "INSERT", out.parameters());
    }

    private void columns() {
        columnsOpen = token++;
        Set<String> names = new HashSet<>();
        while (!tokens.isSymbol(token, ')')) {
            if (!tokens.kind(token).isName()) {
                throw new UnsupportedSqlException(
                        "'" + tokens.text(token) + "' among the columns of an INSERT", "name the columns");
            }
            // The table's name in front of a column: T-SQL ignores it.
            int name = token;
            while (tokens.isSymbol(name + 1, '.') && tokens.kind(name + 2).isName()) {
                name += 2;
            }
            normaliser.drop(token, name);
            if (!names.add(Identifiers.toInternal(tokens.cqlName(name)))) {
                throw UnsupportedSqlException.asSqlServer(
                        264,
                        "The column name '" + tokens.content(name)
                                + "' is specified more than once in the column list of an INSERT. Name it once");
            }
            columns.add(new Span(name, name + 1));
            token = name + 1;
            if (tokens.isSymbol(token, ',')) {
                token++;
            }
        }
        token++;
    }

    private CqlInsert.Table table() {
        return SelectList.exact(TableName.internal(tokens, target), normaliser.schema());
    }

    /** Returns the columns in the order of CREATE TABLE, for an INSERT without a list of them. */
    private List<String> columnsOfTheTable() {
        CqlInsert.Table table = table();
        List<String> known = normaliser.schema().insertedColumns(table);
        if (known.isEmpty()) {
            normaliser.schema().readAgain(table);
            known = normaliser.schema().insertedColumns(table);
        }
        if (known.isEmpty()) {
            throw new UnsupportedSqlException(
                    "INSERT without a column list",
                    "name the columns; Cassandra keeps them in an order of its own, and this driver knows that of"
                            + " CREATE TABLE only for tables that it created. For another table, cassidy tables adopt"
                            + " tells it, with the option --columns");
        }
        return known;
    }

    private void output() {
        if (!tokens.isWord(token, "output")) {
            return;
        }
        int from = token++;
        do {
            outputColumn();
        } while (tokens.isSymbol(token++, ','));
        token--;
        if (tokens.isWord(token, "into")) {
            if (tokens.kind(token + 1) != Kind.VARIABLE) {
                throw new UnsupportedSqlException(
                        "OUTPUT ... INTO",
                        "use OUTPUT INSERTED.<column>, SELECT SCOPE_IDENTITY() or getGeneratedKeys()");
            }
            token = tables.keep(token + 1, output);
            output.clear();
            outputKept = true;
        }
        normaliser.drop(from, token);
    }

    private void outputColumn() {
        if (outputLiteral()) {
            return;
        }
        boolean inserted = tokens.kind(token).isName() && tokens.content(token).equalsIgnoreCase("inserted");
        if (!inserted
                || !tokens.isSymbol(token + 1, '.')
                || !tokens.kind(token + 2).isName()) {
            throw new UnsupportedSqlException(
                    "OUTPUT " + tokens.text(token) + tokens.text(token + 1) + tokens.text(token + 2),
                    "name columns, as OUTPUT INSERTED.id");
        }
        int column = token + 2;
        token += 3;
        output.add(new TsqlStep.Output(
                Identifiers.toInternal(tokens.cqlName(column)), outputLabel(tokens.content(column))));
    }

    private String outputLabel(String without) {
        boolean as = tokens.isWord(token, "as");
        int alias = as ? token + 1 : token;
        if (as || (tokens.kind(alias).isName() && !tokens.isAnyWord(alias, "values", "default", "into", "select"))) {
            token = alias + 1;
            return tokens.content(alias);
        }
        return without;
    }

    /** Reads a literal of OUTPUT, as {@code OUTPUT INSERTED.id, 'new' AS state}; false if none stands there. */
    private boolean outputLiteral() {
        for (int end = token + 1; end <= token + 3; end++) {
            LiteralTerm literal = LiteralTerm.read(tokens, token, end);
            if (literal != null) {
                token = end;
                output.add(new TsqlStep.Output("", outputLabel(""), literal.constant()));
                return true;
            }
        }
        return false;
    }

    private TsqlStep defaultValues() {
        if (columnsOpen >= 0) {
            throw new UnsupportedSqlException("DEFAULT VALUES with columns", "leave the columns out");
        }
        normaliser.normalise(insert, token);
        CqlBuilder out = new CqlBuilder();
        normaliser.copy(out, insert, token);
        out.append(" () VALUES ()");
        token += 2;
        return insert(List.of(row(out, List.of())));
    }

    private void refuseOtherSources() {
        if (tokens.isAnyWord(token, "select", "with") || tokens.isWord(token + 1, "select")) {
            throw new UnsupportedSqlException(
                    "INSERT ... SELECT", "read the rows and insert them with VALUES or a batch");
        }
        if (tokens.isAnyWord(token, "exec", "execute")) {
            throw new UnsupportedSqlException("INSERT ... EXEC", "Cassandra has no stored procedures");
        }
        if (!tokens.isWord(token, "values")) {
            throw new UnsupportedSqlException(
                    "INSERT ... '" + tokens.text(token) + "'", "give the rows with VALUES (...)");
        }
    }

    private void values() {
        values = token++;
        do {
            if (!tokens.isSymbol(token, '(')) {
                throw new UnsupportedSqlException("VALUES '" + tokens.text(token) + "'", "give rows as (a, b, ...)");
            }
            int after = tokens.afterClosing(token);
            List<Span> terms = terms(token + 1, after - 1);
            if (unlisted != null && terms.size() != unlisted.size() && rows.isEmpty()) {
                // Another session may have added or dropped a column a moment ago.
                normaliser.schema().readAgain(table());
                unlisted = columnsOfTheTable();
            }
            if (unlisted != null && terms.size() != unlisted.size()) {
                throw UnsupportedSqlException.asSqlServer(
                        213,
                        "Column name or number of supplied values does not match table definition. Give one value for"
                                + " each of the columns " + String.join(", ", unlisted) + ": values=" + terms.size()
                                + " columns=" + unlisted.size());
            }
            if (columnsOpen >= 0 && terms.size() != columns.size()) {
                throw valueCount(terms.size());
            }
            rows.add(terms);
            rowSpans.add(new Span(token, after));
            token = after;
        } while (tokens.isSymbol(token++, ','));
        token--;
    }

    private UnsupportedSqlException valueCount(int values) {
        boolean fewerColumns = columns.size() < values;
        return UnsupportedSqlException.asSqlServer(
                fewerColumns ? 110 : 109,
                "There are " + (fewerColumns ? "fewer" : "more")
                        + " columns in the INSERT statement than values specified"
                        + " in the VALUES clause. Give one value for each column: values=" + values + " columns="
                        + columns.size());
    }

    private List<Span> terms(int from, int to) {
        List<Span> terms = new ArrayList<>();
        int depth = 0;
        int start = from;
        for (int at = from; at < to; at++) {
            depth += tokens.opens(at) ? 1 : tokens.closes(at) ? -1 : 0;
            if (tokens.isSymbol(at, '$')) {
                LiteralTerm.refuseCommaInMoney(tokens, at + 1);
            }
            if (depth == 0 && tokens.isSymbol(at, ',')) {
                terms.add(term(start, at));
                start = at + 1;
            }
        }
        if (start < to || !terms.isEmpty()) {
            terms.add(term(start, to));
        }
        return terms;
    }

    private Span term(int from, int to) {
        if (from == to) {
            throw new UnsupportedSqlException("an empty value in VALUES", "give NULL or DEFAULT");
        }
        if (to - from == 1 && tokens.isWord(from, "current_timestamp")) {
            normaliser.replace(from, Normaliser.NOW);
        }
        int first = from;
        int last = to;
        while (tokens.isSymbol(first, '(') && tokens.afterClosing(first) == last) {
            first++;
            last--;
        }
        if (tokens.isWord(first, "next") && tokens.isWord(first + 1, "value") && tokens.isWord(first + 2, "for")) {
            draw(first, last, new Span(from, to));
        } else {
            new ConstantFolder(tokens, normaliser).fold(from, to);
        }
        return new Span(from, to);
    }

    /** Replaces a NEXT VALUE FOR, with the brackets around it, by a marker. */
    private void draw(int from, int to, Span whole) {
        if (TableName.read(tokens, from + 3).end() != to) {
            throw new UnsupportedSqlException(
                    "NEXT VALUE FOR within an expression", "read it with SELECT NEXT VALUE FOR, and pass a parameter");
        }
        Integer next = draws.size();
        Integer known = draws.putIfAbsent(new Draw(rows.size(), TableName.internal(tokens, from + 3)), next);
        normaliser.replaceByMarker(whole.from, whole.to, variables.parameters() + (known == null ? next : known));
    }

    /** CQL's IF NOT EXISTS and USING; IF NOT EXISTS (SELECT ...) is T-SQL's next statement. */
    private void tail() {
        int from = token;
        if (tokens.isWord(token, "if")
                && tokens.isWord(token + 1, "not")
                && tokens.isWord(token + 2, "exists")
                && !tokens.isSymbol(token + 3, '(')) {
            token += 3;
        }
        if (tokens.isWord(token, "using")) {
            token++;
            while (tokens.isAnyWord(token, "ttl", "timestamp", "and")
                    || tokens.kind(token) == Kind.NUMBER
                    || tokens.kind(token) == Kind.MARKER
                    || tokens.isSymbol(token, '-')) {
                token++;
            }
        }
        tail = new Span(from, token);
    }

    private TsqlStep.Row row(int index, TsqlStep.@Nullable Row last) {
        CqlBuilder out = new CqlBuilder();
        List<Span> terms = rows.get(index);
        List<String> defaulted = new ArrayList<>();
        for (int i = 0; i < terms.size(); i++) {
            if (isDefault(terms.get(i))) {
                defaulted.add(
                        unlisted != null
                                ? unlisted.get(i)
                                : Identifiers.toInternal(tokens.cqlName(columns.get(i).from)));
            }
        }
        if (unlisted != null) {
            withColumns(out, terms, unlisted);
        } else if (!defaulted.isEmpty()) {
            withoutDefaults(out, terms);
        } else if (rows.size() == 1) {
            normaliser.copy(out, insert, tail.to);
            return row(out, defaulted);
        } else if (index == 0) {
            normaliser.copy(out, insert, rowSpans.get(0).to);
        } else {
            normaliser.copy(out, insert, values + 1);
            out.append(" ");
            copy(out, rowSpans.get(index));
        }
        if (tail.to > tail.from) {
            out.append(" ");
            copy(out, tail);
        }
        if (last != null && out.is(last.insert().text())) {
            return new TsqlStep.Row(last.insert(), out.parameters(), defaulted);
        }
        return row(out, defaulted);
    }

    // A column without its own default takes none in Cassandra: leaving it out is the same, without a tombstone.
    private void withoutDefaults(CqlBuilder out, List<Span> terms) {
        normaliser.copy(out, insert, columnsOpen + 1);
        String separator = "";
        for (int i = 0; i < terms.size(); i++) {
            if (!isDefault(terms.get(i))) {
                out.append(separator);
                copy(out, columns.get(i));
                separator = ", ";
            }
        }
        out.append(") VALUES (");
        separator = "";
        for (Span term : terms) {
            if (!isDefault(term)) {
                out.append(separator);
                copy(out, term);
                separator = ", ";
            }
        }
        out.append(")");
    }

    private void withColumns(CqlBuilder out, List<Span> terms, List<String> names) {
        List<String> given = new ArrayList<>();
        for (int i = 0; i < terms.size(); i++) {
            if (!isDefault(terms.get(i))) {
                given.add(Identifiers.toCql(names.get(i)));
            }
        }
        normaliser.copy(out, insert, values);
        out.append(" (").append(String.join(", ", given)).append(") VALUES (");
        String separator = "";
        for (Span term : terms) {
            if (!isDefault(term)) {
                out.append(separator);
                copy(out, term);
                separator = ", ";
            }
        }
        out.append(")");
    }

    private boolean isDefault(Span term) {
        return term.to - term.from == 1 && tokens.isWord(term.from, "default");
    }

    private void copy(CqlBuilder out, Span span) {
        normaliser.copy(out, span.from, span.to);
    }

    private static TsqlStep.Row row(CqlBuilder out, List<String> defaulted) {
        String cql = out.toString();
        CqlInsert insert = CqlInsert.recognise(cql)
                .orElseThrow(() -> new UnsupportedSqlException("this form of INSERT", "it reads, as CQL: " + cql));
        return new TsqlStep.Row(insert, out.parameters(), defaulted);
    }
}
