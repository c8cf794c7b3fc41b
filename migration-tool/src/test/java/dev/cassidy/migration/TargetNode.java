package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequencesConfig;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The Cassandra that all tests of a JVM share, as one test class uses it: a session, and Cassidy's keyspaces of its own. Closing
 * it drops every keyspace that there is, because Cassandra digests the whole schema at each change of it, and each command
 * reads it.
 */
final class TargetNode implements AutoCloseable {

    private final EmbeddedCassandra node = EmbeddedCassandra.shared();
    private final String globalKeyspace;
    private final CqlSession session;

    /** @param globalKeyspace Cassidy's keyspace for these tests; {@link #init} creates it */
    TargetNode(String globalKeyspace) {
        this.globalKeyspace = globalKeyspace;
        this.session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .build())
                .build();
    }

    /** Returns Cassidy's keyspace for these tests. */
    String globalKeyspace() {
        return globalKeyspace;
    }

    CqlSession session() {
        return session;
    }

    SequencesConfig config() {
        return SequencesConfig.defaults().withGlobalKeyspace(globalKeyspace);
    }

    InetSocketAddress address() {
        return node.contactPoint();
    }

    String contactPoint() {
        return node.host() + ":" + node.port();
    }

    String datacenter() {
        return node.localDatacenter();
    }

    /** Returns the arguments that name this Cassandra, and Cassidy's keyspaces in it. */
    List<String> arguments() {
        return List.of(
                "--contact-points", contactPoint(), "--local-dc", datacenter(), "--global-keyspace", globalKeyspace);
    }

    /** Runs a command that needs no source. */
    ToolRun run(String command, String... rest) {
        return ToolRun.of(Map.of(), null, ToolRun.join(command, arguments(), rest));
    }

    /** Creates Cassidy's keyspaces. */
    void init() {
        ToolRun init = run("init", "--replication", datacenter() + ":1");
        assertThat(init.exitCode()).as(init.err()).isZero();
    }

    void createKeyspace(String name) {
        session.execute("CREATE KEYSPACE " + name + " WITH replication = {'class': 'NetworkTopologyStrategy', '"
                + datacenter() + "': 1}");
    }

    /** Returns the URL of the JDBC driver for a keyspace. */
    String jdbc(String keyspace) {
        return "jdbc:cassidy://" + contactPoint() + "/" + keyspace + "?localDatacenter=" + datacenter()
                + "&globalKeyspace=" + globalKeyspace;
    }

    @Override
    public void close() {
        dropKeyspacesAndClose(session);
    }

    /** For a class that has a session of its own: does what closing this does. */
    static void dropKeyspacesAndClose(CqlSession session) {
        try (session) {
            for (Row row : session.execute("SELECT keyspace_name FROM system_schema.keyspaces")) {
                String keyspace = row.getString(0);
                if (!keyspace.equals("system") && !keyspace.startsWith("system_")) {
                    // The driver's 2 s are too few on a busy machine.
                    session.execute(SimpleStatement.newInstance("DROP KEYSPACE "
                                    + CqlIdentifier.fromInternal(keyspace).asCql(true))
                            .setTimeout(Duration.ofMinutes(1)));
                }
            }
        }
    }
}
