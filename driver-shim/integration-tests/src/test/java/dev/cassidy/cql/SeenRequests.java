package dev.cassidy.cql;

import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.session.Request;
import com.datastax.oss.driver.api.core.tracker.RequestTracker;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Records the requests of a session to one node, in the order of their answers. Preparing a statement is not recorded.
 */
public final class SeenRequests implements RequestTracker {

    private final Queue<Seen> all = new ConcurrentLinkedQueue<>();

    /**
     * A statement. Each statement of a batch is recorded separately.
     *
     * @param sequence the value of its column {@code seq}
     * @param serial whether it is part of a Paxos round
     */
    public record Seen(String cql, Optional<String> sequence, boolean serial) {

        public boolean isRead() {
            return cql.startsWith("SELECT");
        }

        /** Returns whether it uses a keyspace with this name, or one whose name starts with this name and {@code _}. */
        public boolean isOf(String keyspace) {
            return Pattern.compile("\\b" + keyspace + "(_\\w+)?\\.")
                    .matcher(cql)
                    .find();
        }

        public boolean isOfTable(String table) {
            return cql.contains(" " + table + " ") || cql.endsWith(" " + table);
        }
    }

    public void clear() {
        all.clear();
    }

    /** Returns the requests recorded so far; the most recently answered ones may be missing. */
    public List<Seen> soFar() {
        return List.copyOf(all);
    }

    /**
     * Returns all requests that were answered before this call. Use it on a session with one connection, which receives
     * its answers in order.
     */
    public List<Seen> upToNow(CqlSession session) {
        String mark = "SELECT key FROM system.local WHERE key = '" + UUID.randomUUID() + "'";
        session.execute(mark);
        int marked = await().atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(1))
                .until(() -> all.stream().map(Seen::cql).toList().indexOf(mark), index -> index >= 0);
        return List.copyOf(all).subList(0, marked);
    }

    private void note(Request request) {
        if (request instanceof BatchStatement batch) {
            for (BatchableStatement<?> child : batch) {
                all.add(seen(child, batch));
            }
        } else if (request instanceof Statement<?> statement) {
            all.add(seen(statement, statement));
        }
    }

    private static Seen seen(Statement<?> statement, Statement<?> sent) {
        String cql = "";
        Optional<String> sequence = Optional.empty();
        if (statement instanceof SimpleStatement simple) {
            cql = simple.getQuery();
        } else if (statement instanceof BoundStatement bound) {
            cql = bound.getPreparedStatement().getQuery();
            if (bound.getPreparedStatement().getVariableDefinitions().contains("seq")) {
                sequence = Optional.ofNullable(bound.getString("seq"));
            }
        }
        ConsistencyLevel level = sent.getConsistencyLevel();
        return new Seen(cql, sequence, cql.contains(" IF ") || (level != null && level.isSerial()));
    }

    @Override
    public void onSuccess(Request request, long nanos, DriverExecutionProfile profile, Node node, String logPrefix) {
        note(request);
    }

    @Override
    public void onError(
            Request request,
            Throwable error,
            long nanos,
            DriverExecutionProfile profile,
            @Nullable Node node,
            String logPrefix) {
        note(request);
    }

    @Override
    public void close() {}
}
