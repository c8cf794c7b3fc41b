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

    private final Writers writers;

    ConditionWriter(Writers writers) {
        this.writers = writers;
    }

    /** Writes a condition, in brackets where it needs them. */
    String write(Expression condition, Scope scope) {
        writers.writing().enter();
        String sql = writers.writing().checked(plain(condition, scope));
        writers.writing().leave();
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
                    + writers.value(isNull.getLeftExpression(), scope).sql() + " IS " + (isNull.isNot() ? "NOT " : "")
                    + "NULL)";
        } else if (condition instanceof Between between) {
            return between(between, scope);
        } else if (condition instanceof InExpression in) {
            return in(in, scope);
        } else if (condition instanceof ExistsExpression exists) {
            if (!(exists.getRightExpression() instanceof ParenthesedSelect subquery)) {
                throw Unsupported.node(exists);
            }
            writers.writing().unseen(subquery);
            return "(" + (exists.isNot() ? "NOT " : "") + "EXISTS ("
                    + writers.subquery(subquery, scope).sql() + "))";
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
        Typed left = writers.value(comparison.getLeftExpression(), scope);
        Typed right = writers.value(comparison.getRightExpression(), scope);
        return Comparisons.write(writers.writing(), left, written, right);
    }

    private String between(Between between, Scope scope) {
        Typed value = writers.value(between.getLeftExpression(), scope);
        Typed from = writers.value(between.getBetweenExpressionStart(), scope);
        Typed to = writers.value(between.getBetweenExpressionEnd(), scope);
        return "(" + (between.isNot() ? "NOT " : "") + "(" + Comparisons.write(writers.writing(), value, ">=", from)
                + " AND " + Comparisons.write(writers.writing(), value, "<=", to) + "))";
    }

    private String in(InExpression in, Scope scope) {
        if (in.isGlobal() || in.getOldOracleJoinSyntax() != 0) {
            throw Unsupported.node(in);
        }
        Typed left = writers.value(in.getLeftExpression(), scope);
        String operator = in.isNot() ? " NOT IN (" : " IN (";
        Expression right = in.getRightExpression();
        if (right instanceof Select subquery) {
            Part part = writers.subquery(subquery, scope);
            Typed column = part.single();
            if (Comparisons.areExact(left, column)) {
                return "(" + left.sql() + operator + part.sql() + "))";
            }
            SqlType type = TypeRules.common(left, column);
            boolean padded = Comparisons.arePadded(writers.writing(), type, left, column);
            String converted = Comparisons.converted(column, type, padded);
            String sql = converted.equals(column.sql())
                    ? part.sql()
                    : "SELECT " + converted + " FROM (" + part.sql() + ") "
                            + writers.writing().alias();
            return "(" + Comparisons.converted(left, type, padded) + operator + sql + "))";
        }
        if (!(right instanceof ParenthesedExpressionList<?> list) || list.isEmpty()) {
            throw Unsupported.node(in);
        }
        List<Typed> members = new ArrayList<>();
        list.forEach(each -> members.add(writers.value(each, scope)));
        // Each by itself: in T-SQL, too, it is an OR of comparisons, and all of them have the type of the highest.
        Typed all = left;
        for (Typed each : members) {
            SqlType type = TypeRules.common(all, each);
            all = new Typed("", type, Math.max(all.digits(), each.digits()), all.unknown() && each.unknown());
        }
        List<Typed> compared = new ArrayList<>(members);
        compared.add(left);
        boolean padded = Comparisons.arePadded(writers.writing(), all.type(), compared.toArray(Typed[]::new));
        StringBuilder sql = new StringBuilder("(" + Comparisons.converted(left, all.type(), padded) + operator);
        for (int i = 0; i < members.size(); i++) {
            sql.append(i == 0 ? "" : ", ").append(Comparisons.converted(members.get(i), all.type(), padded));
        }
        return sql.append("))").toString();
    }

    private String like(LikeExpression like, Scope scope) {
        if (like.getLikeKeyWord() != LikeExpression.KeyWord.LIKE || like.isUseBinary()) {
            throw Unsupported.node(like);
        }
        Typed value = writers.value(like.getLeftExpression(), scope);
        Typed pattern = writers.value(like.getRightExpression(), scope);
        boolean unicode = Types.isUnicode(value.type()) || Types.isUnicode(pattern.type());
        @Nullable Expression escape = like.getEscape();
        return "(" + (like.isNot() ? "NOT " : "") + "F_LIKE("
                + Casts.implicit(value, Types.text(unicode, SqlType.MAX)).sql() + ", "
                + Casts.implicit(pattern, Types.text(unicode, SqlType.MAX)).sql() + ", "
                + (escape == null
                        ? "''"
                        : Casts.implicit(writers.value(escape, scope), Types.text(unicode, SqlType.MAX))
                                .sql())
                + ", " + unicode + "))";
    }
}
