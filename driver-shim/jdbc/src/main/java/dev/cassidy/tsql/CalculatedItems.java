package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The items of a SELECT's list that the driver calculates: arithmetic, SUM and AVG, and casts to numbers. In their place
 * the statement selects the columns that they need. Of a SUM the server returns the sum as a decimal, which cannot wrap,
 * and the number of values: Cassandra's sum of nothing is 0, and SQL Server's null.
 */
final class CalculatedItems {

    private final Tokens tokens;
    private final Normaliser normaliser;
    private final TableName table;

    /** The table by its internal name; null if none is read. */
    private final CqlInsert.@Nullable Table exact;

    private final List<Calculation.Output> outputs = new ArrayList<>();
    private final List<Calculation.Argument> arguments = new ArrayList<>();
    private int served;
    private boolean any;
    private boolean all;

    /** The first column outside of functions; null if there is none. */
    private @Nullable String column;

    CalculatedItems(Tokens tokens, Normaliser normaliser, TableName table, CqlInsert.@Nullable Table exact) {
        this.exact = exact;
        this.tokens = tokens;
        this.normaliser = normaliser;
        this.table = table;
    }

    /** Returns whether any item is calculated. */
    boolean any() {
        return any;
    }

    /** Returns a column that is an operand outside of functions; null if there is none. */
    @Nullable
    String column() {
        return column;
    }

    /** Returns how the items of the list come from what is sent. */
    Calculation calculation(CqlInsert.Table of, String from) {
        if (all) {
            throw new UnsupportedSqlException(
                    "* beside calculated columns", "name the columns: SELECT a, b, a * b AS product");
        }
        String terms = String.join(
                ", ", arguments.stream().map(Calculation.Argument::cql).toList());
        return new Calculation(outputs, arguments, of, "SELECT " + terms + " " + from);
    }

    /** Notes the columns that {@code *} stands for. */
    void serve(int columns) {
        for (int i = 0; i < columns; i++) {
            outputs.add(new Calculation.Output.Served(served++));
        }
    }

    /** Notes an item that the server returns as it is. */
    private void serve(int from, int to) {
        all |= tokens.isSymbol(to - 1, '*') && (to - from == 1 || tokens.isSymbol(to - 2, '.'));
        outputs.add(new Calculation.Output.Served(served++));
    }

    /**
     * Handles an item, and marks what has to change if it is calculated.
     *
     * @param from the first token of the item with its alias
     * @param first the first token without it
     * @param label the alias by its internal name; null for none
     * @return whether it is calculated
     */
    boolean item(int from, int to, int first, int last, @Nullable String label) {
        if (!concerns(first, last) || isLiteralCast(first, last)) {
            serve(first, last);
            return false;
        }
        Parser parser = new Parser();
        Expression expression = parser.read(first, last);
        boolean whole = expression != null && parser.end() == last;
        if (parser.obstacle() == ExpressionParser.Obstacle.DURATION
                || (whole && (parser.joinsTexts() || (parser.isSumAlone() && parser.hasText)))) {
            // CQL has these operators too.
            serve(first, last);
            return false;
        }
        if (expression == null || parser.end() != last || parser.obstacle() != ExpressionParser.Obstacle.NONE) {
            throw ConstantFolder.refused(tokens, first, last, parser.obstacle());
        }
        if (expression.isConstant() && parser.operators() == 0) {
            // A literal.
            serve(first, last);
            return false;
        }
        // A row needs a column, even if everything in it is constant.
        String columns = parser.columns.isEmpty() ? "(int)1" : String.join(", ", parser.columns);
        served += Math.max(1, parser.columns.size());
        any = true;
        normaliser.replace(from, columns);
        normaliser.drop(from + 1, to);
        outputs.add(new Calculation.Output.Calculated(label == null ? label(expression) : label, expression));
        return true;
    }

    /** As the server names it; nothing for arithmetic, as in SQL Server. */
    private String label(Expression expression) {
        return expression instanceof Expression.Aggregate aggregate
                        && aggregate.argument() instanceof Expression.Argument argument
                ? "system." + (aggregate.average() ? "avg" : "sum") + "(" + argument.cql() + ")"
                : "";
    }

    private boolean isLiteralCast(int first, int last) {
        LiteralCast cast = LiteralCast.read(tokens, first);
        return cast != null && cast.end() == last;
    }

    private boolean concerns(int first, int last) {
        boolean concerns = false;
        for (int token = first; token < last; token++) {
            if (tokens.kind(token) == Kind.VARIABLE || tokens.isWord(token, "select")) {
                // Refused by its name later.
                return false;
            }
            concerns |= isArithmetic(token, first) && !isSignOfLiteral(token);
        }
        return concerns;
    }

    /** The minus of {@code f(a, -1)}, {@code m[-1]} and {@code {a: -1}}. */
    private boolean isSignOfLiteral(int token) {
        return tokens.isSymbol(token, '-')
                && tokens.kind(token + 1) == Kind.NUMBER
                && (tokens.isSymbol(token - 1, '(')
                        || tokens.isSymbol(token - 1, ',')
                        || tokens.isSymbol(token - 1, '[')
                        || tokens.isSymbol(token - 1, '{')
                        || tokens.isSymbol(token - 1, ':'));
    }

    private boolean isArithmetic(int token, int first) {
        if (tokens.isSymbol(token, '*')) {
            return token > first && !tokens.isSymbol(token - 1, '(') && !tokens.isSymbol(token - 1, '.');
        }
        return ConstantFolder.isOperator(tokens, token)
                || isAggregate(token)
                || isFunction(token, "abs")
                || ExpressionParser.isNumericCast(tokens, token);
    }

    private boolean isAggregate(int token) {
        return isFunction(token, "sum") || isFunction(token, "avg");
    }

    /** Returns whether one of the server's own functions is called, in quotes or not. */
    private boolean isFunction(int token, String name) {
        boolean own = !tokens.isSymbol(token - 1, '.') || tokens.isWord(token - 2, "system");
        return tokens.isSymbol(token + 1, '(')
                && own
                && tokens.kind(token).isName()
                && Identifiers.toInternal(tokens.cqlName(token)).equals(name);
    }

    private final class Parser extends ExpressionParser {

        private final int base = served;
        private final List<String> columns = new ArrayList<>();
        private boolean inAggregate;

        /** Whether a column of texts is among the operands. */
        private boolean hasText;

        Parser() {
            super(CalculatedItems.this.tokens);
        }

        @Override
        @Nullable
        Expression term(int from, int end) {
            int name = tokens.isWord(from, "system") && tokens.isSymbol(from + 1, '.') ? from + 2 : from;
            if (isAggregate(name)) {
                return aggregate(name);
            }
            if (isFunction(name, "abs")) {
                return absolute(name);
            }
            if (tokens.isAnyWord(from, "isnull", "coalesce") && tokens.isSymbol(from + 1, '(')) {
                return firstValue(from);
            }
            int token = from + 1;
            while (token + 1 < end
                    && tokens.isSymbol(token, '.')
                    && tokens.kind(token + 1).isName()) {
                token += 2;
            }
            boolean column = true;
            while (token < end && (tokens.isSymbol(token, '(') || tokens.isSymbol(token, '['))) {
                int close = closing(token);
                if (close < 0) {
                    return null;
                }
                requirePlain(from, token + 1, close);
                token = close + 1;
                column = false;
            }
            moveTo(token);
            return operand(from, token, column);
        }

        private Expression operand(int from, int to, boolean isColumn) {
            NumberType as = isColumn
                    ? null
                    : tokens.isWord(from, "count")
                            ? NumberType.INT
                            : tokens.isWord(from, "count_big") ? NumberType.BIGINT : null;
            String cql = text(from, to);
            String name = isColumn && new Tokens(cql).size() == 2 ? Identifiers.toInternal(cql) : null;
            if (!inAggregate) {
                column = column == null ? name : column;
                hasText |= name != null && isText(name);
                return new Expression.Column(add(cql), as);
            }
            arguments.add(new Calculation.Argument(name, cql));
            return new Expression.Argument(arguments.size() - 1, cql);
        }

        private boolean isText(String column) {
            return exact != null && normaliser.schema().isText(exact, column);
        }

        private String text(int from, int to) {
            normaliser.normalise(from, to, table);
            CqlBuilder out = new CqlBuilder();
            normaliser.copy(out, from, to);
            return out.toString();
        }

        private int add(String cql) {
            columns.add(cql);
            return base + columns.size() - 1;
        }

        /** The server would calculate what stands within a function's brackets. */
        private void requirePlain(int from, int open, int close) {
            boolean duration = false;
            boolean arithmetic = false;
            for (int token = open; token < close; token++) {
                if (tokens.kind(token) == Kind.MARKER) {
                    throw ConstantFolder.refused(tokens, from, close + 1, Obstacle.PARAMETER);
                }
                arithmetic |= isArithmetic(token, open) && !isSignOfLiteral(token);
                duration |= tokens.kind(token) == Kind.NUMBER && isDuration(tokens.text(token));
            }
            if (arithmetic && !duration) {
                throw new UnsupportedSqlException(
                        "arithmetic within " + tokens.text(from) + "(...)",
                        "the server's would have other types, and wrap: calculate with the function's result, or in the"
                                + " application");
            }
        }

        private @Nullable Expression aggregate(int name) {
            int close = closing(name + 1);
            if (close < 0) {
                return null;
            }
            if (inAggregate) {
                throw new UnsupportedSqlException("an aggregate within an aggregate", "run one statement for each");
            }
            inAggregate = true;
            Expression of = within(name + 2, close);
            inAggregate = false;
            moveTo(close + 1);
            if (of == null || obstacle() != Obstacle.NONE) {
                return of;
            }
            String sum = decimal(of, false);
            String counted = of instanceof Expression.Argument argument ? argument.cql() : sum;
            return new Expression.Aggregate(
                    isFunction(name, "avg"), of, add("SUM(" + sum + ")"), add("COUNT(" + counted + ")"));
        }

        /** Returns what the server sums up: as decimals its results are exact. */
        private String decimal(Expression of, boolean brackets) {
            if (of instanceof Expression.Argument argument) {
                return "CAST(" + argument.cql() + " AS decimal)";
            }
            if (of instanceof Expression.Constant constant) {
                return "(decimal)" + constant.number();
            }
            if (of instanceof Expression.Cast cast) {
                return decimal(cast.of(), brackets);
            }
            if (of instanceof Expression.Negated negated) {
                return "(decimal)-1 * " + decimal(negated.of(), true);
            }
            if (of instanceof Expression.Binary binary
                    && binary.operator() != NumberType.Operator.DIVIDE
                    && binary.operator() != NumberType.Operator.MODULO) {
                String cql = decimal(binary.left(), true) + " " + binary.operator().sign + " "
                        + decimal(binary.right(), true);
                return brackets ? "(" + cql + ")" : cql;
            }
            throw new UnsupportedSqlException(
                    "this calculation within an aggregate",
                    "columns and numbers with +, - and * can be summed up: divide the result of the aggregate, or"
                            + " calculate in the application");
        }

        private @Nullable Expression absolute(int name) {
            int close = closing(name + 1);
            Expression of = inAggregate || close < 0 ? null : within(name + 2, close);
            moveTo(close + 1);
            return of == null || obstacle() != Obstacle.NONE ? of : new Expression.Absolute(of);
        }

        private @Nullable Expression firstValue(int name) {
            int close = closing(name + 1);
            List<Expression> of = new ArrayList<>();
            int depth = 0;
            int start = name + 2;
            for (int token = start; token <= close; token++) {
                if (token == close || (depth == 0 && tokens.isSymbol(token, ','))) {
                    Expression value = within(start, token);
                    if (value == null) {
                        return null;
                    }
                    of.add(value);
                    start = token + 1;
                } else {
                    depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
                }
            }
            moveTo(close + 1);
            boolean two = tokens.isWord(name, "isnull");
            if (inAggregate || of.isEmpty() || (two && of.size() != 2)) {
                return null;
            }
            return new Expression.FirstValue(of, two);
        }
    }
}
