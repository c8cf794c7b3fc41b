package dev.cassidy.assist.eval;

import dev.cassidy.assist.tree.Backslashes;
import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.SqlType.Name;
import dev.cassidy.jdbc.assist.EvaluationException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import net.sf.jsqlparser.expression.AnalyticExpression;
import net.sf.jsqlparser.expression.BinaryExpression;
import net.sf.jsqlparser.expression.CaseExpression;
import net.sf.jsqlparser.expression.CastExpression;
import net.sf.jsqlparser.expression.DoubleValue;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.Function;
import net.sf.jsqlparser.expression.HexValue;
import net.sf.jsqlparser.expression.JdbcParameter;
import net.sf.jsqlparser.expression.LongValue;
import net.sf.jsqlparser.expression.NullValue;
import net.sf.jsqlparser.expression.SignedExpression;
import net.sf.jsqlparser.expression.StringValue;
import net.sf.jsqlparser.expression.TimeKeyExpression;
import net.sf.jsqlparser.expression.TranscodingFunction;
import net.sf.jsqlparser.expression.TrimFunction;
import net.sf.jsqlparser.expression.WhenClause;
import net.sf.jsqlparser.expression.operators.arithmetic.Addition;
import net.sf.jsqlparser.expression.operators.arithmetic.BitwiseAnd;
import net.sf.jsqlparser.expression.operators.arithmetic.BitwiseOr;
import net.sf.jsqlparser.expression.operators.arithmetic.BitwiseXor;
import net.sf.jsqlparser.expression.operators.arithmetic.Division;
import net.sf.jsqlparser.expression.operators.arithmetic.Modulo;
import net.sf.jsqlparser.expression.operators.arithmetic.Multiplication;
import net.sf.jsqlparser.expression.operators.arithmetic.Subtraction;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.statement.select.Select;
import org.jspecify.annotations.Nullable;

/** Writes what has a value: columns, literals, parameters, operators, CASE, CAST, subqueries. */
final class ExpressionWriter {

    private static final int MAX_DIGITS = 38;

    private final Writers writers;
    private final AggregateWriter aggregates;
    private final CallWriter calls;

    ExpressionWriter(Writers writers) {
        this.writers = writers;
        this.aggregates = new AggregateWriter(writers);
        this.calls = new CallWriter(writers, aggregates);
    }

    Typed write(Expression expression, Scope scope) {
        writers.writing().enter();
        Typed written = plain(expression, scope);
        writers.writing().checked(written.sql());
        writers.writing().leave();
        return written;
    }

    private Typed plain(Expression expression, Scope scope) {
        if (expression instanceof Column column) {
            Typed value = scope.column(column);
            writers.writing().use(value);
            return value;
        } else if (expression instanceof LongValue || expression instanceof DoubleValue) {
            return number(expression.toString());
        } else if (expression instanceof StringValue string) {
            return string(string);
        } else if (expression instanceof NullValue) {
            return Typed.nullLiteral();
        } else if (expression instanceof HexValue hex) {
            return hex(hex);
        } else if (expression instanceof JdbcParameter parameter) {
            return writers.writing().written(parameter.getIndex());
        } else if (expression instanceof ParenthesedExpressionList<?> list && list.size() == 1) {
            return write(list.get(0), scope);
        } else if (expression instanceof SignedExpression signed) {
            return signed(signed, scope);
        } else if (expression instanceof CaseExpression caseExpression) {
            return caseOf(caseExpression, scope);
        } else if (expression instanceof Select subquery) {
            Part part = writers.subquery(subquery, scope);
            Typed value = part.single();
            return new Typed("(" + part.sql() + ")", value.type(), 0, value.unknown());
        } else if (expression instanceof CastExpression cast) {
            boolean attempt = "TRY_CAST".equalsIgnoreCase(cast.keyword);
            if ((!attempt && !"CAST".equalsIgnoreCase(cast.keyword)) || cast.getFormat() != null) {
                throw Unsupported.node(cast);
            }
            Typed value = write(cast.getLeftExpression(), scope);
            return Casts.explicit(value, Casts.type(cast.getColDataType().toString()), DateStyles.NO_STYLE, attempt);
        } else if (expression instanceof TranscodingFunction convert && convert.getColDataType() != null) {
            return convert(convert, scope);
        } else if (expression instanceof Function function) {
            return calls.write(function, scope);
        } else if (expression instanceof TrimFunction trim) {
            if (trim.getTrimSpecification() != null || trim.getFromExpression() != null) {
                throw new NotEvaluatedException("TRIM(... FROM ...)", "only blanks are trimmed", "Write TRIM(x)");
            }
            return calls.text("F_TRIM", write(trim.getExpression(), scope));
        } else if (expression instanceof TimeKeyExpression key) {
            return calls.clock(key.getStringValue());
        } else if (expression instanceof AnalyticExpression window) {
            return aggregates.window(window, scope);
        } else if (expression instanceof BinaryExpression binary) {
            char operator = operator(binary);
            if (operator != 0) {
                checkBinding(binary, operator);
                return Arithmetic.write(
                        operator, write(binary.getLeftExpression(), scope), write(binary.getRightExpression(), scope));
            }
        }
        throw Unsupported.node(expression);
    }

    /**
     * In T-SQL the operators of bits bind as + does, from left to right. JSqlParser binds {@code &} and {@code |} weaker and {@code ^}
     * stronger than {@code *}, so a tree that T-SQL would not make is refused.
     */
    private static void checkBinding(BinaryExpression binary, char operator) {
        boolean left = level(binary.getLeftExpression()) > level(operator);
        boolean right = level(binary.getRightExpression()) >= level(operator);
        if (left || right) {
            throw new NotEvaluatedException(
                    "An operator of bits beside another operator",
                    "the parser binds them in another order than T-SQL",
                    "Write brackets: (a & b) + c");
        }
    }

    /** Returns how weakly an expression is bound; 0 if nothing around it can take a part of it. */
    private static int level(Expression expression) {
        return expression instanceof BinaryExpression binary ? level(operator(binary)) : 0;
    }

    private static int level(char operator) {
        return switch (operator) {
            case 0 -> 0;
            case '*', '/', '%' -> 1;
            default -> 2;
        };
    }

    private static char operator(BinaryExpression binary) {
        if (binary instanceof Addition) {
            return '+';
        } else if (binary instanceof Subtraction) {
            return '-';
        } else if (binary instanceof Multiplication) {
            return '*';
        } else if (binary instanceof Division) {
            return '/';
        } else if (binary instanceof Modulo) {
            return '%';
        } else if (binary instanceof BitwiseAnd) {
            return '&';
        } else if (binary instanceof BitwiseOr) {
            return '|';
        }
        return binary instanceof BitwiseXor ? '^' : 0;
    }

    /** Returns a number as T-SQL types it: a whole one that is no int is a decimal, and one with an exponent a float. */
    static Typed number(String written) {
        if (written.toLowerCase(Locale.ROOT).contains("e")) {
            return Typed.of("CAST(" + Double.parseDouble(written) + " AS DOUBLE PRECISION)", Types.FLOAT);
        }
        BigDecimal value = new BigDecimal(written.endsWith(".") ? written + "0" : written);
        if (written.indexOf('.') < 0 && value.compareTo(BigDecimal.valueOf(Integer.MAX_VALUE)) <= 0) {
            return new Typed(value.toPlainString(), Types.INT, value.precision(), false);
        }
        int precision = Math.max(value.precision(), Math.max(1, value.scale()));
        if (precision > MAX_DIGITS) {
            throw EvaluationException.rule(
                    1007, "The number '" + written + "' is out of the range for numeric representation");
        }
        SqlType type = Types.decimal(precision, value.scale());
        return Typed.of("CAST(" + value.toPlainString() + " AS " + Types.h2(type) + ")", type);
    }

    private static Typed string(StringValue string) {
        String prefix = string.getPrefix();
        if (prefix != null && !prefix.equalsIgnoreCase("N")) {
            throw Unsupported.node(string);
        }
        if (string.getValue().endsWith("\\")) {
            // JSqlParser 5.1 reads 'a\''b' as 'a\' with the alias 'b', and the tree does not tell which it was.
            throw new NotEvaluatedException(
                    "A string that ends with a backslash",
                    "the parser may have ended it too early",
                    "Give it as a parameter");
        }
        // getNotExcapedValue would read \' as a quote, which T-SQL does not.
        String value = Backslashes.shown(string.getValue().replace("''", "'"));
        return Typed.of(quoted(value), Types.text(prefix != null, value.length()));
    }

    /** Returns a string as H2 writes it: nothing but the quote is special. */
    static String quoted(String value) {
        return "'" + value.replace("'", "''") + "'";
    }

    private static Typed hex(HexValue hex) {
        String digits = hex.getValue();
        if (!digits.matches("0[xX][0-9a-fA-F]*+")) {
            throw Unsupported.node(hex);
        }
        String bytes = digits.length() % 2 == 0 ? digits.substring(2) : "0" + digits.substring(2);
        return Typed.of("X'" + bytes + "'", new SqlType(Name.VARBINARY, Math.max(1, bytes.length() / 2), 0, 0));
    }

    private Typed signed(SignedExpression signed, Scope scope) {
        Typed value = write(signed.getExpression(), scope);
        return Arithmetic.signed(signed.getSign(), value);
    }

    private Typed convert(TranscodingFunction convert, Scope scope) {
        String style = convert.getTranscodingName();
        int number = 0;
        if (style != null && !style.isEmpty()) {
            if (!style.matches("[0-9]{1,4}+")) {
                throw new NotEvaluatedException("CONVERT with the style " + style, "it is no number", "Write a number");
            }
            number = Integer.parseInt(style);
        }
        Typed value = write(convert.getExpression(), scope);
        boolean given = style != null && !style.isEmpty();
        return Casts.explicit(
                value, Casts.type(convert.getColDataType().toString()), given ? number : DateStyles.NO_STYLE, false);
    }

    private Typed caseOf(CaseExpression expression, Scope scope) {
        List<String> conditions = new ArrayList<>();
        List<Typed> results = new ArrayList<>();
        @Nullable
        Typed value = expression.getSwitchExpression() == null ? null : write(expression.getSwitchExpression(), scope);
        for (WhenClause each : expression.getWhenClauses()) {
            conditions.add(
                    value == null
                            ? writers.condition(each.getWhenExpression(), scope)
                            : Comparisons.write(writers.writing(), value, "=", write(each.getWhenExpression(), scope)));
            results.add(write(each.getThenExpression(), scope));
        }
        results.add(
                expression.getElseExpression() == null
                        ? Typed.nullLiteral()
                        : write(expression.getElseExpression(), scope));
        return Cases.write(conditions, results);
    }
}
