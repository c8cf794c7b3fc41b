package dev.cassidy.server;

import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.cassandra.cql3.BatchQueryOptions;
import org.apache.cassandra.cql3.CQLStatement;
import org.apache.cassandra.cql3.QueryHandler;
import org.apache.cassandra.cql3.QueryOptions;
import org.apache.cassandra.cql3.functions.Arguments;
import org.apache.cassandra.cql3.functions.NativeFunctions;
import org.apache.cassandra.cql3.functions.NativeScalarFunction;
import org.apache.cassandra.cql3.statements.BatchStatement;
import org.apache.cassandra.db.marshal.BooleanType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.marshal.UUIDType;
import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.service.QueryState;
import org.apache.cassandra.transport.Dispatcher;
import org.apache.cassandra.transport.messages.ResultMessage;
import org.apache.cassandra.utils.MD5Digest;

/** A handler whose jar has a function with the name and the arguments of one of ours; it never comes to serve a query. */
public final class ConflictingHandler implements QueryHandler {

    public ConflictingHandler() {
        NativeFunctions.instance.add(
                new NativeScalarFunction(
                        "crdt_orset_size",
                        UTF8Type.instance,
                        UTF8Type.instance,
                        UUIDType.instance,
                        BooleanType.instance) {
                    @Override
                    public ByteBuffer execute(Arguments arguments) {
                        throw new UnsupportedOperationException();
                    }
                });
    }

    @Override
    public CQLStatement parse(String query, QueryState state, QueryOptions options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ResultMessage process(
            CQLStatement statement,
            QueryState state,
            QueryOptions options,
            Map<String, ByteBuffer> customPayload,
            Dispatcher.RequestTime requestTime) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ResultMessage.Prepared prepare(String query, ClientState state, Map<String, ByteBuffer> customPayload) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Prepared getPrepared(MD5Digest id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ResultMessage processPrepared(
            CQLStatement statement,
            QueryState state,
            QueryOptions options,
            Map<String, ByteBuffer> customPayload,
            Dispatcher.RequestTime requestTime) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ResultMessage processBatch(
            BatchStatement statement,
            QueryState state,
            BatchQueryOptions options,
            Map<String, ByteBuffer> customPayload,
            Dispatcher.RequestTime requestTime) {
        throw new UnsupportedOperationException();
    }
}
