package dev.cassidy.transaction.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.driver.api.core.retry.RetryPolicy;
import com.datastax.oss.driver.internal.core.loadbalancing.BasicLoadBalancingPolicy;
import com.datastax.oss.driver.internal.core.retry.ConsistencyDowngradingRetryPolicy;
import dev.cassidy.cluster.StatementProfile;
import dev.cassidy.definition.RowMark;
import dev.cassidy.table.TableWrites;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.Set;
import java.util.function.Function;

/**
 * Sends exact writes where their table's contract says, at its levels, whatever the connection's are: LOCAL_SERIAL of two
 * datacenters, or LOCAL_SERIAL and SERIAL, need not have a node in common, and both of two writes could win.
 */
public final class HomeNodes implements Ordering {

    /** Fewer nodes than the majority that a condition asks: it might not see the row. */
    private static final Set<ConsistencyLevel> WEAK = Set.of(
            ConsistencyLevel.ANY,
            ConsistencyLevel.ONE,
            ConsistencyLevel.TWO,
            ConsistencyLevel.THREE,
            ConsistencyLevel.LOCAL_ONE);

    private static final Set<ConsistencyLevel> EVERYWHERE =
            Set.of(ConsistencyLevel.QUORUM, ConsistencyLevel.EACH_QUORUM, ConsistencyLevel.ALL);

    private final CqlSession session;
    private final String datacenter;
    private final Function<String, RuntimeException> refusal;

    /**
     * For the statements of one session.
     *
     * @param datacenter the session's own
     * @param refusal makes the error for a statement that no node can take, of its message
     */
    public HomeNodes(CqlSession session, String datacenter, Function<String, RuntimeException> refusal) {
        this.session = session;
        this.datacenter = datacenter;
        this.refusal = refusal;
    }

    /**
     * Returns a conditional write as it is to be sent.
     *
     * @throws RuntimeException the refusal, if there is no connection to the datacenter that decides, or if the driver would take the write
     *     for done that fewer nodes have
     */
    @Override
    public Statement<?> ordered(Statement<?> statement, TableWrites writes) {
        requireLevel(statement, writes);
        if (writes.isEverywhere()) {
            return statement
                    .setSerialConsistencyLevel(ConsistencyLevel.SERIAL)
                    .setConsistencyLevel(ConsistencyLevel.QUORUM);
        }
        Statement<?> here = statement
                .setSerialConsistencyLevel(ConsistencyLevel.LOCAL_SERIAL)
                .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM);
        return writes.home().equals(datacenter) && staysHere() ? here : here.setNode(node(statement, writes));
    }

    /**
     * Returns the first write of a row, which has no condition, as it is to be sent.
     *
     * @throws RuntimeException the refusal, if the driver would take the write for done that fewer nodes have
     */
    public Statement<?> fresh(Statement<?> statement, TableWrites writes) {
        requireLevel(statement, writes);
        Statement<?> first = statement.setQueryTimestamp(RowMark.FRESH_MICROS);
        ConsistencyLevel level = level(statement);
        if (writes.isEverywhere()) {
            return EVERYWHERE.contains(level) ? first : first.setConsistencyLevel(ConsistencyLevel.QUORUM);
        }
        return WEAK.contains(level) ? first.setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM) : first;
    }

    private void requireLevel(Statement<?> statement, TableWrites writes) {
        RetryPolicy retries = session.getContext()
                .getRetryPolicy(StatementProfile.of(session, statement).getName());
        if (retries instanceof ConsistencyDowngradingRetryPolicy) {
            throw refusal.apply("table " + writes.name() + " is written exactly, and the retry policy "
                    + retries.getClass().getSimpleName()
                    + " takes a write for done that too few nodes have: nothing was sent. Set"
                    + " advanced.retry-policy.class to DefaultRetryPolicy in the driver's configuration");
        }
    }

    private ConsistencyLevel level(Statement<?> statement) {
        ConsistencyLevel own = statement.getConsistencyLevel();
        return own == null
                ? DefaultConsistencyLevel.valueOf(
                        StatementProfile.of(session, statement).getString(DefaultDriverOption.REQUEST_CONSISTENCY))
                : own;
    }

    /** Returns whether the session sends nothing at a local level to another datacenter. */
    private boolean staysHere() {
        return session.getContext().getLoadBalancingPolicies().values().stream()
                        .allMatch(BasicLoadBalancingPolicy.class::isInstance)
                && session.getContext().getConfig().getProfiles().values().stream()
                        .noneMatch(profile -> profile.getBoolean(
                                DefaultDriverOption.LOAD_BALANCING_DC_FAILOVER_ALLOW_FOR_LOCAL_CONSISTENCY_LEVELS,
                                false));
    }

    private Node node(Statement<?> statement, TableWrites writes) {
        String home = writes.home();
        Set<Node> replicas = replicas(statement, writes.keyspace());
        return session.getMetadata().getNodes().values().stream()
                .filter(node -> home.equals(node.getDatacenter())
                        && node.getState() == NodeState.UP
                        && node.getOpenConnections() > 0)
                .min(Comparator.comparing((Node node) -> !replicas.contains(node))
                        .thenComparing(Node::getOpenConnections))
                .orElseThrow(() -> refusal.apply("table " + writes.name()
                        + " is written exactly, by nodes of its home"
                        + " datacenter " + home
                        + ", and this session has no connection to one: nothing was sent."
                        + " Set advanced.load-balancing-policy.dc-failover.max-nodes-per-remote-dc to 3 in the"
                        + " driver's configuration, or write it from " + home));
    }

    private Set<Node> replicas(Statement<?> statement, String keyspace) {
        ByteBuffer key = statement.getRoutingKey();
        return key == null
                ? Set.of()
                : session.getMetadata()
                        .getTokenMap()
                        .map(tokens -> tokens.getReplicas(CqlIdentifier.fromInternal(keyspace), key))
                        .orElse(Set.of());
    }
}
