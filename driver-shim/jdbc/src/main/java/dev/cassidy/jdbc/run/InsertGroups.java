package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import dev.cassidy.async.Stages;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.insert.CqlWrite;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * The inserts of one JDBC batch whose generated id is in the partition key of its row. Several that have the same replicas in
 * this datacenter go in one unlogged batch to one of these. No other client knows such an id before, so no other write to its
 * partition can be under way, and the order in which the rows are written does not matter. Nothing becomes atomic by it.
 *
 * <p>Used by the batch's thread alone.
 */
final class InsertGroups {

    /** Cassandra logs a warning of an unlogged batch with more partitions. */
    static final int MOST_ROWS = 10;

    /** Cassandra logs a warning of a batch of more than 5 KiB. */
    static final int MOST_BYTES = 4 * 1024;

    /** What a request adds to the values of a row, at most; in bytes. */
    private static final int FIXED_SIZE = 60;

    /** A row that waits for others or was sent, and its result. */
    static final class Row {
        private final BoundStatement statement;
        private final List<GeneratedKeys.Key> keys;
        private final CompletableFuture<StepResult> result = new CompletableFuture<>();
        /** Written before the result is completed, and read afterwards. */
        private boolean together;

        private Row(BoundStatement statement, List<GeneratedKeys.Key> keys) {
            this.statement = statement;
            this.keys = keys;
        }

        /** Completes once the row was sent. Cancelling it does not cancel the request, which other rows need. */
        CompletableFuture<StepResult> result() {
            return result;
        }

        long id() {
            return keys.get(0).id();
        }

        /** Whether its last request had other rows too: a failure of which says little of a single row. */
        boolean wentTogether() {
            return together;
        }
    }

    /** The rows of one statement with the same replicas. */
    private record Place(PreparedStatement statement, Set<Node> replicas) {}

    private static final class Group {
        final List<Row> rows = new ArrayList<>(MOST_ROWS);
        int bytes;
    }

    private final CqlSession session;

    /** In the order in which they began to wait. */
    private final Map<Place, Group> waiting = new LinkedHashMap<>();

    /** Whether inserts of a statement may be grouped. */
    private final Map<PreparedStatement, Boolean> groupable = new HashMap<>();

    /** Those of this datacenter among the replicas that the driver has for a row. */
    private final Map<Set<Node>, Set<Node>> near = new HashMap<>();

    private final AtomicInteger requests = new AtomicInteger();

    InsertGroups(CqlSession session) {
        this.session = session;
    }

    /**
     * Takes an insert, and sends its group if that is full.
     *
     * @return empty if the insert must be sent by itself
     */
    Optional<Row> add(IdentitySession.Filled filled) {
        if (!(filled.statement() instanceof BoundStatement statement)
                || filled.keys().keys().size() != 1
                || !isGroupable(
                        statement.getPreparedStatement(), filled.keys().keys().get(0))) {
            return Optional.empty();
        }
        Set<Node> replicas = replicas(statement);
        if (replicas.isEmpty()) {
            return Optional.empty();
        }
        Place place = new Place(statement.getPreparedStatement(), replicas);
        Row row = new Row(statement, filled.keys().keys());
        int size = size(statement);
        Group group = waiting.get(place);
        if (group != null && group.bytes + size > MOST_BYTES) {
            send(place);
            group = null;
        }
        if (group == null) {
            group = new Group();
            waiting.put(place, group);
        }
        group.rows.add(row);
        group.bytes += size;
        if (group.rows.size() == MOST_ROWS || group.bytes >= MOST_BYTES) {
            send(place);
        }
        return Optional.of(row);
    }

    /**
     * Sends the groups that have waited longest, while few requests are under way, and in any case the one in which the
     * oldest row waits, for whose result the caller is about to wait.
     *
     * @param oldest the result of the oldest row of the batch that has none yet
     */
    void send(int most, CompletableFuture<StepResult> oldest) {
        while (!waiting.isEmpty()) {
            Map.Entry<Place, Group> next = waiting.entrySet().iterator().next();
            if (requests.get() >= most && next.getValue().rows.get(0).result != oldest) {
                return;
            }
            send(next.getKey());
        }
    }

    /** Fails every row that waits; nothing of them was sent. */
    void refuse(SQLException because) {
        waiting.values().forEach(group -> group.rows.forEach(row -> row.result.completeExceptionally(because)));
        waiting.clear();
    }

    private boolean isGroupable(PreparedStatement prepared, GeneratedKeys.Key key) {
        return key.generated() && groupable.computeIfAbsent(prepared, any -> isGroupable(prepared, key.column()));
    }

    private static boolean isGroupable(PreparedStatement prepared, String column) {
        return prepared.getPartitionKeyIndices().stream().anyMatch(index -> prepared.getVariableDefinitions()
                        .get(index)
                        .getName()
                        .asInternal()
                        .equals(column))
                && CqlWrite.recognise(prepared.getQuery())
                        .filter(write -> !write.isConditional())
                        .isPresent();
    }

    /**
     * Returns the replicas in this datacenter. If they are the same, the coordinator of a group is a replica of each of its
     * rows, as it is of a row that is sent alone, and the nodes exchange no more messages.
     */
    private Set<Node> replicas(BoundStatement row) {
        CqlIdentifier keyspace = row.getRoutingKeyspace();
        ByteBuffer key = row.getRoutingKey();
        return keyspace == null || key == null
                ? Set.of()
                : session.getMetadata()
                        .getTokenMap()
                        .map(tokens -> near.computeIfAbsent(tokens.getReplicas(keyspace, key), all -> all.stream()
                                .filter(node -> node.getDistance() == NodeDistance.LOCAL)
                                .collect(Collectors.toUnmodifiableSet())))
                        .orElse(Set.of());
    }

    private static int size(BoundStatement row) {
        int size = FIXED_SIZE;
        for (ByteBuffer value : row.getValues()) {
            size += 4 + (value == null ? 0 : value.remaining());
        }
        return size;
    }

    private void send(Place place) {
        Group group = waiting.remove(place);
        if (group != null) {
            send(group.rows);
        }
    }

    private void send(List<Row> rows) {
        boolean together = rows.size() > 1;
        rows.forEach(row -> row.together = together);
        requests.incrementAndGet();
        CompletableFuture<AsyncResultSet> sent;
        try {
            sent = session.executeAsync(together ? together(rows) : rows.get(0).statement)
                    .toCompletableFuture();
        } catch (Throwable e) {
            // An Error too: otherwise the batch would wait for ever for these rows.
            sent = CompletableFuture.failedFuture(e);
        }
        var unused = sent.whenComplete((done, failure) -> {
            requests.decrementAndGet();
            if (failure == null) {
                // The first tells what the server has warned of.
                List<String> warnings = done.getExecutionInfo().getWarnings();
                for (Row row : rows) {
                    row.result.complete(StepResult.inserted(1, row.keys, row == rows.get(0) ? warnings : List.of()));
                }
            } else if (together && Stages.cause(failure) instanceof QueryValidationException) {
                // The server wrote nothing, perhaps because of one of them.
                rows.forEach(row -> send(List.of(row)));
            } else {
                rows.forEach(row -> row.result.completeExceptionally(failure));
            }
        });
    }

    /** Returns a batch with the settings of its rows, which one prepared statement and one binder gave them. */
    private Statement<?> together(List<Row> rows) {
        BoundStatement first = rows.get(0).statement;
        List<BatchableStatement<?>> statements = new ArrayList<>(rows.size());
        rows.forEach(row -> statements.add(row.statement));
        BatchStatement batch = BatchStatement.newInstance(BatchType.UNLOGGED, statements)
                .setExecutionProfileName(first.getExecutionProfileName())
                .setConsistencyLevel(first.getConsistencyLevel())
                .setIdempotent(first.isIdempotent())
                .setQueryTimestamp(rows.get(rows.size() - 1).statement.getQueryTimestamp());
        return Transaction.inTime(session, batch, first.getTimeout());
    }
}
