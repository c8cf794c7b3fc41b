package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Tells the statements of a script apart by their first words and hands each to what knows it. */
final class TsqlParser {

    private static final Set<String> VERBS = Set.of(
            "select",
            "insert",
            "update",
            "delete",
            "begin",
            "create",
            "alter",
            "drop",
            "truncate",
            "use",
            "grant",
            "revoke",
            "list",
            "describe",
            "desc",
            "set",
            "declare",
            "dbcc",
            "if");

    /** Settings of SQL Server that change neither what a statement means nor what it returns here. */
    private static final Set<String> SETTINGS_WITHOUT_BEARING = Set.of(
            "ansi_defaults",
            "ansi_null_dflt_off",
            "ansi_null_dflt_on",
            "ansi_nulls",
            "ansi_padding",
            "ansi_warnings",
            "arithabort",
            "arithignore",
            "concat_null_yields_null",
            "deadlock_priority",
            "lock_timeout",
            "numeric_roundabort",
            "quoted_identifier",
            "xact_abort",
            "transaction");

    private static final int MOST_STEPS = 100_000;

    private final Tokens tokens;
    private final Schema schema;
    private final Normaliser normaliser;
    private final List<TsqlStep> steps = new ArrayList<>();
    private final Variables variables;

    /** Whether an IF around the CREATE TABLE at hand leaves a table alone that is there. */
    private boolean conditional;

    TsqlParser(Tokens tokens, Schema schema) {
        this.tokens = tokens;
        this.schema = schema;
        this.normaliser = new Normaliser(tokens, schema);
        this.variables = new Variables(tokens, steps);
    }

    List<TsqlStep> steps() {
        int token = 0;
        while (!tokens.isEnd(token)) {
            token = tokens.isSymbol(token, ';') ? token + 1 : statement(token);
            if (steps.size() > MOST_STEPS) {
                throw new UnsupportedSqlException(
                        "a script of more than " + MOST_STEPS + " statements", "send it in parts");
            }
        }
        return steps;
    }

    /** Reads the statement at a token and returns the token after it. */
    private int statement(int token) {
        if (tokens.isSymbol(token, '{')) {
            throw new UnsupportedSqlException(
                    "{call ...}", "Cassandra has no stored procedures; send the procedure's statements");
        }
        if (tokens.kind(token) != Kind.WORD) {
            requireFirst(token);
            return cql(token, "", statementEnd(token), TableName.NONE);
        }
        String verb = tokens.text(token).toLowerCase(Locale.ROOT);
        return switch (verb) {
            case "insert" -> insert(token);
            case "select" -> select(token);
            case "update" -> update(token);
            case "delete" -> delete(token);
            case "set" -> set(token);
            case "use" -> use(token);
            case "begin" -> begin(token);
            case "create", "alter", "drop" -> definition(token, verb);
            case "if" -> {
                int end = ifObjectExists(token);
                if (end < 0) {
                    refuseVerb(verb);
                }
                yield end;
            }
            case "declare" -> variables.declare(token);
            case "dbcc" -> new SequenceParser(tokens, steps).dbcc(token);
            default -> {
                refuseVerb(verb);
                if (!VERBS.contains(verb)) {
                    requireFirst(token);
                }
                yield cql(token, verb, statementEnd(token), TableName.NONE);
            }
        };
    }

    /** What no statement begins with would be refused by Cassandra, after those before it have run. */
    private void requireFirst(int token) {
        if (!steps.isEmpty()) {
            throw unseparated(token);
        }
    }

    private int insert(int token) {
        InsertParser parser = new InsertParser(tokens, normaliser, variables, token);
        steps.add(parser.parse());
        int after = parser.end();
        boolean separated = tokens.isEnd(after) || tokens.isSymbol(after, ';');
        if (tokens.isWord(after, "returning")) {
            throw new UnsupportedSqlException(
                    "INSERT ... RETURNING",
                    "use OUTPUT INSERTED.<column>, or getGeneratedKeys(), as jOOQ does in MYSQL");
        }
        if (!separated && !(tokens.kind(after) == Kind.WORD && isVerb(after))) {
            throw new UnsupportedSqlException(
                    "'" + tokens.text(after) + "' after INSERT", "end the statement with ';' before it");
        }
        return after;
    }

    private boolean isVerb(int token) {
        String verb = tokens.text(token).toLowerCase(Locale.ROOT);
        refuseVerb(verb);
        return VERBS.contains(verb);
    }

    private int select(int token) {
        if (tokens.kind(token + 1) == Kind.VARIABLE && tokens.isSymbol(token + 2, '=')) {
            return variables.assign(token + 1, token + 2);
        }
        SelectIdentityParser identity = new SelectIdentityParser(tokens, variables, token);
        if (identity.matches()) {
            steps.add(identity.step());
            return identity.end();
        }
        int end = statementEnd(token);
        int variable = variables.tableOf(token, end);
        if (variable >= 0) {
            steps.add(variables.select(token, variable, end));
            return end;
        }
        if (nextValue(token, end)) {
            return end;
        }
        CqlText out = new CqlText();
        new SelectParser(tokens, normaliser, token, end).write(out);
        steps.add(new TsqlStep.Cql(out.toString(), "SELECT", out.parameters()));
        return end;
    }

    /** {@code SELECT [label =] NEXT VALUE FOR sequence [[AS] label]}. */
    private boolean nextValue(int select, int end) {
        boolean labelled = tokens.kind(select + 1).isName() && tokens.isSymbol(select + 2, '=');
        int next = labelled ? select + 3 : select + 1;
        if (!tokens.isWord(next, "next") || !tokens.isWord(next + 1, "value") || !tokens.isWord(next + 2, "for")) {
            return false;
        }
        CqlInsert.Table sequence = TableName.internal(tokens, next + 3);
        int after = TableName.read(tokens, next + 3).end();
        int alias = tokens.isWord(after, "as") ? after + 1 : after;
        boolean named = alias + 1 == end
                && (tokens.kind(alias).isName()
                        || tokens.kind(alias) == Kind.STRING
                        || tokens.kind(alias) == Kind.NATIONAL);
        if (after != end && !named) {
            throw new UnsupportedSqlException(
                    "'" + tokens.text(after) + "' after NEXT VALUE FOR", "read one value a statement");
        }
        String label = named ? tokens.content(alias) : labelled ? tokens.content(select + 1) : "";
        steps.add(new TsqlStep.NextValue(sequence, label));
        return true;
    }

    private int update(int token) {
        int end = statementEnd(token);
        TableName table = TableName.read(tokens, token + 1);
        for (int at = token + 2; at < end; at++) {
            if (tokens.isWord(at, "from")) {
                TableName source = onlyTable(at + 1, end);
                boolean same = table.end() == token + 2 && source.first() >= 0 && source.isQualifier(tokens, token + 1);
                if (!same) {
                    throw clause("UPDATE", "FROM");
                }
                // UPDATE p SET ... FROM product p: the table in place of its alias.
                normaliser.replace(
                        token,
                        tokens.text(token) + " "
                                + TableName.read(tokens, at + 1).cql(tokens));
                normaliser.drop(token + 1, token + 2);
                normaliser.drop(at, source.end());
                table = source;
            }
        }
        refuseClauses(token, end, "UPDATE");
        return cql(token, "update", end, table);
    }

    /** Reads a table that WHERE or the end follows, with its alias if it has one; none if more follows. */
    private TableName onlyTable(int token, int end) {
        TableName table = TableName.read(tokens, token);
        if (table.first() < 0) {
            return table;
        }
        int alias = tokens.isWord(table.end(), "as") ? table.end() + 1 : table.end();
        if (alias < end && tokens.kind(alias).isName() && !tokens.isWord(alias, "where")) {
            table = table.withAlias(tokens.content(alias), alias + 1);
        }
        return table.end() >= end || tokens.isWord(table.end(), "where") ? table : TableName.NONE;
    }

    private int delete(int token) {
        int end = statementEnd(token);
        refuseClauses(token, end, "DELETE");
        int from = token;
        while (from < end && !tokens.isWord(from, "from") && !tokens.isWord(from, "where")) {
            from++;
        }
        if (from < end && tokens.isWord(from, "from")) {
            TableName table = onlyTable(from + 1, end);
            if (from == token + 2 && table.hasAlias() && table.isQualifier(tokens, token + 1)) {
                // DELETE p FROM product p: in CQL, the deletion of a column.
                normaliser.drop(token + 1, token + 2);
                normaliser.drop(TableName.read(tokens, from + 1).end(), table.end());
                return cql(token, "delete", end, table);
            }
            return cql(token, "delete", end, TableName.read(tokens, from + 1));
        }
        // T-SQL lets the FROM out.
        normaliser.replace(token, tokens.text(token) + " FROM");
        return cql(token, "delete", end, TableName.read(tokens, token + 1));
    }

    private void refuseClauses(int verb, int end, String name) {
        if (tokens.isWord(verb + 1, "top")
                && (tokens.isSymbol(verb + 2, '(') || tokens.kind(verb + 2) == Kind.NUMBER)) {
            throw clause(name, "TOP");
        }
        for (int token = verb + 1; token < end; token++) {
            if (tokens.isWord(token, "output") && tokens.isAnyWord(token + 1, "deleted", "inserted")) {
                throw clause(name, "OUTPUT");
            }
            if (tokens.isWord(token, "join")
                    && tokens.kind(token + 1).isName()
                    && tokens.kind(token - 1).isName()) {
                throw clause(name, "JOIN");
            }
        }
    }

    private static UnsupportedSqlException clause(String verb, String clause) {
        return new UnsupportedSqlException(
                verb + " ... " + clause, "name the rows by their primary key in WHERE, one table a statement");
    }

    private int set(int token) {
        // A number may have a sign: SET LOCK_TIMEOUT -1.
        int end = statementEnd(token, token + (tokens.isSymbol(token + 2, '-') ? 4 : 3));
        if (tokens.isWord(token + 1, "nocount") && tokens.isAnyWord(token + 2, "on", "off")) {
            steps.add(new TsqlStep.SetNoCount(tokens.isWord(token + 2, "on")));
            return token + 3;
        }
        if (tokens.isWord(token + 1, "identity_insert")) {
            return identityInsert(token);
        }
        if (tokens.kind(token + 1) == Kind.VARIABLE) {
            return variables.assign(token + 1, token + 2);
        }
        String setting = tokens.text(token + 1).toLowerCase(Locale.ROOT);
        if (!SETTINGS_WITHOUT_BEARING.contains(setting)) {
            throw new UnsupportedSqlException("SET " + tokens.text(token + 1), "leave it out");
        }
        if (setting.equals("transaction")) {
            end = isolationLevelEnd(token);
        }
        steps.add(new TsqlStep.Ignored(tokens.text.substring(tokens.start(token), tokens.end(end - 1))));
        return end;
    }

    private int identityInsert(int token) {
        CqlInsert.Table table = TableName.internal(tokens, token + 2);
        int after = TableName.read(tokens, token + 2).end();
        if (!tokens.isAnyWord(after, "on", "off")) {
            throw new UnsupportedSqlException("SET IDENTITY_INSERT ... " + tokens.text(after), "say ON or OFF");
        }
        steps.add(new TsqlStep.SetIdentityInsert(table, tokens.isWord(after, "on")));
        return after + 1;
    }

    /** {@code SET TRANSACTION ISOLATION LEVEL} and one or two words. */
    private int isolationLevelEnd(int token) {
        if (!tokens.isWord(token + 2, "isolation") || !tokens.isWord(token + 3, "level")) {
            throw new UnsupportedSqlException("SET TRANSACTION", "use Connection.setTransactionIsolation");
        }
        return statementEnd(token, token + (tokens.isAnyWord(token + 4, "read", "repeatable") ? 6 : 5));
    }

    private int use(int token) {
        if (!tokens.kind(token + 1).isName()) {
            return cql(token, "use", statementEnd(token), TableName.NONE);
        }
        steps.add(new TsqlStep.Use(Identifiers.toInternal(tokens.cqlName(token + 1))));
        return token + 2;
    }

    private int begin(int token) {
        if (tokens.isAnyWord(token + 1, "tran", "transaction", "distributed")) {
            throw new UnsupportedSqlException(
                    "BEGIN TRANSACTION", "use Connection.setAutoCommit(false), commit() and rollback()");
        }
        boolean batch = tokens.isWord(token + 1, "batch")
                || (tokens.isAnyWord(token + 1, "unlogged", "logged", "counter") && tokens.isWord(token + 2, "batch"));
        if (!batch) {
            throw new UnsupportedSqlException("a BEGIN ... END block", "send its statements one by one");
        }
        int end = token;
        while (!tokens.isEnd(end)) {
            if (tokens.isWord(end, "apply") && tokens.isWord(end + 1, "batch")) {
                return cql(token, "begin", end + 2, TableName.NONE);
            }
            end++;
        }
        return cql(token, "begin", end, TableName.NONE);
    }

    private int definition(int token, String verb) {
        if (tokens.isWord(token + 1, "sequence")) {
            SequenceParser parser = new SequenceParser(tokens, steps);
            return switch (verb) {
                case "create" -> parser.create(token);
                case "alter" -> parser.alter(token);
                default -> parser.drop(token);
            };
        }
        if (tokens.isAnyWord(token + 1, "procedure", "proc", "clustered", "nonclustered")) {
            throw new UnsupportedSqlException(
                    tokens.text(token).toUpperCase(Locale.ROOT) + " "
                            + tokens.text(token + 1).toUpperCase(Locale.ROOT),
                    "Cassandra has no such object");
        }
        if (tokens.isWord(token + 1, "unique")) {
            throw new UnsupportedSqlException(
                    "CREATE UNIQUE INDEX",
                    "keep the values in a table of their own, as its key, and claim one by INSERT ... IF NOT EXISTS");
        }
        if (tokens.isWord(token + 1, "table") && !verb.equals("drop")) {
            return verb.equals("create") ? createTable(token) : alterTable(token);
        }
        return cql(token, verb, statementEnd(token), TableName.NONE);
    }

    private int createTable(int token) {
        boolean ifNotExists =
                tokens.isWord(token + 2, "if") && tokens.isWord(token + 3, "not") && tokens.isWord(token + 4, "exists");
        int name = ifNotExists ? token + 5 : token + 2;
        TableParser parser = new TableParser(tokens, normaliser, schema, name, statementEnd(token));
        int end = parser.create();
        if (!parser.isTsql()) {
            return cql(token, "create", end, TableName.NONE);
        }
        parser.leftOut().forEach(what -> steps.add(new TsqlStep.LeftOut(what)));
        normaliser.normalise(token, end);
        CqlText out = new CqlText();
        normaliser.copy(out, token, end);
        steps.add(new TsqlStep.CreateTable(
                out.toString(), TableName.internal(tokens, name), parser.identity(), ifNotExists || conditional));
        return end;
    }

    private int alterTable(int token) {
        int end = statementEnd(token);
        int action = TableName.read(tokens, token + 2).end();
        if (action < 0) {
            return cql(token, "alter", end, TableName.NONE);
        }
        if (tokens.isWord(action, "with") && tokens.isAnyWord(action + 1, "check", "nocheck")) {
            normaliser.drop(action, action + 2);
            action += 2;
        }
        if (tokens.isAnyWord(action, "check", "nocheck") && tokens.isWord(action + 1, "constraint")) {
            requireNames(action + 2, end);
            steps.add(new TsqlStep.LeftOut(tokens.text.substring(tokens.start(token), tokens.end(end - 1))));
            return end;
        }
        if (tokens.isWord(action, "alter") && tokens.isWord(action + 1, "column")) {
            throw new UnsupportedSqlException(
                    "ALTER TABLE ... ALTER COLUMN",
                    "Cassandra cannot change a type: add a column, and move the values");
        }
        if (tokens.isWord(action, "drop")) {
            return dropColumns(token, action, end);
        }
        if (!tokens.isWord(action, "add")) {
            return cql(token, "alter", end, TableName.NONE);
        }
        TableParser parser = new TableParser(tokens, normaliser, schema, token + 2, end);
        boolean adds = parser.add(action, end);
        parser.leftOut().forEach(what -> steps.add(new TsqlStep.LeftOut(what)));
        if (!adds) {
            return end;
        }
        normaliser.normalise(token, end);
        CqlText out = new CqlText();
        normaliser.copy(out, token, end);
        out.append(parser.closing());
        steps.add(new TsqlStep.Cql(out.toString(), "ALTER", out.parameters()));
        return end;
    }

    /** Refuses what is more than names: a statement that follows without {@code ;} would be left out with this one. */
    private void requireNames(int from, int end) {
        for (int token = from; token < end; token++) {
            boolean name = (token - from) % 2 == 0;
            if (name ? !tokens.kind(token).isName() : !tokens.isSymbol(token, ',')) {
                throw unseparated(token);
            }
        }
    }

    private UnsupportedSqlException unseparated(int token) {
        return new UnsupportedSqlException(
                "'" + tokens.text(token) + "' within or after this statement", "end each statement with ';'");
    }

    /** T-SQL's {@code DROP COLUMN a, b} is {@code DROP (a, b)}. */
    private int dropColumns(int token, int drop, int end) {
        if (tokens.isWord(drop + 1, "constraint") && tokens.kind(drop + 2).isName()) {
            requireNames(tokens.isWord(drop + 2, "if") && tokens.isWord(drop + 3, "exists") ? drop + 4 : drop + 2, end);
            steps.add(new TsqlStep.LeftOut(tokens.text.substring(tokens.start(token), tokens.end(end - 1))));
            return end;
        }
        if (!tokens.isWord(drop + 1, "column") || !tokens.kind(drop + 2).isName()) {
            return cql(token, "alter", end, TableName.NONE);
        }
        normaliser.replace(drop, tokens.text(drop) + " (");
        normaliser.drop(drop + 1, drop + 2);
        normaliser.normalise(token, end);
        CqlText out = new CqlText();
        normaliser.copy(out, token, end);
        out.append(")");
        steps.add(new TsqlStep.Cql(out.toString(), "ALTER", out.parameters()));
        return end;
    }

    /**
     * {@code IF OBJECT_ID('t') IS NULL CREATE TABLE t (...)} and {@code IF OBJECT_ID('t') IS NOT NULL DROP TABLE t}, with or
     * without BEGIN and END; -1 for any other IF.
     */
    private int ifObjectExists(int token) {
        Kind kind = tokens.kind(token + 3);
        if (!tokens.isWord(token + 1, "object_id")
                || !tokens.isSymbol(token + 2, '(')
                || (kind != Kind.STRING && kind != Kind.NATIONAL)) {
            return -1;
        }
        int at = tokens.afterClosing(token + 2);
        boolean not = tokens.isWord(at + 1, "not");
        int then = not ? at + 3 : at + 2;
        if (!tokens.isWord(at, "is") || !tokens.isWord(then - 1, "null")) {
            return -1;
        }
        boolean block = tokens.isWord(then, "begin");
        then += block ? 1 : 0;
        if (!tokens.isWord(then, not ? "drop" : "create") || !tokens.isWord(then + 1, "table")) {
            return -1;
        }
        Tokens checked = new Tokens(tokens.content(token + 3));
        if (!TableName.internal(checked, 0).equals(TableName.internal(tokens, then + 2))) {
            return -1;
        }
        normaliser.replace(then + 1, tokens.text(then + 1) + (not ? " IF EXISTS" : " IF NOT EXISTS"));
        conditional = true;
        int end = not ? dropTable(then, TableName.read(tokens, then + 2).end()) : createTable(then);
        conditional = false;
        if (!block) {
            return end;
        }
        end += tokens.isSymbol(end, ';') ? 1 : 0;
        return tokens.isWord(end, "end") ? end + 1 : -1;
    }

    private int dropTable(int token, int end) {
        return cql(token, "drop", end, TableName.NONE);
    }

    private static void refuseVerb(String verb) {
        String wayOut =
                switch (verb) {
                    case "merge" -> "an INSERT or UPDATE of Cassandra writes the row whether it exists or not";
                    case "exec", "execute", "call" ->
                        "Cassandra has no stored procedures; send the procedure's" + " statements";
                    case "if" ->
                        "put IF NOT EXISTS at the end of the INSERT, or IF <condition> at the end of the" + " UPDATE";
                    case "with" -> "run the common table expression as a statement of its own";
                    case "commit", "rollback", "save" -> "use Connection.commit() and rollback()";
                    case "while",
                            "print",
                            "raiserror",
                            "throw",
                            "return",
                            "goto",
                            "waitfor",
                            "open",
                            "fetch",
                            "close",
                            "deallocate",
                            "bulk",
                            "go" -> "Cassandra runs single statements; do this in the" + " application";
                    default -> "";
                };
        if (!wayOut.isEmpty()) {
            throw new UnsupportedSqlException(verb.toUpperCase(Locale.ROOT), wayOut);
        }
    }

    private int cql(int from, String verb, int end, TableName table) {
        normaliser.normalise(from, end, table);
        CqlText out = new CqlText();
        normaliser.copy(out, from, end);
        steps.add(new TsqlStep.Cql(out.toString(), verb.toUpperCase(Locale.ROOT), out.parameters()));
        return end;
    }

    /** Returns the token of the {@code ;} or the end. */
    private int statementEnd(int token) {
        return statementEnd(token, tokens.size());
    }

    /** Returns {@code most} if the statement goes on until there: short statements must not each look at all the text. */
    private int statementEnd(int token, int most) {
        int end = token;
        while (end < most && !tokens.isEnd(end) && !tokens.isSymbol(end, ';')) {
            end++;
        }
        return end;
    }
}
