package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.protocol.Answers;
import java.util.TreeSet;

/**
 * A cluster that was checked, as seen from the session's local datacenter.
 *
 * @param session the plain session, for Cassidy's own statements
 * @param datacenter the session's local datacenter
 * @param keyspace Cassidy's keyspace of that datacenter
 * @param state what was seen of the nodes and of Cassidy's tables; it goes on being checked
 */
public record LocalCluster(CqlSession session, String datacenter, String keyspace, ClusterState state) {

    /**
     * Checks the cluster. Blocks.
     *
     * @throws SequenceException if Cassidy's keyspaces are missing, unsound or of another version, or the nodes are, or do not answer
     * @throws IllegalArgumentException if the session does not have exactly one local datacenter
     * @throws IllegalStateException if both coordinates of the java-driver are on the class path
     */
    public static LocalCluster open(CqlSession session, SequencesConfig config) {
        DriverOnClasspath.requireOne();
        CqlSession plain = unwrapped(session);
        String datacenter = localDatacenter(plain);
        String keyspace = config.datacenterKeyspace()
                .orElseGet(() -> Schema.datacenterKeyspace(config.globalKeyspace(), datacenter));
        ClusterState state = new ClusterState(plain, config, keyspace, datacenter, System::nanoTime);
        Answers.await(state.begin(), config.requestTimeout().multipliedBy(2), DriverThreads::refuseToWait);
        state.refusalToOpen().ifPresent(refusal -> {
            throw refusal;
        });
        ServerCheck.requireOwnDatacenterAlone(keyspace, state.replication(keyspace), datacenter);
        return new LocalCluster(plain, datacenter, keyspace, state);
    }

    /** Returns the session that Cassidy's own statements use: without the checks of those that wrap it. */
    public static CqlSession unwrapped(CqlSession session) {
        return WrappingSession.of(session)
                .map(wrapping -> unwrapped(wrapping.unwrap()))
                .orElse(session);
    }

    /**
     * Returns the session's local datacenter.
     *
     * @throws IllegalArgumentException if it does not have exactly one
     */
    public static String localDatacenter(CqlSession session) {
        TreeSet<String> local = new TreeSet<>();
        for (Node node : session.getMetadata().getNodes().values()) {
            if (node.getDistance() == NodeDistance.LOCAL && node.getDatacenter() != null) {
                local.add(node.getDatacenter());
            }
        }
        if (local.size() != 1) {
            throw new IllegalArgumentException("the session must have exactly one local datacenter, since Cassidy works"
                    + " within it; it has " + local + ". Build it with withLocalDatacenter(name)");
        }
        return local.first();
    }
}
