package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import dev.cassidy.async.Stages;
import dev.cassidy.counter.store.CounterTable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** Sends rows of increments: one as it is, several in an unlogged batch. */
final class IncrementRows implements WriteGroups.Sender<BoundStatement> {

    /** What a row has besides the counter's name, in bytes. */
    private static final int FIXED_SIZE = 100;

    private final CqlSession session;
    private final DriverExecutionProfile batches;

    /** @param batches with the time-out of a request */
    IncrementRows(CqlSession session, DriverExecutionProfile batches) {
        this.session = session;
        this.batches = batches;
    }

    /**
     * Returns the replicas in this datacenter. If they are the same, the coordinator of a batch is a replica of each of its
     * rows, as it is of a row that is sent alone, and the nodes exchange no more messages.
     */
    @Override
    public Optional<Object> placeOf(BoundStatement row) {
        CqlIdentifier keyspace = row.getRoutingKeyspace();
        ByteBuffer key = row.getRoutingKey();
        if (keyspace == null || key == null) {
            return Optional.empty();
        }
        Set<Node> replicas = session.getMetadata()
                .getTokenMap()
                .map(tokens -> tokens.getReplicas(keyspace, key))
                .orElse(Set.of());
        Set<Node> near = replicas.stream()
                .filter(node -> node.getDistance() == NodeDistance.LOCAL)
                .collect(Collectors.toUnmodifiableSet());
        return near.isEmpty() ? Optional.empty() : Optional.of(near);
    }

    @Override
    public int sizeOf(BoundStatement row) {
        ByteBuffer key = row.getRoutingKey();
        return FIXED_SIZE + (key == null ? 0 : key.remaining());
    }

    @Override
    public CompletionStage<Void> send(List<BoundStatement> rows) {
        boolean alone = rows.size() == 1;
        return CompletableFuture.completedFuture(rows)
                .thenCompose(any -> session.executeAsync(alone ? rows.get(0) : together(rows)))
                .<Void>thenApply(done -> null)
                .exceptionallyCompose(
                        failure -> CompletableFuture.failedFuture(explained(Stages.cause(failure), alone)));
    }

    private Statement<?> together(List<BoundStatement> rows) {
        BoundStatement first = rows.get(0);
        return BatchStatement.newInstance(BatchType.UNLOGGED, List.copyOf(rows))
                .setExecutionProfile(batches)
                .setRoutingKeyspace(first.getRoutingKeyspace())
                .setRoutingKey(first.getRoutingKey())
                .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM)
                .setIdempotent(true);
    }

    /** What is not certain stays as it is. */
    private static Throwable explained(Throwable cause, boolean alone) {
        if (!Attempts.executedNothing(cause, alone)) {
            return cause;
        }
        return cause instanceof QueryValidationException
                ? new CounterTable.Rejected(String.valueOf(cause.getMessage()), cause)
                : new CounterTable.NotExecuted(String.valueOf(cause.getMessage()), cause);
    }
}
