package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether every node, including those of other datacenters, has the schema of one node, the coordinator, which learns
 * of theirs by gossip. The driver's own check leaves out the nodes that its session does not use, and does not run at
 * all while the driver's schema metadata is off.
 */
public final class SchemaAgreement {

    private static final Logger LOG = LoggerFactory.getLogger(SchemaAgreement.class);
    private static final long BETWEEN_LOOKS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The wait for a node without a heartbeat: ten seconds. A heartbeat comes once a second. */
    private static final int LOOKS_AT_A_SILENT_ONE = 100;

    /** The wait for all others: a minute. */
    private static final int LOOKS = 600;

    /** A fresh cluster is busy. */
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(30);

    private final CqlSession session;
    private final Node coordinator;
    private final Map<InetAddress, Integer> looksInSilence = new HashMap<>();
    private Map<InetAddress, Integer> beats = Map.of();

    private SchemaAgreement(CqlSession session, Node coordinator) {
        this.session = session;
        this.coordinator = coordinator;
    }

    /** With the node that the driver asks next as coordinator. */
    static SchemaAgreement of(CqlSession session) {
        ResultSet answer = session.execute(
                SimpleStatement.newInstance("SELECT host_id FROM system.local").setTimeout(ANSWER_TIMEOUT));
        return new SchemaAgreement(
                session, Objects.requireNonNull(answer.getExecutionInfo().getCoordinator()));
    }

    /** Waits as {@link #await}. Returns whether every node that is up has the same schema. */
    public static boolean isReached(CqlSession session) {
        SchemaAgreement agreement = of(session);
        return agreement.await().keySet().stream().noneMatch(agreement::mayBeUp);
    }

    Node coordinator() {
        return coordinator;
    }

    /**
     * Waits for every node that is up: at most a minute, and ten seconds for one that is silent, which a second call does
     * not wait for again.
     *
     * @return the nodes that have another schema still, with their datacenters
     */
    Map<InetAddress, String> await() {
        Map<InetAddress, String> behind = behind();
        for (int look = 0; look < LOOKS && behind.keySet().stream().anyMatch(this::mayBeUp); look++) {
            listen(behind.keySet());
            LockSupport.parkNanos(BETWEEN_LOOKS);
            behind = behind();
        }
        return behind;
    }

    private boolean mayBeUp(InetAddress node) {
        return looksInSilence.getOrDefault(node, 0) < LOOKS_AT_A_SILENT_ONE;
    }

    private void listen(Set<InetAddress> nodes) {
        Map<InetAddress, Integer> before = beats;
        beats = beats();
        for (InetAddress node : nodes) {
            boolean beaten = !Objects.equals(before.get(node), beats.get(node));
            looksInSilence.merge(node, 1, (looks, one) -> beaten ? 0 : looks + one);
        }
    }

    private Map<InetAddress, String> behind() {
        UUID version = version(Objects.requireNonNull(
                ask("SELECT schema_version FROM system.local").one()));
        Map<InetAddress, String> behind = new TreeMap<>(Comparator.comparing(InetAddress::getHostAddress));
        for (Row row : ask("SELECT peer, data_center, schema_version FROM system.peers")) {
            if (!Objects.equals(version, version(row))) {
                behind.put(
                        Objects.requireNonNull(row.getInetAddress("peer")),
                        String.valueOf(row.getString("data_center")));
            }
        }
        return behind;
    }

    private static @Nullable UUID version(Row row) {
        return row.getUuid("schema_version");
    }

    /** The heartbeats that the coordinator knows; empty if it does not report them, as before Cassandra 4.1. */
    private Map<InetAddress, Integer> beats() {
        Map<InetAddress, Integer> heard = new HashMap<>();
        try {
            ask("SELECT address, heartbeat FROM system_views.gossip_info")
                    .forEach(row -> heard.put(row.getInetAddress("address"), row.getInt("heartbeat")));
        } catch (DriverException e) {
            LOG.debug("{} does not say which nodes are up", coordinator, e);
        }
        return heard;
    }

    private ResultSet ask(String cql) {
        return session.execute(
                SimpleStatement.newInstance(cql).setNode(coordinator).setTimeout(ANSWER_TIMEOUT));
    }
}
