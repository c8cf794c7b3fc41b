package dev.cassidy.insert;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A SELECT, INSERT, UPDATE or DELETE of CQL with a marker for each literal: what is prepared then holds no value, and
 * statements that differ in their values are one statement. The values of an IN are one marker, whatever their number, and so is a
 * collection. NULL stays, for a bound null is another thing where a row is new; the operands of arithmetic stay, because
 * their type would be another one. Immutable.
 *
 * @param original the statement as it was
 * @param text the statement with markers
 * @param terms where the value of each marker of {@code text} comes from, in order
 * @param tried whether some markers stand where the server may not be able to tell the type of the value: for arguments
 *     of functions, and in the list of a SELECT
 */
public record ParameterizedStatement(String original, String text, List<Term> terms, boolean tried) {

    /**
     * The value of a marker.
     *
     * @param marker the index of the original statement's {@code ?}, from 0; -1 for a literal
     * @param literal null for a {@code ?} of the original statement
     */
    public record Term(int marker, @Nullable CqlLiteral literal) {}

    public ParameterizedStatement {
        terms = List.copyOf(terms);
    }

    /** Returns whether any literal became a marker. */
    public boolean isMarked() {
        return !text.equals(original);
    }

    /** Marks every literal. What is no such statement is returned as it is. */
    public static ParameterizedStatement of(String cql) {
        return new Walk(new Tokens(cql), true).walk();
    }

    /** Returns a statement as it is, with so many markers of its own. */
    public static ParameterizedStatement unmarked(String cql, int markers) {
        List<Term> terms = new ArrayList<>(markers);
        for (int marker = 0; marker < markers; marker++) {
            terms.add(new Term(marker, null));
        }
        return new ParameterizedStatement(cql, cql, terms, false);
    }

    /**
     * Returns the same statement, with markers only where the server can always tell the type of the value.
     *
     * @throws UnsupportedSqlException if a literal that stays may be a date, which the server reads leniently
     */
    public ParameterizedStatement certain() {
        return tried ? new Walk(new Tokens(original), false).walk() : this;
    }

    /** Walks once over a statement. */
    private static final Pattern DATE = Pattern.compile(
            "\\s*([0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{8}(?![0-9])|[0-9]{1,2}:[0-9]{2}|[0-9]{1,2}[/.][0-9]{1,2}[/.][0-9]{2,4})");

    /** Cassandra takes it for milliseconds or days, and nothing for null. */
    private static final Pattern NUMBER = Pattern.compile("\\s*-?[0-9]*\\s*");

    private static final class Walk {

        /** Before a bracket, these words are no function. */
        private static final String[] NO_FUNCTIONS = {
            "in",
            "values",
            "and",
            "or",
            "where",
            "if",
            "by",
            "set",
            "limit",
            "distinct",
            "select",
            "not",
            "contains",
            "key",
            "of",
            "json",
            "between",
            "using"
        };

        /** Before a square bracket, these words are no column. */
        private static final String[] NO_COLUMNS = {"of", "contains", "key", "in", "and", "between", "values", "like"};

        private final Tokens tokens;
        private final boolean all;
        private final StringBuilder text = new StringBuilder();
        private final List<Term> terms = new ArrayList<>();
        private final List<Boolean> functions = new ArrayList<>();
        private int inFunctions;
        private boolean inList;
        private boolean tried;
        private int copied;
        private int markers;

        Walk(Tokens tokens, boolean all) {
            this.tokens = tokens;
            this.all = all;
        }

        ParameterizedStatement walk() {
            boolean read = tokens.isWord(0, "select");
            if (!read && !tokens.isAnyWord(0, "insert", "update", "delete")) {
                return unmarked(tokens.text, tokens.markers());
            }
            inList = read;
            int token = 1;
            while (!tokens.isEnd(token)) {
                token = step(token);
            }
            text.append(tokens.text, copied, tokens.text.length());
            return new ParameterizedStatement(tokens.text, text.toString(), terms, tried);
        }

        /** Handles what begins at a token; returns the token after it. */
        private int step(int token) {
            if (tokens.kind(token) == Kind.MARKER) {
                terms.add(new Term(markers++, null));
                return token + 1;
            }
            if (inList && functions.isEmpty() && tokens.isWord(token, "from")) {
                inList = false;
                return token + 1;
            }
            if (tokens.isWord(token, "in") && tokens.isSymbol(token + 1, '(') && !tokens.isSymbol(token - 1, ')')) {
                CqlLiteral.Found values = CqlLiteral.read(tokens, token + 1);
                if (values != null
                        && values.literal() instanceof CqlLiteral.Tuple tuple
                        && tuple.parts().stream().noneMatch(CqlLiteral.Null.class::isInstance)) {
                    put(token + 1, values.end(), new CqlLiteral.Listed(tuple.parts()));
                    return values.end();
                }
            }
            if (tokens.isSymbol(token, '(')) {
                boolean function = tokens.kind(token - 1).isName() && !tokens.isAnyWord(token - 1, NO_FUNCTIONS);
                functions.add(function);
                inFunctions += function ? 1 : 0;
                return token + 1;
            }
            if (tokens.isSymbol(token, ')') && !functions.isEmpty()) {
                inFunctions -= functions.remove(functions.size() - 1) ? 1 : 0;
                return token + 1;
            }
            if (tokens.isSymbol(token, '{') || (tokens.isSymbol(token, '[') && !isIndex(token))) {
                return collection(token);
            }
            return scalar(token);
        }

        private boolean isIndex(int bracket) {
            return tokens.isSymbol(bracket - 1, ']')
                    || (tokens.kind(bracket - 1).isName() && !tokens.isAnyWord(bracket - 1, NO_COLUMNS));
        }

        private int collection(int token) {
            CqlLiteral.Found found = CqlLiteral.read(tokens, token);
            if (found != null) {
                return literal(token, found);
            }
            int end = tokens.afterClosing(token);
            for (int inner = token; inner < end; inner++) {
                if (tokens.kind(inner) == Kind.MARKER) {
                    terms.add(new Term(markers++, null));
                }
                refuseDate(inner, false);
            }
            return end;
        }

        private int scalar(int token) {
            Kind kind = tokens.kind(token);
            boolean signed = tokens.isSymbol(token, '-') && isSign(token);
            boolean literal = kind == Kind.STRING || kind == Kind.NATIONAL || kind == Kind.NUMBER || signed;
            if (!literal && !tokens.isWord(token, "true") && !tokens.isWord(token, "false")) {
                return token + 1;
            }
            CqlLiteral.Found found = CqlLiteral.read(tokens, token);
            return found == null ? token + 1 : literal(token, found);
        }

        /** Returns whether a minus belongs to the number after it, and is no operator. */
        private boolean isSign(int minus) {
            int before = minus - 1;
            if (tokens.kind(before) == Kind.SYMBOL) {
                return tokens.isSymbol(before, ')') ? isTypeHint(before) : !tokens.isSymbol(before, ']');
            }
            // Of USING TTL; a column may have this name too.
            boolean option =
                    tokens.isAnyWord(before, "ttl", "timestamp") && tokens.isAnyWord(before - 1, "using", "and");
            return option || tokens.isAnyWord(before, "and", "between", "limit", "select", "in");
        }

        /** Returns whether a bracket closes a type in front of a term, {@code (int)-1}, and no term. */
        private boolean isTypeHint(int closer) {
            int open = closer - 1;
            while (open > 0 && !tokens.isSymbol(open, '(')) {
                boolean part = tokens.kind(open).isName()
                        || tokens.isSymbol(open, '<')
                        || tokens.isSymbol(open, '>')
                        || tokens.isSymbol(open, ',')
                        || tokens.isSymbol(open, '.');
                if (!part) {
                    return false;
                }
                open--;
            }
            return !tokens.kind(open - 1).isName() || tokens.isAnyWord(open - 1, NO_FUNCTIONS);
        }

        private int literal(int token, CqlLiteral.Found found) {
            boolean uncertain = inList || inFunctions > 0;
            if (isOperand(token, found.end()) || isFixed(token, found)) {
                refuseDate(token, tokens.isSymbol(token - 1, '+') || tokens.isSymbol(found.end(), '+'));
            } else if (uncertain && !all) {
                refuseDate(token, false);
            } else {
                tried |= uncertain;
                put(token, found.end(), found.literal());
            }
            return found.end();
        }

        /** Returns whether the term is part of arithmetic, other than of {@code c = c + 1}. */
        private boolean isOperand(int from, int end) {
            if (isOperator(end)) {
                // ['a'] + c: what is prepended to a list.
                boolean prepended = tokens.isSymbol(end, '+')
                        && tokens.isSymbol(from - 1, '=')
                        && tokens.kind(end + 1).isName()
                        && !isOperator(end + 2)
                        && (tokens.isSymbol(from, '[') || tokens.isSymbol(from, '{'));
                return !prepended;
            }
            if (!isOperator(from - 1) || (tokens.isSymbol(from - 1, '*') && inList)) {
                return false;
            }
            boolean added = (tokens.isSymbol(from - 1, '+') || tokens.isSymbol(from - 1, '-'))
                    && tokens.kind(from - 2).isName()
                    && tokens.isSymbol(from - 3, '=')
                    && tokens.kind(from - 4).isName();
            return !added;
        }

        private boolean isOperator(int token) {
            return tokens.isSymbol(token, '+')
                    || tokens.isSymbol(token, '-')
                    || tokens.isSymbol(token, '*')
                    || tokens.isSymbol(token, '/')
                    || tokens.isSymbol(token, '%');
        }

        /** Returns whether the grammar takes no marker there: COUNT(1), a duration in a function, a type's dimensions. */
        private boolean isFixed(int token, CqlLiteral.Found found) {
            boolean counted = tokens.isSymbol(token - 1, '(') && tokens.isWord(token - 2, "count");
            boolean duration = found.literal() instanceof CqlLiteral.Duration && inFunctions > 0;
            boolean dimensions = tokens.isSymbol(found.end(), '>') && tokens.isSymbol(token - 1, ',');
            return counted || duration || dimensions;
        }

        private void put(int from, int end, CqlLiteral literal) {
            int start = tokens.start(from);
            text.append(tokens.text, copied, start);
            // 5AND is 5 AND, and IN(1) is IN (1).
            if (start > 0 && Character.isLetterOrDigit(tokens.text.charAt(start - 1))) {
                text.append(' ');
            }
            text.append('?');
            copied = tokens.end(end - 1);
            if (copied < tokens.text.length() && Character.isLetterOrDigit(tokens.text.charAt(copied))) {
                text.append(' ');
            }
            terms.add(new Term(-1, literal));
        }

        /** @param joined whether it is an operand of +, which joins texts and adds no numbers of days to dates */
        private void refuseDate(int token, boolean joined) {
            Kind kind = tokens.kind(token);
            if ((kind == Kind.STRING || kind == Kind.NATIONAL) && mayBeDate(tokens.content(token), joined)) {
                throw new UnsupportedSqlException(
                        "the string " + tokens.text(token) + " within an expression",
                        "as a date Cassandra would read it in its own way: give it as a parameter, or compute the value"
                                + " in the application");
            }
        }

        private static boolean mayBeDate(String content, boolean joined) {
            return DATE.matcher(content).lookingAt()
                    || (!joined && NUMBER.matcher(content).matches());
        }
    }
}
