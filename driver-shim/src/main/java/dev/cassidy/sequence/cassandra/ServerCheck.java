package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.sequence.SequenceException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** What must hold of the keyspaces before any id is claimed: else two claims of one range could both succeed. */
final class ServerCheck {

    private ServerCheck() {}

    /**
     * The replicas that decide at LOCAL_SERIAL are those of the coordinator's datacenter: a second datacenter in the
     * keyspace would decide for itself.
     */
    static void requireOwnDatacenterAlone(CqlSession session, String keyspace, String datacenter, Duration timeout) {
        Map<String, String> replication = replication(session, keyspace, timeout);
        String strategy = replication.getOrDefault("class", "");
        boolean alone = strategy.endsWith("NetworkTopologyStrategy")
                && replication.size() == 2
                && replication.containsKey(datacenter);
        if (!alone) {
            throw new SequenceException.Conflict("keyspace " + keyspace + " must be replicated in datacenter "
                    + datacenter + " alone, by NetworkTopologyStrategy; it is replicated as " + replication
                    + ". Give every datacenter a keyspace of its own: run the migration tool's init");
        }
    }

    /** Returns how many datacenters replicate a keyspace; 1 for a strategy that does not name them. */
    static int datacenters(CqlSession session, String keyspace, Duration timeout) {
        return Math.max(1, replication(session, keyspace, timeout).size() - 1);
    }

    private static Map<String, String> replication(CqlSession session, String keyspace, Duration timeout) {
        Row row = session.execute(SimpleStatement.newInstance(
                                "SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?", keyspace)
                        .setIdempotent(true)
                        .setTimeout(timeout))
                .one();
        return row == null ? Map.of() : new TreeMap<>(row.getMap("replication", String.class, String.class));
    }
}
