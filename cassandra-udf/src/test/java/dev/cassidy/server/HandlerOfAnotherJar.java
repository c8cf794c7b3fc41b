package dev.cassidy.server;

import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.cassandra.cql3.BatchQueryOptions;
import org.apache.cassandra.cql3.CQLStatement;
import org.apache.cassandra.cql3.QueryHandler;
import org.apache.cassandra.cql3.QueryOptions;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.statements.BatchStatement;
import org.apache.cassandra.exceptions.InvalidRequestException;
import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.service.QueryState;
import org.apache.cassandra.transport.Dispatcher;
import org.apache.cassandra.transport.messages.ResultMessage;
import org.apache.cassandra.utils.MD5Digest;

/**
 * Some query handler that a cluster already has. It refuses texts with a certain word, and names each of its methods that
 * was called in a system property that CQL can read.
 */
public final class HandlerOfAnotherJar implements QueryHandler {

    static final String CALLED = "cassandra.test.called.";

    private final QueryHandler cassandra = QueryProcessor.instance;

    private static void called(String method) {
        System.setProperty(CALLED + method, "yes");
    }

    private static void check(String query) {
        if (query.contains("forbidden")) {
            throw new InvalidRequestException("refused by the handler of another jar");
        }
    }

    @Override
    public CQLStatement parse(String query, QueryState state, QueryOptions options) {
        called("parse");
        check(query);
        return cassandra.parse(query, state, options);
    }

    @Override
    public ResultMessage process(
            CQLStatement statement,
            QueryState state,
            QueryOptions options,
            Map<String, ByteBuffer> customPayload,
            Dispatcher.RequestTime requestTime) {
        called("process");
        return cassandra.process(statement, state, options, customPayload, requestTime);
    }

    @Override
    public ResultMessage.Prepared prepare(String query, ClientState state, Map<String, ByteBuffer> customPayload) {
        called("prepare");
        check(query);
        return cassandra.prepare(query, state, customPayload);
    }

    @Override
    public Prepared getPrepared(MD5Digest id) {
        called("getPrepared");
        return cassandra.getPrepared(id);
    }

    @Override
    public ResultMessage processPrepared(
            CQLStatement statement,
            QueryState state,
            QueryOptions options,
            Map<String, ByteBuffer> customPayload,
            Dispatcher.RequestTime requestTime) {
        called("processPrepared");
        return cassandra.processPrepared(statement, state, options, customPayload, requestTime);
    }

    @Override
    public ResultMessage processBatch(
            BatchStatement statement,
            QueryState state,
            BatchQueryOptions options,
            Map<String, ByteBuffer> customPayload,
            Dispatcher.RequestTime requestTime) {
        called("processBatch");
        return cassandra.processBatch(statement, state, options, customPayload, requestTime);
    }
}
