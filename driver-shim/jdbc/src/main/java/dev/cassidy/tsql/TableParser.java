package dev.cassidy.tsql;

import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.insert.CheckExpression;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Turns T-SQL's CREATE TABLE and ALTER TABLE ... ADD into CQL's: takes apart what the commas separate, and hands columns
 * to {@link ColumnParser} and the key to {@link TableKey}. What Cassandra cannot keep is noted, or refused if the data
 * would differ without it. A statement without any T-SQL is passed on byte for byte.
 */
final class TableParser {

    private final Tokens tokens;
    private final Normaliser normaliser;
    private final int name;
    private final int statementEnd;
    private final DefinitionEdits edits;
    private final TableKey key;
    private final ColumnParser columns;

    /** The steps that make the indexes within it. */
    private final List<TsqlStep> indexes = new ArrayList<>();

    private boolean keepsExisting;
    private boolean takenKey;
    private String closing = "";
    private @Nullable WritesClause writes;
    private boolean small;

    /**
     * @param name the token where the table's name begins
     * @param statementEnd the token of the {@code ;} or the end
     */
    TableParser(Tokens tokens, Normaliser normaliser, Schema schema, LaterKeys laterKeys, int name, int statementEnd) {
        this.tokens = tokens;
        this.normaliser = normaliser;
        this.name = name;
        this.statementEnd = statementEnd;
        this.edits = new DefinitionEdits(tokens, normaliser);
        this.key = new TableKey(tokens, normaliser, edits, laterKeys);
        this.columns = new ColumnParser(tokens, normaliser, edits, key, schema, name);
    }

    /** Returns which of its properties Cassandra does not keep. */
    List<TsqlStep.LeftOut> leftOut() {
        return edits.leftOut();
    }

    @Nullable
    DeclaredIdentity identity() {
        return columns.identity();
    }

    /** Returns the columns in the order of the statement; known when it was read. */
    List<ColumnDefinition> columns() {
        return columns.columns();
    }

    /** Returns the constraints of the table and its columns, but for its key and defaults. */
    List<ConstraintDefinition> constraints() {
        return columns.constraints();
    }

    boolean isTsql() {
        return edits.isTsql();
    }

    /** Returns the defaults of columns; known when the statement was read. */
    List<DeclaredDefault> defaults() {
        return columns.defaults();
    }

    /** Returns the steps that make its indexes. */
    List<TsqlStep> indexes() {
        return indexes;
    }

    /** Says whether a table that is there already is left alone, and its indexes too. */
    void keepExisting(boolean keep) {
        keepsExisting = keep;
    }

    /** Reads the statement as T-SQL, because what is around it is T-SQL. */
    void beTsql() {
        edits.beTsql();
    }

    /**
     * Reads CREATE TABLE and marks what has to change.
     *
     * @return the token after the statement
     */
    int create() {
        TableName table = TableName.read(tokens, name);
        int open = table.end();
        if (table.first() < 0 || !tokens.isSymbol(open, '(')) {
            return statementEnd;
        }
        int close = tokens.afterClosing(open) - 1;
        markIfBracketed(name, close);
        elements(open + 1, close);
        int end = options(close + 1);
        if (!key.isGiven()) {
            key.takeLater(name, close);
        }
        if (!edits.isTsql()) {
            return statementEnd;
        }
        if (!key.isGiven()) {
            key.choose(close, columns.required(), columns.identity());
        }
        if (!key.isGiven()) {
            throw new UnsupportedSqlException(
                    "CREATE TABLE without PRIMARY KEY",
                    "say which columns identify a row of " + tokens.text(table.end() - 1)
                            + ": PRIMARY KEY (...), or ALTER TABLE ... ADD PRIMARY KEY (...) later"
                            + " in the same script");
        }
        columns.finish();
        columns.decideChecks(true);
        return end;
    }

    /** Returns the token after a key that CREATE TABLE has taken already; -1 if the element at a token is no such key. */
    int afterTakenKey(int element) {
        return key.afterTaken(element, statementEnd);
    }

    /** Returns whether a key was left out because CREATE TABLE has taken it already. */
    boolean hasTakenKey() {
        return takenKey;
    }

    /**
     * Reads what follows ADD in ALTER TABLE.
     *
     * @return whether anything is left to add
     */
    boolean add(int add, int end) {
        boolean ifNotExists = tokens.isWord(add + 1, "if") && tokens.isWord(add + 2, "not");
        int from = add + (ifNotExists ? 4 : 1);
        boolean bracket = tokens.isSymbol(from, '(') && tokens.afterClosing(from) == end;
        markIfBracketed(name, end);
        int count = elements(bracket ? from + 1 : from, bracket ? end - 1 : end);
        if (count > 1 && !bracket) {
            edits.beTsql();
        }
        if (key.isGiven()) {
            throw new UnsupportedSqlException(
                    "ALTER TABLE ... ADD ... PRIMARY KEY", "a table's key is given by CREATE TABLE, and stays");
        }
        if (columns.identity() != null) {
            throw new UnsupportedSqlException(
                    "ALTER TABLE ... ADD ... IDENTITY",
                    "rows that are there would have no id: create a table with it, and insert them there");
        }
        columns.finish();
        columns.decideChecks(false);
        if (count > 1 && !bracket) {
            normaliser.replace(add, tokens.text(add) + " (");
            closing = ")";
        }
        return count > 0;
    }

    /** Reads the column and the type that follow ALTER COLUMN. */
    ColumnDefinition alterColumn(int column, int end) {
        edits.beTsql();
        columns.parse(column, end);
        columns.finish();
        List<ColumnDefinition> read = columns.columns();
        boolean more = key.isGiven()
                || columns.identity() != null
                || !columns.constraints().isEmpty()
                || !columns.defaults().isEmpty();
        if (read.size() != 1 || read.get(0).type() == null || more) {
            throw new UnsupportedSqlException(
                    "ALTER TABLE ... ALTER COLUMN of more than a type",
                    "give the column's name, type and NULL or NOT NULL alone");
        }
        return read.get(0);
    }

    /** Returns what has to follow {@link #add}'s statement. */
    String closing() {
        return closing;
    }

    private void markIfBracketed(int from, int to) {
        for (int token = from; token < to; token++) {
            if (tokens.kind(token) == Kind.BRACKETED
                    || (tokens.isWord(token, "dbo") && tokens.isSymbol(token + 1, '.'))) {
                edits.beTsql();
                return;
            }
        }
    }

    private enum Element {
        COLUMN,
        KEY,
        LEFT_OUT
    }

    /** Reads what the commas separate; returns how many columns there are. */
    private int elements(int from, int to) {
        int count = 0;
        int depth = 0;
        int angles = 0;
        int start = from;
        boolean keptAny = false;
        for (int token = from; token <= to; token++) {
            if (token == to || (depth + angles == 0 && tokens.isSymbol(token, ','))) {
                Element element = start < token ? element(start, token) : Element.KEY;
                boolean kept = element != Element.LEFT_OUT;
                count += element == Element.COLUMN ? 1 : 0;
                // A part that is left out takes a comma with it.
                if (start > from && !(kept && keptAny)) {
                    normaliser.drop(start - 1, start);
                }
                keptAny |= kept;
                start = token + 1;
            } else {
                depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
                // Of map<text, int>; within brackets they compare.
                boolean angle = depth == 0 && (tokens.isSymbol(token, '<') || tokens.isSymbol(token, '>'));
                angles += angle ? (tokens.isSymbol(token, '<') ? 1 : -1) : 0;
            }
        }
        return count;
    }

    private Element element(int from, int to) {
        if (tokens.isWord(from, "constraint")
                && tokens.kind(from + 1).isName()
                && tokens.isAnyWord(from + 2, "primary", "unique", "foreign", "check", "default")) {
            edits.drop(from, from + 2);
            edits.name(tokens.content(from + 1));
            return element(from + 2, to, from);
        }
        return element(from, to, from);
    }

    private Element element(int token, int to, int from) {
        if (tokens.isWord(token, "primary") && tokens.isWord(token + 1, "key")) {
            if (key.isTaken(token)) {
                requireEnd(afterTakenKey(token), to);
                takenKey = true;
                edits.drop(from, to);
                return Element.LEFT_OUT;
            }
            key.ofTable(token, to);
            return Element.KEY;
        }
        if (tokens.isWord(token, "unique") && isList(token + 1)) {
            edits.beTsql();
            refuseStatements(token, to);
            List<String> unique = key.unique(edits.clustered(token + 1));
            columns.constrain(ConstraintDefinition.Kind.UNIQUE, named(from, token), unique, token, to);
            normaliser.drop(from, to);
            return Element.LEFT_OUT;
        }
        if (tokens.isWord(token, "index") && tokens.kind(token + 1).isName() && isList(token + 2)) {
            edits.beTsql();
            IndexParser parser = new IndexParser(tokens);
            parser.inline(TableName.internal(tokens, name), token, keepsExisting);
            requireEnd(parser.end(), to);
            indexes.addAll(parser.steps());
            normaliser.drop(from, to);
            return Element.LEFT_OUT;
        }
        if (tokens.isWord(token, "default") && (token > from || to - token > 2)) {
            tableDefault(token, to, named(from, token));
            normaliser.drop(from, to);
            return Element.LEFT_OUT;
        }
        boolean foreign = tokens.isWord(token, "foreign") && tokens.isWord(token + 1, "key");
        if (foreign || CheckExpression.opening(tokens, token) >= 0) {
            edits.beTsql();
            refuseStatements(token, to);
            TsqlStep.LeftOut note = edits.leaveOut(from, to, "", foreign ? edits.actions(token, to) : null);
            if (foreign) {
                columns.constrain(
                        ConstraintDefinition.Kind.FOREIGN_KEY, named(from, token), key.listed(token + 2), token, to);
            } else {
                columns.check(note, named(from, token), List.of(), token, to);
            }
            normaliser.drop(from, to);
            return Element.LEFT_OUT;
        }
        columns.parse(token, to);
        return Element.COLUMN;
    }

    /** Returns the name of the constraint whose kind stands at a token; null if it has none. */
    private @Nullable String named(int from, int token) {
        return token > from ? tokens.content(from + 1) : null;
    }

    private void requireEnd(int token, int to) {
        if (token != to) {
            throw new UnsupportedSqlException(
                    "'" + tokens.text(token) + "' after a constraint", "end each statement with ';'");
        }
    }

    /** A statement that follows without {@code ;} would be left out with the constraint. */
    private void refuseStatements(int from, int to) {
        int depth = 0;
        for (int token = from; token < to; token++) {
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            boolean verb = tokens.isAnyWord(
                    token,
                    "insert",
                    "update",
                    "delete",
                    "select",
                    "create",
                    "alter",
                    "drop",
                    "truncate",
                    "merge",
                    "exec",
                    "execute",
                    "declare",
                    "set",
                    "use",
                    "if",
                    "begin",
                    "dbcc",
                    "with",
                    "print",
                    "go");
            if (depth == 0 && verb && !isAction(token)) {
                throw new UnsupportedSqlException(
                        "'" + tokens.text(token) + "' after a constraint", "end each statement with ';'");
            }
        }
    }

    /** Returns whether a verb belongs to {@code ON DELETE SET NULL} or the like. */
    private boolean isAction(int token) {
        return tokens.isWord(token - 1, "on")
                // Options, and no common table expression.
                || (tokens.isWord(token, "with") && tokens.isSymbol(token + 1, '('))
                || (tokens.isAnyWord(token - 1, "delete", "update") && tokens.isWord(token - 2, "on"));
    }

    private boolean isList(int token) {
        return tokens.isSymbol(token, '(') || tokens.isAnyWord(token, "clustered", "nonclustered", "unique");
    }

    /** Returns the end of the options after the columns; those of CQL stay. */
    private int options(int from) {
        int after = edits.physical(from, statementEnd);
        for (int token = from; token < after; token++) {
            if (tokens.isWord(token, "with") && tokens.isSymbol(token + 1, '(')) {
                writes(token + 2, tokens.afterClosing(token + 1) - 1);
            }
        }
        return tokens.isWord(after, "with") ? statementEnd : after;
    }

    /** Reads which of the options say how rows are written, and that they are few; the others say how SQL Server stores a table. */
    private void writes(int from, int to) {
        int depth = 0;
        int start = from;
        for (int token = from; token <= to; token++) {
            if (token == to || (depth == 0 && tokens.isSymbol(token, ','))) {
                WritesClause said = writesOption(start, token);
                if (said != null && writes != null && !said.equals(writes)) {
                    throw new UnsupportedSqlException(
                            "WITH of two ways in which rows are written",
                            "give one of plain, exact, serial and home = 'datacenter'");
                }
                writes = said == null ? writes : said;
                small |= token - start == 1 && tokens.isWord(start, "small");
                start = token + 1;
            } else {
                depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            }
        }
    }

    private @Nullable WritesClause writesOption(int from, int to) {
        if (to - from == 1 && tokens.isWord(from, "plain")) {
            return WritesClause.PLAIN;
        }
        if (to - from == 1 && tokens.isWord(from, "exact")) {
            return WritesClause.EXACT;
        }
        if (to - from == 1 && tokens.isWord(from, "serial")) {
            return WritesClause.SERIAL;
        }
        if (!tokens.isWord(from, "home") || !tokens.isSymbol(from + 1, '=')) {
            return null;
        }
        boolean text =
                to - from == 3 && (tokens.kind(from + 2) == Kind.STRING || tokens.kind(from + 2) == Kind.NATIONAL);
        if (!text || tokens.content(from + 2).isBlank()) {
            throw new UnsupportedSqlException(
                    "WITH (home = ...) without a datacenter's name", "give it in quotes: WITH (home = 'dc1')");
        }
        return new WritesClause(true, Optional.of(tokens.content(from + 2)));
    }

    /** Returns how rows are written, if the statement says it. */
    @Nullable
    WritesClause writes() {
        return writes;
    }

    /** Returns whether the statement says that the table is small. */
    boolean isSmall() {
        return small;
    }

    /** Reads {@code DEFAULT 0 FOR column [WITH VALUES]}. */
    private void tableDefault(int token, int to, @Nullable String named) {
        edits.beTsql();
        DefaultTerm term = DefaultTerm.read(tokens, token + 1);
        int column = term.end() + 1;
        if (!tokens.isWord(term.end(), "for")
                || column >= to
                || !tokens.kind(column).isName()) {
            throw new UnsupportedSqlException(
                    "DEFAULT without its column", "say which column it is of: DEFAULT 0 FOR column");
        }
        int after = column + 1;
        if (tokens.isWord(after, "with") && tokens.isWord(after + 1, "values")) {
            after += 2;
        }
        requireEnd(after, to);
        columns.addDefault(Identifiers.toInternal(tokens.cqlName(column)), named, term);
    }
}
