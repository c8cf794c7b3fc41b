package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.Node;
import dev.cassidy.cluster.Installation;
import dev.cassidy.cluster.LocalCluster;
import dev.cassidy.cluster.Schema;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequencesConfig;
import java.util.List;
import java.util.TreeSet;

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
     * @throws IllegalArgumentException if {@code replication} names a datacenter that the cluster does not have
     */
    public static void install(CqlSession session, Replication replication, SequencesConfig config) {
        TreeSet<String> present = new TreeSet<>();
        for (Node node : session.getMetadata().getNodes().values()) {
            present.add(String.valueOf(node.getDatacenter()));
        }
        for (String datacenter : replication.factors().keySet()) {
            if (!present.contains(datacenter)) {
                throw new IllegalArgumentException("names a datacenter that the cluster does not have: '" + datacenter
                        + "' in replication=" + replication.factors() + "; it has " + present);
            }
        }
        new Installation(LocalCluster.unwrapped(session), replication.factors(), config).run();
    }
}
