package dev.cassidy.tsql;

import dev.cassidy.definition.SqlType;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import org.jspecify.annotations.Nullable;

/**
 * A term whose value is known without calculating: a parameter, also within a CAST to a whole number or NUMERIC, or a literal.
 *
 * @param parameter the index of the parameter; -1 of a literal
 * @param literal the value of a literal; null of a parameter, and of NULL
 * @param cast what the parameter is cast to; null if it is not
 */
record ValueTerm(
        int parameter, @Nullable Object literal, @Nullable SqlType cast) {

    /** Reads the term that the tokens are; null if they are anything else. */
    static @Nullable ValueTerm read(Tokens tokens, int from, int to) {
        int first = from;
        int last = to;
        while (last - first > 2 && tokens.isSymbol(first, '(') && tokens.afterClosing(first) == last) {
            first++;
            last--;
        }
        if (last - first == 1 && tokens.kind(first) == Kind.MARKER) {
            return new ValueTerm(tokens.markerIndex(first), null, null);
        }
        LiteralTerm literal = last > first ? LiteralTerm.read(tokens, first, last) : null;
        if (literal == null) {
            return cast(tokens, first, last);
        }
        boolean whole = literal.type() == LiteralTerm.Type.INT;
        return new ValueTerm(-1, whole ? Integer.valueOf(literal.text()) : literal.value(), null);
    }

    private static @Nullable ValueTerm cast(Tokens tokens, int first, int last) {
        boolean converts = tokens.isWord(first, "convert");
        if (!(converts || tokens.isWord(first, "cast"))
                || !tokens.isSymbol(first + 1, '(')
                || tokens.afterClosing(first + 1) != last) {
            return null;
        }
        int type = converts ? first + 2 : first + 4;
        int end = DeclaredVariable.endOfType(tokens, type);
        int value = converts ? end + 1 : first + 2;
        boolean whole = converts
                ? tokens.isSymbol(end, ',') && value + 1 == last - 1
                : tokens.isWord(first + 3, "as") && end == last - 1;
        if (!whole || tokens.kind(value) != Kind.MARKER) {
            return null;
        }
        SqlType to = SqlType.parse(tokens.text.substring(tokens.start(type), tokens.end(end - 1)))
                .orElse(null);
        return to != null && isWhole(to) ? new ValueTerm(tokens.markerIndex(value), null, to) : null;
    }

    private static boolean isWhole(SqlType type) {
        return switch (type.name()) {
            case TINYINT, SMALLINT, INT, BIGINT -> true;
            case DECIMAL, NUMERIC -> type.scale() == 0;
            default -> false;
        };
    }
}
