package dev.cassidy.tsql;

import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reads CREATE, ALTER and DROP. */
final class DefinitionParser {

    private final Tokens tokens;
    private final Schema schema;
    private final Normaliser normaliser;
    private final Statements statements;
    private final List<TsqlStep> steps;
    private final LaterKeys laterKeys;

    /** Whether an IF around the CREATE TABLE leaves an existing table alone. */
    private boolean keepsExisting;

    /** Whether the statements are behind an IF. */
    private boolean behindIf;

    /** Whether the last statement gives a table its key, which CREATE TABLE before it has taken. */
    private boolean addsTakenKey;

    DefinitionParser(Tokens tokens, Schema schema, Normaliser normaliser, Statements statements, List<TsqlStep> steps) {
        this.tokens = tokens;
        this.schema = schema;
        this.normaliser = normaliser;
        this.statements = statements;
        this.steps = steps;
        this.laterKeys = new LaterKeys(tokens);
    }

    /**
     * Reads a CREATE, ALTER or DROP and returns the token after it.
     *
     * @param verb the statement's first word, in lower case
     */
    int parse(int token, String verb) {
        addsTakenKey = false;
        if (tokens.isWord(token + 1, "sequence")) {
            SequenceParser parser = new SequenceParser(tokens, steps);
            return switch (verb) {
                case "create" -> parser.create(token);
                case "alter" -> parser.alter(token);
                default -> parser.drop(token);
            };
        }
        if (verb.equals("create") && IndexParser.isCreate(tokens, token)) {
            IndexParser parser = new IndexParser(tokens);
            return parser.create(token)
                    ? added(parser)
                    : statements.addCql(token, verb, statements.endOfDefinition(token));
        }
        if (verb.equals("drop") && tokens.isWord(token + 1, "index")) {
            IndexParser parser = new IndexParser(tokens);
            return parser.drop(token, schema)
                    ? added(parser)
                    : statements.addCql(token, verb, statements.endOfDefinition(token));
        }
        if (tokens.isAnyWord(token + 1, "procedure", "proc", "view", "clustered", "nonclustered", "unique")) {
            throw new UnsupportedSqlException(
                    tokens.text(token).toUpperCase(Locale.ROOT) + " "
                            + tokens.text(token + 1).toUpperCase(Locale.ROOT),
                    "Cassandra has no such object");
        }
        if (verb.equals("create")) {
            refuseCode(token);
            refuseAlias(token);
        }
        if (tokens.isWord(token + 1, "table") && !verb.equals("drop")) {
            return verb.equals("create") ? createTable(token) : alterTable(token);
        }
        if (verb.equals("drop") && tokens.isWord(token + 1, "table")) {
            boolean ifExists = tokens.isWord(token + 2, "if") && tokens.isWord(token + 3, "exists");
            normaliser.namesOf(TableName.read(tokens, ifExists ? token + 4 : token + 2));
        }
        return statements.addCql(token, verb, statements.endOfDefinition(token));
    }

    /** Returns whether the last statement gives a table its key, so that it cannot be read without the CREATE TABLE before it. */
    boolean addsTakenKey() {
        return addsTakenKey;
    }

    /** {@code CREATE TYPE x FROM nvarchar(50)} and {@code AS TABLE}; CQL's own has fields in brackets. */
    private void refuseAlias(int create) {
        int after = tokens.isWord(create + 1, "type")
                ? TableName.read(tokens, create + 2).end()
                : -1;
        if (after > 0 && tokens.isAnyWord(after, "from", "as")) {
            throw new UnsupportedSqlException(
                    "CREATE TYPE ... " + tokens.text(after).toUpperCase(Locale.ROOT),
                    "Cassandra has no names for types: write the type itself in each CREATE TABLE");
        }
    }

    /** Refuses code in T-SQL, whose statements would otherwise run one by one. */
    private void refuseCode(int create) {
        int kind = tokens.isWord(create + 1, "or") ? create + 3 : create + 1;
        boolean trigger = tokens.isWord(kind, "trigger");
        if (!trigger && !tokens.isWord(kind, "function")) {
            return;
        }
        for (int token = kind + 1; !tokens.isEnd(token) && !tokens.isSymbol(token, ';'); token++) {
            // The next one is asked for itself: otherwise, each of many would read the script to its end.
            if (tokens.isAnyWord(token, "using", "language", "create")) {
                return;
            }
            if (tokens.isWord(token, "as") && (trigger || tokens.isAnyWord(token + 1, "begin", "return"))) {
                throw new UnsupportedSqlException(
                        "CREATE " + tokens.text(kind).toUpperCase(Locale.ROOT)
                                + (trigger ? " ... AS" : " ... AS BEGIN"),
                        "Cassandra runs no code in T-SQL; do this in the application");
            }
        }
    }

    private int added(IndexParser parser) {
        steps.addAll(parser.steps());
        return parser.end();
    }

    private int createTable(int token) {
        boolean ifNotExists =
                tokens.isWord(token + 2, "if") && tokens.isWord(token + 3, "not") && tokens.isWord(token + 4, "exists");
        int name = ifNotExists ? token + 5 : token + 2;
        normaliser.namesOf(TableName.read(tokens, name));
        TableParser parser =
                new TableParser(tokens, normaliser, schema, laterKeys, name, statements.endOfDefinition(token));
        if (behindIf || keepsExisting) {
            parser.beTsql();
        }
        parser.keepExisting(ifNotExists || keepsExisting);
        int end = parser.create();
        if (!parser.isTsql()) {
            return statements.addCql(token, "create", end);
        }
        steps.addAll(parser.leftOut());
        normaliser.normalise(token, end);
        CqlBuilder out = new CqlBuilder();
        normaliser.copy(out, token, end);
        steps.add(new TsqlStep.CreateTable(
                out.toString(),
                TableName.internal(tokens, name),
                parser.identity(),
                ifNotExists || keepsExisting,
                parser.columns(),
                parser.constraints(),
                parser.defaults(),
                parser.writes(),
                parser.isSmall(),
                parser.indexes().stream()
                        .filter(step -> step instanceof TsqlStep.CreateIndex index && index.unique() == null)
                        .map(step -> ((TsqlStep.CreateIndex) step).column())
                        .toList()));
        steps.addAll(parser.indexes());
        return end;
    }

    private int alterTable(int token) {
        int end = statements.endOfDefinition(token);
        normaliser.namesOf(TableName.read(tokens, token + 2));
        int action = TableName.read(tokens, token + 2).end();
        if (action < 0) {
            return statements.addCql(token, "alter", end);
        }
        boolean says = tokens.isWord(action, "with") && tokens.isAnyWord(action + 1, "check", "nocheck");
        boolean unlooked = says && tokens.isWord(action + 1, "nocheck");
        if (says) {
            normaliser.drop(action, action + 2);
            action += 2;
        }
        if (tokens.isAnyWord(action, "check", "nocheck") && tokens.isWord(action + 1, "constraint")) {
            requireNames(action + 2, end);
            steps.add(new TsqlStep.SwitchConstraints(
                    TableName.internal(tokens, token + 2),
                    tokens.isWord(action + 2, "all") ? List.of() : names(action + 2, end),
                    tokens.isWord(action, "check"),
                    tokens.text.substring(tokens.start(token), tokens.end(end - 1))));
            return end;
        }
        if (tokens.isWord(action, "alter") && tokens.isWord(action + 1, "column")) {
            ColumnDefinition column =
                    new TableParser(tokens, normaliser, schema, laterKeys, token + 2, end).alterColumn(action + 2, end);
            steps.add(new TsqlStep.AlterColumn(
                    TableName.internal(tokens, token + 2),
                    column,
                    tokens.text.substring(tokens.start(token), tokens.end(end - 1))));
            return end;
        }
        if (tokens.isWord(action, "drop")) {
            return dropColumns(token, action, end);
        }
        if (!tokens.isWord(action, "add")) {
            return statements.addCql(token, "alter", end);
        }
        TableParser parser = new TableParser(tokens, normaliser, schema, laterKeys, token + 2, end);
        int afterKey = parser.afterTakenKey(action + 1);
        if (afterKey >= 0 && !tokens.isSymbol(afterKey, ',')) {
            return afterKey;
        }
        if (says || behindIf || isTsql(token + 2)) {
            parser.beTsql();
        }
        boolean adds = parser.add(action, end);
        addsTakenKey = parser.hasTakenKey();
        steps.addAll(parser.leftOut());
        if (adds || !parser.constraints().isEmpty()) {
            List<String> added =
                    parser.columns().stream().map(ColumnDefinition::name).toList();
            steps.add(new TsqlStep.AddColumns(
                    TableName.internal(tokens, token + 2),
                    parser.columns(),
                    parser.constraints(),
                    parser.defaults().stream()
                            .filter(each -> added.contains(each.column()))
                            .toList(),
                    unlooked));
        }
        if (adds) {
            addAlter(token, end, parser.closing());
        }
        if (!parser.defaults().isEmpty()) {
            steps.add(new TsqlStep.AddDefaults(TableName.internal(tokens, token + 2), parser.defaults()));
        }
        steps.addAll(parser.indexes());
        return end;
    }

    /** Returns whether T-SQL has made the table whose name begins at a token. */
    private boolean isTsql(int name) {
        return schema.isTsql(exact(name));
    }

    private CqlInsert.Table exact(int name) {
        return SelectList.exact(TableName.internal(tokens, name), schema);
    }

    /** Adds the step that sends an ALTER TABLE, with something after its tokens. */
    private int addAlter(int token, int end, String closing) {
        normaliser.normalise(token, end);
        CqlBuilder out = new CqlBuilder();
        normaliser.copy(out, token, end);
        out.append(closing);
        steps.add(new TsqlStep.Cql(out.toString(), "ALTER", out.parameters()));
        return end;
    }

    /**
     * Refuses anything but names with commas between them. Without {@code ;}, the next statement would be left out
     * together with this one.
     */
    private void requireNames(int from, int end) {
        for (int token = from; token < end; token++) {
            boolean name = (token - from) % 2 == 0;
            if (name ? !tokens.kind(token).isName() : !tokens.isSymbol(token, ',')) {
                throw statements.unseparated(token);
            }
        }
    }

    /** Returns the names that {@link #requireNames} has seen. */
    private List<String> names(int from, int end) {
        List<String> names = new ArrayList<>();
        for (int name = from; name < end; name += 2) {
            names.add(tokens.content(name));
        }
        return names;
    }

    /** Reads T-SQL's {@code DROP COLUMN a, b}, which is {@code DROP (a, b)} in CQL. */
    private int dropColumns(int token, int drop, int end) {
        boolean named =
                tokens.isWord(drop + 1, "constraint") && tokens.kind(drop + 2).isName();
        if (named || dropsConstraint(token + 2, drop + 1, end)) {
            int from = named ? drop + 2 : drop + 1;
            int first = tokens.isWord(from, "if") && tokens.isWord(from + 1, "exists") ? from + 2 : from;
            requireNames(first, end);
            steps.add(new TsqlStep.DropConstraints(
                    TableName.internal(tokens, token + 2),
                    names(first, end),
                    first > from,
                    tokens.text.substring(tokens.start(token), tokens.end(end - 1))));
            return end;
        }
        if (!tokens.isWord(drop + 1, "column") || !tokens.kind(drop + 2).isName()) {
            return statements.addCql(token, "alter", end);
        }
        boolean ifExists = tokens.isWord(drop + 2, "if") && tokens.isWord(drop + 3, "exists");
        normaliser.replace(drop, tokens.text(drop) + (ifExists ? " IF EXISTS (" : " ("));
        normaliser.drop(drop + 1, ifExists ? drop + 4 : drop + 2);
        return addAlter(token, end, ")");
    }

    /**
     * Returns whether a DROP without a word for what it drops is T-SQL's, of a constraint: in CQL it is of a column, which the
     * table then has.
     */
    private boolean dropsConstraint(int table, int first, int end) {
        return first + 1 == end
                && tokens.kind(first).isName()
                && isTsql(table)
                && !schema.isColumn(exact(table), Identifiers.toInternal(tokens.cqlName(first)));
    }

    // ---- behind an IF

    /** Says whether the next statements are behind an IF, which CQL does not have. */
    void behindIf(boolean behind) {
        behindIf = behind;
    }

    /**
     * Returns whether the statement at a token, behind an IF that asks for the same table, can say this itself: CREATE
     * TABLE IF NOT EXISTS or DROP TABLE IF EXISTS.
     */
    boolean servesByItself(IfParser.Condition condition, int token) {
        SchemaObject object = condition.object();
        boolean table = object.kind() == SchemaObject.Kind.TABLE || object.kind() == SchemaObject.Kind.ANY;
        return table
                && tokens.isWord(token, condition.exists() ? "drop" : "create")
                && tokens.isWord(token + 1, "table")
                && TableName.read(tokens, token + 2).first() >= 0
                && TableName.internal(tokens, token + 2).equals(new CqlInsert.Table(object.keyspace(), object.name()));
    }

    /** Reads a statement for which {@link #servesByItself} is true, and returns the token after it. */
    int guarded(int token) {
        boolean drop = tokens.isWord(token, "drop");
        normaliser.replace(token + 1, tokens.text(token + 1) + (drop ? " IF EXISTS" : " IF NOT EXISTS"));
        if (drop) {
            return statements.addCql(
                    token, "drop", TableName.read(tokens, token + 2).end());
        }
        keepsExisting = true;
        normaliser.namesOf(TableName.read(tokens, token + 2));
        int end = createTable(token);
        keepsExisting = false;
        return end;
    }

    /** Returns what an IF without a type of object asks for: a sequence, if the statement behind it is about one. */
    SchemaObject resolved(SchemaObject object, int token) {
        if (object.kind() != SchemaObject.Kind.ANY) {
            return object;
        }
        boolean sequence = tokens.isAnyWord(token, "create", "alter", "drop") && tokens.isWord(token + 1, "sequence");
        return new SchemaObject(
                sequence ? SchemaObject.Kind.SEQUENCE : SchemaObject.Kind.TABLE,
                object.keyspace(),
                object.table(),
                object.name());
    }
}
