package dev.cassidy.embedded;

import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.internal.core.time.ServerSideTimestampGenerator;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Sessions for tests: they tolerate a busy machine, and quickly find a node that has come back. */
final class Cql {
    private static final Duration LIMIT = Duration.ofMinutes(20);

    private Cql() {}

    static CqlSession connect(EmbeddedCassandra node) {
        return connect(node.contactPoint(), node.localDatacenter());
    }

    static CqlSession connect(InetSocketAddress node, String datacenter) {
        return CqlSession.builder()
                .addContactPoint(node)
                .withLocalDatacenter(datacenter)
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(2))
                        .withDuration(DefaultDriverOption.CONNECTION_CONNECT_TIMEOUT, Duration.ofMinutes(2))
                        .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofMinutes(2))
                        .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, Duration.ofMinutes(2))
                        .withDuration(DefaultDriverOption.HEARTBEAT_TIMEOUT, Duration.ofMinutes(2))
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                        // The nodes' clocks give the times of writes.
                        .withClass(DefaultDriverOption.TIMESTAMP_GENERATOR_CLASS, ServerSideTimestampGenerator.class)
                        .build())
                .build();
    }

    /** Waits until the session's node has such a row, and closes the session. */
    static void awaitRow(CqlSession session, String query) {
        try (session) {
            await().atMost(LIMIT).until(() -> eventually(session, local(query)).one() != null);
        }
    }

    private static SimpleStatement local(String query) {
        return SimpleStatement.newInstance(query).setConsistencyLevel(ConsistencyLevel.LOCAL_ONE);
    }

    /**
     * Repeats an idempotent statement until it succeeds: nodes may still be connecting to each other, and a busy node
     * may take longer than its limit of 2 s for a write.
     */
    static ResultSet eventually(CqlSession session, SimpleStatement statement) {
        return await().atMost(LIMIT)
                .ignoreExceptionsInstanceOf(DriverException.class)
                .until(() -> session.execute(statement), rows -> true);
    }
}
