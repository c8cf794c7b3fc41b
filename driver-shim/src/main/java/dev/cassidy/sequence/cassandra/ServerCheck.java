package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.sequence.SequenceException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What must hold of the cluster before any id is claimed: else two claims of one range could both succeed. */
final class ServerCheck {

    private static final Logger LOG = LoggerFactory.getLogger(ServerCheck.class);

    private ServerCheck() {}

    /**
     * The replicas that decide at LOCAL_SERIAL are those of the coordinator's datacenter: a second datacenter in the
     * keyspace would decide for itself.
     */
    static void requireOwnDatacenterAlone(CqlSession session, String keyspace, String datacenter) {
        Map<String, String> replication = replication(session, keyspace);
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
    static int datacenters(CqlSession session, String keyspace) {
        return Math.max(1, replication(session, keyspace).size() - 1);
    }

    private static Map<String, String> replication(CqlSession session, String keyspace) {
        Row row = session.execute("SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?", keyspace)
                .one();
        return row == null ? Map.of() : new TreeMap<>(row.getMap("replication", String.class, String.class));
    }

    /** Without linearizable reads (CASSANDRA-12126) a proof may be answered from before the claim. */
    static void requireLinearizableReads(CqlSession session) {
        String variant = setting(session, "paxos_variant");
        if (variant.contains("without_linearizable_reads")) {
            throw new SequenceException.Conflict("the server runs with paxos_variant: " + variant
                    + ", under which no read can prove whose a range is. Set paxos_variant: v2 in cassandra.yaml");
        }
    }

    /**
     * With periodic syncs a killed node forgets writes that it has acknowledged, lightweight transactions too
     * (CASSANDRA-13987). Other replicas remember them; where there is none, a claim is made a second time.
     */
    static void warnWhereAKillForgetsClaims(CqlSession session, String keyspace, String datacenter) {
        boolean oneReplica = "1".equals(replication(session, keyspace).get(datacenter));
        if (oneReplica && setting(session, "commitlog_sync").equals("periodic")) {
            LOG.warn(
                    "Ids may be issued twice after a crash of Cassandra: keyspace {} has one replica in datacenter {}, and"
                            + " the server runs with commitlog_sync: periodic, which forgets the last acknowledged claims"
                            + " when it is killed. Set commitlog_sync: batch (or group) in cassandra.yaml, or use three"
                            + " replicas",
                    keyspace,
                    datacenter);
        }
    }

    /** As the node that answers has it, in lower case; empty if it cannot be known. */
    private static String setting(CqlSession session, String name) {
        try {
            Row row = session.execute("SELECT value FROM system_views.settings WHERE name = ?", name)
                    .one();
            String value = row == null ? null : row.getString("value");
            return value == null ? "" : value.toLowerCase(Locale.ROOT);
        } catch (DriverException e) {
            LOG.debug("the server's settings cannot be read; its {} is not known", name, e);
            return "";
        }
    }
}
