package dev.cassidy.jdbc.error;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.InvalidKeyspaceException;
import com.datastax.oss.driver.api.core.RequestThrottlingException;
import com.datastax.oss.driver.api.core.auth.AuthenticationException;
import com.datastax.oss.driver.api.core.connection.ClosedConnectionException;
import com.datastax.oss.driver.api.core.connection.HeartbeatException;
import com.datastax.oss.driver.api.core.servererrors.AlreadyExistsException;
import com.datastax.oss.driver.api.core.servererrors.BootstrappingException;
import com.datastax.oss.driver.api.core.servererrors.CASWriteUnknownException;
import com.datastax.oss.driver.api.core.servererrors.FunctionFailureException;
import com.datastax.oss.driver.api.core.servererrors.InvalidConfigurationInQueryException;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.OverloadedException;
import com.datastax.oss.driver.api.core.servererrors.ReadFailureException;
import com.datastax.oss.driver.api.core.servererrors.ReadTimeoutException;
import com.datastax.oss.driver.api.core.servererrors.SyntaxError;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import com.datastax.oss.driver.api.core.servererrors.UnavailableException;
import com.datastax.oss.driver.api.core.servererrors.WriteFailureException;
import com.datastax.oss.driver.api.core.servererrors.WriteTimeoutException;
import com.datastax.oss.driver.api.core.type.codec.CodecNotFoundException;
import dev.cassidy.async.Stages;
import dev.cassidy.cluster.Grants;
import dev.cassidy.count.CountException;
import dev.cassidy.cql.ColumnValueException;
import dev.cassidy.cql.IdentityInsertException;
import dev.cassidy.cql.OwnKeyspaceException;
import dev.cassidy.cql.WriteModeException;
import dev.cassidy.definition.Twin;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.remedy.CommandLines;
import dev.cassidy.remedy.Remedied;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.sequence.SequenceException;
import java.nio.channels.ClosedChannelException;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLNonTransientException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What went wrong, as JDBC says it.
 *
 * <table>
 * <caption>SQLStates</caption>
 * <tr><th>what happened</th><th>SQLState</th><th>subclass of SQLException</th></tr>
 * <tr><td>bad URL or option, no node reached, TLS refused, unknown datacenter</td><td>08001</td><td>...ConnectionException</td></tr>
 * <tr><td>login refused</td><td>28000</td><td>SQLInvalidAuthorizationSpecException</td></tr>
 * <tr><td>keyspace missing, Cassidy's own too</td><td>3F000</td><td>SQLSyntaxErrorException</td></tr>
 * <tr><td>too few replicas, nodes gone during a statement</td><td>08006</td><td>SQLTransientConnectionException</td></tr>
 * <tr><td>timeout; the message says so if a write's outcome is unknown</td><td>HYT00</td><td>SQLTimeoutException</td></tr>
 * <tr><td>syntax, rules of CQL, a table that is not registered</td><td>42000</td><td>SQLSyntaxErrorException</td></tr>
 * <tr><td>more or fewer values than columns</td><td>S0001, as SQL Server's driver</td><td>SQLSyntaxErrorException</td></tr>
 * <tr><td>no such table, column, index; table, index exists</td><td>42S02, 42S22, 42S12; 42S01, 42S11</td><td>SQLSyntaxErrorException</td></tr>
 * <tr><td>a table whose write mode is about to change; others changed a row before each try</td><td>40001</td><td>SQLTransientException</td></tr>
 * <tr><td>permission; a change of Cassidy's own tables</td><td>42501</td><td>SQLSyntaxErrorException</td></tr>
 * <tr><td>an explicit id where the sequence issues; no value for a column of the key</td><td>23000</td><td>SQLIntegrityConstraintViolationException</td></tr>
 * <tr><td>a value or an id that does not fit, a sequence used up</td><td>22003</td><td>SQLDataException</td></tr>
 * <tr><td>a day that a type of T-SQL does not have</td><td>22008</td><td>SQLDataException</td></tr>
 * <tr><td>a division by zero</td><td>22012</td><td>SQLDataException</td></tr>
 * <tr><td>a literal of another type than its column</td><td>22018</td><td>SQLDataException</td></tr>
 * <tr><td>a sequence that awaits its seed</td><td>55000</td><td>SQLNonTransientException</td></tr>
 * <tr><td>no id in time; a raise that not every process has acknowledged yet</td><td>HYT00</td><td>SQLTransientException</td></tr>
 * <tr><td>SQL or JDBC that is not served</td><td>HYC00</td><td>SQLFeatureNotSupportedException</td></tr>
 * <tr><td>a transaction larger than the cluster takes</td><td>54000</td><td>SQLNonTransientException</td></tr>
 * <tr><td>overload</td><td>53000</td><td>SQLTransientException</td></tr>
 * <tr><td>a function failed on the server</td><td>38000</td><td>SQLNonTransientException</td></tr>
 * </table>
 */
public final class SqlErrors {

    private static final String OUTCOME = " The write may or may not have been applied.";
    private static final String OUTCOME_IF_IT_WROTE = " If it wrote, the write may or may not have been applied.";

    private SqlErrors() {}

    /** Returns the message of the innermost cause. */
    public static String brief(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    }

    /** What made a statement fail; how to correct it is told in SQL or Java. */
    public static SQLException of(Throwable thrown) {
        return of(
                thrown,
                remedy -> remedy.sql().map(statement -> "Run: " + statement).orElseGet(remedy::inJava));
    }

    /** What made a statement fail; how to correct it is told as lines for a shell. */
    public static SQLException of(Throwable thrown, CommandLines lines) {
        return of(thrown, lines::tell);
    }

    private static SQLException of(Throwable thrown, Function<Remedy, String> tell) {
        Throwable cause = Stages.cause(thrown);
        if (cause instanceof SQLException sql) {
            return sql;
        }
        if (cause instanceof UnsupportedSqlException unsupported) {
            return asSqlServer(unsupported);
        }
        if (cause instanceof IdentityInsertException insert) {
            return identity(insert, tell);
        }
        if (cause instanceof ColumnValueException value) {
            return value(value);
        }
        if (cause instanceof OwnKeyspaceException) {
            return new SQLSyntaxErrorException(
                    messageOf(cause), SqlStates.NO_PRIVILEGE, SqlServerErrors.PERMISSION_DENIED, cause);
        }
        if (cause instanceof WriteModeException mode) {
            return mode.isChanging()
                    ? new SQLTransientException(messageOf(cause), SqlStates.CONFLICT, cause)
                    : new SQLSyntaxErrorException(messageOf(cause), SqlStates.SYNTAX_OR_RULE, cause);
        }
        if (cause instanceof SequenceException sequence) {
            return sequence(sequence, tell);
        }
        if (cause instanceof CountException count) {
            return count(count);
        }
        return driver(cause);
    }

    private static SQLException count(CountException e) {
        @Nullable
        UnauthorizedException refused = e.outcome() == CountException.Outcome.UNKNOWN ? null : Grants.refusal(e);
        if (refused != null) {
            return new SQLSyntaxErrorException(
                    "The counters of the table cannot be used: " + Lines.escaped(Grants.message(refused)),
                    SqlStates.NO_PRIVILEGE,
                    SqlServerErrors.PERMISSION_DENIED,
                    e);
        }
        String message = messageOf(e);
        return switch (e.outcome()) {
            case NOT_COUNTED -> new SQLTransientException(message, SqlStates.CONFLICT, e);
            case UNKNOWN ->
                new SQLTimeoutException(
                        "It is not known whether this counts, now or later. Do not run it again: it might count twice. "
                                + message,
                        SqlStates.TIMEOUT,
                        e);
            case OVERFLOW -> new SQLDataException(message, SqlStates.OUT_OF_RANGE, SqlServerErrors.OVERFLOW, e);
            case UNAVAILABLE -> new SQLTransientConnectionException(message, SqlStates.CONNECTION_FAILED, e);
            case UNFIT -> new SQLNonTransientException(message, SqlStates.GENERAL, e);
        };
    }

    /** The user's role lacks the right for a change that Cassidy makes on its behalf. */
    public static SQLException lacksRight(UnauthorizedException refused) {
        return new SQLSyntaxErrorException(
                "Nothing was changed: " + Lines.escaped(Grants.message(refused)),
                SqlStates.NO_PRIVILEGE,
                SqlServerErrors.PERMISSION_DENIED,
                refused);
    }

    /**
     * It is not known whether the user's role has the right for a change that Cassidy makes on its behalf.
     *
     * @param question the statement by which Cassandra was asked
     * @param answer null if it was executed
     */
    public static SQLException rightUnknown(String question, @Nullable Throwable answer) {
        return new SQLSyntaxErrorException(
                "Nothing was changed, because it is not known whether the role of this connection may do it. Cassandra was"
                        + " asked by a statement that it must refuse, " + question + ", and answered: "
                        + (answer == null ? "executed" : messageOf(answer)),
                SqlStates.NO_PRIVILEGE,
                SqlServerErrors.PERMISSION_DENIED,
                answer);
    }

    private static SQLException asSqlServer(UnsupportedSqlException e) {
        // It may be of the statement as it names a key in Cassandra.
        String message = Twin.shown(messageOf(e));
        return switch (e.number()) {
            case 0 -> Unserved.feature(message);
            case SqlServerErrors.SYNTAX ->
                new SQLSyntaxErrorException(message, SqlStates.SYNTAX_OR_RULE, e.number(), e);
            case SqlServerErrors.NOT_CONVERTED, SqlServerErrors.NO_NUMBER, SqlServerErrors.NO_UUID ->
                new SQLDataException(message, SqlStates.BAD_TEXT, e.number(), e);
            case SqlServerErrors.OVERFLOW -> new SQLDataException(message, SqlStates.OUT_OF_RANGE, e.number(), e);
            case SqlServerErrors.DIVISION_BY_ZERO ->
                new SQLDataException(message, SqlStates.DIVISION_BY_ZERO, e.number(), e);
            default -> new SQLSyntaxErrorException(message, SqlStates.SQL_SERVERS_OWN, e.number(), e);
        };
    }

    /** Adds to the result of {@link #of} for a conditional statement that the failure may hide a success, if it may. */
    public static SQLException ofConditional(SQLException e) {
        Throwable cause = e.getCause();
        String message = String.valueOf(e.getMessage());
        if (cause == null || ConditionalStatements.certainlyNotExecuted(cause) || message.endsWith("applied.")) {
            return e;
        }
        return withMessage(e, message + "." + OUTCOME);
    }

    /**
     * Adds the row's id to an error that leaves open whether the row was written, so that it can be looked up.
     *
     * @param together whether it is the error of a request with other rows: of those, a node that did not see enough replicas
     *     may have sent some
     */
    public static SQLException ofRow(SQLException e, long id, boolean together) {
        SQLException open = together ? ofConditional(e) : e;
        String message = String.valueOf(open.getMessage());
        return message.contains(" may or may not have been applied")
                ? withMessage(open, message + (message.endsWith(".") ? "" : ".") + " The row's id is " + id)
                : open;
    }

    /** Returns an error of the same subclass, because callers decide by that. */
    private static SQLException withMessage(SQLException e, String message) {
        Throwable cause = e.getCause();
        if (e instanceof SQLTransientConnectionException) {
            return new SQLTransientConnectionException(message, e.getSQLState(), cause);
        }
        if (e instanceof SQLTimeoutException) {
            return new SQLTimeoutException(message, e.getSQLState(), cause);
        }
        return e instanceof SQLTransientException
                ? new SQLTransientException(message, e.getSQLState(), cause)
                : new SQLException(message, e.getSQLState(), cause);
    }

    private static String messageOf(Throwable cause) {
        return cause.getMessage() == null ? cause.getClass().getName() : Lines.escaped(cause.getMessage());
    }

    private static <E extends RuntimeException & Remedied> String messageOf(E e, Function<Remedy, String> tell) {
        return Lines.escaped(Remedied.message(e.problem(), e.remedy().map(tell)));
    }

    private static SQLException value(ColumnValueException e) {
        int number = e.reason().number();
        return switch (e.reason()) {
            case NULL, CHECK ->
                new SQLIntegrityConstraintViolationException(messageOf(e), SqlStates.CONSTRAINT, number, e);
            case TRUNCATION -> new SQLDataException(messageOf(e), SqlStates.TOO_LONG, number, e);
            case IDENTITY, CLASS, COMPUTED ->
                new SQLSyntaxErrorException(messageOf(e), SqlStates.SYNTAX_OR_RULE, number, e);
            case OVERFLOW, TINYINT, NOT_A_NUMBER ->
                new SQLDataException(messageOf(e), SqlStates.OUT_OF_RANGE, number, e);
            case DATE_RANGE -> new SQLDataException(messageOf(e), SqlStates.DATETIME_OVERFLOW, number, e);
        };
    }

    private static SQLException identity(IdentityInsertException e, Function<Remedy, String> tell) {
        @Nullable UnauthorizedException refused = Grants.refusal(e);
        if (refused != null) {
            return new SQLSyntaxErrorException(
                    "Nothing was written: " + Lines.escaped(Grants.message(refused)), SqlStates.NO_PRIVILEGE, e);
        }
        String message = messageOf(e, tell);
        return switch (e.reason()) {
            case NOT_REGISTERED, OTHER_INSTALLATION, PREPARED_BEFORE_REGISTRATION, COLUMN_TYPE ->
                new SQLSyntaxErrorException(message, SqlStates.SYNTAX_OR_RULE, e);
            case REGISTRATION_UNKNOWN -> new SQLTransientConnectionException(message, SqlStates.CONNECTION_FAILED, e);
            case EXPLICIT_ID -> new SQLIntegrityConstraintViolationException(message, SqlStates.CONSTRAINT, e);
            case DOES_NOT_FIT -> new SQLDataException(message, SqlStates.OUT_OF_RANGE, SqlServerErrors.OVERFLOW, e);
            case ID_EXPRESSION, JSON, BATCH_TEXT, RESULT_TYPE, RENAME -> Unserved.feature(message);
        };
    }

    private static SQLException sequence(SequenceException e, Function<Remedy, String> tell) {
        String message = messageOf(e, tell);
        if (e instanceof SequenceException.SchemaMissing) {
            return new SQLSyntaxErrorException(message, SqlStates.NO_KEYSPACE, e);
        }
        if (e instanceof SequenceException.NotReady) {
            return new SQLNonTransientException(message, SqlStates.NOT_READY, e);
        }
        if (e instanceof SequenceException.Exhausted) {
            return new SQLDataException(message, SqlStates.OUT_OF_RANGE, e);
        }
        if (e instanceof SequenceException.Forbidden) {
            return new SQLSyntaxErrorException(message, SqlStates.NO_PRIVILEGE, e);
        }
        @Nullable UnauthorizedException refused = Grants.refusal(e);
        if (refused != null) {
            return new SQLSyntaxErrorException(
                    "No id can be issued: " + Lines.escaped(Grants.message(refused)), SqlStates.NO_PRIVILEGE, e);
        }
        // What is not acknowledged took effect: the same statement again waits for it once more.
        if (e instanceof SequenceException.Unavailable
                || e instanceof SequenceException.Detached
                || e instanceof SequenceException.NotAcknowledged) {
            return new SQLTransientException(message, SqlStates.TIMEOUT, e);
        }
        return new SQLSyntaxErrorException(message, SqlStates.SYNTAX_OR_RULE, e);
    }

    private static SQLException driver(Throwable cause) {
        String message = messageOf(cause);
        if (cause instanceof AllNodesFailedException failed) {
            return allNodesFailed(failed);
        }
        if (cause instanceof WriteTimeoutException
                || cause instanceof CASWriteUnknownException
                || cause instanceof DriverTimeoutException) {
            String outcome = cause instanceof DriverTimeoutException ? OUTCOME_IF_IT_WROTE : OUTCOME;
            return new SQLTimeoutException(message + "." + outcome, SqlStates.TIMEOUT, cause);
        }
        if (cause instanceof ReadTimeoutException) {
            return new SQLTimeoutException(message, SqlStates.TIMEOUT, cause);
        }
        if (cause instanceof WriteFailureException) {
            return new SQLTransientException(message + "." + OUTCOME, SqlStates.GENERAL, cause);
        }
        if (cause instanceof ReadFailureException) {
            return new SQLTransientException(message, SqlStates.GENERAL, cause);
        }
        if (cause instanceof UnavailableException || cause instanceof BootstrappingException) {
            return new SQLTransientConnectionException(message, SqlStates.CONNECTION_FAILED, cause);
        }
        // Netty's own, if the connection closes while a request is written.
        if (cause instanceof ClosedConnectionException
                || cause instanceof HeartbeatException
                || cause instanceof ClosedChannelException) {
            return new SQLTransientConnectionException(message + "." + OUTCOME, SqlStates.CONNECTION_FAILED, cause);
        }
        if (cause instanceof OverloadedException || cause instanceof RequestThrottlingException) {
            return new SQLTransientException(message, SqlStates.RESOURCES, cause);
        }
        if (cause instanceof FunctionFailureException) {
            return new SQLNonTransientException(message, SqlStates.ROUTINE_FAILED, cause);
        }
        if (cause instanceof CodecNotFoundException) {
            return new SQLDataException(message, SqlStates.TYPE_MISMATCH, cause);
        }
        if (cause instanceof AuthenticationException) {
            return new SQLInvalidAuthorizationSpecException(message, SqlStates.INVALID_AUTHORISATION, cause);
        }
        if (cause instanceof IllegalStateException && message.contains("closed")) {
            return new SQLNonTransientConnectionException(message, SqlStates.CONNECTION_CLOSED, cause);
        }
        return refusedByServer(cause, message);
    }

    private static SQLException refusedByServer(Throwable cause, String message) {
        if (cause instanceof InvalidQueryException && message.contains("Batch too large")) {
            return new SQLNonTransientException(
                    "The writes of one transaction, or of one INSERT of several rows, exceed the cluster's"
                            + " batch_size_fail_threshold, and nothing was written: commit more often, insert fewer"
                            + " rows at a time, or connect with transactions=immediate",
                    SqlStates.TOO_LARGE,
                    cause);
        }
        if (cause instanceof InvalidQueryException
                || cause instanceof InvalidKeyspaceException
                || cause instanceof InvalidConfigurationInQueryException) {
            // The server's words name columns as it has them.
            return ServerRefusals.invalid(Twin.shown(message), cause);
        }
        if (cause instanceof SyntaxError) {
            return ServerRefusals.syntax(message, cause);
        }
        if (cause instanceof AlreadyExistsException) {
            return new SQLSyntaxErrorException(message, SqlStates.TABLE_EXISTS, SqlServerErrors.OBJECT_EXISTS, cause);
        }
        if (cause instanceof UnauthorizedException refused) {
            return Grants.isMissing(refused)
                    ? new SQLSyntaxErrorException(Lines.escaped(Grants.message(refused)), SqlStates.NO_PRIVILEGE, cause)
                    : new SQLTransientConnectionException(
                            message + ". The permissions are in keyspace system_auth: its replicas did not answer",
                            SqlStates.CONNECTION_FAILED,
                            cause);
        }
        return new SQLException(message, SqlStates.GENERAL, cause);
    }

    /** Returns whether a message of the server says that a guardrail of the cluster refused the statement. */
    public static boolean isByGuardrail(String message) {
        return message.startsWith("Guardrail ");
    }

    private static SQLException allNodesFailed(AllNodesFailedException failed) {
        Map<?, List<Throwable>> errors = failed.getAllErrors();
        // If every node returned the same server error, such as Unavailable, it says more than that all nodes failed.
        List<Throwable> all = errors.values().stream().flatMap(List::stream).toList();
        TreeSet<String> kinds =
                all.stream().map(error -> error.getClass().getName()).collect(Collectors.toCollection(TreeSet::new));
        if (kinds.size() == 1 && !(all.get(0) instanceof AllNodesFailedException)) {
            SQLException same = driver(all.get(0));
            if (!SqlStates.GENERAL.equals(same.getSQLState())) {
                return same;
            }
        }
        String nodes = errors.entrySet().stream()
                .map(entry -> entry.getKey() + ": "
                        + entry.getValue().stream().map(SqlErrors::brief).collect(Collectors.joining(", ")))
                .collect(Collectors.joining("; "));
        boolean outcomeUnknown =
                all.stream().anyMatch(error -> messageOf(driver(error)).endsWith("applied."));
        return new SQLTransientConnectionException(
                errors.isEmpty()
                        ? "No node of the local datacenter is up or reachable"
                        : "Every node that was tried failed: " + nodes
                                + (outcomeUnknown ? "." + OUTCOME_IF_IT_WROTE : ""),
                SqlStates.CONNECTION_FAILED,
                failed);
    }
}
