package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.InvalidKeyspaceException;
import com.datastax.oss.driver.api.core.auth.AuthenticationException;
import dev.cassidy.async.Stages;
import dev.cassidy.jdbc.error.Lines;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import java.sql.SQLException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Why a session could not be opened, as JDBC says it; the SQLStates are in {@link SqlErrors}' table. */
final class ConnectErrors {

    private ConnectErrors() {}

    /** What prevented a session from opening. */
    static SQLException of(Throwable thrown, ConnectionSettings settings) {
        Throwable cause = Stages.cause(thrown);
        if (cause instanceof InvalidKeyspaceException) {
            String name =
                    settings.keyspace().map(keyspace -> keyspace.asCql(true)).orElse("");
            return new SQLSyntaxErrorException(
                    "Keyspace " + name + " does not exist on " + settings.hosts()
                            + "; check the URL, or create it first: CREATE KEYSPACE " + name
                            + " WITH replication = {'class': 'NetworkTopologyStrategy', '<datacenter>': <replicas>}",
                    SqlStates.NO_KEYSPACE,
                    cause);
        }
        if (cause instanceof AllNodesFailedException failed) {
            List<Throwable> errors = failed.getAllErrors().values().stream()
                    .flatMap(List::stream)
                    .toList();
            for (Throwable error : errors) {
                if (error instanceof AuthenticationException) {
                    return new SQLInvalidAuthorizationSpecException(
                            "Cannot connect to " + settings.hosts() + ": the cluster refused the login of user '"
                                    + settings.user().orElse("") + "'; check the options user and password",
                            SqlStates.INVALID_AUTHORISATION,
                            cause);
                }
            }
            Optional<String> tls = Tls.explain(errors, settings);
            if (tls.isPresent()) {
                return new SQLNonTransientConnectionException(
                        "Cannot connect to " + settings.hosts() + ": " + tls.get(), SqlStates.CANNOT_CONNECT, cause);
            }
            return new SQLTransientConnectionException(
                    "Cannot connect to " + settings.hosts() + ": no node answered ("
                            + Lines.escaped(errors.stream()
                                    .map(SqlErrors::brief)
                                    .distinct()
                                    .collect(Collectors.joining("; ")))
                            + "); check the hosts and ports in the URL and that Cassandra is running"
                            + Tls.doubt(errors, settings),
                    SqlStates.CANNOT_CONNECT,
                    cause);
        }
        if (cause instanceof SQLException sql) {
            return sql;
        }
        if (cause instanceof IllegalStateException && settings.localDatacenter().isEmpty()) {
            // Thrown by the driver if it cannot infer the datacenter; its advice differs from ours.
            return new SQLNonTransientConnectionException(
                    "Cannot connect to " + settings.hosts() + ": the hosts are in several datacenters; say which one is"
                            + " local with the option localDatacenter=... (" + cause.getMessage() + ")",
                    SqlStates.CANNOT_CONNECT,
                    cause);
        }
        return new SQLNonTransientConnectionException(
                "Cannot connect to " + settings.hosts() + ": " + Lines.escaped(String.valueOf(cause.getMessage())),
                SqlStates.CANNOT_CONNECT,
                cause);
    }
}
