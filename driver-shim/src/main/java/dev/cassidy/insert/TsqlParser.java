package dev.cassidy.insert;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Tells the statements of a script apart by their first words and hands each to what knows it. */
final class TsqlParser {

    private static final Set<String> CQL_VERBS = Set.of(
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
            "set");

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

    private final Tokens tokens;
    private final Normaliser normaliser;
    private final List<TsqlStep> steps = new ArrayList<>();

    TsqlParser(Tokens tokens) {
        this.tokens = tokens;
        this.normaliser = new Normaliser(tokens);
    }

    List<TsqlStep> steps() {
        int token = 0;
        while (!tokens.isEnd(token)) {
            token = tokens.isSymbol(token, ';') ? token + 1 : statement(token);
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
            case "create", "alter" -> definition(token, verb);
            default -> {
                refuseVerb(verb);
                yield cql(token, verb, statementEnd(token), TableName.NONE);
            }
        };
    }

    private int insert(int token) {
        InsertParser parser = new InsertParser(tokens, normaliser, token);
        steps.add(parser.parse());
        int after = parser.end();
        boolean separated = tokens.isEnd(after) || tokens.isSymbol(after, ';');
        if (!separated && !(tokens.kind(after) == Kind.WORD && isVerb(after))) {
            throw new UnsupportedSqlException(
                    "'" + tokens.text(after) + "' after INSERT", "end the statement with ';' before it");
        }
        return after;
    }

    private boolean isVerb(int token) {
        String verb = tokens.text(token).toLowerCase(Locale.ROOT);
        refuseVerb(verb);
        return CQL_VERBS.contains(verb);
    }

    private int select(int token) {
        SelectIdentityParser identity = new SelectIdentityParser(tokens, token);
        if (identity.matches()) {
            steps.add(identity.step());
            return identity.end();
        }
        int end = statementEnd(token);
        CqlText out = new CqlText();
        new SelectParser(tokens, normaliser, token, end).write(out);
        steps.add(new TsqlStep.Cql(out.toString(), "SELECT", out.parameters()));
        return end;
    }

    private int update(int token) {
        int end = statementEnd(token);
        for (int at = token + 2; at < end; at++) {
            if (tokens.isWord(at, "from")) {
                throw clause("UPDATE", "FROM");
            }
        }
        refuseClauses(token, end, "UPDATE");
        return cql(token, "update", end, TableName.read(tokens, token + 1));
    }

    private int delete(int token) {
        int end = statementEnd(token);
        refuseClauses(token, end, "DELETE");
        int from = token;
        while (from < end && !tokens.isWord(from, "from") && !tokens.isWord(from, "where")) {
            from++;
        }
        if (from < end && tokens.isWord(from, "from")) {
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
        int end = Math.min(statementEnd(token), token + 3);
        if (tokens.isWord(token + 1, "nocount") && tokens.isAnyWord(token + 2, "on", "off")) {
            steps.add(new TsqlStep.SetNoCount(tokens.isWord(token + 2, "on")));
            return token + 3;
        }
        if (tokens.isWord(token + 1, "identity_insert")) {
            throw new UnsupportedSqlException(
                    "SET IDENTITY_INSERT",
                    "leave it out; an explicit id behind the sequence's first id is accepted without it");
        }
        if (tokens.kind(token + 1) == Kind.VARIABLE) {
            throw new UnsupportedSqlException("SET " + tokens.text(token + 1), "pass the value as a parameter, ?");
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

    /** {@code SET TRANSACTION ISOLATION LEVEL} and one or two words. */
    private int isolationLevelEnd(int token) {
        if (!tokens.isWord(token + 2, "isolation") || !tokens.isWord(token + 3, "level")) {
            throw new UnsupportedSqlException("SET TRANSACTION", "use Connection.setTransactionIsolation");
        }
        return Math.min(statementEnd(token), token + (tokens.isAnyWord(token + 4, "read", "repeatable") ? 6 : 5));
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
        if (tokens.isAnyWord(token + 1, "procedure", "proc", "clustered", "nonclustered", "sequence")) {
            throw new UnsupportedSqlException(
                    tokens.text(token).toUpperCase(Locale.ROOT) + " "
                            + tokens.text(token + 1).toUpperCase(Locale.ROOT),
                    "Cassandra has no such object");
        }
        int end = statementEnd(token);
        for (int at = token + 2; at < end; at++) {
            boolean typed = tokens.isAnyWord(at - 1, "int", "bigint", "smallint", "tinyint", "integer")
                    || tokens.isSymbol(at - 1, ')');
            if (tokens.isWord(at, "identity") && (typed || tokens.isSymbol(at + 1, '('))) {
                throw new UnsupportedSqlException(
                        "IDENTITY in a table's definition",
                        "create the table without it and register the column: java -jar"
                                + " migration-tool/target/migration-tool.jar register --table <ks>.<table> --column"
                                + " <col> --start <n>");
            }
        }
        return cql(token, verb, end, TableName.NONE);
    }

    private static void refuseVerb(String verb) {
        String wayOut =
                switch (verb) {
                    case "merge" -> "an INSERT or UPDATE of Cassandra writes the row whether it exists or not";
                    case "declare" ->
                        "pass values as parameters and read keys with getGeneratedKeys() or SELECT"
                                + " SCOPE_IDENTITY()";
                    case "exec", "execute", "call" ->
                        "Cassandra has no stored procedures; send the procedure's" + " statements";
                    case "if" ->
                        "put IF NOT EXISTS at the end of the INSERT, or IF <condition> at the end of the" + " UPDATE";
                    case "dbcc" -> "raise a sequence with Sequences.advancePast(name, id)";
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
        int end = token;
        while (!tokens.isEnd(end) && !tokens.isSymbol(end, ';')) {
            end++;
        }
        return end;
    }
}
