package dev.cassidy.counter;

import static java.util.function.Predicate.not;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.functions.CrdtScript;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Installs the server's CRDT aggregates ({@code crdt_sum}) as user-defined functions.
 *
 * <p>They are looked up in the keyspace of the table that a query reads, so each keyspace with counters needs them,
 * unless the nodes run the jar of native functions.
 */
public final class CrdtFunctions {

    private static final Logger LOG = LoggerFactory.getLogger(CrdtFunctions.class);

    /** The first CREATE FUNCTION makes a node load its compiler, which the usual 2 s do not allow for. */
    private static final Duration STATEMENT_TIMEOUT = Duration.ofSeconds(30);

    private CrdtFunctions() {}

    /**
     * Creates the functions and aggregates in a keyspace, or replaces what another version of Cassidy created there.
     * May be called at every start: a server that has them already changes nothing. Blocks; takes some seconds the
     * first time. Installing from several processes at once is as unwise as any concurrent schema change.
     *
     * @param keyspace as CQL writes it: in double quotes if it is case-sensitive
     * @throws CrdtFunctionsException if the keyspace does not exist, the server does not allow user-defined functions,
     *     or the session's role may not create them there
     */
    public static void install(CqlSession session, String keyspace) {
        CqlIdentifier name = CqlIdentifier.fromCql(keyspace);
        Node node = nodeThatKnows(name, session);
        warnIfATimeoutStopsTheServer(session, node);
        // An aggregate needs its function, and within a kind the order is free: two waits for the new schema, not one
        // for each statement.
        List<String> statements = CrdtScript.statements(name.asCql(false));
        create(statements.stream().filter(not(CrdtFunctions::isAggregate)), name, session, node);
        create(statements.stream().filter(CrdtFunctions::isAggregate), name, session, node);
    }

    private static boolean isAggregate(String statement) {
        return statement.startsWith("CREATE OR REPLACE AGGREGATE ");
    }

    private static void create(Stream<String> statements, CqlIdentifier keyspace, CqlSession session, Node node) {
        // All are sent before the first is awaited.
        statements.map(cql -> create(cql, session, node)).toList().forEach(created -> await(created, keyspace, node));
    }

    private static Node nodeThatKnows(CqlIdentifier keyspace, CqlSession session) {
        ResultSet found = session.execute(SimpleStatement.newInstance(
                "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?", keyspace.asInternal()));
        Node node = found.getExecutionInfo().getCoordinator();
        if (found.one() == null || node == null) {
            throw new CrdtFunctionsException(
                    "keyspace does not exist, create it first: keyspace=" + keyspace.asCql(true));
        }
        return node;
    }

    private static CompletableFuture<AsyncResultSet> create(String cql, CqlSession session, Node node) {
        // One node orders concurrent changes by itself, and knows a function before the others have heard of it.
        return session.executeAsync(SimpleStatement.newInstance(cql)
                        .setNode(node)
                        .setTimeout(STATEMENT_TIMEOUT)
                        .setIdempotent(true))
                .toCompletableFuture();
    }

    private static void await(CompletableFuture<AsyncResultSet> created, CqlIdentifier keyspace, Node node) {
        try {
            created.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof DriverException refused ? explained(refused, keyspace, node) : e;
        }
    }

    private static RuntimeException explained(DriverException refused, CqlIdentifier keyspace, Node node) {
        String name = keyspace.asCql(true);
        if (refused instanceof UnauthorizedException) {
            return new CrdtFunctionsException(
                    "the session's role may not create functions: keyspace=" + name
                            + "; GRANT CREATE, ALTER, EXECUTE ON ALL FUNCTIONS IN KEYSPACE " + name + " TO it: "
                            + refused.getMessage(),
                    refused);
        }
        if (refused instanceof InvalidQueryException && saysThatFunctionsAreDisabled(refused)) {
            return new CrdtFunctionsException(
                    "user-defined functions are disabled: node=" + node.getEndPoint()
                            + "; set user_defined_functions_enabled: true (before Cassandra 4.1"
                            + " enable_user_defined_functions) in every node's cassandra.yaml and restart it,"
                            + " or use the jar of native functions",
                    refused);
        }
        return new CrdtFunctionsException(
                "not installed: keyspace=" + name + " node=" + node.getEndPoint() + "; " + refused.getMessage(),
                refused);
    }

    private static boolean saysThatFunctionsAreDisabled(DriverException refused) {
        return String.valueOf(refused.getMessage()).contains("User-defined functions are disabled");
    }

    private static void warnIfATimeoutStopsTheServer(CqlSession session, Node node) {
        if ("die".equals(setting("user_function_timeout_policy", session, node))) {
            LOG.warn(
                    "Cassandra stops itself when one call of a user-defined function stalls, because of a long pause for"
                            + " instance: set user_function_timeout_policy: ignore in every node's cassandra.yaml"
                            + " (now 'die' on {})",
                    node.getEndPoint());
        }
    }

    private static @Nullable String setting(String name, CqlSession session, Node node) {
        try {
            Row row = session.execute(
                            SimpleStatement.newInstance("SELECT value FROM system_views.settings WHERE name = ?", name)
                                    .setNode(node))
                    .one();
            return row == null ? null : row.getString("value");
        } catch (UnauthorizedException | InvalidQueryException e) {
            LOG.debug("{} cannot be read on {}", name, node.getEndPoint(), e);
            return null;
        }
    }
}
