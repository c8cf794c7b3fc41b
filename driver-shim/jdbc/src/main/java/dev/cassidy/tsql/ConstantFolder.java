package dev.cassidy.tsql;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import org.jspecify.annotations.Nullable;

/**
 * Calculates the arithmetic of constants in values, {@code VALUES (7 / 2)}, {@code SET n = 2 * 3} and {@code WHERE id = 1
 * + 1}, because Cassandra calculates in the type of the column, and wraps. Arithmetic with parameters, columns and
 * functions is refused by name. Literals of texts are joined, and a text that is joined with NULL is NULL. CQL's
 * arithmetic of dates and durations, and other texts that are joined, stay as they are.
 */
final class ConstantFolder {

    private final Tokens tokens;
    private final Normaliser normaliser;
    private final Parser parser;

    ConstantFolder(Tokens tokens, Normaliser normaliser) {
        this.tokens = tokens;
        this.normaliser = normaliser;
        this.parser = new Parser(tokens);
    }

    /** Returns whether any operator of arithmetic stands in a span, be it the sign of a literal. */
    static boolean mayConcern(Tokens tokens, int from, int to) {
        for (int token = from; token < to; token++) {
            if (isOperator(tokens, token)) {
                return true;
            }
        }
        return false;
    }

    static boolean isOperator(Tokens tokens, int token) {
        return tokens.isSymbol(token, '+')
                || tokens.isSymbol(token, '-')
                || tokens.isSymbol(token, '*')
                || tokens.isSymbol(token, '/')
                || tokens.isSymbol(token, '%');
    }

    /** Marks what has to change in the conditions or values of a span. */
    void fold(int from, int to) {
        if (!mayConcern(tokens, from, to)) {
            return;
        }
        int token = from;
        while (token < to) {
            token = mayBegin(token) ? one(token, to) : token + 1;
        }
    }

    /** A bracket behind IN, or behind a name, is not one around a term. */
    private boolean mayBegin(int token) {
        boolean list = tokens.isSymbol(token, '(')
                && tokens.kind(token - 1).isName()
                && (tokens.isWord(token - 1, "in") || !Words.isOperator(tokens, token - 1));
        return !list && !normaliser.isDropped(token);
    }

    private int one(int from, int to) {
        Expression expression = parser.read(from, to);
        int end = parser.end();
        if (expression == null) {
            return from + 1;
        }
        if (parser.joinsTexts() && isJoinedLiterals(from, end)) {
            normaliser.fold(from, end, joined(from, end));
            return end;
        }
        if (parser.joinsTexts() && !isWithin(from, end) && hasNull(from, end)) {
            // So that the rules of its column know it.
            normaliser.fold(from, end, nullOf(from, end));
            return end;
        }
        if (parser.operators() == 0 || parser.joinsTexts() || parser.obstacle() == ExpressionParser.Obstacle.DURATION) {
            // Within the brackets of a function there may be more.
            return isCall(from, end) && parser.operators() == 0 ? from + 1 : end;
        }
        // Behind a type, a collection or their operator, as in CQL's (double)7 / 2, it is not the whole expression.
        boolean binary = isOperator(tokens, from) && Words.endsTerm(tokens, from - 1);
        boolean whole = !binary && !tokens.closes(from - 1) && !isOperator(tokens, from - 1);
        if (!whole || parser.obstacle() != ExpressionParser.Obstacle.NONE || !expression.isConstant()) {
            throw refused(tokens, from, end, parser.obstacle());
        }
        normaliser.fold(from, end, expression instanceof Expression.Constant constant ? text(constant) : "NULL");
        return end;
    }

    /** Of other terms the server joins the texts. */
    private boolean isJoinedLiterals(int from, int end) {
        for (int token = from; token < end; token++) {
            boolean text = tokens.kind(token) == Kind.STRING || tokens.kind(token) == Kind.NATIONAL;
            if (!text && !tokens.isSymbol(token, '+') && !tokens.isSymbol(token, '(') && !tokens.isSymbol(token, ')')) {
                return false;
            }
        }
        // In CQL, ('Int32Type') in front of a term is its type.
        boolean closed = tokens.isEnd(end)
                || tokens.isSymbol(end, ',')
                || tokens.isSymbol(end, ')')
                || tokens.isSymbol(end, ';');
        return (closed || !tokens.isSymbol(end - 1, ')')) && !isWithin(from, end);
    }

    /** Returns whether it is joined with what comes before or after it. */
    private boolean isWithin(int from, int end) {
        return isOperator(tokens, from - 1) || isOperator(tokens, end);
    }

    /** Returns whether an operand is NULL, or NULL that is cast; the arguments of other functions are none. */
    private boolean hasNull(int from, int end) {
        int token = from;
        while (token < end) {
            boolean first = token == from || isOperator(tokens, token - 1) || tokens.isSymbol(token - 1, '(');
            boolean last = token + 1 == end || isOperator(tokens, token + 1) || tokens.isSymbol(token + 1, ')');
            if (tokens.isWord(token, "null") && first && last) {
                return true;
            }
            boolean list = tokens.opens(token)
                    && (!tokens.isSymbol(token, '(')
                            || (token > from && tokens.kind(token - 1).isName()));
            if (!list) {
                token++;
                continue;
            }
            int after = Math.min(tokens.afterClosing(token), end);
            if (tokens.isAnyWord(token - 1, "cast", "convert") && hasNullCast(token, after - 1)) {
                return true;
            }
            token = after;
        }
        return false;
    }

    /** Of {@code CAST(NULL AS type)} and {@code CONVERT(type, NULL)}. */
    private boolean hasNullCast(int open, int close) {
        boolean cast = tokens.isWord(open - 1, "cast");
        int start = open + 1;
        int depth = 0;
        for (int token = start; token < close; token++) {
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            if (depth == 0 && cast && tokens.isWord(token, "as")) {
                return hasNull(start, token);
            }
            if (depth == 0 && !cast && tokens.isSymbol(token, ',')) {
                if (start > open + 1) {
                    return hasNull(start, token);
                }
                start = token + 1;
            }
        }
        return !cast && start > open + 1 && hasNull(start, close);
    }

    private String nullOf(int from, int end) {
        for (int token = from; token < end; token++) {
            if (tokens.kind(token) == Kind.MARKER) {
                throw new UnsupportedSqlException(
                        "a parameter that is joined with NULL, "
                                + tokens.text.substring(tokens.start(from), tokens.end(end - 1)),
                        "the result is NULL, whatever the parameter is: write NULL");
            }
        }
        return "NULL";
    }

    /** Joined here, so that the rules of its column know the text. */
    private String joined(int from, int end) {
        StringBuilder text = new StringBuilder();
        for (int token = from; token < end; token++) {
            if (tokens.kind(token) == Kind.STRING || tokens.kind(token) == Kind.NATIONAL) {
                text.append(tokens.content(token));
            }
        }
        return "'" + text.toString().replace("'", "''") + "'";
    }

    private boolean isCall(int from, int end) {
        return end > from + 1 && tokens.kind(from).isName();
    }

    private static String text(Expression.Constant constant) {
        return constant.number().toString();
    }

    /** The error for arithmetic that is not served. */
    static UnsupportedSqlException refused(Tokens tokens, int from, int to, ExpressionParser.Obstacle obstacle) {
        String written = tokens.text.substring(tokens.start(from), tokens.end(to - 1));
        String shown = written.length() <= 60 ? written : written.substring(0, 60) + " ...";
        return switch (obstacle) {
            case PARAMETER ->
                new UnsupportedSqlException(
                        "arithmetic with a parameter, " + shown,
                        "its type is known to the application: calculate there, and pass the result as the parameter");
            case TEXT ->
                new UnsupportedSqlException("an operator with a text, " + shown, "write the number without quotes");
            case MONEY ->
                new UnsupportedSqlException("arithmetic with an amount of money, " + shown, "write it without the $");
            default ->
                new UnsupportedSqlException(
                        "the arithmetic " + shown,
                        "CQL's would have other types, and wrap: read the columns, calculate in the application, and"
                                + " pass the result as a parameter");
        };
    }

    /**
     * Handles the value of an assignment of an UPDATE. {@code c = c + 1} is CQL's own form for counters and collections,
     * and stays.
     *
     * @param from the token after SET or a comma
     */
    void assignment(int from, int to) {
        int value = from;
        while (value < to && !tokens.isSymbol(value, '=')) {
            value += 1;
        }
        value++;
        // Brackets, and not an alias, which is dropped too.
        value += tokens.isSymbol(value, '(') && normaliser.isDropped(value) ? 1 : 0;
        if (!mayConcern(tokens, value, to)) {
            return;
        }
        int changed = changeOf(value, to);
        if (changed == 0) {
            fold(value, to);
        } else if (changed > 0) {
            fold(changed, to);
        }
    }

    /**
     * Returns the token of x in {@code name + x} and {@code name - x}, where x is one term; -1 for {@code x + name}; 0 for
     * anything else.
     */
    private int changeOf(int from, int to) {
        int name = from;
        while (tokens.kind(name).isName()
                && tokens.isSymbol(name + 1, '.')
                && tokens.kind(name + 2).isName()) {
            name += 2;
        }
        boolean first = tokens.kind(name).isName()
                && !tokens.isWord(name, "null")
                && (tokens.isSymbol(name + 1, '+') || tokens.isSymbol(name + 1, '-'));
        if (first && isOneTerm(name + 2, to)) {
            return name + 2;
        }
        boolean last = to - from > 2
                && tokens.kind(to - 1).isName()
                && !tokens.isWord(to - 1, "null")
                && tokens.isSymbol(to - 2, '+');
        return last && isOneTerm(from, to - 2) ? -1 : 0;
    }

    private boolean isOneTerm(int from, int to) {
        int first = tokens.isSymbol(from, '-') || tokens.isSymbol(from, '+') ? from + 1 : from;
        if (to - first == 1) {
            Kind kind = tokens.kind(first);
            return kind == Kind.NUMBER || kind == Kind.MARKER || kind == Kind.STRING || kind == Kind.NATIONAL;
        }
        return first == from
                && (tokens.isSymbol(from, '{') || tokens.isSymbol(from, '['))
                && tokens.afterClosing(from) == to;
    }

    /** Constants alone: names, functions and parameters are passed over. */
    private static final class Parser extends ExpressionParser {

        Parser(Tokens tokens) {
            super(tokens);
        }

        @Override
        @Nullable
        Expression term(int from, int end) {
            if (tokens.isWord(from, "next") && tokens.isWord(from + 1, "value")) {
                // Refused by its name later.
                return null;
            }
            int token = from + 1;
            while (token + 1 < end
                    && tokens.isSymbol(token, '.')
                    && tokens.kind(token + 1).isName()) {
                token += 2;
            }
            while (token < end && (tokens.isSymbol(token, '(') || tokens.isSymbol(token, '['))) {
                int close = closing(token);
                if (close < 0) {
                    return null;
                }
                token = close + 1;
            }
            return notConstant(token);
        }
    }
}
