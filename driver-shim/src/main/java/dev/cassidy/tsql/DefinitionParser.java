package dev.cassidy.tsql;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads CREATE, ALTER and DROP, also behind {@code IF OBJECT_ID(...)}. */
final class DefinitionParser {

    private final Tokens tokens;
    private final Schema schema;
    private final Normaliser normaliser;
    private final Statements statements;
    private final List<TsqlStep> steps;

    /** Whether an IF around the CREATE TABLE leaves an existing table alone. */
    private boolean keepsExisting;

    DefinitionParser(Tokens tokens, Schema schema, Normaliser normaliser, Statements statements, List<TsqlStep> steps) {
        this.tokens = tokens;
        this.schema = schema;
        this.normaliser = normaliser;
        this.statements = statements;
        this.steps = steps;
    }

    /**
     * Reads a CREATE, ALTER or DROP and returns the token after it.
     *
     * @param verb the statement's first word, in lower case
     */
    int parse(int token, String verb) {
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
        if (verb.equals("drop") && tokens.isWord(token + 1, "table")) {
            boolean ifExists = tokens.isWord(token + 2, "if") && tokens.isWord(token + 3, "exists");
            normaliser.namesOf(TableName.read(tokens, ifExists ? token + 4 : token + 2));
        }
        return statements.addCql(token, verb, statements.end(token));
    }

    private int createTable(int token) {
        boolean ifNotExists =
                tokens.isWord(token + 2, "if") && tokens.isWord(token + 3, "not") && tokens.isWord(token + 4, "exists");
        int name = ifNotExists ? token + 5 : token + 2;
        normaliser.namesOf(TableName.read(tokens, name));
        TableParser parser = new TableParser(tokens, normaliser, schema, name, statements.end(token));
        int end = parser.create();
        if (!parser.isTsql()) {
            return statements.addCql(token, "create", end);
        }
        parser.leftOut().forEach(what -> steps.add(new TsqlStep.LeftOut(what)));
        normaliser.normalise(token, end);
        CqlText out = new CqlText();
        normaliser.copy(out, token, end);
        steps.add(new TsqlStep.CreateTable(
                out.toString(),
                TableName.internal(tokens, name),
                parser.identity(),
                ifNotExists || keepsExisting,
                order(parser, token, end)));
        return end;
    }

    private @Nullable ColumnOrder order(TableParser parser, int from, int end) {
        for (int token = from; token < end; token++) {
            // A comment of its own among the options of CQL.
            if (tokens.isWord(token, "comment") && tokens.isSymbol(token + 1, '=')) {
                return null;
            }
        }
        TsqlStep.IdentityColumn identity = parser.identity();
        return new ColumnOrder(parser.columns(), identity == null ? null : identity.column());
    }

    private int alterTable(int token) {
        int end = statements.end(token);
        normaliser.namesOf(TableName.read(tokens, token + 2));
        int action = TableName.read(tokens, token + 2).end();
        if (action < 0) {
            return statements.addCql(token, "alter", end);
        }
        if (tokens.isWord(action, "with") && tokens.isAnyWord(action + 1, "check", "nocheck")) {
            normaliser.drop(action, action + 2);
            action += 2;
        }
        if (tokens.isAnyWord(action, "check", "nocheck") && tokens.isWord(action + 1, "constraint")) {
            requireNames(action + 2, end);
            return leaveOut(token, end);
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
            return statements.addCql(token, "alter", end);
        }
        TableParser parser = new TableParser(tokens, normaliser, schema, token + 2, end);
        boolean adds = parser.add(action, end);
        parser.leftOut().forEach(what -> steps.add(new TsqlStep.LeftOut(what)));
        if (!adds) {
            return end;
        }
        return addAlter(token, end, parser.closing());
    }

    /** Adds the step that sends an ALTER TABLE, with a text after its tokens. */
    private int addAlter(int token, int end, String closing) {
        normaliser.normalise(token, end);
        CqlText out = new CqlText();
        normaliser.copy(out, token, end);
        out.append(closing);
        steps.add(new TsqlStep.Cql(out.toString(), "ALTER", out.parameters()));
        return end;
    }

    private int leaveOut(int token, int end) {
        steps.add(new TsqlStep.LeftOut(tokens.text.substring(tokens.start(token), tokens.end(end - 1))));
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

    /** Reads T-SQL's {@code DROP COLUMN a, b}, which is {@code DROP (a, b)} in CQL. */
    private int dropColumns(int token, int drop, int end) {
        if (tokens.isWord(drop + 1, "constraint") && tokens.kind(drop + 2).isName()) {
            requireNames(tokens.isWord(drop + 2, "if") && tokens.isWord(drop + 3, "exists") ? drop + 4 : drop + 2, end);
            return leaveOut(token, end);
        }
        if (!tokens.isWord(drop + 1, "column") || !tokens.kind(drop + 2).isName()) {
            return statements.addCql(token, "alter", end);
        }
        normaliser.replace(drop, tokens.text(drop) + " (");
        normaliser.drop(drop + 1, drop + 2);
        return addAlter(token, end, ")");
    }

    /**
     * Reads {@code IF OBJECT_ID('t') IS NULL CREATE TABLE t (...)} or {@code IF OBJECT_ID('t') IS NOT NULL DROP TABLE t},
     * with or without BEGIN and END.
     *
     * @return the token after it; -1 for any other IF
     */
    int ifObjectExists(int token) {
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
        keepsExisting = true;
        normaliser.namesOf(TableName.read(tokens, then + 2));
        int end = not
                ? statements.addCql(
                        then, "drop", TableName.read(tokens, then + 2).end())
                : createTable(then);
        keepsExisting = false;
        if (!block) {
            return end;
        }
        end += tokens.isSymbol(end, ';') ? 1 : 0;
        return tokens.isWord(end, "end") ? end + 1 : -1;
    }
}
