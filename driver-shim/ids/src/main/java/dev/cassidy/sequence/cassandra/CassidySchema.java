package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.Node;
import dev.cassidy.cluster.Installation;
import dev.cassidy.cluster.LocalCluster;
import dev.cassidy.cluster.Schema;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequencesConfig;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What an installer does: creates Cassidy's keyspaces and tables, or prints their CQL. */
public final class CassidySchema {

    private CassidySchema() {}

    /**
     * Returns the CQL that creates Cassidy's keyspaces and tables. Each element is one statement; a DBA runs them in this
     * order and may repeat each.
     *
     * @param replication the replicas of each datacenter
     */
    public static List<String> statements(Replication replication, SequencesConfig config) {
        return Schema.statements(replication.factors(), config);
    }

    /**
     * Creates what {@link #statements} lists if it is missing, and adds to tables of an earlier version what they lack. Nothing
     * else that exists is changed, and processes that have the earlier version open continue. Blocks until every node that is
     * up knows the change. A node that is down delays this by at most ten seconds, learns the change later, and is named in
     * the log.
     *
     * @throws SequenceException.Conflict if a table is of a later version; then nothing is changed
     * @throws IllegalArgumentException if {@code replication} names a datacenter that the cluster does not have, or asks for more
     *     replicas than a majority of them could be on its nodes
     */
    public static void install(CqlSession session, Replication replication, SequencesConfig config) {
        Map<String, Integer> nodes = new TreeMap<>();
        for (Node node : session.getMetadata().getNodes().values()) {
            nodes.merge(String.valueOf(node.getDatacenter()), 1, Integer::sum);
        }
        replication.factors().forEach((datacenter, factor) -> {
            if (!nodes.containsKey(datacenter)) {
                throw new IllegalArgumentException("names a datacenter that the cluster does not have: '" + datacenter
                        + "' in replication=" + replication.factors() + "; it has " + nodes.keySet());
            }
            int majority = factor / 2 + 1;
            if (nodes.get(datacenter) < majority) {
                throw new IllegalArgumentException("asks for " + factor + " replicas in datacenter " + datacenter
                        + ", where every statement needs " + majority + " of them, and there "
                        + (nodes.get(datacenter) == 1 ? "is 1 node" : "are " + nodes.get(datacenter) + " nodes")
                        + ": give " + datacenter + ":" + nodes.get(datacenter) + ", or add nodes first");
            }
        });
        new Installation(LocalCluster.unwrapped(session), replication.factors(), config).run();
    }
}
