package dev.cassidy.reliability.counters;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.ProgrammaticDriverConfigLoaderBuilder;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.internal.core.specex.ConstantSpeculativeExecutionPolicy;
import dev.cassidy.cql.CqlSessions;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** Sessions that tolerate a busy machine. */
final class Sessions {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private Sessions() {}

    static CqlSession to(InetSocketAddress contact) {
        return builder(List.of(contact)).withConfigLoader(config().build()).build();
    }

    /** Returns a session that uses only these nodes. */
    static CqlSession onlyTo(List<EmbeddedCassandra> nodes) {
        List<InetSocketAddress> used =
                nodes.stream().map(EmbeddedCassandra::contactPoint).toList();
        return builder(used)
                .withConfigLoader(config().build())
                .withNodeDistanceEvaluator((node, datacenter) ->
                        used.contains((InetSocketAddress) node.getEndPoint().resolve())
                                ? NodeDistance.LOCAL
                                : NodeDistance.IGNORED)
                .build();
    }

    /** Returns a session that sends whatever may be repeated to all nodes at nearly the same time. */
    static CqlSession speculating(InetSocketAddress contact) {
        return builder(List.of(contact))
                .withConfigLoader(config().withClass(
                                DefaultDriverOption.SPECULATIVE_EXECUTION_POLICY_CLASS,
                                ConstantSpeculativeExecutionPolicy.class)
                        .withInt(DefaultDriverOption.SPECULATIVE_EXECUTION_MAX, 3)
                        .withDuration(DefaultDriverOption.SPECULATIVE_EXECUTION_DELAY, Duration.ofMillis(1))
                        .build())
                .build();
    }

    private static CqlSessionBuilder builder(List<InetSocketAddress> contacts) {
        return CqlSessions.builder().addContactPoints(contacts).withLocalDatacenter(CounterCluster.DATACENTER);
    }

    private static ProgrammaticDriverConfigLoaderBuilder config() {
        return DriverConfigLoader.programmaticBuilder()
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, PATIENCE)
                .withDuration(DefaultDriverOption.CONNECTION_CONNECT_TIMEOUT, PATIENCE)
                .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, PATIENCE)
                .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, PATIENCE)
                .withDuration(DefaultDriverOption.CONTROL_CONNECTION_AGREEMENT_TIMEOUT, PATIENCE)
                .withDuration(DefaultDriverOption.HEARTBEAT_TIMEOUT, PATIENCE)
                // Without the keyspace's replicas, increments would not share requests.
                .withStringList(
                        DefaultDriverOption.METADATA_SCHEMA_REFRESHED_KEYSPACES, List.of(CounterCluster.KEYSPACE));
    }
}
