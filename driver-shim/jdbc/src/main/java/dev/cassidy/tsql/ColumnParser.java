package dev.cassidy.tsql;

import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.SqlType;
import dev.cassidy.insert.CheckExpression;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the columns that a statement defines: maps their types, and takes out the constraints that CQL does not have.
 *
 * <p>{@code float}, {@code tinyint} and {@code timestamp} are types of both languages and differ. They are T-SQL's if
 * anything else in the statement is T-SQL, which is known when all of it was read.
 */
final class ColumnParser {

    private final Tokens tokens;
    private final Normaliser normaliser;
    private final DefinitionEdits edits;
    private final TableKey key;
    private final Schema schema;
    private final int table;

    private final List<DefinedColumn> defined = new ArrayList<>();
    private final List<ConstraintDefinition> constraints = new ArrayList<>();
    private final Map<TsqlStep.LeftOut, ConstraintDefinition> checks = new LinkedHashMap<>();
    private final Map<String, Integer> types = new HashMap<>();
    private final Set<String> required = new HashSet<>();
    private final List<DeclaredDefault> defaults = new ArrayList<>();

    /** The notes that collations of columns are left out. */
    private final Map<String, TsqlStep.LeftOut> collations = new HashMap<>();

    /** Types that mean something else in T-SQL, with their replacements. */
    private final Map<Integer, String> ambiguous = new LinkedHashMap<>();

    private @Nullable DeclaredIdentity identity;

    /** What is known of a column before all of the statement was read. */
    private static final class DefinedColumn {
        private final String name;
        private final String label;
        private String type = "";
        private String collation = "";

        /** Whether NULL is written. */
        private boolean nullable;

        private boolean counted;

        DefinedColumn(String name, String label) {
            this.name = name;
            this.label = label;
        }
    }

    /** The name of the column's constraint that is about to be read; null if it has none. */
    private @Nullable String constraintName;

    /** @param table the token where the table's name begins */
    ColumnParser(Tokens tokens, Normaliser normaliser, DefinitionEdits edits, TableKey key, Schema schema, int table) {
        this.tokens = tokens;
        this.normaliser = normaliser;
        this.edits = edits;
        this.key = key;
        this.schema = schema;
        this.table = table;
    }

    @Nullable
    DeclaredIdentity identity() {
        return identity;
    }

    /** Returns the columns in the order of the statement; known when it was read. */
    List<ColumnDefinition> columns() {
        return defined.stream()
                .map(each -> new ColumnDefinition(
                        each.name,
                        each.label,
                        // Without any T-SQL, a name that both languages have is CQL's.
                        edits.isTsql() ? SqlType.parse(each.type).orElse(null) : null,
                        required.contains(each.name)
                                || key.contains(each.name.toLowerCase(Locale.ROOT))
                                || (identity != null && identity.column().equals(each.name)),
                        each.collation,
                        null,
                        each.counted))
                .toList();
    }

    /** Returns the constraints of columns. */
    List<ConstraintDefinition> constraints() {
        return constraints;
    }

    /** Returns the columns, by internal name, that are NOT NULL. */
    Set<String> required() {
        return required;
    }

    /** Returns the defaults of columns; known when the statement was read. */
    List<DeclaredDefault> defaults() {
        return defaults.stream()
                .map(each -> new DeclaredDefault(
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

    /** Reads the column whose name is at a token. */
    void parse(int name, int to) {
        String column = Identifiers.toInternal(tokens.cqlName(name));
        if (!tokens.kind(name).isName() || name + 1 >= to) {
            return;
        }
        if (tokens.isWord(name + 1, "as")) {
            throw new UnsupportedSqlException(
                    "the computed column " + tokens.content(name), "compute it in the application, and insert it");
        }
        DefinedColumn definition = new DefinedColumn(column, tokens.content(name));
        defined.add(definition);
        int type = typeOf(name + 1);
        types.put(column, type);
        int token = type(type, column);
        String text = text(type, Math.min(token, to));
        definition.type = isNational(type - 1) ? "n" + text.replaceFirst("(?i)^character", "char") : text;
        while (token < to) {
            token = constraint(token, to, column, name);
        }
    }

    /** Returns whether NATIONAL stands in front of a type of texts. */
    private boolean isNational(int token) {
        return tokens.isWord(token, "national") && tokens.isAnyWord(token + 1, "char", "character", "text");
    }

    /** Returns the token of a type's name, behind NATIONAL, or behind the schema of SQL Server's own types. */
    private int typeOf(int token) {
        if (isNational(token)) {
            return edits.drop(token, token + 1);
        }
        boolean sys = tokens.kind(token).isName()
                && tokens.content(token).equalsIgnoreCase("sys")
                && tokens.isSymbol(token + 1, '.')
                && SqlType.parse(tokens.content(token + 2)).isPresent();
        return sys ? edits.drop(token, token + 2) : token;
    }

    /** Returns tokens without their brackets, as a type is read. */
    private String text(int from, int to) {
        StringBuilder text = new StringBuilder();
        for (int token = from; token < to; token++) {
            text.append(token == from ? "" : " ").append(tokens.content(token));
        }
        return text.toString();
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
                && schema.isType(TableName.internal(tokens, table).keyspace(), type)) {
            // The keyspace's own.
            return after;
        }
        if (ColumnTypes.isForeign(type)) {
            throw new UnsupportedSqlException("type " + tokens.text(token), ColumnTypes.workaround(type));
        }
        if (ColumnTypes.isAmbiguous(type)) {
            ambiguous.put(
                    token,
                    ColumnTypes.inTsql(type, bracket ? digits(token + 2) : ColumnTypes.DOUBLE_BITS)
                            .orElse(""));
        } else if (renamed.isPresent()) {
            edits.beTsql();
            normaliser.replace(token, renamed.get());
        } else if (kind == Kind.BRACKETED && ColumnTypes.isOfBoth(type)) {
            normaliser.replace(token, type);
        } else if (!ColumnTypes.isOfBoth(type)) {
            return after;
        }
        if (type.equals("datetimeoffset")) {
            edits.leaveOut("the offset of " + column + " (the instant is kept)");
        }
        if (tokens.isAnyWord(after, "varying", "precision")) {
            after = edits.drop(after, after + 1);
            bracket = tokens.isSymbol(after, '(');
            int args = after;
            after = bracket ? tokens.afterClosing(after) : after;
            normaliser.drop(args, after);
        } else if (bracket) {
            edits.drop(token + 1, after);
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
            edits.name(constraintName);
            return edits.drop(token, token + 2);
        }
        String named = constraintName;
        constraintName = null;
        if (tokens.isWord(token, "primary") && tokens.isWord(token + 1, "key")) {
            key.ofColumn(column);
            int after = edits.clustered(token + 2);
            if (tokens.isAnyWord(after, "asc", "desc")) {
                after = edits.drop(after, after + 1);
            }
            return edits.physical(after, to);
        }
        if (tokens.isWord(token, "identity")) {
            return identity(token, token, to, column, name);
        }
        if (tokens.isWord(token, "generated")) {
            int as = tokens.isWord(token + 1, "always") ? token + 2 : tokens.isWord(token + 1, "by") ? token + 3 : to;
            if (tokens.isWord(as, "as") && tokens.isWord(as + 1, "identity")) {
                return identity(token, as + 1, to, column, name);
            }
        }
        if (tokens.isWord(token, "not") && tokens.isWord(token + 1, "null")) {
            required.add(column);
            return edits.drop(token, token + 2);
        }
        if (tokens.isWord(token, "counted")) {
            defined.get(defined.size() - 1).counted = true;
            required.add(column);
            return edits.drop(token, token + 1);
        }
        if (tokens.isAnyWord(token, "null", "sparse", "rowguidcol")) {
            defined.get(defined.size() - 1).nullable |= tokens.isWord(token, "null");
            return edits.drop(token, token + 1);
        }
        if (tokens.isWord(token, "collate")) {
            defined.get(defined.size() - 1).collation = tokens.content(token + 1);
            collations.put(column, edits.leaveOut("COLLATE " + tokens.text(token + 1) + " of " + column));
            return edits.drop(token, token + 2);
        }
        if (tokens.isWord(token, "unique")) {
            int list = edits.clustered(token + 1);
            int after = edits.physical(tokens.isSymbol(list, '(') ? tokens.afterClosing(list) : list, to);
            key.unique(List.of(column));
            constrain(ConstraintDefinition.Kind.UNIQUE, named, List.of(column), token, after);
            return edits.drop(token, after);
        }
        if (tokens.isWord(token, "masked") && tokens.isWord(token + 1, "with")) {
            return mask(token + 2);
        }
        if (tokens.isWord(token, "default")) {
            DefaultTerm term = DefaultTerm.read(tokens, token + 1);
            addDefault(column, named, term);
            int after = edits.drop(token, Math.min(term.end(), to));
            // Of the rows that are there; Cassandra leaves them as they are.
            return tokens.isWord(after, "with") && tokens.isWord(after + 1, "values")
                    ? edits.drop(after, after + 2)
                    : after;
        }
        int condition = CheckExpression.opening(tokens, token);
        if (condition >= 0) {
            int after = tokens.afterClosing(condition);
            check(edits.leaveOut(token, after, " of " + column, null), named, List.of(column), token, after);
            return edits.drop(token, after);
        }
        if (tokens.isWord(token, "foreign") && tokens.isWord(token + 1, "key")) {
            constraintName = named;
            return edits.drop(token, token + 2);
        }
        if (tokens.isWord(token, "references")) {
            return references(token, to, column, named);
        }
        return token + 1;
    }

    /**
     * Reads {@code IDENTITY (1, 1)}, or the standard's {@code IDENTITY (START WITH 1 INCREMENT BY 1)}.
     *
     * @param token the first of what is dropped
     */
    private int identity(int token, int word, int to, String column, int name) {
        long seed = 1;
        long increment = 1;
        int after = word + 1;
        if (tokens.isSymbol(after, '(') && tokens.isAnyWord(after + 1, "start", "increment")) {
            int close = tokens.afterClosing(after) - 1;
            int increments = after + 1;
            while (increments < close && !tokens.isWord(increments, "increment")) {
                increments++;
            }
            seed = tokens.isWord(after + 1, "start") ? number(after + 3, increments) : 1;
            increment = increments < close ? number(increments + 2, close) : 1;
            after = close + 1;
        } else if (tokens.isSymbol(after, '(')) {
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
        String type = tokens.content(types.getOrDefault(column, name + 1)).toLowerCase(Locale.ROOT);
        NumericType numeric =
                switch (type) {
                    case "int", "integer" -> NumericType.INT;
                    case "bigint" -> NumericType.BIGINT;
                    case "smallint" -> NumericType.SMALLINT;
                    default ->
                        throw new UnsupportedSqlException(
                                "IDENTITY of type " + type, "make column " + column + " a BIGINT, INT or SMALLINT");
                };
        identity = new DeclaredIdentity(column, numeric, seed, increment);
        return edits.drop(token, after);
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

    /** Notes a CHECK, which is left out if the driver cannot decide it. */
    void check(TsqlStep.LeftOut note, @Nullable String named, List<String> of, int from, int to) {
        constrain(ConstraintDefinition.Kind.CHECK, named, of, from, to);
        checks.put(note, constraints.get(constraints.size() - 1));
    }

    /**
     * Takes back the notes of CHECKs that are not left out.
     *
     * @param whole whether the statement has all columns of the table; otherwise, what is known of the table decides when it runs
     */
    void decideChecks(boolean whole) {
        if (checks.isEmpty()) {
            return;
        }
        Map<String, ColumnDefinition> columns = CheckExpression.byLabel(columns());
        Set<TsqlStep.LeftOut> kept = new HashSet<>();
        checks.forEach((note, check) -> {
            if (!whole || CheckExpression.parse(check.text(), columns).isPresent()) {
                kept.add(note);
            }
        });
        edits.keep(kept);
    }

    /** Notes a constraint as it is written. */
    void constrain(ConstraintDefinition.Kind kind, @Nullable String named, List<String> of, int from, int to) {
        constraints.add(new ConstraintDefinition(
                kind, named == null ? "" : named, of, tokens.text.substring(tokens.start(from), tokens.end(to - 1))));
    }

    /** Notes the default of a column; one of NULL says nothing. */
    void addDefault(String column, @Nullable String named, DefaultTerm term) {
        if (term.value() != null) {
            defaults.add(new DeclaredDefault(column, named, null, term.value(), false));
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

    private int references(int token, int to, String column, @Nullable String named) {
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
        TsqlStep.@Nullable Refusal refusal = edits.actions(token, after);
        edits.leaveOut(token, refusal == null ? constraint : after, " of " + column, refusal);
        constrain(ConstraintDefinition.Kind.FOREIGN_KEY, named, List.of(column), token, after);
        return edits.drop(token, after);
    }

    /** Ends the columns, after all of the statement was read. */
    void finish() {
        for (DefinedColumn each : defined) {
            if (each.counted
                    && defaults.stream().noneMatch(given -> given.column().equals(each.name))) {
                // A row that begins with nothing begins at 0.
                defaults.add(new DeclaredDefault(
                        each.name, null, null, Objects.requireNonNull(DefaultTerm.read("0")), false));
            }
        }
        // Whether a key is compared by it is known when the table is made.
        edits.keep(collations.entrySet().stream()
                .filter(each -> key.contains(each.getKey().toLowerCase(Locale.ROOT)))
                .map(Map.Entry::getValue)
                .collect(Collectors.toSet()));
        if (edits.isTsql()) {
            requireEachOnce();
            for (DefinedColumn each : defined) {
                ColumnTypes.requireSize(each.type, " of column '" + each.label + "'");
                if (each.type.equalsIgnoreCase("sysname") && !each.nullable) {
                    required.add(each.name);
                }
            }
            ambiguous.forEach((token, cql) -> {
                if (cql.isEmpty()) {
                    throw new UnsupportedSqlException(
                            tokens.text(token) + " (T-SQL's rowversion)", ColumnTypes.workaround("rowversion"));
                }
                normaliser.replace(token, cql);
            });
        }
        for (DeclaredDefault each : defaults) {
            if (identity != null && identity.column().equals(each.column())) {
                throw UnsupportedSqlException.asSqlServer(
                        1754,
                        "Defaults cannot be created on columns with an IDENTITY attribute: column " + each.column());
            }
        }
    }

    private void requireEachOnce() {
        Set<String> names = new HashSet<>();
        for (DefinedColumn each : defined) {
            if (!names.add(each.name)) {
                throw UnsupportedSqlException.asSqlServer(
                        2705,
                        "Column names in each table must be unique. Column name '" + each.label
                                + "' is specified more than once");
            }
        }
    }
}
