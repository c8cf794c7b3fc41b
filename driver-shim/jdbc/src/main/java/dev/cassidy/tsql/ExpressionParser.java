package dev.cassidy.tsql;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads arithmetic by T-SQL's precedence, and calculates what is constant. A sign binds less than {@code *}, as in SQL
 * Server: {@code -1 / -2 * 3} is {@code -(1 / -(2 * 3))}.
 */
abstract class ExpressionParser {

    /** Numbers of T-SQL and CQL; no uuid, no blob, and no duration such as 1h30m. */
    private static final Pattern NUMBER = Pattern.compile("[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?");

    private static final Set<String> UNITS = Set.of("y mo w d h m s ms us \u00b5s ns".split(" ", -1));

    private static final int MAX_OPERATORS = 200;
    private static final int MAX_NESTED = 50;

    /** What a span could not be read as. */
    enum Obstacle {
        NONE,
        /** A duration: CQL's own arithmetic of dates and times. */
        DURATION,
        PARAMETER,
        TEXT,
        MONEY,
        /** A column or a function, where only constants can be calculated. */
        NOT_CONSTANT
    }

    final Tokens tokens;
    private int token;
    private int to;
    private int operators;
    private int nested;
    private boolean texts;
    private boolean sumsAlone;
    private Obstacle obstacle = Obstacle.NONE;

    ExpressionParser(Tokens tokens) {
        this.tokens = tokens;
    }

    /**
     * Reads the expression that begins at a token, as far as it goes.
     *
     * @return null if none begins there, or if it is not finished before {@code end}
     */
    final @Nullable Expression read(int from, int end) {
        token = from;
        to = end;
        operators = 0;
        nested = 0;
        texts = false;
        sumsAlone = true;
        obstacle = Obstacle.NONE;
        return sum();
    }

    /** Returns the token after what was read. */
    final int end() {
        return token;
    }

    /** Returns how many operators were read; the sign of a literal is none. */
    final int operators() {
        return operators;
    }

    /** Returns what of the expression is no number that can be calculated with. */
    final Obstacle obstacle() {
        return obstacle;
    }

    /** Returns whether {@code +} is the only operator: then texts can be joined by it. */
    final boolean isSumAlone() {
        return sumsAlone;
    }

    /** Returns whether what was read joins texts, as CQL does too: numbers are not joined with them. */
    final boolean joinsTexts() {
        return texts && sumsAlone;
    }

    /** What stands for a term that is no number; only its obstacle counts. */
    private Expression foreign(Obstacle found) {
        if (obstacle == Obstacle.NONE || found == Obstacle.DURATION) {
            obstacle = found;
        }
        return new Expression.Null();
    }

    /** Passes over a term that is no constant. */
    final Expression notConstant(int after) {
        token = after;
        return foreign(Obstacle.NOT_CONSTANT);
    }

    /** Moves to a token. */
    final void moveTo(int after) {
        token = after;
    }

    /** Reads the expression within brackets that ends before {@code end}, with the same operators; null for none. */
    final @Nullable Expression within(int from, int end) {
        int outer = to;
        token = from;
        to = end;
        Expression inner = nested() ? sum() : null;
        nested--;
        boolean whole = token == end;
        to = outer;
        return whole ? inner : null;
    }

    private boolean nested() {
        return ++nested <= MAX_NESTED;
    }

    private void operator() {
        if (++operators > MAX_OPERATORS) {
            throw new UnsupportedSqlException(
                    "an expression of more than " + MAX_OPERATORS + " operators", "calculate it in the application");
        }
    }

    private @Nullable Expression sum() {
        Expression left = signed();
        while (left != null && token < to && (tokens.isSymbol(token, '+') || tokens.isSymbol(token, '-'))) {
            NumberType.Operator operator =
                    tokens.isSymbol(token, '+') ? NumberType.Operator.PLUS : NumberType.Operator.MINUS;
            left = joined(operator, left, true);
        }
        return left;
    }

    private @Nullable Expression joined(NumberType.Operator operator, Expression left, boolean product) {
        operator();
        sumsAlone &= operator == NumberType.Operator.PLUS;
        token++;
        Expression right = product || isSign(token) ? signed() : primary();
        if (right == null) {
            return null;
        }
        // Nothing is calculated with a text, or in place of a parameter.
        return obstacle == Obstacle.NONE ? Expression.of(operator, left, right) : left;
    }

    private boolean isSign(int at) {
        return at < to && (tokens.isSymbol(at, '-') || tokens.isSymbol(at, '+'));
    }

    private @Nullable Expression signed() {
        if (!isSign(token)) {
            return product();
        }
        boolean minus = tokens.isSymbol(token, '-');
        token++;
        boolean literal = tokens.kind(token) == Kind.NUMBER || isPoint(token) || tokens.isSymbol(token, '$');
        if (!literal) {
            operator();
            sumsAlone = false;
        }
        Expression of = nested() ? signed() : null;
        nested--;
        return of == null || !minus || obstacle != Obstacle.NONE ? of : Expression.negated(of);
    }

    private @Nullable Expression product() {
        Expression left = primary();
        while (left != null && token < to) {
            NumberType.Operator operator = tokens.isSymbol(token, '*')
                    ? NumberType.Operator.TIMES
                    : tokens.isSymbol(token, '/')
                            ? NumberType.Operator.DIVIDE
                            : tokens.isSymbol(token, '%') ? NumberType.Operator.MODULO : null;
            if (operator == null) {
                break;
            }
            left = joined(operator, left, false);
        }
        return left;
    }

    private @Nullable Expression primary() {
        if (token >= to) {
            return null;
        }
        return switch (tokens.kind(token)) {
            case NUMBER -> number();
            case STRING, NATIONAL -> {
                token++;
                texts = true;
                yield foreign(Obstacle.TEXT);
            }
            case MARKER -> {
                token++;
                yield foreign(Obstacle.PARAMETER);
            }
            case WORD, QUOTED, BRACKETED -> named();
            case SYMBOL -> symbol();
            default -> null;
        };
    }

    private @Nullable Expression symbol() {
        if (isPoint(token)) {
            String text = "0." + tokens.text(token + 1);
            token += 2;
            return NUMBER.matcher(text).matches() ? new Expression.Constant(SqlNumber.literal(text)) : null;
        }
        if (tokens.isSymbol(token, '$') && tokens.kind(token + 1) == Kind.NUMBER) {
            token += 2;
            return foreign(Obstacle.MONEY);
        }
        if (!tokens.isSymbol(token, '(')) {
            return null;
        }
        int close = closing(token);
        if (close < 0) {
            return null;
        }
        Expression inner = within(token + 1, close);
        token = close + 1;
        return inner;
    }

    /** Returns the bracket that closes the one at a token; -1 if there is none before the end of the span. */
    final int closing(int open) {
        int depth = 0;
        for (int at = open; at < to; at++) {
            depth += tokens.opens(at) ? 1 : tokens.closes(at) ? -1 : 0;
            if (depth == 0) {
                return at;
            }
        }
        return -1;
    }

    /** Returns whether the token is the point of a number without digits before it. */
    private boolean isPoint(int at) {
        return tokens.isSymbol(at, '.')
                && tokens.kind(at + 1) == Kind.NUMBER
                && tokens.end(at) == tokens.start(at + 1)
                && !(tokens.kind(at - 1).isName() && tokens.end(at - 1) == tokens.start(at));
    }

    private Expression number() {
        String text = tokens.text(token);
        token++;
        if (!NUMBER.matcher(text).matches()) {
            return foreign(isDuration(text) ? Obstacle.DURATION : Obstacle.NOT_CONSTANT);
        }
        boolean point = tokens.isSymbol(token, '.')
                && tokens.start(token) == tokens.end(token - 1)
                && text.chars().allMatch(Character::isDigit)
                && !tokens.isSymbol(token + 1, '.');
        if (point) {
            // 5. is a decimal without a scale.
            token++;
            SqlNumber whole = SqlNumber.literal(text);
            return new Expression.Constant(
                    whole.as(NumberType.decimal(whole.exact().precision(), 0)));
        }
        return new Expression.Constant(SqlNumber.literal(text));
    }

    /** Returns whether it is a duration such as 1h30m; by hand, because a regular expression needs a stack for a long one. */
    static boolean isDuration(String number) {
        String text = number.toLowerCase(Locale.ROOT);
        int at = 0;
        boolean known = !text.isEmpty();
        while (known && at < text.length()) {
            int unit = at;
            while (unit < text.length() && Character.isDigit(text.charAt(unit))) {
                unit++;
            }
            int end = unit;
            while (end < text.length() && !Character.isDigit(text.charAt(end))) {
                end++;
            }
            known = unit > at && UNITS.contains(text.substring(unit, end));
            at = end;
        }
        return known;
    }

    private @Nullable Expression named() {
        if (tokens.isWord(token, "null") && !tokens.isSymbol(token + 1, '.')) {
            token++;
            return new Expression.Null();
        }
        if (Words.isOperator(tokens, token)
                || tokens.isAnyWord(token, "if", "exists", "contains", "true", "false", "end")
                || (tokens.isWord(token, "key") && tokens.isWord(token - 1, "contains"))) {
            return null;
        }
        Expression cast = cast();
        return cast != null ? cast : term(token, to);
    }

    /** Reads a term that begins with a name, and moves past it; null if it is none. */
    abstract @Nullable Expression term(int from, int end);

    // ---- CAST and CONVERT

    /** Returns whether a cast to a number begins at a token. */
    static boolean isNumericCast(Tokens tokens, int at) {
        return target(tokens, at) != null;
    }

    /** @param of the first token of what is cast */
    private record Target(NumberType type, int of, int end) {}

    private static @Nullable Target target(Tokens tokens, int at) {
        if (!tokens.isAnyWord(at, "cast", "convert") || !tokens.isSymbol(at + 1, '(')) {
            return null;
        }
        int close = tokens.afterClosing(at + 1) - 1;
        if (tokens.isWord(at, "convert")) {
            int comma = at + 3;
            comma = tokens.isSymbol(comma, '(') ? tokens.afterClosing(comma) : comma;
            NumberType type = tokens.isSymbol(comma, ',') ? type(tokens, at + 2, comma) : null;
            return type == null ? null : new Target(type, comma + 1, close);
        }
        int depth = 0;
        for (int as = at + 2; as < close; as++) {
            depth += tokens.opens(as) ? 1 : tokens.closes(as) ? -1 : 0;
            if (depth == 0 && tokens.isWord(as, "as")) {
                NumberType type = type(tokens, as + 1, close);
                return type == null ? null : new Target(type, at + 2, as);
            }
        }
        return null;
    }

    private static @Nullable NumberType type(Tokens tokens, int from, int to) {
        if (tokens.kind(from) != Kind.WORD && tokens.kind(from) != Kind.BRACKETED) {
            return null;
        }
        List<Integer> sizes = new ArrayList<>();
        if (to > from + 1) {
            if (!tokens.isSymbol(from + 1, '(') || !tokens.isSymbol(to - 1, ')')) {
                return null;
            }
            for (int at = from + 2; at < to - 1; at++) {
                boolean size = (at - from) % 2 == 0;
                if (size ? !tokens.text(at).matches("[0-9]{1,3}") : !tokens.isSymbol(at, ',')) {
                    return null;
                }
                if (size) {
                    sizes.add(Integer.valueOf(tokens.text(at)));
                }
            }
        }
        return NumberType.named(tokens.content(from), sizes);
    }

    private @Nullable Expression cast() {
        Target target = target(tokens, token);
        if (target == null) {
            return null;
        }
        int close = closing(token + 1);
        int begin = token;
        LiteralTerm literal = LiteralTerm.read(tokens, target.of, target.end);
        if (literal != null && literal.type() == LiteralTerm.Type.TEXT) {
            LiteralCast read = LiteralCast.read(tokens, begin);
            token = close + 1;
            return read == null
                    ? foreign(Obstacle.TEXT)
                    : new Expression.Constant(SqlNumber.of(target.type, new BigDecimal(read.literal())));
        }
        Expression of = close < 0 ? null : within(target.of, target.end);
        token = close + 1;
        if (of == null) {
            token = begin;
            return null;
        }
        return obstacle == Obstacle.NONE ? Expression.cast(of, target.type) : of;
    }
}
