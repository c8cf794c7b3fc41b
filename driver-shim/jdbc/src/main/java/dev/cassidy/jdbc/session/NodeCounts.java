package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * How many nodes a cluster has.
 *
 * @param datacenter the session's own
 * @param nodes by datacenter
 */
public record NodeCounts(String datacenter, Map<String, Integer> nodes) {

    public NodeCounts {
        nodes = Map.copyOf(nodes);
    }

    /** Counts the nodes that the driver knows, whether they are up or not. Asks nobody. */
    public static NodeCounts of(CqlSession session) {
        Map<String, Integer> nodes = new TreeMap<>();
        String local = "";
        for (Node node : session.getMetadata().getNodes().values()) {
            String datacenter = Objects.requireNonNullElse(node.getDatacenter(), "");
            nodes.merge(datacenter, 1, Integer::sum);
            if (node.getDistance() == NodeDistance.LOCAL) {
                local = datacenter;
            }
        }
        return new NodeCounts(local, nodes);
    }

    /** Returns the same cluster with so many nodes in the session's datacenter. */
    NodeCounts withLocal(int count) {
        Map<String, Integer> other = new TreeMap<>(nodes);
        other.put(datacenter, count);
        return new NodeCounts(datacenter, other);
    }

    /** Returns how many nodes the session's datacenter has. */
    public int local() {
        return nodes.getOrDefault(datacenter, 0);
    }

    private int all() {
        return nodes.values().stream().mapToInt(Integer::intValue).sum();
    }

    /**
     * Returns about how many nodes a read of all token ranges asks: each range is on RF of N nodes, and a level needs some
     * of these. A coordinator asks for ranges with the same replicas together.
     *
     * @param replicas by datacenter, of the table's keyspace; one entry with an empty name if they are anywhere
     */
    public int asked(Map<String, Integer> replicas, ConsistencyLevel level) {
        int everywhere = replicas.getOrDefault("", 0);
        int here = everywhere > 0 ? everywhere : replicas.getOrDefault(datacenter, 0);
        int total = replicas.values().stream().mapToInt(Integer::intValue).sum();
        boolean local = everywhere == 0 && here > 0;
        if (level == DefaultConsistencyLevel.ONE || level == DefaultConsistencyLevel.LOCAL_ONE) {
            return share(local ? local() : all(), 1, local ? here : total);
        }
        if (level == DefaultConsistencyLevel.TWO || level == DefaultConsistencyLevel.THREE) {
            int needed = level == DefaultConsistencyLevel.TWO ? 2 : 3;
            return local && needed <= here ? share(local(), needed, here) : share(all(), needed, total);
        }
        if (level == DefaultConsistencyLevel.LOCAL_QUORUM || level == DefaultConsistencyLevel.LOCAL_SERIAL) {
            return share(local ? local() : all(), quorum(local ? here : total), local ? here : total);
        }
        if (level == DefaultConsistencyLevel.EACH_QUORUM) {
            return everywhere > 0
                    ? share(all(), quorum(total), total)
                    : replicas.entrySet().stream()
                            .mapToInt(each -> share(
                                    nodes.getOrDefault(each.getKey(), 0), quorum(each.getValue()), each.getValue()))
                            .sum();
        }
        return share(all(), level == DefaultConsistencyLevel.ALL ? total : quorum(total), total);
    }

    private static int quorum(int replicas) {
        return replicas / 2 + 1;
    }

    private static int share(int count, int needed, int replicas) {
        if (replicas <= 0) {
            return count;
        }
        long parts = (long) count * Math.min(needed, replicas);
        return (int) ((parts + replicas - 1) / replicas);
    }
}
