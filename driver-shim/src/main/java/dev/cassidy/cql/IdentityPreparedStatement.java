package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import dev.cassidy.insert.Identity;
import dev.cassidy.sequence.IdentityType;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A prepared identity insert as its user sees it: without the marker that carries the id. What is bound to it are the
 * user's variables alone; {@link #bindIdentity} makes of them what is sent. Safe for use by many threads.
 */
final class IdentityPreparedStatement implements PreparedStatement {

    private final PreparedStatement sent;
    private final String query;
    private final Identity identity;
    private final IdentityType type;
    private final int hidden;
    private final ColumnDefinitions visible;
    private final List<Integer> partitionKey;

    /** With no value bound: what every statement begins as. */
    private final BoundStatement unbound;

    /**
     * @param sent with the marker for the id
     * @param query the user's text
     * @param hidden the marker's index
     */
    IdentityPreparedStatement(PreparedStatement sent, String query, Identity identity, int hidden) {
        ColumnDefinitions variables = sent.getVariableDefinitions();
        String name =
                hidden < variables.size() ? variables.get(hidden).getName().asInternal() : "none";
        if (!name.equals(identity.column())) {
            // Were the markers counted differently than by the server, an id would go to another column.
            throw new IllegalStateException("marker " + hidden + " is that of " + name + " and not of "
                    + identity.column() + ": " + sent.getQuery());
        }
        this.sent = sent;
        this.query = query;
        this.identity = identity;
        this.type = Registration.type(identity, variables.get(hidden).getType());
        this.hidden = hidden;
        this.visible = new VisibleDefinitions(variables, hidden);
        this.partitionKey = visible(sent.getPartitionKeyIndices(), hidden);
        this.unbound = sent.bind();
    }

    Identity identity() {
        return identity;
    }

    IdentityType type() {
        return type;
    }

    /** Returns what is sent: the user's values and settings, and the id. */
    BoundStatement bindIdentity(BoundStatement user, long id) {
        List<ByteBuffer> given = user.getValues();
        ByteBuffer[] values = new ByteBuffer[given.size() + 1];
        for (int i = 0; i < values.length; i++) {
            values[i] = i == hidden ? ExplicitIds.encode(id, type) : given.get(i < hidden ? i : i - 1);
        }
        return builder(sent, sent.getVariableDefinitions(), values, user);
    }

    /** Returns what a statement is with these values, this write timestamp, and the other settings of {@code settings}. */
    static BoundStatement bind(
            PreparedStatement prepared, ByteBuffer[] values, BoundStatement settings, long microseconds) {
        return copy(prepared, prepared.getVariableDefinitions(), values, settings)
                .setQueryTimestamp(microseconds)
                .build();
    }

    private static BoundStatement builder(
            PreparedStatement prepared, ColumnDefinitions variables, ByteBuffer[] values, BoundStatement settings) {
        return copy(prepared, variables, values, settings).build();
    }

    private static BoundStatementBuilder copy(
            PreparedStatement prepared, ColumnDefinitions variables, ByteBuffer[] values, BoundStatement settings) {
        BoundStatementBuilder builder = new BoundStatementBuilder(
                prepared,
                variables,
                values,
                settings.getExecutionProfileName(),
                settings.getExecutionProfile(),
                settings.getRoutingKeyspace(),
                settings.getRoutingKey(),
                settings.getRoutingToken(),
                settings.getCustomPayload(),
                settings.isIdempotent(),
                settings.isTracing(),
                settings.getQueryTimestamp(),
                settings.getPagingState(),
                settings.getPageSize(),
                settings.getConsistencyLevel(),
                settings.getSerialConsistencyLevel(),
                settings.getTimeout(),
                settings.codecRegistry(),
                settings.protocolVersion());
        return builder.setNode(settings.getNode()).setNowInSeconds(settings.getNowInSeconds());
    }

    @Override
    public BoundStatement bind(@Nullable Object... values) {
        return boundStatementBuilder(values).build();
    }

    @Override
    public BoundStatementBuilder boundStatementBuilder(@Nullable Object... values) {
        if (values.length > visible.size()) {
            throw new IllegalArgumentException(
                    "must be at most " + visible.size() + " values: " + values.length + " values for " + query);
        }
        List<ByteBuffer> unset = unbound.getValues();
        ByteBuffer[] own = new ByteBuffer[visible.size()];
        for (int i = 0; i < own.length; i++) {
            own[i] = unset.get(i < hidden ? i : i + 1);
        }
        BoundStatementBuilder builder = copy(this, visible, own, unbound);
        for (int i = 0; i < values.length; i++) {
            builder = set(builder, i, values[i]);
        }
        return builder;
    }

    private static BoundStatementBuilder set(BoundStatementBuilder builder, int index, @Nullable Object value) {
        if (value == null) {
            return builder.setToNull(index);
        }
        DataType type = builder.getType(index);
        CodecRegistry codecs = builder.codecRegistry();
        TypeCodec<Object> codec = codecs.codecFor(type, value);
        return builder.set(index, value, codec);
    }

    @Override
    public ByteBuffer getId() {
        return sent.getId();
    }

    @Override
    public String getQuery() {
        return query;
    }

    @Override
    public ColumnDefinitions getVariableDefinitions() {
        return visible;
    }

    /** Empty where the id is part of the partition key: the routing key is not known before the id is. */
    @Override
    public List<Integer> getPartitionKeyIndices() {
        return partitionKey;
    }

    private static List<Integer> visible(List<Integer> indices, int hidden) {
        return indices.contains(hidden)
                ? List.of()
                : indices.stream().map(i -> i < hidden ? i : i - 1).toList();
    }

    @Override
    public @Nullable ByteBuffer getResultMetadataId() {
        return sent.getResultMetadataId();
    }

    @Override
    public ColumnDefinitions getResultSetDefinitions() {
        return sent.getResultSetDefinitions();
    }

    @Override
    public void setResultMetadata(ByteBuffer id, ColumnDefinitions definitions) {
        sent.setResultMetadata(id, definitions);
    }
}
