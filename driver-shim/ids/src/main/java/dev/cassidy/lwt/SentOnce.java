package dev.cassidy.lwt;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.NodeUnavailableException;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.connection.BusyConnectionException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.ExecutionInfo;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.loadbalancing.LoadBalancingPolicy;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.metadata.token.Token;
import com.datastax.oss.driver.api.core.servererrors.BootstrappingException;
import dev.cassidy.async.Stages;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Sends a conditional statement to one node, so that the driver cannot send it to another one.
 *
 * <p>If a statement that took effect is sent again, it meets its own success, and its answer says that the condition
 * did not hold. The driver's retry policies send a statement to the next node if the first one answered that replicas
 * are unavailable, even if that answer was about the commit and the replicas had accepted the proposal. No setting of a
 * statement prevents that. So the nodes of the query plan are tried here, one at a time, and the next one only if there
 * was no connection to send on.
 *
 * <p>A policy may still send to the same node again, or hide an error. Then no refusal is believed; see {@link
 * #execute}.
 */
public final class SentOnce {

    private static final String APPLIED = "[applied]";

    private final CqlSession session;
    private final Statement<?> statement;
    private final Queue<Node> plan;
    private final List<Map.Entry<Node, Throwable>> untouched = new ArrayList<>();
    private final CompletableFuture<AsyncResultSet> result = new CompletableFuture<>();

    private SentOnce(CqlSession session, Statement<?> statement, Queue<Node> plan) {
        this.session = session;
        this.statement = statement;
        this.plan = plan;
    }

    /**
     * Executes a conditional statement, or a batch with a condition, on the statement's own node if it has one,
     * otherwise on the first node of the session's query plan to which there is a connection. It is never treated as
     * idempotent, whatever the statement or its profile says. Does not block.
     *
     * @return the answer, if it can be believed: the statement was applied, or the driver sent it once. Otherwise the
     *     error that hides the outcome, or one for which {@link ConditionalStatements#certainlyNotExecuted} is true.
     *     Cancelling the stage cancels the request
     */
    public static CompletableFuture<AsyncResultSet> execute(CqlSession session, Statement<?> statement) {
        Statement<?> once = statement.setIdempotent(false);
        Node own = once.getNode();
        SentOnce sending =
                new SentOnce(session, once, own == null ? plan(session, once) : new ArrayDeque<>(List.of(own)));
        sending.sendToNext();
        return sending.result;
    }

    /** The plan of the session's own policy: replicas of the partition first, then the other nodes of the datacenter. */
    private static Queue<Node> plan(CqlSession session, Statement<?> statement) {
        LoadBalancingPolicy policy = session.getContext().getLoadBalancingPolicy(profileOf(statement));
        try {
            return policy.newQueryPlan(statement, session);
        } catch (ClassCastException wrapped) {
            // The driver's policy needs the driver's own session, and this one wraps it, as tracers do.
            return replicasFirst(policy.newQueryPlan(statement, null), replicas(session, statement));
        }
    }

    private static String profileOf(Statement<?> statement) {
        DriverExecutionProfile profile = statement.getExecutionProfile();
        String name = profile == null ? statement.getExecutionProfileName() : profile.getName();
        return name == null || name.isEmpty() ? DriverExecutionProfile.DEFAULT_NAME : name;
    }

    /** Nodes of other datacenters stay behind, if a policy lets them take over. */
    private static Queue<Node> replicasFirst(Queue<Node> plan, Set<Node> replicas) {
        Queue<Node> first = new ArrayDeque<>();
        Queue<Node> others = new ArrayDeque<>();
        for (Node node = plan.poll(); node != null; node = plan.poll()) {
            boolean near = node.getDistance() == NodeDistance.LOCAL && replicas.contains(node);
            (near ? first : others).add(node);
        }
        first.addAll(others);
        return first;
    }

    private static Set<Node> replicas(CqlSession session, Statement<?> statement) {
        CqlIdentifier keyspace = Stream.of(
                        Optional.ofNullable(statement.getKeyspace()),
                        Optional.ofNullable(statement.getRoutingKeyspace()),
                        session.getKeyspace())
                .flatMap(Optional::stream)
                .findFirst()
                .orElse(null);
        TokenMap tokens = session.getMetadata().getTokenMap().orElse(null);
        if (keyspace == null || tokens == null) {
            return Set.of();
        }
        Token token = statement.getRoutingToken();
        ByteBuffer key = statement.getRoutingKey();
        if (token != null) {
            return tokens.getReplicas(keyspace, token);
        }
        return key == null ? Set.of() : tokens.getReplicas(keyspace, key);
    }

    private void sendToNext() {
        Node node = plan.poll();
        if (node == null) {
            result.completeExceptionally(AllNodesFailedException.fromErrors(untouched));
            return;
        }
        CompletableFuture<AsyncResultSet> answer =
                session.executeAsync(statement.setNode(node)).toCompletableFuture();
        var unusedStage = result.whenComplete((done, failure) -> answer.cancel(true));
        var unused = answer.whenComplete((rows, thrown) -> {
            try {
                answered(node, rows, thrown);
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
    }

    private void answered(Node node, @Nullable AsyncResultSet rows, @Nullable Throwable thrown) {
        if (rows != null) {
            Throwable doubt = doubtOf(rows);
            if (doubt == null) {
                result.complete(rows);
            } else {
                result.completeExceptionally(doubt);
            }
            return;
        }
        Throwable cause = Stages.cause(Objects.requireNonNull(thrown));
        List<Throwable> tried = tried(cause);
        if (cause instanceof AllNodesFailedException && tried.stream().allMatch(SentOnce::tookNothing)) {
            tried.forEach(error -> untouched.add(Map.entry(node, error)));
            // A caller that cancels it wants nothing more to be sent.
            if (!result.isDone()) {
                sendToNext();
            }
        } else {
            result.completeExceptionally(decisive(cause, tried));
        }
    }

    /** Whether nothing was sent to a node, because there was no connection or the node takes no statements yet. */
    static boolean tookNothing(Throwable error) {
        return error instanceof NodeUnavailableException
                || error instanceof BusyConnectionException
                || error instanceof BootstrappingException;
    }

    /** Returns why an answer proves nothing; null if it does. */
    private static @Nullable Throwable doubtOf(AsyncResultSet rows) {
        if (!rows.getColumnDefinitions().contains(APPLIED)) {
            return new IllegalStateException(
                    "the session's retry policy has ignored an error, so that it is not known whether a"
                            + " conditional statement was applied; configure a policy that ignores none");
        }
        return rows.wasApplied()
                ? null
                : retried(rows.getExecutionInfo())
                        .filter(error -> !ConditionalStatements.certainlyNotExecuted(error))
                        .findFirst()
                        .orElse(null);
    }

    /** Returns all errors that the driver met at the node, except {@code cause} itself, unless it wraps them. */
    private static List<Throwable> tried(Throwable cause) {
        if (cause instanceof AllNodesFailedException failed) {
            return ConditionalStatements.errorsOf(failed).toList();
        }
        return cause instanceof DriverException failed && failed.getExecutionInfo() != null
                ? retried(failed.getExecutionInfo()).toList()
                : List.of();
    }

    private static Stream<Throwable> retried(ExecutionInfo info) {
        return info.getErrors().stream().map(Map.Entry::getValue);
    }

    /** Returns the error that says most: one that hides an outcome; otherwise the last one. */
    private static Throwable decisive(Throwable cause, List<Throwable> tried) {
        if (tried.isEmpty()) {
            return cause;
        }
        Throwable last = cause instanceof AllNodesFailedException ? tried.get(tried.size() - 1) : cause;
        return Stream.concat(Stream.of(last), tried.stream())
                .filter(error -> !ConditionalStatements.certainlyNotExecuted(error))
                .findFirst()
                .orElse(last);
    }
}
