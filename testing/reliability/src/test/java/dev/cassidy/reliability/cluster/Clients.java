package dev.cassidy.reliability.cluster;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import dev.cassidy.cql.CqlSessions;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequencesConfig;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** Sessions and sequences that tolerate a busy machine. */
final class Clients {

    static final SequencesConfig CONFIG = SequencesConfig.defaults()
            .withRequestTimeout(Duration.ofMinutes(1))
            .withClaimTimeout(Duration.ofMinutes(5));

    /** For operations that must fail. Cassandra reports within its own time-outs that it cannot reach a datacenter. */
    static final SequencesConfig IMPATIENT = CONFIG.withClaimTimeout(Duration.ofSeconds(10));

    /** A busy node may take longer than its default limit of 2 s for a write. */
    static final Duration PATIENT_NODE = Duration.ofSeconds(10);

    private Clients() {}

    static CqlSession connect(EmbeddedCassandra node) {
        return connect(node.host(), node.port(), node.localDatacenter());
    }

    static CqlSession connect(String host, int port, String datacenter) {
        return builder(host, port, datacenter).build();
    }

    /** Returns a session that uses only this node. */
    static CqlSession connectTo(EmbeddedCassandra node) {
        return connectTo(List.of(node));
    }

    /** Returns a session that uses only these nodes, of one datacenter. */
    static CqlSession connectTo(List<EmbeddedCassandra> nodes) {
        EmbeddedCassandra first = nodes.get(0);
        return builder(first.host(), first.port(), first.localDatacenter())
                .withNodeDistanceEvaluator((other, datacenter) -> nodes.stream().anyMatch(node -> node.contactPoint()
                                .equals(other.getEndPoint().resolve()))
                        ? NodeDistance.LOCAL
                        : NodeDistance.IGNORED)
                .build();
    }

    private static CqlSessionBuilder builder(String host, int port, String datacenter) {
        return CqlSessions.builder()
                .addContactPoint(new InetSocketAddress(host, port))
                .withLocalDatacenter(datacenter)
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(2))
                        .withDuration(DefaultDriverOption.CONNECTION_CONNECT_TIMEOUT, Duration.ofMinutes(2))
                        .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofMinutes(2))
                        .withDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY, Duration.ofSeconds(1))
                        .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, Duration.ofMinutes(2))
                        .withDuration(DefaultDriverOption.HEARTBEAT_TIMEOUT, Duration.ofMinutes(2))
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                        .withDuration(DefaultDriverOption.CONTROL_CONNECTION_AGREEMENT_TIMEOUT, Duration.ofMinutes(5))
                        .build());
    }
}
