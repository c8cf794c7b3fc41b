package dev.cassidy.assist.eval;

import dev.cassidy.jdbc.assist.EvaluationException;
import java.sql.SQLException;
import org.h2.api.ErrorCode;

/** What H2 refuses, as SQL Server says it. */
final class Failures {

    private Failures() {}

    static RuntimeException of(SQLException failure, Limits limits) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof EvaluationException || each instanceof NotEvaluatedException) {
                return (RuntimeException) each;
            }
        }
        if (failure.getErrorCode() == ErrorCode.VALUE_TOO_LONG_2
                && reason(failure).contains("\"NUMERIC(")) {
            return EvaluationException.overflow("numeric");
        }
        return switch (failure.getErrorCode()) {
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
            case ErrorCode.STATEMENT_WAS_CANCELED ->
                new NotEvaluatedException(
                        "The statement", "it takes longer than " + limits.time(), "Join and filter by keys");
            default -> {
                NotEvaluatedException refused = new NotEvaluatedException(
                        "The statement", "H2 refuses it: " + reason(failure), "Write it in another way");
                refused.initCause(failure);
                yield refused;
            }
        };
    }

    /** H2's own message, without the statement as it was written for H2. */
    private static String reason(SQLException failure) {
        String message = String.valueOf(failure.getMessage());
        int statement = message.indexOf("; SQL statement:");
        return statement < 0 ? message : message.substring(0, statement);
    }
}
