package dev.cassidy.assist.eval;

import dev.cassidy.jdbc.assist.EvaluationException;
import dev.cassidy.jdbc.assist.EvaluationTimeoutException;
import java.sql.SQLException;
import org.h2.api.ErrorCode;

/**
 * What H2 refuses, as SQL Server says it. H2's codes decide: its messages quote values, and those of the relocated one are not found.
 */
final class Failures {

    private Failures() {}

    static NotEvaluatedException nested() {
        return new NotEvaluatedException(
                "The statement", "it is nested too deeply for the stack of its thread", "Write it in parts");
    }

    static RuntimeException of(SQLException failure, Limits limits) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof EvaluationException || each instanceof NotEvaluatedException) {
                return (RuntimeException) each;
            }
        }
        return switch (failure.getErrorCode()) {
            // Strings and bytes have no length for H2, so it is a CAST to NUMERIC.
            case ErrorCode.VALUE_TOO_LONG_2 -> EvaluationException.overflow("numeric");
            case ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE_1, ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE_2 ->
                EvaluationException.overflow("of its result");
            case ErrorCode.DIVISION_BY_ZERO_1 ->
                new EvaluationException(8134, "22012", "Divide by zero error encountered");
            case ErrorCode.SCALAR_SUBQUERY_CONTAINS_MORE_THAN_ONE_ROW ->
                new EvaluationException(512, "21000", "Subquery returned more than 1 value");
            case ErrorCode.MUST_GROUP_BY_COLUMN_1 ->
                EvaluationException.rule(
                        8120,
                        "A column is invalid in the select list because it is not contained in either an aggregate"
                                + " function or the GROUP BY clause");
            case ErrorCode.STATEMENT_WAS_CANCELED -> new EvaluationTimeoutException(limits.time());
            default -> {
                NotEvaluatedException refused = new NotEvaluatedException(
                        "The statement",
                        "H2 refuses it with the error " + failure.getErrorCode(),
                        "Write it in another way");
                refused.initCause(failure);
                yield refused;
            }
        };
    }
}
