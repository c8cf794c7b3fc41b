package dev.cassidy.tsql;

import dev.cassidy.definition.SqlType;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import org.jspecify.annotations.Nullable;

/**
 * What DECLARE says of one variable, without its first value.
 *
 * @param type null of a table variable
 * @param columns the bracket that opens the columns of a table variable; -1 of any other
 * @param end the token after it
 */
record DeclaredVariable(@Nullable SqlType type, int columns, int end) {

    private static final String WAY_OUT = "pass values as parameters, and read keys with getGeneratedKeys(), OUTPUT"
            + " INSERTED.<column> or SELECT SCOPE_IDENTITY()";

    /** Reads what stands behind DECLARE or a comma. */
    static DeclaredVariable read(Tokens tokens, int variable) {
        if (tokens.kind(variable) != Kind.VARIABLE) {
            throw refused(tokens, variable);
        }
        int token = tokens.isWord(variable + 1, "as") ? variable + 2 : variable + 1;
        if (tokens.isWord(token, "table") && tokens.isSymbol(token + 1, '(')) {
            return new DeclaredVariable(null, token + 1, tokens.afterClosing(token + 1));
        }
        int end = endOfType(tokens, token);
        return new DeclaredVariable(type(tokens, variable, token, end), -1, end);
    }

    /** Returns the token after a type. */
    static int endOfType(Tokens tokens, int from) {
        int token = from;
        if (tokens.isWord(token, "sys") && tokens.isSymbol(token + 1, '.')) {
            token += 2;
        }
        token += tokens.isWord(token, "national") ? 2 : 1;
        token += tokens.isAnyWord(token, "varying", "precision") ? 1 : 0;
        return tokens.isSymbol(token, '(') ? tokens.afterClosing(token) : token;
    }

    private static SqlType type(Tokens tokens, int variable, int from, int end) {
        if (!tokens.kind(from).isName()) {
            throw refused(tokens, variable);
        }
        String written = tokens.kind(from) == Kind.WORD
                ? tokens.text.substring(tokens.start(from), tokens.end(end - 1))
                : tokens.content(from) + tokens.text.substring(tokens.end(from), tokens.end(end - 1));
        SqlType type = SqlType.parse(written).orElseThrow(() -> refused(tokens, variable));
        SqlType.wrongSize(written).ifPresent(wrong -> {
            throw UnsupportedSqlException.asSqlServer(
                    wrong.number(), "The type of " + tokens.text(variable) + ": " + wrong.rule());
        });
        switch (type.name()) {
            case TEXT, NTEXT, IMAGE ->
                throw UnsupportedSqlException.asSqlServer(
                        2739,
                        "The text, ntext, and image data types are invalid for local variables: declare "
                                + tokens.text(variable) + " as NVARCHAR(MAX) or VARBINARY(MAX)");
            default -> {
                return type;
            }
        }
    }

    static UnsupportedSqlException refused(Tokens tokens, int variable) {
        return new UnsupportedSqlException(
                "DECLARE " + tokens.text(variable)
                        + (tokens.kind(variable) == Kind.VARIABLE
                                ? " " + tokens.text(tokens.isWord(variable + 1, "as") ? variable + 2 : variable + 1)
                                : ""),
                WAY_OUT);
    }
}
