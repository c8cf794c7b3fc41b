package dev.cassidy.reliability.faults;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.internal.core.connection.ConstantReconnectionPolicy;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** One process whose statements pass through a {@link FaultyNode}, and one that is connected to the real node. */
final class TwoProcesses implements AutoCloseable {

    /** Longer than any machine takes, so that a statement fails only where a cell wants it to fail. */
    static final Duration REQUEST_TIMEOUT = Duration.ofMinutes(1);

    final FaultyNode node;
    final CqlSession through;
    final CqlSession direct;
    final Sequences faulty;
    final Sequences rival;

    TwoProcesses(String keyspace) throws IOException {
        EmbeddedCassandra real = EmbeddedCassandra.shared();
        SequencesConfig config = SequencesConfig.defaults()
                .withGlobalKeyspace(keyspace)
                .withRequestTimeout(REQUEST_TIMEOUT)
                .withClaimTimeout(REQUEST_TIMEOUT.multipliedBy(2));
        NumberedRequests requests = new NumberedRequests();
        node = new FaultyNode(real.contactPoint(), requests);
        direct = session(real.contactPoint());
        through = requests.of(session(node.contactPoint()));
        CassidySchema.install(direct, Replication.parse("dc1:1"), config);
        faulty = Sequences.open(through, config.withWatchInterval(Duration.ofMillis(400)));
        // The rival checks nothing by itself, so that the other process sends the statement that must fail.
        rival = Sequences.open(direct, config.withWatchInterval(Duration.ofHours(1)));
    }

    private static CqlSession session(InetSocketAddress contact) {
        return CqlSession.builder()
                .addContactPoint(contact)
                .withLocalDatacenter("dc1")
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, REQUEST_TIMEOUT)
                        .withDuration(DefaultDriverOption.CONNECTION_CONNECT_TIMEOUT, REQUEST_TIMEOUT)
                        .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, REQUEST_TIMEOUT)
                        .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, REQUEST_TIMEOUT)
                        .withDuration(DefaultDriverOption.HEARTBEAT_TIMEOUT, REQUEST_TIMEOUT)
                        // Two, because a test may close one while the client uses it.
                        .withInt(DefaultDriverOption.CONNECTION_POOL_LOCAL_SIZE, 2)
                        .withClass(DefaultDriverOption.RECONNECTION_POLICY_CLASS, ConstantReconnectionPolicy.class)
                        .withDuration(DefaultDriverOption.RECONNECTION_BASE_DELAY, Duration.ofMillis(10))
                        .build())
                .build();
    }

    @Override
    public void close() throws IOException {
        faulty.close();
        rival.close();
        through.close();
        direct.close();
        node.close();
    }
}
