package dev.cassidy.embedded;

import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Sessions for tests: patient with a busy machine, and quick to find a node that has come back. */
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
                        .build())
                .build();
    }

    /** Waits until the node that the session is for has such a row, and closes the session. */
    static void awaitRow(CqlSession session, String query) {
        try (session) {
            await().atMost(LIMIT).until(() -> eventually(session, local(query)).one() != null);
        }
    }

    private static SimpleStatement local(String query) {
        return SimpleStatement.newInstance(query).setConsistencyLevel(ConsistencyLevel.LOCAL_ONE);
    }

    /**
     * Executes what may be executed twice, until it succeeds: nodes that call each other up may still be connecting, and a
     * busy one may take longer than the 2 s that it has for a write.
     */
    static ResultSet eventually(CqlSession session, SimpleStatement statement) {
        return await().atMost(LIMIT)
                .ignoreExceptionsInstanceOf(DriverException.class)
                .until(() -> session.execute(statement), rows -> true);
    }
}
