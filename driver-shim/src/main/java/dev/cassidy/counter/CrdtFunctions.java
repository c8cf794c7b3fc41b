package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.functions.CrdtScript;
import java.time.Duration;
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
     * first time.
     *
     * @param keyspace as CQL writes it: in double quotes if it is case-sensitive
     * @throws CrdtFunctionsException if the keyspace does not exist, the server does not allow user-defined functions,
     *     or the session's role may not create them there
     */
    public static void install(CqlSession session, String keyspace) {
        CqlIdentifier name = CqlIdentifier.fromCql(keyspace);
        Node node = nodeThatKnows(name, session);
        warnIfATimeoutStopsTheServer(session, node);
        for (String statement : CrdtScript.statements(name.asCql(false))) {
            create(statement, name, session, node);
        }
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

    private static void create(String statement, CqlIdentifier keyspace, CqlSession session, Node node) {
        try {
            // An aggregate needs its function: one node knows the function before the others have heard of it.
            session.execute(SimpleStatement.newInstance(statement)
                    .setNode(node)
                    .setTimeout(STATEMENT_TIMEOUT)
                    .setIdempotent(true));
        } catch (UnauthorizedException e) {
            throw new CrdtFunctionsException(
                    "the session's role may not create functions: keyspace=" + keyspace.asCql(true)
                            + "; GRANT CREATE ON ALL FUNCTIONS IN KEYSPACE " + keyspace.asCql(true)
                            + " TO it (and ALTER, EXECUTE if another role installed them): " + e.getMessage(),
                    e);
        } catch (InvalidQueryException e) {
            if (saysThatFunctionsAreDisabled(e)) {
                throw new CrdtFunctionsException(
                        "user-defined functions are disabled: node=" + node.getEndPoint()
                                + "; set user_defined_functions_enabled: true (before Cassandra 4.1"
                                + " enable_user_defined_functions) in every node's cassandra.yaml and restart it,"
                                + " or use the jar of native functions",
                        e);
            }
            throw new CrdtFunctionsException(
                    "refused by Cassandra: keyspace=" + keyspace.asCql(true) + "; " + e.getMessage() + ": " + statement,
                    e);
        }
    }

    private static boolean saysThatFunctionsAreDisabled(InvalidQueryException e) {
        return String.valueOf(e.getMessage()).contains("User-defined functions are disabled");
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
