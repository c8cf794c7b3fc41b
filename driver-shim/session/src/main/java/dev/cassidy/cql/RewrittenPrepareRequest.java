package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.cql.PrepareRequest;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.token.Token;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request with other CQL. A record, since the driver prepares equal requests once. */
record RewrittenPrepareRequest(PrepareRequest original, String query) implements PrepareRequest {

    @Override
    public String getQuery() {
        return query;
    }

    @Override
    public @Nullable String getExecutionProfileName() {
        return original.getExecutionProfileName();
    }

    @Override
    public @Nullable DriverExecutionProfile getExecutionProfile() {
        return original.getExecutionProfile();
    }

    @Override
    public @Nullable CqlIdentifier getKeyspace() {
        return original.getKeyspace();
    }

    @Override
    public @Nullable CqlIdentifier getRoutingKeyspace() {
        return original.getRoutingKeyspace();
    }

    @Override
    public @Nullable ByteBuffer getRoutingKey() {
        return original.getRoutingKey();
    }

    @Override
    public @Nullable Token getRoutingToken() {
        return original.getRoutingToken();
    }

    @Override
    public Map<String, ByteBuffer> getCustomPayload() {
        return original.getCustomPayload();
    }

    @Override
    public @Nullable Boolean isIdempotent() {
        return original.isIdempotent();
    }

    @Override
    public @Nullable Duration getTimeout() {
        return original.getTimeout();
    }

    @Override
    public @Nullable Node getNode() {
        return original.getNode();
    }

    @Override
    public @Nullable String getExecutionProfileNameForBoundStatements() {
        return original.getExecutionProfileNameForBoundStatements();
    }

    @Override
    public @Nullable DriverExecutionProfile getExecutionProfileForBoundStatements() {
        return original.getExecutionProfileForBoundStatements();
    }

    @Override
    public @Nullable CqlIdentifier getRoutingKeyspaceForBoundStatements() {
        return original.getRoutingKeyspaceForBoundStatements();
    }

    @Override
    public @Nullable ByteBuffer getRoutingKeyForBoundStatements() {
        return original.getRoutingKeyForBoundStatements();
    }

    @Override
    public @Nullable Token getRoutingTokenForBoundStatements() {
        return original.getRoutingTokenForBoundStatements();
    }

    @Override
    public Map<String, ByteBuffer> getCustomPayloadForBoundStatements() {
        return original.getCustomPayloadForBoundStatements();
    }

    @Override
    public @Nullable Boolean areBoundStatementsIdempotent() {
        return original.areBoundStatementsIdempotent();
    }

    @Override
    public @Nullable Duration getTimeoutForBoundStatements() {
        return original.getTimeoutForBoundStatements();
    }

    @Override
    public @Nullable ByteBuffer getPagingStateForBoundStatements() {
        return original.getPagingStateForBoundStatements();
    }

    @Override
    public int getPageSizeForBoundStatements() {
        return original.getPageSizeForBoundStatements();
    }

    @Override
    public @Nullable ConsistencyLevel getConsistencyLevelForBoundStatements() {
        return original.getConsistencyLevelForBoundStatements();
    }

    @Override
    public @Nullable ConsistencyLevel getSerialConsistencyLevelForBoundStatements() {
        return original.getSerialConsistencyLevelForBoundStatements();
    }

    @Override
    public boolean areBoundStatementsTracing() {
        return original.areBoundStatementsTracing();
    }
}
