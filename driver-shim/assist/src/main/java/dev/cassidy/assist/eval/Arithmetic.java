package dev.cassidy.assist.eval;

import dev.cassidy.assist.eval.Types.Family;
import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.SqlType.Name;
import dev.cassidy.jdbc.assist.EvaluationException;
import org.jspecify.annotations.Nullable;

/** Writes operators, with T-SQL's types: whole numbers divide whole, and a decimal has the digits that Microsoft's rules say. */
final class Arithmetic {

    private Arithmetic() {}

    static Typed signed(char sign, Typed value) {
        Family family = Types.family(value.type());
        if (value.unknown()) {
            return value;
        }
        if (family == Family.TEXT && sign != '~') {
            return signed(sign, Casts.implicit(value, Types.INT));
        }
        if (sign == '~' ? family != Family.WHOLE : !family.isNumber()) {
            throw EvaluationException.rule(
                    8117, "Operand data type " + value.type() + " is invalid for the operator " + sign);
        }
        if (sign == '+') {
            return value;
        }
        if (sign == '~') {
            return value.type().name() == Name.TINYINT
                    ? Typed.of("CAST(255 - " + value.sql() + " AS SMALLINT)", value.type())
                    : Typed.of("CAST(BITNOT(" + value.sql() + ") AS " + Types.h2(value.type()) + ")", value.type());
        }
        SqlType type = value.type().name() == Name.TINYINT ? Types.SMALLINT : value.type();
        // With the blank: two signs would begin a comment.
        return new Typed("CAST((- " + value.sql() + ") AS " + Types.h2(type) + ")", type, value.digits(), false);
    }

    static Typed write(char operator, Typed left, Typed right) {
        if (left.unknown() && right.unknown()) {
            return Typed.nullLiteral();
        }
        Family one = Types.family(left.unknown() ? right.type() : left.type());
        Family other = Types.family(right.unknown() ? left.type() : right.type());
        if (one == Family.TEXT && other == Family.TEXT) {
            return concatenated(operator, left, right);
        }
        if ((one == Family.MOMENT && other.isNumber()) || (one.isNumber() && other == Family.MOMENT)) {
            return moved(operator, left, right);
        }
        // A string beside a number is a number; two of anything else have no sum.
        Typed first = one == Family.TEXT && other.isNumber() ? Casts.implicit(left, right.type()) : left;
        Typed second = other == Family.TEXT && one.isNumber() ? Casts.implicit(right, left.type()) : right;
        first = first.unknown() ? Casts.implicit(first, second.type()) : first;
        second = second.unknown() ? Casts.implicit(second, first.type()) : second;
        boolean bits = one == Family.BIT && other == Family.BIT;
        if (!isNumber(first) || !isNumber(second) || bits) {
            throw EvaluationException.rule(
                    402,
                    "The data types " + left.type() + " and " + right.type() + " are incompatible in the operator "
                            + operator);
        }
        return "&|^".indexOf(operator) >= 0
                ? bitwise(operator, first, second)
                : numbers(operator, widened(first), widened(second));
    }

    private static boolean isNumber(Typed value) {
        Family family = Types.family(value.type());
        return family.isNumber() || family == Family.BIT;
    }

    private static Typed widened(Typed value) {
        return Types.family(value.type()) == Family.BIT ? Casts.implicit(value, Types.TINYINT) : value;
    }

    private static Typed concatenated(char operator, Typed left, Typed right) {
        if (operator != '+') {
            throw EvaluationException.rule(
                    8117, "Operand data type " + left.type() + " is invalid for the operator " + operator);
        }
        boolean unicode = Types.isUnicode(left.type()) || Types.isUnicode(right.type());
        int most = unicode ? 4_000 : 8_000;
        SqlType type = Types.text(unicode, SqlType.MAX);
        String sql = "F_JOIN(" + Casts.implicit(left, type).sql() + ", "
                + Casts.implicit(right, type).sql() + ")";
        if (left.type().length() == SqlType.MAX || right.type().length() == SqlType.MAX) {
            return Typed.of(sql, type);
        }
        int length = Types.joined(left.type().length(), right.type().length());
        return length > most
                ? Typed.of("F_CUT(" + sql + ", " + most + ")", Types.text(unicode, most))
                : Typed.of(sql, Types.text(unicode, length));
    }

    /** A number beside a DATETIME is days. */
    private static Typed moved(char operator, Typed left, Typed right) {
        boolean first = Types.family(left.type()) == Family.MOMENT;
        Typed moment = first ? left : right;
        Typed number = first ? right : left;
        Name name = moment.type().name();
        if (name == Name.DATETIME2 || (operator != '+' && (operator != '-' || !first))) {
            throw EvaluationException.rule(
                    206, "Operand type clash: " + left.type() + " is incompatible with " + right.type());
        }
        if (Types.family(number.type()) != Family.WHOLE) {
            throw new NotEvaluatedException(
                    "A part of a day added to a " + moment.type(), "its rounding is not known", "Write DATEADD");
        }
        return Typed.of(
                "F_PLUSDAYS(" + moment.moment() + ", " + (operator == '-' ? "- " : "") + "CAST(" + number.sql()
                        + " AS BIGINT))",
                moment.type());
    }

    private static Typed bitwise(char operator, Typed left, Typed right) {
        SqlType type = TypeRules.common(left, right);
        if (Types.family(type) != Family.WHOLE) {
            throw EvaluationException.rule(
                    402,
                    "The data types " + left.type() + " and " + right.type() + " are incompatible in the operator "
                            + operator);
        }
        String function = operator == '&' ? "BITAND" : operator == '|' ? "BITOR" : "BITXOR";
        String sql = function + "(" + Casts.implicit(left, type).sql() + ", "
                + Casts.implicit(right, type).sql() + ")";
        return Typed.of("CAST(" + sql + " AS " + Types.h2(type) + ")", type);
    }

    private static Typed numbers(char operator, Typed left, Typed right) {
        SqlType common = TypeRules.common(left, right);
        return switch (Types.family(common)) {
            case APPROXIMATE -> approximate(operator, left, right, common);
            case DECIMAL -> decimals(operator, left, right, TypeRules.ofDecimals(operator, left, right));
            case MONEY -> money(operator, left, right, common);
            case WHOLE -> whole(operator, left, right, common);
            default -> throw Unsupported.node(common);
        };
    }

    private static String infix(char operator, Typed left, Typed right, SqlType common) {
        return "(" + Casts.implicit(left, common).sql() + " " + operator + " "
                + Casts.implicit(right, common).sql() + ")";
    }

    private static Typed approximate(char operator, Typed left, Typed right, SqlType common) {
        if (operator == '%') {
            throw EvaluationException.rule(
                    402,
                    "The data types " + left.type() + " and " + right.type()
                            + " are incompatible in the modulo operator");
        }
        String function = common.name() == Name.REAL ? "F_FINITEREAL(" : "F_FINITE(";
        return Typed.of(function + infix(operator, left, right, common) + ")", common);
    }

    private static Typed money(char operator, Typed left, Typed right, SqlType common) {
        // A whole number of times there is nothing to round.
        boolean times = operator == '*'
                && (Types.family(left.type()) == Family.WHOLE || Types.family(right.type()) == Family.WHOLE);
        if (!times && (operator == '*' || operator == '/' || operator == '%')) {
            throw new NotEvaluatedException(
                    "The operator " + operator + " of money",
                    "how SQL Server rounds it is not known",
                    "Cast one side to decimal");
        }
        return Typed.of("CAST(" + infix(operator, left, right, common) + " AS " + Types.h2(common) + ")", common);
    }

    private static Typed whole(char operator, Typed left, Typed right, SqlType common) {
        // H2 calculates in the wider type, and the cast finds what is too large.
        SqlType wide = common.name() == Name.BIGINT ? Types.BIGINT : Types.INT;
        String sql = infix(operator, left, right, wide);
        return Typed.of(
                switch (common.name()) {
                    case TINYINT -> "F_TINYINT(CAST(" + sql + " AS BIGINT))";
                    case SMALLINT -> "CAST(" + sql + " AS SMALLINT)";
                    default -> sql;
                },
                common);
    }

    private static Typed decimals(char operator, Typed left, Typed right, @Nullable SqlType type) {
        if (type == null) {
            throw Unsupported.node(operator);
        }
        String one = decimal(left);
        String other = decimal(right);
        String sql =
                switch (operator) {
                    case '/' -> "F_DIVIDE(" + one + ", " + other + ", " + type.scale() + ")";
                    case '%' -> "F_REMAINDER(" + one + ", " + other + ")";
                    default -> "(" + one + " " + operator + " " + other + ")";
                };
        return Typed.of("CAST(" + sql + " AS " + Types.h2(type) + ")", type);
    }

    private static String decimal(Typed value) {
        return Types.family(value.type()) == Family.WHOLE
                ? "CAST(" + value.sql() + " AS NUMERIC("
                        + Math.max(value.precision(), value.type().precision()) + ", 0))"
                : value.sql();
    }
}
