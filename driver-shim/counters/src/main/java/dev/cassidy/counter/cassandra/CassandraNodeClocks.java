package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import dev.cassidy.counter.store.NodeClocks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;

/** The clocks of three nodes at random, so that one whose clock is wrong does not decide. */
public final class CassandraNodeClocks implements NodeClocks {

    private static final int NODES = 3;

    /** Not {@code now()}: after a node's clock was set back, the ids that it makes keep the later time. */
    private static final SimpleStatement SELECT =
            SimpleStatement.newInstance("SELECT currentTimestamp() FROM system.local");

    private final CqlSession session;
    private final Duration timeout;
    private final RandomGenerator random;

    public CassandraNodeClocks(CqlSession session, Duration timeout, RandomGenerator random) {
        this.session = session;
        this.timeout = timeout;
        this.random = random;
    }

    @Override
    public List<CompletionStage<NodeTime>> ask() {
        List<Node> nodes = new ArrayList<>(session.getMetadata().getNodes().values().stream()
                .filter(node -> node.getDistance() == NodeDistance.LOCAL && node.getState() == NodeState.UP)
                .toList());
        for (int i = nodes.size(); i > 1; i--) {
            Collections.swap(nodes, i - 1, random.nextInt(i));
        }
        // If no node is known to be up, the driver chooses, or says that there is none.
        return nodes.isEmpty()
                ? List.of(ask(SELECT))
                : nodes.stream()
                        .limit(NODES)
                        .map(node -> ask(SELECT.setNode(node)))
                        .toList();
    }

    private CompletionStage<NodeTime> ask(SimpleStatement statement) {
        return session.executeAsync(statement
                        .setConsistencyLevel(ConsistencyLevel.ONE)
                        .setTimeout(timeout)
                        .setIdempotent(true))
                .thenApply(CassandraNodeClocks::answer);
    }

    private static NodeTime answer(AsyncResultSet rows) {
        Node node = rows.getExecutionInfo().getCoordinator();
        return new NodeTime(
                node == null ? "a node" : node.getEndPoint().toString(),
                Objects.requireNonNull(Objects.requireNonNull(rows.one()).getInstant(0)));
    }
}
