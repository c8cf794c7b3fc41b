package dev.cassidy.assist.eval;

import dev.cassidy.assist.eval.Types.Family;
import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.SqlType.Name;
import dev.cassidy.jdbc.assist.EvaluationException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import net.sf.jsqlparser.expression.AnalyticExpression;
import net.sf.jsqlparser.expression.AnalyticType;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.LongValue;
import net.sf.jsqlparser.expression.WindowElement;
import net.sf.jsqlparser.expression.WindowOffset;
import net.sf.jsqlparser.statement.select.AllColumns;
import net.sf.jsqlparser.statement.select.OrderByElement;
import org.jspecify.annotations.Nullable;

/** Writes aggregates and window functions. SUM and AVG of whole numbers are whole. */
final class AggregateWriter {

    private static final Set<String> AGGREGATES =
            Set.of("count", "count_big", "sum", "avg", "min", "max", "string_agg", "stdev", "stdevp", "var", "varp");
    private static final Set<String> RANKS = Set.of("row_number", "rank", "dense_rank");

    private final Writers writers;

    AggregateWriter(Writers writers) {
        this.writers = writers;
    }

    static boolean isAggregate(String name) {
        return AGGREGATES.contains(name);
    }

    Typed aggregate(String name, boolean distinct, List<Expression> arguments, Scope scope) {
        if (name.equals("string_agg")) {
            Arguments.count(name, arguments, 2, 2);
            return joined(arguments.get(0), arguments.get(1), "", scope);
        }
        Arguments.count(name, arguments, 1, 1);
        Expression argument = arguments.get(0);
        return aggregate(name, distinct, argument instanceof AllColumns ? null : argument, "", scope);
    }

    /**
     * Writes an aggregate.
     *
     * @param argument null for {@code *}
     * @param over what makes it one of a window; empty if it is none
     */
    private Typed aggregate(String name, boolean distinct, @Nullable Expression argument, String over, Scope scope) {
        String keyword = distinct ? "DISTINCT " : "";
        if (name.startsWith("count")) {
            SqlType type = name.equals("count") ? Types.INT : Types.BIGINT;
            String counted = argument == null
                    ? "*"
                    : keyword + writers.value(argument, scope).sql();
            return Typed.of("CAST(COUNT(" + counted + ")" + over + " AS " + Types.h2(type) + ")", type);
        }
        if (argument == null) {
            throw Arguments.unknown(name + "(*)");
        }
        Typed value = writers.value(argument, scope);
        Family family = Types.family(value.type());
        if (name.equals("min") || name.equals("max")) {
            if (family == Family.BIT) {
                throw EvaluationException.rule(8117, "Operand data type bit is invalid for " + name + " operator");
            }
            if (family == Family.UUID) {
                throw new NotEvaluatedException(
                        name.toUpperCase(Locale.ROOT) + " of a uniqueidentifier",
                        "SQL Server's order of them is not H2's",
                        "Cast it to char(36)");
            }
            return Typed.of(name.toUpperCase(Locale.ROOT) + "(" + value.sql() + ")" + over, value.type());
        }
        if (!family.isNumber() || value.unknown()) {
            throw EvaluationException.rule(
                    8117, "Operand data type " + value.type() + " is invalid for " + name + " operator");
        }
        return switch (name) {
            case "sum" -> sum(value, keyword, over);
            case "avg" -> average(value, keyword, over);
            default -> {
                String function =
                        switch (name) {
                            case "stdev" -> "STDDEV_SAMP";
                            case "stdevp" -> "STDDEV_POP";
                            case "var" -> "VAR_SAMP";
                            default -> "VAR_POP";
                        };
                String real = Casts.implicit(value, Types.FLOAT).sql();
                yield Typed.of(
                        "CAST(" + function + "(" + keyword + real + ")" + over + " AS DOUBLE PRECISION)", Types.FLOAT);
            }
        };
    }

    private static Typed sum(Typed value, String keyword, String over) {
        SqlType type = TypeRules.ofSum(value.type());
        String real = Types.family(type) == Family.APPROXIMATE
                ? Casts.implicit(value, type).sql()
                : value.sql();
        return Typed.of("CAST(SUM(" + keyword + real + ")" + over + " AS " + Types.h2(type) + ")", type);
    }

    private static Typed average(Typed value, String keyword, String over) {
        SqlType type = TypeRules.ofAverage(value.type());
        if (Types.family(type) == Family.APPROXIMATE) {
            return Typed.of(
                    "CAST(AVG(" + keyword + Casts.implicit(value, type).sql() + ")" + over + " AS " + Types.h2(type)
                            + ")",
                    type);
        }
        if (Types.family(type) == Family.MONEY) {
            throw new NotEvaluatedException(
                    "AVG of money", "how SQL Server rounds it is not known", "Cast it to decimal");
        }
        String sum = sum(value, keyword, over).sql();
        // Of no rows the sum is NULL, and so is the quotient.
        String count = "NULLIF(COUNT(" + keyword + value.sql() + ")" + over + ", 0)";
        return Types.family(type) == Family.WHOLE
                ? Typed.of("CAST((" + sum + " / " + count + ") AS " + Types.h2(type) + ")", type)
                : Typed.of(
                        "CAST(F_DIVIDE(" + sum + ", CAST(" + count + " AS NUMERIC(19, 0)), " + type.scale() + ") AS "
                                + Types.h2(type) + ")",
                        type);
    }

    private Typed joined(Expression argument, Expression separator, String order, Scope scope) {
        Typed value = Arguments.string(writers.value(argument, scope));
        Typed between = Arguments.string(writers.value(separator, scope));
        boolean unicode = Types.isUnicode(value.type());
        return Typed.of(
                "LISTAGG(" + value.sql() + ", " + between.sql() + ")" + order,
                Types.text(unicode, value.type().length() == SqlType.MAX ? SqlType.MAX : unicode ? 4_000 : 8_000));
    }

    /** Writes a call with OVER or WITHIN GROUP. */
    Typed window(AnalyticExpression window, Scope scope) {
        String name = window.getName().toLowerCase(Locale.ROOT);
        if (window.getKeep() != null
                || window.getFilterExpression() != null
                || window.isUnique()
                || window.isIgnoreNulls()
                || window.isIgnoreNullsOutside()
                || window.getWindowName() != null
                || window.getHavingClause() != null
                || window.getNullHandling() != null
                || window.getLimit() != null
                || window.getFuncOrderBy() != null
                || window.getOnOverflowTruncate() != null) {
            throw Unsupported.node(window);
        }
        if (window.getType() == AnalyticType.WITHIN_GROUP) {
            if (!name.equals("string_agg")
                    || window.getDefaultValue() != null
                    || window.getOffset() == null
                    || window.isDistinct()) {
                throw Arguments.unknown(name + " WITHIN GROUP");
            }
            String order = " WITHIN GROUP (ORDER BY " + terms(window.getOrderByElements(), scope) + ")";
            return joined(window.getExpression(), window.getOffset(), order, scope);
        }
        if (window.getType() != AnalyticType.OVER) {
            throw Unsupported.node(window);
        }
        String over = over(window, scope);
        boolean ordered = window.getOrderByElements() != null;
        if (AGGREGATES.contains(name) && !name.equals("string_agg")) {
            if (window.isDistinct() || window.getOffset() != null) {
                throw EvaluationException.rule(10759, "Use of DISTINCT is not allowed with the OVER clause");
            }
            Expression argument = window.getExpression();
            boolean all = window.isAllColumns() || argument == null || argument instanceof AllColumns;
            return aggregate(name, false, all ? null : argument, over, scope);
        }
        if (!ordered && !name.equals("string_agg")) {
            throw EvaluationException.rule(4112, "The function '" + name + "' must have an OVER clause with ORDER BY");
        }
        if (RANKS.contains(name) && window.getExpression() == null && window.getWindowElement() == null) {
            return Typed.of("CAST(" + name.toUpperCase(Locale.ROOT) + "()" + over + " AS BIGINT)", Types.BIGINT);
        }
        if (name.equals("ntile") && window.getExpression() instanceof LongValue && window.getWindowElement() == null) {
            return Typed.of("CAST(NTILE(" + window.getExpression() + ")" + over + " AS BIGINT)", Types.BIGINT);
        }
        if ((name.equals("first_value") || name.equals("last_value")) && window.getExpression() != null) {
            Typed value = writers.value(window.getExpression(), scope);
            return Typed.of(name.toUpperCase(Locale.ROOT) + "(" + value.sql() + ")" + over, value.type());
        }
        if ((name.equals("lag") || name.equals("lead"))
                && window.getWindowElement() == null
                && window.getExpression() != null) {
            return neighbour(name, window, over, scope);
        }
        throw Arguments.unknown(name + " OVER");
    }

    private Typed neighbour(String name, AnalyticExpression window, String over, Scope scope) {
        Typed value = writers.value(window.getExpression(), scope);
        StringBuilder arguments = new StringBuilder(value.sql());
        Expression offset = window.getOffset();
        if (offset != null) {
            if (!(offset instanceof LongValue)) {
                throw new NotEvaluatedException(
                        name.toUpperCase(Locale.ROOT) + " by an expression", "H2 takes a number", "Write a number");
            }
            arguments.append(", ").append(offset);
        }
        if (window.getDefaultValue() != null) {
            Typed otherwise = writers.value(window.getDefaultValue(), scope);
            arguments
                    .append(", ")
                    .append(Casts.implicit(otherwise, value.type()).sql());
        }
        return Typed.of(name.toUpperCase(Locale.ROOT) + "(" + arguments + ")" + over, value.type());
    }

    private String over(AnalyticExpression window, Scope scope) {
        List<String> parts = new ArrayList<>();
        if (window.getPartitionExpressionList() != null
                && !window.getPartitionExpressionList().isEmpty()) {
            parts.add("PARTITION BY "
                    + window.getPartitionExpressionList().stream()
                            .map(each -> writers.value((Expression) each, scope).sql())
                            .collect(Collectors.joining(", ")));
        }
        if (window.getOrderByElements() != null) {
            parts.add("ORDER BY " + terms(window.getOrderByElements(), scope));
        }
        if (window.getWindowElement() != null) {
            parts.add(frame(window.getWindowElement()));
        }
        return " OVER (" + String.join(" ", parts) + ")";
    }

    private String terms(@Nullable List<OrderByElement> elements, Scope scope) {
        if (elements == null) {
            throw EvaluationException.rule(102, "Incorrect syntax: ORDER BY is missing");
        }
        List<String> terms = new ArrayList<>();
        for (OrderByElement each : elements) {
            if (each.getExpression() instanceof LongValue) {
                throw EvaluationException.rule(
                        5308, "Windowed functions do not support integer indices as ORDER BY clause expressions");
            }
            Typed value = writers.value(each.getExpression(), scope);
            String sql = value.type().name() == Name.UNIQUEIDENTIFIER ? "F_UUIDKEY(" + value.sql() + ")" : value.sql();
            terms.add(sql + OrderWriter.direction(each));
        }
        return String.join(", ", terms);
    }

    private static String frame(WindowElement frame) {
        String type = frame.getType() == WindowElement.Type.ROWS ? "ROWS " : "RANGE ";
        if (frame.getRange() != null) {
            return type + "BETWEEN " + bound(frame.getRange().getStart(), frame) + " AND "
                    + bound(frame.getRange().getEnd(), frame);
        }
        return type + bound(frame.getOffset(), frame);
    }

    private static String bound(WindowOffset offset, WindowElement frame) {
        if (offset.getType() == WindowOffset.Type.CURRENT) {
            return "CURRENT ROW";
        }
        String direction = offset.getType() == WindowOffset.Type.PRECEDING ? " PRECEDING" : " FOLLOWING";
        if (offset.getType() == WindowOffset.Type.EXPR) {
            throw Unsupported.node(frame);
        }
        if (offset.getExpression() == null) {
            return "UNBOUNDED" + direction;
        }
        if (!(offset.getExpression() instanceof LongValue) || frame.getType() != WindowElement.Type.ROWS) {
            throw Unsupported.node(frame);
        }
        return offset.getExpression() + direction;
    }
}
