package dev.cassidy.jdbc.run;

import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.jdbc.assist.Assistants;
import dev.cassidy.jdbc.assist.EvaluationException;
import dev.cassidy.jdbc.assist.EvaluationTimeoutException;
import dev.cassidy.jdbc.assist.NotAssistedException;
import dev.cassidy.jdbc.error.Lines;
import dev.cassidy.jdbc.error.SameError;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.session.UnreadDeclarations;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import org.jspecify.annotations.Nullable;

/** Errors of statements that are evaluated in the client, as JDBC reports them. */
final class AssistedErrors {

    /** SQL Server's number of what it cannot read. */
    private static final int SYNTAX = 102;

    private AssistedErrors() {}

    /**
     * Returns what is said of a failure.
     *
     * @param refusal what is said of the statement if it is not served in the client; null if it was served there before
     */
    static SQLException told(@Nullable Throwable failure, @Nullable SQLException refusal) {
        if (failure instanceof SQLException error) {
            return error;
        }
        if (failure instanceof UnreadDeclarations unread) {
            return unread.error();
        }
        if (failure instanceof NotAssistedException reason) {
            String why = Lines.escaped(String.valueOf(reason.getMessage()));
            return refusal == null ? Unserved.feature(why) : refused(refusal, why);
        }
        if (failure instanceof EvaluationTimeoutException) {
            return SqlServerErrors.timeout(String.valueOf(failure.getMessage()));
        }
        if (failure instanceof EvaluationException error) {
            return evaluation(error, refusal);
        }
        if (failure instanceof Exception e) {
            return SqlErrors.of(e);
        }
        return new SQLException("The statement could not be evaluated in the client", SqlStates.GENERAL, failure);
    }

    /**
     * What is evaluated needs no form in CQL, so the reason why this is not comes first. Where a table or a column is not known, that is the
     * reason.
     */
    private static SQLException refused(SQLException refusal, String why) {
        return Unserved.isUnknownName(refusal)
                ? SameError.andAlso(refusal, "Nor does the driver evaluate it in the client: " + why)
                : SameError.after(
                        "The driver does not evaluate the statement in the client: " + why
                                + (why.endsWith(".") ? "" : ".") + " Nor has CQL a form for it:",
                        refusal);
    }

    /** Returns a refusal of the driver's parser, with the reason why the statement is not evaluated in the client, if one is known. */
    static SQLException told(UnsupportedSqlException refusal) {
        SQLException error = SqlErrors.of(refusal);
        return Unserved.isOfCql(error)
                ? Assistants.whyNot(refusal.unread(), refusal.locking())
                        .map(why -> refused(error, why))
                        .orElse(error)
                : error;
    }

    /** Of what is wrong with the statement itself, the refusal says more if it knows SQL Server's number. */
    private static SQLException evaluation(EvaluationException error, @Nullable SQLException refusal) {
        String message = Lines.escaped(String.valueOf(error.getMessage()));
        if (error.sqlState().startsWith("42")) {
            if (refusal != null && refusal.getErrorCode() != 0 && refusal.getErrorCode() != SYNTAX) {
                return refusal;
            }
            return new SQLSyntaxErrorException(message, error.sqlState(), error.number());
        }
        return error.sqlState().startsWith("22")
                ? new SQLDataException(message, error.sqlState(), error.number())
                : new SQLException(message, error.sqlState(), error.number());
    }
}
