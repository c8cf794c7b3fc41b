package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;
import dev.cassidy.jdbc.assist.EvaluationException;
import java.util.List;

/** What all functions do with their arguments. */
final class Arguments {

    private Arguments() {}

    static NotEvaluatedException unknown(String name) {
        return new NotEvaluatedException(
                "The function " + name,
                "it is not known here",
                "Call it in the application, on what the statement gives");
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
