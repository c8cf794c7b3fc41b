package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;
import java.util.ArrayList;
import java.util.List;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.NotExpression;
import net.sf.jsqlparser.expression.operators.conditional.AndExpression;
import net.sf.jsqlparser.expression.operators.conditional.OrExpression;
import net.sf.jsqlparser.expression.operators.relational.Between;
import net.sf.jsqlparser.expression.operators.relational.ComparisonOperator;
import net.sf.jsqlparser.expression.operators.relational.ExistsExpression;
import net.sf.jsqlparser.expression.operators.relational.InExpression;
import net.sf.jsqlparser.expression.operators.relational.IsNullExpression;
import net.sf.jsqlparser.expression.operators.relational.LikeExpression;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.statement.select.ParenthesedSelect;
import net.sf.jsqlparser.statement.select.Select;
import org.jspecify.annotations.Nullable;

/** Writes conditions. What is compared is converted to one type before, as T-SQL's precedence of types says. */
final class ConditionWriter {

    private final Dialect dialect;

    ConditionWriter(Dialect dialect) {
        this.dialect = dialect;
    }

    /** Writes a condition, in brackets where it needs them. */
    String write(Expression condition, Scope scope) {
        dialect.writing.enter();
        String sql = dialect.writing.checked(plain(condition, scope));
        dialect.writing.leave();
        return sql;
    }

    private String plain(Expression condition, Scope scope) {
        if (condition instanceof AndExpression and) {
            return "(" + write(and.getLeftExpression(), scope) + " AND " + write(and.getRightExpression(), scope) + ")";
        } else if (condition instanceof OrExpression or) {
            return "(" + write(or.getLeftExpression(), scope) + " OR " + write(or.getRightExpression(), scope) + ")";
        } else if (condition instanceof NotExpression not) {
            return "(NOT " + write(not.getExpression(), scope) + ")";
        } else if (condition instanceof ParenthesedExpressionList<?> list && list.size() == 1) {
            return write(list.get(0), scope);
        } else if (condition instanceof LikeExpression like) {
            return like(like, scope);
        } else if (condition instanceof ComparisonOperator comparison) {
            return comparison(comparison, scope);
        } else if (condition instanceof IsNullExpression isNull) {
            if (isNull.isUseIsNull() || isNull.isUseNotNull()) {
                throw Unsupported.node(isNull);
            }
            return "("
                    + dialect.expressions
                            .write(isNull.getLeftExpression(), scope)
                            .sql() + " IS " + (isNull.isNot() ? "NOT " : "") + "NULL)";
        } else if (condition instanceof Between between) {
            return between(between, scope);
        } else if (condition instanceof InExpression in) {
            return in(in, scope);
        } else if (condition instanceof ExistsExpression exists) {
            if (!(exists.getRightExpression() instanceof ParenthesedSelect subquery)) {
                throw Unsupported.node(exists);
            }
            return "(" + (exists.isNot() ? "NOT " : "") + "EXISTS ("
                    + dialect.selects.subquery(subquery, scope).sql() + "))";
        }
        throw Unsupported.node(condition);
    }

    private String comparison(ComparisonOperator comparison, Scope scope) {
        String operator = comparison.getStringExpression().replace(" ", "");
        String written =
                switch (operator) {
                    case "=", "<", ">", "<=", ">=", "<>" -> operator;
                    case "!=" -> "<>";
                    case "!<" -> ">=";
                    case "!>" -> "<=";
                    default -> throw Unsupported.node(comparison);
                };
        if (comparison.getOldOracleJoinSyntax() != 0) {
            throw Unsupported.node(comparison);
        }
        Typed left = dialect.expressions.write(comparison.getLeftExpression(), scope);
        Typed right = dialect.expressions.write(comparison.getRightExpression(), scope);
        return compared(left, written, right);
    }

    /** Returns a comparison of two values. */
    String compared(Typed left, String operator, Typed right) {
        SqlType type = Types.common(left, right);
        String one = Casts.implicit(left, type).sql();
        String other = Casts.implicit(right, type).sql();
        // SQL Server sorts them by their last six bytes first.
        boolean keyed = Types.family(type) == Types.Family.UUID && !operator.equals("=") && !operator.equals("<>");
        return keyed
                ? "(F_UUIDKEY(" + one + ") " + operator + " F_UUIDKEY(" + other + "))"
                : "(" + one + " " + operator + " " + other + ")";
    }

    private String between(Between between, Scope scope) {
        Typed value = dialect.expressions.write(between.getLeftExpression(), scope);
        Typed from = dialect.expressions.write(between.getBetweenExpressionStart(), scope);
        Typed to = dialect.expressions.write(between.getBetweenExpressionEnd(), scope);
        return "(" + (between.isNot() ? "NOT " : "") + "(" + compared(value, ">=", from) + " AND "
                + compared(value, "<=", to) + "))";
    }

    private String in(InExpression in, Scope scope) {
        if (in.isGlobal() || in.getOldOracleJoinSyntax() != 0) {
            throw Unsupported.node(in);
        }
        Typed left = dialect.expressions.write(in.getLeftExpression(), scope);
        String operator = in.isNot() ? " NOT IN (" : " IN (";
        Expression right = in.getRightExpression();
        if (right instanceof Select subquery) {
            SelectWriter.Part part = dialect.selects.subquery(subquery, scope);
            Typed column = single(part);
            SqlType type = Types.common(left, column);
            String converted = Casts.implicit(column, type).sql();
            String sql = converted.equals(column.sql())
                    ? part.sql()
                    : "SELECT " + converted + " FROM (" + part.sql() + ") " + dialect.writing.alias();
            return "(" + Casts.implicit(left, type).sql() + operator + sql + "))";
        }
        if (!(right instanceof ParenthesedExpressionList<?> list) || list.isEmpty()) {
            throw Unsupported.node(in);
        }
        List<Typed> members = new ArrayList<>();
        list.forEach(each -> members.add(dialect.expressions.write(each, scope)));
        // Each by itself: in T-SQL, too, it is an OR of comparisons, and all of them have the type of the highest.
        Typed all = left;
        for (Typed each : members) {
            SqlType type = Types.common(all, each);
            all = new Typed("", type, Math.max(all.digits(), each.digits()), all.unknown() && each.unknown());
        }
        StringBuilder sql =
                new StringBuilder("(" + Casts.implicit(left, all.type()).sql() + operator);
        for (int i = 0; i < members.size(); i++) {
            sql.append(i == 0 ? "" : ", ")
                    .append(Casts.implicit(members.get(i), all.type()).sql());
        }
        return sql.append("))").toString();
    }

    /** Returns the one column of a subquery that stands for a value. */
    static Typed single(SelectWriter.Part part) {
        if (part.items().size() != 1) {
            throw EvaluationException.rule(
                    116,
                    "Only one expression can be specified in the select list when the subquery is not introduced with"
                            + " EXISTS");
        }
        Typed value = part.items().get(0).value();
        return new Typed("C0", value.type(), value.digits(), value.unknown());
    }

    private String like(LikeExpression like, Scope scope) {
        if (like.getLikeKeyWord() != LikeExpression.KeyWord.LIKE || like.isUseBinary()) {
            throw Unsupported.node(like);
        }
        Typed value = dialect.expressions.write(like.getLeftExpression(), scope);
        Typed pattern = dialect.expressions.write(like.getRightExpression(), scope);
        boolean unicode = Types.isUnicode(value.type()) || Types.isUnicode(pattern.type());
        @Nullable Expression escape = like.getEscape();
        return "(" + (like.isNot() ? "NOT " : "") + "F_LIKE("
                + Casts.implicit(value, Types.text(unicode, SqlType.MAX)).sql() + ", "
                + Casts.implicit(pattern, Types.text(unicode, SqlType.MAX)).sql() + ", "
                + (escape == null
                        ? "''"
                        : Casts.implicit(dialect.expressions.write(escape, scope), Types.text(unicode, SqlType.MAX))
                                .sql())
                + ", " + unicode + "))";
    }
}
