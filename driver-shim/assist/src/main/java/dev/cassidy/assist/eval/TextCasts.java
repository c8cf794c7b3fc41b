package dev.cassidy.assist.eval;

import dev.cassidy.assist.eval.Types.Family;
import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.SqlType.Name;
import dev.cassidy.jdbc.assist.EvaluationException;

/** Writes conversions to strings: cut and filled up to their length, as CAST does, and numbers refused where they do not fit. */
final class TextCasts {

    private TextCasts() {}

    static String text(Typed value, SqlType to, int style, boolean attempt) {
        Family from = Types.family(value.type());
        boolean fixed = to.name() == Name.CHAR || to.name() == Name.NCHAR;
        String sql = from == Family.TEXT ? value.sql() : written(value, to, style);
        if (to.length() == SqlType.MAX) {
            return sql;
        }
        if (from == Family.WHOLE || from == Family.BIT) {
            boolean star = !Types.isUnicode(to) && value.type().name() != Name.BIGINT;
            sql = "F_FIT(" + sql + ", " + to.length() + ", " + star + ")";
        } else if (from.isNumber()) {
            sql = "F_FIT(" + sql + ", " + to.length() + ", FALSE)";
        } else if (from == Family.UUID && to.length() < 36) {
            throw EvaluationException.rule(8170, "Insufficient result space to convert uniqueidentifier value to char");
        } else if (from != Family.TEXT
                || value.type().length() == SqlType.MAX
                || value.type().length() > to.length()) {
            sql = "F_CUT(" + sql + ", " + to.length() + ")";
        }
        return fixed ? "F_PAD(" + sql + ", " + to.length() + ")" : sql;
    }

    private static String written(Typed value, SqlType to, int style) {
        String sql = value.sql();
        SqlType type = value.type();
        return switch (Types.family(type)) {
            case BIT -> "F_WHOLETEXT(CASE WHEN " + sql + " THEN 1 WHEN NOT " + sql + " THEN 0 END)";
            case WHOLE -> "F_WHOLETEXT(CAST(" + sql + " AS BIGINT))";
            case DECIMAL -> "F_DECIMALTEXT(" + sql + ")";
            case MONEY -> "F_MONEYTEXT(" + sql + ", " + Math.max(0, style) + ")";
            case APPROXIMATE -> {
                if (style > 0) {
                    throw new NotEvaluatedException(
                            "CONVERT of " + type + " with the style " + style,
                            "it is not known here",
                            "Write STR or FORMAT");
                }
                yield "F_FLOATTEXT(CAST(" + sql + " AS DOUBLE PRECISION))";
            }
            case DATE, TIME, MOMENT -> {
                DateStyles.check(style, type);
                yield "F_DATETEXT(" + value.moment() + ", '" + type.name() + "', " + type.scale() + ", " + style + ")";
            }
            case UUID -> "F_UUIDTEXT(" + sql + ")";
            case BINARY -> {
                if (style > 2) {
                    throw new NotEvaluatedException(
                            "CONVERT of " + type + " with the style " + style,
                            "it is not known here",
                            "Write 0, 1 or 2");
                }
                yield style > 0
                        ? "F_HEXTEXT(" + sql + ", " + (style == 1) + ")"
                        : "F_BYTESTEXT(" + sql + ", " + Types.isUnicode(to) + ")";
            }
            default ->
                throw new NotEvaluatedException(
                        "A conversion of " + type + " to " + to,
                        "its format is not known",
                        "Convert it in the application");
        };
    }
}
