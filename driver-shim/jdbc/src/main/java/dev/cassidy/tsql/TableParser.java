package dev.cassidy.tsql;

import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.tsql.TsqlStep.NumericType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Turns T-SQL's CREATE TABLE and ALTER TABLE into CQL's: types are mapped, IDENTITY is taken out, and what Cassandra
 * cannot keep is noted, or refused if the data would differ without it.
 *
 * <p>{@code float}, {@code tinyint} and {@code timestamp} are types of both languages and differ. They are T-SQL's if
 * anything else in the statement is T-SQL; a statement without any T-SQL is passed on byte for byte.
 */
final class TableParser {

    private static final TsqlStep.Refusal UNIQUE = new TsqlStep.Refusal(
            "UNIQUE",
            "keep the values in a table of their own, as its key, and claim one by INSERT ... IF NOT EXISTS; or connect"
                    + " with constraints=warn to leave it out");

    private final Tokens tokens;
    private final Normaliser normaliser;
    private final Schema schema;
    private final LaterKeys laterKeys;
    private final int name;
    private final int statementEnd;

    /** Types that mean something else in T-SQL, with their replacements. */
    private final Map<Integer, String> ambiguous = new LinkedHashMap<>();

    private final List<TsqlStep.LeftOut> leftOut = new ArrayList<>();
    private final List<String> columns = new ArrayList<>();
    private final Map<String, String> notNull = new LinkedHashMap<>();
    private final Set<String> keys = new HashSet<>();
    private final Map<String, Integer> types = new HashMap<>();
    private final List<TsqlStep.ColumnDefault> defaults = new ArrayList<>();
    private final Set<String> required = new HashSet<>();

    /** The name of the column's constraint that is about to be read; null if it has none. */
    private @Nullable String constraintName;

    /** The steps that make the indexes within it. */
    private final List<TsqlStep> indexes = new ArrayList<>();

    /** The columns of each UNIQUE, by internal name. */
    private final Map<TsqlStep.LeftOut, List<String>> uniques = new LinkedHashMap<>();

    private boolean tsql;
    private boolean keepsExisting;
    private boolean keyed;
    private String closing = "";
    private TsqlStep.@Nullable IdentityColumn identity;

    /**
     * @param name the token where the table's name begins
     * @param statementEnd the token of the {@code ;} or the end
     */
    TableParser(Tokens tokens, Normaliser normaliser, Schema schema, LaterKeys laterKeys, int name, int statementEnd) {
        this.tokens = tokens;
        this.normaliser = normaliser;
        this.schema = schema;
        this.laterKeys = laterKeys;
        this.name = name;
        this.statementEnd = statementEnd;
    }

    /** Returns which of its properties Cassandra does not keep. */
    List<TsqlStep.LeftOut> leftOut() {
        return leftOut;
    }

    TsqlStep.@Nullable IdentityColumn identity() {
        return identity;
    }

    /** Returns the columns, by internal name, in the order of the statement. */
    List<String> columns() {
        return columns;
    }

    boolean isTsql() {
        return tsql;
    }

    /** Returns the defaults of columns; known when the statement was read. */
    List<TsqlStep.ColumnDefault> defaults() {
        return defaults.stream()
                .map(each -> new TsqlStep.ColumnDefault(
                        each.column(),
                        each.name(),
                        type(each.column()),
                        each.value(),
                        required.contains(each.column())))
                .toList();
    }

    /** Returns the type of a column of the statement, as CQL names it; null for another column. */
    private @Nullable String type(String column) {
        Integer token = types.get(column);
        if (token == null) {
            return null;
        }
        String type = tokens.content(token).toLowerCase(Locale.ROOT);
        return ambiguous.getOrDefault(token, ColumnTypes.renamed(type).orElse(type));
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
        tsql = true;
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
        tsql |= isBracketed(name, close);
        elements(open + 1, close);
        int end = options(close + 1);
        if (!keyed) {
            laterKey(close);
        }
        if (!tsql) {
            return statementEnd;
        }
        if (!keyed) {
            otherKey(close);
        }
        if (!keyed) {
            throw new UnsupportedSqlException(
                    "CREATE TABLE without PRIMARY KEY",
                    "say which columns identify a row: PRIMARY KEY (...), or ALTER TABLE ... ADD PRIMARY KEY (...) later"
                            + " in the same text");
        }
        finish();
        return end;
    }

    /** Gives the table the key that a later ALTER TABLE of the script adds. */
    private void laterKey(int close) {
        LaterKeys.@Nullable Key key = laterKeys.take(TableName.internal(tokens, name), close);
        if (key == null) {
            return;
        }
        tsql = true;
        keyed = true;
        StringBuilder columns = new StringBuilder();
        int after = tokens.afterClosing(key.open());
        for (int token = key.open() + 1; token < after - 1; token++) {
            if (tokens.kind(token - 1).isName() && tokens.isAnyWord(token, "asc", "desc")) {
                direction(token);
            } else {
                keys.add(tokens.content(token).toLowerCase(Locale.ROOT));
                columns.append(tokens.isSymbol(token, ',') ? ", " : tokens.cqlName(token));
            }
        }
        normaliser.replace(close, ", PRIMARY KEY (" + columns + "))");
    }

    /**
     * Takes what identifies the rows of a table without a primary key, unless constraints are to be refused: columns that
     * are UNIQUE and NOT NULL, or the identity column.
     */
    private void otherKey(int close) {
        for (Map.Entry<TsqlStep.LeftOut, List<String>> unique : uniques.entrySet()) {
            if (required.containsAll(unique.getValue())) {
                leftOut.remove(unique.getKey());
                otherKey(close, unique.getValue(), "UNIQUE and NOT NULL");
                return;
            }
        }
        if (identity != null) {
            otherKey(close, List.of(identity.column()), "the identity column");
        }
    }

    private void otherKey(int close, List<String> columns, String because) {
        keyed = true;
        columns.forEach(column -> keys.add(column.toLowerCase(Locale.ROOT)));
        String key = columns.stream().map(Identifiers::toCql).collect(Collectors.joining(", "));
        normaliser.replace(close, ", PRIMARY KEY (" + key + "))");
        leftOut.add(new TsqlStep.LeftOut(
                "that the table has no PRIMARY KEY; (" + key + "), " + because + ", is its key now",
                new TsqlStep.Refusal(
                        "CREATE TABLE without PRIMARY KEY",
                        "say which columns identify a row: PRIMARY KEY (" + key + "), or another; or connect with"
                                + " constraints=warn to take (" + key + "), " + because)));
    }

    private void uniqueColumns(int open) {
        List<String> unique = new ArrayList<>();
        int after = tokens.afterClosing(open);
        for (int token = open + 1; token < after; token++) {
            if (tokens.kind(token).isName() && (tokens.isSymbol(token - 1, '(') || tokens.isSymbol(token - 1, ','))) {
                unique.add(Identifiers.toInternal(tokens.cqlName(token)));
            }
        }
        uniques.put(leftOut.get(leftOut.size() - 1), unique);
    }

    /** Returns the token after a key that CREATE TABLE has taken already; -1 if the element at a token is no such key. */
    int afterTakenKey(int element) {
        int primary = tokens.isWord(element, "constraint") ? element + 2 : element;
        if (!laterKeys.isTaken(primary)) {
            return -1;
        }
        return physical(tokens.afterClosing(clustered(primary + 2)), statementEnd);
    }

    /**
     * Reads what follows ADD in ALTER TABLE.
     *
     * @return whether anything is left to add
     */
    boolean add(int add, int end) {
        int from = add + 1;
        boolean bracket = tokens.isSymbol(from, '(') && tokens.afterClosing(from) == end;
        tsql = isBracketed(add, end);
        int count = elements(bracket ? from + 1 : from, bracket ? end - 1 : end);
        if (keyed) {
            throw new UnsupportedSqlException(
                    "ALTER TABLE ... ADD ... PRIMARY KEY", "a table's key is given by CREATE TABLE, and stays");
        }
        if (identity != null) {
            throw new UnsupportedSqlException(
                    "ALTER TABLE ... ADD ... IDENTITY",
                    "rows that are there would have no id: create a table with it, and insert them there");
        }
        finish();
        if (count > 1 && !bracket) {
            normaliser.replace(add, tokens.text(add) + " (");
            closing = ")";
        }
        return count > 0;
    }

    /** Returns what has to follow {@link #add}'s statement. */
    String closing() {
        return closing;
    }

    private void finish() {
        if (tsql) {
            ambiguous.forEach((token, cql) -> {
                if (cql.isEmpty()) {
                    throw new UnsupportedSqlException(
                            tokens.text(token) + " (T-SQL's rowversion)", ColumnTypes.wayOut("rowversion"));
                }
                normaliser.replace(token, cql);
            });
        }
        for (TsqlStep.ColumnDefault each : defaults) {
            if (identity != null && identity.column().equals(each.column())) {
                throw UnsupportedSqlException.asSqlServer(
                        1754,
                        "Defaults cannot be created on columns with an IDENTITY attribute: column " + each.column());
            }
        }
        notNull.forEach((column, note) -> {
            if (!keys.contains(column)) {
                leftOut.add(new TsqlStep.LeftOut(note));
            }
        });
    }

    private boolean isBracketed(int from, int to) {
        for (int token = from; token < to; token++) {
            if (tokens.kind(token) == Kind.BRACKETED
                    || (tokens.isWord(token, "dbo") && tokens.isSymbol(token + 1, '.'))) {
                return true;
            }
        }
        return false;
    }

    private enum Element {
        COLUMN,
        KEY,
        LEFT_OUT
    }

    /** Reads what the commas separate; returns how many columns there are. */
    private int elements(int from, int to) {
        int columns = 0;
        int depth = 0;
        int angles = 0;
        int start = from;
        boolean keptAny = false;
        for (int token = from; token <= to; token++) {
            if (token == to || (depth + angles == 0 && tokens.isSymbol(token, ','))) {
                Element element = start < token ? element(start, token) : Element.KEY;
                boolean kept = element != Element.LEFT_OUT;
                columns += element == Element.COLUMN ? 1 : 0;
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
        return columns;
    }

    private Element element(int from, int to) {
        if (tokens.isWord(from, "constraint")
                && tokens.kind(from + 1).isName()
                && tokens.isAnyWord(from + 2, "primary", "unique", "foreign", "check", "default")) {
            tsql = true;
            normaliser.drop(from, from + 2);
            return element(from + 2, to, from);
        }
        return element(from, to, from);
    }

    private Element element(int token, int to, int from) {
        if (tokens.isWord(token, "primary") && tokens.isWord(token + 1, "key")) {
            if (laterKeys.isTaken(token)) {
                requireEnd(afterTakenKey(token), to);
                normaliser.drop(from, to);
                return Element.LEFT_OUT;
            }
            tableKey(token, to);
            return Element.KEY;
        }
        if (tokens.isWord(token, "unique") && isList(token + 1)) {
            tsql = true;
            refuseStatements(token, to);
            leaveOut(from, to, "", UNIQUE);
            uniqueColumns(clustered(token + 1));
            normaliser.drop(from, to);
            return Element.LEFT_OUT;
        }
        if (tokens.isWord(token, "index") && tokens.kind(token + 1).isName() && isList(token + 2)) {
            tsql = true;
            IndexParser parser = new IndexParser(tokens);
            parser.inline(TableName.internal(tokens, name), token, keepsExisting);
            requireEnd(parser.end(), to);
            indexes.addAll(parser.steps());
            normaliser.drop(from, to);
            return Element.LEFT_OUT;
        }
        if (tokens.isWord(token, "default") && (token > from || to - token > 2)) {
            tableDefault(token, to, token > from ? tokens.content(from + 1) : null);
            normaliser.drop(from, to);
            return Element.LEFT_OUT;
        }
        boolean foreign = tokens.isWord(token, "foreign") && tokens.isWord(token + 1, "key");
        if (foreign || (tokens.isWord(token, "check") && tokens.isSymbol(token + 1, '('))) {
            tsql = true;
            refuseStatements(token, to);
            leaveOut(from, to, "", foreign ? actions(token, to) : null);
            normaliser.drop(from, to);
            return Element.LEFT_OUT;
        }
        column(token, to);
        return Element.COLUMN;
    }

    private void requireEnd(int token, int to) {
        if (token != to) {
            throw new UnsupportedSqlException(
                    "'" + tokens.text(token) + "' after a constraint", "end each statement with ';'");
        }
    }

    private void leaveOut(int from, int to, String of, TsqlStep.@Nullable Refusal refusal) {
        leftOut.add(new TsqlStep.LeftOut(tokens.text.substring(tokens.start(from), tokens.end(to - 1)) + of, refusal));
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
                || (tokens.isAnyWord(token - 1, "delete", "update") && tokens.isWord(token - 2, "on"));
    }

    private boolean isList(int token) {
        return tokens.isSymbol(token, '(') || tokens.isAnyWord(token, "clustered", "nonclustered", "unique");
    }

    private void tableKey(int primary, int to) {
        keyed = true;
        int open = clustered(primary + 2);
        if (!tokens.isSymbol(open, '(')) {
            return;
        }
        int after = tokens.afterClosing(open);
        for (int token = open; token < after; token++) {
            if (tokens.kind(token).isName()) {
                keys.add(tokens.content(token).toLowerCase(Locale.ROOT));
            }
            if (tokens.kind(token - 1).isName() && tokens.isAnyWord(token, "asc", "desc")) {
                direction(token);
            }
        }
        physical(after, to);
    }

    private void direction(int token) {
        if (tokens.isWord(token, "desc")) {
            throw new UnsupportedSqlException(
                    "PRIMARY KEY (... DESC)", "leave it out, or add WITH CLUSTERING ORDER BY (column DESC)");
        }
        tsql = true;
        normaliser.drop(token, token + 1);
    }

    private int clustered(int token) {
        if (tokens.isAnyWord(token, "clustered", "nonclustered")) {
            tsql = true;
            normaliser.drop(token, token + 1);
            return token + 1;
        }
        return token;
    }

    /** {@code WITH (PAD_INDEX = OFF, ...)} and {@code ON [PRIMARY]}: how SQL Server stores it. */
    private int physical(int from, int to) {
        int token = from;
        while (token < to) {
            int after = token;
            if (tokens.isWord(token, "with") && tokens.isSymbol(token + 1, '(')) {
                after = tokens.afterClosing(token + 1);
            } else if (tokens.isAnyWord(token, "on", "textimage_on")
                    && tokens.kind(token + 1).isName()
                    && !tokens.isAnyWord(token + 1, "delete", "update")) {
                after = token + 2;
            }
            if (after == token) {
                return token;
            }
            tsql = true;
            normaliser.drop(token, after);
            token = after;
        }
        return token;
    }

    private int options(int from) {
        int after = physical(from, statementEnd);
        return tokens.isWord(after, "with") ? statementEnd : after;
    }

    private void column(int name, int to) {
        String column = Identifiers.toInternal(tokens.cqlName(name));
        if (!tokens.kind(name).isName() || name + 1 >= to) {
            return;
        }
        if (tokens.isWord(name + 1, "as")) {
            throw new UnsupportedSqlException(
                    "the computed column " + tokens.content(name), "compute it in the application, and insert it");
        }
        columns.add(column);
        types.put(column, name + 1);
        int token = type(name + 1, column);
        while (token < to) {
            token = constraint(token, to, column, name);
        }
    }

    /** Maps the type at a token, and returns the token after it. */
    private int type(int token, String column) {
        Kind kind = tokens.kind(token);
        if (kind != Kind.WORD && kind != Kind.BRACKETED) {
            return token + 1;
        }
        String type = tokens.content(token).toLowerCase(Locale.ROOT);
        boolean bracket = tokens.isSymbol(token + 1, '(');
        int after = bracket ? tokens.afterClosing(token + 1) : token + 1;
        Optional<String> renamed = ColumnTypes.renamed(type);
        if ((ColumnTypes.isForeign(type) || renamed.isPresent())
                && schema.isType(TableName.internal(tokens, name).keyspace(), type)) {
            // The keyspace's own.
            return after;
        }
        if (ColumnTypes.isForeign(type)) {
            throw new UnsupportedSqlException("type " + tokens.text(token), ColumnTypes.wayOut(type));
        }
        if (ColumnTypes.isAmbiguous(type)) {
            ambiguous.put(
                    token,
                    ColumnTypes.inTsql(type, bracket ? digits(token + 2) : ColumnTypes.DOUBLE_BITS)
                            .orElse(""));
        } else if (renamed.isPresent()) {
            tsql = true;
            normaliser.replace(token, renamed.get());
        } else if (kind == Kind.BRACKETED && ColumnTypes.isOfBoth(type)) {
            normaliser.replace(token, type);
        } else if (!ColumnTypes.isOfBoth(type)) {
            return after;
        }
        if (type.equals("datetimeoffset")) {
            leftOut.add(new TsqlStep.LeftOut("the offset of " + column + " (the instant is kept)"));
        }
        if (tokens.isAnyWord(after, "varying", "precision")) {
            tsql = true;
            normaliser.drop(after, after + 1);
            after++;
            bracket = tokens.isSymbol(after, '(');
            int args = after;
            after = bracket ? tokens.afterClosing(after) : after;
            normaliser.drop(args, after);
        } else if (bracket) {
            tsql = true;
            normaliser.drop(token + 1, after);
        }
        return after;
    }

    private int digits(int token) {
        return tokens.kind(token) == Kind.NUMBER && tokens.text(token).matches("[0-9]{1,3}")
                ? Integer.parseInt(tokens.text(token))
                : ColumnTypes.DOUBLE_BITS;
    }

    private int constraint(int token, int to, String column, int name) {
        if (tokens.isWord(token, "constraint") && tokens.kind(token + 1).isName()) {
            constraintName = tokens.content(token + 1);
            return drop(token, token + 2);
        }
        String named = constraintName;
        constraintName = null;
        if (tokens.isWord(token, "primary") && tokens.isWord(token + 1, "key")) {
            keyed = true;
            keys.add(column.toLowerCase(Locale.ROOT));
            int after = clustered(token + 2);
            if (tokens.isAnyWord(after, "asc", "desc")) {
                after = drop(after, after + 1);
            }
            return physical(after, to);
        }
        if (tokens.isWord(token, "identity")) {
            return identity(token, to, column, name);
        }
        if (tokens.isWord(token, "not") && tokens.isWord(token + 1, "null")) {
            notNull.put(column.toLowerCase(Locale.ROOT), "NOT NULL of " + column);
            required.add(column);
            return drop(token, token + 2);
        }
        if (tokens.isAnyWord(token, "null", "sparse", "rowguidcol")) {
            return drop(token, token + 1);
        }
        if (tokens.isWord(token, "collate")) {
            leftOut.add(new TsqlStep.LeftOut("COLLATE " + tokens.text(token + 1) + " of " + column));
            return drop(token, token + 2);
        }
        if (tokens.isWord(token, "unique")) {
            int list = clustered(token + 1);
            int after = physical(tokens.isSymbol(list, '(') ? tokens.afterClosing(list) : list, to);
            leaveOut(token, after, " of " + column, UNIQUE);
            uniques.put(leftOut.get(leftOut.size() - 1), List.of(column));
            return drop(token, after);
        }
        if (tokens.isWord(token, "masked") && tokens.isWord(token + 1, "with")) {
            return mask(token + 2);
        }
        if (tokens.isWord(token, "default")) {
            DefaultTerm term = DefaultTerm.read(tokens, token + 1);
            addDefault(column, named, term);
            int after = drop(token, Math.min(term.end(), to));
            // Of the rows that are there; Cassandra leaves them as they are.
            return tokens.isWord(after, "with") && tokens.isWord(after + 1, "values") ? drop(after, after + 2) : after;
        }
        if (tokens.isWord(token, "check") && tokens.isSymbol(token + 1, '(')) {
            int after = tokens.afterClosing(token + 1);
            leaveOut(token, after, " of " + column, null);
            return drop(token, after);
        }
        if (tokens.isWord(token, "foreign") && tokens.isWord(token + 1, "key")) {
            return drop(token, token + 2);
        }
        if (tokens.isWord(token, "references")) {
            return references(token, to, column);
        }
        return token + 1;
    }

    private int drop(int from, int to) {
        tsql = true;
        normaliser.drop(from, to);
        return to;
    }

    private int identity(int token, int to, String column, int name) {
        long seed = 1;
        long increment = 1;
        int after = token + 1;
        if (tokens.isSymbol(after, '(')) {
            int close = tokens.afterClosing(after) - 1;
            int comma = after;
            while (comma < close && !tokens.isSymbol(comma, ',')) {
                comma++;
            }
            seed = number(after + 1, comma);
            increment = number(Math.min(comma + 1, close), close);
            after = close + 1;
        }
        if (tokens.isWord(after, "not") && tokens.isWord(after + 1, "for") && after + 2 < to) {
            after += 3;
        }
        if (identity != null) {
            throw new UnsupportedSqlException("a second IDENTITY, of column " + column, "a table has one");
        }
        String type = tokens.content(name + 1).toLowerCase(Locale.ROOT);
        NumericType numeric =
                switch (type) {
                    case "int", "integer" -> NumericType.INT;
                    case "bigint" -> NumericType.BIGINT;
                    case "smallint" -> NumericType.SMALLINT;
                    default ->
                        throw new UnsupportedSqlException(
                                "IDENTITY of type " + type, "make column " + column + " a BIGINT, INT or SMALLINT");
                };
        identity = new TsqlStep.IdentityColumn(column, numeric, seed, increment);
        return drop(token, after);
    }

    private long number(int from, int to) {
        int first = tokens.start(from);
        String digits =
                from < to ? tokens.text.substring(first, tokens.end(to - 1)).replaceAll("\\s", "") : "";
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException e) {
            throw new UnsupportedSqlException("IDENTITY (" + digits + ")", "give whole numbers of 64 bits");
        }
    }

    /** Reads {@code DEFAULT 0 FOR column [WITH VALUES]}. */
    private void tableDefault(int token, int to, @Nullable String named) {
        tsql = true;
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
        addDefault(Identifiers.toInternal(tokens.cqlName(column)), named, term);
    }

    private void addDefault(String column, @Nullable String named, DefaultTerm term) {
        if (term.value() != null) {
            defaults.add(new TsqlStep.ColumnDefault(column, named, null, term.value(), false));
        }
    }

    /** CQL's {@code MASKED WITH DEFAULT} or {@code MASKED WITH function(...)}. */
    private int mask(int token) {
        if (tokens.isSymbol(token, '(')) {
            throw new UnsupportedSqlException(
                    "MASKED WITH (FUNCTION = ...)",
                    "write a mask of Cassandra's, as MASKED WITH DEFAULT or MASKED WITH mask_inner(1, 1)");
        }
        int after = token + 1;
        while (tokens.isSymbol(after, '.')) {
            after += 2;
        }
        return tokens.isSymbol(after, '(') ? tokens.afterClosing(after) : after;
    }

    private int references(int token, int to, String column) {
        int after = TableName.read(tokens, token + 1).end();
        if (after < 0) {
            return token + 1;
        }
        after = tokens.isSymbol(after, '(') ? tokens.afterClosing(after) : after;
        int constraint = after;
        while (tokens.isWord(after, "on") && tokens.isAnyWord(after + 1, "delete", "update")) {
            after += tokens.isAnyWord(after + 2, "no", "set") ? 4 : 3;
        }
        if (tokens.isWord(after, "not") && tokens.isWord(after + 1, "for")) {
            after += 3;
        }
        after = Math.min(after, to);
        TsqlStep.@Nullable Refusal refusal = actions(token, after);
        leaveOut(token, refusal == null ? constraint : after, " of " + column, refusal);
        return drop(token, after);
    }

    /** Returns why a foreign key whose actions change rows must not be left out; null if it has no such action. */
    private TsqlStep.@Nullable Refusal actions(int from, int to) {
        for (int token = from; token < to; token++) {
            if (tokens.isWord(token, "on")
                    && tokens.isAnyWord(token + 1, "delete", "update")
                    && !tokens.isWord(token + 2, "no")) {
                return new TsqlStep.Refusal(
                        "ON " + tokens.text(token + 1).toUpperCase(Locale.ROOT) + " "
                                + tokens.text(token + 2).toUpperCase(Locale.ROOT),
                        "Cassandra knows no foreign keys: change the rows that refer to it in the application, and connect"
                                + " with constraints=warn to leave it out");
            }
        }
        return null;
    }
}
