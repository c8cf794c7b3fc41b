package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads CREATE, ALTER and DROP SEQUENCE, and DBCC CHECKIDENT. */
final class SequenceParser extends TokenReader {

    private final List<TsqlStep> steps;

    SequenceParser(Tokens tokens, List<TsqlStep> steps) {
        super(tokens, 0);
        this.steps = steps;
    }

    /** Reads the statement at a token and returns the token after it. */
    int create(int create) {
        CqlInsert.Table name = name(create + 2);
        NumericType type = NumericType.BIGINT;
        Long start = null;
        long increment = 1;
        Long minimum = null;
        Long maximum = null;
        while (!atEnd()) {
            if (word("as")) {
                type = type();
            } else if (word("start")) {
                word("with");
                start = number("START WITH");
            } else if (word("increment")) {
                word("by");
                increment = number("INCREMENT BY");
            } else if (word("minvalue")) {
                minimum = number("MINVALUE");
            } else if (word("maxvalue")) {
                maximum = number("MAXVALUE");
            } else if (word("cache")) {
                token += tokens.kind(token) == Kind.NUMBER ? 1 : 0;
            } else if (word("cycle")) {
                throw new UnsupportedSqlException(
                        "CYCLE",
                        "a cycle issues ids a second time, and Cassandra's INSERT would overwrite the rows that have"
                                + " them; leave it out");
            } else if (!(word("no") && (word("minvalue") || word("maxvalue") || word("cycle") || word("cache")))) {
                throw unknown("CREATE SEQUENCE");
            }
        }
        Long first = start != null ? start : increment < 0 ? maximum : minimum;
        if (first == null) {
            throw new UnsupportedSqlException(
                    "CREATE SEQUENCE without START WITH",
                    "give the first id; SQL Server would begin at the lowest number of the type");
        }
        steps.add(new TsqlStep.CreateSequence(name, type, first, increment, minimum, maximum));
        return token;
    }

    private NumericType type() {
        SelectIdentityParser parser = new SelectIdentityParser(tokens, token);
        NumericType type = parser.typeAt(token);
        if (type == null || type == NumericType.NUMERIC) {
            throw new UnsupportedSqlException(
                    "a sequence AS " + tokens.text(token), "make it AS BIGINT, INT or SMALLINT");
        }
        token = parser.end();
        return type;
    }

    int alter(int alter) {
        CqlInsert.Table name = name(alter + 2);
        if (!word("restart")) {
            throw new UnsupportedSqlException(
                    "ALTER SEQUENCE ... " + tokens.text(token), "create another sequence past this one's ids");
        }
        if (!word("with")) {
            throw new UnsupportedSqlException(
                    "ALTER SEQUENCE ... RESTART without WITH",
                    "ids are never issued a second time: give WITH n, an id past every id issued so far");
        }
        steps.add(new TsqlStep.RestartSequence(name, number("RESTART WITH")));
        return token;
    }

    int drop(int drop) {
        token = drop + 2;
        boolean ifExists = word("if") && word("exists");
        do {
            steps.add(new TsqlStep.DropSequence(name(token), ifExists));
        } while (symbol(','));
        return token;
    }

    int dbcc(int dbcc) {
        if (!tokens.isWord(dbcc + 1, "checkident") || !tokens.isSymbol(dbcc + 2, '(')) {
            throw new UnsupportedSqlException("DBCC " + tokens.text(dbcc + 1), "Cassandra has nothing like it");
        }
        token = dbcc + 3;
        CqlInsert.Table table = tableArgument();
        Long reseed = null;
        if (symbol(',') && !word("noreseed")) {
            if (!word("reseed")) {
                throw unknown("DBCC CHECKIDENT");
            }
            if (!symbol(',')) {
                throw new UnsupportedSqlException(
                        "DBCC CHECKIDENT (..., RESEED) without a value",
                        "give the value; the highest id of a table is not searched for");
            }
            reseed = number("RESEED");
        }
        if (!symbol(')')) {
            throw unknown("DBCC CHECKIDENT");
        }
        boolean quiet = word("with") && word("no_infomsgs");
        steps.add(new TsqlStep.CheckIdentity(table, reseed, quiet));
        return token;
    }

    /** A table is given as {@code 'dbo.t'} or as {@code dbo.t}. */
    private CqlInsert.Table tableArgument() {
        Kind kind = tokens.kind(token);
        if (kind != Kind.STRING && kind != Kind.NATIONAL) {
            return name(token);
        }
        Tokens content = new Tokens(tokens.content(token));
        if (!content.isEnd(TableName.read(content, 0).end())) {
            throw new UnsupportedSqlException("DBCC CHECKIDENT (" + tokens.text(token), "name one table");
        }
        token++;
        return TableName.internal(content, 0);
    }

    private CqlInsert.Table name(int at) {
        CqlInsert.Table name = TableName.internal(tokens, at);
        token = TableName.read(tokens, at).end();
        return name;
    }

    private Long number(String what) {
        boolean negative = symbol('-');
        String digits = tokens.text(token);
        @Nullable Long value = tokens.kind(token) == Kind.NUMBER ? parsed(negative ? "-" + digits : digits) : null;
        if (value == null) {
            throw new UnsupportedSqlException(what + " " + digits, "give a whole number of 64 bits");
        }
        token++;
        return value;
    }

    private static @Nullable Long parsed(String number) {
        try {
            return Long.valueOf(number);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private UnsupportedSqlException unknown(String statement) {
        return new UnsupportedSqlException(statement + " ... " + tokens.text(token), "leave it out");
    }

    private boolean atEnd() {
        return tokens.isEnd(token) || tokens.isSymbol(token, ';');
    }
}
