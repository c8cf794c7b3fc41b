package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;
import dev.cassidy.jdbc.assist.EvaluationException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What all functions do with their arguments. */
final class Arguments {

    /** Functions of other databases, and what T-SQL has in their place. */
    private static final Map<String, String> OF_OTHERS = Map.of(
            "now", "GETDATE()",
            "sysdate", "GETDATE()",
            "curdate", "CAST(GETDATE() AS DATE)",
            "length", "LEN(...)",
            "ifnull", "ISNULL(..., ...)",
            "nvl", "ISNULL(..., ...)",
            "substr", "SUBSTRING(..., ..., ...)",
            "group_concat", "STRING_AGG(..., ...)");

    private Arguments() {}

    static NotEvaluatedException unknown(String name) {
        String ofTsql = OF_OTHERS.get(name.toLowerCase(Locale.ROOT));
        return ofTsql == null
                ? new NotEvaluatedException(
                        "The function " + name,
                        "it is not known here",
                        "Call it in the application, on what the statement gives")
                : new NotEvaluatedException("The function " + name, "T-SQL does not have it", "Write " + ofTsql);
    }

    static void count(String name, List<?> arguments, int least, int most) {
        if (arguments.size() < least || arguments.size() > most) {
            throw EvaluationException.rule(
                    174,
                    "The " + name + " function requires " + least + (least == most ? "" : " to " + most)
                            + " argument(s): " + arguments.size());
        }
    }

    /** Returns a value as a string. */
    static Typed string(Typed value) {
        return value.isText() ? value : Casts.implicit(value, Types.text(false, SqlType.MAX));
    }
}
