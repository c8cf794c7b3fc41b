package dev.cassidy.server;

import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.cassandra.cql3.BatchQueryOptions;
import org.apache.cassandra.cql3.CQLStatement;
import org.apache.cassandra.cql3.QueryHandler;
import org.apache.cassandra.cql3.QueryOptions;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.functions.NativeFunctions;
import org.apache.cassandra.cql3.statements.BatchStatement;
import org.apache.cassandra.exceptions.ConfigurationException;
import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.service.QueryState;
import org.apache.cassandra.transport.Dispatcher;
import org.apache.cassandra.transport.messages.ResultMessage;
import org.apache.cassandra.utils.FBUtilities;
import org.apache.cassandra.utils.MD5Digest;
import org.jspecify.annotations.Nullable;

/**
 * Registers Cassidy's native functions when a Cassandra 5.0 node starts, and otherwise leaves every query to Cassandra, or
 * to the handler that {@code -Dcassidy.query_handler} names.
 *
 * <p>Put the jar into Cassandra's {@code lib/} and start every node with
 * {@code -Dcassandra.custom_query_handler_class=dev.cassidy.server.CrdtQueryHandler}. Cassandra 5.0 has no other place
 * where a jar may add a function before the prepared statements of the last run are loaded again.
 *
 * <p>A node that cannot have all of the functions does not start, and its log says why: started without them, it would
 * answer {@code Unknown function} to those clients that happen to have it as their coordinator.
 */
public final class CrdtQueryHandler implements QueryHandler {

    private static final String NEXT = "cassidy.query_handler";

    private final QueryHandler next;

    /**
     * Called once, by Cassandra.
     *
     * @throws IllegalStateException if the functions cannot be registered; then none of them is. Its cause says why: of an
     *     exception with such a cause, Cassandra writes the cause alone into its log
     */
    public CrdtQueryHandler() {
        try {
            // First of all: what follows exists in Cassandra 5.0 alone.
            requireSupported(FBUtilities.getReleaseVersionString());
            next = next(System.getProperty(NEXT));
            CrdtNatives.register(NativeFunctions.instance);
        } catch (ConfigurationException e) {
            throw new IllegalStateException(e);
        }
    }

    static void requireSupported(String version) {
        if (!version.matches("5\\.0([.-].*)?")) {
            throw new ConfigurationException("Cassidy's native functions are for Cassandra 5.0: version=" + version
                    + "; remove -Dcassandra.custom_query_handler_class and load crdt-functions.cql instead");
        }
    }

    private static QueryHandler next(@Nullable String name) {
        if (name == null) {
            return QueryProcessor.instance;
        }
        Object handler = FBUtilities.construct(name, "QueryHandler of -D" + NEXT);
        if (!(handler instanceof QueryHandler) || handler instanceof CrdtQueryHandler) {
            throw new ConfigurationException(
                    "must be a " + QueryHandler.class.getName() + " of its own: -D" + NEXT + "=" + name);
        }
        return (QueryHandler) handler;
    }

    @Override
    public CQLStatement parse(String query, QueryState state, QueryOptions options) {
        return next.parse(query, state, options);
    }

    @Override
    public ResultMessage process(
            CQLStatement statement,
            QueryState state,
            QueryOptions options,
            Map<String, ByteBuffer> customPayload,
            Dispatcher.RequestTime requestTime) {
        return next.process(statement, state, options, customPayload, requestTime);
    }

    @Override
    public ResultMessage.Prepared prepare(String query, ClientState state, Map<String, ByteBuffer> customPayload) {
        return next.prepare(query, state, customPayload);
    }

    @Override
    public QueryHandler.@Nullable Prepared getPrepared(MD5Digest id) {
        return next.getPrepared(id);
    }

    @Override
    public ResultMessage processPrepared(
            CQLStatement statement,
            QueryState state,
            QueryOptions options,
            Map<String, ByteBuffer> customPayload,
            Dispatcher.RequestTime requestTime) {
        return next.processPrepared(statement, state, options, customPayload, requestTime);
    }

    @Override
    public ResultMessage processBatch(
            BatchStatement statement,
            QueryState state,
            BatchQueryOptions options,
            Map<String, ByteBuffer> customPayload,
            Dispatcher.RequestTime requestTime) {
        return next.processBatch(statement, state, options, customPayload, requestTime);
    }
}
