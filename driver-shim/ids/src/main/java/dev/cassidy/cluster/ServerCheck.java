package dev.cassidy.cluster;

import dev.cassidy.sequence.SequenceException;
import java.util.Map;

/** The conditions for the keyspaces before any id is claimed: otherwise two claims of one range could both succeed. */
public final class ServerCheck {

    private ServerCheck() {}

    /**
     * The replicas that decide at LOCAL_SERIAL are those of the coordinator's datacenter: a second datacenter in the
     * keyspace would decide for itself.
     */
    public static void requireOwnDatacenterAlone(String keyspace, Map<String, String> replication, String datacenter) {
        String strategy = replication.getOrDefault("class", "");
        boolean alone = strategy.endsWith("NetworkTopologyStrategy")
                && replication.size() == 2
                && replication.containsKey(datacenter);
        if (!alone) {
            throw new SequenceException.Conflict("keyspace " + keyspace + " must be replicated in datacenter "
                    + datacenter + " alone, by NetworkTopologyStrategy; it is replicated as " + replication
                    + ". Give every datacenter a keyspace of its own: run cassidy init");
        }
    }
}
