package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.servererrors.SyntaxError;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.util.List;
import java.util.stream.Collectors;

/** Names the parts of a statement that Cassandra has no words for, where its parser only says at which character it gave up. */
final class SyntaxErrors {

    private SyntaxErrors() {}

    /** Returns an error that names them; the same error if it is not the server's syntax error, or nothing is known of it. */
    static SQLException told(SQLException error, TsqlStep step, SharedSession session) {
        if (!(error.getCause() instanceof SyntaxError)) {
            return error;
        }
        List<String> parts = step.statements().stream()
                .flatMap(cql -> session.statements().unsupported(cql).stream())
                .distinct()
                .toList();
        return parts.isEmpty()
                ? error
                : new SQLSyntaxErrorException(
                        String.join("; ", parts) + ". Cassandra says: " + error.getMessage(),
                        error.getSQLState(),
                        error.getErrorCode(),
                        error.getCause());
    }

    /** Returns a refusal of the driver's own with the other parts that would be refused next. */
    static SQLException whole(SQLException error, String sql, SharedSession session) {
        String first = String.valueOf(error.getMessage());
        String others = session.statements().unsupported(sql).stream()
                .filter(part -> !first.contains(part.substring(0, part.indexOf(" is not supported"))))
                .collect(Collectors.joining("; "));
        return others.isEmpty()
                ? error
                : new SQLSyntaxErrorException(
                        first + ". Besides: " + others, error.getSQLState(), error.getErrorCode(), error.getCause());
    }
}
