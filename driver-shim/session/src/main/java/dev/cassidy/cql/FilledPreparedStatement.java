package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.table.ColumnDefault;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A prepared insert as its user sees it: without the markers that carry the id and the defaults that change, and without what
 * was added to it. What is bound to it are the user's variables alone; {@link #fill} makes of them what is sent. Safe for
 * use by many threads.
 */
final class FilledPreparedStatement implements PreparedStatement {

    private final PreparedStatement sent;
    private final RewrittenInsert insert;
    private final @Nullable IdentityType type;
    private final List<ColumnDefault> generated;
    private final VisibleDefinitions visible;
    private final List<Integer> partitionKey;

    /** With no value bound: what every statement begins as, but for its routing key, which is that of no row. */
    private final BoundStatement unbound;

    /** What its user gave the statement that was prepared; null to have it worked out from the values that are sent. */
    private final @Nullable ByteBuffer routingKey;

    /** The generation of defaults that it was last found to have. */
    private volatile long generation;

    /** @param sent with the hidden markers */
    FilledPreparedStatement(PreparedStatement sent, RewrittenInsert insert) {
        ColumnDefinitions variables = sent.getVariableDefinitions();
        int[] hidden = insert.hidden();
        insert.identity().ifPresent(identity -> requireColumn(sent, insert.identityMarker(), identity.column()));
        this.sent = sent;
        this.insert = insert;
        this.generated = insert.generated();
        for (int i = 0; i < generated.size(); i++) {
            requireColumn(sent, insert.marker(i), generated.get(i).column());
        }
        this.type = insert.identity()
                .map(identity -> Registration.type(
                        identity, variables.get(insert.identityMarker()).getType()))
                .orElse(null);
        this.visible = new VisibleDefinitions(variables, hidden);
        this.partitionKey = visible.visible(sent.getPartitionKeyIndices());
        this.unbound = sent.bind();
        this.routingKey = insert.original().getRoutingKeyForBoundStatements();
        this.generation = insert.generation();
    }

    private static void requireColumn(PreparedStatement sent, int marker, String column) {
        ColumnDefinitions variables = sent.getVariableDefinitions();
        String name =
                marker < variables.size() ? variables.get(marker).getName().asInternal() : "none";
        if (!name.equals(column)) {
            // Were the markers counted differently than by the server, a value would go to another column.
            throw new IllegalStateException(
                    "marker " + marker + " is that of " + name + " and not of " + column + ": " + sent.getQuery());
        }
    }

    RewrittenInsert insert() {
        return insert;
    }

    /** Returns the type of the identity that it hides a marker of. */
    IdentityType type() {
        return Objects.requireNonNull(type);
    }

    /** Returns whether its defaults were the table's at this generation. */
    boolean isOf(long now) {
        return generation == now;
    }

    /** Notes that its defaults are the table's at this generation. */
    void isStillOf(long now) {
        generation = now;
    }

    /** Returns the defaults that have a marker each. */
    List<ColumnDefault> generated() {
        return generated;
    }

    /** Returns the type of the marker of one of the generated defaults. */
    DataType generatedType(int index) {
        return sent.getVariableDefinitions().get(insert.marker(index)).getType();
    }

    /**
     * Returns what is sent: the user's values and settings, and the hidden ones.
     *
     * @param defaults one for each of the generated defaults
     * @param id ignored if it hides no marker for an identity
     */
    BoundStatement fill(BoundStatement user, @Nullable ByteBuffer[] defaults, long id) {
        List<ByteBuffer> given = user.getValues();
        @Nullable ByteBuffer[] values = new ByteBuffer[visible.all().size()];
        for (int i = 0; i < given.size(); i++) {
            values[visible.index(i)] = given.get(i);
        }
        for (int i = 0; i < defaults.length; i++) {
            values[insert.marker(i)] = defaults[i];
        }
        if (type != null) {
            values[insert.identityMarker()] = GivenIds.encode(id, type);
        }
        return builder(sent, sent.getVariableDefinitions(), values, user);
    }

    /** Returns what a statement of the same visible variables is of another prepared statement. */
    static BoundStatement rebound(PreparedStatement prepared, BoundStatement user) {
        return builder(
                prepared, prepared.getVariableDefinitions(), user.getValues().toArray(ByteBuffer[]::new), user);
    }

    /** Returns a statement of these values, one for each visible variable, with the settings of another one. */
    static BoundStatement rebound(PreparedStatement prepared, ByteBuffer[] values, BoundStatement settings) {
        return builder(prepared, prepared.getVariableDefinitions(), values, settings);
    }

    /** Returns what a statement is with these values, this write timestamp, and the other settings of {@code settings}. */
    static BoundStatement bind(
            PreparedStatement prepared, ByteBuffer[] values, BoundStatement settings, long microseconds) {
        // The row's: with a deletion, it is one statement of several, of which the server need not name the key.
        return copy(prepared, prepared.getVariableDefinitions(), values, settings, settings.getRoutingKey())
                .setQueryTimestamp(microseconds)
                .build();
    }

    private static BoundStatement builder(
            PreparedStatement prepared, ColumnDefinitions variables, ByteBuffer[] values, BoundStatement settings) {
        return copy(prepared, variables, values, settings, givenRoutingKey(settings))
                .build();
    }

    /**
     * Returns the routing key that its user gave a statement; null if the driver works it out from the values. Then it must be
     * worked out again from those that are sent: the driver takes a value that is not set for an empty one, so the rows of all
     * new ids would go to the replicas of the empty key.
     */
    private static @Nullable ByteBuffer givenRoutingKey(BoundStatement statement) {
        ByteBuffer key = statement.getRoutingKey();
        return key == null
                        || statement
                                .getPreparedStatement()
                                .getPartitionKeyIndices()
                                .isEmpty()
                        || !key.equals(
                                statement.setRoutingKey((ByteBuffer) null).getRoutingKey())
                ? key
                : null;
    }

    private static BoundStatementBuilder copy(
            PreparedStatement prepared,
            ColumnDefinitions variables,
            ByteBuffer[] values,
            BoundStatement settings,
            @Nullable ByteBuffer routingKey) {
        BoundStatementBuilder builder = new BoundStatementBuilder(
                prepared,
                variables,
                values,
                settings.getExecutionProfileName(),
                settings.getExecutionProfile(),
                settings.getRoutingKeyspace(),
                routingKey,
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
                    "must be at most " + visible.size() + " values: " + values.length + " values for " + getQuery());
        }
        List<ByteBuffer> unset = unbound.getValues();
        ByteBuffer[] own = new ByteBuffer[visible.size()];
        for (int i = 0; i < own.length; i++) {
            own[i] = unset.get(visible.index(i));
        }
        BoundStatementBuilder builder = copy(this, visible, own, unbound, routingKey);
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
        return insert.original().getQuery();
    }

    @Override
    public ColumnDefinitions getVariableDefinitions() {
        return visible;
    }

    /** Empty where a hidden value is part of the partition key: the routing key is not known before that is. */
    @Override
    public List<Integer> getPartitionKeyIndices() {
        return partitionKey;
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
