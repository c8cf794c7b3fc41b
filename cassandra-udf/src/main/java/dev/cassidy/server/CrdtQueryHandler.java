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
import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.service.QueryState;
import org.apache.cassandra.transport.Dispatcher;
import org.apache.cassandra.transport.messages.ResultMessage;
import org.apache.cassandra.utils.MD5Digest;
import org.jspecify.annotations.Nullable;

/**
 * Registers Cassidy's native functions when a Cassandra 5.0 node starts, and otherwise leaves every query to Cassandra.
 *
 * <p>Put the jar into Cassandra's {@code lib/} and start every node with
 * {@code -Dcassandra.custom_query_handler_class=dev.cassidy.server.CrdtQueryHandler}. Cassandra 5.0 has no other place
 * where a jar may add a function before the prepared statements of the last run are loaded again.
 */
public final class CrdtQueryHandler implements QueryHandler {

    private final QueryHandler cassandra = QueryProcessor.instance;

    /** Called once, by Cassandra. */
    public CrdtQueryHandler() {
        NativeFunctions.instance.addAll(CrdtSumFunction.overloads());
    }

    @Override
    public CQLStatement parse(String query, QueryState state, QueryOptions options) {
        return cassandra.parse(query, state, options);
    }

    @Override
    public ResultMessage process(
            CQLStatement statement,
            QueryState state,
            QueryOptions options,
            Map<String, ByteBuffer> customPayload,
            Dispatcher.RequestTime requestTime) {
        return cassandra.process(statement, state, options, customPayload, requestTime);
    }

    @Override
    public ResultMessage.Prepared prepare(String query, ClientState state, Map<String, ByteBuffer> customPayload) {
        return cassandra.prepare(query, state, customPayload);
    }

    @Override
    public QueryHandler.@Nullable Prepared getPrepared(MD5Digest id) {
        return cassandra.getPrepared(id);
    }

    @Override
    public ResultMessage processPrepared(
            CQLStatement statement,
            QueryState state,
            QueryOptions options,
            Map<String, ByteBuffer> customPayload,
            Dispatcher.RequestTime requestTime) {
        return cassandra.processPrepared(statement, state, options, customPayload, requestTime);
    }

    @Override
    public ResultMessage processBatch(
            BatchStatement statement,
            QueryState state,
            BatchQueryOptions options,
            Map<String, ByteBuffer> customPayload,
            Dispatcher.RequestTime requestTime) {
        return cassandra.processBatch(statement, state, options, customPayload, requestTime);
    }
}
