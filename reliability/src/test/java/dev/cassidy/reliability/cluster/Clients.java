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

/** Sessions that are patient with a busy machine, and sequences that give up on the other datacenter soon. */
final class Clients {

    static final SequencesConfig CONFIG = SequencesConfig.defaults()
            .withRequestTimeout(Duration.ofSeconds(3))
            .withClaimTimeout(Duration.ofSeconds(10));

    private Clients() {}

    static CqlSession connect(EmbeddedCassandra node) {
        return connect(node.host(), node.port(), node.localDatacenter());
    }

    static CqlSession connect(String host, int port, String datacenter) {
        return builder(host, port, datacenter).build();
    }

    /** A session that uses this node alone. */
    static CqlSession connectTo(EmbeddedCassandra node) {
        return builder(node.host(), node.port(), node.localDatacenter())
                .withNodeDistanceEvaluator((other, datacenter) ->
                        node.contactPoint().equals(other.getEndPoint().resolve())
                                ? NodeDistance.LOCAL
                                : NodeDistance.IGNORED)
                .build();
    }

    private static CqlSessionBuilder builder(String host, int port, String datacenter) {
        return CqlSessions.builder()
                .addContactPoint(new InetSocketAddress(host, port))
                .withLocalDatacenter(datacenter)
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(30))
                        .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofSeconds(30))
                        .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, Duration.ofSeconds(30))
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                        .build());
    }
}
