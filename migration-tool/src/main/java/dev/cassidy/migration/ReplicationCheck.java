package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import dev.cassidy.cluster.Schema;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.sequence.SequencesConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Compares the replicas that {@code init} is asked for with those that Cassidy's keyspaces have, and with the nodes.
 *
 * @param factors the replicas that are asked for, by datacenter
 */
record ReplicationCheck(Metadata metadata, SequencesConfig config, Map<String, Integer> factors) {

    /** From so many nodes on, one replica is an oversight. */
    private static final int NODES_FOR_MORE = 3;

    /** Returns the steps by which the replicas of keyspaces that exist are changed; empty if nothing is to be changed. */
    Optional<Report> change() {
        Map<String, String> found = new LinkedHashMap<>();
        Map<String, Map<String, String>> wanted = new LinkedHashMap<>();
        note(config.globalKeyspace(), factors, found, wanted);
        factors.forEach((datacenter, factor) -> note(keyspace(datacenter), Map.of(datacenter, factor), found, wanted));
        if (wanted.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Report.ReplicationChange("init", ExitCode.REFUSED.code(), false, found, steps(wanted)));
    }

    private String keyspace(String datacenter) {
        return config.datacenterKeyspace().orElseGet(() -> Schema.nameOf(config.globalKeyspace(), datacenter));
    }

    /** A datacenter that joins gets a keyspace of its own; the global one keeps its replicas. */
    private void note(
            String keyspace,
            Map<String, Integer> asked,
            Map<String, String> found,
            Map<String, Map<String, String>> wanted) {
        Map<String, String> replication = metadata.getKeyspace(keyspace)
                .map(KeyspaceMetadata::getReplication)
                .orElse(Map.of());
        Map<String, String> now = new TreeMap<>(replication);
        now.remove("class");
        Map<String, String> then = new TreeMap<>(now);
        asked.forEach((datacenter, factor) -> then.computeIfPresent(datacenter, (same, old) -> factor.toString()));
        if (!then.equals(now)) {
            found.put(keyspace, now.toString());
            wanted.put(keyspace, then);
        }
    }

    private List<String> steps(Map<String, Map<String, String>> wanted) {
        List<String> steps = new ArrayList<>();
        boolean all = wanted.containsKey(config.globalKeyspace());
        steps.add("Stop " + (all ? "all clients" : "the clients in " + String.join(", ", factors.keySet()))
                + ": every process that draws ids or changes sequences");
        wanted.forEach((keyspace, replicas) -> {
            String repair = "On every node that holds " + keyspace + ": nodetool repair -full " + keyspace;
            steps.add(repair);
            steps.add("In cqlsh: ALTER KEYSPACE " + keyspace
                    + " WITH replication = {'class': 'NetworkTopologyStrategy', "
                    + replicas.entrySet().stream()
                            .map(each -> "'" + each.getKey() + "': '" + each.getValue() + "'")
                            .collect(Collectors.joining(", "))
                    + "}");
            steps.add(repair);
        });
        steps.add("Start the clients");
        return steps;
    }

    /** Returns what is to be said of a datacenter that would get one replica although it has nodes for more. */
    Optional<String> singleReplica() {
        return factors.entrySet().stream()
                .filter(each -> each.getValue() == 1
                        && metadata.getKeyspace(keyspace(each.getKey())).isEmpty())
                .filter(each -> nodes(each.getKey()) >= NODES_FOR_MORE)
                .findFirst()
                .map(each -> "datacenter " + each.getKey() + " has " + nodes(each.getKey())
                        + " nodes, and --replication "
                        + each.getKey() + ":1 keeps each row of Cassidy on one of them. While that node is down, no ids"
                        + " can be claimed; if it is lost, it is forgotten which ids were issued, and they may be issued"
                        + " again. " + each.getKey() + ":3 survives the loss of a node");
    }

    private long nodes(String datacenter) {
        return metadata.getNodes().values().stream()
                .filter(node -> datacenter.equals(node.getDatacenter()))
                .count();
    }
}
