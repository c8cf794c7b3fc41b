package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PrepareRequest;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.session.Request;
import com.datastax.oss.driver.api.core.type.reflect.GenericType;
import dev.cassidy.cluster.ForwardingSession;
import dev.cassidy.insert.CqlUse;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The driver's session that connections share. It refuses USE: that moves a session, and the unqualified statements of all its
 * connections would go to another keyspace in silence. A connection that changes its keyspace takes another session instead.
 */
final class FixedKeyspaceSession extends ForwardingSession {

    FixedKeyspaceSession(CqlSession session) {
        super(session);
    }

    /** @throws UnsupportedOperationException for USE; an asynchronous request reports it by its stage */
    // The caller names the type of the result.
    @SuppressWarnings("unchecked")
    @Override
    public <RequestT extends Request, ResultT> @Nullable ResultT execute(
            RequestT request, GenericType<ResultT> resultType) {
        String used = CqlUse.recognise(cql(request)).orElse(null);
        if (used == null) {
            return unwrap().execute(request, resultType);
        }
        UnsupportedOperationException refusal = refusal(used);
        if (resultType.equals(Statement.ASYNC) || resultType.equals(PrepareRequest.ASYNC)) {
            return (ResultT) CompletableFuture.failedFuture(refusal);
        }
        throw refusal;
    }

    /** Of what can be no USE it is empty: the server takes none in a batch. */
    private static String cql(Request request) {
        if (request instanceof BoundStatement bound) {
            return bound.getPreparedStatement().getQuery();
        }
        if (request instanceof SimpleStatement simple) {
            return simple.getQuery();
        }
        return request instanceof PrepareRequest prepare ? prepare.getQuery() : "";
    }

    private UnsupportedOperationException refusal(String used) {
        return new UnsupportedOperationException("USE " + used
                + " is refused on a session that JDBC connections share, which is in "
                + getKeyspace()
                        .map(keyspace -> "keyspace " + keyspace.asCql(true))
                        .orElse("no keyspace")
                + ": unqualified statements of the other connections would go to keyspace " + used
                + ". Qualify the names, or call Connection.setSchema and unwrap the session again");
    }
}
