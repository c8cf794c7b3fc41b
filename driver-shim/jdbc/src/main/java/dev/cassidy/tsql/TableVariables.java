package dev.cassidy.tsql;

import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.tsql.TsqlStep.Output;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The table variables of one script: each takes the OUTPUT of one insert, and is read once. */
final class TableVariables {

    private static final String WAY_OUT = "pass values as parameters and read keys with getGeneratedKeys(), OUTPUT"
            + " INSERTED.<column> or SELECT SCOPE_IDENTITY()";

    /** @param columns internal names */
    private record Table(List<String> columns) {}

    /**
     * What a table variable took.
     *
     * @param insert the index of the insert's step
     * @param columns the table variable's columns that were filled, and what of the row each shows
     */
    private record Captured(int insert, Map<String, String> columns) {}

    private final Tokens tokens;
    private final List<TsqlStep> steps;
    private final Map<String, Table> tables = new HashMap<>();
    private final Map<String, Captured> captured = new HashMap<>();

    TableVariables(Tokens tokens, List<TsqlStep> steps) {
        this.tokens = tokens;
        this.steps = steps;
    }

    /** Notes the columns of a table variable. */
    void declare(int variable, DeclaredVariable declared) {
        tables.put(name(tokens.text(variable)), new Table(columns(declared.columns() + 1, declared.end() - 1)));
    }

    private List<String> columns(int from, int to) {
        List<String> columns = new ArrayList<>();
        int depth = 0;
        boolean begins = true;
        for (int token = from; token < to; token++) {
            if (begins && tokens.kind(token).isName()) {
                columns.add(Identifiers.toInternal(tokens.cqlName(token)));
            }
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            begins = depth == 0 && tokens.isSymbol(token, ',');
        }
        return columns;
    }

    /**
     * Notes what the insert that becomes the next step writes INTO a table variable, and returns the token after that.
     *
     * @param variable its token
     * @param output what OUTPUT names
     */
    int keep(int variable, List<Output> output) {
        String name = name(tokens.text(variable));
        Table table = tables.get(name);
        if (table == null || captured.containsKey(name)) {
            throw new UnsupportedSqlException(
                    "OUTPUT ... INTO " + tokens.text(variable) + (table == null ? "" : " a second time"), WAY_OUT);
        }
        List<String> columns = table.columns();
        int token = variable + 1;
        if (tokens.isSymbol(token, '(')) {
            int end = tokens.afterClosing(token);
            columns = columns(token + 1, end - 1);
            token = end;
        }
        if (columns.size() != output.size() || !table.columns().containsAll(columns)) {
            throw new UnsupportedSqlException(
                    "OUTPUT of " + output.size() + " columns INTO " + columns.size() + " of " + tokens.text(variable),
                    "give one column for each");
        }
        Map<String, String> filled = new HashMap<>();
        for (int i = 0; i < columns.size(); i++) {
            filled.put(columns.get(i), output.get(i).column());
        }
        captured.put(name, new Captured(steps.size(), filled));
        return token;
    }

    /** Returns the token of the table variable that a SELECT reads; -1 if it reads none. */
    int tableOf(int select, int end) {
        for (int token = select; token + 1 < end; token++) {
            if (tokens.isWord(token, "from")
                    && tokens.kind(token + 1) == Kind.VARIABLE
                    && tables.containsKey(name(tokens.text(token + 1)))) {
                return token + 1;
            }
        }
        return -1;
    }

    /** Reads {@code SELECT columns FROM @table [alias]}: the insert before shows what it wants. */
    TsqlStep.SelectOutput select(int select, int variable, int end) {
        String written = tokens.text(variable);
        Captured found = captured.get(name(written));
        int alias = tokens.isWord(variable + 1, "as") ? variable + 2 : variable + 1;
        boolean alone = alias == end || (alias + 1 == end && tokens.kind(alias).isName());
        if (found == null || !alone || ((TsqlStep.Insert) steps.get(found.insert())).outputKept()) {
            throw new UnsupportedSqlException(
                    "SELECT ... FROM " + written,
                    "read, once, the columns that OUTPUT wrote INTO it, without any other clause");
        }
        List<Output> columns = new ArrayList<>();
        int token = select + 1;
        while (token < variable - 1) {
            token = column(token, variable, found, columns);
        }
        steps.set(found.insert(), ((TsqlStep.Insert) steps.get(found.insert())).keeping(columns));
        return new TsqlStep.SelectOutput(found.insert());
    }

    private int column(int from, int variable, Captured found, List<Output> columns) {
        int token = from;
        if (tokens.isSymbol(token, '*')) {
            Table table = tables.getOrDefault(name(tokens.text(variable)), new Table(List.of()));
            for (String column : table.columns()) {
                columns.add(new Output(source(found, column, variable), column));
            }
            return separated(token + 1, variable);
        }
        if (tokens.kind(token).isName()
                && tokens.isSymbol(token + 1, '.')
                && tokens.kind(token + 2).isName()) {
            token += 2;
        }
        if (!tokens.kind(token).isName()) {
            throw column(from, variable);
        }
        String source = source(found, Identifiers.toInternal(tokens.cqlName(token)), variable);
        String label = tokens.content(token++);
        boolean as = tokens.isWord(token, "as");
        if (as || (token < variable - 1 && tokens.kind(token).isName())) {
            label = tokens.content(as ? token + 1 : token);
            token += as ? 2 : 1;
        }
        columns.add(new Output(source, label));
        return separated(token, variable);
    }

    private int separated(int token, int variable) {
        if (token == variable - 1) {
            return token;
        }
        if (!tokens.isSymbol(token, ',')) {
            throw column(token, variable);
        }
        return token + 1;
    }

    private String source(Captured found, String column, int variable) {
        @Nullable String source = found.columns().get(column);
        if (source == null) {
            throw new UnsupportedSqlException(
                    "column " + column + " of " + tokens.text(variable), "read what OUTPUT wrote INTO it");
        }
        return source;
    }

    private UnsupportedSqlException column(int token, int variable) {
        return new UnsupportedSqlException(
                "'" + tokens.text(token) + "' in SELECT ... FROM " + tokens.text(variable), "name its columns");
    }

    private static String name(String variable) {
        return variable.toLowerCase(Locale.ROOT);
    }
}
