package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;

/**
 * The other datacenters that have a part in an installation. A datacenter joins while processes run, and the global keyspace
 * keeps its replicas then. So nobody remembers them: whoever waits for them, or divides by their number, asks at that moment.
 *
 * <p>Asked is the schema of the node that answers, and not the driver's: a session may have been told to keep none, or only that
 * of some keyspaces. A datacenter that has left and kept its keyspace still counts: what waits for it then fails by its name.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
@FunctionalInterface
public interface Datacenters {

    /**
     * Reads which datacenters there are besides this one.
     *
     * @return Cassidy's keyspace of each, by the datacenter's name. A datacenter is among them if it has such a keyspace, or if
     *     the global keyspace is to have replicas there; then its keyspace may be missing. The stage fails if no node answers
     */
    CompletionStage<Map<String, String>> others();

    /** Reads how many there are, this one included. */
    default CompletionStage<Integer> count() {
        return others().thenApply(others -> others.size() + 1);
    }

    /**
     * Returns those of an installation, as the session's nodes know them.
     *
     * @param datacenter the session's own
     */
    static Datacenters of(CqlSession session, String globalKeyspace, String datacenter, Duration timeout) {
        return () -> {
            CompletionStage<List<Row>> keyspaces = Installations.read(
                    session, "SELECT keyspace_name, replication FROM system_schema.keyspaces", timeout);
            CompletionStage<List<Row>> reserves = Installations.read(
                    session,
                    "SELECT keyspace_name, comment FROM system_schema.tables WHERE table_name = 'reserve' ALLOW FILTERING",
                    timeout);
            CompletionStage<List<String>> installations =
                    Installations.read(session, Installations.SELECT, timeout).thenApply(Installations::of);
            return keyspaces.thenCombine(reserves, Datacenters::found).thenCombine(installations, (found, all) -> {
                Map<String, String> others = keyspaces(globalKeyspace, all, found.replicas, found.ours);
                others.remove(datacenter);
                return others;
            });
        };
    }

    /**
     * What a node's schema has.
     *
     * @param replicas the datacenters that are to have replicas of each keyspace
     * @param ours the keyspaces that have the tables of a datacenter
     */
    record Found(Map<String, Set<String>> replicas, Set<String> ours) {}

    private static Found found(List<Row> keyspaces, List<Row> reserves) {
        Map<String, Set<String>> replicas = new HashMap<>();
        keyspaces.forEach(row -> replicas.put(
                row.getString("keyspace_name"), datacenters(row.getMap("replication", String.class, String.class))));
        Set<String> ours = new TreeSet<>(Installations.of(reserves));
        return new Found(replicas, ours);
    }

    private static Set<String> datacenters(Map<String, String> replication) {
        Set<String> names = new TreeSet<>();
        if (replication.getOrDefault("class", "").endsWith("NetworkTopologyStrategy")) {
            names.addAll(replication.keySet());
            names.remove("class");
        }
        return names;
    }

    /**
     * Returns Cassidy's keyspace of each datacenter of an installation.
     *
     * @param installations the global keyspaces of all of them
     * @param replicas the datacenters that are to have replicas of each keyspace
     * @param ours the keyspaces that have the tables of a datacenter, of whatever installation
     */
    static Map<String, String> keyspaces(
            String globalKeyspace, List<String> installations, Map<String, Set<String>> replicas, Set<String> ours) {
        Map<String, String> keyspaces = new TreeMap<>();
        for (String name : replicas.getOrDefault(globalKeyspace, Set.of())) {
            keyspaces.put(name, Schema.nameOf(globalKeyspace, name));
        }
        // Another name does not tell whose the keyspace is. Where there is one installation, it is that one's.
        boolean alone = installations.stream().allMatch(globalKeyspace::equals);
        for (String keyspace : ours) {
            for (String name : replicas.getOrDefault(keyspace, Set.of())) {
                String usual = Schema.nameOf(globalKeyspace, name);
                if (keyspace.equals(usual) || (alone && !ours.contains(usual))) {
                    keyspaces.put(name, keyspace);
                }
            }
        }
        return keyspaces;
    }
}
