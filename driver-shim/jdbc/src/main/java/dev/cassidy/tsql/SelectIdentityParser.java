package dev.cassidy.tsql;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import org.jspecify.annotations.Nullable;

/**
 * Recognises {@code SELECT [label =] expression [[AS] label]}, where the expression is {@code SCOPE_IDENTITY()} or {@code
 * @@IDENTITY}, bare or within one CAST or CONVERT.
 */
final class SelectIdentityParser extends TokenReader {

    private final int select;
    private String label = "";
    private @Nullable NumericType type;

    SelectIdentityParser(Tokens tokens, int select) {
        super(tokens, select);
        this.select = select;
    }

    /**
     * Returns whether the statement is exactly that.
     *
     * @param statementEnd the token after the statement
     */
    boolean matches(int statementEnd) {
        token = select + 1;
        if (tokens.kind(token).isName() && tokens.isSymbol(token + 1, '=')) {
            label = tokens.content(token);
            token += 2;
        }
        return expression() && alias(statementEnd) && token == statementEnd;
    }

    TsqlStep.SelectIdentity step() {
        return new TsqlStep.SelectIdentity(label, type == null ? NumericType.NUMERIC : type);
    }

    /** Returns the token after the statement. */
    int end() {
        return token;
    }

    private boolean expression() {
        if (tokens.isWord(token, "cast") && tokens.isSymbol(token + 1, '(')) {
            token += 2;
            return identity() && word("as") && numericType() && symbol(')');
        }
        if (tokens.isWord(token, "convert") && tokens.isSymbol(token + 1, '(')) {
            token += 2;
            return numericType() && symbol(',') && identity() && symbol(')');
        }
        return identity();
    }

    private boolean identity() {
        if (tokens.kind(token) == Kind.VARIABLE && tokens.text(token).equalsIgnoreCase("@@identity")) {
            token++;
            return true;
        }
        return word("scope_identity") && symbol('(') && symbol(')');
    }

    /** Reads a numeric type at a token; {@link #end} is then the token after it. */
    @Nullable
    NumericType typeAt(int at) {
        token = at;
        return numericType() ? type : null;
    }

    private boolean numericType() {
        if (word("bigint")) {
            type = NumericType.BIGINT;
            return true;
        }
        if (word("int") || word("integer")) {
            type = NumericType.INT;
            return true;
        }
        if (word("smallint")) {
            type = NumericType.SMALLINT;
            return true;
        }
        type = NumericType.NUMERIC;
        return (word("numeric") || word("decimal") || word("dec")) && precision();
    }

    private boolean precision() {
        if (!symbol('(')) {
            return true;
        }
        boolean digits = tokens.kind(token++) == Kind.NUMBER;
        if (symbol(',')) {
            // Another scale would change the number.
            digits &= tokens.text(token++).equals("0");
        }
        return digits && symbol(')');
    }

    private boolean alias(int statementEnd) {
        boolean as = word("as");
        Kind kind = tokens.kind(token);
        boolean names = kind.isName() || kind == Kind.STRING || kind == Kind.NATIONAL;
        if (names && token < statementEnd) {
            label = tokens.content(token++);
            return true;
        }
        return !as;
    }
}
