package dev.cassidy.reliability.faults;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.internal.core.connection.ConstantReconnectionPolicy;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** One process whose statements pass through a {@link FaultyNode}, and one that speaks to the real node. */
final class TwoProcesses implements AutoCloseable {

    /** What the first one waits for an answer; short, so that a late one is soon late. */
    static final Duration REQUEST_TIMEOUT = Duration.ofMillis(300);

    final FaultyNode node;
    final CqlSession through;
    final CqlSession direct;
    final Sequences faulty;
    final Sequences rival;

    TwoProcesses(String keyspace) throws IOException {
        EmbeddedCassandra real = EmbeddedCassandra.shared();
        SequencesConfig config = SequencesConfig.defaults().withGlobalKeyspace(keyspace);
        node = new FaultyNode(real.contactPoint(), REQUEST_TIMEOUT);
        direct = session(real.contactPoint());
        through = session(node.contactPoint());
        Sequences.install(direct, Replication.parse("dc1:1"), config);
        faulty = Sequences.open(
                through,
                config.withRequestTimeout(REQUEST_TIMEOUT)
                        .withClaimTimeout(Duration.ofSeconds(10))
                        .withWatchInterval(Duration.ofMillis(400)));
        // It looks at nothing by itself, so that what is to fail is left to the other one.
        rival = Sequences.open(direct, config.withWatchInterval(Duration.ofHours(1)));
    }

    private static CqlSession session(InetSocketAddress contact) {
        return CqlSession.builder()
                .addContactPoint(contact)
                .withLocalDatacenter("dc1")
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                        // One is closed under its client at times.
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
